package ardp

import (
	"errors"
	"fmt"
)

// What an exchange can come to, besides the end of its context and what the network
// says.
var (
	// ErrNoReply: the server does not answer, or stopped in the middle. It has a
	// Timeout method that reports true.
	ErrNoReply error = timeoutError("ardp: no reply")
	// ErrRefused: the server refuses the request.
	ErrRefused = errors.New("ardp: the server refuses the request")
	// ErrTooLarge: more packets or octets than the limit.
	ErrTooLarge = errors.New("ardp: message too large")
	// ErrDamaged: too many datagrams were not what they should be.
	ErrDamaged = errors.New("ardp: too many bad datagrams")
	// ErrRedirect: the server sends us on to where we don't go.
	ErrRedirect = errors.New("ardp: redirect not followed")
)

// Why datagrams are dropped, besides their headers.
var (
	errID     = errors.New("not of this connection id")
	errOption = errors.New("its option is cut short")
	errTotal  = errors.New("its total contradicts others")
)

type timeoutError string

func (e timeoutError) Error() string { return string(e) }
func (timeoutError) Timeout() bool   { return true }

// noReplyError is ErrNoReply, and says how far it went.
type noReplyError struct {
	sent     int // transmissions
	heard    bool
	received int // packets
	total    int // 0: not known
}

func (e *noReplyError) Error() string {
	switch {
	case !e.heard:
		return fmt.Sprintf("%v: nothing came, though it was asked %d times", ErrNoReply, e.sent)
	case e.received == 0:
		return fmt.Sprintf("%v: the server is there, but sent none of it", ErrNoReply)
	case e.total == 0:
		return fmt.Sprintf("%v: %d packets came, and not the rest", ErrNoReply, e.received)
	}
	return fmt.Sprintf("%v: %d of %d packets came, and not the rest", ErrNoReply, e.received, e.total)
}

func (e *noReplyError) Is(target error) bool { return target == ErrNoReply }
func (e *noReplyError) Timeout() bool        { return true }
