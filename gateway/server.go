package gateway

import (
	"context"
	"errors"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/term"
)

const (
	// headTime is how long a client may take to send a request header.
	headTime = 10 * time.Second
	// idleTime is how long a connection may be idle.
	idleTime = 60 * time.Second
	// silentTime limits how long a new connection may stay silent after the server has stopped
	// accepting connections.
	silentTime = 2 * time.Second
)

// ServerOptions configures a [Server]. The zero ServerOptions selects the defaults.
type ServerOptions struct {
	// Middleware returns a handler that calls next, for example to add a login or a trace.
	// The handler also gets requests of proxy clients, such as CONNECT. If it passes
	// another ResponseWriter to next, that writer must have the method Unwrap of
	// [http.ResponseController]. If Middleware is nil, the server calls the gateway
	// directly.
	Middleware func(next http.Handler) http.Handler

	// ErrorLog receives panics and the errors that occur while the server accepts
	// connections. The server escapes control characters and masks passwords in these
	// messages. If ErrorLog is nil, the server discards the messages.
	ErrorLog *slog.Logger
}

// Server serves a [Gateway] to untrusted clients. It has deadlines, limits the number of
// connections, and rejects ambiguous requests.
type Server struct {
	http    *http.Server
	gateway atomic.Pointer[Gateway]
	slots   chan struct{} // contains a value for each open connection
	serving sync.WaitGroup

	mu        sync.Mutex
	stopped   bool // the server accepts no more listeners
	listeners []net.Listener
	busy      map[*guardConn]bool // new connections, and connections with a running request
	quiet     chan struct{}       // closed when busy is empty; nil while listeners may add to busy
}

// NewServer returns a server for the gateway g. If o is nil, NewServer uses the defaults.
func NewServer(g *Gateway, o *ServerOptions) *Server {
	if o == nil {
		o = &ServerOptions{}
	}
	s := &Server{slots: make(chan struct{}, g.limiter.limits.Connections), busy: make(map[*guardConn]bool)}
	s.gateway.Store(g)
	var handler http.Handler = http.HandlerFunc(s.serve)
	if o.Middleware != nil {
		handler = o.Middleware(handler)
	}
	s.http = &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHead,
		ErrorLog:          log.New(errorLog{o.ErrorLog}, "", 0),
		// The guard parses only HTTP/1.
		Protocols:   new(http.Protocols),
		ConnState:   s.connState,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
	}
	s.http.Protocols.SetHTTP1(true)
	return s
}

// errorLog writes the log lines of package net/http. These lines contain unescaped input of
// clients.
type errorLog struct{ to *slog.Logger }

func (l errorLog) Write(line []byte) (int, error) {
	if l.to != nil {
		l.to.Error(term.Text(locus.MaskText(strings.TrimSpace(string(line)))))
	}
	return len(line), nil
}

// Reload makes the server use the client c and the options o for new requests. Running
// requests, terminals and tunnels continue with the former client and options. Form
// tokens, counts for limits and metrics, message previews and open terminals remain
// valid. The caller may share a cache and an archive in o. If o is invalid, Reload
// returns an error and changes nothing. Otherwise, Reload calls onUnused in a new
// goroutine as soon as no request uses the former client. The caller may then close the
// former client. Calls of Reload must not be concurrent.
func (s *Server) Reload(c *access.Client, o *Options, onUnused func()) error {
	former := s.gateway.Load()
	g, err := newGateway(former.state, c, o)
	if err != nil {
		return err
	}
	s.gateway.Store(g)
	former.limiter.retire(func() {
		former.Close()
		onUnused()
	})
	return nil
}

// current returns the gateway for a request. The gateway stays usable until the caller calls leave.
func (s *Server) current() (g *Gateway, leave func()) {
	for {
		g = s.gateway.Load()
		if leave, ok := g.limiter.addUser(); ok {
			return g, leave
		}
		// Reload has just replaced the gateway.
	}
}

// connKey is the key of the guardConn in the context of a request.
type connKey struct{}

// serve replaces the context of a request. Package net/http cancels that context when the client
// closes its side of the connection, although the client may still wait for the response. If the
// guard treats a request as the last request of a connection, serve closes the connection after the
// response.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	if c, ok := r.Context().Value(connKey{}).(*guardConn); ok {
		defer context.AfterFunc(c.ctx, cancel)()
	}
	if r.Method == http.MethodConnect || r.Header.Get("Upgrade") != "" || r.TransferEncoding != nil {
		w = &closingWriter{ResponseWriter: w}
	}
	g, leave := s.current()
	defer leave()
	g.ServeHTTP(w, r.WithContext(ctx))
}

// closingWriter is a ResponseWriter that closes the connection after the response, except if the
// status is 101.
type closingWriter struct{ http.ResponseWriter }

func (c *closingWriter) WriteHeader(status int) {
	if status != http.StatusSwitchingProtocols {
		c.Header().Set("Connection", "close")
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *closingWriter) Write(p []byte) (int, error) {
	if c.Header().Get("Connection") == "" {
		c.Header().Set("Connection", "close")
	}
	return c.ResponseWriter.Write(p)
}

func (c *closingWriter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// Serve serves the connections of the listener l until the caller calls [Server.Shutdown].
// Then it returns nil. A server may serve several listeners.
func (s *Server) Serve(l net.Listener) error {
	l = newGuardListener(l, s.slots)
	if !s.addListener(l) {
		return l.Close()
	}
	defer s.serving.Done()
	err := s.http.Serve(l)
	if s.gateway.Load().draining.Load() {
		return nil
	}
	return err
}

// addListener registers a listener. After Shutdown, ok is false.
func (s *Server) addListener(l net.Listener) (ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return false
	}
	s.listeners = append(s.listeners, l)
	s.serving.Add(1)
	return true
}

// connState records which connections are busy.
func (s *Server) connState(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state == http.StateNew || state == http.StateActive {
		s.busy[c.(*guardConn)] = true
		return
	}
	delete(s.busy, c.(*guardConn))
	s.checkQuiet()
}

// checkQuiet closes s.quiet if no connection is busy. The caller must hold s.mu.
func (s *Server) checkQuiet() {
	if len(s.busy) > 0 || s.quiet == nil {
		return
	}
	select {
	case <-s.quiet:
	default:
		close(s.quiet)
	}
}

// drain stops accepting connections. Then it waits until each accepted connection has received its
// response. Otherwise Shutdown of package net/http would close a connection whose first request has
// not arrived yet.
func (s *Server) drain(ctx context.Context) {
	s.mu.Lock()
	s.stopped = true
	for _, l := range s.listeners {
		l.Close()
	}
	s.mu.Unlock()
	s.http.SetKeepAlivesEnabled(false)
	s.serving.Wait() // after this call, package net/http has called connState for each connection
	s.mu.Lock()
	if s.quiet == nil {
		s.quiet = make(chan struct{})
	}
	quiet := s.quiet
	s.checkQuiet()
	s.mu.Unlock()
	silent := time.AfterFunc(silentTime, s.closeSilent)
	defer silent.Stop()
	select {
	case <-quiet:
	case <-ctx.Done():
	}
}

// closeSilent closes the connections that have sent nothing.
func (s *Server) closeSilent() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.busy {
		if c.isSilent() {
			c.Close()
		}
	}
}

// Shutdown stops accepting connections and waits for running requests. When ctx ends, it
// aborts the remaining requests. Then it sends a message to open terminals, and closes
// terminals and tunnels. While Shutdown runs, requests for /readyz fail.
func (s *Server) Shutdown(ctx context.Context) error {
	g := s.gateway.Load()
	g.draining.Store(true)
	s.drain(ctx)
	err := s.http.Shutdown(ctx)
	if err != nil {
		s.http.Close()
	}
	g.sessions.endAll()
	return errors.Join(err, g.Close())
}

// guardListener limits the number of open connections.
type guardListener struct {
	net.Listener
	slots  chan struct{}
	closed chan struct{}
	close  func() error
}

func newGuardListener(l net.Listener, slots chan struct{}) *guardListener {
	g := &guardListener{Listener: l, slots: slots, closed: make(chan struct{})}
	g.close = sync.OnceValue(func() error {
		close(g.closed)
		return l.Close()
	})
	return g
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

// Close closes the listener only once, although both [Server] and package net/http call it.
// After the first call, another process may own the path of a Unix socket, and a second call
// would remove the path.
func (l *guardListener) Close() error { return l.close() }
