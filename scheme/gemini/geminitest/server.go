// Package geminitest is a Gemini server inside the process, for tests and
// demonstrations.
package geminitest

import (
	"crypto/tls"
	"net/url"

	"github.com/locus-url/locus/internal/certtest"
	"github.com/locus-url/locus/internal/servetest"
)

// Server answers requests from memory.
type Server = servetest.LineServer

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
	l = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{certificate}})
	return servetest.ServeLines(l, 1024+2, func(request string) string {
		u, err := url.Parse(request)
		if err != nil || u.Scheme != "gemini" {
			return "59 a request is a URL\r\n"
		}
		if response, ok := responses[u.RequestURI()]; ok {
			return response
		}
		if response, ok := responses[u.EscapedPath()+"?"]; ok && u.RawQuery != "" {
			query, _ := url.PathUnescape(u.RawQuery)
			return response + query + "\n"
		}
		return "51 not found\r\n"
	}), nil
}
