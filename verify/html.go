package verify

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
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
func htmlAnchors(page []byte, withText bool) *anchors {
	a := new(anchors)
	var text *folder
	if withText {
		text = new(folder)
	}
	a.scan(page, text)
	if text != nil {
		a.text = text.String()
	}
	a.sort()
	return a
}

// scan adds the names in page, and its text if text is not nil.
func (a *anchors) scan(page []byte, text *folder) {
	z := html.NewTokenizer(bytes.NewReader(page))
	// What says that it is XML may have "<script/>", which is all of that element.
	xml := bytes.HasPrefix(bytes.TrimLeft(page, "\uFEFF \t\r\n"), []byte("<?xml"))
	for hidden := atom.Atom(0); ; {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return
		case html.TextToken:
			if text != nil && hidden == 0 {
				text.add(string(z.Text()))
			}
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			name, more := z.TagName()
			element := atom.Lookup(name)
			if kind == html.SelfClosingTagToken && xml {
				z.NextIsNotRawText()
			} else if kind == html.EndTagToken {
				if element == hidden {
					hidden = 0
				}
			} else if isUnread(element) && hidden == 0 {
				hidden = element
			}
			if text != nil && !isInline(element) {
				text.space()
			}
			refreshes, leads := false, false
			for more && kind != html.EndTagToken {
				var key, value []byte
				key, value, more = z.TagAttr()
				switch {
				case string(key) == "id", string(key) == "name" && element == atom.A:
					a.add(string(value))
				case element != atom.Meta:
				case string(key) == "http-equiv":
					refreshes = strings.EqualFold(string(value), "refresh")
				case string(key) == "content":
					leads = bytes.IndexByte(value, '=') >= 0
				}
			}
			a.leads = a.leads || refreshes && leads
		}
	}
}

// isUnread reports whether the text of an element is none that people read.
func isUnread(element atom.Atom) bool {
	switch element {
	case atom.Script, atom.Style, atom.Template, atom.Title, atom.Noscript:
		return true
	}
	return false
}

// isInline reports whether a word may go on from before an element into it.
func isInline(element atom.Atom) bool {
	switch element {
	case atom.A, atom.Abbr, atom.B, atom.Bdi, atom.Bdo, atom.Cite, atom.Code, atom.Del, atom.Dfn, atom.Em, atom.Font, atom.I, atom.Ins,
		atom.Kbd, atom.Mark, atom.Q, atom.S, atom.Samp, atom.Small, atom.Span, atom.Strong, atom.Sub, atom.Sup, atom.Time, atom.Tt,
		atom.U, atom.Var, atom.Wbr:
		return true
	}
	return false
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
