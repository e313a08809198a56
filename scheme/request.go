package scheme

import (
	"context"
	"net"
	"time"

	"github.com/locus-url/locus"
)

// Cookies stores cookies and decides which servers receive them (RFC 6265). Its methods may
// be called concurrently.
type Cookies interface {
	// Header returns the value of the Cookie header field for a request for u, or "".
	Header(u locus.URL) string
	// Set stores the cookies of a response from u. The parameter fields holds the values
	// of the response's Set-Cookie header fields.
	Set(u locus.URL, fields []string)
}

// Request is the request to an [Opener] for one URL.
type Request struct {
	URL locus.URL

	// Dial is the only access to the network, and applies the policy. It is comparable. An
	// opener must reuse an idle connection only for requests with the same Dial, because
	// another Dial may deny the connection.
	Dial Dialer

	// Ask is called for a user and password if a server requires them. If nil, the opener
	// sends none.
	Ask AskFunc

	// Fill is called to fill in a form that the server requires first. If nil, the opener
	// returns a Menu with the form.
	Fill FillFunc

	// Accept and AcceptLanguage are the preferred media types and languages, as in the HTTP
	// header fields (RFC 9110 sections 12.5.1 and 12.5.4). Empty means no preference. A
	// choice in the URL itself takes precedence.
	Accept, AcceptLanguage string

	// Header holds header fields for protocols with a request header, such as User-Agent
	// for HTTP. Fields that the opener itself sets take precedence. The opener must not
	// change Header.
	Header map[string][]string

	// Cookies holds the cookies of a chain of redirects. An HTTP opener sends them,
	// and stores the cookies of each response in it. If nil, the opener neither sends
	// nor stores cookies.
	Cookies Cookies

	// Like holds documents that the results of a search should resemble: the relevance
	// feedback of WAIS.
	Like []locus.URL

	// Items selects numbered items of a menu: articles of a newsgroup, or results of a
	// search. Result 1 is the best.
	Items ItemRange

	// Within opens the document that contains the URL, for a scheme whose URLs are
	// meaningful only there. It is nil if the document is unknown.
	Within func(ctx context.Context) (Resource, error)

	// RedirectDialer returns the dialer for a URL to which a server refers during a
	// request, such as a URL with the rest of a directory. It returns an error if the
	// policy denies the URL. If RedirectDialer is nil, the opener uses Dial: see
	// [Request.DialerFor].
	RedirectDialer func(to locus.URL) (Dialer, error)

	// Limit is the maximum size of an object in bytes. Reading a longer object fails with
	// ErrTooLarge. Zero means no limit.
	Limit int64

	// Offset requests the object from this byte on, to resume a transfer. Object.Start
	// reports whether the server did.
	Offset int64
	// Tag and ModTime describe the object in the earlier transfer. If an opener can detect
	// that the object has changed, it must start at offset 0.
	Tag     string
	ModTime time.Time

	// Probe requests only whether the resource exists. If an opener can check more
	// cheaply that the resource exists, it returns a resource without body or items.
	// Otherwise it opens the URL normally. The errors must be the same.
	Probe bool

	// At is the time for which an archive selects a capture. The zero Time selects the
	// default of the archive. Openers must not send it to servers.
	At time.Time

	// More means that the caller will request other URLs of the same server, so that
	// an opener may prepare for them.
	More bool

	// Listed is the item for the object in a menu of the same server, or nil. If the menus
	// of a scheme are exact, an opener may use its Size and ModTime instead of requesting
	// them.
	Listed *Item

	// Source requests Menu.Source, which the opener must buffer in memory.
	Source bool

	// Trace, if not nil, is called for each line that the opener sends or
	// receives, without passwords.
	Trace TraceFunc

	// Record, if not nil, records the exchange with the server.
	Record Recorder
}

// DialerFor returns the dialer for a URL to which a server refers. It calls RedirectDialer;
// if that is nil, it returns Dial.
func (r *Request) DialerFor(to locus.URL) (Dialer, error) {
	if r.RedirectDialer == nil {
		return r.Dial, nil
	}
	return r.RedirectDialer(to)
}

// ItemRange selects items by number. The zero ItemRange selects the newest items, up to the
// scheme's default.
type ItemRange struct {
	First, Last int64 // first and last number; 0 means no bound
	Newest      int64 // the number of newest items; 0 means the scheme's default
}

// Traced calls Trace, if it is not nil.
func (r *Request) Traced(sent bool, line string) {
	if r.Trace != nil {
		r.Trace(sent, line)
	}
}

// TraceFunc is called for a line that the opener sent or received. The line is as on the
// wire, without its end and with "***" for a password. It is not safe for a terminal.
type TraceFunc func(sent bool, line string)

// Dialer opens connections. Addresses are host:port, as in package net. The dynamic type of
// a Dialer must be comparable, such as a pointer.
type Dialer interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// DataDialer is a Dialer that can also open the data connections of FTP, whose ports the
// server chooses. It must connect only to the remote host of control, a connection that
// it opened.
type DataDialer interface {
	Dialer
	// DialData connects to the port on the remote host of control.
	DialData(ctx context.Context, control net.Conn, port uint16) (net.Conn, error)
	// ListenData listens on the local address of control for one connection from its
	// remote host. The listener must reject other hosts.
	ListenData(ctx context.Context, control net.Conn) (net.Listener, error)
}

// PacketDialer is a Dialer for datagrams. It supports hosts that reply from another port,
// which a connected socket does not receive.
type PacketDialer interface {
	Dialer
	// DialPacket returns a connection for network "udp", "udp4" or "udp6" that sends to
	// address. It receives datagrams from that host, if they come from the port in
	// address or from a port in ports. After a datagram could not be delivered, a later
	// Read may return an error.
	DialPacket(ctx context.Context, network, address string, ports ...uint16) (net.Conn, error)
}

// DialPacket opens a connection for datagrams. If d is a [PacketDialer], it calls the
// method DialPacket of d. Otherwise the connection receives only from the port in
// address.
func DialPacket(ctx context.Context, d Dialer, network, address string, ports ...uint16) (net.Conn, error) {
	if p, ok := d.(PacketDialer); ok {
		return p.DialPacket(ctx, network, address, ports...)
	}
	return d.DialContext(ctx, network, address)
}

// ReservedDialer is a Dialer that can also connect from a reserved port, which rlogin
// servers accept as proof of the user's identity (RFC 1282).
type ReservedDialer interface {
	Dialer
	// DialReserved connects from a port between 512 and 1023. If the system does not
	// permit that, it connects from any port: see the connection's LocalAddr.
	DialReserved(ctx context.Context, network, address string) (net.Conn, error)
}

// UrgentConn is a connection that reports the urgent data of TCP (RFC 9293 section
// 3.8.5), if the system supports that.
type UrgentConn interface {
	net.Conn
	// ReadUrgent is like Read. The result urgent reports whether the first byte is urgent data.
	ReadUrgent(p []byte) (n int, urgent bool, err error)
}

// Question is a prompt for the login to a server.
type Question struct {
	URL     locus.URL // the URL to open; only its scheme, host and port matter
	Realm   string    // the server's description of the login; not safe for a terminal
	User    string    // the known user; empty if none
	Attempt int       // number of logins that the server has rejected

	// From is the first URL if a redirect led to URL, otherwise zero. The function should
	// compare host and port, because the login for a host may not apply to every port to
	// which a server redirects.
	From locus.URL
}

// Credentials are the answer to a Question.
type Credentials struct{ User, Password string }

// AskFunc answers questions. If it has no login, it must return ok false.
type AskFunc func(ctx context.Context, q Question) (c Credentials, ok bool, err error)
