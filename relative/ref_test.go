package relative_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/relative"
)

func TestParseKeepsText(t *testing.T) {
	for _, text := range []string{
		"", "g", "/g", "//g", "///g", "?y", "#s", "g?y#s", ".", "..", "../../g", ";x", "g;x=1/./y", "//u:p@h:80/x", "//h?q",
		"./a:b", "?a:b", "#a:b", "a/b:c", "g:a", "http://h/", "x:", "caf\xe9", "a\\b", "[", "~",
	} {
		r, err := relative.Parse(text)
		if err != nil {
			t.Errorf("Parse(%q): %v", text, err)
			continue
		}
		if r.String() != text {
			t.Errorf("Parse(%q).String() = %q", text, r)
		}
		if again := relative.MustParse(text); again != r {
			t.Errorf("Parse(%q) gives two values", text)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	long := strings.Repeat("a", relative.MaxLen+1)
	for _, test := range []struct {
		text   string
		offset int
		part   string
		err    error
	}{
		{"a b", 1, "schemepart", locus.ErrControl},
		{"a\x00", 1, "schemepart", locus.ErrControl},
		{"a\n", 1, "schemepart", locus.ErrControl},
		{"%", 0, "escape", locus.ErrEscape},
		{"a%zz", 1, "escape", locus.ErrEscape},
		{"a#%2", 2, "escape", locus.ErrEscape},
		{"//h:x", 4, "port", locus.ErrPort},
		{"//h:65536/", 4, "port", locus.ErrPortRange},
		{"//h\\@g", 3, "login", locus.ErrBackslash},
		{"//a@b@c", 3, "user", locus.ErrAt},
		{":", 0, "scheme", locus.ErrNoScheme},
		{":a", 0, "scheme", locus.ErrNoScheme},
		{"a_b:c", 1, "scheme", locus.ErrNoScheme},
		{"http://h/%", 9, "escape", locus.ErrEscape},
		{long, relative.MaxLen, "relativeref", locus.ErrTooLong},
	} {
		_, err := relative.Parse(test.text)
		var e *locus.SyntaxError
		if !errors.As(err, &e) {
			t.Errorf("Parse(%s): error %v", locus.Quote(test.text), err)
			continue
		}
		if e.Offset != test.offset || e.Part != test.part || !errors.Is(err, test.err) || test.text != long && e.Input != locus.Mask(test.text) {
			t.Errorf("Parse(%s): %d %s %v, want %d %s %v", locus.Quote(test.text), e.Offset, e.Part, e.Err, test.offset, test.part, test.err)
		}
	}
	if _, err := relative.Parse("a_b:c"); !strings.Contains(err.Error(), `write "./" before a relative reference`) {
		t.Errorf("no help in %v", err)
	}
	if _, err := relative.Parse(long[1:]); err != nil {
		t.Errorf("the longest form: %v", err)
	}
}

func TestZeroIsTheEmptyForm(t *testing.T) {
	if r := relative.MustParse(""); r != (relative.Ref{}) || r.String() != "" {
		t.Errorf("Parse(\"\") = %#v", r)
	}
	base := locus.MustParse("http://a/b?q#s")
	if u, err := (relative.Ref{}).Resolve(base); err != nil || u.String() != "http://a/b?q" {
		t.Errorf("the zero Ref means %v, %v", u, err)
	}
}

func TestPasswordIsNeverShown(t *testing.T) {
	const secret = "s3cret"
	r := relative.MustParse("//u:" + secret + "@h/")
	base := locus.MustParse("mailto:a@b")
	_, _, err := r.ResolveWith(base, relative.Options{Hierarchy: relative.Opaque})
	_, _, errDraft := relative.MustParse("///g").ResolveWith(locus.MustParse("ftp://u:"+secret+"@h/a"), relative.Options{Rules: relative.RFC1630})
	_, errParse := relative.Parse("//u:" + secret + "@h/%")
	for _, text := range []string{r.Shown(), r.LogValue().String(), err.Error(), errDraft.Error(), errParse.Error()} {
		if strings.Contains(text, secret) {
			t.Errorf("the password is in %q", text)
		}
	}
	if r.Shown() != "//u:***@h/" {
		t.Errorf("Shown = %q", r.Shown())
	}
}

func TestURL(t *testing.T) {
	u := locus.MustParse("g:a")
	r := relative.MustParse("g:a")
	if got, ok := r.URL(); !ok || got != u || relative.FromURL(u) != r {
		t.Errorf("URL() = %v, %v", got, ok)
	}
	if got, ok := relative.MustParse("g").URL(); ok || !got.IsZero() {
		t.Errorf("a partial form is the URL %v", got)
	}
	if relative.FromURL(locus.URL{}) != (relative.Ref{}) {
		t.Error("the zero URL gives a Ref")
	}
}

// A "?" must end the host, so that all parsers find the same host.
func TestParseEndsHost(t *testing.T) {
	base := locus.MustParse("http://base/x")
	for text, want := range map[string]string{
		"http://h?q=a@b":          "http://h/?q=a@b",
		"http://good?@evil/":      "http://good/?@evil/",
		"http://a@b?@c/":          "http://a@b/?@c/",
		"//good?@evil":            "http://good/?@evil",
		"//u@h?m=b@c#d":           "http://u@h/?m=b@c#d",
		"http://h:9?u=a@b":        "http://h:9/?u=a@b",
		"http://u:p@h?m=b@c":      "http://u:p@h/?m=b@c",
		"http://?@evil/":          "http:///?@evil/",
		"ftp://us?er:p@h/x":       "ftp://us/?er:p@h/x",
		"http://h?q":              "http://h?q",
		"http://h#a@b":            "http://h#a@b",
		"//h#a@b":                 "http://h#a@b",
		"http://good#@evil/":      "http://good#@evil/",
		"http://h?a/b@c":          "http://h?a/b@c",
		"http://a@b?c":            "http://a@b?c",
		"http://good:x?@evil/":    "",
		"http://a@b@c?@d/":        "",
		`http://good\@evil/`:      "",
		`http://good\?@evil/`:     "",
		"http://good%2?@evil/":    "",
		"http://good?%@evil/":     "",
		"http://[::1?@evil/":      "",
		"http://good:99999?@evil": "",
	} {
		r, err := relative.Parse(text)
		if want == "" {
			var e *locus.SyntaxError
			if !errors.As(err, &e) || len(e.Input) != len(text) {
				t.Errorf("%q: %v, %v", text, r, err)
			}
			continue
		}
		if err != nil || r.String() != text {
			t.Errorf("%q: %v, %v", text, r, err)
			continue
		}
		u, notes, err := r.ResolveWith(base, relative.Options{})
		if err != nil || u.String() != want || (notes&relative.SlashAdded != 0) != (strings.Contains(want, "/?")) {
			t.Errorf("%q: %v, %v, %v; want %s", text, u, notes.Texts(), err, want)
		}
		if v, absolute := r.URL(); absolute && v != u {
			t.Errorf("%q: %v is not %v", text, v, u)
		}
		if u, notes, err := r.ResolveWith(base, relative.Options{Rules: relative.RFC1630}); err == nil && (notes&relative.SlashAdded != 0 || strings.Contains(text, "?") && u.Host() == "good") {
			t.Errorf("%q by RFC 1630: %v", text, u)
		}
	}
}
