package data

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

// Scheme returns the description of the data scheme.
func Scheme() scheme.Scheme {
	return scheme.Scheme{
		Name:    "data",
		Status:  scheme.Extension,
		Section: "RFC 2397",
		Traits:  scheme.Local | scheme.Fragments,
		Syntax: scheme.Syntax{
			Form:      "data:<mediatype>;base64,<data>",
			Current:   inForce(),
			Fields:    fields,
			Canonical: canonical,
			Hierarchy: relative.Opaque,
		},
		Access: scheme.Access{Protocol: "the URL itself", Opener: Client{}},
		Display: scheme.Display{
			Icon:  "file",
			Split: split,
			Title: title,
		},
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

// title returns the media type, because data URLs contain no name.
func title(u locus.URL) string {
	d, err := Parse(u)
	if err != nil {
		return ""
	}
	return d.MediaType()
}
