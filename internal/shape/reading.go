package shape

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/profile/whatwg"
	"github.com/locus-url/locus/scheme"
)

// Reading is the result of parsing an input by RFC 3986 or the URL Standard, for display.
type Reading struct {
	Text       string            // the input; in the case of RFC 3986, without its wrapper
	Canonical  string            // canonical form, or empty if the input has none
	Parts      []Part            // parts of Text, by RFC 3986
	Fields     []scheme.Field    // scheme fields, by RFC 3986, if RFC 1738 also accepts the URL
	Attributes []scheme.Field    // attributes by the URL Standard
	Findings   []locus.Violation // findings, whose offsets refer to Text
}

// NewReading parses input by the rules of RFC 3986 or the URL Standard.
func NewReading(r profile.Rules, input string) (Reading, error) {
	return parseUnwrapped(r.Profile, input, func(text string) (Reading, error) {
		list, err := r.Check(text)
		if err != nil {
			return Reading{}, err
		}
		d := Reading{Text: text, Findings: list}
		d.Canonical, _ = r.Canonical(text)
		if r.Profile == locus.RFC3986 {
			d.Parts = uriParts(rfc3986.Parse(text))
			if u, err := locus.Parse(text); err == nil {
				d.Fields, _ = r.Registry.Fields(u) // nil if u does not match the scheme's syntax
			}
			return d, nil
		}
		u, err := whatwg.Parse(text, r.Base)
		d.Attributes = attributes(u)
		return d, err
	})
}

// uriParts returns the components that u contains, in order.
func uriParts(u rfc3986.URI) []Part {
	var list []Part
	add := func(name string, offset int, text string, ok bool) {
		if ok {
			list = append(list, Part{name, offset, text})
		}
	}
	scheme, ok := u.Scheme()
	add("scheme", 0, scheme, ok)
	text, ok := u.Userinfo()
	add("userinfo", u.UserinfoOffset(), text, ok)
	text, ok = u.Host()
	add("host", u.HostOffset(), text, ok)
	text, ok = u.Port()
	add("port", u.PortOffset(), text, ok)
	add("path", u.PathOffset(), u.Path(), true)
	text, ok = u.Query()
	add("query", u.QueryOffset(), text, ok)
	text, ok = u.Fragment()
	add("fragment", u.FragmentOffset(), text, ok)
	return list
}

// attributes returns the attributes of u as decoded fields.
func attributes(u whatwg.URL) []scheme.Field {
	return []scheme.Field{
		{Name: "protocol", Value: u.Protocol()}, {Name: "username", Value: u.Username()}, {Name: "password", Value: u.Password()},
		{Name: "host", Value: u.Host()}, {Name: "hostname", Value: u.Hostname()}, {Name: "port", Value: u.Port()},
		{Name: "pathname", Value: u.Pathname()}, {Name: "search", Value: u.Search()}, {Name: "hash", Value: u.Hash()},
	}
}
