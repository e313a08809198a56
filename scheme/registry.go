package scheme

import (
	"fmt"
	"slices"
	"strings"

	"github.com/locus-url/locus"
)

// Registry is an immutable list of schemes. The zero Registry is empty. It may be
// used from many goroutines at once.
type Registry struct {
	byName map[string]*Scheme
	sorted []*Scheme
}

// NewRegistry makes a registry of the schemes in list. It is an error if one has
// no name, or a name that RFC 1738 section 2.1 does not allow, or the name of
// another.
func NewRegistry(list ...Scheme) (*Registry, error) {
	return new(Registry).With(list...)
}

// With returns a registry that has the schemes of list besides those of r, with
// the same errors as [NewRegistry].
func (r *Registry) With(list ...Scheme) (*Registry, error) {
	n := &Registry{byName: make(map[string]*Scheme, len(r.sorted)+len(list))}
	for _, s := range r.sorted {
		n.byName[s.Name] = s
	}
	n.sorted = slices.Clone(r.sorted)
	for _, s := range list {
		switch {
		case !locus.IsScheme(s.Name):
			return nil, fmt.Errorf("scheme: %s is no scheme's name in lower case", locus.Quote(s.Name))
		case n.byName[s.Name] != nil:
			return nil, fmt.Errorf("scheme: %q is registered twice", s.Name)
		}
		n.byName[s.Name] = &s
		n.sorted = append(n.sorted, &s)
	}
	slices.SortFunc(n.sorted, func(a, b *Scheme) int { return strings.Compare(a.Name, b.Name) })
	return n, nil
}

// Lookup returns the scheme of that name, in any case.
func (r *Registry) Lookup(name string) (Scheme, bool) {
	s := r.byName[name]
	if s == nil {
		if s = r.byName[strings.ToLower(name)]; s == nil {
			return Scheme{}, false
		}
	}
	return *s, true
}

// All returns the schemes in order of their names.
func (r *Registry) All() []Scheme {
	list := make([]Scheme, len(r.sorted))
	for i, s := range r.sorted {
		list[i] = *s
	}
	return list
}

// of returns the scheme of u, or the generic one.
func (r *Registry) of(u locus.URL) *Scheme {
	if s := r.byName[u.Scheme()]; s != nil {
		return s
	}
	return &generic
}

// Known reports whether the scheme of u is registered.
func (r *Registry) Known(u locus.URL) bool { return r.byName[u.Scheme()] != nil }

// Fields returns the decoded parts of u by its scheme; none for a scheme that is
// not registered.
func (r *Registry) Fields(u locus.URL) ([]Field, error) { return r.of(u).Fields(u) }

// Canonical returns the canonical form of u by its scheme, or by the generic
// form if the scheme is not registered (RFC 1738 section 5, otherurl).
func (r *Registry) Canonical(u locus.URL) (locus.URL, locus.Change, error) {
	return r.of(u).Canonical(u)
}

// Check returns the violations of u by its scheme, or by the generic form.
func (r *Registry) Check(u locus.URL, p locus.Profile) []locus.Violation { return r.of(u).Check(u, p) }
