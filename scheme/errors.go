package scheme

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"time"
)

// The errors of an opener must wrap one of these.
var (
	// ErrNotFound means that the server has no such resource. For errors.Is, it is also
	// fs.ErrNotExist.
	ErrNotFound error = kind{"not found", fs.ErrNotExist}
	// ErrNotArchived means that an archive does not contain the resource. For errors.Is, it is also
	// ErrNotFound.
	ErrNotArchived error = kind{"not in the archive", ErrNotFound}
	// ErrAuth means that the server requires a login, or rejected it. For
	// errors.Is, it is also fs.ErrPermission.
	ErrAuth error = kind{"not permitted", fs.ErrPermission}
	// ErrUnreachable means that the opener could not connect to the server.
	ErrUnreachable = errors.New("unreachable")
	// ErrProtocol means that the response violates the protocol or is incomplete.
	ErrProtocol = errors.New("protocol error")
	// ErrTooLarge means that the resource exceeds a limit.
	ErrTooLarge = errors.New("too large")
	// ErrUnsupported means that the scheme, or this use of it, is not supported.
	ErrUnsupported = errors.New("not supported")
	// ErrNoScheme means that the scheme is not registered. For errors.Is, it is also
	// ErrUnsupported.
	ErrNoScheme error = kind{"unknown scheme", ErrUnsupported}
)

// kind is an error that also matches another error in errors.Is.
type kind struct {
	text string
	is   error
}

func (k kind) Error() string        { return k.text }
func (k kind) Is(target error) bool { return errors.Is(k.is, target) }

// HintError is an error with advice for the user.
type HintError struct {
	Err    error
	Hint   string // a sentence without its full stop
	Reason Reason // empty if no setting would help
}

// Reason names a setting of the client that would let a failed open succeed. A program
// that exposes the setting should add its name to the hint.
type Reason string

const (
	// ReasonEmptySegment means that the server rejects the command for an empty path
	// segment.
	ReasonEmptySegment Reason = "empty-segment"
	// ReasonNoServer means that the URL does not name a server, and the client has no default.
	ReasonNoServer Reason = "no-server"
	// ReasonClearLogin means that the server requires a login, which the client would have to send without encryption.
	ReasonClearLogin Reason = "clear-login"
)

// HintFor adds advice and a reason to err.
func HintFor(err error, reason Reason, hint string) error {
	return &HintError{Err: err, Hint: hint, Reason: reason}
}

// ReasonOf returns the reason in err, or "".
func ReasonOf(err error) Reason {
	if hint := (*HintError)(nil); errors.As(err, &hint) {
		return hint.Reason
	}
	return ""
}

// Hint adds advice to err.
func Hint(err error, hint string) error { return &HintError{Err: err, Hint: hint} }

func (e *HintError) Error() string {
	if e.Hint == "" {
		return e.Err.Error()
	}
	return e.Err.Error() + " (" + e.Hint + ")"
}

func (e *HintError) Unwrap() error { return e.Err }

// RetryAfterError is a failure that the server reports as temporary. The caller may retry
// the request after the pause. A failed connection or a timeout needs no RetryAfterError.
type RetryAfterError struct {
	Err error
	// After is the pause that the server requests. It must not be negative. Zero means
	// that the server requests none.
	After time.Duration
}

func (e *RetryAfterError) Error() string { return e.Err.Error() }
func (e *RetryAfterError) Unwrap() error { return e.Err }

// Unreachable wraps err in ErrUnreachable, unless err already wraps it. It returns a
// timeout unchanged.
func Unreachable(err error) error { return unlessTimeout(err, ErrUnreachable) }

// ProtocolError wraps err, a failure of a connection, in ErrProtocol, unless err already
// wraps it. It returns a timeout unchanged. It also returns net.ErrClosed unchanged,
// which means that the client closed the connection.
func ProtocolError(err error) error { return unlessTimeout(err, ErrProtocol) }

func unlessTimeout(err, kind error) error {
	var timeout interface{ Timeout() bool }
	if errors.Is(err, kind) || errors.Is(err, net.ErrClosed) || errors.As(err, &timeout) && timeout.Timeout() {
		return err
	}
	return &failure{kind, err}
}

// failure is a failure of a connection. Its text omits the addresses in errors of package
// net, because messages already contain the URL.
type failure struct{ kind, err error }

func (f *failure) Error() string {
	err := f.err
	if op, ok := err.(*net.OpError); ok {
		err = op.Err
	}
	if call, ok := err.(*os.SyscallError); ok {
		err = call.Err
	}
	return f.kind.Error() + ": " + err.Error()
}

func (f *failure) Unwrap() []error { return []error{f.kind, f.err} }
