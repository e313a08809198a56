package news_test

import (
	"strconv"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/news"
)

func TestSection3_7(t *testing.T) {
	bnftest.Vectors(t, "../../testdata/rfc1738-3.7.txt", nntpInvariants.Scheme)
}

func TestNNTPParse(t *testing.T) {
	nntpInvariants.Fields(t, [][2]string{
		{"nntp://host.dom:119/comp.infosystems.www.misc/12345", `newsgroup="comp.infosystems.www.misc" articleNumber=12345`},
		{"nntp://host.dom/comp.infosystems.www.misc", `newsgroup="comp.infosystems.www.misc" articleNumber=<nil>`},
		{"nntp://h/g/0", `newsgroup="g" articleNumber=0`},
		{"nntp://h/g/007", `newsgroup="g" articleNumber=7`},
		{"nntp://h/g/2147483647", `newsgroup="g" articleNumber=2147483647`},
		{"NNTP://h/3b%2Fx/1#f", `newsgroup="3b/x" articleNumber=1`},
		{"nntp:comp.lang.c/12", `newsgroup="comp.lang.c" articleNumber=12`}, // the draft's syntax
		{"nntp:comp.lang.c", `newsgroup="comp.lang.c" articleNumber=<nil>`},
	})
}

func TestNNTPParseRefuses(t *testing.T) {
	nntpInvariants.Refuses(t, []bnftest.Refusal{
		{"nntp://h", "", "group", locus.ErrForm},
		{"nntp://h/", "", "group", locus.ErrForm},
		{"nntp://h/", "/1", "group", locus.ErrForm},
		{"nntp:", "", "group", locus.ErrForm},
		{"nntp:", "/1", "group", locus.ErrForm},
		{"nntp://h", "?g", "group", locus.ErrForm},
		{"nntp://", "/g/1", "host", locus.ErrForm},
		{"nntp://h/g/", "", "digits", locus.ErrForm},
		{"nntp://h/g/1", "a", "digits", locus.ErrForm},
		{"nntp://h/g/", "-1", "digits", locus.ErrForm},
		{"nntp://h/g/", "%31", "digits", locus.ErrForm},
		{"nntp://h/g/1", "/2", "digits", locus.ErrForm},
		{"nntp://h/g/", "9223372036854775808", "digits", locus.ErrValue},
		{"nntp://h/g/", "18446744073709551616", "digits", locus.ErrValue},
		{"", "mailto:x@y", "scheme", locus.ErrForm},
	})
}

func TestArticleNumber(t *testing.T) {
	n := bnftest.MustParse(t, news.Parse, "nntp://h/g/12")
	if number, ok := n.ArticleNumber(); number != 12 || !ok || n.Newsgroup() != "g" {
		t.Errorf("%v: %d, %v", n, number, ok)
	}
	n = bnftest.MustParse(t, news.Parse, "nntp://h/g")
	if number, ok := n.ArticleNumber(); number != 0 || ok {
		t.Errorf("%v: %d, %v", n, number, ok)
	}
}

func TestNNTPParts(t *testing.T) {
	number := func(n uint64) *uint64 { return &n }
	for _, row := range []struct {
		parts news.Parts
		want  string // empty if Parse must fail
	}{
		{news.Parts{Scheme: "nntp", Host: "host.dom", Newsgroup: "comp.lang.c", ArticleNumber: number(12)}, "nntp://host.dom/comp.lang.c/12"},
		{news.Parts{Scheme: "nntp", Host: "h", Port: 563, Newsgroup: "g"}, "nntp://h:563/g"},
		{news.Parts{Scheme: "nntp", Host: "h", Newsgroup: "a/b", ArticleNumber: number(0)}, "nntp://h/a%2Fb/0"},
		{news.Parts{Scheme: "nntp", Host: "h", Newsgroup: "g", ArticleNumber: number(1<<64 - 1)}, ""},
		{news.Parts{Scheme: "nntp", Host: "h"}, ""},
		{news.Parts{Scheme: "nntp", Newsgroup: "g"}, ""},
		{news.Parts{Scheme: "nntp", Host: "h/x", Newsgroup: "g"}, ""},
	} {
		n, err := row.parts.URL()
		if n.URL().String() != row.want || (err == nil) != (row.want != "") {
			t.Errorf("%+v: %q, %v", row.parts, n.URL(), err)
		}
	}
}

func TestSecureURL(t *testing.T) {
	s := news.Schemes(nil)[3]
	if s.Name != "nntps" || s.Port != 563 || s.Status != scheme.Extension {
		t.Errorf("%+v", s)
	}
	n := bnftest.MustParse(t, news.Parse, "nntps://h/g/1")
	one := uint64(1)
	if made, err := (news.Parts{Scheme: "nntps", Host: "h", Newsgroup: "g", ArticleNumber: &one}).URL(); made != n || err != nil || !n.Secure() {
		t.Errorf("%v, %v", made, err)
	}
	for text, want := range map[string]string{"NNTPS://H:563/%67/01": "nntps://h/g/1", "nntps://h:119/g": "nntps://h:119/g"} {
		if u, _, err := s.Syntax.Canonical(locus.MustParse(text)); u.String() != want || err != nil {
			t.Errorf("%s: %v, %v", text, u, err)
		}
	}
}

func TestNNTPConforming(t *testing.T) {
	nntpInvariants.Conforming(t,
		"nntp://host.dom:119/comp.infosystems.www.misc/12345", "nntp://host.dom/comp.infosystems.www.misc",
		"nntp://127.0.0.1/alt.a-b_c+d/1#fragment", "nntp://h/g/2147483647", "nntp://h/g/007")
}

func TestNNTPCheck(t *testing.T) {
	nntpInvariants.Findings(t, locus.RFC1738, [][2]string{
		{"nntp://h", "group@8"},
		{"nntp://h/", "group@9"},
		{"nntp://h/g/", "article-number@10"},
		{"nntp://h/g/1/2", "character@12"},
		{"nntp://h/g/1a~", "character@12 unsafe-character@13"},
		{"nntp://h/3b/0", "group@9 article-number@12?"},
		{"nntp://h/g/18446744073709551616", "article-number@11?"},
		{"nntp://u:secret@h:/g~/1", "no-user@7 empty-port@17 unsafe-character@20"},
		{"NNTP://256.1.1.1:0/g/1", "scheme-case@0 address-octet@7? port-zero@17?"},
		{"nntp:comp.lang.c/12", "form@5"},
		{"nntp:", "form@5 group@5"},
		{"nntp://h?g", "missing-slash@8 character@8"},
		{"nntp://h/g;x", "character@10"},
	})
	nntpInvariants.Findings(t, locus.RFC1630, [][2]string{
		{"nntp:comp.lang.c/12", ""},
		{"nntp://h/comp.lang.c/12", ""},
		{"nntp:comp.lang.c", "form@16"},
		{"nntp:9/12", "group@5"},
		{"nntp:g/", "article-number@6"},
		{"nntp:a@b/1", ""}, // "@" is an xalpha
		{"nntp:", "group@5 form@5"},
	})
}

// TestHighNumber checks that Check reports a note for a number that exceeds the limit of RFC
// 3977 but fits into an int.
func TestHighNumber(t *testing.T) {
	want := "article-number@11!"
	if strconv.IntSize == 32 {
		want = "article-number@11?"
	}
	nntpInvariants.Findings(t, locus.RFC1738, [][2]string{{"nntp://h/g/2147483648", want}})
}

func TestNNTPCanonical(t *testing.T) {
	nntpInvariants.Spellings(t, []bnftest.Spelling{
		{"nntp://h/Comp.X/12", "nntp://h/Comp.X/12", 0},
		{"NNTP://Host.dom:119/Comp.X", "nntp://host.dom/Comp.X", locus.SchemeCase | locus.HostCase | locus.DefaultPort},
		{"nntp://h:0563/g/1", "nntp://h:563/g/1", locus.PortZeros},
		{"nntp://h/%67/1", "nntp://h/g/1", locus.NeedlessEscape},
		{"nntp://h/a%2fb~/1", "nntp://h/a%2Fb%7E/1", locus.EscapeCase | locus.MissingEscape},
		{"nntp://h/g/007", "nntp://h/g/7", locus.FormFields},
		{"nntp://h/g/00", "nntp://h/g/0", locus.FormFields},
		{"nntp:g/07", "nntp:g/7", locus.FormFields},
		{"nntp:g/7#", "nntp:g/7", locus.VoidFragment},
	})
	for _, text := range []string{"nntp:", "nntp://h/g/", "nntp://h/g/99999999999999999999"} {
		if u, _, err := nntpInvariants.Scheme.Syntax.Canonical(locus.MustParse(text)); err == nil {
			t.Errorf("%q: %q", text, u)
		}
	}
}
