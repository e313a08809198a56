package scheme

import "github.com/locus-url/locus/extract"

// InText returns a new set of the schemes to search for in running text: the default
// schemes of package extract, and the schemes of the registry with a host.
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
