package nntp

import (
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

// Port is the default port (RFC 1738 section 3.7).
const Port = 119

// URL is an nntp URL. It is a comparable value; the zero URL is none.
type URL struct {
	url       locus.URL
	newsgroup string
	number    uint64
	hasNumber bool
}

// Parse reads u as an nntp URL. The error is a [*locus.SyntaxError]: u has
// another scheme, a "//" without a host and "/", no group, or a number that is
// none.
func Parse(u locus.URL) (URL, error) {
	if u.Scheme() != "nntp" {
		return URL{}, u.Errorf(0, "scheme", "%w: it is no nntp URL", locus.ErrForm)
	}
	group, digits, hasNumber, offset := split(u)
	switch {
	case u.Facts().Has(locus.Internet) && u.Host() == "":
		return URL{}, u.Errorf(u.HostOffset(), "host", `%w: a server's name follows "//"`, locus.ErrForm)
	case u.MissingSlash():
		return URL{}, u.Errorf(offset, "group", `%w: "/" must stand before "?"`, locus.ErrForm)
	case group == "":
		return URL{}, u.Errorf(offset, "group", "%w: the name of a newsgroup is needed", locus.ErrForm)
	}
	n := URL{url: u, newsgroup: bnf.Decode(group), hasNumber: hasNumber}
	if !hasNumber {
		return n, nil
	}
	offset += len(group) + 1
	if i := notDigit(digits); i < len(digits) || digits == "" {
		return URL{}, u.Errorf(offset+i, "digits", "%w: an article number is decimal digits", locus.ErrForm)
	}
	var err error
	if n.number, err = articleNumber(digits); err != nil {
		return URL{}, u.Errorf(offset, "digits", "%w: no article has a number as high", locus.ErrValue)
	}
	return n, nil
}

// split returns the group and the article number as they are written, and where
// the group begins. ok reports whether the "/" between them is there.
func split(u locus.URL) (group, digits string, ok bool, offset int) {
	text := u.SchemePart()
	if u.Facts().Has(locus.Internet) {
		text, _ = u.Path()
	}
	group, digits, ok = strings.Cut(text, "/")
	return group, digits, ok, u.PathOffset()
}

// notDigit returns where the first octet of text is that is no digit.
func notDigit(text string) int {
	i := 0
	for i < len(text) && octet.Is(text[i], octet.Digit) {
		i++
	}
	return i
}

// articleNumber returns the number that digits are, if an int can hold it.
func articleNumber(digits string) (uint64, error) {
	return strconv.ParseUint(digits, 10, strconv.IntSize-1)
}

// URL returns the URL as it was parsed.
func (n URL) URL() locus.URL { return n.url }

// Newsgroup returns the name of the newsgroup, decoded.
func (n URL) Newsgroup() string { return n.newsgroup }

// ArticleNumber returns the number of the article within the newsgroup on that
// server. ok is false if n is about the whole group.
func (n URL) ArticleNumber() (number uint64, ok bool) { return n.number, n.hasNumber }

// Parts are what an nntp URL is made of, decoded.
type Parts struct {
	Host          string  // needed
	Port          uint16  // 0: the default
	Newsgroup     string  // needed
	ArticleNumber *uint64 // nil: the whole group
}

// URL makes the URL. The error is a [*locus.SyntaxError]: there is no newsgroup,
// or Host is no host.
func (p Parts) URL() (URL, error) {
	path := escape.Encode(p.Newsgroup, escape.Unreserved())
	if p.ArticleNumber != nil {
		path += "/" + strconv.FormatUint(*p.ArticleNumber, 10)
	}
	u, err := locus.Parts{Scheme: "nntp", Host: p.Host, Port: p.Port, Path: &path}.URL()
	if err != nil {
		return URL{}, err
	}
	return Parse(u)
}
