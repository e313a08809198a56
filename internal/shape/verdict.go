package shape

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/advice"
	"github.com/locus-url/locus/profile"
)

// Verdict is the result of one standard for an input.
type Verdict struct {
	Rules      string      `json:"rules"`
	OK         bool        `json:"ok"`
	Conforms   bool        `json:"conforms"`
	Violations []Violation `json:"violations"`
	Notes      []Violation `json:"notes"`
	Error      *Error      `json:"error,omitempty"` // omitted if OK is true
}

// NewVerdict describes the findings about the input by the given rules. If the rules reject
// the input, err is the reason.
func NewVerdict(rules profile.Rules, input string, list []locus.Violation, err error) Verdict {
	j := Verdict{Rules: rules.Profile.String(), OK: err == nil, Conforms: locus.Conforms(list)}
	j.Violations, j.Notes = Findings(rules.Profile, MaskFindings(input, list))
	if err != nil {
		e := NewError(err)
		j.Error = &e
	}
	return j
}

// CheckInput parses and checks the input by the given rules. Offsets refer to input. If the rules
// reject the input, err is the reason, which the list of findings also contains. If the input is
// incomplete, readErr must be the reason.
func CheckInput(rules profile.Rules, input string, readErr error) (list []locus.Violation, err error) {
	switch {
	case readErr != nil:
		return []locus.Violation{profile.Finding(readErr)}, readErr
	case rules.Profile == locus.WHATWG:
		return rules.Check(input)
	case rules.Profile == locus.RFC3986:
		_, err = parseUnwrapped(rules.Profile, input, func(text string) (struct{}, error) {
			list, err = rules.Check(text)
			return struct{}{}, err
		})
		return convertOffsets(input, list), err
	}
	u, err := Read(input)
	if err != nil {
		list = []locus.Violation{profile.Finding(err)}
		if v, ok := advice.Later(rules.Registry, bare(rules.Profile, input), list); ok && rules.Profile == locus.RFC1738 {
			list = append(list, v)
		}
		return list, err
	}
	list = advice.Findings(rules.Registry, u, rules.Profile)
	if u.String() == input {
		return list, nil // most inputs are not wrapped
	}
	return convertOffsets(input, list), nil
}

// parseUnwrapped calls f with input. Unless the profile p is the URL Standard, parseUnwrapped
// first removes the wrapper of RFC 1738's appendix from input.
func parseUnwrapped[T any](p locus.Profile, input string, f func(text string) (T, error)) (T, error) {
	if p == locus.WHATWG {
		return f(input)
	}
	return unwrapped(input, f)
}

func bare(p locus.Profile, input string) string {
	text, _ := parseUnwrapped(p, input, func(text string) (string, error) { return text, nil })
	return text
}

// Check is the result of checking one input. Passwords are masked.
type Check struct {
	Input      Text        `json:"input"`
	OK         bool        `json:"ok"`
	Conforms   bool        `json:"conforms"`
	Rules      string      `json:"rules"` // names of the standards, separated by commas
	Violations []Violation `json:"violations"`
	Notes      []Violation `json:"notes"`
	Verdicts   []Verdict   `json:"verdicts,omitempty"` // results by each standard, if the caller selected several
	Error      *Error      `json:"error,omitempty"`    // the first error; omitted if OK is true
}

// NewCheck combines the verdicts about an input to one result.
func NewCheck(input string, verdicts ...Verdict) Check {
	j := Check{Input: Text(locus.Mask(input)), OK: true, Conforms: true, Violations: []Violation{}, Notes: []Violation{}}
	var names []string
	for _, v := range verdicts {
		names = append(names, v.Rules)
		j.OK, j.Conforms = j.OK && v.OK, j.Conforms && v.Conforms
		j.Violations, j.Notes = append(j.Violations, v.Violations...), append(j.Notes, v.Notes...)
		if j.Error == nil {
			j.Error = v.Error
		}
	}
	j.Rules = strings.Join(names, ",")
	if len(verdicts) > 1 {
		j.Verdicts = verdicts
	}
	return j
}

// Canonical is the canonical form of one input, with the changes that led to it.
type Canonical struct {
	Input     Text            `json:"input"`
	OK        bool            `json:"ok"`
	Canonical *Text           `json:"canonical"`
	Changes   []string        `json:"changes"`
	Rules     string          `json:"rules"`
	Wrapped   Text            `json:"wrapped,omitempty"`  // output of --wrap
	Verdicts  []CanonicalForm `json:"verdicts,omitempty"` // results by each standard, if the caller selected several
}

// CanonicalForm is the canonical form of an input by one standard.
type CanonicalForm struct {
	Rules     string   `json:"rules"`
	OK        bool     `json:"ok"`
	Canonical *Text    `json:"canonical"`
	Changes   []string `json:"changes"`
	Error     *Error   `json:"error,omitempty"`
}

// CanonicalInput returns the canonical form of the input by the given rules, and the changes.
func CanonicalInput(rules profile.Rules, input string) (text string, changes []string, err error) {
	if rules.Profile <= locus.RFC1630 {
		u, err := Read(input)
		if err != nil {
			return "", nil, err
		}
		u, change, err := rules.Registry.Canonical(u)
		return u.String(), change.Texts(), err
	}
	text, err = parseUnwrapped(rules.Profile, input, rules.Canonical)
	if written := bare(rules.Profile, input); err == nil && written != text {
		_, changes = rules.Same(written, text)
	}
	return text, changes, err
}

// CanonicalNotes returns one line for each violation that does not prevent a canonical form of
// the input.
func CanonicalNotes(rules profile.Rules, input string) (notes []string) {
	if rules.Profile != locus.RFC3986 {
		return nil
	}
	list, _ := CheckInput(rules, input, nil)
	for _, v := range MaskFindings(input, list) {
		if v.Kind == locus.Ungrammatical {
			notes = append(notes, fmt.Sprintf("%s: offset %d: %s (%s)", locus.Quote(locus.Mask(input)), v.Offset, v.Help, v.Section))
		}
	}
	return notes
}

// NewCanonicalForm describes a canonical form. If the input has no canonical form, err must be
// the reason.
func NewCanonicalForm(p locus.Profile, text string, changes []string, err error) CanonicalForm {
	if changes == nil {
		changes = []string{}
	}
	j := CanonicalForm{Rules: p.String(), OK: err == nil, Canonical: Present(text, err == nil), Changes: changes}
	if err != nil {
		e := NewError(err)
		j.Error = &e
	}
	return j
}

// NewCanonical combines the canonical forms of an input to one result.
func NewCanonical(input string, forms ...CanonicalForm) Canonical {
	first := forms[0]
	j := Canonical{Input: Text(input), OK: true, Canonical: first.Canonical, Changes: first.Changes}
	var names []string
	for _, f := range forms {
		names = append(names, f.Rules)
		j.OK = j.OK && f.OK
	}
	j.Rules = strings.Join(names, ",")
	if len(forms) > 1 {
		j.Verdicts = forms
	}
	return j
}
