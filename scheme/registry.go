package scheme

import (
	"fmt"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/profile/rfc3986"
)

// Registry is an immutable list of schemes. The zero Registry is empty. It may be used
// concurrently.
type Registry struct {
	sorted []*Scheme
	// table is a hash table with open addressing, and never full. The registry looks
	// up every URL at least once, and this table costs a third of a map.
	table []entry
}

type entry struct {
	key    uint64 // the result of octet.SchemeKey for the name
	scheme *Scheme
	clean  locus.Facts // the facts of Scheme.Clean except NoHost
	host   locus.Facts // at least one of these facts must also hold
	long   bool        // the name has more than seven bytes, so key holds only the first ones
}

// NewRegistry returns a registry of the schemes in list, with defaults for missing fields.
// It fails if a name is missing, malformed (RFC 1738 section 2.1) or used twice, if a
// Status is unknown, if an Opener is a nil pointer or function, or if Clean has facts but
// Check is nil.
func NewRegistry(list ...Scheme) (*Registry, error) {
	return new(Registry).With(list...)
}

// With returns a registry of the schemes of r and list. It fails like [NewRegistry].
func (r *Registry) With(list ...Scheme) (*Registry, error) {
	n := &Registry{sorted: slices.Clone(r.sorted)}
	for _, s := range list {
		if err := s.complete(); err != nil {
			return nil, err
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

// fill builds the table. The number of slots is a power of two and at least four per
// scheme.
func (r *Registry) fill() {
	size := uint64(4)
	for size < 4*uint64(len(r.sorted)) {
		size *= 2
	}
	r.table = make([]entry, size)
	for _, s := range r.sorted {
		key := octet.SchemeKey(s.Name)
		i := slot(key)
		for r.table[i&(size-1)].scheme != nil {
			i++
		}
		r.table[i&(size-1)] = entry{key, s, s.Syntax.Clean &^ locus.NoHost, locus.HostName | locus.HostNumber | s.Syntax.Clean&locus.NoHost, len(s.Name) >= 8}
	}
}

// slot spreads the keys over the slots. The upper bits of a product depend on all bits of
// its factors.
func slot(key uint64) uint64 { return key * 0x9E3779B97F4A7C15 >> 32 }

// Lookup returns the scheme with that name, ignoring case.
func (r *Registry) Lookup(name string) (Scheme, bool) {
	if s := r.named(strings.ToLower(name)); s != &generic {
		return *s, true
	}
	return Scheme{}, false
}

// named returns the scheme with the given name, which must be in lower case. If no such
// scheme is registered, it returns the generic scheme.
func (r *Registry) named(name string) *Scheme {
	byName := func(s *Scheme, name string) int { return strings.Compare(s.Name, name) }
	if i, ok := slices.BinarySearchFunc(r.sorted, name, byName); ok {
		return r.sorted[i]
	}
	return &generic
}

// of returns the scheme of u, or the generic scheme.
func (r *Registry) of(u locus.URL) *Scheme {
	if s := r.entry(u.String()).scheme; s != nil {
		return s
	}
	if !u.Facts().Has(locus.SchemeLower) {
		return r.named(u.Scheme())
	}
	return &generic
}

// noEntry is the entry of schemes that are not registered.
var noEntry entry

// entry returns the entry of the scheme name before the first ":" in text. The name must be
// in lower case. If the scheme is not registered, entry returns noEntry.
func (r *Registry) entry(text string) *entry {
	if len(r.table) == 0 {
		return &noEntry
	}
	var key uint64
	if len(text) >= 8 {
		key = octet.WordKey(octet.Word(text))
	} else {
		key = octet.SchemeKey(text)
	}
	for i := slot(key); ; i++ {
		e := &r.table[i&uint64(len(r.table)-1)]
		if e.key == key && (!e.long || isNamed(text, e.scheme.Name)) || e.scheme == nil {
			return e
		}
	}
}

// isNamed reports whether text begins with name and a ":".
func isNamed(text, name string) bool {
	return strings.HasPrefix(text, name) && strings.HasPrefix(text[len(name):], ":")
}

// All returns the schemes in order of their names.
func (r *Registry) All() []Scheme {
	list := make([]Scheme, len(r.sorted))
	for i, s := range r.sorted {
		list[i] = *s
	}
	return list
}

// Known reports whether the scheme of u is registered.
func (r *Registry) Known(u locus.URL) bool { return r.of(u) != &generic }

// Fields returns the decoded parts of u according to its scheme, or none if the
// scheme is not registered.
func (r *Registry) Fields(u locus.URL) ([]Field, error) { return r.of(u).Syntax.Fields(u) }

// Notes returns the notes about u according to its scheme, or none if the scheme is not
// registered.
func (r *Registry) Notes(u locus.URL) []locus.Violation {
	if notes := r.of(u).Syntax.Notes; notes != nil {
		return notes(u)
	}
	return nil
}

// Canonical returns the canonical form of u according to its scheme, or to [Generic] if the
// scheme is not registered (RFC 1738 section 5, otherurl).
func (r *Registry) Canonical(u locus.URL) (locus.URL, locus.Change, error) {
	return r.of(u).Syntax.Canonical(u)
}

// Check returns the violations of u according to its scheme, or to [Generic] if the scheme
// is not registered. For [locus.RFC3986] it returns the violations of [Registry.CheckURI].
// It treats [locus.WHATWG] as RFC3986, because the verdict of WHATWG depends on the text:
// see package profile.
func (r *Registry) Check(u locus.URL, p locus.Profile) []locus.Violation {
	if p > locus.RFC1630 {
		return r.CheckURI(rfc3986.Parse(u.String()))
	}
	e := r.entry(u.String())
	if e.scheme == nil {
		return r.of(u).Syntax.Check(u, p)
	}
	// Facts that rule out violations make the call unnecessary.
	if f := u.Facts(); p == locus.RFC1738 && e.clean != 0 && f.Has(e.clean) && f&e.host != 0 {
		return nil
	}
	return e.scheme.Syntax.Check(u, p)
}

// Port returns the port in u, or the default port of its scheme. It returns 0 if there is
// none.
func (r *Registry) Port(u locus.URL) uint16 {
	if n, ok := u.Port(); ok {
		return n
	}
	return r.of(u).Port
}
