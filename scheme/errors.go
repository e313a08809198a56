package scheme

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"time"
)

// Every error that an opener returns must wrap one of these errors.
var (
	// ErrNotFound means that the server has no such resource. It also matches fs.ErrNotExist
	// in errors.Is.
	ErrNotFound error = kind{"not found", fs.ErrNotExist}
	// ErrNotArchived means that an archive does not contain the resource. It also matches
	// ErrNotFound in errors.Is.
	ErrNotArchived error = kind{"not in the archive", ErrNotFound}
	// ErrAuth means that the server requires a login, or rejected the login. It also matches
	// fs.ErrPermission in errors.Is.
	ErrAuth error = kind{"not permitted", fs.ErrPermission}
	// ErrUnreachable means that the opener could not connect to the server.
	ErrUnreachable = errors.New("unreachable")
	// ErrProtocol means that the response violates the protocol or is incomplete.
	ErrProtocol = errors.New("protocol error")
	// ErrTooLarge means that the resource exceeds a limit.
	ErrTooLarge = errors.New("too large")
	// ErrUnsupported means that the scheme or the requested operation is not supported.
	ErrUnsupported = errors.New("not supported")
	// ErrNoScheme means that the scheme is not registered. It also matches ErrUnsupported in
	// errors.Is.
	ErrNoScheme error = kind{"unknown scheme", ErrUnsupported}
)

// kind is an error that also matches another error in errors.Is.
type kind struct {
	text string
	is   error
}

func (k kind) Error() string        { return k.text }
func (k kind) Is(target error) bool { return errors.Is(k.is, target) }

// HintError adds advice for the user to an error.
type HintError struct {
	Err    error
	Hint   string // a sentence without a final period
	Reason Reason // the setting that would help; empty if none
}

// Reason identifies the client setting that would let a failed open succeed. A program with an
// option for the setting should name the option in the hint.
type Reason string

const (
	// ReasonEmptySegment means that the path contains an empty segment, and that the server
	// rejected the command for this segment.
	ReasonEmptySegment Reason = "empty-segment"
	// ReasonNoServer means that the URL does not name a server, and the client has no default.
	ReasonNoServer Reason = "no-server"
	// ReasonClearLogin means that the server requires a login, which the client would have to
	// send without encryption.
	ReasonClearLogin Reason = "clear-login"
)

// HintFor adds a hint and a reason to err.
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

// Hint adds a hint to err.
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
	// After is the pause that the server requests. It must not be negative. Zero means that
	// the server did not request a pause.
	After time.Duration
}

func (e *RetryAfterError) Error() string { return e.Err.Error() }
func (e *RetryAfterError) Unwrap() error { return e.Err }

// Unreachable wraps err in ErrUnreachable, unless err already wraps ErrUnreachable. It returns
// a timeout unchanged.
func Unreachable(err error) error { return unlessTimeout(err, ErrUnreachable) }

// ProtocolError wraps a connection error in ErrProtocol, unless err already wraps ErrProtocol.
// It returns a timeout unchanged. It also returns net.ErrClosed unchanged, because this error
// means that the client closed the connection.
func ProtocolError(err error) error { return unlessTimeout(err, ErrProtocol) }

func unlessTimeout(err, kind error) error {
	var timeout interface{ Timeout() bool }
	if errors.Is(err, kind) || errors.Is(err, net.ErrClosed) || errors.As(err, &timeout) && timeout.Timeout() {
		return err
	}
	return &failure{kind, err}
}

// failure is a connection error. Its text omits the addresses that errors of package net
// contain, because messages already contain the URL.
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
