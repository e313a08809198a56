package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	// headTime is how long a client may take for the head of a request.
	headTime = 10 * time.Second
	// idleTime is how long a connection may wait for its next request.
	idleTime = 60 * time.Second
)

// Server serves a [Gateway] to the network. It is one for clients that may mean
// harm: each has so long for what it sends, there are so many connections and no
// more, and what could be read in two ways is refused.
type Server struct {
	gateway *Gateway
	http    *http.Server
}

// NewServer returns a server of g.
func NewServer(g *Gateway) *Server {
	s := &Server{gateway: g}
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serve),
		ReadHeaderTimeout: headTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHead,
		// What net/http says of clients is in their words, and the log has the
		// requests.
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo),
		// A client of this server speaks HTTP/1: proxies are asked in that.
		Protocols: new(http.Protocols),
		ConnState: func(c net.Conn, state http.ConnState) {
			if placed, ok := c.(*placedConn); ok {
				placed.half.update(func(h *halfClose) { h.active = state == http.StateActive })
			}
		},
	}
	s.http.Protocols.SetHTTP1(true)
	return s
}

// serve has the connection closed after a request that could have been, and was
// not, taken over: the guard looks at nothing behind it.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect || r.Header.Get("Upgrade") != "" {
		w = &closing{ResponseWriter: w}
	}
	s.gateway.ServeHTTP(w, r)
}

// closing is a ResponseWriter whose answer is the last on its connection, unless it
// is 101.
type closing struct{ http.ResponseWriter }

func (c *closing) WriteHeader(status int) {
	if status != http.StatusSwitchingProtocols {
		c.Header().Set("Connection", "close")
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *closing) Write(p []byte) (int, error) {
	if c.Header().Get("Connection") == "" {
		c.Header().Set("Connection", "close")
	}
	return c.ResponseWriter.Write(p)
}

func (c *closing) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// Serve answers what comes to l until [Server.Shutdown], and then returns nil.
func (s *Server) Serve(l net.Listener) error {
	err := s.http.Serve(&guardListener{
		Listener: l,
		places:   make(chan struct{}, s.gateway.limiter.limits.Connections),
		closed:   make(chan struct{}),
	})
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Shutdown takes no more requests and waits for those under way. When ctx ends
// before that they are broken off.
func (s *Server) Shutdown(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if err != nil {
		s.http.Close()
	}
	s.gateway.hangUp()
	return errors.Join(err, s.gateway.Close())
}

// guardListener accepts so many connections at once.
type guardListener struct {
	net.Listener
	places chan struct{}
	closed chan struct{}
	once   sync.Once
}

func (l *guardListener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &placedConn{guardConn: guardConn{Conn: c}, places: l.places}, nil
}

func (l *guardListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// placedConn gives its place back when it is closed.
type placedConn struct {
	guardConn
	once   sync.Once
	places chan struct{}
}

func (c *placedConn) Close() error {
	c.once.Do(func() { <-c.places })
	return c.guardConn.Close()
}
