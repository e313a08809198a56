package scheme

import "github.com/locus-url/locus/extract"

// InText returns a new set of schemes to search for in running text. The set contains the
// default schemes of package extract, and the registered schemes whose URLs have a host.
func (r *Registry) InText() *extract.Schemes {
	list := extract.Standard()
	standard := extract.NewSchemes(list...)
	for _, s := range r.All() {
		if _, ok := standard.Lookup(s.Name); !ok && !s.Traits.Has(Local) {
			list = append(list, extract.Scheme{Name: s.Name})
		}
	}
	return extract.NewSchemes(list...)
}
