// Package geminitest provides an in-process Gemini server for tests and
// demonstrations.
package geminitest

import (
	"crypto/tls"
	"net/url"

	"github.com/locus-url/locus/internal/certtest"
	"github.com/locus-url/locus/internal/servetest"
)

// Server answers requests with predefined responses.
type Server = servetest.LineServer

// Start starts a server with a new certificate on a free port of 127.0.0.1. The argument responses
// maps each path and query, such as "/search?words", to a complete response with header and body.
// If a key ends in "?", its response applies to all other queries of the same path, and the server
// appends the decoded query to it. The server answers all other requests with status 51.
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

// Demo starts a server that offers a few documents, a form and a redirect.
func Demo() (*servetest.Demo, error) {
	s, err := Start(map[string]string{
		"/":              "20 text/gemini\r\n# A capsule\nDocuments with a link a line.\n\n=> /notes/ Notes\n=> /echo Say something\n=> /old A page that moved\n```\n=> preformatted, and no link\n```\n",
		"/notes/":        "20 text/gemini\r\n# Notes\n=> one.txt The first note\n=> .. Back\n",
		"/notes/one.txt": "20 text/plain; charset=utf-8\r\nOne request, one response, and the connection ends.\n",
		"/echo":          "10 What should the server say?\r\n",
		"/echo?":         "20 text/plain\r\nYou said: ",
		"/old":           "31 /notes/\r\n",
	})
	if err != nil {
		return nil, err
	}
	base := "gemini://" + s.Addr()
	return &servetest.Demo{
		Scheme: "gemini", Section: "Gemini network protocol 0.24", Name: "Capsules", About: "Documents over TLS, from servers that are trusted on first use.",
		Stops: []servetest.DemoStop{
			{URL: base + "/", Title: "a document whose links are a menu", Kind: "menu"},
			{URL: base + "/notes/one.txt", Title: "a text", Type: "text/plain"},
			{URL: base + "/echo", Title: "a question, whose answer becomes the query", Kind: "form", Answers: []string{"hello"}},
			{URL: base + "/old", Title: "a redirect", Kind: "menu"},
		},
		Close: s.Close,
	}, nil
}
