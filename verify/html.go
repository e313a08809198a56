package verify

import (
	"hash/maphash"
	"slices"
	"strings"
	"unicode"

	"github.com/locus-url/locus/internal/markup"
)

// anchors holds the fragments in a document as sorted hashes, to save memory.
type anchors struct {
	names []uint64
	// lenient means that fragments are not case-sensitive, as on sites that render Markdown.
	lenient bool
	// lines means that the line numbers of the document are fragments.
	lines bool
	// acceptsAll means that any fragment may exist, because a refresh loads another page or a part
	// of the page is unknown.
	acceptsAll bool
	refresh    refresh
	// built reports whether a build of the site may create a fragment. If built is nil, builds
	// create no fragments.
	built func(fragment string) bool
	text  string // the page's text in lower case; empty if no search needs it
	words bool   // text contains only letters, digits and spaces, without Markdown punctuation

	templated []uint64 // names in template elements, whose content scripts may insert

	// If a script creates the content of a page, the page has almost no visible text and no links.
	scripts, visibleLength, links int
}

// seed is the seed of all hashes of fragments.
var seed = maphash.MakeSeed()

const maxAnchors = 1 << 20

func (a *anchors) add(name string) { a.addTo(&a.names, name) }

func (a *anchors) addTo(list *[]uint64, name string) {
	if name != "" && len(*list) < maxAnchors {
		if a.lenient {
			name = strings.ToLower(name)
		}
		*list = append(*list, maphash.String(seed, name))
	}
}

func (a *anchors) sort() {
	if a.scripts > 0 {
		a.names = append(a.names, a.templated...)
	}
	a.templated = nil
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

// htmlAnchors returns the fragments in a page: the values of "id" attributes, and of "name"
// attributes in "a" elements (HTML 7.4.6.4, "the indicated part of the document"). If withText is
// true, htmlAnchors also stores the page's text.
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

// scan adds the names in the HTML document. If text is not nil, scan adds the visible text to it.
func (a *anchors) scan(h markup.HTML, text *folder) {
	hidden := "" // name of the open element that contains no visible text, or ""
	for h.Begin() {
		element := strings.ToLower(h.Name)
		switch h.Kind {
		case markup.Text:
			if hidden == "" && !invisibleElements[element] {
				a.addVisible(h.Source[h.Start:h.End])
			}
			if text != nil && hidden == "" && !invisibleElements[element] {
				decoded := markup.Decode(h.Source[h.Start:h.End], markup.HTMLText)
				text.add(decoded.Text)
			}
		case markup.Verbatim:
			if hidden == "" {
				a.addVisible(h.Source[h.Start:h.End])
				if text != nil {
					text.add(h.Source[h.Start:h.End])
				}
			}
		case markup.StartTag:
			a.addTag(&h, element, hidden)
			if hidden == "" && invisibleElements[element] && !(h.XML && strings.HasSuffix(h.Source[:h.End], "/>")) {
				hidden = element
			}
		case markup.EndTag:
			if element == hidden {
				hidden = ""
			}
		}
		if text != nil && (h.Kind == markup.StartTag || h.Kind == markup.EndTag) && !inlineElements[element] {
			text.space()
		}
	}
}

// addTag adds the names in a start tag. The parameter hidden is the name of the enclosing element
// without visible text, or "". The content of a template element is not part of the document (HTML
// 4.12.3). If an attribute is repeated, addTag uses the first value (HTML 13.2.5.33).
func (a *anchors) addTag(h *markup.HTML, element, hidden string) {
	list := &a.names
	if hidden == "template" {
		list = &a.templated
	}
	hasID, hasName := false, element != "a"
	for attribute, ok := h.Attribute(); ok; attribute, ok = h.Attribute() {
		isID, isName := markup.SameName(attribute.Name, "id"), markup.SameName(attribute.Name, "name")
		if isID && !hasID || isName && !hasName {
			value := markup.Decode(h.Source[attribute.Start:attribute.End], markup.HTMLValue)
			a.addTo(list, value.Text)
		}
		hasID, hasName = hasID || isID, hasName || isName
	}
	switch element {
	case "script":
		a.scripts++
	case "a", "img", "area", "iframe", "frame", "form":
		a.links++
	}
	switch {
	case element == "base" && hidden == "" && a.refresh.base == "":
		a.refresh.base = strings.Clone(trimSpace(h.Value("href")))
	case element == "meta" && markup.SameName(h.Value("http-equiv"), "refresh"):
		content := h.Value("content")
		a.acceptsAll = a.acceptsAll || strings.Contains(content, "=")
		if hidden == "" && a.refresh.text == "" {
			a.refresh.text = strings.Clone(content)
		}
	}
}

// maxShell is the maximum size of the text (such as "Loading...") in a page whose content scripts
// create.
const maxShell = 32

// addVisible adds the length of a visible text to the total.
func (a *anchors) addVisible(text string) {
	if a.visibleLength <= maxShell {
		a.visibleLength += len(strings.TrimSpace(text))
	}
}

// isScripted reports whether a page is empty until its scripts run.
func (a *anchors) isScripted() bool {
	return a.scripts > 0 && a.links == 0 && a.visibleLength <= maxShell
}

// invisibleElements lists the elements whose text is not visible.
var invisibleElements = map[string]bool{"script": true, "style": true, "template": true, "title": true, "noscript": true}

// inlineElements lists the elements that may occur inside a word.
var inlineElements = map[string]bool{
	"a": true, "abbr": true, "b": true, "bdi": true, "bdo": true, "cite": true, "code": true, "del": true, "dfn": true, "em": true,
	"font": true, "i": true, "ins": true, "kbd": true, "mark": true, "q": true, "s": true, "samp": true, "small": true, "span": true,
	"strong": true, "sub": true, "sup": true, "time": true, "tt": true, "u": true, "var": true, "wbr": true,
}

// folder joins pieces of text in lower case. It replaces each run of white space by one space.
type folder struct {
	strings.Builder
	blank bool // add a space before the next piece
	words bool // remove all characters except letters and digits
}

func (f *folder) space() { f.blank = f.Len() > 0 }

func (f *folder) add(piece string) {
	for _, r := range piece {
		if unicode.IsSpace(r) {
			f.space()
			continue
		}
		if f.words && !unicode.In(r, unicode.L, unicode.M, unicode.N) {
			continue
		}
		if f.blank {
			f.WriteByte(' ')
			f.blank = false
		}
		f.WriteRune(unicode.ToLower(r))
	}
}

// foldText converts text to the form of the page's text, so that the two can be compared.
func (a *anchors) foldText(text string) string {
	f := folder{words: a.words}
	f.add(text)
	return f.String()
}
