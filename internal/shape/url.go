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

// Findings separates violations of the rules of p from notes. Both lists are not nil.
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

// Error is the reason why an input cannot be used. Offset and part are null unless the input is
// not a URL.
type Error struct {
	Offset  *int  `json:"offset"`
	Part    *Text `json:"part"`
	Message Text  `json:"message"`
}

// NewError describes err.
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

// NewFailure describes why input cannot be used.
func NewFailure(input string, err error) Failure {
	return Failure{Input: Text(Head(input, err)), Error: NewError(err)}
}

// Head returns input, or its beginning if err reports that it is too long.
func Head(input string, err error) string {
	var e *locus.SyntaxError
	if errors.Is(err, locus.ErrTooLong) && errors.As(err, &e) {
		return e.Input
	}
	return input
}

// Words returns the search of u with "+" read as a space. ok is false if u has no search.
func Words(r *scheme.Registry, u locus.URL) (words string, ok bool) {
	s, known := r.Lookup(u.Scheme())
	if !known || s.Syntax.Words == nil {
		return "", false
	}
	return s.Syntax.Words(u)
}

// MaskFindings returns findings about input with passwords masked.
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

// Scheme is a row of the registry.
type Scheme struct {
	Name    string  `json:"name"`
	Port    *uint16 `json:"port"`
	Status  string  `json:"status"`
	Section string  `json:"section"`
	Current string  `json:"current"` // the current standard
	Syntax  *Text   `json:"syntax"`
	Access  *Text   `json:"access"`
	IANA    *Text   `json:"iana"` // status in IANA's registry; null if not registered
}

// NamedSchemes describes known scheme names that are not in r: names with a special status
// in IANA's registry, and unregistered names in wide use.
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

// NewScheme describes s.
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

// Extract is a URL in a text.
type Extract struct {
	File   Text   `json:"file"`
	URL    Text   `json:"url"`
	Start  int64  `json:"start"`
	End    int64  `json:"end"`
	Line   int64  `json:"line"`
	Column int64  `json:"column"`
	Form   string `json:"form"`
	IRI    bool   `json:"iri,omitempty"`   // has characters outside US-ASCII
	ASCII  Text   `json:"ascii,omitempty"` // the ASCII URL of an IRI; empty if there is none
}
