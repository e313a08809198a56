// Package telnettest provides in-process hosts for telnet, rlogin and tn3270, for tests and the
// tour. The hosts log the data that they receive, including passwords.
//
// The telnet and rlogin hosts provide a login and a small shell, whose command "help" lists all
// commands. The tn3270 host shows a few built-in screens or runs a function.
package telnettest

import (
	"context"
	"io"
	"net"
	"slices"
	"sync"

	"github.com/locus-url/locus/internal/servetest"
)

// Server is a running host. Its methods may be called concurrently.
type Server struct {
	l     net.Listener
	group servetest.Group

	mu      sync.Mutex
	log     [][]string
	changed chan struct{} // closed when the log changes
}

// start starts a host on the listener l. If l is nil, the host uses a free loopback port. For each
// connection, start calls handle. The function handle can call log to add an entry to the host's
// log.
func start(l net.Listener, handle func(c net.Conn, log func(entry string))) (*Server, error) {
	l, err := servetest.Listen(l)
	if err != nil {
		return nil, err
	}
	s := &Server{l: l, changed: make(chan struct{})}
	s.group.Serve(l, func(c net.Conn) func() {
		n := s.begin()
		return func() {
			handle(c, func(entry string) { s.logged(n, entry) })
			// Close the write side first, because the kernel discards pending output
			// if the connection is closed with unread input.
			c.(*net.TCPConn).CloseWrite()
			io.Copy(io.Discard, c)
		}
	})
	return s, nil
}

// Addr returns the server's host and port, such as "127.0.0.1:33119".
func (s *Server) Addr() string { return s.l.Addr().String() }

// Log returns the log of each connection, in the order in which the connections were opened. A log
// entry consists of a word and a value, such as "typed guest", "window 80x24", "type VT100" or
// "command IP".
func (s *Server) Log() [][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([][]string, len(s.log))
	for i, entries := range s.log {
		list[i] = slices.Clone(entries)
	}
	return list
}

// Wait waits until the log of a connection contains the entry. If ctx is canceled first, Wait
// returns the cancellation cause.
func (s *Server) Wait(ctx context.Context, entry string) error {
	for {
		s.mu.Lock()
		changed := s.changed
		there := slices.ContainsFunc(s.log, func(entries []string) bool { return slices.Contains(entries, entry) })
		s.mu.Unlock()
		if there {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// HangUp closes the current connections.
func (s *Server) HangUp() { s.group.HangUp() }

// Close stops the host and closes its connections, and waits until all goroutines of the host have
// returned.
func (s *Server) Close() error { return s.group.Close() }

func (s *Server) begin() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, nil)
	return len(s.log) - 1
}

func (s *Server) logged(n int, entry string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log[n] = append(s.log[n], entry)
	close(s.changed)
	s.changed = make(chan struct{})
}
