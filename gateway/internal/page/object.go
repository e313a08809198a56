package page

import (
	"io"

	"github.com/locus-url/locus/internal/human"
	"github.com/locus-url/locus/scheme"
)

// Object writes the page of an object. [Show.As] or the media type determines the class.
// Object reads only texts, HTML documents and messages. The browser loads other objects
// from [Site.Raw].
func (p *Printer) Object(w io.Writer, h *Head, o *scheme.Object) error {
	class := h.Show.As
	if _, known := kinds[class]; !known {
		class = ClassOf(o.Type)
	}
	if o.Encoding != "" && (class == ClassText || class == ClassDocument || class == ClassMessage) {
		class = ClassFile // the content is compressed
	}
	switch class {
	case ClassText:
		return p.textPage(w, h, o)
	case ClassDocument:
		return p.documentPage(w, h, o)
	case ClassMessage:
		return p.messagePage(w, h, o)
	}
	return p.embedPage(w, h, o, class)
}

// embedPage writes a page with an object that the browser loads: an image, a sound, a
// video, a frame, or a file to save.
func (p *Printer) embedPage(w io.Writer, h *Head, o *scheme.Object, class Class) error {
	k := kinds[class]
	if k == kindNone {
		k, _ = kindOfType(o.Type)
	}
	g := p.beginPage(w, h, o, k, "")
	e := embedded{
		Class: class, Kind: k, Raw: g.rawPath(h.URL, Show{Part: h.Show.Part}), Title: g.title(), Type: bareMediaType(safeText(o.Type)),
		Name: g.fileName(), Time: human.Time(o.ModTime), AsPage: g.pagePath(h.URL, h.Show.withClass(ClassDocument)), AsText: g.pagePath(h.URL, h.Show.withClass(ClassText)),
	}
	if o.Size > 0 {
		e.Size = human.Size(o.Size)
	}
	g.writePiece("embed", e)
	return g.endPage(nil)
}

// embedded is the data for the template "embed".
type embedded struct {
	Class            Class
	Kind             kind
	Raw              string
	Title, Type      string
	Name, Size, Time string
	AsText, AsPage   string // links to other views of the object
}
