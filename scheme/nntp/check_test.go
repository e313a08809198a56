package nntp_test

import (
	"strconv"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
)

func TestConforming(t *testing.T) {
	laws.Conforming(t,
		"nntp://host.dom:119/comp.infosystems.www.misc/12345", "nntp://host.dom/comp.infosystems.www.misc",
		"nntp://127.0.0.1/alt.a-b_c+d/1#fragment", "nntp://h/g/2147483647", "nntp://h/g/007")
}

func TestCheck(t *testing.T) {
	laws.Findings(t, locus.RFC1738, [][2]string{
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
	laws.Findings(t, locus.RFC1630, [][2]string{
		{"nntp:comp.lang.c/12", ""},
		{"nntp://h/comp.lang.c/12", ""},
		{"nntp:comp.lang.c", "form@16"},
		{"nntp:9/12", "group@5"},
		{"nntp:g/", "article-number@6"},
		{"nntp:a@b/1", ""}, // "@" is an xalpha
		{"nntp:", "group@5 form@5"},
	})
}

// TestHighNumber: past RFC 3977 a number is noted while an int can hold it.
func TestHighNumber(t *testing.T) {
	want := "article-number@11!"
	if strconv.IntSize == 32 {
		want = "article-number@11?"
	}
	laws.Findings(t, locus.RFC1738, [][2]string{{"nntp://h/g/2147483648", want}})
}

func TestCanonical(t *testing.T) {
	laws.Spellings(t, []bnftest.Spelling{
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
		if u, _, err := laws.Scheme.Canonical(locus.MustParse(text)); err == nil {
			t.Errorf("%q: %q", text, u)
		}
	}
}
