package page

import (
	"bytes"
	"cmp"
	"embed"
	"html/template"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/human"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

//go:embed templates
var templateFiles embed.FS

// templates returns the templates for pieces of pages. Each piece begins and ends in HTML text,
// outside of tags, so that html/template can escape each piece separately.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Option("missingkey=error").Funcs(template.FuncMap{
		"shown":    safeText,
		"lines":    safeLines,
		"size":     human.Size,
		"time":     human.Time,
		"stamp":    formatTime,
		"isSet":    func(t time.Time) bool { return !t.IsZero() },
		"cause":    error.Error,
		"standard": func(s scheme.Scheme) string { return s.Standard() },
		// [New] replaces this function.
		"assets": func() string { return "" },
	}).ParseFS(templateFiles, "templates/*.tmpl"))
})

// Printer writes pages. A Printer is safe for concurrent use.
//
// Each method of a Printer writes one page in pieces. If the writer flushes after each
// Write, the browser shows content as it arrives. A method returns the writer's error, or
// the reason why the content is incomplete, which the page also shows.
type Printer struct {
	registry  *scheme.Registry
	site      Site
	templates *template.Template
}

// New returns a Printer for the pages of the site s.
func New(r *scheme.Registry, s Site) *Printer {
	s.Home = cmp.Or(s.Home, "/")
	own := template.Must(templates().Clone()).Funcs(template.FuncMap{"assets": func() string { return s.Assets }})
	return &Printer{registry: r, site: s, templates: own}
}

// page is a page that is being written.
type page struct {
	*Printer
	h    *Head
	o    *scheme.Object // the object of the page; size -1 if the page shows no object
	kind kind
	w    io.Writer
	b    bytes.Buffer // next piece to write
	// err is the first error of w or of a template. After an error, the page writes nothing.
	err error
}

// beginPage starts a page and writes the top of the page. The object o may be nil. The title
// is the default title.
func (p *Printer) beginPage(w io.Writer, h *Head, o *scheme.Object, k kind, title string) *page {
	head := Head{}
	if h != nil {
		head = *h
	}
	head.Title = cmp.Or(head.Title, title)
	head.URL = withoutPassword(head.URL)
	if o == nil {
		o = &scheme.Object{Size: -1}
	}
	g := &page{Printer: p, h: &head, o: o, kind: k, w: w}
	g.writePiece("top", g.top(k))
	return g
}

// writePiece writes the output of a template as one piece.
func (g *page) writePiece(name string, data any) {
	g.addPiece(name, data)
	g.flush()
}

// addPiece adds the output of a template to the next piece.
func (g *page) addPiece(name string, data any) {
	if g.err == nil {
		g.err = g.templates.ExecuteTemplate(&g.b, name, data)
	}
}

// flush writes the next piece.
func (g *page) flush() {
	if g.err == nil && g.b.Len() > 0 {
		_, g.err = g.w.Write(g.b.Bytes())
	}
	g.b.Reset()
}

// endPage writes the end of the page. If the content is incomplete, the reason is not nil.
func (g *page) endPage(reason error) error {
	if reason != nil {
		g.addPiece("broken", safeText(locus.MaskText(reason.Error())))
	}
	g.writePiece("bottom", g.bottom())
	return cmp.Or(g.err, reason)
}

// safeText returns bytes from a server as one line of safe text.
func safeText(octets string) string { return term.Safe(charset.Text(octets)) }

// safeLines is like safeText, but preserves lines.
func safeLines(octets string) string { return term.SafeLines(charset.Text(octets)) }

// pagePath returns the path of the page for the URL u. If there is no such page, it returns "".
func (p *Printer) pagePath(u locus.URL, s Show) string {
	return p.path(p.site.Page, u, s)
}

// rawPath returns the path of the raw content at the URL u. If there is no such path, it
// returns "".
func (p *Printer) rawPath(u locus.URL, s Show) string {
	return p.path(p.site.Raw, u, s)
}

func (p *Printer) path(of func(locus.URL, Show) string, u locus.URL, s Show) string {
	if u.IsZero() || of == nil || !p.registry.Known(u) {
		return ""
	}
	return of(withoutPassword(u), s)
}

// formatTime formats a time for the datetime attribute.
func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// capitalize returns text with its first letter in upper case.
func capitalize(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// withoutPassword returns u for display and links. The result contains no password. In a
// mistyped URL, "***" replaces text that may be a password.
func withoutPassword(u locus.URL) locus.URL {
	u = u.WithoutPassword()
	if text := u.Shown(); text != u.String() {
		// Parse fails only if the text is too long. In that case the page shows no URL.
		u, _ = locus.Parse(text)
	}
	return u
}
