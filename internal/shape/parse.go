package shape

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/advice"
	"github.com/locus-url/locus/profile"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/profile/whatwg"
	"github.com/locus-url/locus/scheme"
)

// Parse is the result for an input that is a URL. The order of the keys is part of the
// contract. The keys from Scheme to Fragment and the key Locator follow RFC 1738. The keys
// that follow RFC 1738 are null if only other standards accept the input.
type Parse struct {
	Input      Text        `json:"input"`
	OK         bool        `json:"ok"`
	URL        Text        `json:"url"`
	Canonical  *Text       `json:"canonical"`
	Scheme     *Text       `json:"scheme"`
	SchemePart *Text       `json:"schemePart"`
	User       *Text       `json:"user"`
	Password   *Text       `json:"password"`
	Host       *Text       `json:"host"`
	Port       *uint16     `json:"port"`
	Path       *Text       `json:"path"`
	Fragment   *Text       `json:"fragment"`
	Locator    *Fields     `json:"locator"`
	Violations []Violation `json:"violations"`
	Notes      []Violation `json:"notes"`
	Words      *Text       `json:"words,omitempty"`   // words of the search; omitted if the URL has no search
	Wrapped    Text        `json:"wrapped,omitempty"` // output of --wrap
	Readings
	Verdicts []Verdict `json:"verdicts,omitempty"` // one for each standard, if the caller selected several
}

// Readings holds the parts by later standards, if the caller requested them. A value is null
// if the standard rejects the input.
type Readings struct {
	RFC3986 any `json:"rfc3986,omitempty"` // *Components
	WHATWG  any `json:"whatwg,omitempty"`  // *Record
}

// Components holds the components of RFC 3986 as written.
type Components struct {
	Scheme   *Text `json:"scheme"`
	Userinfo *Text `json:"userinfo"`
	Host     *Text `json:"host"`
	Port     *Text `json:"port"`
	Path     Text  `json:"path"`
	Query    *Text `json:"query"`
	Fragment *Text `json:"fragment"`
}

// NewComponents returns the components of u.
func NewComponents(u rfc3986.URI) *Components {
	return &Components{
		Scheme: Present(u.Scheme()), Userinfo: Present(u.Userinfo()), Host: Present(u.Host()), Port: Present(u.Port()),
		Path: Text(u.Path()), Query: Present(u.Query()), Fragment: Present(u.Fragment()),
	}
}

// Record holds the attributes of the URL class of the WHATWG URL Standard.
type Record struct {
	Href     Text `json:"href"`
	Protocol Text `json:"protocol"`
	Username Text `json:"username"`
	Password Text `json:"password"`
	Host     Text `json:"host"`
	Hostname Text `json:"hostname"`
	Port     Text `json:"port"`
	Pathname Text `json:"pathname"`
	Search   Text `json:"search"`
	Hash     Text `json:"hash"`
}

// NewRecord returns the attributes of u.
func NewRecord(u whatwg.URL) *Record {
	return &Record{
		Text(u.Href()), Text(u.Protocol()), Text(u.Username()), Text(u.Password()), Text(u.Host()), Text(u.Hostname()),
		Text(u.Port()), Text(u.Pathname()), Text(u.Search()), Text(u.Hash()),
	}
}

// NewParse returns the result for u, the URL in the input, by RFC 1738 or the URI draft.
func NewParse(r *scheme.Registry, p locus.Profile, input string, u locus.URL) Parse {
	j := parts(r, input, u)
	if canonical, _, err := r.Canonical(u); err == nil {
		j.Canonical = Present(canonical.String(), true)
	}
	j.Violations, j.Notes = Findings(p, MaskFindings(input, convertOffsets(input, advice.Findings(r, u, p))))
	return j
}

func parts(r *scheme.Registry, input string, u locus.URL) Parse {
	j := Parse{
		Input:      Text(input),
		OK:         true,
		URL:        Text(u.String()),
		Scheme:     Present(u.Scheme(), true),
		SchemePart: Present(u.SchemePart(), true),
		User:       Present(u.User()),
		Password:   Present(u.Password()),
		Host:       Present(u.Host(), u.Facts().Has(locus.Internet)),
		Path:       Present(u.Path()),
		Fragment:   Present(u.Fragment()),
	}
	if n, ok := u.Port(); ok {
		j.Port = &n
	}
	if fields, err := r.Fields(u); err == nil {
		j.Locator = (*Fields)(&fields)
	}
	if words, ok := Words(r, u); ok {
		j.Words = Present(words, true)
	}
	return j
}

// ParseInput parses the input by each standard in rules. All elements of rules must have the same
// registry. The result is a Parse, or a Failure if rules contains only one standard and that
// standard rejects the input. OK and err come from the first standard that rejects the input. If
// the input is incomplete, readErr is the reason.
func ParseInput(rules []profile.Rules, input string, readErr error) (answer any, err error) {
	r := rules[0].Registry
	u, unread := Read(input)
	if err := readErr; err != nil {
		unread = err
	}
	j := Parse{Input: Text(input), URL: Text(bare(rules[0].Profile, input))}
	if unread == nil {
		j = parts(r, input, u)
	}
	if readErr != nil {
		j.Input = Text(Head(input, readErr))
		j.URL = j.Input
	}
	j.Canonical, j.Violations, j.Notes = nil, []Violation{}, []Violation{}
	if text, err := parseUnwrapped(rules[0].Profile, input, rules[0].Canonical); err == nil && readErr == nil {
		j.Canonical = Present(text, true)
	}
	for _, rule := range rules {
		list, failure := CheckInput(rule, input, readErr)
		v := NewVerdict(rule, input, list, failure)
		if failure != nil && err == nil {
			err = failure
		}
		j.Violations, j.Notes = append(j.Violations, v.Violations...), append(j.Notes, v.Notes...)
		if len(rules) > 1 {
			j.Verdicts = append(j.Verdicts, v)
		}
		j.Readings.add(rule, input, failure == nil)
	}
	if j.OK = err == nil; !j.OK && len(rules) == 1 {
		f := NewFailure(input, err)
		f.Readings = j.Readings
		return f, err
	}
	return j, err
}

func (r *Readings) add(rules profile.Rules, input string, ok bool) {
	switch rules.Profile {
	case locus.RFC3986:
		var c *Components
		if ok {
			c = NewComponents(rfc3986.Parse(bare(rules.Profile, input)))
		}
		r.RFC3986 = c
	case locus.WHATWG:
		var record *Record
		if u, err := whatwg.Parse(input, rules.Base); ok && err == nil {
			record = NewRecord(u)
		}
		r.WHATWG = record
	}
}
