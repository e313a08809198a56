package document

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/iri"
	"github.com/locus-url/locus/relative"
)

// Resolve returns the URL that l leads to from a document whose URL is base: its URL, or
// its Ref resolved by RFC 3986 section 5.2.2, against its own Base if it has one. That of
// an IRI is the URL to request, as in [Link.ASCII]. A "?" ends the host, as in
// [relative.Parse].
//
// base may be zero. Then, and in the member of a container, only a URL resolves, and a Ref
// with an absolute Base; for others the error wraps [relative.ErrBase]. If the scheme of
// base may give "/" another meaning, use the Resolve of the registry in package scheme.
func (l Link) Resolve(base locus.URL) (locus.URL, error) {
	if !l.URL.IsZero() {
		ref, err := relative.Parse(l.URL.String())
		if err != nil {
			return locus.URL{}, err
		}
		u, _ := ref.URL()
		return iri.URL(u)
	}
	if l.Member != "" {
		base = locus.URL{}
	}
	for i, text := range []string{l.Base, l.Ref} {
		if i == 0 && text == "" {
			continue
		}
		ref, err := relative.Parse(text)
		if err != nil {
			return locus.URL{}, err
		}
		if u, absolute := ref.URL(); absolute && base.IsZero() {
			base = u // an absolute form has no need of a base, which Resolve requires
		}
		if base, err = ref.Resolve(base); err != nil {
			return locus.URL{}, err
		}
	}
	return iri.URL(base)
}
