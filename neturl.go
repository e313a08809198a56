package locus

import (
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/locus-url/locus/escape"
)

// NetURL returns u as a value of package net/url. The method String of the result returns the
// text of u, with the scheme in lower case. The result has the same host as u, although
// net/url ends a host at "?" even before an "@".
//
// NetURL returns a [*SyntaxError] that wraps [ErrNetURL] in three cases: if net/url rejects the
// text, if it finds a different host, or if its method String would return a different text. For
// example, net/url removes a "#" without a fragment, and escapes some characters.
func (u URL) NetURL() (*url.URL, error) {
	if u.IsZero() {
		return nil, u.Errorf(0, "genericurl", "")
	}
	n, err := url.Parse(u.text)
	if err != nil {
		if u.Facts().Has(NoUser) {
			return nil, u.Errorf(0, "genericurl", "%w: %v", ErrNetURL, errors.Unwrap(err))
		}
		// The reason may quote a part of the password.
		return nil, u.Errorf(0, "genericurl", "%w: net/url rejects it", ErrNetURL)
	}
	login := ""
	if u.Facts().Has(Internet) {
		login, _ = escape.Decode(u.text[u.HostOffset():u.loginEnd()])
	}
	text := n.String()
	switch {
	case n.Host != login:
		return nil, u.Errorf(u.HostOffset(), "host", "%w: net/url finds another host", ErrNetURL)
	case len(text) < u.colon() || text[u.colon():] != u.text[u.colon():]:
		return nil, u.Errorf(0, "genericurl", "%w: net/url would write %s", ErrNetURL, Quote(Mask(text)))
	}
	return n, nil
}

// FromNetURL parses the text of n, which must not be relative. FromNetURL returns a
// [*SyntaxError] if [Parse] rejects n.String(), or if [URL.NetURL] would not return the same
// value again ([ErrNetURL]). For example, n.String() may omit fields of n.
func FromNetURL(n *url.URL) (URL, error) {
	if n == nil || n.Scheme == "" {
		text := ""
		if n != nil {
			text = n.String()
		}
		return URL{}, &SyntaxError{Input: maskGuess(text), Part: "scheme", Err: ErrNoScheme}
	}
	u, err := Parse(n.String())
	if err != nil {
		return URL{}, err
	}
	back, err := u.NetURL()
	if err != nil {
		return URL{}, err
	}
	same := strings.EqualFold(n.Scheme, back.Scheme) && n.Opaque == back.Opaque && userinfo(n) == userinfo(back) && n.Host == back.Host &&
		strings.TrimPrefix(n.EscapedPath(), "/") == strings.TrimPrefix(back.EscapedPath(), "/") &&
		n.RawQuery == back.RawQuery && n.EscapedFragment() == back.EscapedFragment()
	if !same {
		return URL{}, u.Errorf(0, "genericurl", "%w: net/url does not parse its own output back to the same URL", ErrNetURL)
	}
	return u, nil
}

// userinfo returns the userinfo of n with the "@" after it, or "" if n has no userinfo.
func userinfo(n *url.URL) string {
	if n.User == nil {
		return ""
	}
	return n.User.String() + "@"
}

// Hostname returns the host as written. Hostname removes the brackets of an IPv6 address.
func (u URL) Hostname() string {
	return strings.TrimSuffix(strings.TrimPrefix(u.Host(), "["), "]")
}

// HostPort returns host and port in the format of net.Dial, such as "h:80" and "[::1]:80". If
// u has no port, HostPort uses defaultPort; if defaultPort is 0, HostPort returns only the
// host. If u has no host, HostPort returns "".
func (u URL) HostPort(defaultPort uint16) string {
	host := u.Host()
	port, ok := u.Port()
	switch {
	case ok:
	case host == "", defaultPort == 0:
		return host
	default:
		port = defaultPort
	}
	return host + ":" + strconv.Itoa(int(port))
}
