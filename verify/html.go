package verify

import (
	"hash/maphash"
	"slices"
	"strings"
	"unicode"

	"github.com/locus-url/locus/document/markup"
)

// anchors are the fragments that a document has: the hashes of their names, in
// order, which is little for a page that has many.
type anchors struct {
	names []uint64
	// lenient: names that differ in case alone are the same, as where pages of
	// Markdown are shown.
	lenient bool
	// leads: the page leads on to another, and with it its fragments, which nobody
	// looks up.
	leads bool
	text  string // what people read, folded; empty: not kept
}

// seed is of the hashes of this process.
var seed = maphash.MakeSeed()

// maxAnchors is how many names are kept of one document.
const maxAnchors = 1 << 20

func (a *anchors) add(name string) {
	if name != "" && len(a.names) < maxAnchors {
		if a.lenient {
			name = strings.ToLower(name)
		}
		a.names = append(a.names, maphash.String(seed, name))
	}
}

func (a *anchors) sort() {
	slices.Sort(a.names)
	a.names = slices.Clip(slices.Compact(a.names))
}

func (a *anchors) has(name string) bool {
	if a.lenient {
		name = strings.ToLower(name)
	}
	_, ok := slices.BinarySearch(a.names, maphash.String(seed, name))
	return ok
}

// htmlAnchors returns the fragments of a page: what "id" names, and "name" of "a"
// (HTML 7.4.6.4, "the indicated part of the document"). withText keeps its text.
func htmlAnchors(page string, withText bool) *anchors {
	a := new(anchors)
	var text *folder
	if withText {
		text = new(folder)
	}
	a.scan(markup.HTML{Source: page, XML: markup.IsXML(page)}, text)
	if text != nil {
		a.text = text.String()
	}
	a.sort()
	return a
}

// scan adds the names in HTML, and its text if text is not nil.
func (a *anchors) scan(h markup.HTML, text *folder) {
	hidden := "" // the element that is open whose text people do not read
	for {
		t, ok := h.Next()
		if !ok {
			return
		}
		element := strings.ToLower(t.Name)
		switch t.Kind {
		case markup.Text:
			if text != nil && hidden == "" && !unread[element] {
				decoded := markup.Decode(h.Source[t.Start:t.End], markup.HTMLText)
				text.add(decoded.Text)
			}
		case markup.Verbatim:
			if text != nil && hidden == "" {
				text.add(h.Source[t.Start:t.End])
			}
		case markup.StartTag:
			a.tag(h.Source, t, element)
			if hidden == "" && unread[element] && !(h.XML && strings.HasSuffix(h.Source[:t.End], "/>")) {
				hidden = element
			}
		case markup.EndTag:
			if element == hidden {
				hidden = ""
			}
		}
		if text != nil && (t.Kind == markup.StartTag || t.Kind == markup.EndTag) && !inline[element] {
			text.space()
		}
	}
}

// tag adds the names that a start tag has.
func (a *anchors) tag(source string, t markup.Token, element string) {
	for attribute := range t.Attributes(source) {
		if markup.SameName(attribute.Name, "id") || element == "a" && markup.SameName(attribute.Name, "name") {
			value := markup.Decode(source[attribute.Start:attribute.End], markup.HTMLValue)
			a.add(value.Text)
		}
	}
	if element == "meta" {
		refresh, _ := t.Value(source, "http-equiv")
		content, _ := t.Value(source, "content")
		a.leads = a.leads || markup.SameName(refresh, "refresh") && strings.Contains(content, "=")
	}
}

// unread are the elements whose text people do not read.
var unread = map[string]bool{"script": true, "style": true, "template": true, "title": true, "noscript": true}

// inline are the elements in which a word may continue.
var inline = map[string]bool{
	"a": true, "abbr": true, "b": true, "bdi": true, "bdo": true, "cite": true, "code": true, "del": true, "dfn": true, "em": true,
	"font": true, "i": true, "ins": true, "kbd": true, "mark": true, "q": true, "s": true, "samp": true, "small": true, "span": true,
	"strong": true, "sub": true, "sup": true, "time": true, "tt": true, "u": true, "var": true, "wbr": true,
}

// folder makes one text of pieces, with one blank for any run of white space, and
// without capitals.
type folder struct {
	strings.Builder
	blank bool // the text goes on behind a blank
}

func (f *folder) space() { f.blank = f.Len() > 0 }

func (f *folder) add(piece string) {
	for _, r := range piece {
		if unicode.IsSpace(r) {
			f.space()
			continue
		}
		if f.blank {
			f.WriteByte(' ')
			f.blank = false
		}
		f.WriteRune(unicode.ToLower(r))
	}
}

// folded is text as a folder makes it.
func folded(text string) string {
	var f folder
	f.add(text)
	return f.String()
}
