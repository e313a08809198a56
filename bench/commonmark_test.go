package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"golang.org/x/net/html"

	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/extract"
)

// example is an element of the goldmark file spec.json, which contains a CommonMark example and
// its HTML.
type example struct {
	Markdown, HTML, Section string
	Example                 int
}

// readExamples reads the CommonMark examples that are part of goldmark.
func readExamples(t *testing.T) (list []example) {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yuin/goldmark").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "_test", "spec.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// destinations returns the destinations of the links and images in an HTML text.
func destinations(t *testing.T, text string) (list []string) {
	t.Helper()
	node, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for n := range node.Descendants() {
		for _, a := range n.Attr {
			if n.Data == "a" && a.Key == "href" || n.Data == "img" && a.Key == "src" {
				list = append(list, decoded(a.Val))
			}
		}
	}
	return list
}

// decoded returns a destination without its escapes, because the HTML contains more escapes than
// the Markdown text.
func decoded(text string) string {
	octets, err := escape.Decode(text)
	if err != nil {
		return text
	}
	return strings.ReplaceAll(octets, "\n", "") // as in the URL Standard
}

// extra maps the examples in which package document finds a link that the HTML does not contain to
// the reason.
var extra = map[int]string{
	520: "a link in the text of an image",
	574: "a link in the text of an image",
	575: "a link in the text of an image",
	608: "a URL in brackets with blanks, as RFC 1738 wraps it",
}

// compareLinks compares the links that package document finds in a Markdown text with the links in
// its HTML. The package must find every destination, and otherwise only definitions and URLs in
// the text. If mayAdd is true, it may find other links.
func compareLinks(t *testing.T, name, markdown, rendered string, mayAdd bool) {
	t.Helper()
	want := destinations(t, rendered)
	var got []string
	for l := range document.Markdown(markdown, &document.Options{NoCode: true}) {
		ref := l.Ref
		if ref == "" {
			ref = l.URL.String()
		}
		got = append(got, decoded(ref))
		if !mayAdd && !slices.Contains(want, decoded(ref)) && l.Form != extract.Bare && l.Form != extract.Definition && l.Form != extract.Attribute {
			t.Errorf("%s: %.500q has no link %q", name, markdown, ref)
		}
	}
	for _, ref := range want {
		if ref != "" && !slices.Contains(got, ref) {
			t.Errorf("%s: %.500q has a link %q, found %.500q", name, markdown, ref, got)
		}
	}
}

// TestCommonMark compares the links in each CommonMark example with the links in its HTML.
func TestCommonMark(t *testing.T) {
	examples := readExamples(t)
	if len(examples) < 652 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, e := range examples {
		compareLinks(t, fmt.Sprintf("example %d, %s", e.Example, e.Section), e.Markdown, e.HTML, extra[e.Example] != "")
	}
}

// TestGoldmark compares the links in the documents of this project with the links in the HTML that
// goldmark creates from them.
func TestGoldmark(t *testing.T) {
	names, err := filepath.Glob("../docs/*.md")
	if err != nil || len(names) < 10 {
		t.Fatalf("%d documents, %v", len(names), err)
	}
	more, err := filepath.Glob("../docs/dev/*.md")
	if err != nil || len(more) < 2 {
		t.Fatalf("%d documents, %v", len(more), err)
	}
	for _, name := range append(append(names, more...), "../README.md", "../CHANGELOG.md", "../CONTRIBUTING.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert(text, &b); err != nil {
			t.Fatal(err)
		}
		compareLinks(t, name, string(text), b.String(), false)
	}
}
