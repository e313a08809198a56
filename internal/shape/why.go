package shape

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/advice"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/scheme"
)

// Part is a named part of the text of a URL.
type Part struct {
	Name   string
	Offset int
	Text   string
}

// Parts returns the parts of u that are present, in order.
func Parts(u locus.URL) []Part {
	scheme, _, _ := strings.Cut(u.String(), ":")
	list := []Part{{"scheme", 0, scheme}}
	add := func(name string, offset int, text string, ok bool) {
		if ok {
			list = append(list, Part{name, offset, text})
		}
	}
	if !u.Facts().Has(locus.Internet) {
		add("schemePart", u.PathOffset(), u.SchemePart(), true)
	} else {
		user, hasUser := u.User()
		password, hasPassword := u.Password()
		port, hasPort := u.PortText()
		path, hasPath := u.Path()
		start := len(scheme) + len("://")
		add("user", start, user, hasUser)
		add("password", start+len(user)+1, password, hasPassword)
		add("host", u.HostOffset(), u.Host(), true)
		add("port", u.HostOffset()+len(u.Host())+1, port, hasPort)
		add("path", u.PathOffset(), path, hasPath)
	}
	fragment, hasFragment := u.Fragment()
	add("fragment", u.Len()-len(fragment), fragment, hasFragment)
	return list
}

// Side is one of two URLs that are compared.
type Side struct {
	Input     string
	Canonical locus.URL
	Change    locus.Change
	Err       error
}

// NewSide reads input. err is why input is incomplete, or nil.
func NewSide(r *scheme.Registry, input string, err error) Side {
	s := Side{Input: input, Err: err}
	var u locus.URL
	if s.Err == nil {
		u, s.Err = Read(input)
	}
	if s.Err == nil {
		s.Canonical, s.Change, s.Err = r.Canonical(u)
	}
	return s
}

// NewCompare compares two sides and gives the reasons.
func NewCompare(r *scheme.Registry, x, y Side) Compare {
	var why []string
	same := false
	for _, s := range []Side{x, y} {
		if s.Err != nil {
			why = append(why, s.Err.Error())
		}
	}
	if why == nil {
		same, why = sameness(r, x, y)
	}
	return Compare{
		A: Text(x.Input), B: Text(y.Input), Same: same, Why: Texts(why),
		CanonicalA: Present(x.Canonical.String(), x.Err == nil),
		CanonicalB: Present(y.Canonical.String(), y.Err == nil),
	}
}

// sameness compares two sides without errors and gives the reasons.
func sameness(r *scheme.Registry, x, y Side) (same bool, why []string) {
	switch {
	case x.Canonical != y.Canonical:
		return false, differences(r, x.Canonical, y.Canonical)
	case x.Input == y.Input:
		return true, []string{"they are written alike"}
	default:
		return true, (x.Change | y.Change).Texts()
	}
}

// differences describes the parts in which two canonical URLs differ, and the fields of
// their scheme.
func differences(r *scheme.Registry, x, y locus.URL) []string {
	if x.Scheme() != y.Scheme() {
		return []string{differs("scheme", x.Scheme(), true, y.Scheme(), true)}
	}
	var why []string
	path := false
	for _, p := range pairParts(x, y) {
		if p.name == "password" {
			why = append(why, "the password differs")
			continue
		}
		path = path || p.name == "path" || p.name == "schemePart"
		why = append(why, differs(p.name, p.x, p.hasX, p.y, p.hasY))
		if p.hasX && p.hasY {
			why = append(why, reservedReasons(r, x.Scheme(), p.x, p.y)...)
		}
	}
	if path {
		why = append(why, fieldDifferences(r, x, y)...)
	}
	return why
}

// partPair is a part of two URLs.
type partPair struct {
	name       string
	x, y       string
	hasX, hasY bool
}

// pairParts returns the parts in which x and y differ, in order.
func pairParts(x, y locus.URL) []partPair {
	var list []partPair
	has := func(u locus.URL, name string) (string, bool) {
		for _, p := range Parts(u) {
			if p.Name == name {
				return p.Text, true
			}
		}
		return "", false
	}
	for _, name := range []string{"user", "password", "host", "port", "path", "schemePart", "fragment"} {
		p := partPair{name: name}
		p.x, p.hasX = has(x, name)
		p.y, p.hasY = has(y, name)
		if p.x != p.y || p.hasX != p.hasY {
			list = append(list, p)
		}
	}
	return list
}

// fieldDifferences describes the decoded fields that differ.
func fieldDifferences(r *scheme.Registry, x, y locus.URL) []string {
	fx, errX := r.Fields(x)
	fy, errY := r.Fields(y)
	if errX != nil || errY != nil || len(fx) != len(fy) {
		return nil
	}
	var why []string
	for i := range fx {
		textX, textY := advice.ValueText(fx[i].Value), advice.ValueText(fy[i].Value)
		// These are among the parts.
		if name := fx[i].Name; textX != textY && name != "password" && name != "user" && name != "path" && name != "host" {
			why = append(why, differs(name, textX, fx[i].Value != nil, textY, fy[i].Value != nil))
		}
	}
	return why
}

// differs returns the sentence for a part that differs.
func differs(name, x string, hasX bool, y string, hasY bool) string {
	quote := func(text string, has bool) string {
		if !has {
			return "none"
		}
		return locus.Quote(charset.Text(text))
	}
	return fmt.Sprintf("the %s differs: %s and %s", name, quote(x, hasX), quote(y, hasY))
}

// reservedReasons explains which characters are escaped in one of x and y only, if x and
// y are the same once decoded.
func reservedReasons(r *scheme.Registry, name, x, y string) (why []string) {
	seen := escape.Set{}
	for x != "" && y != "" {
		ox, sizeX := bnf.Octet(x, 0)
		oy, sizeY := bnf.Octet(y, 0)
		if ox != oy {
			return nil
		}
		if sizeX != sizeY && !seen.Has(ox) {
			seen = seen.With(string(rune(ox)))
			why = append(why, reservedReason(r, name, ox))
		}
		x, y = x[sizeX:], y[sizeY:]
	}
	if x != y {
		return nil
	}
	return why
}

// reservedReason explains why c and its escape differ in a URL of a scheme.
func reservedReason(r *scheme.Registry, name string, c byte) string {
	s, known := r.Lookup(name)
	switch {
	case c == '+':
		return `"+" in a search stands for a space, and %2B for "+" (URI draft, "Query strings")`
	case known && s.Reserved.Has(c):
		return fmt.Sprintf("%q is reserved in %s URLs (%s), so it differs from its escape %%%02X (RFC 1738 2.2)", string(rune(c)), name, s.Section, c)
	case known:
		return fmt.Sprintf("%q and its escape %%%02X differ in this part (%s)", string(rune(c)), c, s.Section)
	}
	return fmt.Sprintf("%q may be reserved in %s URLs, so it differs from its escape %%%02X (RFC 1738 2.2)", string(rune(c)), name, c)
}
