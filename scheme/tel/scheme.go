package tel

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme"
)

// Scheme returns the description of the tel scheme, which has no opener.
func Scheme() scheme.Scheme {
	s := scheme.Generic("tel", scheme.Extension)
	s.Section = "RFC 3966"
	s.Syntax.Form = "tel:+<number>;<parameter>=<value>"
	s.Syntax.Current = inForce()
	s.Syntax.Fields = fields
	s.Display.Icon = "address"
	s.Display.Split = func(s *scheme.Splitter) {
		s.UpTo(";", "telephone-subscriber", scheme.RolePath)
		s.All("par", scheme.RoleType)
	}
	s.Display.Title = func(u locus.URL) string {
		number, _, _ := strings.Cut(u.SchemePart(), ";")
		return scheme.Decoded(number)
	}
	return s
}

// fields returns the number with its visual separators, and the parameters.
func fields(u locus.URL) ([]scheme.Field, error) {
	number, list, _ := split(rfc3986.Parse(u.String()))
	fields := []scheme.Field{
		{Name: "number", Value: bnf.Decode(number)},
		{Name: "phoneContext"}, {Name: "extension"}, {Name: "isdnSubaddress"},
		{Name: "parameters"},
	}
	var others [][]scheme.Field
	for _, p := range list {
		var value any
		if p.hasValue {
			value = bnf.Decode(p.value)
		}
		switch {
		case p.is(phoneContext):
			fields[1].Value = value
		case p.is(extension):
			fields[2].Value = value
		case p.is(subaddress):
			fields[3].Value = value
		default:
			others = append(others, []scheme.Field{{Name: "name", Value: bnf.Decode(p.name)}, {Name: "value", Value: value}})
		}
	}
	if others != nil {
		fields[4].Value = others
	}
	return fields, nil
}
