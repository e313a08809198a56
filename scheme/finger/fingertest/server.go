// Package fingertest is a Finger server inside the process (RFC 1288), for tests and
// demonstrations.
package fingertest

import (
	"bufio"
	"io"
	"net"
	"strings"
	"sync"

	"github.com/locus-url/locus/internal/servetest"
)

// Server answers requests from memory. Its methods may be called from many goroutines
// at once.
type Server struct {
	l     net.Listener
	group servetest.Group

	mu       sync.Mutex
	requests []string
}

// Start starts a server on a free port of 127.0.0.1. It answers a request with the text
// of replies, and other requests with a line that says so.
func Start(replies map[string]string) (*Server, error) {
	l, err := servetest.Listen(nil)
	if err != nil {
		return nil, err
	}
	s := &Server{l: l}
	s.group.Serve(l, func(c net.Conn) func() {
		return func() { s.answer(c, replies) }
	})
	return s, nil
}

func (s *Server) answer(c net.Conn, replies map[string]string) {
	const most = 1024
	request, err := bufio.NewReader(io.LimitReader(c, most)).ReadString('\n')
	if err != nil {
		return
	}
	request = strings.TrimRight(request, "\r\n")
	s.mu.Lock()
	s.requests = append(s.requests, request)
	s.mu.Unlock()
	reply, ok := replies[request]
	if !ok {
		reply = request + ": no such user\r\n"
	}
	io.WriteString(c, reply)
}

// Addr returns the address, host:port.
func (s *Server) Addr() string { return s.l.Addr().String() }

// Requests returns the requests so far, without line ends.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

// Close ends the server and its connections.
func (s *Server) Close() error { return s.group.Close() }
