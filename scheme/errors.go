package scheme

import (
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// What access can come to: the errors of openers wrap one of these, so that a
// program acts on the kind and not on the words.
var (
	// ErrNotFound: the server says there is no such thing. It is fs.ErrNotExist.
	ErrNotFound error = kind{"not found", fs.ErrNotExist}
	// ErrAuth: the server wants a login, or refused the one it got. It is
	// fs.ErrPermission.
	ErrAuth error = kind{"not permitted", fs.ErrPermission}
	// ErrUnreachable: no connection came about.
	ErrUnreachable = errors.New("unreachable")
	// ErrProtocol: what the server said is not what its protocol allows, or it
	// stopped in the middle.
	ErrProtocol = errors.New("protocol error")
	// ErrTooLarge: more than the limit.
	ErrTooLarge = errors.New("too large")
	// ErrUnsupported: the scheme, or this use of it, can't be accessed here.
	ErrUnsupported = errors.New("not supported")
	// ErrNoScheme: nobody registered the scheme. It is ErrUnsupported.
	ErrNoScheme error = kind{"unknown scheme", ErrUnsupported}
)

// kind is an error that is also another, older one.
type kind struct {
	text string
	is   error
}

func (k kind) Error() string        { return k.text }
func (k kind) Is(target error) bool { return target == k.is }

// HintError is an error with advice to the person who meets it.
type HintError struct {
	Err  error
	Hint string // a sentence without its full stop: "--cwd none asks for the whole path at once"
}

// Hint adds advice to err.
func Hint(err error, hint string) error { return &HintError{Err: err, Hint: hint} }

func (e *HintError) Error() string { return e.Err.Error() + " (" + e.Hint + ")" }
func (e *HintError) Unwrap() error { return e.Err }

// LaterError is a failure of which the server says when it may have passed.
type LaterError struct {
	Err   error
	After time.Duration // from when the server said so; never negative
}

func (e *LaterError) Error() string { return e.Err.Error() }
func (e *LaterError) Unwrap() error { return e.Err }

// Unreachable says that no connection came about. A time-out stays what it is.
func Unreachable(err error) error { return unlessTimeout(err, ErrUnreachable) }

// Broken says that a connection broke. A time-out stays what it is.
func Broken(err error) error { return unlessTimeout(err, ErrProtocol) }

func unlessTimeout(err, kind error) error {
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return err
	}
	return fmt.Errorf("%w: %w", kind, err)
}
