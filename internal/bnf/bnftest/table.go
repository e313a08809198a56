package bnftest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Rules formats findings for a table as "rule@offset". Rules appends "?" for
// [locus.Impossible], "~" for a suggestion, and "!" for a note.
func Rules(list []locus.Violation) string {
	var b strings.Builder
	for i, v := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%s@%d%s", v.Rule, v.Offset, [...]string{"", "?", "~", "!"}[v.Kind])
	}
	return b.String()
}

// Fields formats fields for a table as "name=value", where the value is a Go string literal.
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

// url parses a text from a table, which must be a URL, and tests the URL.
func (l Invariants) url(t *testing.T, text string) locus.URL {
	t.Helper()
	u, err := locus.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	l.Text(t, text)
	return u
}

// Conforming tests that Check returns no findings or notes by RFC 1738, and does not allocate
// memory.
func (l Invariants) Conforming(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		u := l.url(t, text)
		if list := l.Scheme.Syntax.Check(u, locus.RFC1738); list != nil {
			t.Errorf("%q: %s", text, Rules(list))
		}
		NoAllocations(t, u, "Check", func() { l.Scheme.Syntax.Check(u, locus.RFC1738) })
	}
}

// Findings tests Check with a table of texts and expected findings, in the format of [Rules].
func (l Invariants) Findings(t *testing.T, p locus.Profile, rows [][2]string) {
	t.Helper()
	for _, row := range rows {
		text, want := row[0], row[1]
		u := l.url(t, text)
		if got := Rules(l.Scheme.Syntax.Check(u, p)); got != want {
			t.Errorf("%q, %v:\n got %s\nwant %s", text, p, got, want)
		}
	}
}

// Fields tests the fields of URLs with a table of texts and expected fields, in the format of
// the function [Fields].
func (l Invariants) Fields(t *testing.T, rows [][2]string) {
	t.Helper()
	for _, row := range rows {
		u := l.url(t, row[0])
		list, err := l.Scheme.Syntax.Fields(u)
		if got := Fields(list); err != nil || got != row[1] {
			t.Errorf("%q: %v\n got %s\nwant %s", u, err, got, row[1])
		}
	}
}

// Spelling is a table row with a text, its canonical form, and the changes.
type Spelling = struct {
	Text, Want string
	Change     locus.Change
}

// Spellings tests the canonical forms of URLs with a table.
func (l Invariants) Spellings(t *testing.T, rows []Spelling) {
	t.Helper()
	for _, row := range rows {
		u := l.url(t, row.Text)
		got, change, err := l.Scheme.Syntax.Canonical(u)
		if err != nil || got.String() != row.Want || change != row.Change {
			t.Errorf("%q: %q, %q, %v; want %q, %q", row.Text, got, change, err, row.Want, row.Change)
		}
	}
}

// Pair is a table row with two URLs, and whether these are equivalent.
type Pair = struct {
	A, B string
	Same bool
}

// Pairs tests the equivalence of canonical forms with a table.
func (l Invariants) Pairs(t *testing.T, rows []Pair) {
	t.Helper()
	for _, row := range rows {
		var forms [2]locus.URL
		for i, text := range []string{row.A, row.B} {
			u := l.url(t, text)
			var err error
			if forms[i], _, err = l.Scheme.Syntax.Canonical(u); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
		if (forms[0] == forms[1]) != row.Same {
			t.Errorf("%q is %q, %q is %q", row.A, forms[0], row.B, forms[1])
		}
	}
}
