package scheme

import (
	"cmp"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/rfc3986"
)

// CurrentStandard is the standard in force for a scheme, on top of RFC 3986, if it is later
// than RFC 1738. Its functions receive a URI of the scheme, which may have any violations.
type CurrentStandard struct {
	// Name is the name of the standard, such as "RFC 6068". If empty, it is Section.
	Name string
	// Check returns violations of Name that RFC 3986 does not have, in order of offset. If
	// nil, there are none.
	Check func(u rfc3986.URI) []locus.Violation
	// Clean is a fast test for a URI without violations of RFC 3986. If Clean returns
	// true, Check must return no violation of the URI. If Clean is nil, Check is always
	// called.
	Clean func(u rfc3986.URI) bool
	// Normalize returns one form for all URIs that Name treats as equivalent to u. u is
	// valid and normalized by RFC 3986 sections 6.2.2 and 6.2.3. If nil, the form is u.
	Normalize func(u rfc3986.URI) rfc3986.URI
	// AsWritten reports that Name forbids decoding escapes for comparison. Normalize then
	// receives u as written, and must apply section 6.2.2 itself as far as Name allows.
	AsWritten bool
	// Root reports that an empty path after a host means "/" (RFC 3986 section 6.2.3).
	Root bool
}

// Standard returns the name of the standard in force for s: Current.Name, or Section.
func (s *Scheme) Standard() string { return cmp.Or(s.Syntax.Current.Name, s.Section) }

// CheckURI returns all violations of RFC 3986 and of the standard in force for u's
// scheme, and notes, in order of offset. If both report the same fault, the list has the
// violation of the scheme's standard, because its fix is specific to the scheme.
func (r *Registry) CheckURI(u rfc3986.URI) []locus.Violation {
	list := u.Check()
	s := r.ofURI(u)
	if s.Syntax.Current.Check == nil || len(list) == 0 && s.Syntax.Current.Clean != nil && s.Syntax.Current.Clean(u) {
		return list
	}
	own := s.Syntax.Current.Check(u)
	if len(list) == 0 {
		return own
	}
	return merged(list, own)
}

// merged returns the findings in the slices list and own, which are both in order of
// offset. If the slice own has a finding of the same kind at the same offset, merged omits
// the finding in the other slice.
func merged(list, own []locus.Violation) []locus.Violation {
	all := make([]locus.Violation, 0, len(list)+len(own))
	for _, v := range list {
		for len(own) > 0 && own[0].Offset < v.Offset {
			all, own = append(all, own[0]), own[1:]
		}
		if !hasKind(own, v.Offset, v.Kind) {
			all = append(all, v)
		}
	}
	return append(all, own...)
}

// hasKind reports whether the slice list contains a finding of the given kind at the given
// offset. No finding in the slice has a lower offset.
func hasKind(list []locus.Violation, offset int, kind locus.Kind) bool {
	for _, v := range list {
		if v.Offset != offset {
			return false
		}
		if v.Kind == kind {
			return true
		}
	}
	return false
}

// NormalizeURI returns the normalized form of u by RFC 3986 section 6 and the standard that
// is in force for its scheme. Two URIs are equivalent if their normalized forms are ==. The
// form of a URI that does not conform has no meaning.
func (r *Registry) NormalizeURI(u rfc3986.URI) rfc3986.URI {
	s := r.ofURI(u)
	if s.Syntax.Current.AsWritten && s.Syntax.Current.Normalize != nil {
		return s.Syntax.Current.Normalize(u)
	}
	n := u.Normalize(func(string) rfc3986.Rules { return rfc3986.Rules{Port: s.Port, Root: s.Syntax.Current.Root} })
	if s.Syntax.Current.Normalize == nil {
		return n
	}
	return s.Syntax.Current.Normalize(n)
}

// ofURI returns the scheme of u, or the generic scheme.
func (r *Registry) ofURI(u rfc3986.URI) *Scheme {
	name, ok := u.Scheme()
	if !ok {
		return &generic
	}
	if s := r.entry(u.String()).scheme; s != nil {
		return s // the names in the table are in lower case
	}
	return r.named(strings.ToLower(name))
}
