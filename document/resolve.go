package document

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/iri"
	"github.com/locus-url/locus/relative"
)

// Resolve returns the URL to which the link l refers in a document with the URL base. Resolve
// resolves Ref with the rules of RFC 3986 section 5.2.2. If the field Base is not empty, Base
// determines the base URL. An IRI is converted as in [Link].ASCII. A "?" ends the host, as in
// [relative.Parse].
//
// If base is zero or the link is in a container, a relative Ref can be resolved only if the field
// Base is an absolute URL. Otherwise the error wraps [relative.ErrBase]. If "/" may have another
// meaning in the scheme of base, callers should use the Resolve method of a scheme registry.
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
			base = u // an absolute reference needs no base, but Resolve requires one
		}
		if base, err = ref.Resolve(base); err != nil {
			return locus.URL{}, err
		}
	}
	return iri.URL(base)
}
