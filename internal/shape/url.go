package shape

import (
	"errors"
	"slices"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/advice"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

// Violation is a finding.
type Violation struct {
	Rule    string `json:"rule"`
	Section string `json:"section"`
	Offset  int    `json:"offset"`
	Text    Text   `json:"text"`
	Help    Text   `json:"help"`
	Kind    string `json:"kind"`
}

// Findings separates violations from notes. Neither list is nil.
func Findings(list []locus.Violation) (violations, notes []Violation) {
	violations, notes = []Violation{}, []Violation{}
	for _, v := range list {
		j := Violation{v.Rule, v.Section, v.Offset, Text(v.Text), Text(v.Help), v.Kind.String()}
		if v.Kind == locus.Note {
			notes = append(notes, j)
		} else {
			violations = append(violations, j)
		}
	}
	return violations, notes
}

// Error says why an input cannot be used. Offset and part are null unless it is not a
// URL.
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

// Failure is the answer to an input that cannot be used.
type Failure struct {
	Input Text  `json:"input"`
	OK    bool  `json:"ok"`
	Error Error `json:"error"`
}

// NewFailure describes why input cannot be used.
func NewFailure(input string, err error) Failure {
	return Failure{Input: Text(input), Error: NewError(err)}
}

// Parse is the answer to an input that is a URL. The order of the keys is promised.
type Parse struct {
	Input      Text        `json:"input"`
	OK         bool        `json:"ok"`
	URL        Text        `json:"url"`
	Canonical  *Text       `json:"canonical"`
	Scheme     Text        `json:"scheme"`
	SchemePart Text        `json:"schemePart"`
	User       *Text       `json:"user"`
	Password   *Text       `json:"password"`
	Host       *Text       `json:"host"`
	Port       *uint16     `json:"port"`
	Path       *Text       `json:"path"`
	Fragment   *Text       `json:"fragment"`
	Locator    *Fields     `json:"locator"`
	Violations []Violation `json:"violations"`
	Notes      []Violation `json:"notes"`
	Words      *Text       `json:"words,omitempty"`   // of a search; absent without one
	Wrapped    Text        `json:"wrapped,omitempty"` // as --wrap writes it
}

// NewParse describes u, which input was read as.
func NewParse(r *scheme.Registry, input string, u locus.URL) Parse {
	p := Parse{
		Input:      Text(input),
		OK:         true,
		URL:        Text(u.String()),
		Scheme:     Text(u.Scheme()),
		SchemePart: Text(u.SchemePart()),
		User:       Present(u.User()),
		Password:   Present(u.Password()),
		Host:       Present(u.Host(), u.Facts().Has(locus.Internet)),
		Path:       Present(u.Path()),
		Fragment:   Present(u.Fragment()),
	}
	if canonical, _, err := r.Canonical(u); err == nil {
		p.Canonical = Present(canonical.String(), true)
	}
	if n, ok := u.Port(); ok {
		p.Port = &n
	}
	if fields, err := r.Fields(u); err == nil {
		p.Locator = (*Fields)(&fields)
	}
	if words, ok := Words(r, u); ok {
		p.Words = Present(words, true)
	}
	p.Violations, p.Notes = Findings(maskFindings(input, located(input, advice.Findings(r, u, locus.RFC1738))))
	return p
}

// Words returns the search of u with "+" read as a space. ok is false if u has none.
func Words(r *scheme.Registry, u locus.URL) (words string, ok bool) {
	s, known := r.Lookup(u.Scheme())
	if !known || s.Words == nil {
		return "", false
	}
	return s.Words(u)
}

// maskFindings returns findings about input with passwords masked in their texts.
func maskFindings(input string, list []locus.Violation) []locus.Violation {
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

// Check is the verdict about one input, with its password masked.
type Check struct {
	Input      Text        `json:"input"`
	OK         bool        `json:"ok"`
	Conforms   bool        `json:"conforms"`
	Rules      string      `json:"rules"`
	Violations []Violation `json:"violations"`
	Notes      []Violation `json:"notes"`
	Error      *Error      `json:"error,omitempty"` // only if not OK
}

// NewCheck describes the findings about input by a profile. err is why input is not a
// URL, or nil.
func NewCheck(input string, list []locus.Violation, err error, profile locus.Profile) Check {
	c := Check{Input: Text(locus.Mask(input)), OK: err == nil, Conforms: locus.Conforms(list), Rules: profile.String()}
	c.Violations, c.Notes = Findings(maskFindings(input, list))
	if err != nil {
		e := NewError(err)
		c.Error = &e
	}
	return c
}

// SyntaxFinding returns the error of parsing a URL as a finding.
func SyntaxFinding(err error) locus.Violation {
	v := locus.Violation{Rule: "syntax", Section: "RFC 1738 5", Help: locus.MaskText(err.Error())}
	var e *locus.SyntaxError
	if !errors.As(err, &e) {
		return v
	}
	v.Offset, v.Help = e.Offset, e.Err.Error()
	if e.Offset < len(e.Input) {
		v.Text = e.Input[e.Offset : e.Offset+1]
	}
	for _, known := range []struct {
		err           error
		rule, section string
	}{
		{locus.ErrNoScheme, "no-scheme", "RFC 1738 2.1"},
		{locus.ErrWindowsPath, "windows-path", "RFC 1738 3.10"},
		{locus.ErrEscape, "escape", "RFC 1738 2.2"},
		{locus.ErrControl, "control-character", "RFC 1738 2.2"},
		{locus.ErrBackslash, "backslash", "RFC 1738 2.2"},
		{locus.ErrAt, "at-sign", "RFC 1738 3.1"},
		{locus.ErrHost, "host", "RFC 1738 3.1"},
		{locus.ErrPort, "port", "RFC 1738 3.1"},
		{locus.ErrPortRange, "port-range", "RFC 1738 3.1"},
		{locus.ErrTooLong, "too-long", "RFC 1738 5"},
	} {
		if errors.Is(e.Err, known.err) {
			v.Rule, v.Section = known.rule, known.section
		}
	}
	if errors.Is(e.Err, locus.ErrPortRange) {
		v.Kind = locus.Impossible
	}
	return v
}

// Canonical is the canonical form of one input, and its changes.
type Canonical struct {
	Input     Text     `json:"input"`
	OK        bool     `json:"ok"`
	Canonical Text     `json:"canonical"`
	Changes   []string `json:"changes"`
	Wrapped   Text     `json:"wrapped,omitempty"` // as --wrap writes it
}

// NewCanonical describes a canonical form.
func NewCanonical(input string, u locus.URL, change locus.Change) Canonical {
	changes := change.Texts()
	if changes == nil {
		changes = []string{}
	}
	return Canonical{Input: Text(input), OK: true, Canonical: Text(u.String()), Changes: changes}
}

// Compare is the verdict about two inputs.
type Compare struct {
	A          Text   `json:"a"`
	B          Text   `json:"b"`
	Same       bool   `json:"same"`
	CanonicalA *Text  `json:"canonicalA"`
	CanonicalB *Text  `json:"canonicalB"`
	Why        []Text `json:"why"`
}

// Resolve is the answer to one partial form, or to one URL the other way round.
type Resolve struct {
	Base  Text   `json:"base"`
	Ref   *Text  `json:"ref"`
	OK    bool   `json:"ok"`
	URL   *Text  `json:"url"`
	Rules string `json:"rules"`
	Other *Other `json:"other"` // null if the other rules say the same
	Notes []Text `json:"notes,omitempty"`
	Error *Error `json:"error,omitempty"`
}

// Other is the result of other rules.
type Other struct {
	Rules string `json:"rules"`
	URL   *Text  `json:"url"` // null: none
}

// OtherRules resolves ref by the rules that o does not select. It returns nil if the
// result is u, too.
func OtherRules(base locus.URL, ref relative.Ref, u locus.URL, o relative.Options) *Other {
	o.Rules = relative.RFC1630 - o.Rules
	other := &Other{Rules: o.Rules.String()}
	v, _, err := ref.ResolveWith(base, o)
	if err == nil {
		other.URL = Present(v.String(), true)
	}
	if v == u {
		return nil
	}
	return other
}

// Scheme is a row of the registry.
type Scheme struct {
	Name    string  `json:"name"`
	Port    *uint16 `json:"port"`
	Status  string  `json:"status"`
	Section string  `json:"section"`
	Current string  `json:"current"` // the standard in force
	Syntax  *Text   `json:"syntax"`
	Access  *Text   `json:"access"`
	IANA    *Text   `json:"iana"` // status in IANA's registry; null: not registered there
}

// NamedSchemes describes the names that are not in r and that have a status of their
// own in IANA's registry, or are in wide use without.
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
		Syntax: Present(s.Syntax, s.Syntax != ""), Access: Present(s.Access, s.Access != ""), IANA: ianaStatus(s.Name),
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
	IRI    bool   `json:"iri,omitempty"`   // it has characters that are not US-ASCII
	ASCII  Text   `json:"ascii,omitempty"` // the URL that an IRI stands for; empty: none
}
