package verify

import (
	"strings"

	"github.com/locus-url/locus/internal/generator"
	"github.com/locus-url/locus/internal/markup"
)

// markdownAnchors returns the fragments of a Markdown document as GitHub shows it:
// those of its headings, and the names in its HTML.
func markdownAnchors(source string) *anchors {
	a := &anchors{lenient: true}
	seen := map[string]int{}
	for _, heading := range markup.Headings(source) {
		a.add(generator.Numbered(seen, generator.GitHubID(heading), "-"))
		if plain, id := headingID(heading); id != "" {
			a.add(id)
			a.add(generator.GitHubID(plain))
		}
	}
	a.addHTML(source)
	a.sort()
	return a
}

// addHTML adds the names in the HTML of a Markdown document.
func (a *anchors) addHTML(source string) {
	for p := range markup.Markdown(source) {
		if p.Kind == markup.Tag || p.Kind == markup.HTMLBlock {
			a.scan(markup.HTML{Source: source[:p.End], Offset: p.Start}, nil)
		}
	}
}

// headingID splits a heading into its text and its own fragment, as many sites other than
// GitHub read it: "Text {#id .class}". id is empty if there is none.
func headingID(heading string) (plain, id string) {
	heading = strings.TrimSpace(heading)
	at := strings.LastIndex(heading, "{#")
	if at < 0 || !strings.HasSuffix(heading, "}") {
		return heading, ""
	}
	if fields := strings.Fields(heading[at+len("{#") : len(heading)-len("}")]); len(fields) > 0 {
		id = fields[0]
	}
	return heading[:at], id
}
