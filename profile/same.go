package profile

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/rfc3986"
)

// components are those of RFC 3986 section 3, in order.
var components = []struct {
	name string
	of   func(u rfc3986.URI) (text string, ok bool)
}{
	{"scheme", rfc3986.URI.Scheme},
	{"user", user},
	{"password", password},
	{"host", rfc3986.URI.Host},
	{"port", rfc3986.URI.Port},
	{"path", func(u rfc3986.URI) (string, bool) { return u.Path(), true }},
	{"query", rfc3986.URI.Query},
	{"fragment", rfc3986.URI.Fragment},
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

// spellings describes the components that x and y, which are equivalent, spell differently.
func spellings(x, y rfc3986.URI) []string {
	return compared(x, y, "spelled differently, and means the same")
}

// differences describes the components in which two canonical texts differ.
func differences(x, y rfc3986.URI) []string { return compared(x, y, "different") }

func compared(x, y rfc3986.URI, how string) (why []string) {
	for _, c := range components {
		textX, hasX := c.of(x)
		textY, hasY := c.of(y)
		switch {
		case textX == textY && hasX == hasY:
		case c.name == "password":
			why = append(why, "the password is "+how)
		default:
			why = append(why, fmt.Sprintf("the %s is %s: %s and %s", c.name, how, quote(textX, hasX), quote(textY, hasY)))
		}
	}
	return why
}

func quote(text string, ok bool) string {
	if !ok {
		return "none"
	}
	return locus.Quote(text)
}
