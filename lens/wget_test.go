package lens

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// An argument of wget must be escaped before it is split.
func TestWgetEscapes(t *testing.T) {
	for _, c := range []struct {
		argument, line string
		twice          bool
	}{
		{`http://good.example:80\@evil.example/`, "http://good.example:80%5C@evil.example/", false},
		{`http://good.example\@evil.example@x/`, "http://good.example%5C@evil.example@x/", false},
		{`https://good.example:\@evil.example`, "https://good.example:%5C@evil.example", false},
		{"http://good.example @evil.example/", "http://good.example%20@evil.example/", false},
		{"http://h.example/a%20b%zz%2?c#d[e]~'", "http://h.example/a%20b%25zz%252?c#d[e]~'", false},
		{"\t\"<>^`{|}\x7f\xff\r\n", "%09%22%3C%3E%5E%60%7B%7C%7D%7F%FF%0D%0A", false},
		{"http://127.0.0.1%2F.a.example/", "http://127.0.0.1%2F.a.example/", true},
		{"http://a.example%3F@127.0.0.1/", "http://a.example%3F@127.0.0.1/", true},
		{"http://a.example%3A80/", "http://a.example%3A80/", true},
		{"http://a.example/%2F", "http://a.example/%2F", false},
		{"http://a.example?%2F", "http://a.example?%2F", false},
	} {
		if got := wgetEscapes(c.argument); got != c.line || wgetEscapes(got) != got {
			t.Errorf("%q becomes %q, want %q", c.argument, got, c.line)
		}
		if got := decodesTwice(c.line); got != c.twice {
			t.Errorf("%q: %t", c.line, got)
		}
	}
}

func FuzzWgetEscapes(f *testing.F) {
	for _, e := range Corpus()[:40] {
		f.Add(e.URL)
	}
	f.Fuzz(func(t *testing.T, argument string) {
		line := wgetEscapes(argument)
		if wgetEscapes(line) != line || strings.ContainsFunc(line, func(r rune) bool { return r <= ' ' || r >= 0x7F }) {
			t.Errorf("%q becomes %q", argument, line)
		}
		decodesTwice(line)
	})
}

// wget must be two parsers: it splits an argument and a line of a list differently.
func TestWgetReaders(t *testing.T) {
	if _, err := exec.LookPath("wget"); errors.Is(err, exec.ErrNotFound) {
		t.Skip("wget is not installed")
	}
	l := newLens(t)
	both := Programs(context.Background(), Options{Registry: l.registry, Only: true, With: map[string]string{"wget": "", "wget-i": ""}, Timeout: 5 * time.Minute})
	if len(both) != 2 {
		t.Fatalf("%d readers", len(both))
	}
	for _, c := range []struct{ url, argument, line string }{
		{"http://h.example/", "h.example", "h.example"},
		{`http://good.example:80\@evil.example/`, "evil.example", "refused"},
		{`http://good.example\@evil.example@x/`, "evil.example@x", `good.example\@evil.example@x`},
		{`https://good.example:\@evil.example`, "evil.example", "refused"},
		{"http://good.example @evil.example/", "evil.example", "good.example @evil.example"},
		{"http://127.0.0.1%2F.a.example/", "unseen", "127.0.0.1"},
	} {
		r := lookAt(t, New(l.registry, both...), c.url)
		for i, want := range []string{c.argument, c.line} {
			a := r.Results[i]
			got := value(a.Host)
			switch {
			case a.Failure != "":
				t.Fatal(a.Failure)
			case !a.OK:
				got = "refused"
			case slices.Contains(a.Unseen, "host"):
				got = "unseen"
			}
			if got != want {
				t.Errorf("%q: %s finds the host %q, want %q", c.url, a.Name, got, want)
			}
		}
	}
}
