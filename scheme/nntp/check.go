package nntp

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

const section = "RFC 1738 3.7"

// maxNumber is the highest article number of RFC 3977 section 6.
const maxNumber = 1<<31 - 1

// check returns everything that is wrong with u.
func check(u locus.URL, p locus.Profile) []locus.Violation {
	if p == locus.RFC1738 && sound(u) {
		return nil
	}
	group, digits, hasNumber, offset := split(u)
	f := bnf.Findings{URL: u, Profile: p}
	f.Scheme()
	if p == locus.RFC1738 || u.Facts().Has(locus.Internet) {
		f.Internet(bnf.Login{Section: section})
	}
	f.Group(offset, group)
	offset += len(group)
	switch {
	case hasNumber:
		number(&f, offset+1, digits)
	case p == locus.RFC1630:
		f.Add("form", "URI draft, nntpaddress", offset, "", `write "/" and the number of an article`)
	}
	return f.List()
}

// sound reports, without allocation, that nothing is wrong with u by RFC 1738,
// and nothing worth a note.
func sound(u locus.URL) bool {
	path, _ := u.Path()
	group, digits, hasNumber := strings.Cut(path, "/")
	if !bnf.SoundHostPort(u) || !bnf.IsGroup(group) {
		return false
	}
	if !hasNumber {
		return true
	}
	// Nine digits are always below maxNumber.
	return digits != "" && len(digits) <= 9 && notDigit(digits) == len(digits) && digits[0] != '0'
}

// number looks at digits, which begin at offset.
func number(f *bnf.Findings, offset int, digits string) {
	if digits == "" {
		f.Add("article-number", "RFC 1738 5", offset-1, "/", `write the number of an article after the "/", or leave the "/" out`)
		return
	}
	if notDigit(digits) < len(digits) {
		f.Chars("digits", offset, digits, octet.Digit)
		return
	}
	switch n, err := articleNumber(digits); {
	case err != nil:
		f.Impossible("article-number", section, offset, digits, "no server counts as far")
	case n == 0:
		f.Impossible("article-number", "RFC 3977 6", offset, digits, "article numbers begin at 1")
	case n > maxNumber:
		f.Note("article-number", "RFC 3977 6", offset, digits, "most servers have no article number over 2147483647")
	}
}

// canonical returns the one spelling of u, and what it changed. The article number
// is without zeros at its front. The error is a [*locus.SyntaxError]: u is no nntp
// URL.
func canonical(u locus.URL) (locus.URL, locus.Change, error) {
	if _, err := Parse(u); err != nil {
		return locus.URL{}, 0, err
	}
	group, digits, hasNumber, _ := split(u)
	plain := strings.TrimLeft(digits, "0")
	if plain == "" && digits != "" {
		plain = "0"
	}
	if plain == digits && bnf.Spelled(u, defaultPort(u)) {
		return u, 0, nil
	}
	var c bnf.Canon
	c.Begin(u)
	if u.Facts().Has(locus.Internet) {
		c.Login(defaultPort(u))
		c.Raw("/")
	}
	c.Text(group, escape.Unreserved())
	if hasNumber {
		c.Raw("/" + plain)
	}
	if plain != digits {
		c.Change |= locus.FormFields
	}
	return c.End()
}

// notes says that section 3.7 prefers news URLs.
func notes(u locus.URL) []locus.Violation {
	help := "news: is preferred, because most servers answer local clients only: write news: and the name of the newsgroup"
	if _, _, hasNumber, _ := split(u); hasNumber {
		help = "news: is preferred for an article, because most servers answer local clients only: write news: and its message-id"
	}
	return []locus.Violation{{Rule: "prefer-news", Kind: locus.Note, Section: section, Text: u.String()[:len(u.Scheme())], Help: help}}
}
