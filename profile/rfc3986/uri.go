// Package rfc3986 reads URIs by RFC 3986, with the zones of RFC 6874 in IPv6 addresses.
//
// [Parse] splits any text, as appendix B does. [URI.Check] lists every violation of the
// grammar, [URI.Normalize] applies the normalizations of section 6.2.2 and 6.2.3, and
// [Equal] compares by them. Nothing is decoded but by Normalize.
package rfc3986

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
)

// URI is a text split into its components. It is an immutable value; the zero URI is
// the empty reference.
type URI struct {
	text string
	// Offsets in octets. A component that is absent has its offset at the end of the one
	// before it.
	colon    int // of ":" after the scheme; -1: no scheme
	host     int // of the host; 0: no authority
	userinfo int // of "@"; 0: no userinfo
	port     int // of ":" before the port; 0: none
	path     int // of the path
	query    int // of "?"; -1: none
	fragment int // of "#"; -1: none
}

// Parse splits text into components as appendix B does. It accepts every text:
// [URI.Check] says what is wrong with it.
func Parse(text string) URI {
	u := URI{text: text, colon: -1, query: -1, fragment: -1}
	rest := len(text)
	if i := strings.IndexByte(text, '#'); i >= 0 {
		u.fragment, rest = i, i
	}
	if i := strings.IndexByte(text[:rest], '?'); i >= 0 {
		u.query, rest = i, i
	}
	start := 0
	if i := strings.IndexAny(text[:rest], ":/"); i > 0 && text[i] == ':' {
		u.colon, start = i, i+1
	}
	if u.path = start; !strings.HasPrefix(text[start:rest], "//") {
		return u
	}
	start += len("//")
	u.path, u.host = rest, start
	if i := strings.IndexByte(text[start:rest], '/'); i >= 0 {
		u.path = start + i
	}
	authority := text[start:u.path]
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		u.userinfo, u.host = start+i, start+i+1
		authority = authority[i+1:]
	}
	if i := strings.LastIndexByte(authority, ':'); i >= 0 && i > strings.LastIndexByte(authority, ']') {
		u.port = u.host + i
	}
	return u
}

// String returns the text as written, with a password.
func (u URI) String() string { return u.text }

// Format writes u with its password hidden, for %v, %s and every other verb.
func (u URI) Format(f fmt.State, verb rune) {
	fmt.Fprintf(f, fmt.FormatString(f, verb), locus.Mask(u.text))
}

// Scheme returns the scheme as written (section 3.1). ok reports whether u has one.
// Without one it is a relative reference (section 4.2).
func (u URI) Scheme() (text string, ok bool) {
	if u.colon < 0 {
		return "", false
	}
	return u.text[:u.colon], true
}

// hasAuthority reports whether u has "//" (section 3.2).
func (u URI) hasAuthority() bool { return u.host > 0 }

// Userinfo returns the userinfo as written, with a password if it has one (section
// 3.2.1). ok reports whether u has "@".
func (u URI) Userinfo() (text string, ok bool) {
	if u.userinfo == 0 {
		return "", false
	}
	return u.text[u.colon+1+len("//") : u.userinfo], true
}

// Host returns the host as written, an IP literal with its brackets (section 3.2.2). ok
// reports whether u has an authority; its host may be empty.
func (u URI) Host() (text string, ok bool) {
	switch {
	case !u.hasAuthority():
		return "", false
	case u.port > 0:
		return u.text[u.host:u.port], true
	}
	return u.text[u.host:u.path], true
}

// Port returns the port as written (section 3.2.3). ok reports whether u has the ":";
// the port may be empty.
func (u URI) Port() (text string, ok bool) {
	if u.port == 0 {
		return "", false
	}
	return u.text[u.port+1 : u.path], true
}

// Path returns the path as written (section 3.3). Every URI has one; it may be empty.
func (u URI) Path() string {
	end := len(u.text)
	if u.query >= 0 {
		end = u.query
	} else if u.fragment >= 0 {
		end = u.fragment
	}
	return u.text[u.path:end]
}

// Query returns the query as written (section 3.4). ok reports whether u has the "?".
func (u URI) Query() (text string, ok bool) {
	switch {
	case u.query < 0:
		return "", false
	case u.fragment >= 0:
		return u.text[u.query+1 : u.fragment], true
	}
	return u.text[u.query+1:], true
}

// Fragment returns the fragment as written (section 3.5). ok reports whether u has the
// "#".
func (u URI) Fragment() (text string, ok bool) {
	if u.fragment < 0 {
		return "", false
	}
	return u.text[u.fragment+1:], true
}
