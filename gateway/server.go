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
	// headTime is how long a client may take to send a request header.
	headTime = 10 * time.Second
	// idleTime is how long a connection may be idle.
	idleTime = 60 * time.Second
)

// Server serves a [Gateway] to untrusted clients. It has deadlines, limits the number of
// connections, and rejects ambiguous requests.
type Server struct {
	gateway *Gateway
	http    *http.Server
}

// NewServer returns a server for g.
func NewServer(g *Gateway) *Server {
	s := &Server{gateway: g}
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serve),
		ReadHeaderTimeout: headTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHead,
		// net/http logs client input unescaped.
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo),
		// The guard parses only HTTP/1.
		Protocols:   new(http.Protocols),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
	}
	s.http.Protocols.SetHTTP1(true)
	return s
}

// connKey is the key of the guardConn in the context of a request.
type connKey struct{}

// serve replaces the context of a request. Package net/http cancels that context when the
// client closes its side of the connection, although the client may still wait for the
// response. After a request that the guard treats as the last one, serve closes the
// connection.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	if c, ok := r.Context().Value(connKey{}).(*guardConn); ok {
		defer context.AfterFunc(c.ctx, cancel)()
	}
	if r.Method == http.MethodConnect || r.Header.Get("Upgrade") != "" || r.TransferEncoding != nil {
		w = &closing{ResponseWriter: w}
	}
	s.gateway.ServeHTTP(w, r.WithContext(ctx))
}

// closing is a ResponseWriter that closes the connection after the response, unless its
// status is 101.
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

// Serve serves the connections of l until the caller calls [Server.Shutdown]. Then it
// returns nil.
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

// Shutdown stops accepting requests and waits for running ones. When ctx ends, it aborts
// them.
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
	ctx, cancel := context.WithCancel(context.Background())
	return &guardConn{Conn: c, release: sync.OnceFunc(func() { <-l.slots }), ctx: ctx, cancel: cancel}, nil
}

func (l *guardListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}
