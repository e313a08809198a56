package scheme

import (
	"fmt"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

// Same reports whether a and b name the same resource according to their schemes, that is,
// whether their canonical forms are ==. Each of the reasons explains one difference between
// the URLs in a clause. The reasons are safe for a terminal and contain no password. If a URL
// does not match the syntax of its scheme, Same returns false, and the only reason is the
// error.
func (r *Registry) Same(a, b locus.URL) (same bool, reasons []string) {
	x, changeX, err := r.Canonical(a)
	if err != nil {
		reasons = append(reasons, err.Error())
	}
	y, changeY, err := r.Canonical(b)
	if err != nil {
		reasons = append(reasons, err.Error())
	}
	switch {
	case a == b:
		return true, []string{"the texts are identical"}
	case reasons != nil:
		return false, reasons
	case x != y:
		return false, r.differences(x, y)
	}
	return true, (changeX | changeY).Texts()
}

// comparedParts lists the parts of a URL after the scheme, in the order in which a URL
// contains them.
var comparedParts = [...]struct {
	name   string
	of     func(u locus.URL) (text string, ok bool)
	offset func(u locus.URL) int
}{
	{"user", locus.URL.User, func(u locus.URL) int { return len(u.Scheme()) + len("://") }},
	{"password", locus.URL.Password, nil}, // passwords are not shown
	{"host", func(u locus.URL) (string, bool) { return u.Host(), u.Facts().Has(locus.Internet) }, locus.URL.HostOffset},
	{"port", locus.URL.PortText, func(u locus.URL) int { return u.HostOffset() + len(u.Host()) + len(":") }},
	{"path", locus.URL.Path, locus.URL.PathOffset},
	{"part after the scheme", func(u locus.URL) (string, bool) {
		if u.Facts().Has(locus.Internet) {
			return "", false
		}
		return u.SchemePart(), true
	}, locus.URL.PathOffset},
	{"fragment", locus.URL.Fragment, func(u locus.URL) int {
		text, _ := u.Fragment()
		return u.Len() - len(text)
	}},
}

// differences describes the parts and fields in which two canonical URLs differ.
func (r *Registry) differences(x, y locus.URL) (why []string) {
	if x.Scheme() != y.Scheme() {
		return []string{differs("scheme", x.Scheme(), true, y.Scheme(), true)}
	}
	// A part may contain a password that Mask recognizes only in the whole URL, as in
	// "x://u%3APW@h".
	maskedX, maskedY := locus.Mask(x.String()), locus.Mask(y.String())
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
			if hasX {
				textX = maskedX[part.offset(x):][:len(textX)]
			}
			if hasY {
				textY = maskedY[part.offset(y):][:len(textY)]
			}
			why = append(why, differs(part.name, textX, hasX, textY, hasY))
			if hasX && hasY {
				why = append(why, r.schemeFor(x).reservedReasons(x.Scheme(), textX, textY)...)
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
	shownX, shownY := r.maskedFields(x), r.maskedFields(y)
	for i := range fx {
		// The loop over comparedParts has already compared the fields with the names listed
		// here.
		if name := fx[i].Name; fx[i].Text() != fy[i].Text() && name != "password" && name != "user" && name != "path" && name != "host" {
			why = append(why, differs(name, shownX(i), fx[i].Value != nil, shownY(i), fy[i].Value != nil))
		}
	}
	return why
}

// maskedFields returns a function that returns the text of field i of u without passwords.
// Mask needs an encoded URL, so the function decodes the fields of the masked URL.
func (r *Registry) maskedFields(u locus.URL) func(i int) string {
	masked, err := locus.Parse(locus.Mask(u.String()))
	var fields []Field
	if err == nil {
		fields, err = r.Fields(masked)
	}
	return func(i int) string {
		if err != nil || i >= len(fields) {
			return "***"
		}
		return locus.MaskText(fields[i].Text())
	}
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

// reservedReasons compares two encoded texts that are equal after decoding. It explains which
// characters are escaped in only one of the texts.
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

// reservedReason explains why the character c and its escape have different meanings in URLs
// of the scheme.
func (s *Scheme) reservedReason(name string, c byte) string {
	switch {
	case c == '+':
		return `"+" in a search stands for a space, and %2B for "+" (URI draft, "Query strings")`
	case s == &generic:
		return fmt.Sprintf("%q may be reserved in %s URLs, so it differs from its escape %%%02X (RFC 1738 2.2)", string(rune(c)), name, c)
	case s.Syntax.Reserved.Has(c):
		return fmt.Sprintf("%q is reserved in %s URLs (%s), so it differs from its escape %%%02X (RFC 1738 2.2)", string(rune(c)), name, s.Section, c)
	}
	return fmt.Sprintf("%q and its escape %%%02X differ in this part (%s)", string(rune(c)), c, s.Section)
}
