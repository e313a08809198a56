package scheme

import (
	"slices"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/relative"
)

// opaque returns the hierarchy of a scheme that is registered without a syntax, or not at all.
// The schemes listed here have no path. Their URLs contain an address, an identifier or the
// content itself.
func opaque(name string) relative.Hierarchy {
	if slices.Contains([]string{"about", "blob", "data", "javascript", "mailserver", "sms", "tel", "urn"}, name) {
		return relative.Opaque
	}
	return relative.Path
}

// Hierarchy returns the rules for resolving relative references in a resource at u.
func (r *Registry) Hierarchy(u locus.URL) relative.Hierarchy {
	if s := r.schemeFor(u); s != &generic {
		return s.Syntax.Hierarchy
	}
	return opaque(u.Scheme())
}

// Resolve resolves ref in a resource at base. Resolve replaces o.Hierarchy by the hierarchy of
// base's scheme. See [relative.Ref.ResolveWith].
func (r *Registry) Resolve(base locus.URL, ref relative.Ref, o relative.Options) (locus.URL, relative.Notes, error) {
	o.Hierarchy = r.Hierarchy(base)
	return ref.ResolveWith(base, o)
}

// Scheme returns the scheme of u. If the scheme is not registered, Scheme returns the result
// of [Generic] for the scheme's name.
func (r *Registry) Scheme(u locus.URL) Scheme {
	if s := r.schemeFor(u); s != &generic {
		return *s
	}
	return Generic(u.Scheme(), Reserved)
}
