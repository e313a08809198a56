package all

import (
	"slices"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme"
)

func TestReserved(t *testing.T) {
	var names []string
	for _, s := range reserved() {
		names = append(names, s.Name)
		if s.Status != scheme.Reserved || s.Section == "" || s.Syntax.Form == "" || s.Access.Protocol != "" || s.Access.Opener != nil || s.Port != 0 {
			t.Errorf("%+v", s)
		}
	}
	if want := []string{"afs", "mailserver", "whois", "x500", "z39.50"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

// TestReservedForm checks that a registry treats URLs with a reserved name like URLs of an unknown
// scheme.
func TestReservedForm(t *testing.T) {
	r, err := scheme.NewRegistry(reserved()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ text, canonical, rules string }{
		{"WHOIS:%30-a", "whois:0-a", "scheme-case@0"},
		{"afs://Cell.name/path", "afs://cell.name/path", ""},
		{"z39.50://host/a%2fb", "z39.50://host/a%2Fb", ""},
		{"x500:c=ch~", "x500:c=ch%7E", "unsafe-character@9"},
		{"mailserver:a@b/subject/body", "mailserver:a@b/subject/body", ""},
		// Experimental names are not in the registry, which treats them in the same way.
		{"x-mine:a/b", "x-mine:a/b", ""},
	} {
		u := locus.MustParse(row.text)
		canonical, _, err := r.Canonical(u)
		if err != nil || canonical.String() != row.canonical {
			t.Errorf("%q: canonical %q, %v", row.text, canonical, err)
		}
		if got := bnftest.Rules(r.Check(u, locus.RFC1738)); got != row.rules {
			t.Errorf("%q: %s, want %s", row.text, got, row.rules)
		}
		if fields, err := r.Fields(u); len(fields) != 0 || err != nil {
			t.Errorf("%q: %v, %v", row.text, fields, err)
		}
	}
	if r.Known(locus.MustParse("x-mine:a")) {
		t.Error("an experimental name is registered")
	}
}
