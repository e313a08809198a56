package access

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// ErrCircle is what errors wrap if a referral leads to where one has been before.
var ErrCircle = errors.New("referrals lead in a circle")

// Error tells at which URL and which step access failed. [NewError] makes one.
type Error struct {
	Op  string    // "open"; "dial": no connection came about; "read": the resource was there and broke off
	URL locus.URL // the URL that was asked, after referrals
	Err error     // the cause
}

// errNoCause is the cause of an [Error] that was made without one.
var errNoCause = fmt.Errorf("%w: no reason is known", scheme.ErrProtocol)

// NewError returns an [*Error] that always has a cause: if err is nil, a failure of
// kind [Protocol] for which no reason is known.
func NewError(op string, u locus.URL, err error) *Error {
	if err == nil {
		err = errNoCause
	}
	return &Error{Op: op, URL: u, Err: err}
}

// Error shows the URL without its password.
func (e *Error) Error() string {
	// A refusal or a syntax error may name the module and the URL again.
	text := strings.TrimPrefix(e.Unwrap().Error(), "locus: ")
	text = strings.Replace(text, locus.Quote(e.URL.Redacted())+": ", "", 1)
	return fmt.Sprintf("locus: %s %s: %s", e.Op, show(e.URL), text)
}

// Unwrap returns the cause. It is never nil.
func (e *Error) Unwrap() error {
	if e.Err == nil {
		return errNoCause
	}
	return e.Err
}

// GatewayError is a failure of a request that went through gateways: it may be theirs, and
// not that of what they were to get.
type GatewayError struct {
	Gateways []Gateway // in their order
	Err      error
}

func (e *GatewayError) Error() string {
	return e.Err.Error() + " (through " + gatewayTexts(e.Gateways) + ")"
}

func (e *GatewayError) Unwrap() error { return e.Err }

// show returns u for a message: as it is if that is short and plain, else quoted.
func show(u locus.URL) string {
	text := u.Redacted()
	if quoted := locus.Quote(text); len(quoted) != len(text)+2 {
		return quoted
	}
	return text
}

// Kind is what a failure comes to, in a word that does not change.
type Kind string

const (
	NotFound    Kind = "not-found"   // the server says there is no such thing
	Denied      Kind = "denied"      // the policy refused
	Unreachable Kind = "unreachable" // no connection came about
	Protocol    Kind = "protocol"    // the server, or the connection, did what it should not; and all that is none of the others
	Auth        Kind = "auth"        // a login is wanted, or was refused
	Unsupported Kind = "unsupported" // the scheme is unknown, or can't be accessed
	Syntax      Kind = "syntax"      // the URL is not in the form of its scheme
	Timeout     Kind = "timeout"     // it took too long
	TooLarge    Kind = "too-large"   // more than the limit
	Interrupted Kind = "interrupted" // the context was cancelled
)

// KindOf tells what err comes to; "" for nil. It goes by the errors that err
// wraps, whoever made it, never by its text.
func KindOf(err error) Kind {
	var syntax *locus.SyntaxError
	switch {
	case err == nil:
		return ""
	case errors.Is(err, policy.ErrDenied):
		return Denied
	case errors.As(err, &syntax):
		return Syntax
	case errors.Is(err, scheme.ErrTooLarge):
		return TooLarge
	case errors.Is(err, scheme.ErrUnsupported):
		return Unsupported
	case errors.Is(err, context.Canceled):
		return Interrupted
	case isTimeout(err):
		return Timeout
	case errors.Is(err, scheme.ErrNotFound):
		return NotFound
	case errors.Is(err, scheme.ErrAuth):
		return Auth
	case errors.Is(err, scheme.ErrUnreachable):
		return Unreachable
	case errors.Is(err, scheme.ErrProtocol):
		return Protocol
	case isNetwork(err):
		// Before those of files: a socket can be "not permitted" as well.
		return Unreachable
	case errors.Is(err, fs.ErrNotExist):
		return NotFound
	case errors.Is(err, fs.ErrPermission):
		return Auth
	}
	return Protocol
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &t) && t.Timeout()
}

func isNetwork(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &op) || errors.As(err, &dns)
}

// dialError is a connection that did not come about, for another reason than the
// policy. It is [scheme.ErrUnreachable].
type dialError struct {
	address string
	err     error
}

func (e *dialError) Error() string {
	return "no connection to " + locus.Quote(e.address) + ": " + e.err.Error()
}
func (e *dialError) Unwrap() error        { return e.err }
func (e *dialError) Is(target error) bool { return target == scheme.ErrUnreachable }

// timeoutError is a limit of time that ran out. It is a [net.Error], and both
// kinds of deadline error.
type timeoutError struct {
	what  string
	after time.Duration
}

func (e *timeoutError) Error() string   { return fmt.Sprintf("%s within %v", e.what, e.after) }
func (e *timeoutError) Timeout() bool   { return true }
func (e *timeoutError) Temporary() bool { return true }
func (e *timeoutError) Is(target error) bool {
	return target == os.ErrDeadlineExceeded || target == context.DeadlineExceeded
}

// isLimit reports whether err is a limit of time of this package.
func isLimit(err error) bool {
	t, ok := err.(*timeoutError)
	return ok && t != nil
}

// ended returns why ctx ended, nil if it did not: the limit of time, where that is
// the cause, or the error of ctx with what its owner says.
func ended(ctx context.Context) error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	cause := context.Cause(ctx)
	var timeout *timeoutError
	if errors.As(cause, &timeout) || errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}
