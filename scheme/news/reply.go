package news

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/line"
	"github.com/locus-url/locus/scheme/internal/lineconn"
)

// reply is the initial line of the reply to a command (RFC 3977 section 3.2). A multi-line
// block follows some initial lines.
type reply struct {
	code int // three-digit code
	text string
}

func parseReply(text string) (reply, error) {
	code, ok := lineconn.ReplyCode(text)
	if !ok || len(text) > 3 && text[3] != ' ' {
		return reply{}, fmt.Errorf("%w: %s is not an NNTP reply", scheme.ErrProtocol, locus.Quote(text))
	}
	return reply{code: code, text: strings.TrimSpace(text[3:])}, nil
}

// endedError matches io.ErrUnexpectedEOF, but has a plain-English message.
type endedError struct{}

func (endedError) Error() string        { return "the server closed the connection" }
func (endedError) Is(target error) bool { return target == io.ErrUnexpectedEOF }

func readError(err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: %w", scheme.ErrProtocol, endedError{})
	case errors.Is(err, line.ErrLong):
		return fmt.Errorf("%w: %w", scheme.ErrProtocol, err)
	case errors.Is(err, line.ErrTotal):
		return fmt.Errorf("%w: %w", scheme.ErrTooLarge, err)
	}
	return scheme.ProtocolError(err)
}

// refusal returns the error for an unexpected reply.
func refusal(command string, r reply) error {
	err := &lineconn.ReplyError{Command: command, Code: r.code, Text: r.text, Kind: kindOf(r.code)}
	if r.code == codeFault {
		return &scheme.RetryAfterError{Err: err}
	}
	return err
}

// These reply codes determine the client's next step (RFC 3977 section 3.2.1, RFC 4643 section
// 2, RFC 4642 section 2.2).
const (
	codeNotReader    = 401 // the server needs another mode; the text names the mode
	codeFault        = 403 // a server fault, such as an unreachable service
	codeNoLogin      = 480
	codeNoEncryption = 483
)

func kindOf(code int) error {
	switch code {
	case 411, 412, 420, 421, 422, 423, 430:
		return scheme.ErrNotFound
	case codeNoLogin, 481, 482, codeNoEncryption, 450, 452, 502:
		// In RFC 2980, codes 450 and 452 correspond to 480 and 481.
		return scheme.ErrAuth
	case codeNotReader, 500, 501:
		return scheme.ErrUnsupported
	case 400:
		return scheme.ErrUnreachable // "service temporarily unavailable"
	}
	return scheme.ErrProtocol
}

// isUnknown reports whether the server does not support the command, or the list that the
// command requests.
func (r reply) isUnknown() bool { return r.code == 500 || r.code == 501 || r.code == 503 }

// group is the newsgroup that is selected on the server (RFC 3977 section 6.1.1), with its
// range of article numbers.
type group struct {
	name      string
	low, high int64
}

// isEmpty reports whether the newsgroup has no articles. A server may report any low and high
// numbers for an empty newsgroup.
func (g group) isEmpty() bool { return g.high < g.low || g.high <= 0 }

// maxCountedNumber is the maximum article number that the client accepts. Counting beyond
// larger numbers could overflow.
const maxCountedNumber = 1 << 62

// parseGroup parses a reply 211. The reply contains the number of articles, the lowest and the
// highest article number, and a name.
func parseGroup(name string, r reply) (group, error) {
	var n [3]int64
	fields := strings.Fields(r.text)
	for i := range n {
		ok := i < len(fields)
		if ok {
			n[i], ok = parseCount(fields[i])
		}
		if !ok || n[i] > maxCountedNumber {
			return group{}, fmt.Errorf("%w: invalid article numbers in the reply %s", scheme.ErrProtocol, locus.Quote(r.text))
		}
	}
	if n[0] == 0 {
		return group{name: name}, nil
	}
	return group{name: name, low: n[1], high: n[2]}, nil
}

// capabilities maps the server's capabilities, in upper case, to their arguments (RFC 3977
// section 3.3). It is nil if the server does not list its capabilities.
type capabilities map[string][]string

func (c capabilities) addLine(text string) {
	if fields := strings.Fields(strings.ToUpper(text)); len(fields) > 0 {
		c[fields[0]] = fields[1:]
	}
}

func (c capabilities) has(label string) bool {
	_, ok := c[label]
	return ok
}
