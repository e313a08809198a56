package scheme

import "github.com/locus-url/locus/extract"

// InText returns the schemes to look for in running text: the standard ones of package
// extract, and the schemes of the registry that have hosts. It makes a new set each time.
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
