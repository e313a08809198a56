package wais

import (
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
)

// Port is the port of a URL that has none (section 3.9).
const Port = 210

const name = "wais"

// URL is a wais URL, decoded. It is comparable: two are == if their texts are.
type URL struct {
	url                            locus.URL
	database, search, wtype, wpath string
	form                           Form
	length                         int64
	hasSearch                      bool
}

// Parse reads u as a wais URL. The error is a [*locus.SyntaxError]: u is in none
// of the three forms of section 3.9, or its wpath is a list of fields that no
// document-id can have.
func Parse(u locus.URL) (URL, error) {
	if err := bnf.Form(u, name, "waisurl"); err != nil {
		return URL{}, err
	}
	w, err := split(u)
	if err != nil {
		return URL{}, err
	}
	x := URL{url: u, hasSearch: w.hasSearch}
	x.database = bnf.Decode(w.database)
	x.search = bnf.Decode(w.search)
	x.wtype = bnf.Decode(w.wtype)
	x.wpath = bnf.Decode(w.wpath)
	if w.hasDocument {
		r := read(w.wpath)
		for x := range r.faults(w.wpathOffset()) {
			return URL{}, x.Error(u)
		}
		x.form, x.length = r.form, r.length
	}
	return x, nil
}

// URL returns the URL that x was parsed from.
func (x URL) URL() locus.URL { return x.url }

// Database returns the octets of the database's name.
func (x URL) Database() string { return x.database }

// Search returns the octets of the search as they stand. ok reports whether
// there is one, perhaps empty.
func (x URL) Search() (octets string, ok bool) { return x.search, x.hasSearch }

// Words returns the octets of the search with each "+" that is not escaped read
// as a blank (URI draft, "search"). ok is as for Search.
func (x URL) Words() (octets string, ok bool) {
	if !x.hasSearch {
		return "", false
	}
	w, _ := split(x.url)
	return bnf.Decode(strings.ReplaceAll(w.search, "+", " ")), true
}

// Wtype returns the octets of the document's type. ok reports whether x is the
// URL of a document.
func (x URL) Wtype() (octets string, ok bool) { return x.wtype, x.form != NoDocument }

// Wpath returns the octets of the wpath, all of it decoded once, whatever its
// form. ok is as for Wtype.
func (x URL) Wpath() (octets string, ok bool) { return x.wpath, x.form != NoDocument }

// Form returns how the wpath is read.
func (x URL) Form() Form { return x.form }

// Length returns the length of the document in octets, if the wpath has the
// form with one. It is what somebody wrote, and no more than a hint.
func (x URL) Length() (n int64, ok bool) { return x.length, x.form == LengthForm }

// Fields returns the fields of the document-id, in the order they are written;
// nil if the wpath is not a list of fields.
func (x URL) Fields() []Field {
	if x.form == NoDocument || x.form == OpaqueForm {
		return nil
	}
	w, _ := split(x.url)
	var list []Field
	for f := range read(w.wpath).fields {
		list = append(list, Field{Number: f.number, Content: bnf.Decode(f.content)})
	}
	return list
}

// written are the parts of a wais URL as they stand in it, and where the first of
// them and the search begin.
type written struct {
	offset, searchOffset           int
	database, search, wtype, wpath string
	hasSearch, hasDocument         bool
}

// split cuts the url-path at its first "?", and what is before that at its first
// two "/". The parts are there beside an error, too.
func split(u locus.URL) (written, error) {
	path, ok := u.Path()
	w := written{offset: u.PathOffset()}
	if !ok {
		return w, u.Errorf(w.offset, "database", `%w: "/" and a database follow the host`, locus.ErrForm)
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
		return w, u.Errorf(end, "wpath", `%w: "/" and a document-id follow the type; within a database's name "/" is written %%2F`, locus.ErrForm)
	case w.hasSearch:
		return w, u.Errorf(end, "wpath", `%w: a document is not searched; within the document-id "?" is written %%3F`, locus.ErrForm)
	}
	return w, nil
}

func (w written) wtypeOffset() int { return w.offset + len(w.database) + 1 }
func (w written) wpathOffset() int { return w.wtypeOffset() + len(w.wtype) + 1 }

// Parts are what a wais URL is made of, as octets.
type Parts struct {
	Host     string // as URL text
	Port     uint16 // 0: left out, which means 210
	Database string
	Search   *string   // nil: absent
	Document *Document // nil: absent. A document is not searched.
}

// Document names a document.
type Document struct {
	Wtype string
	// Fields are the document-id's. They are written as RFC 1738 spells them
	// ([EscapedForm]); a document-id that can't be read back from that, because a
	// field has ";" in it, is written as its octets ([OpaqueForm]).
	Fields []Field
	// Length is that of the document in octets; 0: left out. A URL with a length is
	// in [LengthForm], for programs of the time that need it. No text has that form,
	// and its "/", "=" and ";" are violations of RFC 1738.
	Length int64
	// Wpath is the document-id without Fields: its octets, all escaped as RFC 1738
	// has it.
	Wpath string
}

// URL makes the URL. The error is a [*locus.SyntaxError].
func (p Parts) URL() (URL, error) {
	x, err := p.write(false)
	if err != nil || p.Document == nil || p.Document.is(x) {
		return x, err
	}
	if id, err := NewDocumentID(p.Document.Fields); err == nil && p.Document.Length == 0 && p.Document.Wpath == "" {
		if y, err := p.write(true); err == nil && y.names(id) {
			return y, nil
		}
	}
	u := x.url
	return URL{}, u.Errorf(u.PathOffset(), "wpath", "%w: a document has 1 to %d fields of number 1 to %d, with a length or not, or else a wpath", locus.ErrValue, MaxFields, MaxField)
}

// write makes a URL. opaque: a document-id of fields is written as its octets.
func (p Parts) write(opaque bool) (URL, error) {
	path := string(p.appendPath(nil, opaque))
	u, err := bnf.HostURL(locus.Parts{Scheme: name, Host: p.Host, Port: p.Port, Path: &path})
	if err != nil {
		return URL{}, err
	}
	return Parse(u)
}

// names reports whether x is the URL of the document of that id.
func (x URL) names(id DocumentID) bool {
	got, ok := x.DocumentID()
	return ok && got == id
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
		// A "+" would be read as a blank.
		b = append(b, '?')
		b = escape.AppendEncode(b, *p.Search, escape.Hsegment().Without("+"))
	}
	return b
}

// plain is what programs of the time left as it is in the contents of a field.
var plain = escape.Alpha().Union(escape.Digit()).With("./-_$")

func (d *Document) appendWpath(b []byte) []byte {
	equals, semicolon, set := "%3D", "%3B", plain.Without("/")
	if d.Length != 0 {
		equals, semicolon, set = "=", ";", plain
		b = append(strconv.AppendInt(b, d.Length, 10), '/')
	}
	for _, f := range d.Fields {
		b = append(strconv.AppendInt(b, int64(f.Number), 10), equals...)
		b = escape.AppendEncode(b, f.Content, set)
		b = append(b, semicolon...)
	}
	return escape.AppendEncode(b, d.Wpath, escape.Unreserved())
}

// is reports whether x is the URL of d, as it is when d is one document-id and
// not two.
func (d *Document) is(x URL) bool {
	if len(d.Fields) == 0 {
		return x.wpath == d.Wpath && d.Length == 0
	}
	fields := x.Fields()
	if len(fields) != len(d.Fields) || x.length != d.Length {
		return false
	}
	for i, f := range fields {
		if f != d.Fields[i] {
			return false
		}
	}
	return true
}
