package locus

import "fmt"

// Profile is the text whose rules a URL is held against.
type Profile uint8

const (
	// RFC1738 is the grammar of section 5, read strictly, and what the prose adds.
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

// Kind tells findings apart by what they mean for the URL.
type Kind uint8

const (
	// Ungrammatical: no production, or a sentence of the prose, allows it.
	Ungrammatical Kind = iota
	// Impossible: the grammar allows it and nothing can be so: an address with an
	// octet of 256, a port 0, a label of 64 letters.
	Impossible
	// Suggestion: grammatical, and probably mistyped. A URL with a suggestion does
	// not conform.
	Suggestion
	// Note: advice about a URL that conforms.
	Note
)

// String returns "violation", "impossible", "suggestion" or "note".
func (k Kind) String() string {
	return [...]string{"violation", "impossible", "suggestion", "note"}[k]
}

// Violation is one finding about a URL: what is wrong where, by which rule, and
// what to write instead.
type Violation struct {
	Rule    string // a short name that does not change: "unsafe-character"
	Kind    Kind
	Section string // where the rule stands: "RFC 1738 2.2"
	Offset  int    // in octets from the start of the URL
	Text    string // the text it is about, perhaps empty
	Help    string // what would be right
}

func (v Violation) String() string {
	return fmt.Sprintf("octet %d: %s (%s, %s): %s", v.Offset, Quote(v.Text), v.Rule, v.Section, v.Help)
}

// Conforms reports whether list holds nothing but notes.
func Conforms(list []Violation) bool {
	for _, v := range list {
		if v.Kind != Note {
			return false
		}
	}
	return true
}
