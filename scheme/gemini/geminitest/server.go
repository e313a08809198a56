// Package geminitest is a Gemini server inside the process, for tests and
// demonstrations.
package geminitest

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"

	"github.com/locus-url/locus/internal/certtest"
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

// Start starts a server with a new certificate on a free port of 127.0.0.1. responses
// are whole responses, header and body, by path and query: "/search?words". A key that
// ends in "?" is for any other query of its path; the query, decoded, is added to the
// response. Other requests are answered with status 51.
func Start(responses map[string]string) (*Server, error) {
	certificate, err := certtest.New()
	if err != nil {
		return nil, err
	}
	l, err := servetest.Listen(nil)
	if err != nil {
		return nil, err
	}
	s := &Server{l: l}
	s.group.Serve(tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{certificate}}), func(c net.Conn) func() {
		return func() { s.answer(c, responses) }
	})
	return s, nil
}

func (s *Server) answer(c net.Conn, responses map[string]string) {
	const most = 1024 + 2
	request, err := bufio.NewReader(io.LimitReader(c, most)).ReadString('\n')
	if err != nil {
		return
	}
	request = strings.TrimRight(request, "\r\n")
	s.mu.Lock()
	s.requests = append(s.requests, request)
	s.mu.Unlock()
	response := "59 a request is a URL\r\n"
	if u, err := url.Parse(request); err == nil && u.Scheme == "gemini" {
		response = "51 not found\r\n"
		if r, ok := responses[u.RequestURI()]; ok {
			response = r
		} else if r, ok := responses[u.EscapedPath()+"?"]; ok && u.RawQuery != "" {
			query, _ := url.PathUnescape(u.RawQuery)
			response = r + query + "\n"
		}
	}
	io.WriteString(c, response)
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
