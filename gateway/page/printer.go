package page

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

//go:embed templates
var templateFiles embed.FS

// templates are the pieces of pages. Each begins and ends in plain text of HTML, so
// that escaping one by itself is escaping the whole.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"shown": shown,
		"lines": shownLines,
		"size":  humanSize,
		"time":  humanTime,
		"stamp": stamp,
		// A site has its own.
		"assets": func() string { return "" },
	}).ParseFS(templateFiles, "templates/*.tmpl"))
})

// Printer writes pages. It may be used from many goroutines at once.
//
// Each of its methods writes one page. Each Write is of a piece that can be
// sent as it is, and content is written when it has come; so whoever flushes after
// each Write, or soon after it, shows what there is. The error is the writer's, or
// the reason why the content broke off, which the page then says at that place.
type Printer struct {
	registry  *scheme.Registry
	site      Site
	templates *template.Template
}

// New returns what prints the pages of a site. The registry says which schemes
// there are, and what the parts of their URLs mean.
func New(r *scheme.Registry, s Site) *Printer {
	s.Home = cmp.Or(s.Home, "/")
	s.Name = cmp.Or(s.Name, "Locus")
	own := template.Must(templates().Clone()).Funcs(template.FuncMap{"assets": func() string { return s.Assets }})
	return &Printer{registry: r, site: s, templates: own}
}

// page is one page that is being written.
type page struct {
	*Printer
	h *Head
	o *scheme.Object // of size -1 if the page shows no object
	w io.Writer
	b bytes.Buffer // the next piece
}

// begin starts a page and writes its top.
func (p *Printer) begin(w io.Writer, h *Head, kind kind) (*page, error) {
	return p.beginObject(w, h, &scheme.Object{Size: -1}, kind)
}

// beginObject is begin for a page of an object.
func (p *Printer) beginObject(w io.Writer, h *Head, o *scheme.Object, kind kind) (*page, error) {
	if h == nil {
		h = &Head{}
	}
	g := &page{Printer: p, h: h, o: o, w: w}
	return g, g.put("top", g.top(kind))
}

// put writes a piece of the page.
func (g *page) put(name string, data any) error {
	if err := g.add(name, data); err != nil {
		return err
	}
	return g.flush()
}

// add adds to the next piece.
func (g *page) add(name string, data any) error {
	return g.templates.ExecuteTemplate(&g.b, name, data)
}

// flush writes what was added.
func (g *page) flush() error {
	if g.b.Len() == 0 {
		return nil
	}
	_, err := g.w.Write(g.b.Bytes())
	g.b.Reset()
	return err
}

// end writes what is below the content; broken is why that is not whole.
func (g *page) end(broken error) error {
	if broken != nil {
		if err := g.add("broken", shown(locus.MaskText(broken.Error()))); err != nil {
			return err
		}
	}
	if err := g.put("bottom", g.bottom()); err != nil {
		return err
	}
	return broken
}

// shown is octets from elsewhere as people may see them, in one line.
func shown(octets string) string { return term.Safe(term.Characters(octets)) }

// shownLines is shown for a text of lines.
func shownLines(octets string) string { return term.SafeLines(term.Characters(octets)) }

// link returns the path of the page of u; empty: it has none.
func (p *Printer) link(u locus.URL, s Show) string {
	if u.IsZero() || p.site.Page == nil || !p.registry.Known(u) {
		return ""
	}
	return p.site.Page(withoutPassword(u), s)
}

// raw returns the path of the octets of u.
func (p *Printer) raw(u locus.URL, s Show) string {
	if u.IsZero() || p.site.Raw == nil || !p.registry.Known(u) {
		return ""
	}
	return p.site.Raw(withoutPassword(u), s)
}

// humanSize is a number of octets in four digits at most; empty: unknown.
func humanSize(n int64) string {
	if n < 0 {
		return ""
	}
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	value, unit := float64(n), 0
	for value >= 1023.5 && unit < len("KMGTPE") {
		value /= 1024
		unit++
	}
	if value < 9.95 {
		return fmt.Sprintf("%.1f %ciB", value, "KMGTPE"[unit-1])
	}
	return fmt.Sprintf("%.0f %ciB", value, "KMGTPE"[unit-1])
}

// humanTime is a time for people; empty: unknown. Midnight is how lists write a day.
func humanTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	t = t.UTC()
	if t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0 {
		return t.Format("2006-01-02")
	}
	return t.Format("2006-01-02 15:04")
}

// stamp is a time for programs.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// humanAge is how long ago something was, roughly.
func humanAge(d time.Duration) string {
	switch {
	case d < 2*time.Second:
		return "just now"
	case d < 2*time.Minute:
		return fmt.Sprintf("%d seconds ago", d/time.Second)
	case d < 2*time.Hour:
		return fmt.Sprintf("%d minutes ago", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d hours ago", d/time.Hour)
	}
	return fmt.Sprintf("%d days ago", d/(24*time.Hour))
}

// capital is text with its first letter in upper case.
func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
