package nntp

import (
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/line"
	"github.com/locus-url/locus/scheme"
)

// Reply is the first line of what a server answers to a command (RFC 3977 section
// 3.2). After some of them a block of lines follows.
type Reply struct {
	Code int    // three digits
	Text string // what follows them
}

// parseReply reads a line as a reply.
func parseReply(text string) (Reply, error) {
	if len(text) < 3 || text[0] < '1' || text[0] > '5' || len(text) > 3 && text[3] != ' ' {
		return Reply{}, notReply(text)
	}
	code := 0
	for i := range 3 {
		if text[i] < '0' || text[i] > '9' {
			return Reply{}, notReply(text)
		}
		code = code*10 + int(text[i]-'0')
	}
	return Reply{Code: code, Text: strings.TrimSpace(text[3:])}, nil
}

func notReply(text string) error {
	return fmt.Errorf("%w: %s is no reply of NNTP", scheme.ErrProtocol, locus.Quote(text))
}

// replyError says what it means that a line did not come whole.
func replyError(err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: the server closed the connection: %w", scheme.ErrProtocol, io.ErrUnexpectedEOF)
	case errors.Is(err, line.ErrLong):
		return fmt.Errorf("%w: a line without end: %w", scheme.ErrProtocol, err)
	case errors.Is(err, line.ErrTotal):
		return fmt.Errorf("%w: %w", scheme.ErrTooLarge, err)
	}
	return scheme.Broken(err)
}

// ReplyError is a reply by which a server refused a command. It is the kind of
// thing that it means, [scheme.ErrNotFound] for one, and a [*textproto.Error].
type ReplyError struct {
	Command string // as it was sent, with "***" for a password
	Reply   Reply
	Kind    error
}

func (e *ReplyError) Error() string {
	return fmt.Sprintf("%s: %v: %d %s", locus.Quote(e.Command), e.Kind, e.Reply.Code, locus.Quote(e.Reply.Text))
}

// Unwrap returns the kind and the reply.
func (e *ReplyError) Unwrap() []error {
	return []error{e.Kind, &textproto.Error{Code: e.Reply.Code, Msg: e.Reply.Text}}
}

// refusal makes the error for a reply that is not the one that was hoped for.
func refusal(command string, r Reply) error {
	return &ReplyError{Command: command, Reply: r, Kind: kindOf(r.Code)}
}

// Codes that decide what is done next (RFC 3977 section 3.2.1, RFC 4643 section
// 2, RFC 4642 section 2.2).
const (
	codeNotReader    = 401 // another mode is needed; the text says which
	codeNoLogin      = 480
	codeNoEncryption = 483
)

// kindOf says what a code means.
func kindOf(code int) error {
	switch code {
	case 411, 412, 420, 421, 422, 423, 430:
		return scheme.ErrNotFound
	case codeNoLogin, 481, 482, codeNoEncryption, 450, 452, 502:
		// RFC 2980 has 450 and 452 for what is 480 and 481 now.
		return scheme.ErrAuth
	case codeNotReader, 500, 501:
		return scheme.ErrUnsupported
	case 400:
		return scheme.ErrUnreachable // "service temporarily unavailable"
	}
	return scheme.ErrProtocol
}

// unknown: the server does not have the command, or not what it is about.
func (r Reply) unknown() bool { return r.Code == 500 || r.Code == 501 || r.Code == 503 }

// group is what a server says of a newsgroup that it has selected (RFC 3977
// section 6.1.1).
type group struct {
	name      string
	low, high int64
}

// empty: there are no articles. The numbers of such a group may be anything.
func (g group) empty() bool { return g.high < g.low || g.high <= 0 }

// mostNumber is more than any article's number can be. It leaves room to count on
// from one.
const mostNumber = 1 << 62

// parseGroup reads the reply 211: how many there are, the lowest number, the
// highest, the name.
func parseGroup(name string, r Reply) (group, error) {
	var n [3]int64
	fields := strings.Fields(r.Text)
	for i := range n {
		ok := i < len(fields)
		if ok {
			n[i], ok = parseCount(fields[i])
		}
		if !ok || n[i] > mostNumber {
			return group{}, fmt.Errorf("%w: %s does not say which articles there are", scheme.ErrProtocol, locus.Quote(r.Text))
		}
	}
	g := group{name: name, low: n[1], high: n[2]}
	if n[0] == 0 {
		g.low, g.high = 0, 0
	}
	return g, nil
}

// capabilities are what a server says that it can do (RFC 3977 section 3.3), in
// upper case, with their arguments. nil: it does not say.
type capabilities map[string][]string

func (c capabilities) add(text string) {
	if fields := strings.Fields(strings.ToUpper(text)); len(fields) > 0 {
		c[fields[0]] = fields[1:]
	}
}

func (c capabilities) has(label string) bool {
	_, ok := c[label]
	return ok
}
