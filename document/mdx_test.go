package document_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/document"
)

// The name of a document selects MDX, which supports comments, modules and components.
func TestMDXDocument(t *testing.T) {
	const text = "import A from './a'\n\nexport const b = \"http://h/b\"\n\n{/* [c](d) http://h/e */} <Card href=\"f\"/> <button href=g> http://h/i\n"
	for name, want := range map[string][]string{
		"a.mdx": {"f", "http://h/i"}, "A.MDX": {"f", "http://h/i"}, "a.md": {"http://h/b", "d", "http://h/e", "http://h/i"},
	} {
		var got []string
		for l, err := range document.Links(strings.NewReader(text), name, nil) {
			if err != nil || l.Type != "text/markdown" {
				t.Error(l.Type, err)
			}
			got = append(got, l.Ref+l.URL.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// An expression is not a link, and ends at its closing brace.
func TestMDXExpressions(t *testing.T) {
	const text = "<Card href={x} onClick={() => y({})} src=\"b\" {...c}>\n\n[d](e) <Card href={`http://h/${z}`} src='f'/>\n\n<Card\n  href=\"g\"\n>\n  http://h/i\n</Card>\n"
	var got []string
	for l := range document.Links(strings.NewReader(text), "a.mdx", nil) {
		got = append(got, l.Ref+l.URL.String())
	}
	if want := []string{"b", "e", "f", "g", "http://h/i"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
