package nntp

import (
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

// Default ports: of nntp (RFC 1738 section 3.7), and of nntps, the one that is
// registered for NNTP within TLS (RFC 4642 section 1).
const (
	Port       = 119
	SecurePort = 563
)

// secureName is the scheme of the same URLs and the same protocol within TLS. No
// RFC has it.
const (
	name       = "nntp"
	secureName = "nntps"
)

// URL is an nntp or nntps URL. It is a comparable value; the zero URL is none.
type URL struct {
	url       locus.URL
	newsgroup string
	number    uint64
	hasNumber bool
}

// Parse reads u as an nntp or nntps URL. The error is a [*locus.SyntaxError]: u has
// another scheme, a "//" without a host and "/", no group, or a number that is
// none.
func Parse(u locus.URL) (URL, error) {
	if u.Scheme() != name && !isSecure(u) {
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

func isSecure(u locus.URL) bool { return u.Scheme() == secureName }

// defaultPort is the port of a URL of the scheme that u has.
func defaultPort(u locus.URL) uint16 {
	if isSecure(u) {
		return SecurePort
	}
	return Port
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

// Secure reports whether the scheme is nntps, and the protocol runs within TLS.
func (n URL) Secure() bool { return isSecure(n.url) }

// Newsgroup returns the name of the newsgroup, decoded.
func (n URL) Newsgroup() string { return n.newsgroup }

// ArticleNumber returns the number of the article within the newsgroup on that
// server. ok is false if n is about the whole group.
func (n URL) ArticleNumber() (number uint64, ok bool) { return n.number, n.hasNumber }

// Parts are what an nntp URL is made of, decoded.
type Parts struct {
	Secure        bool    // nntps
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
	scheme := name
	if p.Secure {
		scheme = secureName
	}
	u, err := locus.Parts{Scheme: scheme, Host: p.Host, Port: p.Port, Path: &path}.URL()
	if err != nil {
		return URL{}, err
	}
	return Parse(u)
}
