package news

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

const section = "RFC 1738 3.6"

// check returns everything that is wrong with u.
func check(u locus.URL, p locus.Profile) []locus.Violation {
	if p == locus.RFC1738 && sound(u) {
		return nil
	}
	f := bnf.Findings{URL: u, Profile: p}
	f.Scheme()
	text, offset := grouppart(u)
	if whole, start := bnf.SchemePart(u); u.Facts().Has(locus.Internet) {
		if _, err := Parse(u); err == nil && p == locus.RFC1738 && isArticle(whole) {
			f.Note("server", "RFC 5538 2.2", start, "//", "RFC 1738 reads all of this as a message-id; RFC 5538 reads a server and what it has")
			article(&f, start, whole)
			return f.List()
		}
		f.Add("server", section, len(u.Scheme())+1, "//", "RFC 1738 has no server in a news URL; that form is of RFC 5538: leave the server out, or write nntp:")
		f.Internet(bnf.Login{Section: section})
		if text == "" {
			return f.List()
		}
	}
	switch {
	case text == "":
		f.Add("form", section, offset, "", `write "*", a newsgroup or a message-id after "news:"`)
	case text == "*":
	case strings.IndexByte(text, '@') < 0:
		f.Group(offset, text)
	default:
		article(&f, offset, text)
	}
	return f.List()
}

// sound reports, without allocation, that nothing is wrong with u by RFC 1738.
func sound(u locus.URL) bool {
	facts := u.Facts()
	if !facts.Has(locus.SchemeLower|locus.FragmentXchar) || facts.Has(locus.Internet) {
		return false
	}
	text := u.SchemePart()
	left, _, ok := strings.Cut(text, "@")
	if !ok {
		return text == "*" || bnf.IsGroup(text)
	}
	return isArticle(text) && (facts.Has(locus.NoEscape) || nextImpossible(left, 0) == len(left))
}

// isArticle reports whether text is an article of section 5:
//
//	article = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host
func isArticle(text string) bool {
	left, host, ok := strings.Cut(text, "@")
	return ok && left != "" && octet.All(left)&octet.Article != 0 && host != "" && host[0] != '[' && locus.IsHost(host)
}

// article looks at text, which begins at offset and has an "@". In the URI draft
// that is
//
//	article = xalphas "@" host
func article(f *bnf.Findings, offset int, text string) {
	at := strings.LastIndexByte(text, '@')
	left, host := text[:at], text[at+1:]
	set := octet.Article
	if f.Profile == locus.RFC1630 {
		set = octet.Xalpha
	}
	if left == "" {
		f.Add("article", "RFC 1738 5", offset, "@", `write the unique part of the message-id before "@"`)
	}
	f.Chars("article", offset, left, set)
	for i := nextImpossible(left, 0); i < len(left); i = nextImpossible(left, i+3) {
		f.Impossible("message-id", "RFC 1036 2.1.5", offset+i, left[i:i+3], `a message-id is printing characters, without blanks and without "<" and ">"`)
	}
	offset += at + 1
	if strings.HasPrefix(host, "[") || strings.HasPrefix(strings.ToUpper(host), "%5B") {
		f.Add("domain-literal", "RFC 1738 5", offset, host, `a host follows the "@": section 5 has no domain literal, though message-ids do`)
		return
	}
	f.Host(offset, host)
}

// nextImpossible returns where in text, from i on, the next escape is whose octet
// no message-id has, or the length of text. Unescaped, these are no uchars.
func nextImpossible(text string, i int) int {
	for i < len(text) {
		c, size := bnf.Octet(text, i)
		if size > 1 && (c <= ' ' || c >= 0x7F || c == '<' || c == '>') {
			return i
		}
		i += size
	}
	return i
}

// canonical returns the one spelling of u, and what it changed. No character of a
// message-id is reserved (section 3.6); its last "@" is the only one that is not
// escaped. A server without a group is one with "*". The error is a [*locus.SyntaxError]: u is not a news URL.
func canonical(u locus.URL) (locus.URL, locus.Change, error) {
	if _, err := Parse(u); err != nil {
		return locus.URL{}, 0, err
	}
	text, _ := grouppart(u)
	if text != "" && bnf.Spelled(u, defaultPort(u)) && strings.Count(text, "@") <= 1 {
		return u, 0, nil
	}
	var c bnf.Canon
	c.Begin(u)
	if u.Facts().Has(locus.Internet) {
		c.Login(defaultPort(u))
		c.Raw("/")
	}
	switch {
	case text == "":
		c.Change |= locus.FormFields
		c.Raw("*")
	case strings.IndexByte(text, '@') < 0:
		c.Text(text, plainGroup())
	default:
		at := strings.LastIndexByte(text, '@')
		left := text[:at]
		if !u.Facts().Has(locus.Internet) {
			left = c.Slashes(left)
		}
		c.Octets(left, escape.Article(), escape.Set{})
		c.Raw("@")
		c.Text(text[at+1:], escape.Unreserved())
	}
	return c.End()
}
