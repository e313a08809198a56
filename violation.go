package locus

import "fmt"

// Profile is the standard that a URL is checked against.
type Profile uint8

const (
	// RFC1738 is the grammar of section 5, read strictly, and the rules of the prose.
	RFC1738 Profile = iota
	// RFC1630 is the grammar of the URI draft that became RFC 1630.
	RFC1630
)

// ParseProfile returns the profile of that name, "rfc1738" or "rfc1630".
func ParseProfile(name string) (Profile, error) {
	switch name {
	case "rfc1738":
		return RFC1738, nil
	case "rfc1630":
		return RFC1630, nil
	}
	return 0, fmt.Errorf("locus: no rules %q; there are rfc1738 and rfc1630", name)
}

func (p Profile) String() string {
	if p == RFC1630 {
		return "rfc1630"
	}
	return "rfc1738"
}

// Kind is the severity of a finding.
type Kind uint8

const (
	// Ungrammatical: the grammar or the prose of the standard does not allow it.
	Ungrammatical Kind = iota
	// Impossible: grammatical, but no such value exists: an address with an octet
	// of 256, a port 0, a label of 64 letters.
	Impossible
	// Suggestion: grammatical, but probably mistyped. A URL with a suggestion does
	// not conform.
	Suggestion
	// Note: advice about a URL that conforms.
	Note
)

// String returns "violation", "impossible", "suggestion" or "note".
func (k Kind) String() string {
	return [...]string{"violation", "impossible", "suggestion", "note"}[k]
}

// Violation is one finding about a URL.
type Violation struct {
	Rule    string // a stable identifier: "unsafe-character"
	Kind    Kind
	Section string // the section of the standard: "RFC 1738 2.2"
	Offset  int    // in octets from the start of the URL
	Text    string // the part of the URL at Offset, or ""
	Help    string // the fix
}

func (v Violation) String() string {
	return fmt.Sprintf("octet %d: %s (%s, %s): %s", v.Offset, Quote(v.Text), v.Rule, v.Section, v.Help)
}

// Conforms reports whether list holds only notes.
func Conforms(list []Violation) bool {
	for _, v := range list {
		if v.Kind != Note {
			return false
		}
	}
	return true
}
