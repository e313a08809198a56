package all_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

func TestSame(t *testing.T) {
	r := registry(t)
	for _, c := range []struct {
		a, b string
		same bool
		why  []string
	}{
		{"http://h/", "http://h/", true, []string{"the texts are identical"}},
		{"http://h/%7Efred", "HTTP://H:80/~fred", true, []string{"the scheme's name is written in lower case", "a host's name is written in lower case", "the scheme's default port is left out", "a character that must be escaped is written as its escape"}},
		{"http://h/a%2Fb", "http://h/a/b", false, []string{`the path differs: "a%2Fb" and "a/b"`, `"/" is reserved in http URLs (RFC 1738 3.3), so it differs from its escape %2F (RFC 1738 2.2)`}},
		{"gopher://h/0a%2Fb", "gopher://h/0a/b", true, []string{"an escape that is not needed is written as its character"}},
		{"gopher://h/0a", "gopher://g:71/1b#x", false, []string{`the host differs: "h" and "g"`, `the port differs: none and "71"`, `the path differs: "0a" and "1b"`, `the fragment differs: none and "x"`, `the gophertype differs: "0" and "1"`, `the selector differs: "a" and "b"`}},
		{"http://h/a", "ftp://h/a", false, []string{`the scheme differs: "http" and "ftp"`}},
		{"x-foo:a/b", "x-foo:a%2Fb", false, []string{`the part after the scheme differs: "a/b" and "a%2Fb"`, `"/" may be reserved in x-foo URLs, so it differs from its escape %2F (RFC 1738 2.2)`}},
		{"ftp://u:s3cret@h/", "ftp://u:other@h/", false, []string{"the password differs"}},
		{"http://h/?a+b", "http://h/?a%2Bb", false, []string{`the path differs: "?a+b" and "?a%2Bb"`, `"+" in a search stands for a space, and %2B for "+" (URI draft, "Query strings")`}},
		{"file:/x", "file://localhost/x", true, nil},
		{"gopher:x", "gopher:x", true, []string{"the texts are identical"}},
	} {
		for range 2 {
			same, why := r.Same(locus.MustParse(c.a), locus.MustParse(c.b))
			if same != c.same || c.why != nil && !slices.Equal(why, c.why) || len(why) == 0 {
				t.Errorf("%s and %s: %v %q", c.a, c.b, same, why)
			}
			c.a, c.b, c.why = c.b, c.a, nil
		}
	}
	// If a URL is malformed by its scheme's rules, the reason must be an error that does not
	// contain the password.
	same, why := r.Same(locus.MustParse("gopher:x"), locus.MustParse("finger://u:s3cret@h/a/b"))
	if same || len(why) != 2 || strings.Contains(strings.Join(why, ""), "s3cret") {
		t.Errorf("%v, %q", same, why)
	}
	if same, _ := r.Same(locus.URL{}, locus.MustParse("http://h/")); same {
		t.Error("the zero URL is another")
	}
}

func TestFieldText(t *testing.T) {
	for want, value := range map[string]any{
		"": nil, "a": "a", "b\u00fc (ISO Latin 1)": "b\xfc", `["a/b", ""]`: []string{"a/b", ""}, "7": 7, "true": true,
		"number 1, content a; number 2, content b": [][]scheme.Field{{{Name: "number", Value: 1}, {Name: "content", Value: "a"}}, {{Name: "number", Value: 2}, {Name: "content", Value: "b"}}},
	} {
		if got := (scheme.Field{Value: value}).Text(); got != want {
			t.Errorf("%v: %q, want %q", value, got, want)
		}
	}
}
