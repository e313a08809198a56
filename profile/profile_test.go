package profile_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/secrettest"
	"github.com/locus-url/locus/profile"
	"github.com/locus-url/locus/profile/whatwg"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

func registry(t testing.TB) *scheme.Registry {
	t.Helper()
	r, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// verdicts returns "ok", "no" (violations) or the offset of an error, for each profile.
func verdicts(r *scheme.Registry, text string) string {
	var list []string
	for _, p := range profile.All() {
		findings, err := profile.Rules{Profile: p, Registry: r}.Check(text)
		var e *locus.SyntaxError
		switch {
		case errors.As(err, &e):
			list = append(list, fmt.Sprint(e.Offset))
		case err != nil:
			list = append(list, err.Error())
		case locus.Conforms(findings):
			list = append(list, "ok")
		default:
			list = append(list, "no")
		}
	}
	return strings.Join(list, " ")
}

// Each want lists the verdicts of rfc1738, rfc1630, rfc3986 and whatwg.
func TestCheck(t *testing.T) {
	r := registry(t)
	for text, want := range map[string]string{
		"http://h/a":                          "ok ok ok ok",
		"https://example.com/~user?next=/a?b": "no no ok ok",
		"http://h/a b":                        "10 10 10 no",
		"http://h/%zz":                        "9 9 9 no",
		"http://h/|":                          "no no no no",
		"http://h/a\x00":                      "10 10 10 no",
		"http://0x7f.1/":                      "no no ok no",
		`http:\\h\a`:                          "no no no no",
		"http://[v1.a]/":                      "7 7 ok 8",
		"http://h:99999/":                     "9 9 no 9",
		"//h/a":                               "0 0 0 0",
		"example.com":                         "0 0 0 0",
		"x-own:a":                             "ok ok ok ok",
		"1a:b":                                "ok no no 0",
		"":                                    "0 0 0 0",
		"http://h/" + strings.Repeat("a", locus.MaxLen): "65536 65536 65536 ok",
	} {
		if got := verdicts(r, text); got != want {
			t.Errorf("%.40q: %s, want %s", text, got, want)
		}
	}
}

func TestCanonical(t *testing.T) {
	r := registry(t)
	for text, want := range map[string]string{
		"HTTP://H:80/%7ea/../%7E": "http://h/%7E http://h/%7E http://h/~ http://h/%7E",
		"http://h/a b":            "! ! ! http://h/a%20b",
		"http://h/<":              "http://h/%3C http://h/%3C ! http://h/%3C",
		"http://0x7f.1":           "http://0x7f.1/ http://0x7f.1/ http://0x7f.1/ http://127.0.0.1/",

		// Only the standard of the scheme forbids the userinfo or the fragment.
		"http://u@A:80/":        "http://u@a/ http://u@a/ http://u@a/ http://u@a/",
		"wss://u:p@h:443#f":     "wss://u:p@h/#f wss://u:p@h/#f wss://u:p@h/#f wss://u:p@h/#f",
		"gopher://u@h":          "gopher://u@h/1 gopher://u@h/1 gopher://u@h/1 gopher://u@h",
		"file://u@localhost/a":  "! ! file://u@localhost/a !",
		"http://u@/a":           "! ! ! !",
		"http://[::1%25eth0]/":  "! ! ! !",
		"nntp://h/g/000":        "nntp://h/g/0 nntp://h/g/0 nntp://h/g/0 nntp://h/g/000",
		"wais://h/%2E":          "wais://h/. wais://h/. ! wais://h/",
		"wais://h/%2E/WAIS/x":   "wais://h/./WAIS/x wais://h/./WAIS/x ! wais://h/WAIS/x",
		"wais://h/db/WAIS/%2E.": "wais://h/db/WAIS/.. wais://h/db/WAIS/.. ! wais://h/db/",
		"wais://h/db/WAIS/.":    "wais://h/db/WAIS/. wais://h/db/WAIS/. wais://h/db/WAIS/ wais://h/db/WAIS/",
	} {
		var got []string
		for _, p := range profile.All() {
			text, err := profile.Rules{Profile: p, Registry: r}.Canonical(text)
			if err != nil {
				text = "!"
			}
			got = append(got, text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestSame(t *testing.T) {
	r := registry(t)
	for _, test := range []struct {
		profile locus.Profile
		a, b    string
		same    bool
		why     string
	}{
		{locus.RFC1738, "http://h/%7e", "http://h/~", true, "a character that must be escaped is written as its escape; escapes are written with upper-case digits"},
		{locus.RFC3986, "http://h/%7e", "http://h/~", true, `the path is spelled differently but equivalent: "/%7e" and "/~"`},
		{locus.WHATWG, "http://h/%7e", "http://h/~", false, `the path is different: "/%7e" and "/~"`},
		{locus.RFC3986, "HTTP://h", "http://H:80/", true, `the scheme is spelled differently but equivalent: "HTTP" and "http"; the host is spelled differently but equivalent: "h" and "H"; the port is spelled differently but equivalent: none and "80"; the path is spelled differently but equivalent: "" and "/"`},
		{locus.RFC3986, "http://h/a?b", "http://h/a", false, `the query is different: "b" and none`},
		{locus.RFC3986, "x:a", "x:a", true, "the texts are identical"},
		{locus.RFC3986, "ftp://u:pw1@h/", "ftp://u:pw2@h/", false, "the password is different"},
		{locus.WHATWG, "ftp://u:pw1@h/", "ftp://u:pw2@h/", false, "the password is different"},
		{locus.RFC1738, "ftp://u%3aPW@h/", "ftp://h/", false, `the user differs: "u%3A**" and none`},
		{locus.RFC3986, "ftp://u%3aPW@h/", "ftp://u@h/", false, `the user is different: "u%3A**" and "u"`},
		{locus.RFC3986, "ftp://u%3aPW@h/", "ftp://u%3APW@h/", true, `the user is spelled differently but equivalent: "u%3a**" and "u%3A**"`},
		{locus.RFC1738, "ftp:///u:PW@h/", "ftp:///x/", false, `the path differs: "u:**@h/" and "x/"; the cwd differs: "[\"u:***@h\"]" and "[\"x\"]"`},
		{locus.RFC1738, "http://h/?v=ftp://u:PW@h/", "http://h/?v=ftp://u:Pw@h/", false, `the path differs: "?v=ftp://u:**@h/" and "?v=ftp://u:**@h/"; the searchpart differs: "v=ftp://u:***@h/" and "v=ftp://u:***@h/"`},
		{locus.RFC1738, "ftp://ab@h:1/", "ftp://a@h:2/", false, `the user differs: "ab" and "a"; the port differs: "1" and "2"`},
		{locus.RFC1738, "http://h/#a", "http://h/#u:b@c", false, `the fragment differs: "a" and "u:b@c"`},
		{locus.WHATWG, "a", "a", true, "the texts are identical"},
		{locus.WHATWG, "a", "b", false, `locus: "a": offset 0: write a scheme, or give a base URL; locus: "b": offset 0: write a scheme, or give a base URL`},
		{locus.RFC1630, "a", "http://h", false, `locus: "a": offset 0: no scheme; a URL begins with a name and ":"`},
	} {
		same, why := profile.Rules{Profile: test.profile, Registry: r}.Same(test.a, test.b)
		if got := strings.Join(why, "; "); same != test.same || got != test.why {
			t.Errorf("%v: %s and %s: %t, %s", test.profile, test.a, test.b, same, got)
		}
	}
}

// No reason may show a password or a part of it, however it is spelled.
func TestSameHidesPasswords(t *testing.T) {
	rules := profile.Rules{Registry: registry(t)}
	others := []string{"ftp://h/", "http://v@h2/?x#y", "mailto:a@b", "telnet://u:other@host.example/"}
	for _, text := range secrettest.URLs(secrettest.Password, "host.example") {
		for _, rules.Profile = range profile.All() {
			for _, other := range append(others, text+"x", strings.ReplaceAll(text, secrettest.Password, secrettest.Password+"x")) {
				_, why := rules.Same(text, other)
				if shown := strings.Join(why, "; "); strings.Contains(strings.ToLower(shown), strings.ToLower(secrettest.Half)) {
					t.Errorf("%v: %s and %s: %s", rules.Profile, text, other, shown)
				}
			}
		}
	}
}

// Only the URL Standard uses the base.
func TestBase(t *testing.T) {
	base, err := whatwg.Parse("http://h/a/b", nil)
	if err != nil {
		t.Fatal(err)
	}
	rules := profile.Rules{Profile: locus.WHATWG, Registry: registry(t), Base: &base}
	if text, err := rules.Canonical(`..\c`); text != "http://h/c" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if list, err := rules.Check("c"); len(list) > 0 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
}

func TestParse(t *testing.T) {
	for names, want := range map[string]string{
		"rfc3986": "rfc3986", "all": "rfc1738, rfc1630, rfc3986, whatwg", "whatwg, rfc1738,whatwg": "whatwg, rfc1738",
		"": "!", "x": "!", "rfc1738,": "!",
	} {
		list, err := profile.Parse(names, profile.All())
		if got := profile.Names(list); got != want && (err == nil || want != "!") {
			t.Errorf("%q: %s, %v", names, got, err)
		}
	}
	if _, err := profile.Parse("rfc1738", []locus.Profile{locus.WHATWG}); err == nil || !strings.Contains(err.Error(), "choose whatwg or all") {
		t.Error(err)
	}
}

// For all rules, findings must be in order and within the text, and the invariants of
// TestInvariants must hold.
func FuzzRules(f *testing.F) {
	r := registry(f)
	for _, text := range []string{"http://u:s3cret@H:80/a/../%7eb?q#f", `http:\\h\a b`, "mailto:a%2Cb@h?subject=x", "urn:ISBN:1", "file:/c|/x", "http://[::1]:0/", "x:%zz", "gopher://h/7a%09b", "tel:+1-2", "news:a@b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range profile.All() {
			rules := profile.Rules{Profile: p, Registry: r}
			list, err := rules.Check(text)
			for i, v := range list {
				if v.Offset < 0 || v.Offset > len(text) || v.Help == "" || v.Section == "" || i > 0 && v.Offset < list[i-1].Offset {
					t.Errorf("%v: %q: %+v", p, text, list)
				}
			}
			if err != nil && len(list) == 0 {
				t.Errorf("%v: %q: %v, and no finding", p, text, err)
			}
			checkForm(t, rules, text)
			if len(text) < 200 { // the number of fixes grows with the square of its length
				checkFixes(t, rules, text)
			}
		}
	})
}

func ExampleRules() {
	r, err := all.Registry()
	if err != nil {
		panic(err)
	}
	for _, p := range profile.All() {
		rules := profile.Rules{Profile: p, Registry: r}
		list, _ := rules.Check("https://example.com/~joe?next=/a")
		canonical, _ := rules.Canonical("https://example.com/~joe?next=/a")
		fmt.Println(p, locus.Conforms(list), canonical)
	}
	// Output:
	// rfc1738 false https://example.com/%7Ejoe?next=/a
	// rfc1630 false https://example.com/%7Ejoe?next=/a
	// rfc3986 true https://example.com/~joe?next=/a
	// whatwg true https://example.com/~joe?next=/a
}
