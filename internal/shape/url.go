package shape

import (
	"errors"
	"slices"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Violation is a violation of a rule, a suggestion or a note.
type Violation struct {
	Rule    string `json:"rule"`
	Section string `json:"section"`
	Offset  int    `json:"offset"`
	Text    Text   `json:"text"`
	Help    Text   `json:"help"`
	Kind    string `json:"kind"`
	Rules   string `json:"rules"`
}

// Findings divides list into violations of the standard p, and notes. Both results are never
// nil.
func Findings(p locus.Profile, list []locus.Violation) (violations, notes []Violation) {
	violations, notes = []Violation{}, []Violation{}
	for _, v := range list {
		j := Violation{v.Rule, v.Section, v.Offset, Text(v.Text), Text(v.Help), v.Kind.String(), p.String()}
		if v.Kind == locus.Note {
			notes = append(notes, j)
		} else {
			violations = append(violations, j)
		}
	}
	return violations, notes
}

// Error is the reason why an input cannot be used. Offset and part are null, unless the reason
// is that the input is not a URL.
type Error struct {
	Offset  *int  `json:"offset"`
	Part    *Text `json:"part"`
	Message Text  `json:"message"`
}

// NewError returns a description of err.
func NewError(err error) Error {
	j := Error{Message: Text(locus.MaskText(err.Error()))}
	var e *locus.SyntaxError
	if errors.As(err, &e) {
		j.Offset, j.Part = &e.Offset, Present(e.Part, true)
	}
	return j
}

// Failure is the result for an input that cannot be used.
type Failure struct {
	Input Text  `json:"input"`
	OK    bool  `json:"ok"`
	Error Error `json:"error"`
	Readings
}

// NewFailure returns the result for an input that cannot be used because of err.
func NewFailure(input string, err error) Failure {
	return Failure{Input: Text(Head(input, err)), Error: NewError(err)}
}

// Head returns input. If err reports that input is too long, Head returns only the beginning
// of input.
func Head(input string, err error) string {
	var e *locus.SyntaxError
	if errors.Is(err, locus.ErrTooLong) && errors.As(err, &e) {
		return e.Input
	}
	return input
}

// Words returns the search of u, and decodes each "+" to a space. ok is false if u has no
// search.
func Words(r *scheme.Registry, u locus.URL) (words string, ok bool) {
	s, known := r.Lookup(u.Scheme())
	if !known || s.Syntax.Words == nil {
		return "", false
	}
	return s.Syntax.Words(u)
}

// MaskFindings returns a copy of the findings about input, in which passwords are masked.
func MaskFindings(input string, list []locus.Violation) []locus.Violation {
	masked := locus.Mask(input)
	if masked == input {
		return list
	}
	list = slices.Clone(list)
	for i, v := range list {
		if end := v.Offset + len(v.Text); v.Offset >= 0 && end <= len(input) && input[v.Offset:end] == v.Text {
			list[i].Text = masked[v.Offset:end]
		} else {
			list[i].Text = locus.Mask(v.Text)
		}
		list[i].Help = locus.MaskText(v.Help)
	}
	return list
}

// Scheme describes a scheme of the registry.
type Scheme struct {
	Name    string  `json:"name"`
	Port    *uint16 `json:"port"`
	Status  string  `json:"status"`
	Section string  `json:"section"`
	Current string  `json:"current"` // current standard of the scheme
	Syntax  *Text   `json:"syntax"`
	Access  *Text   `json:"access"`
	IANA    *Text   `json:"iana"` // status in IANA's registry; null if the scheme is not registered
}

// NamedSchemes describes known scheme names that are not in r. The result contains names with
// a special status in IANA's registry, and unregistered names in wide use.
func NamedSchemes(r *scheme.Registry) []Scheme {
	var list []Scheme
	for name, status := range scheme.Names() {
		if _, ok := r.Lookup(name); !ok {
			list = append(list, Scheme{Name: name, Status: status, Section: "IANA", Current: "IANA", IANA: ianaStatus(name)})
		}
	}
	return list
}

func ianaStatus(name string) *Text {
	status := scheme.NameStatus(name)
	return Present(status, status != "" && status != "unregistered")
}

// NewScheme returns a description of s.
func NewScheme(s scheme.Scheme) Scheme {
	j := Scheme{
		Name: s.Name, Status: s.Status.String(), Section: s.Section, Current: s.Standard(),
		Syntax: Present(s.Syntax.Form, s.Syntax.Form != ""), Access: Present(s.Access.Protocol, s.Access.Protocol != ""), IANA: ianaStatus(s.Name),
	}
	if s.Port != 0 {
		j.Port = &s.Port
	}
	return j
}

// Extract describes a URL in a text.
type Extract struct {
	File   Text   `json:"file"`
	URL    Text   `json:"url"`
	Start  int64  `json:"start"`
	End    int64  `json:"end"`
	Line   int64  `json:"line"`
	Column int64  `json:"column"`
	Form   string `json:"form"`
	IRI    bool   `json:"iri,omitempty"`   // whether the URL contains characters outside US-ASCII
	ASCII  Text   `json:"ascii,omitempty"` // the ASCII URL of an IRI, or empty if the IRI can't be converted
}
