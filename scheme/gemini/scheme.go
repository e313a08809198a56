package gemini

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/gemini/geminitest"
)

// Scheme returns the row of gemini, opened by c. A nil c is a client with the default
// options.
func Scheme(c *Client) scheme.Scheme {
	if c == nil {
		c = New(nil)
	}
	return scheme.Scheme{
		Name:      "gemini",
		Port:      Port,
		Status:    scheme.Extension,
		Section:   "Gemini network protocol 0.24",
		Syntax:    "gemini://<host>:<port>/<path>?<query>",
		Access:    "Gemini, over TLS",
		Opener:    c,
		Kept:      readKept,
		Traits:    scheme.Secure | scheme.Lines,
		Fields:    fields,
		Icon:      "gopher",
		Split:     split,
		Parents:   parents,
		Freshness: func(locus.URL) scheme.Freshness { return scheme.Freshness{For: scheme.MenuAge, Fixed: true} },
		Below:     scheme.BelowPath,
		Demo:      demo,
	}
}

func fields(u locus.URL) ([]scheme.Field, error) {
	g, err := Parse(u)
	if err != nil {
		return nil, err
	}
	list := []scheme.Field{{Name: "path", Value: g.Path()}, {Name: "query"}}
	if query, ok := g.Query(); ok {
		list[1].Value = query
	}
	return list, nil
}

func split(s *scheme.Splitter) {
	s.UpTo("?", "path", scheme.RolePath)
	s.All("query", scheme.RoleSearch)
}

func parents(u locus.URL) []scheme.Parent {
	path, _ := u.Path()
	path, _, _ = strings.Cut(path, "?")
	return scheme.ParentsOf(u, path)
}

func demo() (*scheme.Demo, error) {
	s, err := geminitest.Start(map[string]string{
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
	stop := func(title, path string, kind scheme.ItemKind, mediaType string, answers ...string) scheme.DemoStop {
		return scheme.DemoStop{URL: locus.MustParse("gemini://" + s.Addr() + path), Title: title, Kind: kind, Type: mediaType, Answers: answers}
	}
	return &scheme.Demo{
		Name: "Capsules", About: "Documents over TLS, from servers that are trusted on first use.",
		Stops: []scheme.DemoStop{
			stop("a document whose links are a menu", "/", scheme.KindMenu, ""),
			stop("a text", "/notes/one.txt", scheme.KindObject, "text/plain"),
			stop("a question, whose answer becomes the query", "/echo", scheme.KindForm, "", "hello"),
			stop("a redirect", "/old", scheme.KindMenu, ""),
		},
		Close: s.Close,
	}, nil
}
