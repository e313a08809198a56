package scheme

import (
	"fmt"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/profile/rfc3986"
)

// Registry is an immutable list of schemes. The zero Registry is empty. Its methods may be
// called concurrently.
type Registry struct {
	sorted []*Scheme
	// table is a hash table with open addressing, which always has free slots. The registry
	// looks up the scheme of every URL at least once, and a lookup in this table costs a third
	// of a lookup in a map.
	table []entry
}

type entry struct {
	key    uint64 // the result of octet.SchemeKey for the name and ":"
	scheme *Scheme
	clean  locus.Facts // the facts of Scheme.Clean except NoHost
	host   locus.Facts // facts of which a URL must have at least one
	long   bool        // the name has more than seven bytes, so key contains only its beginning
}

// NewRegistry returns a registry of the given schemes, with defaults for missing fields. It
// fails if a name is missing, malformed (RFC 1738 section 2.1) or used twice, or if a Status
// is unknown. It also fails if an Opener is a nil pointer or function, or if Syntax.Clean is
// set but Syntax.Check is nil.
func NewRegistry(list ...Scheme) (*Registry, error) {
	return new(Registry).With(list...)
}

// With returns a registry that contains the schemes of r and the given schemes. It fails for
// the same reasons as [NewRegistry].
func (r *Registry) With(list ...Scheme) (*Registry, error) {
	n := &Registry{sorted: slices.Clone(r.sorted)}
	for _, s := range list {
		if err := s.setDefaults(); err != nil {
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
	n.buildTable()
	return n, nil
}

// buildTable builds the hash table. The number of slots is a power of two, with at least four slots
// per scheme.
func (r *Registry) buildTable() {
	size := uint64(4)
	for size < 4*uint64(len(r.sorted)) {
		size *= 2
	}
	r.table = make([]entry, size)
	for _, s := range r.sorted {
		key := octet.SchemeKey(s.Name + ":")
		i := hashKey(key)
		for r.table[i&(size-1)].scheme != nil {
			i++
		}
		r.table[i&(size-1)] = entry{key, s, s.Syntax.Clean &^ locus.NoHost, locus.HostName | locus.HostNumber | s.Syntax.Clean&locus.NoHost, len(s.Name) >= 8}
	}
}

// hashKey spreads the keys over the slots. The upper bits of a product depend on all bits of
// its factors.
func hashKey(key uint64) uint64 { return key * 0x9E3779B97F4A7C15 >> 32 }

// Lookup returns the scheme with the given name. It ignores case.
func (r *Registry) Lookup(name string) (Scheme, bool) {
	byName := func(s *Scheme, name string) int { return strings.Compare(s.Name, name) }
	if i, ok := slices.BinarySearchFunc(r.sorted, strings.ToLower(name), byName); ok {
		return *r.sorted[i], true
	}
	return Scheme{}, false
}

// schemeFor returns the scheme of u. If the scheme is not registered, schemeFor returns the
// generic scheme.
func (r *Registry) schemeFor(u locus.URL) *Scheme {
	if s := r.findEntry(u.String()).scheme; s != nil {
		return s
	}
	return &generic
}

// noEntry is the entry for schemes that are not registered.
var noEntry entry

// findEntry returns the table entry for the scheme name before the first ":" in text, ignoring
// case. If the scheme is not registered, the entry contains no scheme.
func (r *Registry) findEntry(text string) *entry {
	if len(r.table) == 0 {
		return &noEntry
	}
	var key uint64
	if len(text) >= 8 {
		key = octet.WordKey(octet.Word(text))
	} else {
		key = octet.SchemeKey(text)
	}
	for i := hashKey(key); ; i++ {
		e := &r.table[i&uint64(len(r.table)-1)]
		if e.key == key && (!e.long || isNamed(text, e.scheme.Name)) || e.scheme == nil {
			return e
		}
	}
}

// isNamed reports whether text begins with name, ignoring case, and a ":".
func isNamed(text, name string) bool {
	return len(text) > len(name) && text[len(name)] == ':' && strings.EqualFold(text[:len(name)], name)
}

// All returns the registered schemes, sorted by name.
func (r *Registry) All() []Scheme {
	list := make([]Scheme, len(r.sorted))
	for i, s := range r.sorted {
		list[i] = *s
	}
	return list
}

// Known reports whether the scheme of u is registered.
func (r *Registry) Known(u locus.URL) bool { return r.schemeFor(u) != &generic }

// Fields returns the decoded parts of u, according to its scheme. If the scheme is not
// registered, Fields returns nil.
func (r *Registry) Fields(u locus.URL) ([]Field, error) { return r.schemeFor(u).Syntax.Fields(u) }

// Notes returns advice about u, according to its scheme. If the scheme is not registered,
// Notes returns nil.
func (r *Registry) Notes(u locus.URL) []locus.Violation {
	if notes := r.schemeFor(u).Syntax.Notes; notes != nil {
		return notes(u)
	}
	return nil
}

// Canonical returns the canonical form of u, according to its scheme. If the scheme is not
// registered, Canonical applies the rules of [Generic] (otherurl in RFC 1738 section 5).
func (r *Registry) Canonical(u locus.URL) (locus.URL, locus.Change, error) {
	return r.schemeFor(u).Syntax.Canonical(u)
}

// Check returns the violations that u contains, according to its scheme. If the scheme is not
// registered, Check applies the rules of [Generic]. For [locus.RFC3986], it returns the result
// of [Registry.CheckURI]. It treats [locus.WHATWG] like RFC3986, because WHATWG conformance
// depends on the original text (see package profile).
func (r *Registry) Check(u locus.URL, p locus.Profile) []locus.Violation {
	if p > locus.RFC1630 {
		return r.CheckURI(rfc3986.Parse(u.String()))
	}
	e := r.findEntry(u.String())
	if e.scheme == nil {
		return generic.Syntax.Check(u, p)
	}
	// The facts of most URLs rule out violations, and make the call of Check unnecessary.
	if f := u.Facts(); p == locus.RFC1738 && e.clean != 0 && f.Has(e.clean|locus.SchemeLower) && f&e.host != 0 {
		return nil
	}
	return e.scheme.Syntax.Check(u, p)
}

// Port returns the port in u or, if it is missing, the default port of the scheme. If the
// scheme has no default port, Port returns 0.
func (r *Registry) Port(u locus.URL) uint16 {
	if n, ok := u.Port(); ok {
		return n
	}
	return r.schemeFor(u).Port
}
