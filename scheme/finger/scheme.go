package finger

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

// Scheme returns the description of the finger scheme.
func Scheme() scheme.Scheme {
	return scheme.Scheme{
		Name:    "finger",
		Port:    Port,
		Status:  scheme.Extension,
		Section: "draft-ietf-uri-url-finger-03; RFC 1288",
		Traits:  scheme.NoStatus,
		Syntax: scheme.Syntax{
			Form:      "finger://<host>:<port>/<request>",
			Reserved:  escape.Chars("/?"),
			Fields:    fields,
			Hierarchy: relative.None,
		},
		Access: scheme.Access{Protocol: "Finger (RFC 1288)", Opener: Client{}},
		Display: scheme.Display{
			Icon:    "address",
			Split:   func(s *scheme.Splitter) { s.All("request", scheme.RolePath) },
			Title:   title,
			Parents: parents,
		},
		Crawl: scheme.Crawl{
			Freshness: func(locus.URL) scheme.Freshness { return scheme.Freshness{For: scheme.ListAge, Fixed: true} },
		},
	}
}

func fields(u locus.URL) ([]scheme.Field, error) {
	f, err := Parse(u)
	if err != nil {
		return nil, err
	}
	return []scheme.Field{{Name: "request", Value: f.request}}, nil
}

func title(u locus.URL) string {
	path, _ := u.Path()
	if path == "" {
		return u.Host()
	}
	return scheme.Decoded(path) + " at " + u.Host()
}

func parents(u locus.URL) []scheme.Parent {
	if path, _ := u.Path(); path == "" {
		return nil
	}
	return []scheme.Parent{{Name: u.Host(), URL: scheme.AtPath(u, "")}}
}
