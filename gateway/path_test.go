package gateway

import (
	"bufio"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
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

// vectors returns all URLs in the module's test data.
func vectors(t testing.TB) (list []locus.URL) {
	t.Helper()
	names, err := filepath.Glob("../testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var v struct{ URL string }
			if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &v) != nil {
				continue
			}
			if u, err := locus.Parse(v.URL); err == nil {
				list = append(list, u)
			}
		}
	}
	if len(list) < 200 {
		t.Fatalf("%d vectors", len(list))
	}
	return list
}

// A path or a query preserves its URL exactly.
func TestPath(t *testing.T) {
	r := registry(t)
	inPath := 0
	for _, u := range vectors(t) {
		checkPath(t, r, u)
		if _, ok := pathOf(u); ok {
			inPath++
		}
	}
	if inPath < 150 {
		t.Errorf("%d URLs fit into a path", inPath)
	}
	for path, want := range map[string]string{
		"/gopher/h:70/1sel": "gopher://h:70/1sel", "/GOPHER/H": "GOPHER://H", "/ftp/h//etc/motd": "ftp://h//etc/motd",
		"/http/h/a?b=c&url=d": "http://h/a?b=c&url=d", "/news:comp.infosystems": "news:comp.infosystems",
		"/mid:a@b/c@d": "mid:a@b/c@d", "/file//etc/hosts": "file:///etc/hosts", "/gopher/h/0sel%09%09+%091%0D%0A": "gopher://h/0sel%09%09+%091%0D%0A",
	} {
		if u, ok, err := urlOf(r, path); !ok || err != nil || u.String() != want {
			t.Errorf("%s: %s, %t, %v", path, u, ok, err)
		}
	}
	for _, path := range []string{"/", "/nothing/h", "/gopher", "/-/raw", "/gopher?x", "/gopher://h/", "//h/", "/x-none:h"} {
		if u, ok, _ := urlOf(r, path); ok {
			t.Errorf("%s is %s", path, u)
		}
	}
	for _, text := range []string{"http://h/a/../b", "http://h/a/%2e%2E/b", "http://h/.", "gopher://h/0a/./b", "http://h/?a'b", "http://h/a|b", "http://h/a^b", "http://h/{a}"} {
		if path, ok := pathOf(locus.MustParse(text)); ok {
			t.Errorf("%s fits into a path, %s, that browsers change", text, path)
		}
	}
}

// checkPath checks that the gateway gets u back from the request that a browser sends for a
// link to u.
func checkPath(t testing.TB, r *scheme.Registry, u locus.URL) {
	t.Helper()
	path, ok := pathOf(u)
	if ok && r.Known(u) {
		// A browser sends the path without the fragment.
		target, _, _ := strings.Cut(path, "#")
		req, err := http.ReadRequest(bufio.NewReader(strings.NewReader("GET " + target + " HTTP/1.0\r\n\r\n")))
		if err != nil || req.RequestURI != target {
			t.Errorf("%q: asked for as %q: %v", u, target, err)
			return
		}
		got, ok, err := urlOf(r, req.RequestURI)
		if !ok || err != nil || got != u.WithoutFragment() {
			t.Errorf("%q: the path %q is %q, %t, %v", u, path, got, ok, err)
		}
	}
	_, query, _ := strings.Cut(askFor("/", u.WithoutFragment(), nil), "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Errorf("%q: %v", u, err)
		return
	}
	if got, err := queryURL(values); err != nil || got != u.WithoutFragment() {
		t.Errorf("%q: the query %q is %q, %v", u, query, got, err)
	}
}

func FuzzPath(f *testing.F) {
	r := registry(f)
	for _, u := range vectors(f) {
		f.Add(u.String())
	}
	f.Fuzz(func(t *testing.T, text string) {
		if u, err := locus.Parse(text); err == nil {
			checkPath(t, r, u)
		}
		// In the other direction, the URL in any path must have that path.
		target := "/" + text
		if u, ok, err := urlOf(r, target); ok && err == nil {
			if back, _ := pathOf(u); back != target {
				t.Errorf("%q is %q, whose path is %q", target, u, back)
			}
		}
	})
}

func TestRules(t *testing.T) {
	r := registry(t)
	for _, test := range []struct {
		allow, deny string
		yes, no     string
	}{
		{"", "", "http://h/ gopher://h/ news:a.b", ""},
		{"", "telnet:", "http://h/", "telnet://h/ TELNET://x"},
		{"gopher: ftp:", "", "gopher://h/ ftp://h/x", "http://h/ news:a.b"},
		{"", "example.com", "http://a.example.com/ http://example.com.x/", "http://example.com/ gopher://EXAMPLE.com:7070/"},
		{"", ".example.com", "http://notexample.com/", "http://example.com/ http://a.b.example.com/"},
		{"h:70", "", "gopher://h/ gopher://h:70/1 http://h:70/", "gopher://h:7070/ http://h/ gopher://hh/"},
		{"", "192.0.2.0/24 2001:db8::/32", "http://192.0.3.1/ http://h/", "http://192.0.2.7/ http://[2001:db8::1]/"},
		{"ftp://h/pub/", "", "ftp://h/pub/a FTP://H:21/pub/a/b ftp://h/%70ub/a", "ftp://h/pub ftp://h/public ftp://h/pub/../etc ftp://h/pub/%2e%2e/etc ftp://h/pub/a%2F..%2Fb ftp://h:2121/pub/a ftp://hh/pub/a"},
		{"", "ftp://h/secret", "ftp://h/public ftp://x/secret ftp://h:2121/secret", "ftp://h/secret ftp://h/secret/a ftp://h//secret ftp://h/%2Fsecret ftp://h/a/../secret ftp://h/%73ecret"},
		{"", "example.com .example.net ftp://example.org/a", "http://com./", "http://example.com./ http://a.EXAMPLE.net.:80/ ftp://example.org./a"},
		{"", "http://[2001:db8::1]/a", "http://[2001:db8::2]/a", "http://[2001:DB8:0::1]/a"},
		{"", "[::1] 192.0.2.1:70 [2001:db8::1]:80 ::2", "http://192.0.2.1/ gopher://[2001:db8::1]/", "http://[0:0::1]/ gopher://192.0.2.01/ gopher://[::ffff:192.0.2.1]/ http://[2001:DB8:0::1]/ http://[::2]/"},
		{"", ".telnet [::ffff:192.0.2.1]", "telnet://h/", "http://telnet/ http://192.0.2.1/"},
		{"gopher://h/1/a", "gopher://h/1/a/b", "gopher://h/1/a gopher://h/1/ab", "gopher://h/1/a/b/c gopher://h/1/c"},
	} {
		rules, err := NewRules(r, strings.Fields(test.allow), strings.Fields(test.deny))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range strings.Fields(test.yes) {
			if err := rules.Check(locus.MustParse(text)); err != nil {
				t.Errorf("allow %q, deny %q: %v", test.allow, test.deny, err)
			}
		}
		for _, text := range strings.Fields(test.no) {
			if err := rules.Check(locus.MustParse(text)); err == nil {
				t.Errorf("allow %q, deny %q: %s may be opened", test.allow, test.deny, text)
			}
		}
	}
	for _, text := range []string{"", ":", "a b", "ftp://h/a/../b", "x..y", "1.2.3.4/99", "ftp://u:p@h/", "http://h:99999/", "h:x", "h:0", "h:99999", "gofer:", "telnet", "HTTP", "[::1"} {
		if _, err := NewRules(r, []string{text}, nil); err == nil {
			t.Errorf("%q is a rule", text)
		}
	}
}

// Denied addresses are denied under any name.
func TestRulesAddr(t *testing.T) {
	rules, err := NewRules(registry(t), []string{"198.51.100.0/24"}, []string{"192.0.2.0/24", "[2001:db8::1]:70", "203.0.113.1", "h:80"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"192.0.2.9:80": false, "[::ffff:192.0.2.9]:80": false, "[2001:db8::1]:70": false, "[2001:db8::1]:71": true, "203.0.113.1:1": false, "203.0.113.2:1": true, "198.51.100.1:80": true,
	} {
		err := rules.CheckAddr(netip.MustParseAddrPort(text))
		if (err == nil) != want || err != nil && !errors.Is(err, policy.ErrDenied) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestWithin(t *testing.T) {
	files, err := FilesBelow([]string{"/srv/pub", "/srv/other/"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"file:///srv/pub/a": true, "file:///srv/pub/": true, "file:///srv/pub": true, "file://localhost/srv/other/b%20c": true, "file:///srv/pub/a/b": true,
		"file:///srv/public": false, "file:///etc/passwd": false, "file:///srv/pub/../x": false, "file:///srv/pub/%2e%2e/x": false, "file:///srv/pub/a%2F..%2F..%2Fx": false,
		"file://elsewhere/srv/pub/a": false, "ftp:///srv/pub/a": false, "file:///srv/pub/a%00": false, "file:///srv/pub/..%5Cx": false,
	} {
		if got := files(locus.MustParse(text)); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
	if _, err := FilesBelow([]string{"relative"}); err == nil {
		t.Error("a relative folder")
	}
}
