package bnftest

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/schemetest"
)

// CurrentInvariants holds the properties that [scheme.CurrentStandard] must have.
type CurrentInvariants struct {
	registry *scheme.Registry
	name     string
	twin     func(text string) bool
}

// NewCurrentInvariants returns the invariants for row. The function twin reports whether a
// text that conforms to RFC 3986 also matches the grammar of the scheme's current standard.
// The argument twin may be nil.
func NewCurrentInvariants(row scheme.Scheme, twin func(text string) bool) CurrentInvariants {
	r, err := scheme.NewRegistry(row)
	if err != nil {
		panic(err)
	}
	return CurrentInvariants{r, row.Name, twin}
}

// CurrentExample is a table row with a section of the standard, a text from that section, and
// the expected findings in the format of [Rules].
type CurrentExample = struct{ Section, Text, Want string }

// Examples tests the findings about the text in each row.
func (l CurrentInvariants) Examples(t *testing.T, rows []CurrentExample) {
	t.Helper()
	for _, row := range rows {
		l.Text(t, row.Text)
		if got := Rules(l.registry.CheckURI(rfc3986.Parse(row.Text))); got != row.Want {
			t.Errorf("%s, %q:\n got %s\nwant %s", row.Section, row.Text, got, row.Want)
		}
	}
}

// Equal tests that the first text in each group is the normal form of all texts in the group,
// and that the groups have different normal forms.
func (l CurrentInvariants) Equal(t *testing.T, groups [][]string) {
	t.Helper()
	group := map[string]string{}
	for _, texts := range groups {
		for _, text := range texts {
			l.Text(t, text)
			u := rfc3986.Parse(text)
			if list := l.registry.CheckURI(u); !locus.Conforms(list) {
				t.Errorf("%q does not conform: %v", text, list)
			}
			if got := l.registry.NormalizeURI(u).String(); got != texts[0] {
				t.Errorf("%q: normalized %q, want %q", text, got, texts[0])
			}
		}
		if other := group[texts[0]]; other != "" {
			t.Errorf("%q and %q are in two groups", other, texts[0])
		}
		group[texts[0]] = texts[0]
	}
}

// Random tests n texts. Each text is one of the seeds with a few random changes. The changes
// are the same in each run.
func (l CurrentInvariants) Random(t *testing.T, n int, seeds []string) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(3986, 6))
	good := 0
	for i := 0; i < n; {
		text := schemetest.Change(rnd, seeds)
		if name, _, _ := strings.Cut(text, ":"); !strings.EqualFold(name, l.name) {
			continue
		}
		i++
		if l.Text(t, text) {
			good++
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d of %d texts conform", good, n)
	if good < n/20 || good > n-n/20 {
		t.Errorf("%d of %d texts conform: the test needs 5 to 95 percent", good, n)
	}
}

// Fuzz is a fuzz test of the scheme's current standard.
func (l CurrentInvariants) Fuzz(f *testing.F, seeds []string) {
	for _, text := range seeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { l.Text(t, text) })
}

// Text tests one text of the scheme, and reports whether the text conforms.
func (l CurrentInvariants) Text(t testing.TB, text string) bool {
	t.Helper()
	u := rfc3986.Parse(text)
	if name, _ := u.Scheme(); !strings.EqualFold(name, l.name) {
		return false
	}
	list := l.registry.CheckURI(u)
	grammatical, before := true, 0
	for _, v := range list {
		if v.Offset < before || v.Offset > len(text) || !strings.HasPrefix(text[v.Offset:], v.Text) || v.Rule == "" || v.Section == "" || v.Help == "" {
			t.Errorf("%q: %+v", text, v)
		}
		before = v.Offset
		grammatical = grammatical && v.Kind != locus.Ungrammatical
	}
	if l.twin != nil && u.Conforms() && l.twin(text) != grammatical {
		t.Errorf("%q: the grammar says %v, Check %v", text, !grammatical, list)
	}
	n := l.registry.NormalizeURI(u)
	if !locus.Conforms(list) {
		return false
	}
	if again := l.registry.CheckURI(n); !locus.Conforms(again) {
		t.Errorf("%q: its normal form %q does not conform: %v", text, n.String(), again)
	}
	if again := l.registry.NormalizeURI(n); again.String() != n.String() {
		t.Errorf("%q: normalized %q, then %q", text, n.String(), again.String())
	}
	return true
}
