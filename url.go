package locus

import (
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// MaxLen is the length of the longest text that [Parse] takes, in octets.
const MaxLen = 1 << 16

// URL is a URL as it was written. The zero URL is no URL; distinct from it,
// every other value came from [Parse] or [Parts.URL] and is well formed.
//
// URL is an immutable value of 32 bytes without pointers to anything but its
// text. Two URLs are == if their texts are the same octets, so a URL can be the
// key of a map; whether two texts name the same resource is for the scheme to
// say.
//
// The text is kept whole, and beside it the places of the delimiters, four to a
// word: a URL of four words travels in registers, and one of many small fields
// would not. A place is the index of a character and so below 65536 even in the
// longest text; the first character is always of the scheme, which leaves 0 to
// mean "not there".
type URL struct {
	text  string
	login uint64 // the places of ":" after the scheme, ":" before the password, "@", ":" before the port
	more  uint64 // the places of "/" (or the "?" of a URL that lacks it) and "#"; the port's number; Facts
}

func (u URL) colon() int  { return int(uint16(u.login)) }
func (u URL) pass() int   { return int(uint16(u.login >> 16)) }
func (u URL) at() int     { return int(uint16(u.login >> 32)) }
func (u URL) port() int   { return int(u.login >> 48) }
func (u URL) slash() int  { return int(uint16(u.more)) }
func (u URL) hash() int   { return int(uint16(u.more >> 16)) }
func (u URL) num() uint16 { return uint16(u.more >> 32) }

// Facts are what [Parse] learnt about a URL on its one way through the text. A
// scheme that checks or rewrites a URL asks here first, and need not read the
// text again when the answer is already known.
type Facts uint16

const (
	// Internet: "//" follows the scheme, as in the common Internet scheme
	// syntax of section 3.1.
	Internet Facts = 1 << iota
	// SchemeLower: the scheme is written without upper-case letters.
	SchemeLower
	// LoginPlain: user and password hold only octets of their productions, or
	// are not there.
	LoginPlain
	// HostName: the host is a hostname of section 5, and no longer than can be.
	HostName
	// HostNumber: the host is a hostnumber of section 5, in numbers that can be:
	// each at most 255, and without needless zeros.
	HostNumber
	// HostLower: the host is written without upper-case letters.
	HostLower
	// PortPlain: there is no port, or one that is not 0 and written as short as
	// it can be.
	PortPlain
	// PathFsegment: the url-path is made of fsegments and "/". For a URL without
	// "//" this and the next three speak of the scheme-specific part.
	PathFsegment
	// PathHsegment: the url-path is made of hsegments and "/".
	PathHsegment
	// PathUchar: the url-path is made of uchars.
	PathUchar
	// PathXchar: the url-path is made of xchars.
	PathXchar
	// NoEscape: there is no "%" in the url-path or scheme-specific part.
	NoEscape
	// FragmentXchar: the fragment is made of xchars, or is not there.
	FragmentXchar
	// NoControl: no escape in the url-path or scheme-specific part is of a control
	// character, 00 to 1F or 7F hexadecimal. Unescaped ones are in no URL.
	NoControl
	// NoUser: there is no user, and so no password.
	NoUser
	// Slash: "/" stands before the url-path, as section 3.1 has it.
	Slash
)

// Has reports whether all facts of g are among f.
func (f Facts) Has(g Facts) bool { return f&g == g }

// Facts returns what Parse learnt about u.
func (u URL) Facts() Facts { return Facts(u.more >> 48) }

// IsZero reports whether u is the zero URL, which is no URL.
func (u URL) IsZero() bool { return u.text == "" }

// String returns the text exactly as it was parsed, the password included. For
// messages and logs there is [URL.Redacted].
func (u URL) String() string { return u.text }

// Len returns the length of the text in octets.
func (u URL) Len() int { return len(u.text) }

// Scheme returns the scheme's name in lower case, whatever was written (section
// 2.1).
func (u URL) Scheme() string {
	if u.Facts()&SchemeLower != 0 {
		return u.text[:u.colon()]
	}
	return u.lowerScheme()
}

func (u URL) lowerScheme() string { return strings.ToLower(u.text[:u.colon()]) }

// SchemePart returns the scheme-specific-part: what follows the scheme's ":",
// up to the fragment (section 2.1).
func (u URL) SchemePart() string {
	if u.IsZero() {
		return ""
	}
	return u.text[u.colon()+1 : u.end()]
}

// WithoutFragmentText returns the text up to the "#": what section 5 describes,
// and the most that is ever sent anywhere.
func (u URL) WithoutFragmentText() string { return u.text[:u.end()] }

// end is where the scheme-specific part ends.
func (u URL) end() int {
	if u.hash() != 0 {
		return u.hash()
	}
	return len(u.text)
}

// loginEnd is where the login ends: host, or port.
func (u URL) loginEnd() int {
	if u.slash() != 0 {
		return u.slash()
	}
	return u.end()
}

// Login returns user, password, host and port as they are written, the
// production login of section 5. ok reports whether u is in the common Internet
// scheme syntax at all, which "//" says.
func (u URL) Login() (text string, ok bool) {
	if u.Facts()&Internet == 0 {
		return "", false
	}
	return u.text[u.colon()+3 : u.loginEnd()], true
}

// User returns the user as written. ok reports whether there is one, perhaps
// empty: section 3.1 tells an empty user name from none.
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

// Password returns the password as written. ok reports whether there is one,
// perhaps empty.
func (u URL) Password() (text string, ok bool) {
	if u.pass() == 0 {
		return "", false
	}
	return u.text[u.pass()+1 : u.at()], true
}

// Host returns the host as written, an IPv6 address with its brackets. It is
// empty if u has none.
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

// HostOffset returns where in the text the host begins, in octets, or would
// begin if there were one.
func (u URL) HostOffset() int {
	if u.at() != 0 {
		return u.at() + 1
	}
	return u.colon() + 3
}

// Port returns the number of the port. ok reports whether one is written; the
// default of the scheme is in the registry. A port that is written as ":" alone
// counts as none, and is a finding.
func (u URL) Port() (n uint16, ok bool) {
	return u.num(), u.port() != 0 && u.port()+1 < u.loginEnd()
}

// PortText returns the port as written, without its ":". ok reports whether the
// ":" is there, perhaps with nothing behind it.
func (u URL) PortText() (text string, ok bool) {
	if u.port() == 0 {
		return "", false
	}
	return u.text[u.port()+1 : u.loginEnd()], true
}

// Path returns the url-path as written, without the "/" between host and path,
// which section 3.1 says is not part of it. ok reports whether the "/" is
// there. A URL without "//" has a scheme-specific part and no url-path.
//
// In a URL that lacks the "/" and goes on with "?", which section 5 does not
// allow, the url-path begins with that "?".
func (u URL) Path() (text string, ok bool) {
	i := u.slash()
	if i == 0 {
		return "", false
	}
	if u.text[i] == '/' {
		i++
	}
	return u.text[i:u.end()], true
}

// PathOffset returns where in the text the url-path begins, in octets. For a
// URL without "//" it is where the scheme-specific part begins.
func (u URL) PathOffset() int {
	switch {
	case u.Facts()&Internet == 0:
		return u.colon() + 1
	case u.slash() == 0:
		return u.end()
	case u.text[u.slash()] == '/':
		return u.slash() + 1
	default:
		return u.slash()
	}
}

// MissingSlash reports whether u is written host?search, without the "/" that
// section 5 asks for before the "?".
func (u URL) MissingSlash() bool { return u.slash() != 0 && u.text[u.slash()] != '/' }

// Fragment returns the fragment-id as written. ok reports whether there is a
// "#", perhaps with nothing behind it: a void fragment means the whole object
// (URI draft, "Fragment-id"). A fragment is never sent.
func (u URL) Fragment() (text string, ok bool) {
	if u.hash() == 0 {
		return "", false
	}
	return u.text[u.hash()+1:], true
}

// WithFragment returns u with text, already encoded, as its fragment.
func (u URL) WithFragment(text string) (URL, error) {
	return Parse(u.text[:u.end()] + "#" + text)
}

// WithoutFragment returns u without its fragment and the "#".
func (u URL) WithoutFragment() URL {
	if u.hash() == 0 {
		return u
	}
	u.text = u.text[:u.hash()]
	u.more = u.more&^(0xFFFF<<16) | uint64(FragmentXchar)<<48
	return u
}

// WithoutPassword returns u without its password and the ":" before it: what may be
// shown and can still be used.
func (u URL) WithoutPassword() URL {
	if u.pass() == 0 {
		return u
	}
	// A URL stays one without it. Were it not so, nothing would be shown.
	v, _ := Parse(u.text[:u.pass()] + u.text[u.at():])
	return v
}

// Compare orders URLs by their text, octet by octet. It is 0 if and only if u
// == v; sameness of meaning is the scheme's to say.
func (u URL) Compare(v URL) int { return strings.Compare(u.text, v.text) }

// classFacts are the facts that the AND of the classes of a path's octets tells.
// The sets have the same order here and there.
func classFacts(all octet.Class) Facts {
	const sets = octet.Fsegment | octet.Hsegment | octet.Uchar | octet.Xchar
	return Facts(all&sets/octet.Fsegment) * PathFsegment
}
