// Package telnettest has hosts for sessions inside the process, for tests and for
// showing what a session is: one of telnet, one of rlogin and one of tn3270. They
// keep what they hear, with passwords too.
//
// The hosts of telnet and rlogin have a login and a small shell of commands, which
// "help" lists. The host of tn3270 has a few screens, or does what it is told to by
// a function.
package telnettest

import (
	"context"
	"io"
	"net"
	"slices"
	"sync"

	"github.com/locus-url/locus/internal/servetest"
)

// Server is a host that runs.
type Server struct {
	l     net.Listener
	group servetest.Group

	mu      sync.Mutex
	log     [][]string
	changed chan struct{} // closed when something is added to log
}

// start starts a host that listens on l, or on a free port of the loopback if that
// is nil. handle has each connection, with what adds to its log.
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
			// What comes yet would have what was said last thrown away.
			c.(*net.TCPConn).CloseWrite()
			io.Copy(io.Discard, c)
		}
	})
	return s, nil
}

// Addr returns host and port: "127.0.0.1:33119".
func (s *Server) Addr() string { return s.l.Addr().String() }

// Log returns what was heard, in order, for each connection in the order they were
// opened. An entry is a word and what it is about, such as "typed guest",
// "window 80x24", "type VT100" or "command IP".
func (s *Server) Log() [][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([][]string, len(s.log))
	for i, entries := range s.log {
		list[i] = slices.Clone(entries)
	}
	return list
}

// Wait returns when an entry is in the log of some connection, or with the cause of
// ctx's end.
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

// HangUp closes the connections that are open now.
func (s *Server) HangUp() { s.group.HangUp() }

// Close ends the host and all its connections, and waits until they are gone.
func (s *Server) Close() error { return s.group.Close() }

// begin gives a connection its place in the log.
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
