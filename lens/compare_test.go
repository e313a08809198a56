package lens_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/locus-url/locus/lens"
)

func text(s string) *string { return &s }

// Parts with the same meaning must count as equal.
func TestCompare(t *testing.T) {
	l := inProcess(t)
	for _, c := range []struct {
		name string
		a, b lens.ParseResult
		want string
	}{
		{"case of the host", lens.ParseResult{Host: text("EXAMPLE.com")}, lens.ParseResult{Host: text("example.COM")}, ""},
		{"A-labels", lens.ParseResult{Host: text("b\u00fccher.example")}, lens.ParseResult{Host: text("xn--bcher-kva.example")}, ""},
		{"A-labels in capitals", lens.ParseResult{Host: text("B\u00dcCHER.example")}, lens.ParseResult{Host: text("xn--bcher-kva.example")}, ""},
		{"a sharp s and ss", lens.ParseResult{Host: text("fa\u00df.example")}, lens.ParseResult{Host: text("fass.example")}, "host"},
		{"a sharp s and its A-label", lens.ParseResult{Host: text("fa\u00df.example")}, lens.ParseResult{Host: text("xn--fa-hia.example")}, ""},
		{"fullwidth letters", lens.ParseResult{Host: text("\uff45vil.example")}, lens.ParseResult{Host: text("evil.example")}, "host"},
		{"a soft hyphen", lens.ParseResult{Host: text("e\u00advil.example")}, lens.ParseResult{Host: text("evil.example")}, "host"},
		{"hexadecimal IPv4", lens.ParseResult{Host: text("0x7f.1")}, lens.ParseResult{Host: text("127.0.0.1")}, "host"},
		{"octal IPv4", lens.ParseResult{Host: text("0177.0.0.1")}, lens.ParseResult{Host: text("177.0.0.1")}, "host"},
		{"IPv6 brackets", lens.ParseResult{Host: text("[2001:DB8::0001]")}, lens.ParseResult{Host: text("2001:db8:0:0::1")}, ""},
		{"IPv4 in IPv6", lens.ParseResult{Host: text("[::ffff:127.0.0.1]")}, lens.ParseResult{Host: text("[::ffff:7f00:1]")}, ""},
		{"IPv4 and IPv4 in IPv6", lens.ParseResult{Host: text("[::ffff:127.0.0.1]")}, lens.ParseResult{Host: text("127.0.0.1")}, "host"},
		{"zones", lens.ParseResult{Host: text("[fe80::1%25eth0]")}, lens.ParseResult{Host: text("fe80::1%eth0")}, ""},
		{"another zone", lens.ParseResult{Host: text("[fe80::1%25eth0]")}, lens.ParseResult{Host: text("fe80::1")}, "host"},
		{"a dot at the end", lens.ParseResult{Host: text("example.com.")}, lens.ParseResult{Host: text("example.com")}, "host"},
		{"an escaped letter", lens.ParseResult{Host: text("ex%61mple.com")}, lens.ParseResult{Host: text("example.com")}, "host"},
		{"the default port", lens.ParseResult{Scheme: text("http"), Port: text("80")}, lens.ParseResult{Scheme: text("HTTP")}, ""},
		{"zeros of the port", lens.ParseResult{Port: text("0080")}, lens.ParseResult{Port: text("80")}, ""},
		{"an empty port", lens.ParseResult{Scheme: text("http"), Port: text("")}, lens.ParseResult{Scheme: text("http")}, ""},
		{"another port", lens.ParseResult{Scheme: text("http"), Port: text("8080")}, lens.ParseResult{Scheme: text("http")}, "port"},
		{"a sign of the port", lens.ParseResult{Port: text("+80")}, lens.ParseResult{Port: text("80")}, "port"},
		{"the port of an unknown scheme", lens.ParseResult{Scheme: text("x-none"), Port: text("99")}, lens.ParseResult{Scheme: text("x-none")}, ""},
		{"localhost of a file", lens.ParseResult{Scheme: text("file"), Host: text("localhost")}, lens.ParseResult{Scheme: text("file"), Host: text("")}, ""},
		{"localhost", lens.ParseResult{Scheme: text("http"), Host: text("localhost")}, lens.ParseResult{Scheme: text("http"), Host: text("")}, "host path"},
		{"the root", lens.ParseResult{Host: text("h"), Path: text("")}, lens.ParseResult{Host: text("h"), Path: text("/")}, ""},
		{"needless escapes", lens.ParseResult{Path: text("/%7ejoe%2D")}, lens.ParseResult{Path: text("/~joe-")}, ""},
		{"missing escapes", lens.ParseResult{Path: text("/a b|\u00e4'")}, lens.ParseResult{Path: text("/a%20b%7C%c3%A4%27")}, ""},
		{"an escaped slash", lens.ParseResult{Path: text("/a%2Fb")}, lens.ParseResult{Path: text("/a/b")}, "path"},
		{"a plus", lens.ParseResult{Query: text("a+b")}, lens.ParseResult{Query: text("a%20b")}, "query"},
		{"an empty query", lens.ParseResult{Query: text("")}, lens.ParseResult{}, ""},
		{"an escaped user", lens.ParseResult{User: text("a%40b")}, lens.ParseResult{User: text("a@b")}, ""},
		{"an unseen part", lens.ParseResult{Unseen: []string{"fragment"}}, lens.ParseResult{Fragment: text("x")}, ""},
	} {
		if got := strings.Join(l.Differences(c.a, c.b), " "); got != c.want {
			t.Errorf("%s: %q differs, want %q", c.name, got, c.want)
		}
	}
}

// Two results contact the same target if host, port and scheme are equal, or not exposed.
func TestSameTarget(t *testing.T) {
	l := inProcess(t)
	for _, c := range []struct {
		name string
		a, b lens.ParseResult
		want bool
	}{
		{"a dot at the end", lens.ParseResult{Host: text("h.")}, lens.ParseResult{Host: text("h")}, true},
		{"no scheme", lens.ParseResult{Host: text("h")}, lens.ParseResult{Scheme: text("x-none"), Host: text("h")}, true},
		{"another scheme", lens.ParseResult{Scheme: text("ftp"), Host: text("h")}, lens.ParseResult{Scheme: text("http"), Host: text("h")}, false},
		{"no host", lens.ParseResult{Scheme: text("http")}, lens.ParseResult{Scheme: text("http"), Host: text("h"), Port: text("81")}, true},
		{"no host by another scheme", lens.ParseResult{Scheme: text("jar")}, lens.ParseResult{Scheme: text("http"), Host: text("h")}, false},
		{"another path", lens.ParseResult{Host: text("h"), Path: text("/a")}, lens.ParseResult{Host: text("h"), Path: text("/b")}, true},
	} {
		if l.SameTarget(c.a, c.b) != c.want {
			t.Errorf("%s: the same is %t", c.name, !c.want)
		}
	}
}

// No report for people, and no JSON, may contain a password, in whatever part a parser returns it.
func TestPasswords(t *testing.T) {
	l := inProcess(t)
	const password = "s3cr%65t!"
	for _, url := range []string{
		"http://u:" + password + "@h.example/", "ftp://u:" + password + "@h:99999/", "http://u:" + password + "@a@b/", `http://u:` + password + `\@h.example/`,
		"http://u:" + password + "#@h/", "http://u:" + password + "?@h/", "//u:" + password + "@h/", "http:/u:" + password + "@h/", "http:u:" + password + "@h/",
		"http://u:" + password + " @h/", "http://[u:" + password + "@h/", "x-none://u:" + password + "@h/",
	} {
		r := look(t, l, url)
		shown, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		accepted, refused := l.Groups(r)
		groups, err := json.Marshal(append(accepted, refused...))
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"s3cr%65t", "s3cret", "s3cr"} {
			if all := string(shown) + string(groups) + fmt.Sprintf("%v %+v %s", r, []lens.Report{r}, r); strings.Contains(all, secret) {
				t.Errorf("%q is shown: %s", url, all)
			}
		}
		if !r.HasPassword() {
			t.Errorf("%q has no password", url)
		}
	}
	for _, url := range []string{"mailto:joe@h.example", "http://h.example:80/", "http://h:80:90/", "http://joe@h.example/"} {
		if r := look(t, l, url); r.HasPassword() || r.Masked().Input != url {
			t.Errorf("%q has a password: %q", url, r.Masked().Input)
		}
	}
}

// Parsers that agree must be in one group, and so must parsers that reject for the same reason.
func TestGroups(t *testing.T) {
	l := inProcess(t)
	accepted, refused := l.Groups(look(t, l, "http:/h.example/x"))
	var got []string
	for _, g := range append(accepted, refused...) {
		got = append(got, strings.Join(g.Names, ","))
	}
	if want := "rfc3986,net/url whatwg rfc1738,rfc1630 net/url-strict locus"; strings.Join(got, " ") != want {
		t.Errorf("the groups are %q, want %q", got, want)
	}
}

// Each confusion must have a sentence of its own.
func TestConfusionTexts(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range lens.Confusions() {
		if c.Text == "" || seen[c.Text] || seen[string(c.Confusion)] {
			t.Errorf("%+v", c)
		}
		seen[c.Text], seen[string(c.Confusion)] = true, true
	}
}
