package news

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/addrspec"
	"github.com/locus-url/locus/internal/bnf"
)

// Ports of a server that a URL names without one: of news (RFC 5538), and of
// snews.
const (
	Port       = 119
	SecurePort = 563
)

// secureName is the scheme of the same URLs, whose server is asked within TLS. No
// RFC has it.
const (
	name       = "news"
	secureName = "snews"
)

// URL is a news or snews URL. It is a comparable value; the zero URL is none. One of All,
// Newsgroup and MessageID says what it is about.
type URL struct {
	url       locus.URL
	newsgroup string
	messageID string
}

// Parse reads u as a news or snews URL. The error is a [*locus.SyntaxError]: u has
// another scheme, nothing behind "news:", or a "//" without a host and "/".
func Parse(u locus.URL) (URL, error) {
	if u.Scheme() != name && !isSecure(u) {
		return URL{}, u.Errorf(0, "scheme", "%w: it is no news URL", locus.ErrForm)
	}
	text, offset := grouppart(u)
	server := u.Facts().Has(locus.Internet)
	switch {
	case server && u.Host() == "":
		return URL{}, u.Errorf(u.HostOffset(), "host", `%w: a server's name follows "//"`, locus.ErrForm)
	case u.MissingSlash():
		return URL{}, u.Errorf(offset, "grouppart", `%w: "/" must stand before "?"`, locus.ErrForm)
	case text == "" && !server:
		return URL{}, u.Errorf(offset, "grouppart", `%w: "*", a newsgroup or a message-id follows "news:"`, locus.ErrForm)
	}
	n := URL{url: u}
	if text == "" || text == "*" {
		return n, nil
	}
	if strings.IndexByte(text, '@') >= 0 {
		n.messageID = bnf.Decode(text)
	} else {
		n.newsgroup = bnf.Decode(text)
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

// grouppart returns what follows "news:", or "news://host/", as it is written,
// and where it begins.
func grouppart(u locus.URL) (text string, offset int) {
	if u.Facts().Has(locus.Internet) {
		text, _ = u.Path()
	} else {
		text = u.SchemePart()
	}
	return text, u.PathOffset()
}

// URL returns the URL as it was parsed.
func (n URL) URL() locus.URL { return n.url }

// Secure reports whether the scheme is snews, and the server is asked within TLS.
func (n URL) Secure() bool { return isSecure(n.url) }

// All reports whether n means all newsgroups that are available.
func (n URL) All() bool { return n.newsgroup == "" && n.messageID == "" && !n.url.IsZero() }

// Newsgroup returns the name of the newsgroup, decoded; it is empty if n is not
// about one.
func (n URL) Newsgroup() string { return n.newsgroup }

// MessageID returns the identifier of the article, decoded and without "<" and
// ">"; it is empty if n is not about one. It may hold any octets.
func (n URL) MessageID() string { return n.messageID }

// Server returns the host and port that n names, the way of RFC 5538. ok is
// false if it names none, as RFC 1738 has it.
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

// Parts are what a news URL is made of, decoded: All, Newsgroup or MessageID, and
// perhaps a server.
type Parts struct {
	Secure    bool // snews
	All       bool
	Newsgroup string
	MessageID string // without "<" and ">"
	Host      string // only in the form of RFC 5538; empty: none
	Port      uint16 // only with Host; 0: the default
}

// plainGroup are the characters that mean the same escaped and unescaped in the
// name of a newsgroup.
func plainGroup() escape.Set { return escape.Unreserved().Without("*") }

// URL makes the URL. The error is a [*locus.SyntaxError]: not exactly one of All,
// Newsgroup and MessageID is given, MessageID has no "@", or Host is no host.
func (p Parts) URL() (URL, error) {
	text, err := p.grouppart()
	if err != nil {
		return URL{}, locus.NewSyntaxError("news:", len("news:"), "grouppart", err)
	}
	scheme := name
	if p.Secure {
		scheme = secureName
	}
	parts := locus.Parts{Scheme: scheme, SchemePart: &text}
	if p.Host != "" || p.Port != 0 {
		parts = locus.Parts{Scheme: scheme, Host: p.Host, Port: p.Port, Path: &text}
	}
	u, err := parts.URL()
	if err != nil {
		return URL{}, err
	}
	return Parse(u)
}

func (p Parts) grouppart() (string, error) {
	switch {
	case p.All && p.Newsgroup == "" && p.MessageID == "":
		return "*", nil
	case !p.All && p.Newsgroup != "" && p.MessageID == "":
		return escape.Encode(p.Newsgroup, plainGroup()), nil
	case p.All || p.Newsgroup != "" || p.MessageID == "":
		return "", fmt.Errorf("%w: one of all newsgroups, a newsgroup and a message-id is needed", locus.ErrForm)
	case strings.IndexByte(p.MessageID, '@') < 0:
		return "", fmt.Errorf(`%w: a message-id has an "@"`, locus.ErrForm)
	}
	return addrspec.Encode(p.MessageID, escape.Unreserved()), nil
}
