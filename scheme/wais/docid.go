package wais

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
)

// DocumentID is the document-id as octets, as a server gave it and as it is sent
// back (RFC 1738 section 3.9: only its server can take it apart). It is comparable.
//
// Servers of the time made it of elements, which are the fields that a URL has.
type DocumentID string

// MaxDocumentID is the most octets of a document-id in a request.
const MaxDocumentID = 8192

// Numbers of fields, and what is in them.
const (
	fieldOriginalServer     = 1
	fieldOriginalDatabase   = 2
	fieldOriginalLocalID    = 3
	fieldDistributorLocalID = 6
)

// NewDocumentID makes a document-id of fields, in their order. The error wraps
// [locus.ErrValue]: there is no field or more than [MaxFields], a number is not 1
// to [MaxField], or all of it is more than [MaxDocumentID] octets.
func NewDocumentID(fields []Field) (DocumentID, error) {
	if len(fields) == 0 || len(fields) > MaxFields {
		return "", refused("a document-id has 1 to %d fields, and not %d", MaxFields, len(fields))
	}
	for _, f := range fields {
		if f.Number < 1 || f.Number > MaxField {
			return "", refused("a field's number is 1 to %d, and not %d", MaxField, f.Number)
		}
	}
	id := joinFields(fields)
	if err := id.check(); err != nil {
		return "", err
	}
	return id, nil
}

// joinFields makes a document-id of fields that can be.
func joinFields(fields []Field) DocumentID {
	var b []byte
	for _, f := range fields {
		b = appendElement(b, f.Number, f.Content)
	}
	return DocumentID(b)
}

// check tells whether id can be in a request.
func (id DocumentID) check() error {
	if why := id.wrong(); why != "" {
		return refused("%s", why)
	}
	return nil
}

// wrong says why id can't be in a request; empty: it can.
func (id DocumentID) wrong() string {
	switch {
	case id == "":
		return "a document-id of no octets names nothing"
	case len(id) > MaxDocumentID:
		return fmt.Sprintf("a document-id has at most %d octets, and not %d", MaxDocumentID, len(id))
	}
	return ""
}

// Fields returns the fields that id is made of. ok reports whether it is made of
// fields, as [NewDocumentID] makes it, so that a URL with the fields names the same
// document; if not, only its octets do.
func (id DocumentID) Fields() (list []Field, ok bool) {
	list, ok = id.split()
	if !ok || len(list) == 0 || joinFields(list) != id {
		return nil, false
	}
	return list, true
}

// split reads id as fields, also if their integers are longer than need be. ok
// reports whether all of it is that.
func (id DocumentID) split() (list []Field, ok bool) {
	if len(id) > MaxDocumentID {
		return nil, false
	}
	e := elements{apdu: []byte(id), end: len(id)}
	for e.next() {
		if e.tag < 1 || e.tag > MaxField || len(list) == MaxFields {
			return nil, false
		}
		list = append(list, Field{Number: int(e.tag), Content: e.text()})
	}
	return list, e.err == nil
}

// DocumentID returns the document-id that x names. ok reports whether x is the URL
// of a document.
func (x URL) DocumentID() (id DocumentID, ok bool) {
	switch x.form {
	case NoDocument:
		return "", false
	case OpaqueForm:
		return DocumentID(x.wpath), true
	}
	return joinFields(x.Fields()), true
}

// decodedAgain returns the document-id that the wpath names if it is decoded once more
// than it should be: servers and programs that escaped a wpath as a whole escaped what
// was escaped already. ok reports whether that is another document-id, made of fields.
func (x URL) decodedAgain() (id DocumentID, ok bool) {
	first, ok := x.DocumentID()
	if !ok {
		return "", false
	}
	w, _ := split(x.url)
	text, err := escape.Decode(w.wpath)
	if err != nil {
		return "", false
	}
	if _, err := escape.Decode(text); err != nil {
		return "", false
	}
	r := read(text)
	if r.form == OpaqueForm {
		octets, _ := escape.Decode(text)
		id = DocumentID(octets)
		_, ok = id.Fields()
	} else {
		for range r.faults(0) {
			return "", false
		}
		var list []Field
		for f := range r.fields {
			list = append(list, Field{Number: f.number, Content: bnf.Decode(f.content)})
		}
		id = joinFields(list)
	}
	return id, ok && id != first && id.wrong() == ""
}

// LocalID returns what the server that has the document calls it, or else the one
// that it is from; empty if id does not tell. It is a name to show, and no more.
func (id DocumentID) LocalID() string {
	list, _ := id.split()
	if f, ok := find(list, fieldDistributorLocalID); ok && f != "" {
		return f
	}
	f, _ := find(list, fieldOriginalLocalID)
	return f
}

// name is the last part of the local id, if that is a path: what a file of the
// document may be called.
func (id DocumentID) name() string {
	local := id.LocalID()
	return local[strings.LastIndexByte(local, '/')+1:]
}

// Same reports whether id and other name one document, which different servers may
// have: its original server, database and local id are the same. If they do not say
// its original local id, they are the same if their octets are.
func (id DocumentID) Same(other DocumentID) bool {
	if id == other {
		return true
	}
	mine, mineOK := id.split()
	theirs, theirsOK := other.split()
	if _, ok := find(mine, fieldOriginalLocalID); !ok || !mineOK || !theirsOK {
		return false
	}
	for _, number := range []int{fieldOriginalServer, fieldOriginalDatabase, fieldOriginalLocalID} {
		a, aOK := find(mine, number)
		b, bOK := find(theirs, number)
		if a != b || aOK != bOK {
			return false
		}
	}
	return true
}

// find returns the content of the first field of that number.
func find(list []Field, number int) (content string, ok bool) {
	for _, f := range list {
		if f.Number == number {
			return f.Content, true
		}
	}
	return "", false
}
