package servetest

import (
	"bufio"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
)

// LineServer reads one line from each connection, writes a response, and closes the
// connection. It is safe for concurrent use.
type LineServer struct {
	l     net.Listener
	group Group

	mu       sync.Mutex
	requests []string
}

// ServeLines starts a LineServer on l. The parameter most is the maximum length of a line, in
// bytes. For each line, the server calls the function answer, which returns the response. The line
// is passed without its line end.
func ServeLines(l net.Listener, most int64, answer func(request string) string) *LineServer {
	s := &LineServer{l: l}
	s.group.Serve(l, func(c net.Conn) func() {
		return func() {
			request, err := bufio.NewReader(io.LimitReader(c, most)).ReadString('\n')
			if err != nil {
				return
			}
			request = strings.TrimRight(request, "\r\n")
			s.mu.Lock()
			s.requests = append(s.requests, request)
			s.mu.Unlock()
			io.WriteString(c, answer(request))
		}
	})
	return s
}

// Addr returns the server address in the form host:port.
func (s *LineServer) Addr() string { return s.l.Addr().String() }

// Requests returns the lines that the server received, without line ends.
func (s *LineServer) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Close stops the server and closes its connections.
func (s *LineServer) Close() error { return s.group.Close() }
