package news_test

import (
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
)

func TestConforming(t *testing.T) {
	invariants.Conforming(t,
		"news:*", "news:comp.infosystems.www.misc", "news:alt.a-b_c+d", "news:unique@full.domain.name",
		"news:a/b?c;d:e&f=g%25%40@127.0.0.1", "news:C#fragment")
}

func TestCheck(t *testing.T) {
	invariants.Findings(t, locus.RFC1738, [][2]string{
		{"news:", "form@5"},
		{"News:*", "scheme-case@0"},
		{"news:3b.x", "group@5"},
		{"news:%2A", "character@5"},
		{"news:**", "character@5 character@6"},
		{"news:comp.*", "character@10"},
		{"news:a~b", "unsafe-character@6"},
		{"news:a/b", "character@6"},
		{"news:a%40b", "character@6"},
		{"news:@b", "article@5"},
		{"news:a@", "empty-host@7"},
		{"news:a@b@c", "reserved-character@6"},
		{"news:a@b_c.d", "host@8"},
		{"news:a@b;c", "host@8"},
		{"news:a@b.", "host@8"},
		{"news:a@1.2.3", "host@7"},
		{"news:a@256.1.1.1", "address-octet@7?"},
		{"news:a@[127.0.0.1]", "domain-literal@7"},
		{"news:a@%5b127.0.0.1%5d", "domain-literal@7"},
		{"news:a%0D%0AQUIT@b", "message-id@6? message-id@9?"},
		{"news:%3Ca@b%3E", "message-id@5? host@11"},
		{"news:a|b@c", "unsafe-character@6"},
		{"news:a@b\xe9", "not-us-ascii@8"},
		{"news:x#~", "unsafe-character@7"},
		{"news://h/comp.lang.c", "server@5"},
		{"news://h/a@b", "server@5!"}, // RFC 1738 reads "//h/a@b" as a message-id
		{"NEWS://Host:1/a%20@b.c", "scheme-case@0 server@5! message-id@15?"},
		{"news://h/a@b_", "server@5 host@12"},
		{"news:///a@b", "server@5 empty-host@7"},
		{"news://h/", "server@5"},
		{"news://h", "server@5"},
		{"news://u:p@h:/3b", "server@5 no-user@7 empty-port@12 group@14"},
		{"news:///x", "server@5 empty-host@7"},
	})
	invariants.Findings(t, locus.RFC1630, [][2]string{
		{"news:*", ""},
		{"news:comp.infosystems.www.misc", ""},
		{"news:a%20b!c", ""}, // group = ialpha [ . group ]
		{"news:1a", "group@5"},
		{"news:a/b", "reserved-character@6"},
		{"news:a$b@c.d", ""},
		{"news:a@b@c.d", ""}, // "@" is an xalpha
		{"news:a:b@c.d", "reserved-character@6"},
		{"news:a@9.d", "host@7"},
		{"news://h/x", "server@5"},
	})
}

func TestCanonical(t *testing.T) {
	invariants.Spellings(t, []bnftest.Spelling{
		{"news:*", "news:*", 0},
		{"NEWS:Comp.X", "news:Comp.X", locus.SchemeCase},
		{"news:%63omp%2ex", "news:comp.x", locus.NeedlessEscape},
		{"news:%2a", "news:%2A", locus.EscapeCase},
		{"news:%2A%61", "news:%2Aa", locus.NeedlessEscape},
		{"news:A@B.C", "news:A@B.C", 0},
		{"news:%2A@b", "news:*@b", locus.NeedlessEscape},
		{"news:a%40b%2f@c", "news:a%40b/@c", locus.NeedlessEscape},
		{"news:a%3Db%3b%26%3f%3A@h", "news:a=b;&?:@h", locus.NeedlessEscape}, // no character of a message-id is reserved
		{"news:a@b@c", "news:a%40b@c", locus.MissingEscape},
		{"news:%2F%2fa@h", "news:/%2Fa@h", locus.NeedlessEscape},
		{"news://h/%2F%2fa@h", "news://h///a@h", locus.NeedlessEscape},
		{"news:a@[1]", "news:a@%5B1%5D", locus.MissingEscape},
		{"news:x#", "news:x", locus.VoidFragment},
		{"news://Host:119/x", "news://host/x", locus.HostCase | locus.DefaultPort},
		{"news://h/x", "news://h/x", 0},
		{"news://h/", "news://h/*", locus.FormFields},
		{"news://h", "news://h/*", locus.FormFields},
	})
	for _, text := range []string{"news:", "news:///x"} {
		if u, _, err := invariants.Scheme.Syntax.Canonical(locus.MustParse(text)); err == nil {
			t.Errorf("%q: %q", text, u)
		}
	}
}

func TestManyFaults(t *testing.T) {
	text := "news:" + strings.Repeat("%0A", 20_000) + "@b"
	if list := invariants.Scheme.Syntax.Check(locus.MustParse(text), locus.RFC1738); len(list) != 20_000 {
		t.Errorf("%d findings", len(list))
	}
}
