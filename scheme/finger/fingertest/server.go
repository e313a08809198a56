// Package fingertest is a Finger server inside the process (RFC 1288), for tests and
// demonstrations.
package fingertest

import "github.com/locus-url/locus/internal/servetest"

// Server answers requests from memory.
type Server = servetest.LineServer

// Start starts a server on a free port of 127.0.0.1. It answers a request with the text
// of replies, and other requests with a line that says so.
func Start(replies map[string]string) (*Server, error) {
	l, err := servetest.Listen(nil)
	if err != nil {
		return nil, err
	}
	return servetest.ServeLines(l, 1024, func(request string) string {
		if reply, ok := replies[request]; ok {
			return reply
		}
		return request + ": no such user\r\n"
	}), nil
}
