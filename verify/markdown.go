package verify

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdownAnchors returns the fragments of a Markdown document as GitHub shows it:
// those of its headings, and the names in its HTML.
func markdownAnchors(source []byte) *anchors {
	a := &anchors{lenient: true}
	seen := map[string]int{}
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	// The walker never fails.
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			heading := plainText(n, source)
			a.add(unique(seen, slug(heading)))
			if plain, id := headingID(heading); id != "" {
				a.add(id)
				a.add(slug(plain))
			}
		case *ast.RawHTML:
			a.scan(segments(n.Segments, source), nil)
		case *ast.HTMLBlock:
			block := segments(n.Lines(), source)
			if n.HasClosure() {
				block = append(block, n.ClosureLine.Value(source)...)
			}
			a.scan(block, nil)
		}
		return ast.WalkContinue, nil
	})
	a.sort()
	return a
}

func segments(list *text.Segments, source []byte) (joined []byte) {
	for i := range list.Len() {
		s := list.At(i)
		joined = append(joined, s.Value(source)...)
	}
	return joined
}

// plainText is what people read of a node: no markup, no HTML, no images.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Image:
			return ast.WalkSkipChildren, nil
		case *ast.AutoLink:
			b.Write(n.Label(source))
		case *ast.String:
			b.Write(n.Value)
		case *ast.Text:
			octets := n.Segment.Value(source)
			if _, code := n.Parent().(*ast.CodeSpan); !code {
				octets = util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(octets)))
			}
			b.Write(octets)
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// headingID divides a heading into its text and the fragment that it gives itself, as
// many others than GitHub read it: "Text {#id .class}". id is empty if there is none.
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

// slug is the fragment that GitHub makes of a heading: no capitals, nothing but
// letters, marks, digits, "_", "-" and blanks, which become "-".
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.Pc):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(heading))
}

// unique is name, with a number behind it if a heading before had the same.
func unique(seen map[string]int, name string) string {
	result := name
	for {
		n, taken := seen[result]
		if !taken {
			seen[result] = 0
			return result
		}
		_ = n
		seen[name]++
		result = name + "-" + strconv.Itoa(seen[name])
	}
}
