package http

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
)

// The default ports of http (RFC 1738 section 3.3) and https (RFC 9110 section
// 4.2.2).
const (
	Port       = 80
	SecurePort = 443
)

// URL is a locator of RFC 1738 section 3.3. It is comparable; the zero URL is
// none.
type URL struct {
	url               locus.URL
	path, search      string
	hasPath, isSearch bool
}

// Parse reads u as an http or https URL:
//
//	httpurl = "http://" hostport [ "/" hpath [ "?" search ]]
//
// It takes any characters in path and searchpart, and "?" without the "/" before
// it; [Check] finds those. It refuses what has no host, and a user or password
// with a "?" in it. The error is a [*locus.SyntaxError].
func Parse(u locus.URL) (URL, error) {
	if err := form(u); err != nil {
		return URL{}, err
	}
	path, search, isSearch := split(u)
	_, slash := u.Path()
	return URL{
		url:      u,
		path:     bnf.Decode(path),
		search:   bnf.Decode(search),
		hasPath:  slash && !u.MissingSlash(),
		isSearch: isSearch,
	}, nil
}

// form says why u is not in the form of section 3.3, if it is not.
func form(u locus.URL) error {
	if port(u) == 0 {
		return u.Errorf(0, "httpurl", "%w: the scheme is neither http nor https", locus.ErrForm)
	}
	if err := bnf.Form(u, u.Scheme(), "httpurl"); err != nil {
		return err
	}
	if u.Host() == "" {
		return u.Errorf(u.HostOffset(), "host", "%w: there is no host", locus.ErrForm)
	}
	login, _ := u.Login()
	start := len(u.Scheme()) + len("://")
	if i := strings.IndexByte(login[:u.HostOffset()-start], '?'); i >= 0 {
		return u.Errorf(start+i, "hostport", `%w: some readers end the host at the "?", others go on to the "@"; write %%3F in a user or password`, locus.ErrForm)
	}
	return nil
}

// port returns the default port of the scheme of u, or 0 if it is another scheme.
func port(u locus.URL) uint16 {
	switch u.Scheme() {
	case "http":
		return Port
	case "https":
		return SecurePort
	}
	return 0
}

// split returns path and searchpart as they are written.
func split(u locus.URL) (path, search string, isSearch bool) {
	text, _ := u.Path()
	return strings.Cut(text, "?")
}

// URL returns the URL that h was parsed from.
func (h URL) URL() locus.URL { return h.url }

// Secure reports whether the scheme is https.
func (h URL) Secure() bool { return h.Port() != 0 && port(h.url) == SecurePort }

// Host returns the host as written, an IPv6 address with its brackets.
func (h URL) Host() string { return h.url.Host() }

// Port returns the port, the scheme's own if none is written.
func (h URL) Port() uint16 {
	if n, ok := h.url.Port(); ok {
		return n
	}
	return port(h.url)
}

// Path returns the decoded octets of the path, without the "/" before it. ok
// reports whether there is one, perhaps empty. An encoded "/" can't be told from
// one that separates segments here; URL().Path() can.
func (h URL) Path() (octets string, ok bool) { return h.path, h.hasPath }

// Search returns the decoded octets of the searchpart, without the "?". ok
// reports whether there is one, perhaps empty. "+" is "+" here; [URL.Words] reads
// it as the draft does.
func (h URL) Search() (octets string, ok bool) { return h.search, h.isSearch }

// Words returns the words of the searchpart, which the draft separates by "+",
// each decoded; a "+" that belongs to a word is written %2B (URI draft, "Query
// strings"). It returns nil if there is no searchpart.
func (h URL) Words() []string {
	if !h.isSearch {
		return nil
	}
	_, search, _ := split(h.url)
	words := strings.Split(search, "+")
	for i, word := range words {
		words[i] = bnf.Decode(word)
	}
	return words
}

// Parts are the decoded parts of a URL to be made.
type Parts struct {
	Secure   bool     // https
	Host     string   // as text: a name, an address, or an IPv6 address in brackets
	Port     uint16   // 0: the scheme's own
	Segments []string // of the path, which "/" separates; nil: no path
	Search   *string  // nil: no searchpart
	Fragment *string  // nil: no fragment
}

// URL makes the URL. Every octet comes back from [Parse] as it was given: a "/"
// within a segment is encoded, and so is "+" in the searchpart, which many
// servers take for a space. A searchpart needs a path before it; the empty one is
// written if there is none.
func (p Parts) URL() (URL, error) {
	parts := locus.Parts{Scheme: "http", Host: p.Host, Port: p.Port}
	if p.Secure {
		parts.Scheme = "https"
	}
	if p.Segments != nil || p.Search != nil {
		var text []byte
		for i, segment := range p.Segments {
			if i > 0 {
				text = append(text, '/')
			}
			text = escape.AppendEncode(text, segment, escape.Hsegment())
		}
		if p.Search != nil {
			text = escape.AppendEncode(append(text, '?'), *p.Search, escape.Hsegment().Without("+"))
		}
		parts.Path = new(string(text))
	}
	if p.Fragment != nil {
		parts.Fragment = new(escape.Encode(*p.Fragment, escape.Unreserved()))
	}
	u, err := parts.URL()
	if err != nil {
		return URL{}, err
	}
	return Parse(u)
}
