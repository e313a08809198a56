// Package current provides checks that the current standards of several schemes share. In addition
// to RFC 3986, these standards require or forbid certain components of a URI. The package of each
// scheme adds checks of the scheme's own syntax.
package current

import (
	"slices"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/rfc3986"
)

// Findings collects the findings about one URI by its scheme's standard.
type Findings struct {
	URI rfc3986.URI
	// Section is the section that defines the syntax, such as "RFC 4248 2".
	Section string
	list    []locus.Violation
}

// List returns the findings in order of offset, or nil if there are none.
func (f *Findings) List() []locus.Violation {
	slices.SortStableFunc(f.list, func(a, b locus.Violation) int { return a.Offset - b.Offset })
	return f.list
}

// Add adds a violation of the scheme's standard. The violation refers to the field Section. It marks
// n octets of the URI at the given offset, which must not be in the userinfo.
func (f *Findings) Add(rule string, offset, n int, help string) {
	f.Report(locus.Ungrammatical, rule, f.Section, offset, n, help)
}

// Note adds a note that cites the given section. The note marks n octets of the URI at the given
// offset, which must not be in the userinfo.
func (f *Findings) Note(rule, section string, offset, n int, help string) {
	f.Report(locus.Note, rule, section, offset, n, help)
}

// Report adds a finding with the given kind and section. The finding marks n octets of the URI at
// the given offset, which must not be in the userinfo.
func (f *Findings) Report(kind locus.Kind, rule, section string, offset, n int, help string) {
	f.list = append(f.list, locus.Violation{
		Rule: rule, Kind: kind, Section: section, Offset: offset, Text: f.URI.String()[offset : offset+n], Help: help,
	})
}

// Host adds a violation if the URI has no "//" or no host. It reports whether the URI has both
// "//" and a host.
func (f *Findings) Host() bool {
	host, ok := f.URI.Host()
	switch {
	case !ok:
		f.Add("authority", f.URI.PathOffset(), 0, `write "//" and a host after the scheme`)
	case host == "":
		f.Add("host", f.URI.HostOffset(), 0, "the host is missing")
	}
	return host != ""
}

// NoUserinfo adds a violation if the URI contains userinfo. The violation marks only the "@",
// because a password may precede the "@".
func (f *Findings) NoUserinfo(help string) {
	if _, ok := f.URI.Userinfo(); ok {
		f.Add("userinfo", f.URI.HostOffset()-len("@"), len("@"), help)
	}
}

// NoPort adds a violation if the URI has a port, or a ":" without a port.
func (f *Findings) NoPort(help string) {
	if _, ok := f.URI.Port(); ok {
		f.Add("port", f.URI.PortOffset()-len(":"), len(":"), help)
	}
}

// NoPath adds a violation if the path is neither empty nor "/".
func (f *Findings) NoPath(help string) {
	if path := f.URI.Path(); path != "" && path != "/" {
		f.Add("path", f.URI.PathOffset(), len(path), help)
	}
}

// NoQuery adds a violation if the URI has a query.
func (f *Findings) NoQuery(help string) {
	if _, ok := f.URI.Query(); ok {
		f.Add("query", f.URI.QueryOffset()-len("?"), len("?"), help)
	}
}

// NoFragment adds a violation if the URI has a fragment.
func (f *Findings) NoFragment(help string) {
	if _, ok := f.URI.Fragment(); ok {
		f.Add("fragment", f.URI.FragmentOffset()-len("#"), len("#"), help)
	}
}

// WithPath returns the URI u with the given path instead of its own. If authority is true and u
// has no authority, WithPath writes "//" before the path.
func WithPath(u rfc3986.URI, path string, authority bool) rfc3986.URI {
	text := u.String()
	before, after := text[:u.PathOffset()], text[u.PathOffset()+len(u.Path()):]
	if _, ok := u.Host(); !ok && authority {
		before += "//"
	}
	return rfc3986.Parse(before + path + after)
}
