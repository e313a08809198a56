package mailto_test

import (
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
)

func TestConforming(t *testing.T) {
	invariants.Conforming(t,
		"mailto:joe@host.dom", "mailto:a%25b@c.test", "mailto:%22a;b%22@host.dom", "mailto:a@%5B127.0.0.1%5D",
		"mailto:A.b+c@D-e.f#fragment", "mailto:a/b=c&d@e")
}

func TestCheck(t *testing.T) {
	invariants.Findings(t, locus.RFC1738, [][2]string{
		{"mailto:", "form@7"},
		{"MAILTO:joe", "scheme-case@0 addr-spec@10?"},
		{"mailto:joe@h?subject=x", "header-fields@12!"},
		{"mailto:joe@h?subject=x%20y", "header-fields@12! addr-spec@22?"},
		{"mailto:joe~@h", "unsafe-character@10"},
		{"mailto:<joe@h>", "unsafe-character@7 addr-spec@7? unsafe-character@13 addr-spec@13?"},
		{"mailto:caf\xe9@h", "not-us-ascii@10 addr-spec@10?"},
		{"mailto:a%0D%0Ab@h", "addr-spec@8? addr-spec@11?"},
		{"mailto:a@b@c", "addr-spec@8?"},
		{"mailto:a..b@c.", "addr-spec@9? addr-spec@14?"},
		{"mailto:@one,@two:joe@h", "addr-spec@7?"},
		{"mailto:a%20(b)@c%3Ad", "addr-spec@8? addr-spec@11? addr-spec@13? addr-spec@16?"},
		{"mailto:%22a@b", "addr-spec@7?"},
		{"mailto:%22a%22b@c", "addr-spec@14?"},
		{"mailto:a@%5B1%5B2", "addr-spec@9? addr-spec@13?"},
		{"mailto:a@%5B@%5D", ""},
		{"mailto:a@b@%5B@%5D", "addr-spec@8?"},
		{"mailto://joe@h", "slashes@7!"},
		{"mailto:a@b#~", "unsafe-character@11"},
	})
	invariants.Findings(t, locus.RFC1630, [][2]string{
		{"mailto:joe@host.dom", ""},
		{"mailto:a%25b@c.test", ""},
		{"mailto:a@b@c", "addr-spec@8?"},
		{"mailto:joe", "form@7 addr-spec@10?"},
		{"mailto:a%40b", "form@7"},
		{"mailto:@b", "form@7 addr-spec@7?"},
		{"mailto:a@", "host@9 addr-spec@9?"},
		{"mailto:a@1.b", "host@9"},
		{"mailto:a=b/c@d", "reserved-character@8 reserved-character@10"},
		{"mailto::a@b", "reserved-character@7 addr-spec@7?"}, // the draft's BNF has a second ":" by mistake
	})
}

func TestCanonical(t *testing.T) {
	invariants.Spellings(t, []bnftest.Spelling{
		{"mailto:Joe@host.dom", "mailto:Joe@host.dom", 0},
		{"MailTo:Joe@Host.DOM", "mailto:Joe@host.dom", locus.SchemeCase | locus.HostCase},
		{"mailto:%4Aoe%2esmith@host.dom", "mailto:Joe.smith@host.dom", locus.NeedlessEscape},
		{"mailto:a%25b@%48ost", "mailto:a%25b@host", locus.HostCase | locus.NeedlessEscape},
		{"mailto:a%40B", "mailto:a@b", locus.HostCase | locus.NeedlessEscape}, // the last "@" is the separator
		{"mailto:a@b%40c", "mailto:a%40b@c", locus.NeedlessEscape | locus.MissingEscape},
		{"mailto:a@b@c", "mailto:a%40b@c", locus.MissingEscape},
		{"mailto:a@b,c%40d@E", "mailto:a@b,c%40d@e", locus.HostCase}, // an address list of RFC 6068
		{"mailto:a@b%5F%5b%2F", "mailto:a@b_%5B/", locus.NeedlessEscape | locus.EscapeCase},
		{"mailto:a%2fb%3a%3B%26%3d@h", "mailto:a/b:;&=@h", locus.NeedlessEscape}, // "there are no reserved characters"
		{"mailto:a@h?x=%2F%26", "mailto:a@h?x=%2F%26", 0},
		{"mailto:%2F%2fa@h", "mailto:/%2Fa@h", locus.NeedlessEscape}, // "//" would begin a host
		{"mailto:/%2Fa@h", "mailto:/%2Fa@h", 0},
		{"mailto:/a@h", "mailto:/a@h", 0},
		{"mailto:/", "mailto:/", 0},
		{"mailto:a~@b", "mailto:a%7E@b", locus.MissingEscape},
		{"mailto:a%2Cb%3Fc@d", "mailto:a%2Cb%3Fc@d", 0},
		{"mailto:joe@Host?Subject=Hello&x=%41", "mailto:joe@host?Subject=Hello&x=A", locus.HostCase | locus.NeedlessEscape},
		{"mailto:joe@Host?to=A@B", "mailto:joe@Host?to=A@B", 0}, // in RFC 1738 all text before the last "@" is one local part
		{"mailto:Joe", "mailto:Joe", 0},
		{"mailto:a@b#", "mailto:a@b", locus.VoidFragment},
		{"mailto://A@B", "mailto:/%2FA@b", locus.HostCase | locus.MissingEscape},
	})
	if _, _, err := invariants.Scheme.Syntax.Canonical(locus.MustParse("mailto:")); err == nil {
		t.Error("mailto: has a canonical form")
	}
}

// TestManyFaults checks that Check reports each fault in a long URL.
func TestManyFaults(t *testing.T) {
	text := "mailto:" + strings.Repeat("%00", 20_000) + "@b"
	if list := invariants.Scheme.Syntax.Check(locus.MustParse(text), locus.RFC1738); len(list) != 20_000 {
		t.Errorf("%d findings", len(list))
	}
}
