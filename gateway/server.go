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
	// headTime is how long a client may take to send the head of a request.
	headTime = 10 * time.Second
	// idleTime is how long a connection may be idle.
	idleTime = 60 * time.Second
)

// Server serves a [Gateway] to untrusted clients: with deadlines, a limit of
// connections, and a guard that refuses ambiguous requests.
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
		// Its messages quote clients unescaped.
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo),
		// The guard reads HTTP/1.
		Protocols: new(http.Protocols),
		ConnState: func(c net.Conn, state http.ConnState) {
			if limited, ok := c.(*limitedConn); ok {
				limited.half.update(func(h *halfClose) { h.active = state == http.StateActive })
			}
		},
	}
	s.http.Protocols.SetHTTP1(true)
	return s
}

// serve closes the connection after a request that could have hijacked it, and did not:
// the guard does not check what follows.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect || r.Header.Get("Upgrade") != "" {
		w = &closing{ResponseWriter: w}
	}
	s.gateway.ServeHTTP(w, r)
}

// closing is a ResponseWriter that closes the connection after the answer, unless that
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

// Serve serves the connections of l until [Server.Shutdown], and then returns nil.
func (s *Server) Serve(l net.Listener) error {
	err := s.http.Serve(&guardListener{
		Listener: l,
		slots:    make(chan struct{}, s.gateway.limiter.limits.Connections),
		closed:   make(chan struct{}),
	})
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Shutdown accepts no more requests and waits for those under way. When ctx ends, it
// breaks them off.
func (s *Server) Shutdown(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if err != nil {
		s.http.Close()
	}
	s.gateway.sessions.close()
	return errors.Join(err, s.gateway.Close())
}

// guardListener limits the number of open connections.
type guardListener struct {
	net.Listener
	slots  chan struct{}
	closed chan struct{}
	once   sync.Once
}

func (l *guardListener) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &limitedConn{guardConn: guardConn{Conn: c}, slots: l.slots}, nil
}

func (l *guardListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// limitedConn counts as open until it is closed.
type limitedConn struct {
	guardConn
	once  sync.Once
	slots chan struct{}
}

func (c *limitedConn) Close() error {
	c.once.Do(func() { <-c.slots })
	return c.guardConn.Close()
}
