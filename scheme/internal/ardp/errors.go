package ardp

import (
	"errors"
	"fmt"
)

// Errors that [Client.Do] returns, besides the errors of its context and of the network.
var (
	// ErrNoReply means that the server did not answer, or stopped during the reply. The error
	// message describes the progress until then. The error has a Timeout method that returns
	// true.
	ErrNoReply error = timeoutError("no reply")
	// ErrRefused means that the server rejected the request.
	ErrRefused = errors.New("the server refused the request")
	// ErrTooLarge means that a message exceeds the maximum number of packets or octets.
	ErrTooLarge = errors.New("the message exceeds a limit")
	// ErrDamaged means that the client dropped too many datagrams.
	ErrDamaged = errors.New("too many bad datagrams")
	// ErrRedirect means that the client rejected a redirect.
	ErrRedirect = errors.New("redirect not followed")
)

// These errors are the reasons for dropping datagrams, besides malformed headers.
var (
	errID     = errors.New("wrong connection id")
	errOption = errors.New("truncated option")
	errTotal  = errors.New("the packet count differs from an earlier packet")
)

type timeoutError string

func (e timeoutError) Error() string { return string(e) }
func (timeoutError) Timeout() bool   { return true }

// noReplyError wraps ErrNoReply and describes the progress of the exchange.
type noReplyError struct {
	sent     int // number of transmissions
	heard    bool
	received int // number of received packets
	total    int // number of packets in the reply; 0 if unknown
	lastWait Progress
}

func (e *noReplyError) Error() string {
	switch {
	case !e.heard:
		return fmt.Sprintf("no response to %d transmissions", e.sent)
	case e.received == 0 && e.lastWait.Wait != 0:
		return fmt.Sprintf("the server reported %q, then did not reply to %d transmissions", e.lastWait.String(), e.sent)
	case e.received == 0:
		return "the server acknowledged the request, but sent no reply"
	case e.total == 0:
		return fmt.Sprintf("the server sent %d packets and then stopped", e.received)
	}
	return fmt.Sprintf("the server sent %d of %d packets and then stopped", e.received, e.total)
}

func (e *noReplyError) Is(target error) bool { return target == ErrNoReply }
func (e *noReplyError) Timeout() bool        { return true }
