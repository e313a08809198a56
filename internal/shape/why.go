package shape

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile"
)

// Part is a named part of the text of a URL.
type Part struct {
	Name   string
	Offset int
	Text   string
}

// Parts returns the parts of u that are present, in order.
func Parts(u locus.URL) []Part {
	scheme, _, _ := strings.Cut(u.String(), ":")
	list := []Part{{"scheme", 0, scheme}}
	add := func(name string, offset int, text string, ok bool) {
		if ok {
			list = append(list, Part{name, offset, text})
		}
	}
	if !u.Facts().Has(locus.Internet) {
		add("schemePart", u.PathOffset(), u.SchemePart(), true)
	} else {
		user, hasUser := u.User()
		password, hasPassword := u.Password()
		port, hasPort := u.PortText()
		path, hasPath := u.Path()
		start := len(scheme) + len("://")
		add("user", start, user, hasUser)
		add("password", start+len(user)+1, password, hasPassword)
		add("host", u.HostOffset(), u.Host(), true)
		add("port", u.HostOffset()+len(u.Host())+1, port, hasPort)
		add("path", u.PathOffset(), path, hasPath)
	}
	fragment, hasFragment := u.Fragment()
	add("fragment", u.Len()-len(fragment), fragment, hasFragment)
	return list
}

// Side is one of two compared URLs.
type Side struct {
	Input     string
	Canonical string
	Err       error
}

// NewSide parses input by the given rules. If input is incomplete, err must be the reason.
func NewSide(rules profile.Rules, input string, err error) Side {
	s := Side{Input: input, Err: err}
	if s.Err == nil {
		s.Canonical, s.Err = parseUnwrapped(rules.Profile, input, rules.Canonical)
	}
	return s
}

// Compare is the result of comparing two inputs. Passwords are masked.
type Compare struct {
	A          Text   `json:"a"`
	B          Text   `json:"b"`
	Same       bool   `json:"same"`
	CanonicalA *Text  `json:"canonicalA"`
	CanonicalB *Text  `json:"canonicalB"`
	Why        []Text `json:"why"`
	Rules      string `json:"rules"`

	Verdicts []Comparison `json:"verdicts,omitempty"` // results by each standard, if the caller selected several
}

// Comparison is the result of a comparison by one standard.
type Comparison struct {
	Rules      string `json:"rules"`
	Same       bool   `json:"same"`
	CanonicalA *Text  `json:"canonicalA"`
	CanonicalB *Text  `json:"canonicalB"`
	Why        []Text `json:"why"`
}

// NewComparison compares two sides by the given rules, and returns the result with the
// reasons.
func NewComparison(rules profile.Rules, x, y Side) Comparison {
	var why []string
	same := false
	for _, s := range []Side{x, y} {
		if s.Err != nil {
			why = append(why, locus.MaskText(s.Err.Error()))
		}
	}
	if why == nil {
		same, why = rules.Same(bare(rules.Profile, x.Input), bare(rules.Profile, y.Input))
	}
	return Comparison{
		Rules: rules.Profile.String(), Same: same, Why: Texts(why),
		CanonicalA: Present(locus.Mask(x.Canonical), x.Err == nil), CanonicalB: Present(locus.Mask(y.Canonical), y.Err == nil),
	}
}

// NewCompare combines the comparisons of a and b to one result.
func NewCompare(a, b string, list ...Comparison) Compare {
	first := list[0]
	j := Compare{A: Text(locus.Mask(a)), B: Text(locus.Mask(b)), Same: true, CanonicalA: first.CanonicalA, CanonicalB: first.CanonicalB, Why: first.Why}
	var names []string
	for _, c := range list {
		names = append(names, c.Rules)
		j.Same = j.Same && c.Same
	}
	j.Rules = strings.Join(names, ",")
	if len(list) > 1 {
		j.Verdicts = list
	}
	return j
}
