package locus

import (
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/locus-url/locus/escape"
)

// NetURL returns u as a value of package net/url, whose String returns the text of u
// again, with the scheme in lower case. Its host is the host of u: net/url ends a host at
// "?" even before an "@".
//
// The error is a [*SyntaxError] that wraps [ErrNetURL]: net/url refuses the text, would
// write another one ("#" without a fragment, characters that it escapes), or reads another
// host.
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

// FromNetURL parses the text of n, which must not be relative. The error is a
// [*SyntaxError]: n.String() is not a URL for [Parse], or [URL.NetURL] would not make the
// same value of it ([ErrNetURL]), as with fields that n.String() leaves out.
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

// userinfo returns user and password with the "@", if they are present.
func userinfo(n *url.URL) string {
	if n.User == nil {
		return ""
	}
	return n.User.String() + "@"
}

// Hostname returns the host as written, an IPv6 address without its brackets.
func (u URL) Hostname() string {
	return strings.TrimSuffix(strings.TrimPrefix(u.Host(), "["), "]")
}

// HostPort returns host and port as net.Dial takes them: "h:80", "[::1]:80". defaultPort
// is the port if u has none; with 0 the result is only the host. Without a host it is "".
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
