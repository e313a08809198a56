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
	// repeatedPerToken is how many formatting elements may be repeated per token of a
	// document. maxRepeated is the maximum for the document.
	repeatedPerToken = 4
	maxRepeated      = 200_000
	// repeatedBytes is the budget for the total length of repeated tags. A longer document
	// has a budget of its own length.
	repeatedBytes = 64 << 10
)

// format is a formatting element that a document has opened.
type format struct {
	name string
	tag  []byte // as written in the document
}

// formats closes formatting elements before other tags, and opens them again before the
// next text. In HTML, a formatting element continues in the next paragraph, so a parser
// repeats all open ones in every paragraph and cell. Without a budget for repetitions, a
// short document could produce a tree of any size.
type formats struct {
	out    bytes.Buffer
	open   []format // open elements of the document
	shown  int      // number of them that are open in out
	tokens int
	nodes  int // repeated elements
	bytes  int // total length of their tags
	most   int // limit of bytes
}

// bounded rewrites sanitized HTML so that a parser makes at most a few nodes per token.
// When the budget is exhausted, formatting is lost, but no text.
func bounded(r *bytes.Buffer) *bytes.Buffer {
	f := &formats{most: max(r.Len(), repeatedBytes)}
	tokens := html.NewTokenizer(r)
	for tokens.Next() != html.ErrorToken {
		f.tokens++
		raw := bytes.Clone(tokens.Raw()) // Token changes it
		f.token(tokens.Token(), raw)
	}
	f.close(0)
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
			f.show()
		}
	case t.Type == html.StartTagToken && formatting:
		f.start(t, raw)
		return
	case t.Type == html.EndTagToken && formatting:
		f.end(t.Data)
		return
	case t.DataAtom == atom.Br, t.DataAtom == atom.Wbr, t.DataAtom == atom.Img:
		f.show()
	case t.Type == html.StartTagToken, t.Type == html.EndTagToken:
		f.close(0)
	}
	f.out.Write(raw)
}

// isFormatting reports whether HTML continues an element in the next paragraph (HTML
// 13.2.4.3, "formatting").
func isFormatting(a atom.Atom) bool {
	switch a {
	case atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small, atom.Strike, atom.Strong, atom.Tt, atom.U:
		return true
	}
	return false
}

// start opens a formatting element. A link ends the previous link.
func (f *formats) start(t html.Token, raw []byte) {
	if t.DataAtom == atom.A {
		f.end(t.Data)
	}
	if len(f.open) == maxFormats {
		return
	}
	f.show()
	if f.shown == len(f.open) {
		f.shown++
		f.out.Write(raw)
	}
	f.open = append(f.open, format{t.Data, repeatable(t)})
}

// repeatable returns the start tag without the attributes that must be unique.
func repeatable(t html.Token) []byte {
	t.Attr = slices.DeleteFunc(slices.Clone(t.Attr), func(a html.Attribute) bool { return a.Key == "id" || a.Key == "name" })
	return []byte(t.String())
}

// end closes the last open formatting element with the given name, if any.
func (f *formats) end(name string) {
	for i, each := range slices.Backward(f.open) {
		if each.name == name {
			f.close(i)
			f.open = slices.Delete(f.open, i, i+1)
			return
		}
	}
}

// close closes all shown elements except the first n.
func (f *formats) close(n int) {
	for ; f.shown > n; f.shown-- {
		f.out.WriteString("</" + f.open[f.shown-1].name + ">")
	}
}

// show reopens closed elements within the budget.
func (f *formats) show() {
	for ; f.shown < len(f.open); f.shown++ {
		tag := f.open[f.shown].tag
		if f.nodes >= min(repeatedPerToken*f.tokens, maxRepeated) || f.bytes+len(tag) > f.most {
			return
		}
		f.nodes++
		f.bytes += len(tag)
		f.out.Write(tag)
	}
}
