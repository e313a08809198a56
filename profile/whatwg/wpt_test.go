package whatwg

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// wpt reads a file of the Web Platform Tests' directory "url/resources". Its strings
// are comments.
func wpt[T any](t *testing.T, name string) (list []T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../shared/data/wpt", name))
	if os.IsNotExist(err) && os.Getenv("CI") == "" {
		t.Skip("the data of the Web Platform Tests is absent")
	} else if err != nil {
		t.Fatal(err)
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
	for _, r := range raw {
		if r[0] == '"' {
			continue
		}
		var one T
		if err := json.Unmarshal(r, &one); err != nil {
			t.Fatal(err)
		}
		list = append(list, one)
	}
	return list
}

type urlCase struct {
	Input                              string
	Base                               *string
	Failure                            bool
	Href, Protocol, Username, Password string
	Origin                             *string
	Host, Hostname, Port               string
	Pathname, Search, Hash             string
}

func TestURLTestData(t *testing.T) {
	list := wpt[urlCase](t, "urltestdata.json")
	if len(list) < 800 {
		t.Fatalf("%d cases", len(list))
	}
	for _, c := range list {
		var base *URL
		name := c.Input
		if c.Base != nil {
			name += " with " + *c.Base
			b, err := Parse(*c.Base, nil)
			if err != nil {
				if !c.Failure {
					t.Errorf("%q: base: %v", name, err)
				}
				continue
			}
			base = &b
		}
		u, err := Parse(c.Input, base)
		if strict, list, e := Check(c.Input, base); strict != u || (e == nil) != (err == nil) || e != nil && len(list) == 0 {
			t.Errorf("%q: Check gives %+v, %v, %v", name, strict, list, e)
		}
		if c.Failure || err != nil {
			if !c.Failure || err == nil {
				t.Errorf("%q: %s, %v, want %s", name, u.Href(), err, c.Href)
			}
			continue
		}
		for _, p := range [][3]string{
			{"href", u.Href(), c.Href}, {"protocol", u.Protocol(), c.Protocol}, {"username", u.Username(), c.Username}, {"password", u.Password(), c.Password},
			{"host", u.Host(), c.Host}, {"hostname", u.Hostname(), c.Hostname}, {"port", u.Port(), c.Port}, {"pathname", u.Pathname(), c.Pathname},
			{"search", u.Search(), c.Search}, {"hash", u.Hash(), c.Hash},
		} {
			if p[1] != p[2] {
				t.Errorf("%q: %s is %q, want %q", name, p[0], p[1], p[2])
			}
		}
		if c.Origin != nil && u.Origin() != *c.Origin {
			t.Errorf("%q: origin is %q, want %q", name, u.Origin(), *c.Origin)
		}
		again, err := Parse(u.Href(), nil)
		if err != nil || again != u {
			t.Errorf("%q: %s is not parsed as itself: %s, %v", name, u.Href(), again.Href(), err)
		}
	}
}

type domainCase struct {
	Input  string
	Output *string
}

func checkDomains(t *testing.T, name string, atLeast int) {
	list := wpt[domainCase](t, name)
	if len(list) < atLeast {
		t.Fatalf("%d cases", len(list))
	}
	for _, c := range list {
		u, err := Parse("https://"+c.Input+"/x", nil)
		if c.Output == nil {
			if err == nil {
				t.Errorf("%+q: %s, want a failure", c.Input, u.Hostname())
			}
		} else if err != nil || u.Hostname() != *c.Output {
			t.Errorf("%+q: %q, %v, want %q", c.Input, u.Hostname(), err, *c.Output)
		}
	}
}

func TestToASCII(t *testing.T) { checkDomains(t, "toascii.json", 80) }

// TestIdnaTestV2 reads domains, some of which a URL cannot contain unescaped.
func TestIdnaTestV2(t *testing.T) {
	list := wpt[domainCase](t, "IdnaTestV2.json")
	if len(list) < 2500 {
		t.Fatalf("%d cases", len(list))
	}
	for _, c := range list {
		got, fault, _ := domainToASCII(c.Input)
		if (fault == "") != (c.Output != nil) || fault == "" && got != *c.Output {
			t.Errorf("%+q: %q, %s, want %v", c.Input, got, fault, c.Output)
		}
	}
}

// Each name of a validation error must have a hint, and offsets must be within the input.
func TestCheck(t *testing.T) {
	for input, want := range map[string]string{
		"http://example.com/":            "",
		" http://h/ ":                    "0 invalid-URL-unit, 10 invalid-URL-unit",
		"ht\ntp://h/":                    "2 invalid-URL-unit",
		"http:h":                         "5 special-scheme-missing-following-solidus",
		"http:\\\\h\\a":                  "5 special-scheme-missing-following-solidus, 5 special-scheme-missing-following-solidus, 8 invalid-reverse-solidus",
		"http:///h":                      "7 special-scheme-missing-following-solidus",
		"http://u:p@h/":                  "10 invalid-credentials",
		"http://h/a b%zz":                "10 invalid-URL-unit, 12 invalid-URL-unit",
		"http://h/\u00a0\ufdd0":          "11 invalid-URL-unit",
		"h":                              "0 missing-scheme-non-relative-URL",
		"http://":                        "7 host-missing",
		"http://u@":                      "8 invalid-credentials, 9 host-missing",
		"http://h:x/":                    "9 port-invalid",
		"http://h:65536/":                "9 port-out-of-range",
		"http://[::1":                    "7 IPv6-unclosed",
		"http://[:1]":                    "8 IPv6-invalid-compression",
		"http://[1:2:3:4:5:6:7:8:9]":     "24 IPv6-too-many-pieces",
		"http://[1::2::3]":               "13 IPv6-multiple-compression",
		"http://[1:g]":                   "10 IPv6-invalid-code-point",
		"http://[1]":                     "9 IPv6-too-few-pieces",
		"http://[1:2:3:4:5:6:7:1.2.3.4]": "23 IPv4-in-IPv6-too-many-pieces",
		"http://[::1.x.3.4]":             "12 IPv4-in-IPv6-invalid-code-point",
		"http://[::1.256.3.4]":           "14 IPv4-in-IPv6-out-of-range-part",
		"http://[::1.2.3]":               "15 IPv4-in-IPv6-too-few-parts",
		"http://1.2.3.4./":               "7 IPv4-empty-part",
		"http://1.2.3.4.5/":              "7 IPv4-too-many-parts",
		"http://a.0x/":                   "7 IPv4-non-numeric-part",
		"http://0x7f.1/":                 "7 IPv4-non-decimal-part",
		"http://1.256/":                  "7 IPv4-out-of-range-part",
		"http://1.2.3.256/":              "7 IPv4-out-of-range-part",
		"http://a%00b/":                  "7 domain-invalid-code-point",
		"http://a|b/":                    "8 domain-invalid-code-point",
		"http://\u00ad/":                 "7 domain-to-ASCII",
		"x://a|b":                        "5 host-invalid-code-point",
		"file:c:/a":                      "5 special-scheme-missing-following-solidus",
		"file://c:/a":                    "7 file-invalid-Windows-drive-letter-host",
	} {
		_, list, err := Check(input, nil)
		var got []string
		for _, v := range list {
			got = append(got, strconv.Itoa(v.Offset)+" "+v.Rule)
			if v.Help == "" || v.Offset+len(v.Text) > len(input) {
				t.Errorf("%q: %+v", input, v)
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q: %q, %v, want %q", input, got, err, want)
		}
	}
	base, err := Parse("file:///x", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, list, _ := Check("c:", &base); len(list) != 0 {
		t.Error(list) // a scheme
	}
	if _, list, _ := Check("c|/a", &base); len(list) == 0 || list[0].Rule != "file-invalid-Windows-drive-letter" {
		t.Error(list)
	}
}

// Parsing a serialized URL must give the same URL.
func FuzzParse(f *testing.F) {
	for _, s := range [][2]string{{"http://u:p@ex%41mple.com:80/a/../b?c#d", ""}, {"//[::1]:8\\x", "ws://h/a/b"}, {"c|/..", "file:///d:/x"}, {"a:b c ?d", ""}, {"#x", "mailto:a"}, {"http://b\u00fccher.ex\u00ad", ""}, {"x:/..//a", ""}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, input, on string) {
		var base *URL
		if b, err := Parse(on, nil); err == nil {
			base = &b
		}
		u, err := Parse(input, base)
		strict, list, e := Check(input, base)
		if strict != u || (e == nil) != (err == nil) || e != nil && len(list) == 0 {
			t.Fatalf("%q: Check gives %+v, %v, %v, Parse %+v, %v", input, strict, list, e, u, err)
		}
		for _, v := range list {
			if v.Offset < 0 || v.Offset+len(v.Text) > len(input) {
				t.Errorf("%q: %+v", input, v)
			}
		}
		if err != nil {
			return
		}
		if again, err := Parse(u.Href(), nil); err != nil || again != u {
			t.Errorf("%q on %q: %q is parsed to %q, %v", input, on, u.Href(), again.Href(), err)
		}
	})
}

func TestFormat(t *testing.T) {
	u, err := Parse("ftp://joe:s3cret@h/", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		for _, value := range []any{u, &u, []URL{u}} {
			if got := fmt.Sprintf(verb, value); strings.Contains(got, "s3cret") {
				t.Errorf("%s: %s", verb, got)
			}
		}
	}
	if u.Href() != "ftp://joe:s3cret@h/" || u.String() != "ftp://joe:***@h/" {
		t.Error(u)
	}
}
