package ardp

import (
	"errors"
	"fmt"
)

// Errors of an exchange, besides those of its context and of the network.
var (
	// ErrNoReply: the server does not answer, or stopped in the middle. It has a
	// Timeout method that reports true. The message says how far it came.
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

// noReplyError is ErrNoReply with what happened until then.
type noReplyError struct {
	sent     int // transmissions
	heard    bool
	received int // packets
	total    int // 0: not known
	asked    Progress
}

func (e *noReplyError) Error() string { return fmt.Sprintf("%v: %s", ErrNoReply, e.story()) }

func (e *noReplyError) story() string {
	switch {
	case !e.heard:
		return fmt.Sprintf("nothing came in answer to %d transmissions", e.sent)
	case e.received == 0 && e.asked.Wait != 0:
		return fmt.Sprintf("the server answered %q, then sent no reply to %d transmissions", e.asked.String(), e.sent)
	case e.received == 0:
		return "the server answered, but sent no packet of the reply"
	case e.total == 0:
		return fmt.Sprintf("the server sent %d packets and then was silent", e.received)
	}
	return fmt.Sprintf("the server sent %d of %d packets and then was silent", e.received, e.total)
}

func (e *noReplyError) Is(target error) bool { return target == ErrNoReply }
func (e *noReplyError) Timeout() bool        { return true }
