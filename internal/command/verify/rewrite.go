package verify

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/markup"
	"github.com/locus-url/locus/internal/octet"
)

// change describes a link in a document that gets another URL.
type change struct {
	line, column int64
	url          locus.URL // URL that verify opened for the link
	to           locus.URL
}

// edit replaces the text between the offsets start and end. The field number is the number of the
// link in the document.
type edit struct {
	change
	start, end int
	text       string
	number     int
}

// refusal is a change that the rewriter can't make.
type refusal struct {
	change
	why string
}

// rewriter replaces links in the text of a document.
type rewriter struct {
	name  string
	o     document.Options
	text  []byte
	links []document.Link
	edits []edit
	bad   []refusal
}

// rewrite returns the edits that make the given changes, in text order. It verifies the edits by
// reading the new text, in which only the changed links may differ.
func rewrite(text []byte, name string, o document.Options, changes []change) ([]edit, []refusal) {
	w := &rewriter{name: name, o: o, text: text}
	w.links = w.readLinks(text)
	for _, c := range changes {
		if e, why := w.newEdit(c); why != "" {
			w.bad = append(w.bad, refusal{c, why})
		} else if !slices.ContainsFunc(w.edits, func(other edit) bool { return other.start < e.end && e.start < other.end }) {
			w.edits = append(w.edits, e)
		}
	}
	slices.SortFunc(w.edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	w.removeBadEdits()
	return w.edits, w.bad
}

// readLinks returns the links in a text. If the text is binary, damaged or too large, it returns
// nil.
func (w *rewriter) readLinks(text []byte) (list []document.Link) {
	for l, err := range document.Links(bytes.NewReader(text), w.name, &w.o) {
		if err != nil {
			return nil
		}
		list = append(list, l)
	}
	return list
}

const (
	whyChanged = "the document has changed since it was read"
	whyForm    = "this link syntax can't be rewritten"
)

func (w *rewriter) newEdit(c change) (e edit, why string) {
	i := slices.IndexFunc(w.links, func(l document.Link) bool {
		return l.Line == c.line && l.Column == c.column && l.Member == "" && !l.URL.IsZero() && (l.URL == c.url || l.ASCII == c.url)
	})
	if i < 0 {
		return e, whyChanged
	}
	l := &w.links[i]
	start, end := int(l.Start), int(l.End)
	if start < 0 || end > len(w.text) || start >= end || l.Assumed || !l.Alternative.IsZero() {
		return e, whyForm
	}
	to := c.to.String()
	if !isPlain(to) {
		return e, "the new URL contains invalid characters"
	}
	written := string(w.text[start:end])
	n := notationOf(l)
	decoded := markup.Decode(written, n)
	text, ok := encode(to, n)
	if !ok || decoded.Text != l.URL.String() {
		// The text of the link is compressed, in another charset, or on several lines.
		return e, whyForm
	}
	return edit{c, start, end, text, i}, ""
}

// isPlain reports whether a URL contains only RFC 3986 characters, so that it has the same
// meaning in every document.
func isPlain(text string) bool {
	for i := range len(text) {
		if !octet.Is(text[i], octet.Alpha|octet.Digit) && strings.IndexByte("-._~:/?#[]@!$&'()*+,;=%", text[i]) < 0 {
			return false
		}
	}
	return true
}

// notationOf returns how a document encodes the characters in a link.
func notationOf(l *document.Link) markup.Notation {
	switch {
	case isStyle(l):
		return markup.CSSText
	case l.Form == extract.Attribute:
		return markup.HTMLValue
	case l.Type == "text/markdown":
		switch l.Form {
		case extract.Link, extract.Image, extract.Definition:
			return markup.MarkdownText
		}
	case l.Type == "text/html" || l.Type == "application/xhtml+xml" || l.Type == "image/svg+xml":
		return markup.HTMLText
	}
	return markup.Literal
}

// isStyle reports whether a link is in a style sheet or in a style attribute.
func isStyle(l *document.Link) bool {
	return l.Element == "style" || strings.HasSuffix(l.Element, " style") || l.Type == "text/css"
}

// encode encodes a URL in the notation n of a document. If the notation can't represent the URL,
// ok is false.
func encode(url string, n markup.Notation) (text string, ok bool) {
	switch n {
	case markup.HTMLText, markup.HTMLValue:
		return strings.NewReplacer("&", "&amp;", "'", "&#39;").Replace(url), true
	case markup.CSSText:
		// In a style attribute, these characters would have to be escaped twice.
		return url, !strings.ContainsAny(url, "'()&")
	case markup.MarkdownText:
		if decoded := markup.Decode(url, n); decoded.Changed() {
			url = strings.ReplaceAll(url, "&", "&amp;")
		}
		if !isBalanced(url) {
			url = strings.NewReplacer("(", `\(`, ")", `\)`).Replace(url)
		}
	}
	return url, true
}

// isBalanced reports whether all parentheses in text match.
func isBalanced(text string) bool {
	open := 0
	for _, r := range text {
		switch r {
		case '(':
			open++
		case ')':
			if open--; open < 0 {
				return false
			}
		}
	}
	return open == 0
}

func applyEdits(text []byte, edits []edit) []byte {
	var b bytes.Buffer
	from := 0
	for _, e := range edits {
		b.Write(text[from:e.start])
		b.WriteString(e.text)
		from = e.end
	}
	b.Write(text[from:])
	return b.Bytes()
}

// maxProofs is the maximum number of attempts to find edits that work. maxProofs limits the time
// that one document takes.
const maxProofs = 32

// removeBadEdits removes edits until the edited document contains the expected links.
func (w *rewriter) removeBadEdits() {
	for try := 0; len(w.edits) > 0; try++ {
		wrong := w.firstWrong()
		if wrong < 0 {
			return
		}
		// The most likely cause is the last edit that is not after the wrong link.
		n, _ := slices.BinarySearchFunc(w.edits, wrong, func(e edit, link int) int { return cmp.Compare(e.number, link+1) })
		n = max(n-1, 0)
		drop := w.edits[n : n+1]
		if try == maxProofs {
			drop = w.edits
		}
		for _, e := range drop {
			w.bad = append(w.bad, refusal{e.change, whyForm})
		}
		if try == maxProofs {
			w.edits = nil
			return
		}
		w.edits = slices.Delete(w.edits, n, n+1)
	}
}

// firstWrong applies the edits, and returns the number of the first link in the new text that is
// wrong. If all links are correct, firstWrong returns -1.
func (w *rewriter) firstWrong() int {
	now := w.readLinks(applyEdits(w.text, w.edits))
	next := 0
	for i, l := range w.links {
		if i >= len(now) {
			return i
		}
		want, got := l.URL.String(), now[i]
		if next < len(w.edits) && w.edits[next].number == i {
			want = w.edits[next].to.String()
			next++
		}
		if got.URL.String() != want || got.Ref != l.Ref || got.Base != l.Base || got.Form != l.Form || got.Element != l.Element {
			return i
		}
	}
	if len(now) > len(w.links) {
		return len(w.links) - 1
	}
	return -1
}
