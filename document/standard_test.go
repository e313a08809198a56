package document

import (
	"strings"
	"testing"
)

// A text on standard input must be read as Markdown or HTML if it contains a link in that syntax.
func TestStandardInput(t *testing.T) {
	for text, want := range map[string]string{
		"[a](none.md)":                                  "text/markdown",
		"# Title\n\n![a](b.png \"title\")\n":            "text/markdown",
		"See [the page][1].\n\n[1]: a.md\n":             "text/markdown",
		"<p align=center><img src=a.png></p>\n\n[a](b)": "text/markdown",
		"<a href=none.html>":                            "text/html",
		"\n<!-- a --><A\nHREF=x>":                       "text/html",
		"<!doctype html><a href=x>":                     "text/html",
		"# Title\n\n- http://h.example/\n":              "text/plain",
		"```\nhttp://h.example/\n```\n":                 "text/plain",
		"<http://h.example/> [1] (a)\n":                 "text/plain",
		"<URL:http://h.example/>\nx href=y\n":           "text/plain",
		"[note]: \n[x]]: http://h.example/\n":           "text/plain",
		"call(a[0](), b)](x\nhttp://h.example/\n":       "text/plain",
		"": "",
	} {
		got := ""
		for l, err := range Links(strings.NewReader(text), "-", nil) {
			if err != nil {
				t.Fatal(err)
			}
			got = l.Type
		}
		if got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
	// A file whose name has no extension is plain text.
	for l := range Links(strings.NewReader("[a](b) http://h.example/"), "README", nil) {
		if l.Ref != "" {
			t.Errorf("%+v", l)
		}
	}
}

func FuzzStandardInput(f *testing.F) {
	for _, seed := range []string{"[a](b)", "[a]: b", "<a href=b>", "](", "[]:", "<", "<!"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if k := kindOfUnnamed(text); k != plain && k != markdown && k != html {
			t.Error(k)
		}
	})
}
