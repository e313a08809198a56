package page

import (
	"cmp"
	"io"

	"github.com/locus-url/locus/message"
)

// Object writes an object as its media type, or [Show.As], has it. body is not read
// if that has the browser ask for the octets ([Class.Reads]).
func (p *Printer) Object(w io.Writer, h *Head, body io.Reader) error {
	class := h.Show.As
	if !class.known() {
		class = ClassOf(h.Type)
	}
	if h.Encoding != "" && class.Reads() {
		class = ClassFile // its octets are not what its type says
	}
	switch class {
	case ClassText:
		return p.Text(w, h, body)
	case ClassDocument:
		return p.Document(w, h, body)
	case ClassMessage:
		m, err := message.Read(body, &message.Limits{Octets: maxMessage})
		if m == nil {
			return p.Failure(w, h, "protocol", err)
		}
		return p.message(w, h, m, err)
	}
	return p.Embed(w, h, class)
}

// maxMessage is how large a message can be that is read into memory.
const maxMessage = 16 << 20

// Embed writes a page around an object that the browser asks for: a picture, a sound,
// a film, a frame, or a file to take away.
func (p *Printer) Embed(w io.Writer, h *Head, class Class) error {
	k, ok := kindOfType(h.Type)
	switch {
	case class == ClassImage:
		k = kindImage
	case class == ClassSound:
		k = kindSound
	case class == ClassVideo:
		k = kindVideo
	case class == ClassFrame:
		k = kindDocument
	case !ok:
		k = kindProgram
	}
	g, err := p.begin(w, h, k)
	if err != nil {
		return err
	}
	if err := g.put("embed", g.embedded(class, k)); err != nil {
		return err
	}
	return g.end(nil)
}

// embedded is an object that the browser asks for, as its template has it.
type embedded struct {
	Class            Class
	Kind             kind
	Raw              string
	Title, Type      string
	Name, Size, Time string
	AsText, AsPage   string // other ways to show it
}

func (g *page) embedded(class Class, k kind) embedded {
	h := g.h
	e := embedded{
		Class: class, Kind: k, Raw: g.raw(h.URL, Show{Part: h.Show.Part}), Title: g.title(), Type: bare(shown(h.Type)),
		Name: cmp.Or(shown(h.Name), lastSegment(withoutPassword(h.URL)), "object"), Size: humanSize(max(h.Size, -1)), Time: humanTime(h.ModTime),
	}
	if h.Size == 0 {
		e.Size = ""
	}
	switch class {
	case ClassFile:
		e.AsText = g.link(h.URL, h.Show.as(ClassText))
	case ClassFrame:
		e.AsPage = g.link(h.URL, h.Show.as(ClassDocument))
		e.AsText = g.link(h.URL, h.Show.as(ClassText))
	}
	return e
}
