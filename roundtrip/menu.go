package roundtrip

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"net/http"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

// Format is what a menu is written as.
type Format uint8

const (
	HTML Format = iota // text/html: a page for people
	JSON               // application/json: the object that "locus get --json" writes
	Text               // text/plain: a line for each item, its title, TAB and its URL
)

// KindHeader is a field of responses that are menus, whose value is "menu": an
// object may have the same media type.
const KindHeader = "Locus-Kind"

var mediaTypes = [...]string{HTML: "text/html", JSON: "application/json", Text: "text/plain"}

func (f Format) mediaType() string { return mediaTypes[f] }

// preferred returns the format that is wanted most; f itself, if others are not
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

// page is what there is to write of a menu besides its items.
type page struct {
	asked, at locus.URL // without passwords
	title     string
	form      *scheme.Form
	links     func(locus.URL) bool // whether it may be a link
}

func (t *Transport) page(q *query, r *access.Result, m *scheme.Menu) page {
	registry := t.client.Registry()
	return page{
		asked: q.access.URL.WithoutPassword(),
		at:    r.URL.WithoutPassword(),
		title: m.Title,
		form:  m.Form,
		links: func(u locus.URL) bool {
			// A stranger's page has no business with the files of who reads it.
			return registry.Known(u) && (u.Scheme() != "file" || r.URL.Scheme() == "file")
		},
	}
}

// writer writes a page piece by piece.
type writer interface {
	begin(b *bytes.Buffer) error
	item(b *bytes.Buffer, i scheme.Item) error
	// end writes what comes behind the items; err is why there are no more, nil if
	// that was all.
	end(b *bytes.Buffer, err error) error
}

func (f Format) writer(p page) writer {
	switch f {
	case JSON:
		return &jsonWriter{page: p}
	case Text:
		return textWriter{}
	}
	return &htmlWriter{page: p}
}

// menu is the response for a menu.
func (q *query) menu(m *scheme.Menu, p page) *http.Response {
	resp := newResponse(q.req, http.StatusOK)
	contentType := q.format.mediaType()
	if q.format != JSON {
		contentType += "; charset=utf-8"
	}
	resp.Header.Set("Content-Type", contentType)
	resp.Header.Set(KindHeader, "menu")
	resp.Header.Set("X-Content-Type-Options", "nosniff")
	resp.Header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	setLength(resp, -1)
	next, stop := iter.Pull2(m.Items)
	resp.Body = &body{menu: m, next: next, stop: stop, writer: q.format.writer(p)}
	return resp
}

// body writes a page while it is read. It holds one item at a time.
type body struct {
	menu *scheme.Menu

	mu     sync.Mutex // held by who reads
	next   func() (scheme.Item, error, bool)
	stop   func()
	writer writer
	begun  bool
	b      bytes.Buffer
	err    error // what comes behind b; nil: more
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
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

// more writes the next piece.
func (b *body) more() error {
	if !b.begun {
		b.begun = true
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

// Close closes the menu. A Read that waits ends.
func (b *body) Close() error {
	err := b.menu.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stop()
	b.b.Reset()
	b.err = http.ErrBodyReadAfterClose
	return err
}

// shown is octets of a server as people may see them.
func shown(octets string) string { return term.Safe(term.Characters(octets)) }

// textWriter writes the lines that "locus get" does.
type textWriter struct{}

func (textWriter) begin(*bytes.Buffer) error { return nil }

func (textWriter) item(b *bytes.Buffer, i scheme.Item) error {
	_, err := fmt.Fprintf(b, "%s\t%s\n", shown(i.Title), i.URL.WithoutPassword())
	return err
}

func (textWriter) end(*bytes.Buffer, error) error { return nil }
