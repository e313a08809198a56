// Package whatwg parses URLs like browsers. The package implements the parser and the
// serializer of the WHATWG's URL Standard (https://url.spec.whatwg.org/, as of 2026), and
// reports validation errors with offsets.
//
// The result of parsing often differs from the input, because browsers repair URLs. A program
// should use this package to determine how a browser reads a text. A program should use the
// root package to preserve a text as written.
package whatwg

import (
	"strconv"
	"strings"
)

// URL is a URL record (section 4.1). A URL is an immutable value. The zero URL is invalid.
type URL struct {
	scheme             string // scheme in lower case, without ":"
	username, password string
	host               string // serialized host
	path               string // serialized path: opaque, or segments with a "/" before each
	query, fragment    string
	port               int32 // -1 if the port is absent
	hasHost            bool
	opaque             bool // whether the path is opaque
	hasQuery           bool
	hasFragment        bool
}

// fileScheme is the special scheme for which the standard defines separate rules.
const fileScheme = "file"

// specialPort returns the default port of a special scheme (section 4.2). For the special
// scheme file, which has no default port, specialPort returns 0. ok reports whether the scheme
// is special.
func specialPort(scheme string) (port int32, ok bool) {
	switch scheme {
	case "http", "ws":
		return 80, true
	case "https", "wss":
		return 443, true
	case "ftp":
		return 21, true
	case fileScheme:
		return 0, true
	}
	return 0, false
}

// IsZero reports whether u is the zero URL.
func (u *URL) IsZero() bool { return u.scheme == "" }

// Href returns the serialized URL (section 4.5), including its password.
func (u *URL) Href() string {
	var b strings.Builder
	b.Grow(len(u.scheme) + len(u.username) + len(u.password) + len(u.host) + len(u.path) + len(u.query) + len(u.fragment) + len("://:@:65535/.?#"))
	b.WriteString(u.scheme)
	b.WriteByte(':')
	switch {
	case u.hasHost:
		b.WriteString("//")
		if u.username != "" || u.password != "" {
			b.WriteString(u.username)
			if u.password != "" {
				b.WriteByte(':')
				b.WriteString(u.password)
			}
			b.WriteByte('@')
		}
		u.writeHost(&b)
	case !u.opaque && strings.HasPrefix(u.path, "//"):
		b.WriteString("/.")
	}
	b.WriteString(u.path)
	if u.hasQuery {
		b.WriteByte('?')
		b.WriteString(u.query)
	}
	if u.hasFragment {
		b.WriteByte('#')
		b.WriteString(u.fragment)
	}
	return b.String()
}

// String returns the serialized URL with "***" for the password, so that formatting with
// package fmt does not show the password.
func (u URL) String() string {
	if u.password != "" {
		u.password = "***"
	}
	return u.Href()
}

// GoString returns the result of [URL.String] in quotes. Package fmt uses GoString for %#v.
func (u URL) GoString() string { return strconv.Quote(u.String()) }

func (u *URL) writeHost(b *strings.Builder) {
	b.WriteString(u.host)
	if u.port >= 0 {
		b.WriteByte(':')
		b.WriteString(u.Port())
	}
}

// Protocol returns the scheme and ":".
func (u *URL) Protocol() string { return u.scheme + ":" }

// Username returns the encoded user name, or "" if the URL contains no user name.
func (u *URL) Username() string { return u.username }

// Password returns the encoded password, or "" if the URL contains no password.
func (u *URL) Password() string { return u.password }

// Host returns the host and the port as in the serialized URL, or "" if the URL has no host.
func (u *URL) Host() string {
	if u.port < 0 {
		return u.host
	}
	var b strings.Builder
	u.writeHost(&b)
	return b.String()
}

// Hostname returns the host, or "" if the URL has no host. The result includes the brackets of
// an IPv6 address.
func (u *URL) Hostname() string { return u.host }

// HasHost reports whether the URL has a host, which may be empty.
func (u *URL) HasHost() bool { return u.hasHost }

// Pathname returns the path.
func (u *URL) Pathname() string { return u.path }

// Search returns "?" and the query, or "" if the query is absent or empty.
func (u *URL) Search() string {
	if u.query == "" {
		return ""
	}
	return "?" + u.query
}

// Hash returns "#" and the fragment, or "" if the fragment is absent or empty.
func (u *URL) Hash() string {
	if u.fragment == "" {
		return ""
	}
	return "#" + u.fragment
}

// Origin returns the serialized origin (section 4.7). For an opaque origin, Origin returns
// "null".
func (u *URL) Origin() string {
	switch u.scheme {
	case "blob":
		inner, err := Parse(u.path, nil)
		if err != nil || inner.scheme != "http" && inner.scheme != "https" {
			return "null"
		}
		return inner.Origin()
	case "ftp", "http", "https", "ws", "wss":
		return u.scheme + "://" + u.Host()
	}
	return "null"
}
