package submit

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/emersion/go-smtp"

	"github.com/locus-url/locus"
)

var (
	// ErrNoTLS means that TLS is required, but the server does not offer STARTTLS.
	ErrNoTLS = errors.New("the server does not offer STARTTLS")
	// ErrClear means that a password, or a message to another machine, would be sent without TLS.
	ErrClear = errors.New("the connection is not encrypted")
	// ErrNoUTF8 means that an address is not US-ASCII and the server accepts only US-ASCII (RFC
	// 6531).
	ErrNoUTF8 = errors.New("the server does not offer SMTPUTF8")
	// ErrTooLarge means that the message is larger than the server accepts.
	ErrTooLarge = errors.New("too large")
	// ErrLogin means that the server requires a login, but no usable login is available.
	ErrLogin = errors.New("no login")
	// ErrProtocol means that the server sent invalid or endless replies.
	ErrProtocol = errors.New("protocol error")
	// ErrUncertain means that the whole message was sent, but the server did not reply.
	// Sending the message again may deliver it twice.
	ErrUncertain = errors.New("the message may or may not have been accepted")
)

// ReplyError is a reply with which the server rejects a command.
type ReplyError struct {
	Command string // command such as "MAIL" or "AUTH"; "connection" means the greeting
	Address string // address in the command MAIL or RCPT
	Code    int    // reply code of RFC 5321 section 4.2.1
	Status  string // enhanced status such as "5.1.1" (RFC 3463)
	Text    string // the server's text without codes; may contain control characters
}

// Temporary reports whether the command may succeed later.
func (e *ReplyError) Temporary() bool { return e.Code/100 == 4 }

// Is returns true if target is [fs.ErrPermission] and the reply means that a login is missing
// or wrong.
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
		b.WriteString(", which is not a reply to this command")
	case e.Temporary():
		b.WriteString(" (temporary: try again later)")
	}
	return b.String()
}

// RecipientsError means that the server rejected one or more recipients. The message was not
// sent.
type RecipientsError struct {
	Refused []*ReplyError // replies for the rejected recipients, in order
	Total   int           // number of all recipients
}

// Temporary reports whether all replies are temporary.
func (e *RecipientsError) Temporary() bool {
	return !slices.ContainsFunc(e.Refused, func(r *ReplyError) bool { return !r.Temporary() })
}

// Unwrap returns the replies as errors.
func (e *RecipientsError) Unwrap() []error {
	list := make([]error, len(e.Refused))
	for i, r := range e.Refused {
		list[i] = r
	}
	return list
}

func (e *RecipientsError) Error() string {
	text := strings.ReplaceAll(errors.Join(e.Unwrap()...).Error(), "\n", "; ")
	return fmt.Sprintf("the message was not sent, because %d of %d recipients were refused: %s", len(e.Refused), e.Total, text)
}

// replyError converts an error of the SMTP library to a *ReplyError, if the server rejected a
// command. replyError wraps any other error.
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
