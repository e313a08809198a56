package advice_test

import (
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/advice"
	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme"
)

func TestFindings(t *testing.T) {
	note := func(u locus.URL) []locus.Violation {
		return []locus.Violation{{Rule: "own", Kind: locus.Note, Section: "x", Help: "x"}}
	}
	http := scheme.Generic("http", scheme.Standard)
	http.Port = 80
	r, err := scheme.NewRegistry(http, scheme.Generic("ftp", scheme.Standard), scheme.Scheme{Name: "nntp", Syntax: scheme.Syntax{Notes: note}}, scheme.Scheme{Name: "x-own"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"http://h/":            "",
		"http://h:80/":         "",
		"http://h:8080/":       "",
		"http://h:25/":         "port@9!",
		"http://h:6379/":       "port@9!",
		"http://h:0/":          "rfc3986@9!",
		"ftp://h:25/":          "", // this one has no port of its own
		"ftp://u:p@h/":         "password@8!",
		"ftp://u:@h/":          "",
		"ftp://anonymous:a@h/": "",
		"http://u:p@h:25/~":    "password@9! port@13! unsafe-character@16 rfc3986@16!",
		"nntp:a":               "own@0!",
		"x-own:a":              "experimental-scheme@0!",
		"x-foo:a":              "experimental-scheme@0!",
		"magic:a":              "unregistered-scheme@0!",
		"javascript:a":         "unregistered-scheme@0!",
		"sftp://h/":            "",
		"gopher://h/":          "", // not in this registry, and IANA's
		"htp://h/~":            "mistyped-scheme@0~ unsafe-character@8 rfc3986@8!",
		"HTP://h/":             "scheme-case@0 mistyped-scheme@0~ rfc3986@0!",
		"c:/Users":             "windows-path@0~",
		"url:http://h/":        "mistyped-scheme@0~",
	} {
		got := advice.Findings(r, locus.MustParse(text), locus.RFC1738)
		if rules := bnftest.Rules(got); rules != want {
			t.Errorf("%q: %s, want %s", text, rules, want)
		}
		for _, v := range got {
			if v.Section == "" || v.Help == "" || v.Text != "*" && !strings.HasPrefix(text[v.Offset:], v.Text) {
				t.Errorf("%q: %+v", text, v)
			}
		}
		if suggested := strings.Contains(want, "~") && !strings.HasPrefix(want, "password"); suggested && locus.Conforms(got) {
			t.Errorf("%q conforms", text)
		}
	}
	// No finding contains the password.
	for _, v := range advice.Findings(r, locus.MustParse("ftp://u:Secret@h/"), locus.RFC1738) {
		if strings.Contains(v.String(), "ecret") {
			t.Error(v)
		}
	}
}
