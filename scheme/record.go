package scheme

import "net"

// Recorder records the exchange of an opener with a server for one request, in its wire
// format, with "***" for passwords. Its methods may be called concurrently.
type Recorder interface {
	// Connected reports a connection that the opener uses for the request. The name
	// distinguishes the connections of one request: it is empty, or names the purpose, such
	// as "data". The parameter remote is the server's address, or nil if unknown.
	Connected(name string, remote net.Addr)
	// Octets records bytes that the opener sent or received over a connection, in
	// order. On a datagram connection, p is one datagram. Octets must not retain p.
	Octets(name string, sent bool, p []byte)
	// Secret registers a text, such as a password, that the opener may send. The
	// Recorder must not record it, even if the server repeats it.
	Secret(text string)
	// Exchange begins an HTTP request.
	Exchange() Exchange
}

// Exchange records an HTTP request and its response. Its methods are called by one
// goroutine at a time.
type Exchange interface {
	// Connected reports the address of the server.
	Connected(remote net.Addr)
	// Request records the header of the request, with the empty line after it. The
	// parameter masked lists the fields whose values the opener removed.
	Request(header []byte, masked []string)
	// Response records the header of the final response. The parameter masked has the same
	// meaning as in Request.
	Response(header []byte, masked []string)
	// Body records bytes of the body as they are transferred.
	Body(p []byte)
	// Reset restarts the exchange after it failed on a reused connection.
	Reset()
	// Repeated reports that the client replaces this request with another, so that this
	// response is not the response for the URL.
	Repeated()
	// End ends the exchange. If the client received the whole response, err is nil.
	// Otherwise err is the reason, such as [ErrTooLarge]. Later calls have no effect.
	End(err error)
}

// Recorded returns conn, or a connection that also passes its bytes to r.Record, under a
// name as in [Recorder]. An opener must use it only for data without passwords, and above
// TLS.
func (r *Request) Recorded(conn net.Conn, name string) net.Conn {
	if r.Record == nil {
		return conn
	}
	r.Record.Connected(name, ServerAddr(conn))
	return &recordedConn{conn, r.Record, name}
}

type recordedConn struct {
	net.Conn
	record Recorder
	name   string
}

func (c *recordedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.record.Octets(c.name, false, p[:n])
	}
	return n, err
}

func (c *recordedConn) Write(p []byte) (int, error) {
	// The client may read the response before Write returns.
	c.record.Octets(c.name, true, p)
	return c.Conn.Write(p)
}

// NetConn returns the connection itself.
func (c *recordedConn) NetConn() net.Conn { return c.Conn }

// ServerAddr returns the address at the other end of conn. If that is a proxy, ServerAddr
// returns nil, because the address is not the server's.
func ServerAddr(conn net.Conn) net.Addr {
	for inner := conn; ; {
		if t, ok := inner.(interface{ Tunnelled() bool }); ok && t.Tunnelled() {
			return nil
		}
		w, ok := inner.(interface{ NetConn() net.Conn })
		if !ok {
			return conn.RemoteAddr()
		}
		inner = w.NetConn()
	}
}
