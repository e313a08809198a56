package verify

import (
	"iter"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/markup"
	"github.com/locus-url/locus/verify/internal/generator"
)

// markdownAnchors returns the fragments that GitHub creates for a Markdown document. The fragments
// come from headings and from names in HTML. If withText is true, markdownAnchors also stores the
// document's text.
func markdownAnchors(source string, mdx, withText bool) *anchors {
	a := &anchors{lenient: true, lines: true}
	seen := map[string]int{}
	headings := markup.Headings
	if mdx {
		headings = markup.MDXHeadings
	}
	for _, heading := range headings(source) {
		a.add(generator.Numbered(seen, generator.GitHubID(heading), "-"))
		if plain, id := headingID(heading); id != "" {
			a.add(id)
			a.add(generator.GitHubID(plain))
		}
	}
	for _, heading := range htmlHeadings(source, mdx) {
		a.add(generator.Numbered(seen, generator.GitHubID(heading), "-"))
	}
	a.addPieces(source, mdx, withText)
	a.sort()
	return a
}

// maxHeading is the maximum size of an HTML heading. The limit is needed because the end tag may
// be missing.
const maxHeading = 1 << 10

// htmlHeadings returns the text of the HTML headings in a Markdown document. The text may be
// Markdown.
func htmlHeadings(source string, mdx bool) (list []string) {
	open, text := false, ""
	show := func(start, end int) {
		if open = open && len(text) < maxHeading; open {
			text += source[start:min(end, start+maxHeading)]
		}
	}
	for p := range piecesOf(source, mdx) {
		switch p.Kind {
		case markup.Prose, markup.LinkText, markup.Code:
			show(p.Start, p.End)
			continue
		case markup.HTMLBlock, markup.Tag:
		default:
			continue
		}
		h := markup.HTML{Source: source[:p.End], Offset: p.Start, JSX: mdx}
		for h.Next() {
			switch {
			case h.Kind == markup.Text:
				show(h.Start, h.End)
			case h.Kind == markup.StartTag && isHeading(h.Name):
				open, text = true, ""
			case h.Kind == markup.EndTag && open && isHeading(h.Name):
				list = append(list, strings.Join(strings.Fields(markup.Decode(text, markup.HTMLText).Text), " "))
				open = false
			}
		}
	}
	return list
}

// isHeading reports whether an element name is h1 to h6.
func isHeading(name string) bool {
	return len(name) == len("h1") && name[0]|0x20 == 'h' && name[1] >= '1' && name[1] <= '6'
}

func piecesOf(source string, mdx bool) iter.Seq[markup.Piece] {
	if mdx {
		return markup.MDX(source)
	}
	return markup.Markdown(source)
}

// isMDX reports whether the URL u has the file extension of an MDX document.
func isMDX(u locus.URL) bool {
	path, _ := u.Path()
	return strings.EqualFold(path[max(len(path)-len(".mdx"), 0):], ".mdx")
}

// addPieces adds the names in the HTML parts of a Markdown document. If withText is true,
// addPieces also stores the document's text.
func (a *anchors) addPieces(source string, mdx, withText bool) {
	var text *markdownText
	var into *folder
	if withText {
		text = newMarkdownText(source)
		into = &text.folder
	}
	for p := range piecesOf(source, mdx) {
		if withText {
			text.piece(p)
		}
		switch p.Kind {
		case markup.HTMLBlock:
			a.scan(markup.HTML{Source: source[:p.End], Offset: p.Start, JSX: mdx}, into)
		case markup.Tag:
			a.scan(markup.HTML{Source: source[:p.End], Offset: p.Start, JSX: mdx}, nil)
		}
	}
	if withText {
		a.text, a.words = text.String(), true
	}
}

// markdownText collects the visible text of a Markdown document in lower case.
type markdownText struct {
	folder
	source string
	last   markup.Piece
}

func newMarkdownText(source string) *markdownText {
	return &markdownText{folder: folder{words: true}, source: source}
}

// piece adds the visible text in p.
func (t *markdownText) piece(p markup.Piece) {
	if p.Start > t.last.End && strings.IndexByte(t.source[t.last.End:p.Start], '\n') >= 0 {
		t.space()
	}
	isTitle := false
	switch t.last.Kind {
	case markup.Link, markup.External, markup.Image, markup.Definition:
		isTitle = p.Kind == markup.LinkText && p.Start == t.last.End
	}
	switch p.Kind {
	case markup.Prose, markup.LinkText, markup.Code, markup.Autolink, markup.Address:
		if !isTitle {
			t.add(markup.Decode(t.source[p.Start:p.End], markup.MarkdownText).Text)
		}
	}
	t.last = p
}

// headingID splits a heading such as "Text {#id .class}" into its text and its fragment. Many
// sites, but not GitHub, support this syntax. The result id is empty if the heading does not
// specify a fragment.
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
