package scheme

import "github.com/locus-url/locus/extract"

// InText returns the schemes to look for in running text: those of the registry, and the
// standard ones of package extract. It makes a new set each time.
func (r *Registry) InText() *extract.Schemes {
	list := extract.Standard()
	standard := extract.NewSchemes(list...)
	for _, s := range r.All() {
		if _, ok := standard.Lookup(s.Name); !ok {
			list = append(list, extract.Scheme{Name: s.Name})
		}
	}
	return extract.NewSchemes(list...)
}
