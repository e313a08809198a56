package document

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/markup"
	"github.com/locus-url/locus/warc"
)

// isWAT reports whether a record of a web archive may come from a WAT file.
func isWAT(r *warc.Record) bool {
	return r.Type == "metadata" && mediaType(r.Get("Content-Type")) == "application/json"
}

// readWAT reports the links in a page that a WAT record describes. The links have the same base URL
// as in the page. The position of a link is the position in the record.
func (f *finder) readWAT(it item) {
	octets, ok, err := f.readAll(&it)
	if !ok {
		err = fmt.Errorf("%w: a record of more than %d bytes", ErrLimit, f.o.MaxBuffered)
	}
	var w warc.WAT
	if err == nil {
		w, err = warc.ReadWAT(octets)
	}
	if err != nil {
		f.fail(it, err)
		return
	}
	t := texts{f: f, it: it, typ: mediaType(it.typ)}
	o := f.o
	o.Extract.Clone = true
	d := newLinkFinder(t.setText(octets), &o, func(l Link) bool { return t.emit(&l) })
	d.base = watValue(w.Base)
	for _, l := range w.Links {
		if d.emitReference(watValue(l.URL), l.Start, l.End, extract.Attribute, watElement(l.Path)); d.done {
			return
		}
	}
}

// watValue decodes the character references in an attribute value. Most WAT files copy attribute
// values unchanged from the page.
func watValue(text string) string {
	return strings.Trim(markup.Decode(text, markup.HTMLValue).Text, " \t\r\n\f")
}

// watElement returns the element and the attribute for a path in a WAT record. For "A@/href", it
// returns "a href".
func watElement(path string) string {
	element, attribute, ok := strings.Cut(path, "@/")
	if !ok {
		return strings.ToLower(path)
	}
	return strings.ToLower(element + " " + attribute)
}
