package scheme

import "net"

// Recorder records the bytes that an opener and a server exchange for one request. Passwords
// are replaced by "***". Its methods may be called concurrently.
type Recorder interface {
	// Connected reports a connection that the opener uses for the request. The parameter name
	// distinguishes the connections of one request. It is empty, or is the purpose of the
	// connection, such as "data". The parameter remote is the server's address, or nil if
	// unknown.
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

// Exchange records an HTTP request and its response. Only one goroutine at a time may call its
// methods.
type Exchange interface {
	// Connected reports the address of the server.
	Connected(remote net.Addr)
	// Request records the request header, including the empty line at its end. The parameter
	// masked lists the fields whose values the opener removed.
	Request(header []byte, masked []string)
	// Response records the header of the final response, that is, not of a 1xx response. The
	// parameter masked has the same meaning as in Request.
	Response(header []byte, masked []string)
	// Body records a part of the response body, as it was transferred.
	Body(p []byte)
	// Reset discards the recorded exchange, because the opener repeats the request after a
	// reused connection failed.
	Reset()
	// Repeated reports that the opener will send another request for the URL, for example with
	// a password, so that this response is not the final one.
	Repeated()
	// End ends the exchange. If the client received the whole response, err is nil.
	// Otherwise err is the reason, such as [ErrTooLarge]. Later calls have no effect.
	End(err error)
}

// Recorded returns a connection that also passes its bytes to r.Record, under the given name
// (see [Recorder]). If r.Record is nil, Recorded returns conn. An opener must not send
// passwords over the returned connection. If the opener uses TLS, conn must be the TLS
// connection.
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

// NetConn returns the connection that c records.
func (c *recordedConn) NetConn() net.Conn { return c.Conn }

// ServerAddr returns the remote address of conn. If the connection goes through a proxy,
// ServerAddr returns nil, because the remote address is not the server's.
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
