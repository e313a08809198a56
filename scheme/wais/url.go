package wais

import (
	"slices"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
)

// Port is the default port (section 3.9).
const Port = 210

const name = "wais"

// URL is a decoded wais URL. URLs are comparable: two URLs are == if their texts are
// equal. The zero URL is invalid.
type URL struct {
	url                            locus.URL
	database, search, wtype, wpath string
	form                           Form
	length                         int64
	hasSearch                      bool
}

// Parse reads u as a wais URL. The error is a [*locus.SyntaxError]: u has none of the
// three forms of section 3.9, or its wpath is an invalid list of fields.
func Parse(u locus.URL) (URL, error) {
	w, r, err := form(u)
	if err != nil {
		return URL{}, err
	}
	x := URL{url: u, hasSearch: w.hasSearch}
	x.database = bnf.Decode(w.database)
	x.search = bnf.Decode(w.search)
	x.wtype = bnf.Decode(w.wtype)
	x.wpath = bnf.Decode(w.wpath)
	if w.hasDocument {
		x.form, x.length = r.form, r.length
	}
	return x, nil
}

// form splits u and parses its wpath. It returns the same errors as Parse.
func form(u locus.URL) (w written, r reading, err error) {
	if err := bnf.Form(u, name, "waisurl"); err != nil {
		return w, r, err
	}
	if w, err = split(u); err != nil || !w.hasDocument {
		return w, r, err
	}
	r = read(w.wpath)
	for x := range r.faults(w.wpathOffset()) {
		return w, r, x.Error(u)
	}
	return w, r, nil
}

// URL returns the URL from which x was parsed.
func (x URL) URL() locus.URL { return x.url }

// Database returns the octets of the database's name.
func (x URL) Database() string { return x.database }

// Search returns the octets of the search, with "+" unchanged. ok reports whether the
// URL has a search, which may be empty.
func (x URL) Search() (octets string, ok bool) { return x.search, x.hasSearch }

// Words returns the octets of the search with each unescaped "+" as a space (URI
// draft, "search"). ok is as for Search.
func (x URL) Words() (octets string, ok bool) {
	if !x.hasSearch {
		return "", false
	}
	w, _ := split(x.url)
	return bnf.Decode(strings.ReplaceAll(w.search, "+", " ")), true
}

// Wtype returns the octets of the document's type. ok reports whether x names a
// document.
func (x URL) Wtype() (octets string, ok bool) { return x.wtype, x.form != NoDocument }

// Wpath returns the octets of the wpath, decoded once in any form. ok is as for
// Wtype.
func (x URL) Wpath() (octets string, ok bool) { return x.wpath, x.form != NoDocument }

// Form returns the form of the wpath.
func (x URL) Form() Form { return x.form }

// Length returns the length of the document in octets from a wpath of [LengthForm]. It
// may be wrong.
func (x URL) Length() (n int64, ok bool) { return x.length, x.form == LengthForm }

// Fields returns the fields of the document-id in order, or nil if the wpath is not a
// list of fields.
func (x URL) Fields() []Field {
	if x.form == NoDocument || x.form == OpaqueForm {
		return nil
	}
	w, _ := split(x.url)
	return read(w.wpath).decoded()
}

type written struct {
	offset, searchOffset           int // offsets of the database and the search in the URL
	database, search, wtype, wpath string
	hasSearch, hasDocument         bool
}

// split splits the url-path at its first "?". It then splits the text before the "?" at its
// first two "/". If it returns an error, it also returns the parts.
func split(u locus.URL) (written, error) {
	path, ok := u.Path()
	w := written{offset: u.PathOffset()}
	if !ok {
		return w, u.Errorf(w.offset, "database", `%w: "/" and a database must follow the host`, locus.ErrForm)
	}
	names, rest := path, ""
	names, w.search, w.hasSearch = strings.Cut(path, "?")
	w.searchOffset = w.offset + len(names) + 1
	if w.database, rest, ok = strings.Cut(names, "/"); !ok {
		return w, nil
	}
	w.wtype, w.wpath, w.hasDocument = strings.Cut(rest, "/")
	switch end := w.offset + len(names); {
	case !w.hasDocument:
		return w, u.Errorf(end, "wpath", `%w: "/" and a document-id must follow the type; in the name of a database, write %%2F for "/"`, locus.ErrForm)
	case w.hasSearch:
		return w, u.Errorf(end, "wpath", `%w: a document can't have a search; in a document-id, write %%3F for "?"`, locus.ErrForm)
	}
	return w, nil
}

func (w written) wtypeOffset() int { return w.offset + len(w.database) + 1 }
func (w written) wpathOffset() int { return w.wtypeOffset() + len(w.wtype) + 1 }

// Parts are the decoded parts of a wais URL.
type Parts struct {
	Host     string // host as URL text
	Port     uint16 // 0 means the default, 210
	Database string
	Search   *string   // nil if absent
	Document *Document // nil if absent; a URL with a Document must have no Search
}

// Document names a document.
type Document struct {
	Wtype string
	// Fields are the fields of the document-id. They are written in the
	// [EscapedForm] of RFC 1738, or in the [OpaqueForm] if a field contains ";".
	Fields []Field
	// Wpath holds the octets of the document-id if Fields is empty.
	Wpath string
}

// URL returns the URL. The error is a [*locus.SyntaxError].
func (p Parts) URL() (URL, error) {
	x, err := p.write(false)
	if err != nil || p.Document == nil || p.Document.is(x) {
		return x, err
	}
	if id, err := newDocumentID(p.Document.Fields); err == nil && p.Document.Wpath == "" {
		if y, err := p.write(true); err == nil {
			if got, ok := y.DocumentID(); ok && got == id {
				return y, nil
			}
		}
	}
	u := x.url
	return URL{}, u.Errorf(u.PathOffset(), "wpath", "%w: a document needs either a document-id, or 1 to %d fields with numbers 1 to %d", locus.ErrValue, maxFields, maxField)
}

// write returns a URL. If opaque is true, fields are written in the OpaqueForm.
func (p Parts) write(opaque bool) (URL, error) {
	path := string(p.appendPath(nil, opaque))
	u, err := bnf.HostURL(locus.Parts{Scheme: name, Host: p.Host, Port: p.Port, Path: &path})
	if err != nil {
		return URL{}, err
	}
	return Parse(u)
}

func (p Parts) appendPath(b []byte, opaque bool) []byte {
	b = escape.AppendEncode(b, p.Database, escape.Unreserved())
	if d := p.Document; d != nil {
		b = append(b, '/')
		b = escape.AppendEncode(b, d.Wtype, escape.Unreserved())
		b = append(b, '/')
		if opaque {
			b = escape.AppendEncode(b, string(joinFields(d.Fields)), escape.Unreserved())
		} else {
			b = d.appendWpath(b)
		}
	}
	if p.Search != nil {
		// Servers would read a "+" as a space.
		b = append(b, '?')
		b = escape.AppendEncode(b, *p.Search, escape.Hsegment().Without("+"))
	}
	return b
}

// plain holds the characters that programs of the time did not escape in fields. It
// excludes "/".
var plain = escape.Alpha().Union(escape.Digit()).With(".-_$")

func (d *Document) appendWpath(b []byte) []byte {
	for _, f := range d.Fields {
		b = append(strconv.AppendInt(b, int64(f.Number), 10), "%3D"...)
		b = escape.AppendEncode(b, f.Content, plain)
		b = append(b, "%3B"...)
	}
	return escape.AppendEncode(b, d.Wpath, escape.Unreserved())
}

// is reports whether x names the document d. The document must have either Fields or a
// Wpath.
func (d *Document) is(x URL) bool {
	if len(d.Fields) == 0 {
		return x.wpath == d.Wpath
	}
	return slices.Equal(x.Fields(), d.Fields)
}
