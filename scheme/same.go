package scheme

import (
	"fmt"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

// Same reports whether a and b name the same resource, as far as the rules of their schemes
// say: whether their canonical forms are ==. why has the reasons, a clause each: what is
// spelled differently, or which parts differ. They are safe for a terminal and have no
// password. A URL that is not in the form of its scheme is the same as no other, and why
// has its error.
func (r *Registry) Same(a, b locus.URL) (same bool, why []string) {
	x, changeX, err := r.Canonical(a)
	if err != nil {
		why = append(why, err.Error())
	}
	y, changeY, err := r.Canonical(b)
	if err != nil {
		why = append(why, err.Error())
	}
	switch {
	case a == b:
		return true, []string{"they are written alike"}
	case why != nil:
		return false, why
	case x != y:
		return false, r.differences(x, y)
	}
	return true, (changeX | changeY).Texts()
}

// comparedParts are the parts of a URL after its scheme, in order.
var comparedParts = [...]struct {
	name string
	of   func(u locus.URL) (text string, ok bool)
}{
	{"user", locus.URL.User},
	{"password", locus.URL.Password},
	{"host", func(u locus.URL) (string, bool) { return u.Host(), u.Facts().Has(locus.Internet) }},
	{"port", locus.URL.PortText},
	{"path", locus.URL.Path},
	{"part after the scheme", func(u locus.URL) (string, bool) {
		if u.Facts().Has(locus.Internet) {
			return "", false
		}
		return u.SchemePart(), true
	}},
	{"fragment", locus.URL.Fragment},
}

// differences describes the parts in which two canonical URLs differ, and the fields of
// their scheme.
func (r *Registry) differences(x, y locus.URL) (why []string) {
	if x.Scheme() != y.Scheme() {
		return []string{differs("scheme", x.Scheme(), true, y.Scheme(), true)}
	}
	byFields := false
	for _, part := range comparedParts {
		textX, hasX := part.of(x)
		textY, hasY := part.of(y)
		switch {
		case textX == textY && hasX == hasY:
		case part.name == "password":
			why = append(why, "the password differs")
		default:
			byFields = byFields || part.name == "path" || part.name == "part after the scheme"
			why = append(why, differs(part.name, textX, hasX, textY, hasY))
			if hasX && hasY {
				why = append(why, r.of(x).reservedReasons(x.Scheme(), textX, textY)...)
			}
		}
	}
	if byFields {
		why = append(why, r.fieldDifferences(x, y)...)
	}
	return why
}

func (r *Registry) fieldDifferences(x, y locus.URL) (why []string) {
	fx, errX := r.Fields(x)
	fy, errY := r.Fields(y)
	if errX != nil || errY != nil || len(fx) != len(fy) {
		return nil
	}
	for i := range fx {
		textX, textY := fx[i].Text(), fy[i].Text()
		// These are among the parts.
		if name := fx[i].Name; textX != textY && name != "password" && name != "user" && name != "path" && name != "host" {
			why = append(why, differs(name, textX, fx[i].Value != nil, textY, fy[i].Value != nil))
		}
	}
	return why
}

func differs(name, x string, hasX bool, y string, hasY bool) string {
	quote := func(text string, has bool) string {
		if !has {
			return "none"
		}
		return locus.Quote(octet.Text(text))
	}
	return fmt.Sprintf("the %s differs: %s and %s", name, quote(x, hasX), quote(y, hasY))
}

// reservedReasons explains which characters are escaped in one of x and y only, if x and
// y are the same once decoded.
func (s *Scheme) reservedReasons(name, x, y string) (why []string) {
	seen := escape.Set{}
	for x != "" && y != "" {
		ox, sizeX := bnf.Octet(x, 0)
		oy, sizeY := bnf.Octet(y, 0)
		if ox != oy {
			return nil
		}
		if sizeX != sizeY && !seen.Has(ox) {
			seen = seen.With(string(rune(ox)))
			why = append(why, s.reservedReason(name, ox))
		}
		x, y = x[sizeX:], y[sizeY:]
	}
	if x != y {
		return nil
	}
	return why
}

// reservedReason explains why c and its escape differ in a URL of a scheme.
func (s *Scheme) reservedReason(name string, c byte) string {
	switch {
	case c == '+':
		return `"+" in a search stands for a space, and %2B for "+" (URI draft, "Query strings")`
	case s == &generic:
		return fmt.Sprintf("%q may be reserved in %s URLs, so it differs from its escape %%%02X (RFC 1738 2.2)", string(rune(c)), name, c)
	case s.Reserved.Has(c):
		return fmt.Sprintf("%q is reserved in %s URLs (%s), so it differs from its escape %%%02X (RFC 1738 2.2)", string(rune(c)), name, s.Section, c)
	}
	return fmt.Sprintf("%q and its escape %%%02X differ in this part (%s)", string(rune(c)), c, s.Section)
}
