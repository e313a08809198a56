package standards

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/profile/whatwg"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// urlCase is a case of urltestdata.json of the Web Platform Tests.
type urlCase struct {
	Input string
	Base  *string
}

func readCases(t *testing.T) (list []urlCase) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../../shared/data/wpt/urltestdata.json"))
	if os.IsNotExist(err) && os.Getenv("CI") == "" {
		t.Skip("the data of the Web Platform Tests is absent")
	} else if err != nil {
		t.Fatal(err)
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
	for _, r := range raw {
		var one urlCase
		if r[0] == '"' { // a comment
			continue
		}
		if err := json.Unmarshal(r, &one); err != nil {
			t.Fatal(err)
		}
		list = append(list, one)
	}
	if len(list) < 800 {
		t.Fatalf("%d cases", len(list))
	}
	return list
}

// outcome holds the results of the three standards for a case.
type outcome struct {
	urlCase

	// The results by the URL Standard are the href and the validation errors. If the parser
	// fails, the field failure contains the name of the error.
	href    string
	notes   []locus.Violation
	failure string

	// The results by RFC 3986 are the findings about the input, and the normalized target. The
	// field unresolved is true for a reference that has no base.
	faults     []locus.Violation
	unresolved bool
	inBase     bool // the faults are in the base
	target     rfc3986.URI

	// The results by RFC 1738 are the error about the input, or the findings and the canonical
	// form.
	refused   *locus.SyntaxError
	breaches  []locus.Violation
	canonical string
	// registered reports whether the scheme is registered. If so, defaultPort is the default
	// port of the scheme.
	registered  bool
	defaultPort string
}

// browser, generic and original report the verdicts of the URL Standard, of RFC 3986 and of
// RFC 1738.
func (o *outcome) browser() bool  { return o.failure == "" }
func (o *outcome) generic() bool  { return len(o.faults) == 0 && !o.unresolved }
func (o *outcome) original() bool { return o.refused == nil && len(o.breaches) == 0 }

// isRelative reports whether the input is a relative reference.
func (o *outcome) isRelative() bool {
	_, ok := rfc3986.Parse(o.Input).Scheme()
	return !ok
}

func outcomeOf(t *testing.T, r *scheme.Registry, c urlCase) *outcome {
	t.Helper()
	o := &outcome{urlCase: c}
	o.byBrowser(t)
	o.byRFC3986()
	u, err := locus.Parse(c.Input)
	if s, ok := r.Lookup(u.Scheme()); ok {
		o.registered = true
		o.defaultPort = strconv.Itoa(int(s.Port))
	}
	if errors.As(err, &o.refused) {
		return o
	}
	o.breaches = faults(r.Check(u, locus.RFC1738))
	if canonical, _, err := r.Canonical(u); err == nil {
		o.canonical = canonical.String()
	} else {
		errors.As(err, &o.refused)
	}
	return o
}

func (o *outcome) byBrowser(t *testing.T) {
	t.Helper()
	var base *whatwg.URL
	if o.Base != nil {
		b, err := whatwg.Parse(*o.Base, nil)
		if err != nil {
			o.failure = "base"
			return
		}
		base = &b
	}
	u, notes, err := whatwg.Check(o.Input, base)
	o.notes = notes
	var e *locus.SyntaxError
	if errors.As(err, &e) {
		o.failure = e.Part
		return
	}
	o.href = u.Href()
}

func (o *outcome) byRFC3986() {
	o.faults = faults(rfc3986.Parse(o.Input).CheckReference())
	if len(o.faults) > 0 {
		return
	}
	text := o.Input
	if o.Base != nil || o.isRelative() {
		ref, err := relative.Parse(o.Input)
		var base locus.URL
		if err == nil && o.Base != nil {
			base, err = locus.Parse(*o.Base)
		}
		var target locus.URL
		if err == nil {
			target, err = ref.Resolve(base)
		}
		if err != nil {
			o.unresolved = true
			return
		}
		text = target.String()
	}
	o.target = rfc3986.Parse(text).Normalize(schemeRules)
	if o.faults = faults(o.target.Check()); len(o.faults) > 0 {
		o.faults, o.inBase = faults(rfc3986.Parse(*o.Base).CheckReference()), true
	}
}

// schemeRules returns the normalization rules (RFC 3986 section 6.2.3) for a scheme that is
// special in the URL Standard.
func schemeRules(name string) rfc3986.Rules {
	switch name {
	case "http", "ws":
		return rfc3986.Rules{Port: 80, Root: true}
	case "https", "wss":
		return rfc3986.Rules{Port: 443, Root: true}
	case "ftp":
		return rfc3986.Rules{Port: 21, Root: true}
	}
	return rfc3986.Rules{}
}

// faults returns the violations and impossible values in the list.
func faults(list []locus.Violation) []locus.Violation {
	return slices.DeleteFunc(list, func(v locus.Violation) bool { return v.Kind != locus.Ungrammatical && v.Kind != locus.Impossible })
}

func mustRegistry(t *testing.T) *scheme.Registry {
	t.Helper()
	r, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// componentNames holds the names for [components].
var componentNames = [...]string{"scheme", "userinfo", "host", "port", "path", "query", "fragment"}

// components splits a URL into its components. Each component includes its delimiter; a missing
// component is "".
func components(text string) (list [len(componentNames)]string) {
	u := rfc3986.Parse(text)
	for i, part := range []struct {
		mark string
		get  func() (string, bool)
	}{{"", u.Scheme}, {"@", u.Userinfo}, {"//", u.Host}, {":", u.Port}, {"", func() (string, bool) { return u.Path(), true }}, {"?", u.Query}, {"#", u.Fragment}} {
		if text, ok := part.get(); ok {
			list[i] = part.mark + text
		}
	}
	return list
}
