package iri

import (
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

func TestURL(t *testing.T) {
	for _, row := range []struct{ iri, want string }{
		{"http://h/a%20b?c#d", "http://h/a%20b?c#d"},
		{"http://h/Köln?q=ä#ö", "http://h/K%C3%B6ln?q=%C3%A4#%C3%B6"},
		{"http://Köln.example:80/", "http://xn--kln-sna.example:80/"},
		{"http://jürgen:pä@例え.example/テ", "http://j%C3%BCrgen:p%C3%A4@xn--r8jz45g.example/%E3%83%86"},
		{"http://exampleこれは.com/x", "http://xn--example-v73f2ijk.com/x"},
		{"http://✪df.ws/123", "http://xn--df-oiy.ws/123"},
		{"http://a_b.例え.example", "http://a_b.xn--r8jz45g.example"},
		{"http://xn--はじめよう.com/x", ""},
		{"http://a\u2028b.example/", ""},
		{"http://h/\xff", "http://h/%FF"},
		{"file:///Köln", "file:///K%C3%B6ln"},
		{"mailto:jürgen@例え.example?subject=ä", "mailto:j%C3%BCrgen@xn--r8jz45g.example?subject=%C3%A4"},
		{"news:ä.b", "news:%C3%A4.b"},
		{"urn:isbn:ä#ö", "urn:isbn:%C3%A4#%C3%B6"},
	} {
		u, err := locus.Parse(row.iri)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := URL(u); got.String() != row.want || (err == nil) != (row.want != "") {
			t.Errorf("%s is %v, error %v; want %s", row.iri, got, err, row.want)
		}
	}
}

// A host that is too long for a DNS name is an error before the conversion, which would be slow.
func TestURLWithLongHost(t *testing.T) {
	u, err := locus.Parse("http://" + strings.Repeat("ü", maxHost) + "/")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := URL(u); err == nil || !strings.Contains(err.Error(), "8192 bytes") {
		t.Errorf("%v, %v", got, err)
	}
}

// A text that parses stays unchanged or gets an ASCII form that parses.
func FuzzURL(f *testing.F) {
	for _, s := range []string{"http://Köln:80/ä?b#c", "mailto:ü@ä?ö", "http://u:p@例え/", "x:ä@b", "http://[::1]ä/", "news:a#ä"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := locus.Parse(s)
		if err != nil {
			return
		}
		ascii, err := URL(u)
		if err != nil {
			return
		}
		if !isASCII(ascii.String()) || isASCII(s) && ascii != u || ascii.Scheme() != u.Scheme() {
			t.Errorf("%q is %q", s, ascii)
		}
	})
}
