package locus

import (
	"fmt"
	"slices"
	"strings"
)

// Profile is the standard by which a URL is checked. The root package and the schemes apply
// RFC1738 and RFC1630; package profile applies all profiles.
type Profile uint8

const (
	// RFC1738 is the strict grammar of RFC 1738 section 5, together with the rules in the
	// RFC's prose.
	RFC1738 Profile = iota
	// RFC1630 is the grammar of the URI draft that became RFC 1630.
	RFC1630
	// RFC3986 is the generic syntax of RFC 3986, together with the current standard for the
	// scheme, such as RFC 6068 for mailto.
	RFC3986
	// WHATWG is the URL Standard, which browsers follow.
	WHATWG
)

var profileNames = []string{"rfc1738", "rfc1630", "rfc3986", "whatwg"}

// ParseProfile returns the profile with the given name: "rfc1738", "rfc1630",
// "rfc3986" or "whatwg".
func ParseProfile(name string) (Profile, error) {
	i := slices.Index(profileNames, name)
	if i < 0 {
		return 0, fmt.Errorf("locus: unknown rules %q: choose %s", name, strings.Join(profileNames, ", "))
	}
	return Profile(i), nil
}

func (p Profile) String() string { return profileNames[p] }

// Kind is the severity of a finding.
type Kind uint8

const (
	// Ungrammatical means that the grammar or the prose of the standard does not allow the text.
	Ungrammatical Kind = iota
	// Impossible means that the grammar allows the text, but no such value exists. Examples are
	// the port 0 and a label of 64 letters.
	Impossible
	// Suggestion means that the text is grammatical, but probably mistyped. A URL with
	// a suggestion does not conform.
	Suggestion
	// Note means that the finding is advice about a URL that conforms.
	Note
)

// String returns "violation", "impossible", "suggestion" or "note".
func (k Kind) String() string {
	return [...]string{"violation", "impossible", "suggestion", "note"}[k]
}

// Violation is one finding about a URL.
type Violation struct {
	Rule    string // stable identifier of the rule, such as "unsafe-character"
	Kind    Kind
	Section string // section of the standard, such as "RFC 1738 2.2"
	Offset  int    // offset in bytes from the start of the URL
	Text    string // the part of the URL at Offset, or ""
	Help    string // the fix
}

func (v Violation) String() string {
	return fmt.Sprintf("offset %d: %s (%s, %s): %s", v.Offset, Quote(v.Text), v.Rule, v.Section, v.Help)
}

// Conforms reports whether every finding in list has the kind [Note].
func Conforms(list []Violation) bool {
	return !slices.ContainsFunc(list, func(v Violation) bool { return v.Kind != Note })
}

// Change is the set of changes that made a URL canonical. No such change affects the meaning
// of the URL.
type Change uint32

const (
	SchemeCase     Change = 1 << iota // writes the scheme in lower case (RFC 1738 2.1)
	HostCase                          // writes the host in lower case (RFC 1034 3.1)
	HostZeros                         // removes leading zeros of an address; its numbers are decimal
	DefaultPort                       // removes the scheme's default port (RFC 1738 3.1)
	PortZeros                         // removes leading zeros of the port, or a ":" without a port
	NeedlessEscape                    // writes %2D as "-" (RFC 1738 2.2)
	MissingEscape                     // writes "~" as %7E (RFC 1738 2.2)
	EscapeCase                        // writes %2f as %2F (RFC 1738 2.2)
	EmptyPath                         // adds or removes a "/" after the host that has no meaning
	Typecode                          // writes ;TYPE=A as ;type=a (RFC 1738 3.2.2)
	Localhost                         // removes localhost from a file URL (RFC 1738 3.10)
	DefaultType                       // writes gopher's type 1 (RFC 1738 3.4.1)
	VoidFragment                      // removes a "#" before an empty fragment (URI draft, "Fragment-id")
	DotSegments                       // removes "." and ".." from the path of http (RFC 3986 5.2.4)
	FormFields                        // writes the scheme's own parts in canonical order and spelling
	HostAddress                       // writes an IPv6 address as in RFC 5952 section 4
)

var changeTexts = [...]string{
	"the scheme's name is written in lower case",
	"a host's name is written in lower case",
	"zeros at the front of an address's numbers are left out",
	"the scheme's default port is left out",
	"the port is written without zeros at its front, or its \":\" left out",
	"an escape that is not needed is written as its character",
	"a character that must be escaped is written as its escape",
	"escapes are written with upper-case digits",
	"no path and an empty path mean the same",
	"the typecode is written in lower case",
	"localhost and no host mean the same",
	"gopher's default type is 1",
	"an empty fragment means the whole object",
	"\".\" and \"..\" are resolved in the path",
	"the scheme's own parts are written in their canonical form",
	"an IPv6 address is written in its shortest form",
}

// Texts returns one clause for each change in c that describes the change.
func (c Change) Texts() []string {
	var list []string
	for i, text := range changeTexts {
		if c&(1<<i) != 0 {
			list = append(list, text)
		}
	}
	return list
}

func (c Change) String() string { return strings.Join(c.Texts(), "; ") }
