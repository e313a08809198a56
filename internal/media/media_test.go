package media

import (
	"mime"
	"strings"
	"testing"
)

func TestByName(t *testing.T) {
	for name, want := range map[string]string{
		"note12345.txt":       "text/plain",
		"a/b/INDEX.HTML":      "text/html",
		"x.tar.gz":            "application/gzip",
		"README":              "",
		".profile":            "",
		".config.json":        "application/json",
		"trailing.":           "",
		"a.txt/b":             "",
		"":                    "",
		"x.unheard-of-suffix": "",
		"x.txt\x00":           "",
	} {
		if got := ByName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestByNameHasNoParameters(t *testing.T) {
	// Package mime adds a charset to these types, but a name does not show the charset.
	for _, name := range []string{"a.html", "a.css", "a.js", "a.shtml"} {
		if got := ByName(name); strings.Contains(got, ";") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestTable(t *testing.T) {
	for extension, want := range byExtension {
		got, parameters, err := mime.ParseMediaType(want)
		if err != nil || got != want || len(parameters) != 0 || extension != strings.ToLower(extension) || extension[0] != '.' {
			t.Errorf("%s: %q: %v", extension, want, err)
		}
	}
}

func TestGuess(t *testing.T) {
	const png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	for _, c := range []struct{ name, head, want string }{
		{"a.asc", "= Title\n", "text/asciidoc; charset=utf-8"},
		{"a.asc", "-----BEGIN PGP SIGNATURE-----\n", "text/plain; charset=utf-8"},
		{"a.txt", "plain\n", "text/plain; charset=utf-8"},
		{"a.txt", "caf\xe9 au lait\n", "text/plain; charset=iso-8859-1"},
		{"a.txt", "", "text/plain"},
		{"a.txt", png, "text/plain"},
		{"a.png", "no picture", "image/png"},
		{"picture", png, "image/png"},
		{"README", "words\n", "text/plain; charset=utf-8"},
		{"page", "<!DOCTYPE html><html></html>", "text/html; charset=utf-8"},
		{"data", "\x00\x01\x02\xff\xfe\x00", "application/octet-stream"},
		{"long", strings.Repeat("a", 2*Head) + "\x00", "text/plain; charset=utf-8"},
	} {
		if got := Guess(c.name, []byte(c.head)); got != c.want {
			t.Errorf("%q %.20q: %q, want %q", c.name, c.head, got, c.want)
		}
	}
	if got := Guess("nothing", nil); got == "" {
		t.Error("nothing is known, and nothing is said")
	}
}

func FuzzGuess(f *testing.F) {
	f.Add("a.txt", []byte("x"))
	f.Fuzz(func(t *testing.T, name string, head []byte) {
		if got := Guess(name, head); !strings.Contains(got, "/") {
			t.Errorf("%q: %q", name, got)
		}
	})
}
