package data

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

// Scheme returns the registry row of data.
func Scheme() scheme.Scheme {
	return scheme.Scheme{
		Name:      "data",
		Status:    scheme.Extension,
		Section:   "RFC 2397",
		Syntax:    "data:<mediatype>;base64,<data>",
		Access:    "the URL itself",
		Current:   inForce(),
		Fields:    fields,
		Canonical: canonical,
		Opener:    Client{},
		Traits:    scheme.Local | scheme.Fragments,
		Hierarchy: relative.Opaque,
		Icon:      "file",
		Split:     split,
		Title:     title,
		Demo:      demo,
	}
}

func fields(u locus.URL) ([]scheme.Field, error) {
	d, err := Parse(u)
	if err != nil {
		return nil, err
	}
	parameters := [][]scheme.Field{}
	for _, p := range d.Parameters() {
		parameters = append(parameters, []scheme.Field{{Name: "name", Value: p.Name}, {Name: "value", Value: p.Value}})
	}
	return []scheme.Field{
		{Name: "mediaType", Value: d.MediaType()},
		{Name: "parameters", Value: parameters},
		{Name: "base64", Value: d.Base64()},
		{Name: "size", Value: len(d.Octets())},
	}, nil
}

func split(s *scheme.Splitter) {
	head, _, _ := strings.Cut(s.Rest(), ",")
	if i := len(head) - len(base64Mark); i >= 0 && strings.EqualFold(head[i:], base64Mark) {
		s.Cut(i, "mediatype", scheme.RoleType)
		s.Delimiter(len(base64Mark))
	} else {
		s.Cut(len(head), "mediatype", scheme.RoleType)
	}
	if strings.HasPrefix(s.Rest(), ",") {
		s.Delimiter(len(","))
	}
	s.All("data", scheme.RolePath)
}

// title is the media type, since the data have no name.
func title(u locus.URL) string {
	d, err := Parse(u)
	if err != nil {
		return ""
	}
	return d.MediaType()
}

func demo() (*scheme.Demo, error) {
	stop := func(title, mediaType, text string) scheme.DemoStop {
		return scheme.DemoStop{URL: locus.MustParse(text), Title: title, Kind: scheme.KindObject, Type: mediaType}
	}
	return &scheme.Demo{
		Name: "Data in a URL", About: "A URL that contains what it names: nothing is asked, nothing is sent.",
		Stops: []scheme.DemoStop{
			stop("the example of RFC 2397", "text/plain", "data:,A%20brief%20note"),
			stop("a page with a Greek word, in escapes", "text/html", "data:text/html;charset=utf-8,%3Ch1%3E%CE%BB%CF%8C%CE%B3%CE%BF%CF%82%3C/h1%3E%3Cp%3EA%20word,%20a%20thought,%20a%20ratio.%3C/p%3E"),
			stop("a picture in base64", "image/gif", "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"),
		},
		Close: func() error { return nil },
	}, nil
}
