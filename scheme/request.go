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

	// Fill is asked to fill in a form when the server wants that first. nil: there
	// is nobody to ask, and the form is what the open comes to, as a Menu.
	Fill FillFunc

	// Accept and AcceptLanguage say which media types and languages are wanted, and
	// which of them rather, where there is a choice: as in the header fields of that
	// name (RFC 9110 sections 12.5.1 and 12.5.4). Empty: what the server gives. What
	// the URL itself chooses goes before them.
	Accept, AcceptLanguage string

	// Like are documents that what a search finds should be like, for a scheme that
	// can ask for that: the relevance feedback of WAIS.
	Like []locus.URL

	// Items chooses among the items of a menu that is numbered: the articles of a
	// newsgroup, or the hits of a search, of which the best is number 1.
	Items ItemRange

	// Within opens the document in which the URL was found, for a scheme whose URLs
	// mean something there alone, as those of cid do. nil: it is not known.
	Within func(ctx context.Context) (Resource, error)

	// Refer returns the way to a URL that a server sends us to in the middle of an
	// exchange, such as one that has the rest of a directory. The error says that
	// the policy denies it. nil: Dial is the way.
	Refer func(to locus.URL) (Dialer, error)

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

	// Probe asks only whether what URL names is there. An opener that has a cheaper
	// way to know than to get it takes that: what it gives then tells what was learnt
	// on the way, and has no octets and no items. One that has none opens as ever. The
	// errors are the same.
	Probe bool

	// Trace is told of each line that is sent and received, without passwords.
	// nil: nobody listens.
	Trace TraceFunc
}

// Referred returns the way to a URL that a server refers to: see Refer.
func (r *Request) Referred(to locus.URL) (Dialer, error) {
	if r.Refer == nil {
		return r.Dial, nil
	}
	return r.Refer(to)
}

// ItemRange chooses items by their numbers. The zero ItemRange is as many as is
// sensible, the newest of them.
type ItemRange struct {
	First, Last int64 // from and to; 0: no bound
	Newest      int64 // the most, counted from the newest back; 0: no bound but for the sensible one
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

// PacketDialer is a Dialer that can also open a socket for datagrams whose host may
// answer from another of its ports, as a socket that is connected can't.
type PacketDialer interface {
	Dialer
	// DialPacket returns a connection for network "udp", "udp4" or "udp6" that sends
	// to address, and receives what its host sends from the port there or from one
	// of ports. A datagram that can't be delivered may end a later Read in an error.
	DialPacket(ctx context.Context, network, address string, ports ...uint16) (net.Conn, error)
}

// DialPacket opens a connection for datagrams as [PacketDialer] has it, if d is
// one; otherwise it receives from the one port alone.
func DialPacket(ctx context.Context, d Dialer, network, address string, ports ...uint16) (net.Conn, error) {
	if p, ok := d.(PacketDialer); ok {
		return p.DialPacket(ctx, network, address, ports...)
	}
	return d.DialContext(ctx, network, address)
}

// ReservedDialer is a Dialer that can also connect from a port that only the
// system's own programs may use, which rlogin's servers take for a proof of who
// somebody is (RFC 1282).
type ReservedDialer interface {
	Dialer
	// DialReserved connects from a port of 512 to 1023. Where that is not permitted
	// it connects from any, which the connection's LocalAddr tells.
	DialReserved(ctx context.Context, network, address string) (net.Conn, error)
}

// UrgentConn is a connection that tells where the urgent data of TCP is (RFC 9293
// section 3.8.5), if its system lets it.
type UrgentConn interface {
	net.Conn
	// ReadUrgent is Read; urgent reports that the first octet is urgent data.
	ReadUrgent(p []byte) (n int, urgent bool, err error)
}

// Question asks for the login to a server.
type Question struct {
	URL     locus.URL // what is to be opened; the scheme, host and port matter
	Realm   string    // what the server says the login is for; not safe for a terminal
	User    string    // the user that is already known, or empty
	Attempt int       // 0 at first, then the number of logins that were refused

	// From is the URL that was asked for, if a redirect or referral led from there to
	// URL; the zero URL: none did. A login that is known for a host is not for whatever
	// port of it a server names: who answers should look at host and port again.
	From locus.URL
}

// Credentials answer a Question.
type Credentials struct{ User, Password string }

// AskFunc answers questions. ok is false if there is no answer.
type AskFunc func(ctx context.Context, q Question) (c Credentials, ok bool, err error)
