package urn

import (
	"strings"

	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/profile/rfc3986"
)

// component is a part of a URN as written, and the offset of that part.
type component struct {
	text   string
	offset int
	ok     bool // whether the component is present; a present component may be empty
}

// value returns the decoded text of a component, or nil if the component is absent.
func (c component) value() any {
	if !c.ok {
		return nil
	}
	return bnf.Decode(c.text)
}

// components holds the components of a URN. If the text after a "?" is neither an r-component nor
// a q-component, the field other contains the text.
type components struct {
	nid, nss, r, q, f, other component
}

// split splits the URI u, which may be malformed. A text with "//" is not a URN and may contain a
// password, so split returns no components for such a text.
func split(u rfc3986.URI) (c components) {
	if _, ok := u.Host(); ok {
		return c
	}
	text := u.String()
	name, _ := u.Scheme()
	start, end := len(name)+len(":"), u.QueryOffset()
	if query, ok := u.Query(); ok {
		c.query(query, end)
		end--
	}
	c.nss = component{text[start:end], start, true}
	if nid, nss, ok := strings.Cut(c.nss.text, ":"); ok {
		c.nid = component{nid, start, true}
		c.nss = component{nss, start + len(nid) + len(":"), true}
	}
	if fragment, _ := u.Fragment(); fragment != "" { // an empty fragment means the whole resource
		c.f = component{fragment, u.FragmentOffset(), true}
	}
	return c
}

// query splits the text after a "?" into components. The argument offset is the position of text
// in the URI.
func (c *components) query(text string, offset int) {
	switch {
	case strings.HasPrefix(text, "+"):
		r, q, ok := strings.Cut(text[1:], "?=")
		c.r = component{r, offset + 1, true}
		if ok {
			c.q = component{q, offset + 1 + len(r) + len("?="), true}
		}
	case strings.HasPrefix(text, "="):
		c.q = component{text[1:], offset + 1, true}
	default:
		c.other = component{text, offset, true}
	}
}
