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

// ErrRedirectLoop means that a redirect leads to a URL that the client has already requested.
var ErrRedirectLoop = errors.New("redirect loop")

// Error is a failure to open or read a URL. [NewError] makes one.
type Error struct {
	Op  string    // "open", "dial" (the connection failed) or "read" (reading the resource failed)
	URL locus.URL // the URL that was requested, after redirects
	Err error     // the cause
}

// errNoCause is the cause of an [Error] that a program made without a cause.
var errNoCause = fmt.Errorf("%w: unknown cause", scheme.ErrProtocol)

// NewError returns an [*Error] with the cause err. If err is nil, the cause is unknown and
// the kind is [Protocol].
func NewError(op string, u locus.URL, err error) *Error { return &Error{Op: op, URL: u, Err: err} }

// Error returns the message. The URL in the message contains no password.
func (e *Error) Error() string {
	// The message of a denial or a syntax error may begin with the module name and the URL.
	quoted := locus.Quote(e.URL.Shown()) + ": "
	text := strings.Replace(e.Unwrap().Error(), "locus: "+quoted, "", 1)
	text = strings.Replace(strings.TrimPrefix(text, "locus: "), quoted, "", 1)
	if d := (*dialError)(nil); errors.As(e.Err, &d) {
		// Drop the text before the dial error. This text only repeats that the connection failed.
		if _, after, ok := strings.Cut(text, d.Error()); ok {
			text = d.Error() + after
		}
	}
	return fmt.Sprintf("locus: %s %s: %s", e.Op, quoteURL(e.URL), text)
}

// Unwrap returns the cause. The cause is never nil.
func (e *Error) Unwrap() error {
	if e.Err == nil {
		return errNoCause
	}
	return e.Err
}

// ProxyError reports that a request through proxies failed. A proxy or the server may have
// caused the failure.
type ProxyError struct {
	Proxies []Proxy // proxies, in the order of use
	Err     error
}

func (e *ProxyError) Error() string {
	return e.Err.Error() + " (through " + proxyTexts(e.Proxies) + ")"
}

func (e *ProxyError) Unwrap() error { return e.Err }

// quoteURL returns the text of u for a message. If u is long or contains special characters, the
// text is quoted.
func quoteURL(u locus.URL) string {
	text := u.Shown()
	if quoted := locus.Quote(text); len(quoted) != len(text)+2 {
		return quoted
	}
	return text
}

// Kind is the stable name of a failure class.
type Kind string

const (
	NotFound    Kind = "not-found"   // the server has no such resource
	Denied      Kind = "denied"      // the policy refused
	Unreachable Kind = "unreachable" // no connection was made
	Protocol    Kind = "protocol"    // the server violated the protocol; also any other failure
	Auth        Kind = "auth"        // a login is required, or was refused
	Unsupported Kind = "unsupported" // the scheme is unknown, or can't be accessed
	Syntax      Kind = "syntax"      // the URL is not a URL of its scheme
	Timeout     Kind = "timeout"     // a time limit was exceeded
	TooLarge    Kind = "too-large"   // a size limit was exceeded
	Interrupted Kind = "interrupted" // the context was cancelled, or the caller closed the resource
)

// KindOf classifies err by the errors that it wraps, never by its text. A nil err gives "".
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
	case errors.Is(err, context.Canceled), errors.Is(err, fs.ErrClosed), errors.Is(err, net.ErrClosed):
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
		// This case precedes the file errors, because a socket error may wrap EPERM.
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

// dialError reports that a connection failed for a reason other than a denial. It matches
// [scheme.ErrUnreachable].
type dialError struct {
	address string
	err     error
}

func (e *dialError) Error() string {
	reason := e.err
	if proxy, ok := errors.AsType[*dialError](reason); ok {
		return proxy.Error()
	}
	// The wrapper errors repeat the address and add the name of a system call.
	if op, ok := errors.AsType[*net.OpError](reason); ok {
		reason = op.Err
	}
	if call, ok := errors.AsType[*os.SyscallError](reason); ok {
		reason = call.Err
	}
	text := reason.Error()
	if dns, ok := errors.AsType[*net.DNSError](reason); ok {
		text = dns.Err
	}
	return "no connection to " + locus.Quote(e.address) + ": " + text
}
func (e *dialError) Unwrap() error        { return e.err }
func (e *dialError) Is(target error) bool { return target == scheme.ErrUnreachable }
func (e *dialError) Timeout() bool        { return isTimeout(e.err) }

// timeoutError reports that a time limit was exceeded. It is a [net.Error], and matches the
// deadline errors of the packages context and os.
type timeoutError struct {
	format string // format of the message, with %s for the limit
	after  time.Duration
}

func (e *timeoutError) Error() string   { return fmt.Sprintf(e.format, shortDuration(e.after)) }
func (e *timeoutError) Timeout() bool   { return true }
func (e *timeoutError) Temporary() bool { return true }
func (e *timeoutError) Is(target error) bool {
	return target == os.ErrDeadlineExceeded || target == context.DeadlineExceeded
}

// shortDuration returns d without units that are zero: "10m" instead of "10m0s".
func shortDuration(d time.Duration) string {
	text := d.String()
	if short, ok := strings.CutSuffix(text, "m0s"); ok {
		text = short + "m"
	}
	if short, ok := strings.CutSuffix(text, "h0m"); ok {
		text = short + "h"
	}
	return text
}

// closedError reports that a closed connection or client was used. It matches [fs.ErrClosed] and
// [net.ErrClosed].
type closedError string

func (e closedError) Error() string        { return string(e) + " was closed" }
func (e closedError) Is(target error) bool { return target == fs.ErrClosed || target == net.ErrClosed }

const (
	errClosed       closedError = "the resource"
	errClientClosed closedError = "the client"
	errConnClosed   closedError = "the connection"
)

func isLimit(err error) bool {
	_, ok := errors.AsType[*timeoutError](err)
	return ok
}

// contextError returns the reason why ctx ended: a time limit of this package, or the error of ctx
// and its cause. It returns nil if ctx has not ended.
func contextError(ctx context.Context) error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	cause := context.Cause(ctx)
	if cause == errClosed {
		return errClosed
	}
	if isLimit(cause) || errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}
