package document_test

import (
	"strings"
	"testing"

	"github.com/locus-url/locus/document"
)

// A bare URL before a placeholder is the beginning of a template and not a link.
func TestPlaceholders(t *testing.T) {
	o := &document.Options{Templates: true}
	testRows(t, document.Markdown, o, []row{
		{"see https://h.example/users/<id> or https://h.example/<b>x</b>", wantLines(`template https://h.example/users/<id> as "https://h.example/users/"`, "bare https://h.example/")},
		{"https://h.example/<user name>/x.", wantLines(`template https://h.example/<user name>/x. as "https://h.example/"`)},
		{"https://h.example/a<var>b</var> https://h.example/<br>", wantLines(`template https://h.example/a<var>b</var> as "https://h.example/a"`, "bare https://h.example/")},
	})
	testRows(t, document.HTML, o, []row{
		{"<p>https://h.example/<id> https://h.example/<?php x ?> https://h.example/<o:p></o:p> https://h.example/</p>",
			wantLines(`template https://h.example/<id> as "https://h.example/"`, `template https://h.example/<?php x ?> as "https://h.example/"`, "bare https://h.example/", "bare https://h.example/")},
	})
	for _, text := range []string{
		"https://h.example/v{{ version }}/x", "https://h.example/{x y", "https://h.example/$(uname -r)/x", "https://h.example/...", "https://h.example/…",
		"https://h.example/{% url %}", "https://h.example/<id>", "[x](https://h.example/v{{ version }}/x)", "https://h.example/&lt;id&gt;/x", "https://h.example/v{{ a }}{{ http://i.example/ }}",
	} {
		for _, find := range []finder{document.Markdown, document.HTML} {
			for l := range find(text, nil) {
				if strings.HasPrefix(l.URL.String(), "https://h.example") {
					t.Errorf("%q: %v", text, l.URL)
				}
			}
			for l := range find(text, o) {
				if !l.URL.IsZero() && strings.HasPrefix(l.URL.String(), "https://h.example") {
					t.Errorf("%q: %v", text, l.URL)
				}
			}
		}
	}
}
