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

	// Dial opens all network connections of the opener, and applies the policy. Values of Dial
	// are comparable with ==. An opener must reuse an idle connection only for requests with
	// the same Dial, because another Dial may deny the connection.
	Dial Dialer

	// Ask returns the user and password for a server that requires a login. If Ask is nil, the
	// opener sends neither.
	Ask AskFunc

	// Fill fills in a form that the server requires before it returns the resource. If Fill is
	// nil, the opener returns a Menu with the form.
	Fill FillFunc

	// Accept and AcceptLanguage are the preferred media types and languages, as in the HTTP
	// header fields (RFC 9110 sections 12.5.1 and 12.5.4). An empty string means no
	// preference. A media type or language in the URL itself takes precedence.
	Accept, AcceptLanguage string

	// Header holds header fields for protocols with a request header, such as User-Agent
	// for HTTP. Fields that the opener itself sets take precedence. The opener must not
	// change Header.
	Header map[string][]string

	// Cookies stores the cookies of a chain of redirects. An HTTP opener sends these cookies,
	// and stores the cookies of each response. If Cookies is nil, the opener neither sends nor
	// stores cookies.
	Cookies Cookies

	// Like lists documents that the search results should resemble (the relevance feedback of
	// WAIS).
	Like []locus.URL

	// Items selects items of a menu by number, such as articles of a newsgroup or results of a
	// search. The best search result is number 1.
	Items ItemRange

	// Within opens the document that contains the URL. Some URLs, such as cid URLs, have a
	// meaning only inside a document. Within is nil if the document is unknown.
	Within func(ctx context.Context) (Resource, error)

	// RedirectDialer returns the dialer for another URL that the opener must open for the same
	// request, because the server refers to it. If the policy denies the URL, RedirectDialer
	// returns an error. If RedirectDialer is nil, the opener uses Dial (see
	// [Request.DialerFor]).
	RedirectDialer func(target locus.URL) (Dialer, error)

	// Limit is the maximum size of an object in bytes. Reading a longer object fails with
	// ErrTooLarge. Zero means no limit.
	Limit int64

	// Offset is the offset of the first byte to transfer, to resume an earlier transfer.
	// Object.Start reports the offset at which the server really started.
	Offset int64
	// Tag and ModTime describe the object as it was during the earlier transfer. If an opener
	// can detect that the object has changed since, it must start at offset 0.
	Tag     string
	ModTime time.Time

	// Probe means that the caller only needs to know whether the resource exists. If an opener
	// has a cheaper request for this check, it returns a resource without a body or items.
	// Otherwise it opens the URL normally. The errors must be the same in both cases.
	Probe bool

	// At is the time for which an archive selects a capture. The zero Time selects the
	// archive's default. Openers must not send this time to servers.
	At time.Time

	// More means that the caller will request more URLs from the same server, so that an
	// opener may prepare for these requests.
	More bool

	// Listed is the item that describes the object in a menu of the same server. It is nil if
	// unknown. If the menus of a scheme are exact, an opener may use Listed.Size and
	// Listed.ModTime instead of requesting the size and time.
	Listed *Item

	// Source means that the caller needs Menu.Source, which the opener must then buffer in
	// memory.
	Source bool

	// Trace, if not nil, is called for each line that the opener sends or receives. The lines
	// contain no passwords.
	Trace TraceFunc

	// Record, if not nil, records the exchange with the server.
	Record Recorder
}

// DialerFor returns the dialer for a URL to which a server refers. It calls r.RedirectDialer.
// If r.RedirectDialer is nil, it returns r.Dial.
func (r *Request) DialerFor(target locus.URL) (Dialer, error) {
	if r.RedirectDialer == nil {
		return r.Dial, nil
	}
	return r.RedirectDialer(target)
}

// ItemRange selects items by number. The zero ItemRange selects the newest items, up to the
// scheme's default.
type ItemRange struct {
	First, Last int64 // the first and the last number; 0 means no bound
	Newest      int64 // the number of newest items; 0 means the scheme's default
}

// Traced calls Trace, if it is not nil.
func (r *Request) Traced(sent bool, line string) {
	if r.Trace != nil {
		r.Trace(sent, line)
	}
}

// TraceFunc is called for each line that the opener sends or receives. The parameter line has
// no line ending, and contains "***" instead of a password. It is not safe for a terminal.
type TraceFunc func(sent bool, line string)

// Dialer opens connections. Addresses are host:port, as in package net. The dynamic type of
// a Dialer must be comparable, such as a pointer.
type Dialer interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// DataDialer is a Dialer that can also open FTP data connections, whose ports the server
// chooses. The parameter control is the FTP control connection, which the same Dialer opened.
// A DataDialer must connect only to the remote host of the control connection.
type DataDialer interface {
	Dialer
	// DialData connects to the given port on the remote host of the control connection.
	DialData(ctx context.Context, control net.Conn, port uint16) (net.Conn, error)
	// ListenData listens on the local address of the control connection. The listener must
	// accept only one connection, and only from the remote host of the control connection.
	ListenData(ctx context.Context, control net.Conn) (net.Listener, error)
}

// PacketDialer is a Dialer for datagrams. It supports servers that reply from a different
// port. A connected socket does not receive such replies.
type PacketDialer interface {
	Dialer
	// DialPacket returns a connection that sends datagrams to address. The network must be
	// "udp", "udp4" or "udp6". The connection receives only datagrams from the same host, and
	// only from the port in address or from one of ports. If a datagram cannot be delivered, a
	// later Read may return an error.
	DialPacket(ctx context.Context, network, address string, ports ...uint16) (net.Conn, error)
}

// DialPacket opens a connection for datagrams. If d is a [PacketDialer], DialPacket calls
// d.DialPacket. Otherwise the connection receives only datagrams from the port in address.
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
	// DialReserved connects from a port between 512 and 1023. If the operating system does not
	// permit a reserved port, DialReserved connects from any port. The LocalAddr method of the
	// connection returns the port.
	DialReserved(ctx context.Context, network, address string) (net.Conn, error)
}

// UrgentConn is a connection that reports TCP urgent data (RFC 9293 section 3.8.5), if the
// operating system supports it.
type UrgentConn interface {
	net.Conn
	// ReadUrgent is like Read. The result urgent reports whether the first byte is urgent data.
	ReadUrgent(p []byte) (n int, urgent bool, err error)
}

// Question describes the login that a server requires.
type Question struct {
	URL     locus.URL // the URL to open, of which only the scheme, host and port matter
	Realm   string    // the server's description of the login; not safe for a terminal
	User    string    // the known user name; empty if unknown
	Attempt int       // number of logins that the server has rejected

	// From is the URL before all redirects. It is zero if the field URL is not the result of a
	// redirect. An AskFunc should compare both host and port, because a server may redirect to
	// another port of a host, for which the login is not meant.
	From locus.URL
}

// Credentials are the answer to a Question.
type Credentials struct{ User, Password string }

// AskFunc returns the login for a Question. If it has no login, ok must be false.
type AskFunc func(ctx context.Context, q Question) (c Credentials, ok bool, err error)
