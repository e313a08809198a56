package scheme

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"time"
)

// Errors of openers wrap one of these.
var (
	// ErrNotFound: the server has no such resource. It is fs.ErrNotExist.
	ErrNotFound error = kind{"not found", fs.ErrNotExist}
	// ErrAuth: the server wants a login, or refused the one it got. It is
	// fs.ErrPermission.
	ErrAuth error = kind{"not permitted", fs.ErrPermission}
	// ErrUnreachable: no connection was made.
	ErrUnreachable = errors.New("unreachable")
	// ErrProtocol: the response violates the protocol or is incomplete.
	ErrProtocol = errors.New("protocol error")
	// ErrTooLarge: the resource exceeds a limit.
	ErrTooLarge = errors.New("too large")
	// ErrUnsupported: the scheme, or this use of it, is not supported.
	ErrUnsupported = errors.New("not supported")
	// ErrNoScheme: the scheme is not registered. It is ErrUnsupported.
	ErrNoScheme error = kind{"unknown scheme", ErrUnsupported}
)

// kind is an error that is also another one, by errors.Is.
type kind struct {
	text string
	is   error
}

func (k kind) Error() string        { return k.text }
func (k kind) Is(target error) bool { return target == k.is }

// HintError is an error with advice for the user.
type HintError struct {
	Err  error
	Hint string // a sentence without its full stop: "--cwd none asks for the whole path at once"
}

// Hint adds advice to err.
func Hint(err error, hint string) error { return &HintError{Err: err, Hint: hint} }

func (e *HintError) Error() string { return e.Err.Error() + " (" + e.Hint + ")" }
func (e *HintError) Unwrap() error { return e.Err }

// LaterError is a temporary failure with a time to wait, as the server said.
type LaterError struct {
	Err   error
	After time.Duration // from the response; never negative
}

func (e *LaterError) Error() string { return e.Err.Error() }
func (e *LaterError) Unwrap() error { return e.Err }

// Unreachable wraps err in ErrUnreachable. It returns a timeout as it is, and an error that
// is ErrUnreachable already.
func Unreachable(err error) error {
	if errors.Is(err, ErrUnreachable) {
		return err
	}
	return unlessTimeout(err, ErrUnreachable)
}

// Broken wraps err, a failure of a connection, in ErrProtocol. It returns a timeout as it
// is, and net.ErrClosed, which means that this side closed the connection.
func Broken(err error) error { return unlessTimeout(err, ErrProtocol) }

func unlessTimeout(err, kind error) error {
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() || errors.Is(err, net.ErrClosed) {
		return err
	}
	return fmt.Errorf("%w: %w", kind, err)
}
