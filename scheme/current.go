package scheme

import (
	"cmp"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/rfc3986"
)

// CurrentStandard is a standard for a scheme that is newer than RFC 1738. It applies in
// addition to RFC 3986. Its functions receive any URI of the scheme, even an invalid URI.
type CurrentStandard struct {
	// Name is the name of the standard, such as "RFC 6068". If Name is empty, the standard is
	// named after Scheme.Section.
	Name string
	// Check returns the violations that this standard adds to RFC 3986, in order of offset. If
	// Check is nil, the standard adds none.
	Check func(u rfc3986.URI) []locus.Violation
	// Clean is a fast test for a URI without violations of RFC 3986. If Clean returns
	// true, Check must return no violation of the URI. If Clean is nil, Check is always
	// called.
	Clean func(u rfc3986.URI) bool
	// Normalize returns the normalized form of u, which is the same for all equivalent URIs.
	// The argument is valid, and already normalized by RFC 3986 sections 6.2.2 and 6.2.3. If
	// Normalize is nil, u is the normalized form.
	Normalize func(u rfc3986.URI) rfc3986.URI
	// AsWritten means that the standard forbids decoding escapes before comparing URIs.
	// Normalize then receives the original URI, and must apply RFC 3986 section 6.2.2 itself
	// as far as the standard allows.
	AsWritten bool
	// Root means that an empty path after a host is equivalent to "/" (RFC 3986 section
	// 6.2.3).
	Root bool
}

// Standard returns the name of the standard in force for s. This is Syntax.Current.Name or, if
// that is empty, Section.
func (s *Scheme) Standard() string { return cmp.Or(s.Syntax.Current.Name, s.Section) }

// CheckURI returns notes and all violations of RFC 3986 and of the current standard for u's
// scheme, in order of offset. If both standards forbid the same thing, CheckURI returns only
// the violation of the scheme's standard, because its suggested fix is more specific.
func (r *Registry) CheckURI(u rfc3986.URI) []locus.Violation {
	list := u.Check()
	s := r.schemeForURI(u)
	if s.Syntax.Current.Check == nil || len(list) == 0 && s.Syntax.Current.Clean != nil && s.Syntax.Current.Clean(u) {
		return list
	}
	own := s.Syntax.Current.Check(u)
	if len(list) == 0 {
		return own
	}
	return mergeFindings(list, own)
}

// mergeFindings merges two slices of findings, each sorted by offset. If preferred contains a
// finding of the same kind at the same offset, mergeFindings omits the finding in list.
func mergeFindings(list, preferred []locus.Violation) []locus.Violation {
	all := make([]locus.Violation, 0, len(list)+len(preferred))
	for _, v := range list {
		for len(preferred) > 0 && preferred[0].Offset < v.Offset {
			all, preferred = append(all, preferred[0]), preferred[1:]
		}
		if !hasKind(preferred, v.Offset, v.Kind) {
			all = append(all, v)
		}
	}
	return append(all, preferred...)
}

// hasKind reports whether the slice list contains a finding of the given kind at the given
// offset. The offsets in the slice must not be lower.
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

// NormalizeURI normalizes u by RFC 3986 section 6 and the current standard for its scheme. Two
// valid URIs are equivalent if their normalized forms are ==. The result is meaningless for an
// invalid URI.
func (r *Registry) NormalizeURI(u rfc3986.URI) rfc3986.URI {
	s := r.schemeForURI(u)
	if s.Syntax.Current.AsWritten && s.Syntax.Current.Normalize != nil {
		return s.Syntax.Current.Normalize(u)
	}
	n := u.Normalize(func(string) rfc3986.Rules { return rfc3986.Rules{Port: s.Port, Root: s.Syntax.Current.Root} })
	if s.Syntax.Current.Normalize == nil {
		return n
	}
	return s.Syntax.Current.Normalize(n)
}

// schemeForURI returns the scheme of u. If the scheme is not registered, schemeForURI returns
// the generic scheme.
func (r *Registry) schemeForURI(u rfc3986.URI) *Scheme {
	if _, ok := u.Scheme(); ok {
		if s := r.findEntry(u.String()).scheme; s != nil {
			return s
		}
	}
	return &generic
}
