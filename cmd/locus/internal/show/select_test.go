package show

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
	"github.com/locus-url/locus/scheme"
)

func TestItemRange(t *testing.T) {
	for text, want := range map[string]scheme.ItemRange{
		"100-200":             {First: 100, Last: 200},
		"100-":                {First: 100},
		"-200":                {Last: 200},
		"150":                 {First: 150, Last: 150},
		"7-7":                 {First: 7, Last: 7},
		"newest:50":           {Newest: 50},
		"9223372036854775807": {First: 1<<63 - 1, Last: 1<<63 - 1},
	} {
		var r itemRange
		if err := r.Set(text); err != nil || r.ItemRange != want || !r.given || r.String() != text {
			t.Errorf("%q: %+v, %v, want no error, r.ItemRange %+v and r %q", text, r, err, want, text)
		}
	}
	for _, text := range []string{
		"", "-", "--", "0", "0-1", "1-0", "2-1", "-0", "1--2", "1-2-3", "+1", "1-+2", " 1", "1 - 2", "a", "1-b",
		"newest:", "newest:0", "newest:-1", "newest:1-2", "newest", "oldest:1", "9223372036854775808",
	} {
		var r itemRange
		if err := r.Set(text); err == nil {
			t.Errorf("%q: %+v, want an error", text, r.ItemRange)
		}
	}
}

func FuzzItemRange(f *testing.F) {
	for _, seed := range []string{"100-200", "100-", "-200", "newest:50", "1-2-3", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var r itemRange
		err := r.Set(text)
		switch {
		case err != nil:
		case r.First < 0, r.Last < 0, r.Newest < 0, r.ItemRange == scheme.ItemRange{}:
			t.Errorf("%q: %+v", text, r.ItemRange)
		case r.Last > 0 && r.First > r.Last, r.Newest > 0 && r.First+r.Last > 0:
			t.Errorf("%q: %+v", text, r.ItemRange)
		}
	})
}

func TestMessageURL(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	here := func(name string) string { return "file://" + filepath.ToSlash(dir) + "/" + name }
	a := base.New(t.Context(), strings.NewReader(""), io.Discard, io.Discard, clitest.NoEnv)
	var err error
	if a.Registry, err = a.NewRegistry(); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"mid:a@h":           "mid:a@h",
		"<URL:news:a@h>":    "news:a@h",
		"nntp://h/g/1":      "nntp://h/g/1",
		"file:///x.eml":     "file:///x.eml",
		"/x.eml":            "file:///x.eml",
		"x.eml":             here("x.eml"),
		"./mid:a@h":         here("mid:a@h"),
		"no-scheme:x.eml":   here("no-scheme:x.eml"),
		"a b/../c%41?#\xff": here("c%2541%3F%23%FF"),
	} {
		if u, err := messageURL(a, text); err != nil || u.String() != want {
			t.Errorf("%q: %s, %v, want %s", text, u, err, want)
		}
	}
	for _, text := range []string{"http://h/", "cid:a@h", "mailto:a@h", "ftp://u:s3cret@h/x"} {
		if u, err := messageURL(a, text); err == nil {
			t.Errorf("%q: %s, want an error", text, u)
		}
	}
}
