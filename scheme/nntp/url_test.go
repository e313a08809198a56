package nntp_test

import (
	"errors"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme/nntp"
)

func TestSection3_7(t *testing.T) {
	bnftest.Vectors(t, "../../testdata/rfc1738-3.7.txt", nntp.Scheme())
}

func TestParse(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"nntp://host.dom:119/comp.infosystems.www.misc/12345", `newsgroup="comp.infosystems.www.misc" articleNumber=12345`},
		{"nntp://host.dom/comp.infosystems.www.misc", `newsgroup="comp.infosystems.www.misc" articleNumber=<nil>`},
		{"nntp://h/g/0", `newsgroup="g" articleNumber=0`},
		{"nntp://h/g/007", `newsgroup="g" articleNumber=7`},
		{"nntp://h/g/2147483647", `newsgroup="g" articleNumber=2147483647`},
		{"NNTP://h/3b%2Fx/1#f", `newsgroup="3b/x" articleNumber=1`},
		{"nntp:comp.lang.c/12", `newsgroup="comp.lang.c" articleNumber=12`}, // the draft's form
		{"nntp:comp.lang.c", `newsgroup="comp.lang.c" articleNumber=<nil>`},
	} {
		u := locus.MustParse(row.text)
		list, err := laws.Scheme.Fields(u)
		if got := bnftest.Fields(list); got != row.want || err != nil {
			t.Errorf("%q: %s, %v", row.text, got, err)
		}
		n, err := nntp.Parse(u)
		if again, _ := nntp.Parse(n.URL()); n.URL() != u || again != n || err != nil {
			t.Errorf("%q: read again: %v, %v", row.text, again, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, row := range []struct {
		text   string
		offset int
		part   string
		is     error
	}{
		{"nntp://h", 8, "group", locus.ErrForm},
		{"nntp://h/", 9, "group", locus.ErrForm},
		{"nntp://h//1", 9, "group", locus.ErrForm},
		{"nntp:", 5, "group", locus.ErrForm},
		{"nntp:/1", 5, "group", locus.ErrForm},
		{"nntp://h?g", 8, "group", locus.ErrForm},
		{"nntp:///g/1", 7, "host", locus.ErrForm},
		{"nntp://h/g/", 11, "digits", locus.ErrForm},
		{"nntp://h/g/1a", 12, "digits", locus.ErrForm},
		{"nntp://h/g/-1", 11, "digits", locus.ErrForm},
		{"nntp://h/g/%31", 11, "digits", locus.ErrForm},
		{"nntp://h/g/1/2", 12, "digits", locus.ErrForm},
		{"nntp://h/g/9223372036854775808", 11, "digits", locus.ErrValue},
		{"nntp://h/g/18446744073709551616", 11, "digits", locus.ErrValue},
		{"news:x", 0, "scheme", locus.ErrForm},
	} {
		_, err := nntp.Parse(locus.MustParse(row.text))
		e, ok := err.(*locus.SyntaxError)
		if !ok || e.Offset != row.offset || e.Part != row.part || !errors.Is(err, row.is) {
			t.Errorf("%q: %v", row.text, err)
		}
		if row.part != "scheme" && locus.Conforms(laws.Scheme.Check(locus.MustParse(row.text), locus.RFC1738)) {
			t.Errorf("%q is refused and conforms", row.text)
		}
	}
}

func TestArticleNumber(t *testing.T) {
	n, err := nntp.Parse(locus.MustParse("nntp://h/g/12"))
	if number, ok := n.ArticleNumber(); number != 12 || !ok || err != nil || n.Newsgroup() != "g" {
		t.Errorf("%v: %d, %v, %v", n, number, ok, err)
	}
	n, err = nntp.Parse(locus.MustParse("nntp://h/g"))
	if number, ok := n.ArticleNumber(); number != 0 || ok || err != nil {
		t.Errorf("%v: %d, %v, %v", n, number, ok, err)
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
