package cid_test

import (
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
)

func TestConforming(t *testing.T) {
	laws.Conforming(t, "cid:foo4%25foo1@bar.net", "cid:partA.960830.1639@XIson.com", "cid:a/b@c#fragment")
}

func TestCheck(t *testing.T) {
	laws.Findings(t, locus.RFC1738, [][2]string{
		{"cid:", "form@4"},
		{"CID:a@b", "scheme-case@0"},
		{"cid:image001.png", "addr-spec@16?"},
		{"cid:<a@b>", "unsafe-character@4 addr-spec@4? unsafe-character@8 addr-spec@8?"},
		{"cid:a%0Ab@c", "addr-spec@5?"},
		{"cid:a~@b#~", "unsafe-character@5 unsafe-character@9"},
	})
	laws.Findings(t, locus.RFC1630, [][2]string{
		{"cid:foo4%25foo1@bar.net", ""},
		{"cid:a/b@c", "reserved-character@5"},
	})
}

func TestCanonical(t *testing.T) {
	laws.Spellings(t, []bnftest.Spelling{
		{"cid:A@B.C", "cid:A@B.C", 0},
		{"CID:%41@B%2eC", "cid:A@B.C", locus.SchemeCase | locus.NeedlessEscape},
		{"cid:a%2fb@c", "cid:a%2Fb@c", locus.EscapeCase},
		{"cid:a~@b#", "cid:a%7E@b", locus.MissingEscape | locus.VoidFragment},
		{"cid://A@B", "cid://A@B", 0},
	})
	if _, _, err := laws.Scheme.Canonical(locus.MustParse("cid:")); err == nil {
		t.Error("cid: has a canonical form")
	}
}
