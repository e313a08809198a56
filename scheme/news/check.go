package news

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

const (
	newsSection = "RFC 1738 3.6"
	nntpSection = "RFC 1738 3.7"
)

// checkNews returns all violations in a news or snews URL.
func checkNews(u locus.URL, p locus.Profile) []locus.Violation {
	if p == locus.RFC1738 && isSoundNews(u) {
		return nil
	}
	f := bnf.Findings{URL: u, Profile: p}
	f.Scheme()
	text, offset := path(u), u.PathOffset()
	if whole, start := bnf.SchemePart(u); u.Facts().Has(locus.Internet) {
		if _, err := Parse(u); err == nil && p == locus.RFC1738 && isArticle(whole) {
			f.Note("server", "RFC 5538 2.2", start, "//", "RFC 1738 reads all of this as a message-id; RFC 5538 reads a server and an article")
			checkRFC1738Article(&f, start, whole)
			return f.List()
		}
		f.Add("server", newsSection, len(u.Scheme())+1, "//", "RFC 1738 allows no server in a news URL, RFC 5538 does: remove the server, or write nntp:")
		f.Internet(bnf.Login{Section: newsSection})
		if text == "" {
			return f.List()
		}
	}
	switch {
	case text == "":
		f.Add("form", newsSection, offset, "", `write "*", a newsgroup or a message-id after "news:"`)
	case text == "*":
	case strings.Contains(text, "@"):
		checkRFC1738Article(&f, offset, text)
	default:
		f.Group(offset, text)
	}
	return f.List()
}

// isSoundNews reports whether u has no violations of RFC 1738. It does not allocate memory.
func isSoundNews(u locus.URL) bool {
	facts := u.Facts()
	if !facts.Has(locus.SchemeLower|locus.FragmentXchar) || facts.Has(locus.Internet) {
		return false
	}
	text := u.SchemePart()
	if bnf.IsGroup(text) {
		return true
	}
	left, _, ok := strings.Cut(text, "@")
	if !ok {
		return text == "*"
	}
	return isArticle(text) && (facts.Has(locus.NoEscape) || nextImpossible(left, 0) == len(left))
}

// isArticle reports whether text is an article as defined in RFC 1738 section 5:
//
//	article = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host
func isArticle(text string) bool {
	left, host, ok := strings.Cut(text, "@")
	return ok && left != "" && octet.All(left)&octet.Article != 0 && host != "" && host[0] != '[' && locus.IsHost(host)
}

// checkRFC1738Article checks the text of an article, which begins at the given offset and must
// contain an "@". In the URI draft, the text must match
//
//	article = xalphas "@" host
func checkRFC1738Article(f *bnf.Findings, offset int, text string) {
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
		f.Impossible("message-id", "RFC 1036 2.1.5", offset+i, left[i:i+3], `a message-id has only printable characters, without spaces, "<" and ">"`)
	}
	offset += at + 1
	if strings.HasPrefix(host, "[") || strings.HasPrefix(strings.ToUpper(host), "%5B") {
		f.Add("domain-literal", "RFC 1738 5", offset, host, `write a host after "@": section 5 has no domain literals, though message-ids do`)
		return
	}
	f.Host(offset, host)
}

// nextImpossible returns the offset of the next escape that encodes an octet that a message-id
// cannot contain. The search begins at i. If there is no such escape, nextImpossible returns
// len(text). It ignores unescaped octets, because the production of RFC 1738 already excludes
// them.
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

// canonicalNews returns the canonical form of a news or snews URL, and the set of changes that
// were necessary. No character of a message-id is reserved (RFC 1738 section 3.6), but every
// "@" except the last is escaped. If the URL has a server but no path, the canonical path is
// "*".
func canonicalNews(u locus.URL) (locus.URL, locus.Change, error) {
	if isSpelledNews(u) {
		return u, 0, nil
	}
	if _, err := Parse(u); err != nil {
		return locus.URL{}, 0, err
	}
	text := path(u)
	if text == "" && isArticle(u.SchemePart()) { // RFC 1738 reads the text as a message-id, RFC 5538 as a server
		var c bnf.Canon
		c.Begin(u)
		c.Raw(u.SchemePart())
		return c.End()
	}
	if text != "" && bnf.Spelled(u, defaultPort(u)) && strings.Count(text, "@") <= 1 {
		return u, 0, nil
	}
	c := beginCanonical(u)
	switch at := strings.LastIndexByte(text, '@'); {
	case text == "":
		c.Change |= locus.FormFields
		c.Raw("*")
	case at < 0:
		c.Text(text, plainGroup())
	default:
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

// isSpelledNews reports whether u is a canonical news or snews URL without a server.
func isSpelledNews(u locus.URL) bool {
	if u.Facts().Has(locus.Internet) || !bnf.Spelled(u, 0) || u.Scheme() != "news" && u.Scheme() != "snews" {
		return false
	}
	text := u.SchemePart()
	return text != "" && strings.IndexByte(text, '@') == strings.LastIndexByte(text, '@')
}

// beginCanonical returns a Canon that contains the canonical form of all parts before the
// path.
func beginCanonical(u locus.URL) *bnf.Canon {
	c := new(bnf.Canon)
	c.Begin(u)
	if u.Facts().Has(locus.Internet) {
		c.Login(defaultPort(u))
		c.Raw("/")
	}
	return c
}

// maxNumber is the highest article number that RFC 3977 section 6 allows.
const maxNumber = 1<<31 - 1

// checkNNTP returns all violations in an nntp or nntps URL.
func checkNNTP(u locus.URL, p locus.Profile) []locus.Violation {
	if p == locus.RFC1738 && isSoundNNTP(u) {
		return nil
	}
	group, digits, hasNumber := strings.Cut(path(u), "/")
	f := bnf.Findings{URL: u, Profile: p}
	f.Scheme()
	if p == locus.RFC1738 || u.Facts().Has(locus.Internet) {
		f.Internet(bnf.Login{Section: nntpSection})
	}
	offset := u.PathOffset()
	f.Group(offset, group)
	offset += len(group)
	switch {
	case hasNumber:
		checkRFC1738Number(&f, offset+1, digits)
	case p == locus.RFC1630:
		f.Add("form", "URI draft, nntpaddress", offset, "", `write "/" and the number of an article`)
	}
	return f.List()
}

// isSoundNNTP reports whether u has no violations of RFC 1738 and needs no note. It does not
// allocate memory.
func isSoundNNTP(u locus.URL) bool {
	if !bnf.SoundHostPort(u) {
		return false
	}
	text, _ := u.Path()
	group, digits, hasNumber := strings.Cut(text, "/")
	return bnf.IsGroup(group) && (!hasNumber || isUsualNumber(digits))
}

// isUsualNumber reports whether digits is an article number of at most nine digits, without
// leading zeros. Such a number is below maxNumber.
func isUsualNumber(digits string) bool {
	return digits != "" && len(digits) <= 9 && firstNonDigit(digits) == len(digits) && digits[0] != '0'
}

// isSpelledNNTP reports whether u is a canonical nntp or nntps URL of the usual form.
func isSpelledNNTP(u locus.URL) bool {
	const hosts = locus.HostName | locus.HostNumber
	f := u.Facts()
	if !f.Has(locus.Internet|locus.Slash) || f&hosts == 0 || !isNNTP(u) || !bnf.Spelled(u, defaultPort(u)) {
		return false
	}
	text, _ := u.Path()
	group, digits, hasNumber := strings.Cut(text, "/")
	return group != "" && (!hasNumber || isUsualNumber(digits))
}

// checkRFC1738Number checks an article number, which begins at the given offset.
func checkRFC1738Number(f *bnf.Findings, offset int, digits string) {
	if digits == "" {
		f.Add("article-number", "RFC 1738 5", offset-1, "/", `write the number of an article after "/", or leave "/" out`)
		return
	}
	if firstNonDigit(digits) < len(digits) {
		f.Chars("digits", offset, digits, octet.Digit)
		return
	}
	switch n, err := parseArticleNumber(digits); {
	case err != nil:
		f.Impossible("article-number", nntpSection, offset, digits, "the article number is too high")
	case n == 0:
		f.Impossible("article-number", "RFC 3977 6", offset, digits, "article numbers begin at 1")
	case n > maxNumber:
		f.Note("article-number", "RFC 3977 6", offset, digits, "most servers have no article number over 2147483647")
	}
}

// canonicalNNTP returns the canonical form of an nntp or nntps URL, and the set of changes
// that were necessary. It removes leading zeros from the article number.
func canonicalNNTP(u locus.URL) (locus.URL, locus.Change, error) {
	if isSpelledNNTP(u) {
		return u, 0, nil
	}
	if _, err := Parse(u); err != nil {
		return locus.URL{}, 0, err
	}
	group, digits, hasNumber := strings.Cut(path(u), "/")
	plain := withoutZeros(digits)
	if plain == digits && bnf.Spelled(u, defaultPort(u)) {
		return u, 0, nil
	}
	c := beginCanonical(u)
	c.Text(group, escape.Unreserved())
	if hasNumber {
		c.Raw("/" + plain)
	}
	if plain != digits {
		c.Change |= locus.FormFields
	}
	return c.End()
}

// withoutZeros removes leading zeros from a number. For the number 0, it returns "0".
func withoutZeros(digits string) string {
	if plain := strings.TrimLeft(digits, "0"); plain != "" {
		return plain
	}
	return digits[:min(len(digits), 1)]
}

// nntpNotes returns the advice of RFC 1738 section 3.7 to prefer news URLs.
func nntpNotes(u locus.URL) []locus.Violation {
	help := "news: is preferred, because most servers answer local clients only: write news: and the name of the newsgroup"
	if strings.Contains(path(u), "/") {
		help = "news: is preferred for an article, because most servers answer local clients only: write news: and its message-id"
	}
	return []locus.Violation{{Rule: "prefer-news", Kind: locus.Note, Section: nntpSection, Text: u.String()[:len(u.Scheme())], Help: help}}
}
