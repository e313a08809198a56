package shape

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/whatwg"
	"github.com/locus-url/locus/relative"
)

// Resolve is the result of resolving a relative reference, or of making a URL relative.
type Resolve struct {
	Base  Text   `json:"base"`
	Ref   *Text  `json:"ref"`
	OK    bool   `json:"ok"`
	URL   *Text  `json:"url"`
	Rules string `json:"rules"`
	Other *Other `json:"other"` // null if the other rules give the same result
	Notes []Text `json:"notes,omitempty"`
	Error *Error `json:"error,omitempty"`

	Verdicts []Resolve `json:"verdicts,omitempty"` // the results by all standards, if the caller selected several

	Err   error    `json:"-"` // reason for a missing result
	Texts []string `json:"-"` // texts of the notes
}

// Other is the result of resolving the same reference by different rules.
type Other struct {
	Rules string `json:"rules"`
	URL   *Text  `json:"url"` // null if these rules give no URL
}

// NewResolve resolves input against the URL base. If input is incomplete, readErr is the
// reason.
func NewResolve(base locus.URL, input string, readErr error, o relative.Options) Resolve {
	j := Resolve{Base: Text(base.String()), Ref: Present(input, true), Rules: o.Rules.String(), Err: readErr}
	var ref relative.Ref
	if j.Err == nil {
		ref, j.Err = ReadRef(input)
	}
	var u, from locus.URL
	var notes relative.Notes
	if j.Err == nil {
		from, j.Err = baseBy(o.Rules, base)
	}
	if j.Err == nil {
		u, notes, j.Err = ref.ResolveWith(from, o)
	}
	if j.Err == nil {
		j.Other = otherRules(base, ref, u, o)
		if from != base {
			notes |= relative.SlashAdded
		}
		j.Texts = notes.Texts()
		j.Notes = Texts(j.Texts)
	}
	return j.withURL(u.String())
}

// baseBy parses base again by the given rules, because RFC 3986 ends the host at "?".
func baseBy(rules relative.Rules, base locus.URL) (locus.URL, error) {
	if rules != relative.RFC3986 {
		return base, nil
	}
	ref, err := relative.Parse(base.String())
	u, _ := ref.URL()
	return u, err
}

// ResolveAsBrowser resolves input against the URL base by the URL Standard.
func ResolveAsBrowser(base locus.URL, input string, readErr error) Resolve {
	j := Resolve{Base: Text(base.String()), Ref: Present(input, true), Rules: locus.WHATWG.String(), Err: readErr}
	var b, u whatwg.URL
	if j.Err == nil {
		b, j.Err = whatwg.Parse(base.String(), nil)
	}
	if j.Err == nil {
		u, j.Err = whatwg.Parse(input, &b)
	}
	return j.withURL(u.Href())
}

// withURL returns a copy of j that contains the URL, or an error if the URL is invalid.
func (j Resolve) withURL(url string) Resolve {
	if j.OK = j.Err == nil; j.OK {
		j.URL = Present(url, true)
		return j
	}
	e := NewError(j.Err)
	j.Error = &e
	return j
}

// JoinResolve returns a single result unchanged. If list contains several results, JoinResolve
// returns the first result with all results as Verdicts.
func JoinResolve(list []Resolve) Resolve {
	j := list[0]
	if len(list) == 1 {
		return j
	}
	j.Other, j.Verdicts = nil, list
	for i := range list {
		j.OK = j.OK && list[i].OK
		list[i].Other = nil
	}
	return j
}

// otherRules resolves ref by the rules that o does not select. If the result equals u,
// otherRules returns nil.
func otherRules(base locus.URL, ref relative.Ref, u locus.URL, o relative.Options) *Other {
	o.Rules = relative.RFC1630 - o.Rules
	other := &Other{Rules: o.Rules.String()}
	from, err := baseBy(o.Rules, base)
	var v locus.URL
	if err == nil {
		v, _, err = ref.ResolveWith(from, o)
	}
	if err == nil {
		other.URL = Present(v.String(), true)
	}
	if v == u {
		return nil
	}
	return other
}
