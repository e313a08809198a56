package profile

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/rfc3986"
)

// components lists the components of RFC 3986 section 3 in order, with functions for their
// text and offset.
var components = []struct {
	name   string
	of     func(u rfc3986.URI) (text string, ok bool)
	offset func(u rfc3986.URI) int
}{
	{"scheme", rfc3986.URI.Scheme, func(rfc3986.URI) int { return 0 }},
	{"user", user, rfc3986.URI.UserinfoOffset},
	{"password", password, nil}, // a password must not be shown
	{"host", rfc3986.URI.Host, rfc3986.URI.HostOffset},
	{"port", rfc3986.URI.Port, rfc3986.URI.PortOffset},
	{"path", func(u rfc3986.URI) (string, bool) { return u.Path(), true }, rfc3986.URI.PathOffset},
	{"query", rfc3986.URI.Query, rfc3986.URI.QueryOffset},
	{"fragment", rfc3986.URI.Fragment, rfc3986.URI.FragmentOffset},
}

func user(u rfc3986.URI) (string, bool) {
	text, ok := u.Userinfo()
	text, _, _ = strings.Cut(text, ":")
	return text, ok
}

func password(u rfc3986.URI) (string, bool) {
	text, _ := u.Userinfo()
	_, text, ok := strings.Cut(text, ":")
	return text, ok
}

// spellingDifferences describes the components of x and y whose texts differ. The URIs x and y
// must be equivalent.
func spellingDifferences(x, y rfc3986.URI) []string {
	return compareComponents(x, y, "spelled differently but equivalent")
}

// differences describes the components in which two canonical texts differ.
func differences(x, y rfc3986.URI) []string { return compareComponents(x, y, "different") }

func compareComponents(x, y rfc3986.URI, how string) (why []string) {
	// Mask the whole URI, because Mask recognizes some passwords only in the whole text, as in
	// "u%3APW@h".
	maskedX, maskedY := locus.Mask(x.String()), locus.Mask(y.String())
	for _, c := range components {
		textX, hasX := c.of(x)
		textY, hasY := c.of(y)
		switch {
		case textX == textY && hasX == hasY:
		case c.name == "password":
			why = append(why, "the password is "+how)
		default:
			why = append(why, fmt.Sprintf("the %s is %s: %s and %s", c.name, how,
				quote(maskedX, c.offset(x), textX, hasX), quote(maskedY, c.offset(y), textY, hasY)))
		}
	}
	return why
}

// quote returns the text of a component in quotes and without passwords. masked is the masked
// URI, which contains the component at offset.
func quote(masked string, offset int, text string, ok bool) string {
	if !ok {
		return "none"
	}
	return locus.Quote(masked[offset : offset+len(text)])
}
