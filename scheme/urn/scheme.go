package urn

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme"
)

// Scheme returns the description of the urn scheme, which has no opener.
func Scheme() scheme.Scheme {
	s := scheme.Generic("urn", scheme.Reserved)
	s.Section = `URI draft, "URN"; RFC 8141`
	s.Syntax.Form = "urn:<namespace>:<name>?+<r-component>?=<q-component>#<f-component> (RFC 8141)"
	s.Syntax.Current = inForce()
	s.Syntax.Fields = fields
	s.Display.Split = splitSpans
	s.Display.Title = func(u locus.URL) string { return scheme.Decoded(u.SchemePart()) }
	return s
}

// fields returns the decoded components. A caller that compares names must use the normal
// form, because an escape is part of a name (RFC 8141 section 3.1).
func fields(u locus.URL) ([]scheme.Field, error) {
	c := split(rfc3986.Parse(u.String()))
	return []scheme.Field{
		{Name: "nid", Value: c.nid.value()},
		{Name: "nss", Value: c.nss.value()},
		{Name: "rComponent", Value: c.r.value()},
		{Name: "qComponent", Value: c.q.value()},
		{Name: "fComponent", Value: c.f.value()},
	}, nil
}

// splitSpans splits the text between "urn:" and the fragment.
func splitSpans(s *scheme.Splitter) {
	if strings.Contains(s.Rest(), ":") {
		s.UpTo(":", "NID", scheme.RoleType)
	}
	name, components, _ := strings.Cut(s.Rest(), "?")
	s.Cut(len(name), "NSS", scheme.RolePath)
	switch {
	case strings.HasPrefix(components, "+"):
		s.Delimiter(len("?+"))
		s.UpTo("?=", "r-component", scheme.RoleSearch)
	case strings.HasPrefix(components, "="):
		s.Delimiter(len("?="))
	}
	s.All("q-component", scheme.RoleSearch)
}
