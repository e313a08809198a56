package wais

import (
	"slices"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
)

// Port is the default port (RFC 1738 section 3.9).
const Port = 210

const name = "wais"

// URL is a parsed wais URL. URLs are comparable with ==. Two URLs are equal if their texts are
// equal. The zero URL is invalid.
type URL struct {
	url                            locus.URL
	database, search, wtype, wpath string
	form                           Form
	length                         int64
	hasSearch                      bool
}

// Parse parses u as a wais URL. It fails if u matches none of the three forms in RFC 1738
// section 3.9, or if the wpath is an invalid list of fields. The error is a
// [*locus.SyntaxError].
func Parse(u locus.URL) (URL, error) {
	w, r, err := parseURL(u)
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

// parseURL splits u into its parts, and parses the wpath. It returns the same errors as Parse.
func parseURL(u locus.URL) (w written, r reading, err error) {
	if err := bnf.Form(u, name, "waisurl"); err != nil {
		return w, r, err
	}
	if w, err = split(u); err != nil || !w.hasDocument {
		return w, r, err
	}
	r = readWpath(w.wpath)
	for x := range r.faults(w.wpathOffset()) {
		return w, r, x.Error(u)
	}
	return w, r, nil
}

// URL returns the URL from which x was parsed.
func (x URL) URL() locus.URL { return x.url }

// Database returns the decoded database name.
func (x URL) Database() string { return x.database }

// Search returns the decoded search, in which "+" is unchanged. The result ok reports whether
// the URL contains a search, which may be empty.
func (x URL) Search() (octets string, ok bool) { return x.search, x.hasSearch }

// Words returns the decoded search, in which each unescaped "+" is replaced by a space (URI
// draft, "search"). The result ok reports whether the URL contains a search.
func (x URL) Words() (octets string, ok bool) {
	if !x.hasSearch {
		return "", false
	}
	w, _ := split(x.url)
	return bnf.Decode(strings.ReplaceAll(w.search, "+", " ")), true
}

// Wtype returns the decoded document type. The result ok reports whether x names a document.
func (x URL) Wtype() (octets string, ok bool) { return x.wtype, x.form != NoDocument }

// Wpath returns the wpath, decoded once. The result ok reports whether x names a document.
func (x URL) Wpath() (octets string, ok bool) { return x.wpath, x.form != NoDocument }

// Form returns the form of the wpath.
func (x URL) Form() Form { return x.form }

// Length returns the document length in bytes that a wpath of [LengthForm] contains. The
// length may be wrong. For other wpaths, ok is false.
func (x URL) Length() (n int64, ok bool) { return x.length, x.form == LengthForm }

// Fields returns the fields of the document-id in order. If the wpath is not a list of fields,
// Fields returns nil.
func (x URL) Fields() []Field {
	if x.form == NoDocument || x.form == OpaqueForm {
		return nil
	}
	w, _ := split(x.url)
	return readWpath(w.wpath).decoded()
}

type written struct {
	offset, searchOffset           int // offsets of the database and the search in the URL
	database, search, wtype, wpath string
	hasSearch, hasDocument         bool
}

// split splits the url-path at the first "?", and splits the text before the "?" at the first
// two "/". It returns the parts even if it returns an error.
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

// Parts holds the decoded parts of a wais URL.
type Parts struct {
	Host     string // host as a URL contains it
	Port     uint16 // port; 0 means the default port, 210
	Database string
	Search   *string   // nil if absent
	Document *Document // nil if absent; must be nil if Search is set
}

// Document identifies a document.
type Document struct {
	Wtype string
	// Fields contains the fields of the document-id. Parts.URL writes them in [EscapedForm],
	// or in [OpaqueForm] if a field contains ";".
	Fields []Field
	// Wpath contains the octets of the document-id. It is used only if Fields is empty.
	Wpath string
}

// URL builds a URL from its parts. The error is a [*locus.SyntaxError].
func (p Parts) URL() (URL, error) {
	x, err := p.buildURL(false)
	if err != nil || p.Document == nil || p.Document.matches(x) {
		return x, err
	}
	if id, err := newDocumentID(p.Document.Fields); err == nil && p.Document.Wpath == "" {
		if y, err := p.buildURL(true); err == nil {
			if got, ok := y.DocumentID(); ok && got == id {
				return y, nil
			}
		}
	}
	u := x.url
	return URL{}, u.Errorf(u.PathOffset(), "wpath", "%w: a document needs either a document-id, or 1 to %d fields with numbers 1 to %d", locus.ErrValue, maxFields, maxField)
}

// buildURL builds a URL. If opaque is true, it writes the fields in OpaqueForm.
func (p Parts) buildURL(opaque bool) (URL, error) {
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
		// Servers would decode an unescaped "+" as a space.
		b = append(b, '?')
		b = escape.AppendEncode(b, *p.Search, escape.Hsegment().Without("+"))
	}
	return b
}

// plainChars is the set of characters that programs of the 1990s did not escape in fields. The
// character "/" is not in the set.
var plainChars = escape.Alpha().Union(escape.Digit()).With(".-_$")

func (d *Document) appendWpath(b []byte) []byte {
	for _, f := range d.Fields {
		b = append(strconv.AppendInt(b, int64(f.Number), 10), "%3D"...)
		b = escape.AppendEncode(b, f.Content, plainChars)
		b = append(b, "%3B"...)
	}
	return escape.AppendEncode(b, d.Wpath, escape.Unreserved())
}

// matches reports whether x identifies the document d. Only one of d.Fields and d.Wpath may be
// set.
func (d *Document) matches(x URL) bool {
	if len(d.Fields) == 0 {
		return x.wpath == d.Wpath
	}
	return slices.Equal(x.Fields(), d.Fields)
}
