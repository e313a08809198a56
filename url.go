package locus

import (
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// MaxLen is the maximum length of the text that [Parse] accepts, in bytes.
const MaxLen = 1 << 16

// URL is a URL as written. The zero URL is invalid; see [URL.IsZero]. Only
// [Parse] and [Parts.URL] create other values, which are well formed.
//
// URL is an immutable value of 32 bytes. Two URLs are equal (==) if their texts are identical,
// so a URL can be a map key. Whether two texts name the same resource depends on the scheme.
//
// The offsets of the delimiters are packed four to a word, because functions pass a
// struct of four words in registers, but not a struct of many small fields. An offset
// fits into 16 bits (see MaxLen). The offset 0 means that the delimiter is absent,
// because the first character is always part of the scheme.
type URL struct {
	text  string
	login uint64 // offsets of ":" after the scheme, ":" before the password, "@", ":" before the port
	more  uint64 // offsets of "/" (or of "?" if it directly follows the login) and "#"; Facts
}

func (u URL) colon() int { return int(uint16(u.login)) }
func (u URL) pass() int  { return int(uint16(u.login >> 16)) }
func (u URL) at() int    { return int(uint16(u.login >> 32)) }
func (u URL) port() int  { return int(u.login >> 48) }
func (u URL) slash() int { return int(uint16(u.more)) }
func (u URL) hash() int  { return int(uint16(u.more >> 16)) }

// Facts are properties of a URL that [Parse] finds in its single pass. A scheme
// that checks or rewrites a URL then need not read the text again.
type Facts uint32

const (
	// Internet means that "//" follows the scheme, as in the common Internet scheme
	// syntax of section 3.1.
	Internet Facts = 1 << (iota + 16)
	// SchemeLower means that the scheme is written without upper-case letters.
	SchemeLower
	// LoginPlain means that the user and the password are absent, or contain only octets that
	// their productions allow.
	LoginPlain
	// HostName means that the host is a hostname of section 5, no longer than [MaxHost], with
	// labels no longer than [MaxLabel].
	HostName
	// HostNumber means that the host is a hostnumber of section 5. Each number is at most 255
	// and has no leading zeros.
	HostNumber
	// HostLower means that the host is written without upper-case letters.
	HostLower
	// PortPlain means that the port is absent, or not 0 and without leading zeros.
	PortPlain
	// PathFsegment means that the url-path consists of fsegments and "/". For a URL without
	// "//", the facts PathFsegment, PathHsegment, PathUchar and PathXchar describe the
	// scheme-specific part.
	PathFsegment
	// PathHsegment means that the url-path consists of hsegments and "/".
	PathHsegment
	// PathUchar means that the url-path consists of uchars.
	PathUchar
	// PathXchar means that the url-path consists of xchars.
	PathXchar
	// NoEscape means that there is no "%" in the url-path or scheme-specific part.
	NoEscape
	// FragmentXchar means that the fragment consists of xchars, or is absent.
	FragmentXchar
	// NoControl means that no escape in the url-path or scheme-specific part encodes a control
	// character, 00 to 1F or 7F hexadecimal. Parse rejects unescaped control characters.
	NoControl
	// NoUser means that there is no user and no password.
	NoUser
	// Slash means that "/" precedes the url-path (section 3.1).
	Slash

	// PathSearch means that the url-path consists of hsegments and "/", optionally followed by
	// a "?" and a search. For a URL without "//", PathSearch describes the scheme-specific
	// part.
	PathSearch Facts = 1 << 15
	// NoPort means that neither a ":" nor a port follows the host.
	NoPort Facts = 1 << 14
	// NoHost means that "//" follows the scheme, and the host is empty.
	NoHost Facts = 1 << 13
)

// Has reports whether f contains all facts in g.
func (f Facts) Has(g Facts) bool { return f&g == g }

// Facts returns the facts about u. For the zero URL, Facts returns 0.
func (u URL) Facts() Facts { return Facts(u.more >> 32) }

// IsZero reports whether u is the zero URL.
func (u URL) IsZero() bool { return u.text == "" }

// String returns the text exactly as parsed, including the password. A
// program that shows u to people must use [URL.Shown].
func (u URL) String() string { return u.text }

// Len returns the length of the text in bytes.
func (u URL) Len() int { return len(u.text) }

// Scheme returns the scheme's name in lower case (section 2.1).
func (u URL) Scheme() string {
	if u.Facts()&SchemeLower != 0 {
		return u.text[:u.colon()]
	}
	return u.lowerScheme()
}

func (u URL) lowerScheme() string { return strings.ToLower(u.text[:u.colon()]) }

// SchemePart returns the scheme-specific-part: the text between the scheme's ":"
// and the fragment (section 2.1).
func (u URL) SchemePart() string {
	if u.IsZero() {
		return ""
	}
	return u.text[u.colon()+1 : u.schemePartEnd()]
}

// WithoutFragmentText returns the text up to the "#". Section 5 describes only the text before
// the "#". Clients must not send the "#" and the fragment.
func (u URL) WithoutFragmentText() string { return u.text[:u.schemePartEnd()] }

// schemePartEnd returns the offset of the end of the scheme-specific part.
func (u URL) schemePartEnd() int {
	if u.hash() != 0 {
		return u.hash()
	}
	return len(u.text)
}

// loginEnd returns the offset of the end of the host and port.
func (u URL) loginEnd() int {
	if u.slash() != 0 {
		return u.slash()
	}
	return u.schemePartEnd()
}

// Login returns user, password, host and port as written: the production login of
// section 5. ok reports whether u has "//", the common Internet scheme syntax.
func (u URL) Login() (text string, ok bool) {
	if u.Facts()&Internet == 0 {
		return "", false
	}
	return u.text[u.colon()+3 : u.loginEnd()], true
}

// User returns the user as written. ok reports whether u contains a user: section 3.1
// distinguishes an empty user name from an absent user name.
func (u URL) User() (text string, ok bool) {
	switch start := u.colon() + 3; {
	case u.at() == 0:
		return "", false
	case u.pass() != 0:
		return u.text[start:u.pass()], true
	default:
		return u.text[start:u.at()], true
	}
}

// Password returns the password as written. ok reports whether u contains a password, which
// may be empty.
func (u URL) Password() (text string, ok bool) {
	if u.pass() == 0 {
		return "", false
	}
	return u.text[u.pass()+1 : u.at()], true
}

// Host returns the host as written, or "" if u has no host. An IPv6 address has
// brackets.
func (u URL) Host() string {
	if u.Facts()&Internet == 0 {
		return ""
	}
	start := u.HostOffset()
	if u.port() != 0 {
		return u.text[start:u.port()]
	}
	return u.text[start:u.loginEnd()]
}

// HostOffset returns the offset of the host in the text, in bytes. If the host is absent,
// HostOffset returns the offset at which the host would begin.
func (u URL) HostOffset() int {
	if u.at() != 0 {
		return u.at() + 1
	}
	return u.colon() + 3
}

// Port returns the port number. ok reports whether u contains a port number; scheme.Registry
// provides the schemes' default ports. A ":" without digits does not count as a port.
func (u URL) Port() (n uint16, ok bool) {
	text, _ := u.PortText()
	for i := range len(text) {
		n = n*10 + uint16(text[i]-'0') // Parse has tested that the port fits
	}
	return n, text != ""
}

// PortText returns the port as written, without its ":". ok reports whether the ":" is
// present. The text after the ":" may be empty.
func (u URL) PortText() (text string, ok bool) {
	if u.port() == 0 {
		return "", false
	}
	return u.text[u.port()+1 : u.loginEnd()], true
}

// Path returns the url-path as written. The "/" between the host and the path is not part of
// the url-path (section 3.1). ok reports whether the "/" is present. A URL without "//" has a
// scheme-specific part and no url-path.
//
// If "?" directly follows the login, which section 5 does not allow, the url-path
// begins with that "?".
func (u URL) Path() (text string, ok bool) {
	i := u.slash()
	if i == 0 {
		return "", false
	}
	if u.text[i] == '/' {
		i++
	}
	return u.text[i:u.schemePartEnd()], true
}

// PathOffset returns the offset of the url-path in the text, in bytes. For a URL without "//",
// PathOffset returns the offset of the scheme-specific part.
func (u URL) PathOffset() int {
	switch {
	case u.Facts()&Internet == 0:
		return u.colon() + 1
	case u.slash() == 0:
		return u.schemePartEnd()
	case u.text[u.slash()] == '/':
		return u.slash() + 1
	default:
		return u.slash()
	}
}

// MissingSlash reports whether "?" directly follows the login, without the "/"
// that section 5 requires.
func (u URL) MissingSlash() bool { return u.slash() != 0 && u.text[u.slash()] != '/' }

// Fragment returns the fragment-id as written. ok reports whether "#" is present:
// an empty fragment means the whole object (URI draft, "Fragment-id"). Clients
// must not send a fragment.
func (u URL) Fragment() (text string, ok bool) {
	if u.hash() == 0 {
		return "", false
	}
	return u.text[u.hash()+1:], true
}

// WithFragment returns u with the given text as its fragment. The text must be encoded.
func (u URL) WithFragment(text string) (URL, error) {
	return Parse(u.text[:u.schemePartEnd()] + "#" + text)
}

// WithoutFragment returns u without its fragment and the "#".
func (u URL) WithoutFragment() URL {
	if u.hash() == 0 {
		return u
	}
	u.text = u.text[:u.hash()]
	u.more = u.more&^(0xFFFF<<16) | uint64(FragmentXchar)<<32
	return u
}

// WithoutPassword returns u without its password and the ":" before it. A program can send,
// link, store or compare the result, which is a usable URL. The result may still contain a
// password in another part, such as a search, so a program must show people only the result's
// [URL.Shown].
func (u URL) WithoutPassword() URL {
	if u.pass() == 0 {
		return u
	}
	// This text always parses. If parsing failed, the zero URL would contain no password.
	v, _ := Parse(u.text[:u.pass()] + u.text[u.at():])
	return v
}

// Compare orders URLs by their text, byte by byte. Compare returns 0 if and only if u == v.
func (u URL) Compare(v URL) int { return strings.Compare(u.text, v.text) }

// classFacts returns the facts about a path. common is the bitwise AND of the classes of the
// path's octets. The types Facts and octet.Class list these character sets in the same order.
func classFacts(common octet.Class) Facts {
	const sets = octet.Fsegment | octet.Hsegment | octet.Uchar | octet.Xchar
	return Facts(common&sets/octet.Fsegment) * PathFsegment
}
