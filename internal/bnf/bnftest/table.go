package bnftest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Rules writes findings as a table has them: "rule@offset", with "?" behind what
// is impossible and "!" behind a note.
func Rules(list []locus.Violation) string {
	var b strings.Builder
	for i, v := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%s@%d%s", v.Rule, v.Offset, [...]string{"", "?", "!"}[v.Kind])
	}
	return b.String()
}

// Fields writes fields as a table has them: "name=value" with Go's quotes.
func Fields(list []scheme.Field) string {
	var b strings.Builder
	for i, f := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%s=%#v", f.Name, f.Value)
	}
	return b.String()
}

// Conforming holds URLs that conform to RFC 1738 against that and nothing more:
// there are no findings, not even notes, and no allocation is needed to say so.
func (l Laws) Conforming(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		u, err := locus.Parse(text)
		if err != nil {
			t.Error(err)
			continue
		}
		l.Text(t, text)
		if list := l.Scheme.Check(u, locus.RFC1738); list != nil {
			t.Errorf("%q: %s", text, Rules(list))
		}
		if n := testing.AllocsPerRun(100, func() { l.Scheme.Check(u, locus.RFC1738) }); n != 0 {
			t.Errorf("%q: Check makes %v allocations", text, n)
		}
	}
}

// Findings holds Check against a table of texts and what is found, as [Rules]
// writes it.
func (l Laws) Findings(t *testing.T, p locus.Profile, rows [][2]string) {
	t.Helper()
	for _, row := range rows {
		text, want := row[0], row[1]
		u, err := locus.Parse(text)
		if err != nil {
			t.Error(err)
			continue
		}
		l.Text(t, text)
		if got := Rules(l.Scheme.Check(u, p)); got != want {
			t.Errorf("%q, %v:\n got %s\nwant %s", text, p, got, want)
		}
	}
}

// Spellings holds Canonical against a table: what is written, how it should be,
// and what that changes.
func (l Laws) Spellings(t *testing.T, rows []struct {
	Text, Want string
	Change     locus.Change
}) {
	t.Helper()
	for _, row := range rows {
		u, err := locus.Parse(row.Text)
		if err != nil {
			t.Error(err)
			continue
		}
		l.Text(t, row.Text)
		got, change, err := l.Scheme.Canonical(u)
		if err != nil || got.String() != row.Want || change != row.Change {
			t.Errorf("%q: %q, %q, %v; want %q, %q", row.Text, got, change, err, row.Want, row.Change)
		}
	}
}
