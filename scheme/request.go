package scheme

import (
	"context"
	"net"
	"time"

	"github.com/locus-url/locus"
)

// Request is one dereference, as an [Opener] is asked for it.
type Request struct {
	URL locus.URL

	// Dial is the only door to the network, and checks where it leads. Connections
	// that are kept for later must be kept apart by Dial, which is comparable:
	// what one door let through, another might not.
	Dial Dialer

	// Ask is asked for a user and password when a server wants them. nil: there
	// is nobody to ask.
	Ask AskFunc

	// Limit is the most octets to read of an object; 0: no limit. One that is
	// longer ends in ErrTooLarge, not short.
	Limit int64

	// Offset asks for the object from this octet on, to go on with a part that
	// is there. Object.Start tells whether that was granted.
	Offset int64
	// Tag and ModTime are those of the object that the part came from. An opener
	// that can tell that the object has changed since starts again from 0.
	Tag     string
	ModTime time.Time

	// Trace is told of each line that is sent and received, without passwords.
	// nil: nobody listens.
	Trace TraceFunc
}

// Traced calls Trace if there is one.
func (r *Request) Traced(sent bool, line string) {
	if r.Trace != nil {
		r.Trace(sent, line)
	}
}

// TraceFunc is told of a line of a conversation; sent: from us, else to us. The
// line is as it went over the wire, without its end, and with "***" for a
// password; it is not safe for a terminal.
type TraceFunc func(sent bool, line string)

// Dialer opens connections. Addresses are host:port as in package net. A Dialer
// is comparable, like a pointer is.
type Dialer interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// DataDialer is a Dialer that can also open what belongs to a connection it made:
// FTP's data connections, whose ports the server picks. It connects only to the
// host that control is connected to.
type DataDialer interface {
	Dialer
	// DialData connects to the port on the host at the far end of control.
	DialData(ctx context.Context, control net.Conn, port uint16) (net.Conn, error)
	// ListenData waits on the near address of control for one connection from the
	// host at its far end, which the listener's Accept makes sure of.
	ListenData(ctx context.Context, control net.Conn) (net.Listener, error)
}

// Question asks for the login to a server.
type Question struct {
	URL     locus.URL // what is to be opened; the scheme, host and port matter
	Realm   string    // what the server says the login is for; not safe for a terminal
	User    string    // the user that is already known, or empty
	Attempt int       // 0 at first, then the number of logins that were refused
}

// Credentials answer a Question.
type Credentials struct{ User, Password string }

// AskFunc answers questions. ok is false if there is no answer.
type AskFunc func(ctx context.Context, q Question) (c Credentials, ok bool, err error)
