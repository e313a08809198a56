// Package currenttest tests a scheme's checks for its current standard. It uses examples and a
// readable copy of the syntax.
package currenttest

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/schemetest"
)

// These regular expressions are productions of RFC 3986 that schemes use.
const (
	Escape       = `(?:%[0-9A-Fa-f][0-9A-Fa-f])`
	Unreserved   = `[A-Za-z0-9\-._~]`
	RegName      = `(?:(?:` + Unreserved + `|` + Escape + `|[!$&'()*+,;=])*)`
	Host         = `(?:(?:` + Unreserved + `|` + Escape + `|[!$&'()*+,;=])+)` // not empty, without an address in brackets
	Port         = `(?::[0-9]*)?`
	Userinfo     = `(?:(?:` + Unreserved + `|` + Escape + `|[!$&'()*+,;=:])*@)?`
	Pchar        = `(?:` + Unreserved + `|` + Escape + `|[!$&'()*+,;=:@])`
	PathAbempty  = `(?:(?:/` + Pchar + `*)*)`
	PathAbsolute = `(?:/(?:` + Pchar + `+(?:/` + Pchar + `*)*)?)`
	Query        = `(?:\?(?:` + Pchar + `|[/?])*)?`
	Fragment     = `(?:#(?:` + Pchar + `|[/?])*)?`
)

// Example is an example URI from a standard, or a similar URI.
type Example = struct {
	Section string // the section that contains it: "RFC 8089 B"; empty if none
	Text    string
	// Want lists the findings and their offsets, such as "port@12, userinfo@7!". After an
	// offset, "?" means the kind Impossible, and "!" means a note. The list includes findings
	// by RFC 3986.
	Want string
	// Normal is the expected normalized form. If Normal is empty, the normalized form is not
	// tested.
	Normal string
}

// Examples tests the findings of the scheme row for each example in the list.
func Examples(t *testing.T, row scheme.Scheme, list []Example) {
	t.Helper()
	r := registry(t, row)
	for _, e := range list {
		u := rfc3986.Parse(e.Text)
		Invariants(t, r, u)
		if got := describe(r.CheckURI(u)); got != e.Want {
			t.Errorf("%s: %s: %q, want %q", e.Section, e.Text, got, e.Want)
		}
		if got := r.NormalizeURI(u).String(); e.Normal != "" && got != e.Normal {
			t.Errorf("%s: %s: normalized %s, want %s", e.Section, e.Text, got, e.Normal)
		}
	}
}

func registry(t testing.TB, row scheme.Scheme) *scheme.Registry {
	t.Helper()
	r, err := scheme.NewRegistry(row)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func describe(list []locus.Violation) string {
	var texts []string
	for _, v := range list {
		mark := map[locus.Kind]string{locus.Impossible: "?", locus.Note: "!"}[v.Kind]
		texts = append(texts, fmt.Sprintf("%s@%d%s", v.Rule, v.Offset, mark))
	}
	return strings.Join(texts, ", ")
}

// Reference compares the findings of the scheme row with the regular expression in production, for
// 20,000 texts. Each text is one of the seeds with random changes. Reference skips texts with "[",
// because only the RFC 3986 checks cover addresses in brackets.
func Reference(t *testing.T, row scheme.Scheme, production string, seeds ...string) {
	t.Helper()
	ReferenceFunc(t, row, Production(row, production), seeds...)
}

// Production returns a function that reports whether a text consists of the scheme's name, ":" and
// a match of the regular expression expr.
func Production(row scheme.Scheme, expr string) func(text string) bool {
	return regexp.MustCompile(`^(?i:` + row.Name + `):` + expr + `$`).MatchString
}

// ReferenceFunc is like [Reference], but uses a function instead of a regular expression.
func ReferenceFunc(t *testing.T, row scheme.Scheme, twin func(text string) bool, seeds ...string) {
	t.Helper()
	r, rnd := registry(t, row), rand.New(rand.NewPCG(3986, uint64(len(row.Name))))
	good, all := 0, 0
	for all < 20_000 {
		text := schemetest.Change(rnd, seeds)
		u := rfc3986.Parse(text)
		if name, _ := u.Scheme(); !strings.EqualFold(name, row.Name) || strings.Contains(text, "[") {
			continue
		}
		all++
		Invariants(t, r, u)
		list := r.CheckURI(u)
		got := !slices.ContainsFunc(list, func(v locus.Violation) bool { return v.Kind == locus.Ungrammatical })
		want := twin(text)
		if got != want {
			t.Errorf("%q: %v, the production says %v: %v", text, got, want, list)
		}
		if want {
			good++
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d of %d texts match", good, all)
	if good < all/50 {
		t.Errorf("only %d of %d texts match: the test needs more", good, all)
	}
}

// Fuzz is a fuzz test for the current standard of the scheme row.
func Fuzz(f *testing.F, row scheme.Scheme, seeds ...string) {
	r := registry(f, row)
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if name, _ := rfc3986.Parse(text).Scheme(); !strings.EqualFold(name, row.Name) {
			text = row.Name + ":" + text
		}
		Invariants(t, r, rfc3986.Parse(text))
	})
}

// Invariants tests properties that hold for every URI. Findings must be complete and in order, and
// must not contain a password. If a URI conforms, its normalized form must also conform, and
// normalizing that form again must not change it.
func Invariants(t *testing.T, r *scheme.Registry, u rfc3986.URI) {
	t.Helper()
	list, text := r.CheckURI(u), u.String()
	last := 0
	for _, v := range list {
		if v.Rule == "" || v.Section == "" || v.Help == "" || v.Offset < last || v.Offset+len(v.Text) > len(text) || text[v.Offset:v.Offset+len(v.Text)] != v.Text {
			t.Errorf("%q: %+v", text, list)
			return
		}
		last = v.Offset
		if info, ok := u.Userinfo(); ok && !strings.HasPrefix(v.Section, "RFC 3986") && v.Text != "" &&
			v.Offset < u.UserinfoOffset()+len(info) && v.Offset+len(v.Text) > u.UserinfoOffset() {
			t.Errorf("%q: %v shows the userinfo", text, v)
		}
	}
	if !locus.Conforms(list) {
		return
	}
	n := r.NormalizeURI(u)
	if found := r.CheckURI(n); !locus.Conforms(found) {
		t.Errorf("%q: the normalized form %q: %v", text, n.String(), found)
	}
	if again := r.NormalizeURI(n); again != n {
		t.Errorf("%q: normalized %q, and again %q", text, n.String(), again.String())
	}
}
