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
	sorted []*Scheme
	// table holds the schemes at, or next behind, the slots of their names, and is
	// never full. Every URL is looked up once or more, and this costs a third of
	// what a map does.
	table []entry
}

type entry struct {
	name   string
	scheme *Scheme // nil: the place is free
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
	n := &Registry{sorted: slices.Clone(r.sorted)}
	for _, s := range list {
		if !locus.IsScheme(s.Name) {
			return nil, fmt.Errorf("scheme: %s is no scheme's name in lower case", locus.Quote(s.Name))
		}
		n.sorted = append(n.sorted, &s)
	}
	slices.SortFunc(n.sorted, func(a, b *Scheme) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(n.sorted); i++ {
		if name := n.sorted[i].Name; name == n.sorted[i-1].Name {
			return nil, fmt.Errorf("scheme: %q is registered twice", name)
		}
	}
	n.fill()
	return n, nil
}

// fill makes the table: a power of two of slots, at least four for a scheme.
func (r *Registry) fill() {
	size := uint(4)
	for size < 4*uint(len(r.sorted)) {
		size *= 2
	}
	r.table = make([]entry, size)
	for _, s := range r.sorted {
		i := slot(s.Name)
		for r.table[i&(size-1)].scheme != nil {
			i++
		}
		r.table[i&(size-1)] = entry{s.Name, s}
	}
}

// slot tells names apart by their length and ends, which the names there are
// differ in.
func slot(name string) uint {
	n := uint(len(name))
	if n == 0 {
		return 0
	}
	return n + 3*uint(name[0]) + uint(name[n-1])
}

// find returns the scheme of that name in lower case, nil if there is none.
func (r *Registry) find(name string) *Scheme {
	if len(r.table) == 0 {
		return nil
	}
	for i := slot(name); ; i++ {
		if e := &r.table[i&uint(len(r.table)-1)]; e.scheme == nil || e.name == name {
			return e.scheme
		}
	}
}

// Lookup returns the scheme of that name, in any case.
func (r *Registry) Lookup(name string) (Scheme, bool) {
	s := r.find(name)
	if s == nil {
		if s = r.find(strings.ToLower(name)); s == nil {
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
	if s := r.find(u.Scheme()); s != nil {
		return s
	}
	return &generic
}

// Known reports whether the scheme of u is registered.
func (r *Registry) Known(u locus.URL) bool { return r.find(u.Scheme()) != nil }

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
