package news_test

import (
	"errors"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme/news"
)

func TestSection3_6(t *testing.T) {
	bnftest.Vectors(t, "../../testdata/rfc1738-3.6.txt", invariants.Scheme)
}

// TestExamplesWithText checks two examples that contain more than a URL, from RFC 1738 section
// 3.6 and from the URI draft (example 3, which is illegal).
func TestExamplesWithText(t *testing.T) {
	u, err := locus.ParseWrapped("<URL:news:*>")
	if n, parseErr := news.Parse(u); err != nil || parseErr != nil || !n.All() {
		t.Errorf("%q: %v, %v", u, err, parseErr)
	}
	_, err = locus.Parse("news:12345667123%asdghfh@info.cern.ch")
	if e, ok := err.(*locus.SyntaxError); !ok || e.Offset != 16 || !errors.Is(err, locus.ErrEscape) {
		t.Errorf("example 3: %v", err)
	}
}

func TestParse(t *testing.T) {
	for _, row := range []struct {
		text, newsgroup, messageID string
		all                        bool
	}{
		{"news:*", "", "", true},
		{"news:comp.infosystems.www.misc", "comp.infosystems.www.misc", "", false},
		{"NEWS:Comp.X#f", "Comp.X", "", false},
		{"news:3b.x", "3b.x", "", false},
		{"news:%2A", "*", "", false},
		{"news:**", "**", "", false},
		{"news:comp.*", "comp.*", "", false},
		{"news:a%40b", "a@b", "", false},
		{"news:unique@full.domain.name", "", "unique@full.domain.name", false},
		{"news:a%2Fb%25@c", "", "a/b%@c", false},
		{"news:a@b@c", "", "a@b@c", false},
		{"news:@", "", "@", false},
		{"news:a@[127.0.0.1]", "", "a@[127.0.0.1]", false},
		{"news:a%0D%0AQUIT@b", "", "a\r\nQUIT@b", false},
		{"news://host.dom/comp.lang.c", "comp.lang.c", "", false},
		{"news://host.dom:1119/a/b@c", "", "a/b@c", false},
		{"news://host.dom/*", "", "", true},
		{"news://host.dom/", "", "", true},
		{"news://host.dom", "", "", true},
	} {
		invariants.Text(t, row.text)
		n := bnftest.MustParse(t, news.Parse, row.text)
		if n.Newsgroup() != row.newsgroup || n.MessageID() != row.messageID || n.All() != row.all {
			t.Errorf("%q: %q, %q, %v", row.text, n.Newsgroup(), n.MessageID(), n.All())
		}
	}
	if (news.URL{}).All() {
		t.Error("the zero URL means all newsgroups")
	}
}

func TestFields(t *testing.T) {
	invariants.Fields(t, [][2]string{
		{"news:*", `newsgroup=<nil> messageId=<nil> all=true`},
		{"news:comp.x", `newsgroup="comp.x" messageId=<nil> all=<nil>`},
		{"news:a%25@b", `newsgroup=<nil> messageId="a%@b" all=<nil>`},
	})
}

func TestServer(t *testing.T) {
	for _, row := range []struct {
		text, host string
		port       uint16
	}{
		{"news:*", "", 0},
		{"news:a@b:99", "", 0},
		{"news://host.dom/x", "host.dom", 119},
		{"news://host.dom:/x", "host.dom", 119},
		{"news://[::1]:563/x", "[::1]", 563},
	} {
		n := bnftest.MustParse(t, news.Parse, row.text)
		if host, port, ok := n.Server(); host != row.host || port != row.port || ok != (host != "") {
			t.Errorf("%q: %q, %d, %v", row.text, host, port, ok)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	invariants.Refuses(t, []bnftest.Refusal{
		{"news:", "", "grouppart", locus.ErrForm},
		{"news:", "#f", "grouppart", locus.ErrForm},
		{"news://", "/comp.lang.c", "host", locus.ErrForm},
		{"news://", "", "host", locus.ErrForm},
		{"news://h", "?x", "grouppart", locus.ErrForm},
		{"", "mailto:a@b", "scheme", locus.ErrForm},
	})
}

func TestParts(t *testing.T) {
	for _, row := range []struct {
		parts news.Parts
		want  string
	}{
		{news.Parts{All: true}, "news:*"},
		{news.Parts{Newsgroup: "comp.lang.c"}, "news:comp.lang.c"},
		{news.Parts{Newsgroup: "*"}, "news:%2A"},
		{news.Parts{Newsgroup: "a@b/c"}, "news:a%40b%2Fc"},
		{news.Parts{MessageID: "a/b%@c.d"}, "news:a%2Fb%25@c.d"},
		{news.Parts{MessageID: "a@b@c"}, "news:a%40b@c"},
		{news.Parts{MessageID: "a@[1]"}, "news:a@%5B1%5D"},
		{news.Parts{Newsgroup: "x", Host: "h", Port: 120}, "news://h:120/x"},
		{news.Parts{All: true, Host: "h"}, "news://h/*"},
	} {
		n, err := row.parts.URL()
		if err != nil || n.URL().String() != row.want ||
			n.All() != row.parts.All || n.Newsgroup() != row.parts.Newsgroup || n.MessageID() != row.parts.MessageID {
			t.Errorf("%+v: %q, %v", row.parts, n.URL(), err)
		}
	}
	for _, parts := range []news.Parts{
		{}, {Host: "h"}, {All: true, Newsgroup: "x"}, {Newsgroup: "x", MessageID: "a@b"}, {MessageID: "ab"},
		{Scheme: "http", All: true}, {Scheme: "nntp", Host: "h", All: true}, {Scheme: "nntp", Host: "h", MessageID: "a@b"}, {Newsgroup: "x", ArticleNumber: new(uint64)},
		{All: true, Port: 119}, {All: true, Host: "h/x"}, {All: true, Host: "u@h"},
	} {
		if n, err := parts.URL(); err == nil {
			t.Errorf("%+v: %q", parts, n.URL())
		}
	}
}
