package nntp_test

import (
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/nntp"
)

func TestSection3_7(t *testing.T) {
	bnftest.Vectors(t, "../../testdata/rfc1738-3.7.txt", nntp.Scheme(nil))
}

func TestParse(t *testing.T) {
	laws.Fields(t, [][2]string{
		{"nntp://host.dom:119/comp.infosystems.www.misc/12345", `newsgroup="comp.infosystems.www.misc" articleNumber=12345`},
		{"nntp://host.dom/comp.infosystems.www.misc", `newsgroup="comp.infosystems.www.misc" articleNumber=<nil>`},
		{"nntp://h/g/0", `newsgroup="g" articleNumber=0`},
		{"nntp://h/g/007", `newsgroup="g" articleNumber=7`},
		{"nntp://h/g/2147483647", `newsgroup="g" articleNumber=2147483647`},
		{"NNTP://h/3b%2Fx/1#f", `newsgroup="3b/x" articleNumber=1`},
		{"nntp:comp.lang.c/12", `newsgroup="comp.lang.c" articleNumber=12`}, // the draft's form
		{"nntp:comp.lang.c", `newsgroup="comp.lang.c" articleNumber=<nil>`},
	})
}

func TestParseRefuses(t *testing.T) {
	laws.Refuses(t, []bnftest.Refusal{
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
		{"", "news:x", "scheme", locus.ErrForm},
	})
}

func TestArticleNumber(t *testing.T) {
	n := bnftest.MustParse(t, nntp.Parse, "nntp://h/g/12")
	if number, ok := n.ArticleNumber(); number != 12 || !ok || n.Newsgroup() != "g" {
		t.Errorf("%v: %d, %v", n, number, ok)
	}
	n = bnftest.MustParse(t, nntp.Parse, "nntp://h/g")
	if number, ok := n.ArticleNumber(); number != 0 || ok {
		t.Errorf("%v: %d, %v", n, number, ok)
	}
}

func TestParts(t *testing.T) {
	number := func(n uint64) *uint64 { return &n }
	for _, row := range []struct {
		parts nntp.Parts
		want  string // empty: an error
	}{
		{nntp.Parts{Host: "host.dom", Newsgroup: "comp.lang.c", ArticleNumber: number(12)}, "nntp://host.dom/comp.lang.c/12"},
		{nntp.Parts{Host: "h", Port: 563, Newsgroup: "g"}, "nntp://h:563/g"},
		{nntp.Parts{Host: "h", Newsgroup: "a/b", ArticleNumber: number(0)}, "nntp://h/a%2Fb/0"},
		{nntp.Parts{Host: "h", Newsgroup: "g", ArticleNumber: number(1<<64 - 1)}, ""},
		{nntp.Parts{Host: "h"}, ""},
		{nntp.Parts{Newsgroup: "g"}, ""},
		{nntp.Parts{Host: "h/x", Newsgroup: "g"}, ""},
	} {
		n, err := row.parts.URL()
		if n.URL().String() != row.want || (err == nil) != (row.want != "") {
			t.Errorf("%+v: %q, %v", row.parts, n.URL(), err)
		}
	}
}

func TestSecureURL(t *testing.T) {
	s := nntp.SecureScheme(nil)
	if s.Name != "nntps" || s.Port != 563 || s.Status != scheme.Extension || s.Opener != nil {
		t.Errorf("%+v", s)
	}
	n := bnftest.MustParse(t, nntp.Parse, "nntps://h/g/1")
	one := uint64(1)
	if made, err := (nntp.Parts{Secure: true, Host: "h", Newsgroup: "g", ArticleNumber: &one}).URL(); made != n || err != nil || !n.Secure() {
		t.Errorf("%v, %v", made, err)
	}
	for text, want := range map[string]string{"NNTPS://H:563/%67/01": "nntps://h/g/1", "nntps://h:119/g": "nntps://h:119/g"} {
		if u, _, err := s.Canonical(locus.MustParse(text)); u.String() != want || err != nil {
			t.Errorf("%s: %v, %v", text, u, err)
		}
	}
}
