package submit

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/emersion/go-smtp"

	"github.com/locus-url/locus"
)

var (
	// ErrNoTLS: the server does not offer TLS where it must.
	ErrNoTLS = errors.New("the server does not offer STARTTLS")
	// ErrClear: nothing is sent without TLS to another machine, and no password at
	// all, unless it was agreed to.
	ErrClear = errors.New("nothing would be encrypted on the way")
	// ErrNoUTF8: an address is not in US-ASCII, and the server takes no others
	// (RFC 6531).
	ErrNoUTF8 = errors.New("the server does not offer SMTPUTF8")
	// ErrTooLarge: the message is larger than the server takes.
	ErrTooLarge = errors.New("too large")
	// ErrLogin: the server wants a login, and there is none that it takes.
	ErrLogin = errors.New("no login")
	// ErrProtocol: what the server said is no SMTP, or has no end.
	ErrProtocol = errors.New("protocol error")
	// ErrUncertain: the whole message was sent, and no answer came to it. Whoever
	// sends it again may send it twice.
	ErrUncertain = errors.New("it is not known whether the message was taken")
)

// ReplyError is an answer of a server that refuses something.
type ReplyError struct {
	Command string // "MAIL", "RCPT", "AUTH" ...; "connection" for the greeting
	Address string // of MAIL and RCPT; else empty
	Code    int    // RFC 5321 section 4.2.1
	Status  string // the enhanced status (RFC 3463), as "5.1.1"; empty: none
	Text    string // the server's words, without codes; not safe for a terminal
}

// Temporary reports whether the same may work later.
func (e *ReplyError) Temporary() bool { return e.Code/100 == 4 }

// Is makes what a login would change [fs.ErrPermission].
func (e *ReplyError) Is(target error) bool {
	switch e.Code {
	case 530, 534, 535, 538:
		return target == fs.ErrPermission
	}
	return e.Code < 400 && target == ErrProtocol
}

func (e *ReplyError) Error() string {
	var b strings.Builder
	b.WriteString(e.Command)
	if e.Address != "" {
		b.WriteString(" " + locus.Quote(e.Address))
	}
	fmt.Fprintf(&b, ": the server says %d", e.Code)
	if e.Status != "" {
		b.WriteString(" " + e.Status)
	}
	b.WriteString(" " + locus.Quote(e.Text))
	switch {
	case e.Code < 400:
		b.WriteString(", which is no answer to this")
	case e.Temporary():
		b.WriteString(", for now: it may work later")
	}
	return b.String()
}

// RecipientsError is that the server refused recipients. The message was sent to
// nobody.
type RecipientsError struct {
	Refused []*ReplyError // one for each, in order
	Of      int           // how many recipients there are
}

// Temporary reports whether the same may work later for all of them.
func (e *RecipientsError) Temporary() bool {
	for _, r := range e.Refused {
		if !r.Temporary() {
			return false
		}
	}
	return true
}

// Unwrap returns the answers.
func (e *RecipientsError) Unwrap() []error {
	list := make([]error, len(e.Refused))
	for i, r := range e.Refused {
		list[i] = r
	}
	return list
}

func (e *RecipientsError) Error() string {
	texts := make([]string, len(e.Refused))
	for i, r := range e.Refused {
		texts[i] = r.Error()
	}
	return fmt.Sprintf("nobody got the message, because %d of %d recipients were refused: %s", len(e.Refused), e.Of, strings.Join(texts, "; "))
}

// replyError returns what the library makes of a refusal as a *ReplyError, and
// any other error as what it comes to.
func replyError(command, address string, err error) error {
	var reply *smtp.SMTPError
	if errors.As(err, &reply) {
		e := &ReplyError{Command: command, Address: address, Code: reply.Code, Text: reply.Message}
		if c := reply.EnhancedCode; c != (smtp.EnhancedCode{}) && c != smtp.NoEnhancedCode {
			e.Status = fmt.Sprintf("%d.%d.%d", c[0], c[1], c[2])
		}
		return e
	}
	return fmt.Errorf("%s: %w", command, err)
}
