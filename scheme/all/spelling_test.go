package all_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/schemetest"
)

// All schemes must use the same rules for canonical forms.
func TestCanonicalAcrossSchemes(t *testing.T) {
	r := registry(t)
	for _, list := range [][]string{
		{"http://h/%7Efred", "http://h/~fred", "http://h/%7efred"},
		{"http://[2001:db8::1]/", "http://[2001:DB8:0:0:0:0:0:1]/", "http://[2001:0db8:0000::0001]:80/"},
		{"ftp://[::ffff:1.2.3.4]/", "ftp://[::FFFF:102:304]/"},
		{"gopher://[1:0:0:2:0:0:0:3]/1", "gopher://[1:0:0:2::3]", "gopher://[1:0:0:2:0::3]/"},
		{"gopher://h/0a/b", "gopher://h/0a%2Fb", "gopher://h/0a%2fb"},
		{"mailto:a/b@h", "mailto:a%2Fb@h"},
		{"news:a=b@h", "news:a%3Db@h"},
		{"snews:a=b@h", "snews:a%3db@h"},
		{"prospero://h/a/b", "prospero://h/a%2Fb"},
		{"file:///x", "file:/x", "file://localhost/x"},
	} {
		first, _, err := r.Canonical(locus.MustParse(list[0]))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range list[1:] {
			if got, change, err := r.Canonical(locus.MustParse(text)); err != nil || got != first || change == 0 && text != got.String() {
				t.Errorf("%q: %q, %v, %v; %q is %q", text, got, change, err, list[0], first)
			}
		}
	}
	if u, change, _ := r.Canonical(locus.MustParse("http://[1:0::]/")); u.String() != "http://[1::]/" || change != locus.HostAddress {
		t.Errorf("%q, %v", u, change)
	}
	if u, _, _ := r.Canonical(locus.MustParse("http://h/~a")); u.String() != "http://h/%7Ea" {
		t.Errorf("%q", u)
	}
	for _, list := range [][2]string{
		{"http://h/?a+b", "http://h/?a%2Bb"}, {"wais://h/d?a+b", "wais://h/d?a%2Bb"}, {"http://h/a/b", "http://h/a%2Fb"}, {"ftp://h/a/b", "ftp://h/a%2Fb"},
		{"file:///a/b", "file:///a%2Fb"}, {"x-a:b;c", "x-a:b%3Bc"}, {"prospero://h/a;b=c", "prospero://h/a%3Bb=c"}, {"mailto:a,b@c", "mailto:a%2Cb@c"},
	} {
		a, _, _ := r.Canonical(locus.MustParse(list[0]))
		b, _, _ := r.Canonical(locus.MustParse(list[1]))
		if a == b {
			t.Errorf("%q and %q are both %q", list[0], list[1], a)
		}
	}
}

// variantTexts are URLs for which locus.Facts show that they are in canonical form, and similar
// URLs.
var variantTexts = slices.Concat(cleanTexts, dirtyTexts, []string{
	"http://h", "http://h/.a", "http://h/a/../b", "http://h/a.b/c?d/../e", "https://h:80/", "http://h:80/a", "http://h/a/%2e/b", "http://1.2.3.4/x", "http://[::1]/", "http://?", "http:///",
	"file:///", "file:/a", "file://localhost/a", "file://h:1/a", "file://h/a%20b", "ftp://h/a;type=A", "ftp://h/a;b;type=i", "ftp://h/a;type=AN", "ftp://u:p@h:2121/a", "ftp:a",
	"gopher://h", "gopher://h/", "gopher://h/1", "gopher://h/0a%09b%09+c", "gopher://h/0a%0Ab", "gopher://h/7a%09b/c", "gopher://h/7a%09b%0D", "gopher://h/7a%09b%09+%091", "gopher://h:70/1",
	"mailto:a@B.c", "mailto:a@b@c", "mailto:a,b@c,d@e", "mailto:a%25b@c", "mailto:a@b?c=d@e", "mailto://a@b", "mailto:", "news:*", "news:a@b", "news:a@b@c", "news://h/a", "news:a%20b", "nntp://h/a/007", "nntp://h/a/7", "nntp://h/a/", "nntp:a/7",
	"telnet://h", "telnet://u:p@h:23/", "telnet://-u@h/", "telnet://h/?", "wais://h/d", "wais://h/d/t/1=a;2=b;", "wais://h/d/t/999=a;", "wais://h/d/t/1%3Da%3B", "wais://h/d/t/999%3Da%3B", "wais://h/d/t/99999999999999999999/1=a",
	"wais://h/d/t/", "wais://h/d/t", "wais://h/d?a+b=c", "wais://h/d/e?f", "prospero://h/a;b=c", "prospero://h/a%0012", "prospero://h/a%00b", "prosperox://h/a;b", "PROSPERO://h/a", "nosuch://h/a",
})

// checkVariants compares the registry's Check with the scheme's own Check, which does not use
// locus.Facts. It also compares the canonical form of a URL with the canonical form of the same
// URL with an empty fragment, because the registry has no fast path for fragments.
func checkVariants(t *testing.T, r *scheme.Registry, text string) {
	t.Helper()
	u, err := locus.Parse(text)
	if err != nil {
		return
	}
	s, ok := r.Lookup(u.Scheme())
	if !ok || s.Status > scheme.Draft {
		return
	}
	if got, want := r.Check(u, locus.RFC1738), s.Syntax.Check(u, locus.RFC1738); !reflect.DeepEqual(got, want) {
		t.Errorf("%q: %v, and by the row %v", text, got, want)
	}
	if strings.Contains(text, "#") || len(text) == locus.MaxLen {
		return
	}
	got, _, err := r.Canonical(u)
	want, _, wantErr := r.Canonical(locus.MustParse(text + "#"))
	if got != want || (err == nil) != (wantErr == nil) {
		t.Errorf("%q: canonical %q, %v; with an empty fragment %q, %v", text, got, err, want, wantErr)
	}
}

func TestVariants(t *testing.T) {
	r, rnd := registry(t), rand.New(rand.NewPCG(1738, 20))
	for _, text := range variantTexts {
		checkVariants(t, r, text)
	}
	for range 100_000 {
		checkVariants(t, r, schemetest.Change(rnd, variantTexts))
	}
}

func FuzzVariants(f *testing.F) {
	r, err := all.Registry()
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range variantTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkVariants(t, r, text) })
}
