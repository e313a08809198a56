package lens_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/lens"
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

// inProcess returns a lens with every parser of this process.
func inProcess(t testing.TB) *lens.Lens {
	r := registry(t)
	return lens.New(r, append(lens.Standards(r), lens.InProcess(r)...)...)
}

func look(t testing.TB, l *lens.Lens, url string) lens.Report {
	t.Helper()
	list, err := l.Compare(context.Background(), []string{url})
	if err != nil {
		t.Fatal(err)
	}
	return list[0]
}

func TestConfusions(t *testing.T) {
	l := inProcess(t)
	for _, c := range []struct {
		url, differences string
		confusion        lens.Confusion
		danger           bool
	}{
		{"http://0x7f.1/", "host", lens.IPv4, true},
		{"http://0127.0.0.1/", "host", lens.IPv4, true},
		{"http:/example.com/", "host path", lens.Slashes, false},
		{"http:///example.com/", "host path", lens.Slashes, false},
		{"http://ex%61mple.com/", "host", lens.Percent, true},
		{"http://\uff45xample.com/", "host", lens.UnicodeHost, true},
		{"http://h.example/a/../b", "path", lens.DotSegments, false},
		{"http://h.example/a\\b", "path", lens.Backslash, false},
		{"ftp://h.example/a?b", "path query", lens.Query, false},
	} {
		r := look(t, l, c.url)
		if got := strings.Join(r.Differences, " "); got != c.differences || r.Confusion != c.confusion || r.Danger != c.danger || r.Why == "" {
			t.Errorf("%q: %v %q danger %t: %s", c.url, r.Differences, r.Confusion, r.Danger, r.Why)
		}
	}
}

func TestParsersAgree(t *testing.T) {
	l := inProcess(t)
	for _, url := range []string{
		"http://example.com", "http://example.com/", "https://example.com:443/a/b?c=d#e",
		"ftp://user:secret@ftp.example.com/pub/README", "mailto:joe@example.com", "file:///etc/motd", "file://localhost/etc/motd",
		"HTTP://EXAMPLE.com:080/%7ejoe", "http://example.com/~joe", "http://[2001:db8:0::1]:8080/", "http://example.com/?", "gopher://example.com:70/1a",
		"http://example.com/a%20b'c", "urn:isbn:0451450523", "news:comp.infosystems.www",
	} {
		r := look(t, l, url)
		if r.Differences != nil || r.Danger || r.Confusion != "" || r.Why != "" {
			t.Errorf("%q: %v %q danger %t: %s", url, r.Differences, r.Confusion, r.Danger, r.Why)
		}
		if !slices.ContainsFunc(r.Results, func(a lens.Result) bool { return a.OK }) {
			t.Errorf("%q: no reader accepts it", url)
		}
		if text, err := r.MarshalJSON(); err != nil || strings.Contains(string(text), "secret") {
			t.Errorf("%s, %v", text, err)
		}
	}
}
