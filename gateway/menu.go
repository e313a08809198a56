package gateway

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"net/http"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

// menuFormat is the media type of a menu in a response.
type menuFormat string

const (
	menuHTML menuFormat = "text/html"        // a page
	menuJSON menuFormat = "application/json" // the object that "locus get --json" writes
	menuText menuFormat = "text/plain"       // one line per item: title, TAB and URL

	menuStored menuFormat = "stored" // the format in the store, never sent to clients
)

// formatFor returns the format that the client prefers. If several formats have the same quality,
// the order of preference is HTML, JSON, text.
func formatFor(wanted scheme.Preference) menuFormat {
	best := menuHTML
	for _, f := range []menuFormat{menuJSON, menuText} {
		if wanted.Quality(string(f)) > wanted.Quality(string(best)) {
			best = f
		}
	}
	return best
}

// contentType returns the value of Content-Type.
func (f menuFormat) contentType() string {
	if f == menuText {
		return "text/plain; charset=utf-8"
	}
	return string(f)
}

// menuBody formats a menu while the caller reads the body. It buffers one menu item at a time.
// Close closes the menu.
type menuBody struct {
	menu   *scheme.Menu
	writer menuWriter
	stored bool // the items come from the store, so a Read fills its buffer without waiting

	mu   sync.Mutex // held during Read
	next func() (scheme.Item, error, bool)
	stop func() // nil before the first Read
	b    bytes.Buffer
	err  error // error to return at the end of the buffer; nil if there are more items
}

// newMenuBody returns a body for a menu with the metadata m. The menu was requested at the URL
// requested. The caller must close the body.
func newMenuBody(f menuFormat, menu *scheme.Menu, requested locus.URL, m meta) *menuBody {
	if f == menuText {
		return &menuBody{menu: menu, writer: textWriter{}, stored: m.isStored()}
	}
	requested = requested.WithoutPassword()
	return &menuBody{menu: menu, stored: m.isStored(), writer: &jsonWriter{menu: shape.MenuWriter{Stored: f == menuStored}, head: shape.MenuHead{
		Resource: shape.NewResource(requested, m.url, "menu"),
		Title:    shape.Text(menu.Title),
		Form:     shape.NewForm(menu.Form, requested, nil),
	}}}
}

func (b *menuBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(p) > 0 && b.err == nil && (b.b.Len() == 0 || b.stored && b.b.Len() < len(p)) {
		b.err = b.more()
	}
	if len(p) == 0 || b.b.Len() > 0 {
		return b.b.Read(p)
	}
	return 0, b.err
}

func (b *menuBody) more() error {
	if b.stop == nil {
		b.next, b.stop = iter.Pull2(b.menu.Items)
		return b.writer.begin(&b.b)
	}
	item, err, ok := b.next()
	if ok && err == nil {
		return b.writer.item(&b.b, item)
	}
	if failed := b.writer.end(&b.b, err); failed != nil {
		return failed
	}
	if err != nil {
		return err
	}
	return io.EOF
}

// Close closes the menu and ends a concurrent Read.
func (b *menuBody) Close() error {
	err := b.menu.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stop != nil {
		b.stop()
	}
	b.b.Reset()
	b.err = http.ErrBodyReadAfterClose
	return err
}

// menuWriter writes a menu piece by piece.
type menuWriter interface {
	begin(b *bytes.Buffer) error
	item(b *bytes.Buffer, i scheme.Item) error
	// end writes the text after the items. If the items are incomplete, err is the reason.
	end(b *bytes.Buffer, err error) error
}

// textWriter writes a menu as the lines that "locus get" writes.
type textWriter struct{}

func (textWriter) begin(*bytes.Buffer) error { return nil }

func (textWriter) item(b *bytes.Buffer, i scheme.Item) error {
	_, err := fmt.Fprintf(b, "%s\t%s\n", term.Text(i.Title), i.URL.WithoutPassword())
	return err
}

func (textWriter) end(*bytes.Buffer, error) error { return nil }

// jsonWriter writes a menu as the JSON object that "locus get --json" writes.
type jsonWriter struct {
	head shape.MenuHead
	menu shape.MenuWriter
}

func (w *jsonWriter) begin(b *bytes.Buffer) error { return w.menu.Begin(b, w.head) }

func (w *jsonWriter) item(b *bytes.Buffer, i scheme.Item) error { return w.menu.Item(b, i) }

func (w *jsonWriter) end(b *bytes.Buffer, err error) error {
	if err == nil {
		return w.menu.End(b, nil)
	}
	reason := shape.NewReason(err)
	return w.menu.End(b, &reason)
}
