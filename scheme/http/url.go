package http

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

// Default ports of http (RFC 1738 section 3.3) and https (RFC 9110 section
// 4.2.2).
const (
	Port       = 80
	SecurePort = 443
)

// URL is a parsed http or https URL. URLs are comparable with ==. The zero URL is invalid.
type URL struct {
	url               locus.URL
	path, search      string
	hasPath, isSearch bool
}

// Parse reads u as an http or https URL:
//
//	httpurl = "http://" hostport [ "/" hpath [ "?" search ]]
//
// Parse accepts any characters in the path and searchpart, and a "?" without a preceding "/".
// [Check] reports these as violations. Parse fails if the host is missing, or if the user or
// password contains "?". The error is a [*locus.SyntaxError].
func Parse(u locus.URL) (URL, error) {
	if err := checkForm(u); err != nil {
		return URL{}, err
	}
	path, search, isSearch := splitSearch(u)
	_, slash := u.Path()
	return URL{
		url:      u,
		path:     bnf.Decode(path),
		search:   bnf.Decode(search),
		hasPath:  slash && !u.MissingSlash(),
		isSearch: isSearch,
	}, nil
}

// checkForm returns an error if u does not match the syntax of RFC 1738 section 3.3.
func checkForm(u locus.URL) error {
	if defaultPort(u) == 0 {
		return u.Errorf(0, "httpurl", "%w: not an http or https URL", locus.ErrForm)
	}
	if !u.Facts().Has(locus.Internet) {
		return bnf.Form(u, u.Scheme(), "httpurl")
	}
	if u.Host() == "" {
		return u.Errorf(u.HostOffset(), "host", "%w: missing host", locus.ErrForm)
	}
	if _, ok := u.User(); !ok {
		return nil
	}
	login, _ := u.Login()
	start := len(u.Scheme()) + len("://")
	if i := strings.IndexByte(login[:u.HostOffset()-start], '?'); i >= 0 {
		return u.Errorf(start+i, "hostport", `%w: some parsers end the host at "?", others at "@"; %s, or %%3F in a user or password`, locus.ErrForm, octet.SlashHelp(u.String()))
	}
	return nil
}

// defaultPort returns the default port for the scheme of u. If the scheme is neither http nor
// https, it returns 0.
func defaultPort(u locus.URL) uint16 {
	switch {
	case bnf.IsScheme(u, "https"):
		return SecurePort
	case bnf.IsScheme(u, "http"):
		return Port
	}
	return 0
}

// splitSearch returns the encoded path and searchpart of u.
func splitSearch(u locus.URL) (path, search string, isSearch bool) {
	text, _ := u.Path()
	return strings.Cut(text, "?")
}

// URL returns the URL from which h was parsed.
func (h URL) URL() locus.URL { return h.url }

// Secure reports whether the scheme is https rather than http.
func (h URL) Secure() bool { return h.Port() != 0 && defaultPort(h.url) == SecurePort }

// Host returns the host as written in the URL. An IPv6 address is in brackets.
func (h URL) Host() string { return h.url.Host() }

// Port returns the port in the URL or, if it is missing, the default port of the scheme.
func (h URL) Port() uint16 {
	if n, ok := h.url.Port(); ok {
		return n
	}
	return defaultPort(h.url)
}

// Path returns the decoded path without its first "/". If there is no path, ok is false. In
// the decoded path, an escaped "/" looks like a separator; URL().Path() returns the encoded
// path, which distinguishes them.
func (h URL) Path() (octets string, ok bool) { return h.path, h.hasPath }

// Search returns the decoded searchpart without "?". If there is no searchpart, ok is false.
// Search does not change "+"; [URL.Words] splits the searchpart at "+".
func (h URL) Search() (octets string, ok bool) { return h.search, h.isSearch }

// Words returns the decoded words of the searchpart, separated by "+" (URI draft, "Query
// strings"). If there is no searchpart, Words returns nil. In the URL, "%2B" represents a "+"
// in a word.
func (h URL) Words() []string {
	if !h.isSearch {
		return nil
	}
	_, search, _ := splitSearch(h.url)
	words := strings.Split(search, "+")
	for i, word := range words {
		words[i] = bnf.Decode(word)
	}
	return words
}

// Parts holds the decoded parts of a URL.
type Parts struct {
	Secure   bool     // whether the scheme is https
	Host     string   // hostname, IPv4 address, or IPv6 address in brackets
	Port     uint16   // port; 0 means the default port
	Segments []string // decoded segments of the path; nil means no path
	Search   *string  // nil means no searchpart
	Fragment *string  // nil means no fragment
}

// URL builds a URL from its parts. Parsing the result returns the same parts, because URL
// escapes a "/" in a segment. URL also escapes "+" in the searchpart, because many servers
// decode "+" as a space. If Search is set and Segments is nil, the path is empty.
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
