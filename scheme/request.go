package scheme

import (
	"context"
	"net"
	"time"

	"github.com/locus-url/locus"
)

// Cookies has cookies and decides to which servers they are sent (RFC 6265). Its methods
// may be called concurrently.
type Cookies interface {
	// Header returns the value of the field Cookie of a request for u; empty if none.
	Header(u locus.URL) string
	// Set keeps cookies of a response from u: the values of its fields Set-Cookie.
	Set(u locus.URL, fields []string)
}

// Request is the request to an [Opener] for one URL.
type Request struct {
	URL locus.URL

	// Dial is the only access to the network, and applies the policy. It is comparable.
	// An opener that keeps idle connections keeps them by Dial, because another dialer
	// may not be allowed to make them.
	Dial Dialer

	// Ask is called for a user and password when a server wants them. nil: none is
	// sent.
	Ask AskFunc

	// Fill is called to fill in a form when the server wants that first. nil: the
	// result is a Menu with the form.
	Fill FillFunc

	// Accept and AcceptLanguage are the preferred media types and languages, as in the
	// header fields of that name (RFC 9110 sections 12.5.1 and 12.5.4). Empty: no
	// preference. A choice in the URL itself takes precedence.
	Accept, AcceptLanguage string

	// Header has fields for a request that has a header, as in HTTP, such as User-Agent.
	// Those that the opener itself needs take precedence. It must not be changed.
	Header map[string][]string

	// Cookies are the cookies of a chain of redirects. An opener of HTTP sends them, and
	// keeps those of each response there. nil: cookies are neither sent nor kept.
	Cookies Cookies

	// Like are documents that the results of a search should resemble: the relevance
	// feedback of WAIS.
	Like []locus.URL

	// Items chooses among the numbered items of a menu: the articles of a newsgroup, or
	// the results of a search, of which the best is number 1.
	Items ItemRange

	// Within opens the document that contains the URL, for a scheme whose URLs have a
	// meaning only there. nil: the document is unknown.
	Within func(ctx context.Context) (Resource, error)

	// Refer returns the dialer for a URL that a server refers to during a request, such
	// as one with the rest of a directory. The error is a denial by the policy. nil:
	// Dial.
	RedirectDialer func(to locus.URL) (Dialer, error)

	// Limit is the most bytes to read of an object; 0 means no limit. Reading a longer one
	// fails with ErrTooLarge.
	Limit int64

	// Offset asks for the object from this byte on, to resume a transfer. Object.Start
	// says whether the server did.
	Offset int64
	// Tag and ModTime are those of the object in the earlier transfer. An opener that
	// can tell that the object has changed starts from 0.
	Tag     string
	ModTime time.Time

	// Probe asks only whether the resource exists. An opener with a cheaper way to know
	// uses it, and returns a resource without body or items. Otherwise it opens the URL
	// normally. The errors are the same.
	Probe bool

	// At is the time for which an archive looks. The zero Time selects the time of its own
	// options. Servers do not get it.
	At time.Time

	// More says that other URLs of the same server follow. An opener may prepare for them.
	More bool

	// Listed is what a menu of the same server says of the object. Where its menus are
	// exact, an opener may use its Size and ModTime instead of asking for them. nil: unknown.
	Listed *Item

	// Source asks for Menu.Source, which needs memory.
	Source bool

	// Trace is called for each line that is sent and received, without passwords. nil:
	// it is not called.
	Trace TraceFunc

	// Record keeps the conversation. nil: it is not kept.
	Record Recorder
}

// Referred returns the dialer for a URL that a server refers to: see Refer.
func (r *Request) DialerFor(to locus.URL) (Dialer, error) {
	if r.RedirectDialer == nil {
		return r.Dial, nil
	}
	return r.RedirectDialer(to)
}

// ItemRange chooses items by their numbers. The zero ItemRange selects the newest items,
// up to the scheme's default.
type ItemRange struct {
	First, Last int64 // 0: no bound
	Newest      int64 // how many, counted from the newest; 0: the scheme's default
}

// Traced calls Trace, if it is not nil.
func (r *Request) Traced(sent bool, line string) {
	if r.Trace != nil {
		r.Trace(sent, line)
	}
}

// TraceFunc is called for a line of a conversation that was sent or received. The line is
// as on the wire, without its end and with "***" for a password. It is not safe for a
// terminal.
type TraceFunc func(sent bool, line string)

// Dialer opens connections. Addresses are host:port as in package net. A Dialer
// is comparable, like a pointer is.
type Dialer interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// DataDialer is a Dialer that can also open what belongs to a connection it made:
// FTP's data connections, whose ports the server chooses. It connects only to the host
// that control is connected to.
type DataDialer interface {
	Dialer
	// DialData connects to the port on the remote host of control.
	DialData(ctx context.Context, control net.Conn, port uint16) (net.Conn, error)
	// ListenData listens on the local address of control for one connection from its
	// remote host. Accept refuses other hosts.
	ListenData(ctx context.Context, control net.Conn) (net.Listener, error)
}

// PacketDialer is a Dialer for datagrams whose host may answer from another port, which a
// connected socket does not receive.
type PacketDialer interface {
	Dialer
	// DialPacket returns a connection for network "udp", "udp4" or "udp6" that sends
	// to address, and receives what its host sends from the port there or from one
	// of ports. A datagram that can't be delivered may end a later Read in an error.
	DialPacket(ctx context.Context, network, address string, ports ...uint16) (net.Conn, error)
}

// DialPacket opens a connection for datagrams with the method of [PacketDialer], if d has
// it. Otherwise the connection receives only from the port in address.
func DialPacket(ctx context.Context, d Dialer, network, address string, ports ...uint16) (net.Conn, error) {
	if p, ok := d.(PacketDialer); ok {
		return p.DialPacket(ctx, network, address, ports...)
	}
	return d.DialContext(ctx, network, address)
}

// ReservedDialer is a Dialer that can also connect from a reserved port, which rlogin
// servers take as proof of the user's identity (RFC 1282).
type ReservedDialer interface {
	Dialer
	// DialReserved connects from a port of 512 to 1023, or from any port where that is
	// not permitted: see the connection's LocalAddr.
	DialReserved(ctx context.Context, network, address string) (net.Conn, error)
}

// UrgentConn is a connection that reports the urgent data of TCP (RFC 9293 section 3.8.5)
// where the system supports that.
type UrgentConn interface {
	net.Conn
	// ReadUrgent is Read; urgent reports that the first byte is urgent data.
	ReadUrgent(p []byte) (n int, urgent bool, err error)
}

// Question asks for the login to a server.
type Question struct {
	URL     locus.URL // to be opened; scheme, host and port matter
	Realm   string    // what the server says the login is for; not safe for a terminal
	User    string    // the user that is already known, or empty
	Attempt int       // 0 at first, then the number of logins that were refused

	// From is the first URL if a redirect led to URL; otherwise zero. The
	// function should compare host and port: a login for a host is not for every port
	// that a server redirects to.
	From locus.URL
}

// Credentials answer a Question.
type Credentials struct{ User, Password string }

// AskFunc answers questions. ok is false if there is no answer.
type AskFunc func(ctx context.Context, q Question) (c Credentials, ok bool, err error)
