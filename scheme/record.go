package scheme

import "net"

// Recorder keeps what an opener exchanges with a server for one request, as it is on the
// wire but for passwords, which are "***". Its methods may be called concurrently.
type Recorder interface {
	// Connected tells that a connection is used. name distinguishes those of one request:
	// it is empty, or says what the connection is for, such as "data". remote is the
	// server's address; nil if unknown.
	Connected(name string, remote net.Addr)
	// Octets keeps what was sent or received over a connection, in that order. On a
	// connection of datagrams it is one of them. It does not keep p itself.
	Octets(name string, sent bool, p []byte)
	// Secret tells a text that may be sent, such as a password, and must not be kept where
	// the server repeats it.
	Secret(text string)
	// Exchange begins a request of HTTP.
	Exchange() Exchange
}

// Exchange keeps a request of HTTP and its response. Its methods are called by one
// goroutine at a time.
type Exchange interface {
	// Connected tells the address of the server.
	Connected(remote net.Addr)
	// Request keeps the header of the request, with the empty line after it. masked are
	// the names of fields without their values.
	Request(header []byte, masked []string)
	// Response keeps the header of the final response, as Request.
	Response(header []byte, masked []string)
	// Body keeps bytes of the body as they are transferred.
	Body(p []byte)
	// Reset begins the exchange again, because it failed on a kept connection.
	Reset()
	// Repeated tells that the client sends another request in place of this one, so that
	// this response is not the one for the URL.
	Repeated()
	// End ends the exchange. err is nil if the response was received whole. Otherwise it
	// is the reason, such as [ErrTooLarge]. Later calls have no effect.
	End(err error)
}

// Recorded returns conn, or a connection that also passes its bytes to r.Record, under a
// name as in [Recorder]. An opener uses it for what it sends without passwords, and above
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
	// The response may be read before Write returns.
	c.record.Octets(c.name, true, p)
	return c.Conn.Write(p)
}

// NetConn returns the connection itself.
func (c *recordedConn) NetConn() net.Conn { return c.Conn }

// ServerAddr returns the address at the other end of conn, or nil if that is a proxy, whose
// address must not be taken for the server's.
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
