package page

import (
	"bytes"
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// maxFormats is the maximum number of open formatting elements.
	maxFormats = 64
	// repeatedPerToken is the number of formatting elements that may be repeated for each token of
	// a document. maxRepeated is the maximum for the whole document.
	repeatedPerToken = 4
	maxRepeated      = 200_000
	// repeatedBytes limits the total length of the repeated tags. For a longer document, the limit
	// is the length of the document.
	repeatedBytes = 64 << 10
)

// format is a formatting element that a document has opened.
type format struct {
	name string
	tag  []byte // tag in the document's own spelling
}

// formats rewrites a document so that formatting elements are closed before other tags, and opened
// again before the next text. In HTML, a formatting element continues in the next paragraph. So a
// parser repeats all open formatting elements in every paragraph and cell. Without limits for the
// repetitions, a short document could produce a tree of any size.
type formats struct {
	out      bytes.Buffer
	open     []format // elements that are open in the document
	shown    int      // number of elements in open that are also open in out
	tokens   int
	nodes    int // number of repeated elements
	bytes    int // total length of the repeated tags
	maxBytes int // limit for the field bytes
}

// boundFormatting rewrites sanitized HTML so that a parser makes at most a few nodes per
// token. If a limit is reached, the result loses formatting, but no text.
func boundFormatting(r *bytes.Buffer) *bytes.Buffer {
	f := &formats{maxBytes: max(r.Len(), repeatedBytes)}
	tokens := html.NewTokenizer(r)
	for tokens.Next() != html.ErrorToken {
		f.tokens++
		raw := bytes.Clone(tokens.Raw()) // Token changes the raw bytes
		f.token(tokens.Token(), raw)
	}
	f.closeShown(0)
	return &f.out
}

func (f *formats) token(t html.Token, raw []byte) {
	if t.Type == html.SelfClosingTagToken {
		t.Type = html.StartTagToken // "<b/>" also opens an element
	}
	formatting := isFormatting(t.DataAtom)
	switch {
	case t.Type == html.TextToken:
		if len(bytes.TrimSpace(raw)) > 0 {
			f.reopen()
		}
	case t.Type == html.StartTagToken && formatting:
		f.openElement(t, raw)
		return
	case t.Type == html.EndTagToken && formatting:
		f.closeElement(t.Data)
		return
	case t.DataAtom == atom.Br, t.DataAtom == atom.Wbr, t.DataAtom == atom.Img:
		f.reopen()
	case t.Type == html.StartTagToken, t.Type == html.EndTagToken:
		f.closeShown(0)
	}
	f.out.Write(raw)
}

// isFormatting reports whether an element is a formatting element (HTML 13.2.4.3). If a paragraph
// ends before such an element is closed, the element continues in the next paragraph.
func isFormatting(a atom.Atom) bool {
	switch a {
	case atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small, atom.Strike, atom.Strong, atom.Tt, atom.U:
		return true
	}
	return false
}

// openElement opens a formatting element. The start of a link ends the previous link.
func (f *formats) openElement(t html.Token, raw []byte) {
	if t.DataAtom == atom.A {
		f.closeElement(t.Data)
	}
	if len(f.open) == maxFormats {
		return
	}
	f.reopen()
	if f.shown == len(f.open) {
		f.shown++
		f.out.Write(raw)
	}
	f.open = append(f.open, format{t.Data, repeatableTag(t)})
}

// repeatableTag returns the start tag without the attributes that must be unique in a
// document.
func repeatableTag(t html.Token) []byte {
	t.Attr = slices.DeleteFunc(slices.Clone(t.Attr), func(a html.Attribute) bool { return a.Key == "id" || a.Key == "name" })
	return []byte(t.String())
}

// closeElement closes the last open formatting element with the given name. If there is no
// such element, the method does nothing.
func (f *formats) closeElement(name string) {
	for i, each := range slices.Backward(f.open) {
		if each.name == name {
			f.closeShown(i)
			f.open = slices.Delete(f.open, i, i+1)
			return
		}
	}
}

// closeShown closes all elements that are open in the output, except the first n.
func (f *formats) closeShown(n int) {
	for ; f.shown > n; f.shown-- {
		f.out.WriteString("</" + f.open[f.shown-1].name + ">")
	}
}

// reopen opens the closed elements again if the limits allow this.
func (f *formats) reopen() {
	for ; f.shown < len(f.open); f.shown++ {
		tag := f.open[f.shown].tag
		if f.nodes >= min(repeatedPerToken*f.tokens, maxRepeated) || f.bytes+len(tag) > f.maxBytes {
			return
		}
		f.nodes++
		f.bytes += len(tag)
		f.out.Write(tag)
	}
}
