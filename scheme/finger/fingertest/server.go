// Package fingertest provides an in-process Finger server (RFC 1288) for tests and
// demonstrations.
package fingertest

import "github.com/locus-url/locus/internal/servetest"

// Server answers requests with predefined responses.
type Server = servetest.LineServer

// Start starts a server on a free port of 127.0.0.1. The argument replies maps each request to its
// response. The server answers all other requests with an error line.
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

// Demo starts a server with predefined responses about three users.
func Demo() (*servetest.Demo, error) {
	s, err := Start(map[string]string{
		"":       "Login  Name           Idle\r\nada    Ada Lovelace      2\r\ntimbl  Tim Berners-Lee\r\n",
		"ada":    "Login: ada\tName: Ada Lovelace\r\nPlan:\r\nTo weave algebraic patterns.\r\n",
		"/W ada": "Login: ada\tName: Ada Lovelace\r\nOffice: Engine room\tPhone: none yet\r\nPlan:\r\nTo weave algebraic patterns.\r\n",
	})
	if err != nil {
		return nil, err
	}
	base := "finger://" + s.Addr()
	return &servetest.Demo{
		Scheme: "finger", Section: "draft-ietf-uri-url-finger-03; RFC 1288", Name: "Users", About: "Who is logged in, and what they are working on.",
		Stops: []servetest.DemoStop{
			{URL: base + "/", Title: "the users who are logged in", Type: "text/plain"},
			{URL: base + "/ada", Title: "one user and a plan", Type: "text/plain"},
			{URL: base + "/%2FW%20ada", Title: "a request for more, with a slash and a space encoded", Type: "text/plain"},
		},
		Close: s.Close,
	}, nil
}
