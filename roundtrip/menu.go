package roundtrip

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"iter"
	"net/http"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/reqctx"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

// Format is the media type in which menus are written.
type Format uint8

const (
	HTML Format = iota // text/html: a page for people
	JSON               // application/json: the object that "locus get --json" writes
	Text               // text/plain: a line for each item, its title, TAB and its URL
)

var mediaTypes = [...]string{HTML: "text/html", JSON: "application/json", Text: "text/plain"}

func (f Format) mediaType() string { return mediaTypes[f] }

// preferred returns the format that is wanted most; f itself, unless another one is
// wanted more.
func (f Format) preferred(wanted scheme.Preference) Format {
	best := f
	for other := range mediaTypes {
		if wanted.Quality(mediaTypes[other]) > wanted.Quality(best.mediaType()) {
			best = Format(other)
		}
	}
	return best
}

// menuWriter writes a menu piece by piece.
type menuWriter interface {
	begin(b *bytes.Buffer) error
	item(b *bytes.Buffer, i scheme.Item) error
	// end writes what follows the items; err is why they broke off, nil if they did not.
	end(b *bytes.Buffer, err error) error
}

func (t *Transport) menuWriter(q *query, r *access.Result, m *scheme.Menu) menuWriter {
	asked := q.access.URL.WithoutPassword()
	switch q.format {
	case JSON:
		return &jsonWriter{head: shape.MenuHead{
			Resource: shape.NewResource(asked, r.URL.WithoutPassword(), "menu"),
			Title:    shape.Text(m.Title),
			Form:     shape.NewForm(m.Form, asked, nil),
		}}
	case Text:
		return textWriter{}
	}
	registry := t.client.Registry()
	isFile := func(u locus.URL) bool { return registry.Scheme(u).Traits.Has(scheme.Files) }
	return &htmlWriter{title: cmp.Or(m.Title, asked.String()), form: m.Form, isLink: func(u locus.URL) bool {
		// A remote page must not link to files of the reader's machine.
		return !u.IsZero() && registry.Known(u) && (!isFile(u) || isFile(r.URL))
	}}
}

func (q *query) menu(m *scheme.Menu, w menuWriter) *http.Response {
	resp := newResponse(q.req, http.StatusOK)
	contentType := q.format.mediaType()
	if q.format != JSON {
		contentType += "; charset=utf-8"
	}
	resp.Header.Set("Content-Type", contentType)
	resp.Header.Set(reqctx.KindHeader, "menu")
	resp.Header.Set("X-Content-Type-Options", "nosniff")
	resp.Header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	setLength(resp, -1)
	resp.Body = &menuBody{menu: m, writer: w}
	return resp
}

// menuBody writes a menu while it is read. It holds one item at a time.
type menuBody struct {
	menu *scheme.Menu

	mu     sync.Mutex // held while a Read is under way
	next   func() (scheme.Item, error, bool)
	stop   func() // nil: nothing was read
	writer menuWriter
	b      bytes.Buffer
	err    error // returned after b is read; nil: there is more
}

func (b *menuBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(p) > 0 && b.b.Len() == 0 && b.err == nil {
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

// take returns the menu itself, after which nothing can be read; nil: reading has
// begun.
func (b *menuBody) take() *scheme.Menu {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stop != nil || b.err != nil {
		return nil
	}
	b.err = http.ErrBodyReadAfterClose
	return b.menu
}

// Close closes the menu. A concurrent Read ends.
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

// textWriter writes the lines that "locus get" writes.
type textWriter struct{}

func (textWriter) begin(*bytes.Buffer) error { return nil }

func (textWriter) item(b *bytes.Buffer, i scheme.Item) error {
	_, err := fmt.Fprintf(b, "%s\t%s\n", term.Text(i.Title), i.URL.WithoutPassword())
	return err
}

func (textWriter) end(*bytes.Buffer, error) error { return nil }

// jsonWriter writes the object that "locus get --json" writes.
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
