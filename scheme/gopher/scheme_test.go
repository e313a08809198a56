package gopher

import (
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// fromProxy must convert URLs of HTTP proxy clients, which write search words after "?".
func TestFromProxy(t *testing.T) {
	for text, want := range map[string]string{
		"gopher://h/7find?a+b":    "gopher://h/7find%09a%20b",
		"gopher://h/7find%09a?b":  "gopher://h/7find%09a?b",
		"gopher://h/0find?a+b":    "gopher://h/0find?a+b",
		"gopher://h/":             "gopher://h/",
		"gophers://h/7find?words": "gophers://h/7find%09words",
	} {
		if got := fromProxy(locus.MustParse(text)); got.String() != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestSecureScheme(t *testing.T) {
	row := SecureScheme(nil)
	if row.Name != "gophers" || !row.Traits.Has(scheme.Secure) || row.Policy.OtherPort(locus.MustParse("gopher://h/2")) != 105 || row.Policy.OtherPort(locus.MustParse("gopher://h/1")) != 0 {
		t.Errorf("%+v", row)
	}
	for text, want := range map[string]string{"gopher://h/": "", "gopher://h/0/a/b%20c": "b c", "gopher://h/1/a/": "a"} {
		u := locus.MustParse(text)
		if got := title(u); got != want {
			t.Errorf("%s: title %q", text, got)
		}
		if got := parents(u); len(got) != min(len(want), 1) {
			t.Errorf("%s: parents %v", text, got)
		}
	}
}
