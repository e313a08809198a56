package mid_test

import (
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
)

func TestConforming(t *testing.T) {
	invariants.Conforming(t, "mid:960830.1639@XIson.com", "mid:foo4%25foo1@bar.net", "mid:a%2Fb@%5B1%5D#fragment")
}

func TestCheck(t *testing.T) {
	invariants.Findings(t, locus.RFC1738, [][2]string{
		{"mid:", "form@4"},
		{"MID:a@b", "scheme-case@0"},
		{"mid:a@b/c@d", "content-id@7!"},
		{"mid:a@b/c", "content-id@7! addr-spec@9?"},
		{"mid:a/b@c", "slash@5!"},
		{"mid:a@b/", "slash@7!"},
		{"mid:a@b/c/d@e", "content-id@7! slash@9!"},
		{"mid:<a@b>", "unsafe-character@4 addr-spec@4? unsafe-character@8 addr-spec@8?"},
		{"mid:a", "addr-spec@5?"},
		{"mid:a%0Ab@c", "addr-spec@5?"},
		{"mid:a~@b#~", "unsafe-character@5 unsafe-character@9"},
	})
	invariants.Findings(t, locus.RFC1630, [][2]string{
		{"mid:960830.1639@XIson.com", ""},
		{"mid:a@b/c@d", "reserved-character@7 content-id@7!"},
		{"mid:a=b@c", "reserved-character@5"},
	})
}

func TestCanonical(t *testing.T) {
	invariants.Spellings(t, []bnftest.Spelling{
		{"mid:A@B.C", "mid:A@B.C", 0},
		{"MID:%41@B%2eC/d@E", "mid:A@B.C/d@E", locus.SchemeCase | locus.NeedlessEscape},
		{"mid:a%2fb@c", "mid:a%2Fb@c", locus.EscapeCase},
		{"mid:a~@b#", "mid:a%7E@b", locus.MissingEscape | locus.VoidFragment},
		{"mid://A@B/c", "mid://A@B/c", 0},
	})
	if _, _, err := invariants.Scheme.Syntax.Canonical(locus.MustParse("mid:")); err == nil {
		t.Error("mid: has a canonical form")
	}
}
