package news

import (
	"cmp"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/addrspec"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

// These are the default ports for nntp URLs (RFC 1738 section 3.7) and news URLs with a server
// (RFC 5538), without and with TLS (RFC 4642 section 1).
const (
	Port       = 119
	SecurePort = 563
)

// URL is a parsed news, snews, nntp or nntps URL. It identifies all newsgroups, one newsgroup,
// or one article. URLs are comparable with ==. The zero URL is invalid.
type URL struct {
	url       locus.URL
	newsgroup string
	messageID string
	number    uint64
	hasNumber bool
}

// Parse parses u as a news, snews, nntp or nntps URL. It fails if u has another scheme, a "//"
// without a host, an empty path, an invalid article number or, for nntp, no newsgroup. The
// error is a [*locus.SyntaxError].
func Parse(u locus.URL) (URL, error) {
	parse, part := parseNews, "grouppart"
	switch {
	case isNNTP(u):
		parse, part = parseNNTP, "group"
	case u.Scheme() != "news" && u.Scheme() != "snews":
		return URL{}, u.Errorf(0, "scheme", "%w: not a news or nntp URL", locus.ErrForm)
	}
	switch {
	case u.Facts().Has(locus.Internet) && u.Host() == "":
		return URL{}, u.Errorf(u.HostOffset(), "host", `%w: write a hostname after "//"`, locus.ErrForm)
	case u.MissingSlash():
		return URL{}, u.Errorf(u.PathOffset(), part, `%w: write "/" before "?"`, locus.ErrForm)
	}
	return parse(u)
}

func parseNews(u locus.URL) (URL, error) {
	n := URL{url: u}
	text := path(u)
	switch {
	case text == "" && !u.Facts().Has(locus.Internet):
		return URL{}, u.Errorf(u.PathOffset(), "grouppart", `%w: write "*", a newsgroup or a message-id after "news:"`, locus.ErrForm)
	case text == "" || text == "*":
	case strings.Contains(text, "@"):
		n.messageID = bnf.Decode(text)
	default:
		n.newsgroup = bnf.Decode(text)
	}
	return n, nil
}

func parseNNTP(u locus.URL) (URL, error) {
	group, digits, hasNumber := strings.Cut(path(u), "/")
	if group == "" {
		return URL{}, u.Errorf(u.PathOffset(), "group", "%w: write the name of a newsgroup", locus.ErrForm)
	}
	n := URL{url: u, newsgroup: bnf.Decode(group), hasNumber: hasNumber}
	if !hasNumber {
		return n, nil
	}
	offset := u.PathOffset() + len(group) + 1
	if i := firstNonDigit(digits); i < len(digits) || digits == "" {
		return URL{}, u.Errorf(offset+i, "digits", "%w: an article number is decimal digits", locus.ErrForm)
	}
	var err error
	if n.number, err = parseArticleNumber(digits); err != nil {
		return URL{}, u.Errorf(offset, "digits", "%w: the article number is too high", locus.ErrValue)
	}
	return n, nil
}

func isNNTP(u locus.URL) bool { return u.Scheme() == "nntp" || u.Scheme() == "nntps" }

func isSecure(u locus.URL) bool { return u.Scheme() == "snews" || u.Scheme() == "nntps" }

func defaultPort(u locus.URL) uint16 {
	if isSecure(u) {
		return SecurePort
	}
	return Port
}

// path returns the encoded text after "news:" or "news://host/". This text begins at
// u.PathOffset().
func path(u locus.URL) string {
	if u.Facts().Has(locus.Internet) {
		text, _ := u.Path()
		return text
	}
	return u.SchemePart()
}

// firstNonDigit returns the offset of the first octet of text that is not a digit.
func firstNonDigit(text string) int {
	i := 0
	for i < len(text) && octet.Is(text[i], octet.Digit) {
		i++
	}
	return i
}

// parseArticleNumber parses an article number. If the number does not fit into an int,
// articleNumber returns an error.
func parseArticleNumber(digits string) (uint64, error) {
	return strconv.ParseUint(digits, 10, strconv.IntSize-1)
}

// URL returns the URL from which n was parsed.
func (n URL) URL() locus.URL { return n.url }

// Format writes the URL for every verb, with "***" instead of a password (see
// [github.com/locus-url/locus.Mask]).
func (n URL) Format(s fmt.State, verb rune) { n.url.Format(s, verb) }

// LogValue returns the URL with "***" instead of a password.
func (n URL) LogValue() slog.Value { return slog.StringValue(n.url.Shown()) }

// Secure reports whether the scheme is snews or nntps, which use TLS.
func (n URL) Secure() bool { return isSecure(n.url) }

// All reports whether n identifies all newsgroups on a server.
func (n URL) All() bool { return n.newsgroup == "" && n.messageID == "" && !n.url.IsZero() }

// Newsgroup returns the decoded name of the newsgroup. If n names no newsgroup, it returns "".
func (n URL) Newsgroup() string { return n.newsgroup }

// MessageID returns the decoded message-id of the article, without "<" and ">". The message-id
// may contain any octets. If n contains no message-id, MessageID returns "".
func (n URL) MessageID() string { return n.messageID }

// ArticleNumber returns the number of the article in the newsgroup. If the URL contains no
// article number, ok is false.
func (n URL) ArticleNumber() (number uint64, ok bool) { return n.number, n.hasNumber }

// Server returns the host and port in n. If n names no server, as in RFC 1738 section 3.6, ok
// is false.
func (n URL) Server() (host string, port uint16, ok bool) {
	if host = n.url.Host(); host == "" {
		return "", 0, false
	}
	port, ok = n.url.Port()
	if !ok {
		port = defaultPort(n.url)
	}
	return host, port, true
}

// Parts holds the decoded parts of a URL. A news URL must have exactly one of All, Newsgroup
// and MessageID. An nntp URL must have a Host and a Newsgroup.
type Parts struct {
	Scheme        string // "news", "snews", "nntp" or "nntps"; empty means "news"
	All           bool
	Newsgroup     string
	MessageID     string  // message-id without "<" and ">"
	ArticleNumber *uint64 // number in Newsgroup, only for nntp and nntps; nil means the whole newsgroup
	Host          string  // host; empty if none
	Port          uint16  // port; 0 means the default port
}

// URL builds a URL from its parts. It fails if the scheme does not allow the combination of
// parts, if MessageID contains no "@", or if Host is invalid. The error is a
// [*locus.SyntaxError].
func (p Parts) URL() (URL, error) {
	p.Scheme = cmp.Or(p.Scheme, "news")
	nntp := p.Scheme == "nntp" || p.Scheme == "nntps"
	encode := p.grouppart
	if nntp {
		encode = p.group
	}
	text, err := encode()
	if err != nil {
		return URL{}, locus.NewSyntaxError(p.Scheme+":", len(p.Scheme)+1, "grouppart", err)
	}
	parts := locus.Parts{Scheme: p.Scheme, SchemePart: &text}
	if nntp || p.Host != "" || p.Port != 0 {
		parts = locus.Parts{Scheme: p.Scheme, Host: p.Host, Port: p.Port, Path: &text}
	}
	u, err := parts.URL()
	if err != nil {
		return URL{}, err
	}
	return Parse(u)
}

func (p Parts) grouppart() (string, error) {
	given := 0
	for _, is := range []bool{p.All, p.Newsgroup != "", p.MessageID != ""} {
		if is {
			given++
		}
	}
	switch {
	case given != 1 || p.ArticleNumber != nil:
		return "", fmt.Errorf("%w: a news URL has one of all newsgroups, a newsgroup and a message-id", locus.ErrForm)
	case p.All:
		return "*", nil
	case p.Newsgroup != "":
		return escape.Encode(p.Newsgroup, plainGroup()), nil
	case !strings.Contains(p.MessageID, "@"):
		return "", fmt.Errorf(`%w: a message-id has an "@"`, locus.ErrForm)
	}
	return addrspec.Encode(p.MessageID, escape.Unreserved()), nil
}

// plainGroup returns the characters that need no escape in the newsgroup of a news URL. It
// excludes "*", because a literal "*" means all newsgroups.
func plainGroup() escape.Set { return escape.Unreserved().Without("*") }

func (p Parts) group() (string, error) {
	if p.All || p.MessageID != "" {
		return "", fmt.Errorf("%w: an nntp URL has a newsgroup", locus.ErrForm)
	}
	text := escape.Encode(p.Newsgroup, escape.Unreserved())
	if p.ArticleNumber != nil {
		text += "/" + strconv.FormatUint(*p.ArticleNumber, 10)
	}
	return text, nil
}
