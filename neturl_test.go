package locus_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

func TestNetURL(t *testing.T) {
	for _, row := range []struct {
		text string
		want error  // nil if the same text is returned
		part string // of the message
	}{
		{"http://h/", nil, ""},
		{"HTTP://H/", nil, ""},
		{"http://h", nil, ""},
		{"http://h:8080/a/b;c?q=1&r#f", nil, ""},
		{"http://h/?", nil, ""},
		{"http://h?q", nil, ""},
		{"http://h:/", nil, ""},
		{"http://h:080/", nil, ""},
		{"http://h/a%2Fb%2fc%7e~", nil, ""},
		{"http://h/%", locus.ErrEscape, ""},
		{"http://h/a#b%20c", nil, ""},
		{"ftp://u@h/", nil, ""},
		{"ftp://@h/", nil, ""},
		{"ftp://u:@h/", nil, ""},
		{"ftp://:p@h/", nil, ""},
		{"ftp://u%3A:p%40x@h/", nil, ""},
		{"http://[::1]:80/", nil, ""},
		{"http://%C3%A9/", nil, ""},
		{"mailto:joe@h.example", nil, ""},
		{"mailto:joe@h.example?subject=a", nil, ""},
		{"news:*", nil, ""},
		{"urn:isbn:1#x", nil, ""},
		{"file:/etc/hosts", nil, ""},
		{"file:///etc/hosts", nil, ""},
		{"x:", nil, ""},

		{"http://h/#", locus.ErrNetURL, `would write "http://h/"`},
		{"http://é/", locus.ErrNetURL, `would write "http://%C3%A9/"`},
		{"http://h/a|b", locus.ErrNetURL, `would write "http://h/a%7Cb"`},
		{"ftp://u!x:secret@h/", locus.ErrNetURL, `would write "ftp://u%21x:******@h/"`},
		{"http://a|b/", locus.ErrNetURL, "invalid character"},
		{"http://a%41/", locus.ErrNetURL, "invalid URL escape"},
		{"1x:y", locus.ErrNetURL, "first path segment"},
		{"a_b:c", locus.ErrNoScheme, ""},
		// A "?" before the "@": net/url reads the text before it as the host.
		{"ftp://user?x:secret@h/", locus.ErrNetURL, "another host"},
		{"ftp://user:sec?ret@h/", locus.ErrNetURL, "rejects it"},
	} {
		u, err := locus.Parse(row.text)
		var n *url.URL
		if err == nil {
			n, err = u.NetURL()
		}
		if row.want != nil {
			var e *locus.SyntaxError
			if !errors.Is(err, row.want) || !errors.As(err, &e) || !strings.Contains(err.Error(), row.part) || strings.Contains(err.Error(), "sec") {
				t.Errorf("%q: %v, want %v (%s)", row.text, err, row.want, row.part)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", row.text, err)
			continue
		}
		back, err := locus.FromNetURL(n)
		if err != nil || !strings.EqualFold(back.Scheme(), u.Scheme()) || back.String()[len(u.Scheme()):] != row.text[len(u.Scheme()):] {
			t.Errorf("%q: there and back it is %q, %v", row.text, back.String(), err)
		}
	}
	if _, err := (locus.URL{}).NetURL(); !errors.Is(err, locus.ErrZero) {
		t.Errorf("the zero URL: %v", err)
	}
}

func TestFromNetURL(t *testing.T) {
	parsed := func(text string) *url.URL {
		n, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, row := range []struct {
		n    *url.URL
		want string
		err  error
	}{
		{parsed("http://h/a?b#c"), "http://h/a?b#c", nil},
		{&url.URL{Scheme: "HTTP", Host: "h", Path: "a b"}, "HTTP://h/a%20b", nil},
		{&url.URL{Scheme: "http", Host: "h", Path: "/a/b", RawPath: "/a%2Fb"}, "http://h/a%2Fb", nil},
		{&url.URL{Scheme: "http", Host: "h", Path: "/a", RawPath: "/b"}, "http://h/a", nil}, // RawPath is a hint
		{&url.URL{Scheme: "ftp", Host: "h", User: url.UserPassword("a:b", "c@d")}, "ftp://a%3Ab:c%40d@h", nil},
		{&url.URL{Scheme: "http", Host: "h", Path: "/", ForceQuery: true}, "http://h/?", nil},
		{&url.URL{Scheme: "mailto", Opaque: "a@b"}, "mailto:a@b", nil},
		{&url.URL{Scheme: "file", Path: "/x", OmitHost: true}, "file:/x", nil},

		{nil, "", locus.ErrNoScheme},
		{&url.URL{}, "", locus.ErrNoScheme},
		{parsed("a/b"), "", locus.ErrNoScheme},
		{parsed("//h/a"), "", locus.ErrNoScheme},
		{parsed("?q"), "", locus.ErrNoScheme},
		{&url.URL{Opaque: "http://h/"}, "", locus.ErrNoScheme},
		{parsed("http://[fe80::1%25eth0]/"), "", locus.ErrHost},
		{&url.URL{Scheme: "http", Host: "h:x"}, "", locus.ErrPort},
		{&url.URL{Scheme: "http", Host: "h:99999"}, "", locus.ErrPortRange},
		{&url.URL{Scheme: "http", Host: "h", RawQuery: "a b"}, "", locus.ErrControl},
		{&url.URL{Scheme: "http", Host: "h", RawQuery: "a#b"}, "", locus.ErrNetURL},
		{&url.URL{Scheme: "http", Host: "h", Opaque: "x"}, "", locus.ErrNetURL},
		{&url.URL{Scheme: "http", Opaque: "x", Path: "/y"}, "", locus.ErrNetURL},
		{&url.URL{Scheme: "http", Opaque: "//h/x"}, "", locus.ErrNetURL},
		{&url.URL{Scheme: "http", Path: "//evil.example/", OmitHost: true}, "", locus.ErrNetURL},
	} {
		u, err := locus.FromNetURL(row.n)
		var e *locus.SyntaxError
		if u.String() != row.want || !errors.Is(err, row.err) || err != nil && !errors.As(err, &e) {
			t.Errorf("%#v: %q, %v; want %q, %v", row.n, u.String(), err, row.want, row.err)
		}
	}
	secret := &url.URL{Scheme: "ftp", User: url.UserPassword("u", "secret"), Host: "h:x"}
	if _, err := locus.FromNetURL(secret); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("the error shows the password: %v", err)
	}
}

// FuzzNetURL tests that each direction either preserves a URL or fails, and that no
// error shows a password.
func FuzzNetURL(f *testing.F) {
	for _, text := range []string{"http://h/", "HTTP://u:p@h:1/a%2fb?q#f", "mailto:a@b?c", "file:/x", "ftp://u?x:p@h/", "x:", "http://[::1]:80/?#", "//h/a", "http://h/ä|b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if u, err := locus.Parse(text); err == nil {
			n, err := u.NetURL()
			if password, _ := u.Password(); err != nil && len(password) > 4 && strings.Count(text, password) == 1 && strings.Contains(err.Error(), password) {
				t.Errorf("%q: the error shows the password: %v", text, err)
			}
			if err == nil {
				scheme := len(u.Scheme())
				if back, err := locus.FromNetURL(n); err != nil || back.String()[scheme:] != text[scheme:] || back.Scheme() != u.Scheme() {
					t.Errorf("%q: there and back it is %q, %v", text, back.String(), err)
				}
				host, _ := url.PathUnescape(u.Hostname())
				if n.Hostname() != host && !strings.Contains(host, ":") {
					t.Errorf("%q: host %q, and net/url says %q", text, host, n.Hostname())
				}
			}
		}
		if n, err := url.Parse(text); err == nil {
			u, err := locus.FromNetURL(n)
			if err == nil && u.String() != n.String() {
				t.Errorf("%q: %q", text, u.String())
			}
		}
	})
}

func TestHostPort(t *testing.T) {
	for text, want := range map[string][3]string{
		"http://h/":         {"h", "h", "h:80"},
		"http://h:8080":     {"h", "h:8080", "h:8080"},
		"http://h:/":        {"h", "h", "h:80"},
		"http://u:p@[::1]/": {"::1", "[::1]", "[::1]:80"},
		"http://[::1]:8/":   {"::1", "[::1]:8", "[::1]:8"},
		"file:///x":         {"", "", ""},
		"mailto:a@b":        {"", "", ""},
	} {
		u := locus.MustParse(text)
		if got := [3]string{u.Hostname(), u.HostPort(0), u.HostPort(80)}; got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if u := (locus.URL{}); u.Hostname() != "" || u.HostPort(80) != "" {
		t.Error("the zero URL has a host")
	}
}
