package news

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/current"
)

// currentStandards returns the rules of RFC 5538. The first result is for news and snews, the second
// for nntp and nntps:
//
//	newsURL         = "news:" [ server "/" ] ( article / newsgroups )
//	server          = "//" authority               ; see RFC 3986
//	article         = msg-id-core                  ; see RFC 5536
//	newsgroups      = *( group-char / pct-encoded / "*" )
//
//	nntpURL         = "nntp:" server "/" group [ "/" article-number ]
//	group           = 1*( group-char / pct-encoded )
//	article-number  = 1*16DIGIT                    ; see RFC 3977
//	group-char      = ALPHA / DIGIT / "-" / "+" / "_" / "."
//
// RFC 5538 says that an nntp URL without a number is equivalent to a news URL. Their normal
// forms still differ, because normalization preserves the scheme.
func currentStandards() (news, nntp scheme.CurrentStandard) {
	news = scheme.CurrentStandard{Name: "RFC 5538", Check: checkCurrentNews, Clean: isCleanNews, Normalize: normalizeNews}
	nntp = scheme.CurrentStandard{Name: "RFC 5538", Check: checkCurrentNNTP, Clean: isCleanNNTP, Normalize: normalizeNNTP}
	return news, nntp
}

const (
	newsSyntax = "RFC 5538 4"
	nntpSyntax = "RFC 5538 3"
)

func isCleanNews(u rfc3986.URI) bool {
	name, _ := u.Scheme()
	path, slash := u.Path(), true
	if _, server := u.Host(); server {
		path, slash = strings.CutPrefix(path, "/")
	}
	if !slash || current.HasQuery(u) || len(name) != len("news") || len(path) > maxMessageID {
		return false
	}
	return bnf.IsWords(path) || bnf.IsAddress(path)
}

func isCleanNNTP(u rfc3986.URI) bool {
	host, _ := u.Host()
	path, slash := strings.CutPrefix(u.Path(), "/")
	group, number, hasNumber := strings.Cut(path, "/")
	if hasNumber && (number == "" || len(number) > 9 || number[0] == '0' || firstNonDigit(number) < len(number)) {
		return false
	}
	return host != "" && slash && !current.HasQuery(u) && bnf.IsWords(group)
}

func checkCurrentNews(u rfc3986.URI) []locus.Violation {
	var f bnf.Findings
	name, _ := u.Scheme()
	if strings.EqualFold(name, "snews") {
		f.Note("deprecated", "RFC 5538 8.1", 0, name, "snews is historical: write news, and use a server with STARTTLS")
	}
	help := "write %3F: there are no queries"
	if _, ok := u.Host(); ok && u.Path() == "" {
		help = "a news URL has no query: leave it out"
	}
	text, offset := pathAndQuery(&f, u, help)
	if _, ok := u.Host(); ok {
		rest, slash := strings.CutPrefix(text, "/")
		if !slash {
			f.Add("server", newsSyntax, offset, "", `write "/" after the server`)
			return f.List()
		}
		text, offset = rest, offset+len("/")
	}
	if strings.Contains(text, "@") {
		checkArticle(&f, offset, text)
	} else {
		checkGroups(&f, newsSyntax, offset, text)
	}
	return f.List()
}

func checkCurrentNNTP(u rfc3986.URI) []locus.Violation {
	var f bnf.Findings
	text, offset := pathAndQuery(&f, u, "an nntp URL has no query: leave it out")
	switch host, ok := u.Host(); {
	case !ok:
		f.Add("server", nntpSyntax, offset, "", `write "//", a server and "/" before the newsgroup`)
		return f.List()
	case host == "":
		f.Add("server", "RFC 5538 2.1", u.HostOffset(), "", "write the name of a server: nntp has no default server")
	}
	rest, slash := strings.CutPrefix(text, "/")
	group, number, hasNumber := strings.Cut(rest, "/")
	if group == "" {
		f.Add("group", nntpSyntax, offset+len(text)-len(rest), "", `write "/" and a newsgroup after the server`)
		return f.List()
	}
	if slash {
		offset++
	}
	checkGroups(&f, nntpSyntax, offset, group)
	if hasNumber {
		checkNumber(&f, offset+len(group)+len("/"), number)
	}
	return f.List()
}

// pathAndQuery returns the path and query of u as one text, and the offset of this text. RFC
// 5538 section 2.3 defines no query, so the "?" is part of a name. If u has a query,
// pathAndQuery adds a finding.
func pathAndQuery(f *bnf.Findings, u rfc3986.URI, help string) (text string, offset int) {
	start, end := u.PathOffset(), u.QueryOffset()
	if query, ok := u.Query(); ok {
		f.Add("query", "RFC 5538 2.3", end-1, "?", help)
		end += len(query)
	}
	return u.String()[start:end], start
}

// checkNumber checks an article-number, which begins at the given offset.
func checkNumber(f *bnf.Findings, offset int, digits string) {
	n, err := parseArticleNumber(digits)
	switch {
	case digits == "" || len(digits) > 16 || firstNonDigit(digits) < len(digits):
		f.Add("article-number", nntpSyntax, offset, digits, "the number of an article has 1 to 16 digits")
	case err != nil || n == 0 || n > maxNumber:
		f.Impossible("article-number", "RFC 3977 6", offset, digits, "the number of an article is 1 to 2147483647")
	}
}

// isReported reports whether another check reports the token t. The check of the query reports
// each "?". The check of RFC 3986 reports each unescaped non-ASCII character.
func isReported(t bnf.Token) bool { return t.Is('?') || !t.Escaped && t.Octet >= utf8.RuneSelf }

// checkGroups checks a newsgroup name or pattern, which begins at the given offset. The text
// must match the production newsgroups (in a news URL) or group (in an nntp URL). The decoded
// text must also match wildmat-pattern or wildmat-exact, respectively:
//
//	wildmat-pattern = 1*wildmat-item
//	wildmat-item    = wildmat-exact / wildmat-wild
//	wildmat-exact   = %x22-29 / %x2B / %x2D-3E / %x40-5A / %x5E-7E / UTF8-non-ascii
//	wildmat-wild    = "*" / "?"
func checkGroups(f *bnf.Findings, syntax string, offset int, text string) {
	if bnf.IsWords(text) {
		return
	}
	list, ok := bnf.Tokens(text, offset)
	if !ok {
		return
	}
	wild := false
	for _, c := range list {
		isWild := c.Octet == '*' || c.Octet == '?'
		wild = wild || isWild
		switch {
		case octet.Is(c.Octet, octet.Group), isReported(c):
		case isWild && syntax == nntpSyntax:
			f.Add("wildcard", nntpSyntax, c.Offset, c.Text, "write news: for a pattern of newsgroups: nntp has one newsgroup")
		case isWild:
		case !c.Escaped && isImpossible(c.Octet):
			f.Add("group", syntax, c.Offset, c.Text, noNewsgroup)
		case !c.Escaped:
			f.Add("group", syntax, c.Offset, c.Text, fmt.Sprintf("write %%%02X in a newsgroup", c.Octet))
		case isImpossible(c.Octet):
			f.Impossible("group", "RFC 3977 4.1", c.Offset, c.Text, noNewsgroup)
		}
	}
	checkName(f, list)
	if !wild {
		checkComponents(f, list)
	}
}

// isImpossible reports whether newsgroup names must not contain the octet c.
func isImpossible(c byte) bool {
	return c <= ' ' || c == 0x7F || strings.IndexByte(`!,[\]`, c) >= 0
}

const noNewsgroup = `a newsgroup must not contain spaces, control characters, "!", ",", "[", "]" or "\"`

// checkName checks the octets of a newsgroup name or pattern. It adds a note for octets that
// RFC 5536 does not allow.
func checkName(f *bnf.Findings, list []bnf.Token) {
	if c, bad := bnf.NotUTF8(list); bad {
		f.Impossible("group", "RFC 3977 4.1", c.Offset, c.Text, "the escapes of a newsgroup are UTF-8")
		return
	}
	i := slices.IndexFunc(list, func(c bnf.Token) bool {
		return c.Escaped && !octet.Is(c.Octet, octet.Group) && c.Octet != '*' && c.Octet != '?'
	})
	switch {
	case i < 0:
	case list[i].Octet == '@':
		f.Note("group-character", newsSyntax, list[i].Offset, list[i].Text, `write "@" if this is a message-id`)
	default:
		f.Note("group-character", "RFC 5536 3.1.4", list[i].Offset, list[i].Text, `a newsgroup of Netnews has only letters, digits, "+", "-", "_" and "."`)
	}
}

// checkComponents checks that a newsgroup name without wildcards has no empty component:
//
//	newsgroup-name = component *( "." component )
func checkComponents(f *bnf.Findings, list []bnf.Token) {
	for i, c := range list {
		if c.Octet == '.' && (i == 0 || i == len(list)-1 || list[i-1].Octet == '.') {
			f.Impossible("group", "RFC 5536 3.1.4", c.Offset, c.Text, "a newsgroup has a name before and after each dot")
			return
		}
	}
}

// checkArticle checks the text of an article, which begins at the given offset and must contain an
// "@". RFC 5536 section 3.1.3 defines the syntax of the decoded text:
//
//	msg-id-core     = id-left "@" id-right
//	id-left         = dot-atom-text
//	id-right        = dot-atom-text / no-fold-literal
//	no-fold-literal = "[" *mdtext "]"
func checkArticle(f *bnf.Findings, offset int, text string) {
	if left, right, _ := strings.Cut(text, "@"); len(text) <= maxMessageID && bnf.IsWords(left) && bnf.IsWords(right) {
		return
	}
	list, ok := bnf.Tokens(text, offset)
	if !ok {
		return
	}
	for _, c := range list {
		if c.Is('/') {
			f.Add("article", newsSyntax, c.Offset, "/", "write %2F in a message-id")
		}
	}
	if len(list) > maxMessageID {
		f.Impossible("message-id", messageID, offset, text, `a message-id has at most 250 octets with its "<" and ">"`)
	}
	at := slices.IndexFunc(list, func(c bnf.Token) bool { return c.Is('@') })
	left, right := list[:at], list[at+1:]
	checkDotAtom(f, left, list[at], "before")
	if len(right) > 0 && right[0].Octet == '[' {
		checkLiteral(f, right)
	} else {
		checkDotAtom(f, right, list[at], "after")
	}
}

const (
	messageID    = "RFC 5536 3.1.3"
	maxMessageID = 250 - len("<>")
)

// checkDotAtom checks a dot-atom-text. The token atSign is the "@" next to the text. The side
// is the position of the text relative to this "@" ("before" or "after").
func checkDotAtom(f *bnf.Findings, list []bnf.Token, atSign bnf.Token, side string) {
	if len(list) == 0 {
		f.Add("message-id", messageID, atSign.Offset, "@", `write something `+side+` "@"`)
	}
	for i, c := range list {
		switch {
		case isReported(c), c.Is('/'):
		case c.Octet == '.' && (i == 0 || i == len(list)-1 || list[i-1].Octet == '.'):
			f.Add("message-id", messageID, c.Offset, c.Text, "a message-id has a word before and after each dot")
		case c.Octet == '.':
		default:
			checkOctet(f, c, octet.Is(c.Octet, octet.Atom))
		}
	}
}

// checkLiteral checks a no-fold-literal.
func checkLiteral(f *bnf.Findings, list []bnf.Token) {
	last := list[len(list)-1]
	if len(list) < 2 || last.Octet != ']' {
		f.Add("message-id", messageID, list[0].Offset, list[0].Text, `write %5D at the end of a domain that begins with "["`)
		last = bnf.Token{}
	}
	for _, c := range list[1:] {
		switch {
		case c == last, isReported(c), c.Is('/'):
		default:
			checkOctet(f, c, c.Octet > ' ' && c.Octet < 0x7F && strings.IndexByte(`[\]`, c.Octet) < 0 && !c.Is('@'))
		}
	}
}

// checkOctet adds a finding for the octet c, unless c is permitted at its position in a
// message-id.
func checkOctet(f *bnf.Findings, c bnf.Token, permitted bool) {
	switch {
	case c.Octet == '>':
		f.Add("message-id", newsSyntax, c.Offset, c.Text, `write a message-id without "<" and ">"`)
	case permitted:
	case c.Octet == '@':
		f.Add("message-id", newsSyntax, c.Offset, c.Text, `write only one "@"; in brackets write %40 for another`)
	default:
		f.Add("message-id", messageID, c.Offset, c.Text, "a message-id must not contain spaces, control characters, quotes or brackets, except a domain in %5B and %5D")
	}
}

// normalizeNews removes unnecessary escapes from the article or newsgroups. If the URL names
// neither, normalizeNews adds "*". If the URL has no server, it removes the "//".
func normalizeNews(u rfc3986.URI) rfc3986.URI {
	text, start, body := u.String(), u.PathOffset(), u.Path()
	end := start + len(body)
	if _, ok := u.Host(); ok {
		body = strings.TrimPrefix(body, "/")
		name, _ := u.Scheme()
		prefix := text[:start] + "/"
		if prefix == name+":///" {
			prefix = name + ":"
		}
		return rfc3986.Parse(prefix + plainBody(body) + text[end:])
	}
	return rfc3986.Parse(text[:start] + plainBody(body) + text[end:])
}

func plainBody(text string) string {
	left, right, isArticle := strings.Cut(text, "@")
	switch {
	case isArticle:
		return escape.Encode(bnf.Decode(left), plainArticle()) + "@" + escape.Encode(bnf.Decode(right), plainArticle())
	case text == "":
		return "*"
	}
	return escape.Encode(bnf.Decode(text), groupChars().With("*"))
}

// plainArticle returns the characters that need no escape in the left part of a message-id.
// These are the characters of a path segment (RFC 3986 section 3.3) except "@".
func plainArticle() escape.Set { return escape.Unreserved().With("~&;=:") }

func groupChars() escape.Set { return escape.Alpha().Union(escape.Digit()).With("-+_.") }

// normalizeNNTP removes unnecessary escapes from the group, and leading zeros from the article
// number.
func normalizeNNTP(u rfc3986.URI) rfc3986.URI {
	text, start, path := u.String(), u.PathOffset(), u.Path()
	rest, ok := strings.CutPrefix(path, "/")
	if !ok {
		return u
	}
	group, number, hasNumber := strings.Cut(rest, "/")
	plain := "/" + escape.Encode(bnf.Decode(group), groupChars())
	if hasNumber {
		plain += "/" + withoutZeros(number)
	}
	return rfc3986.Parse(text[:start] + plain + text[start+len(path):])
}
