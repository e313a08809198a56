package mid_test

import (
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme/mid"
)

func TestParse(t *testing.T) {
	invariants.Fields(t, [][2]string{
		// These examples are in RFC 2392 section 2.
		{"mid:960830.1639@XIson.com/partA.960830.1639@XIson.com", `messageId="960830.1639@XIson.com" contentId="partA.960830.1639@XIson.com"`},
		{"mid:960830.1639@XIson.com", `messageId="960830.1639@XIson.com"`},
		{"mid:foo4%25foo1@bar.net", `messageId="foo4%foo1@bar.net"`}, // RFC 2111 section 2
		{"mid:foo4%2525foo1@bar.net", `messageId="foo4%25foo1@bar.net"`},
		{"mid:a%2Fb@c/d%2Fe@f", `messageId="a/b@c" contentId="d/e@f"`},
		{"mid:a/b@c", `messageId="a/b@c"`}, // no pair, as in the draft
		{"mid:a/b@c/d@e", `messageId="a/b@c" contentId="d@e"`},
		{"mid:a@b/c/d@e", `messageId="a@b" contentId="c/d@e"`},
		{"mid:a@b/", `messageId="a@b/"`},
		{"mid:a@b/1", `messageId="a@b" contentId="1"`},
		{"mid:a%40b/c", `messageId="a@b/c"`}, // only an "@" that is written splits
		{"mid:foo/bar", `messageId="foo/bar"`},
		{"mid:@b/c", `messageId="@b/c"`},
		{"MID:%3Ca@b%3E#f", `messageId="<a@b>"`},
		{"mid:a%0D%0A@b", `messageId="a\r\n@b"`},
		{"mid://a@b/c@d", `messageId="//a@b" contentId="c@d"`},
	})
}

func TestParseRefuses(t *testing.T) {
	invariants.Refuses(t, []bnftest.Refusal{
		{"mid:", "", "addr-spec", locus.ErrForm},
		{"mid:", "#f", "addr-spec", locus.ErrForm},
		{"", "news:a@b", "scheme", locus.ErrForm},
	})
}

func TestParts(t *testing.T) {
	for _, row := range []struct {
		parts mid.Parts
		want  string // empty if URL must return an error
	}{
		{mid.Parts{MessageID: "a/b%@c.d"}, "mid:a%2Fb%25@c.d"},
		{mid.Parts{MessageID: "a@b", ContentID: "c/d@e"}, "mid:a@b/c%2Fd@e"},
		{mid.Parts{MessageID: "a@b@c", ContentID: "1"}, "mid:a%40b@c/1"},
		{mid.Parts{MessageID: "//a@b"}, "mid:%2F%2Fa@b"},
		{mid.Parts{MessageID: "foo"}, "mid:foo"},
		{mid.Parts{MessageID: "foo", ContentID: "c@d"}, ""},
		{mid.Parts{ContentID: "c@d"}, "cid:c@d"},
		{mid.Parts{}, ""},
	} {
		m, err := row.parts.URL()
		if m.URL().String() != row.want || (err == nil) != (row.want != "") {
			t.Errorf("%+v: %q, %v", row.parts, m.URL(), err)
		}
		if id, ok := m.ContentID(); err == nil && (m.MessageID() != row.parts.MessageID || id != row.parts.ContentID || ok != (id != "")) {
			t.Errorf("%+v: %q, %q", row.parts, m.MessageID(), id)
		}
	}
}
