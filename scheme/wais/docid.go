package wais

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus/escape"
)

// DocumentID holds the octets of a document-id. A request must repeat the octets that the
// server sent, because only the server can interpret them (RFC 1738 section 3.9). DocumentIDs
// are comparable with ==. Most servers build a document-id from elements, which a URL
// represents as fields.
type DocumentID string

const maxDocumentID = 8192

// These constants are the numbers of the fields that the client interprets.
const (
	fieldOriginalLocalID    = 3
	fieldDistributorLocalID = 6
)

// newDocumentID returns a document-id with the given fields. The error wraps [locus.ErrValue].
func newDocumentID(fields []Field) (DocumentID, error) {
	if len(fields) == 0 || len(fields) > maxFields {
		return "", invalid("a document-id has 1 to %d fields, not %d", maxFields, len(fields))
	}
	for _, f := range fields {
		if f.Number < 1 || f.Number > maxField {
			return "", invalid("field number %d is out of range (1-%d)", f.Number, maxField)
		}
	}
	id := joinFields(fields)
	if err := refuse(id.invalidReason()); err != nil {
		return "", err
	}
	return id, nil
}

func joinFields(fields []Field) DocumentID {
	var b []byte
	for _, f := range fields {
		b = appendElement(b, f.Number, f.Content)
	}
	return DocumentID(b)
}

// invalidReason returns the reason why a request cannot contain id. If id is valid, it returns
// "".
func (id DocumentID) invalidReason() string {
	switch {
	case id == "":
		return "the document-id is empty"
	case len(id) > maxDocumentID:
		return fmt.Sprintf("the document-id has %d octets, and at most %d are allowed", len(id), maxDocumentID)
	}
	return ""
}

// Fields returns the fields of id. The result ok reports whether the fields represent the
// document-id exactly. If ok is false, only the octets identify the document.
func (id DocumentID) Fields() (list []Field, ok bool) {
	list, ok = id.split()
	if !ok || len(list) == 0 || joinFields(list) != id {
		return nil, false
	}
	return list, true
}

// split parses id as a list of fields. It accepts integers that are not in the shortest
// encoding. If id does not consist of fields, ok is false.
func (id DocumentID) split() (list []Field, ok bool) {
	if len(id) > maxDocumentID {
		return nil, false
	}
	e := elements{apdu: []byte(id), end: len(id)}
	for e.readElement() {
		if e.tag < 1 || e.tag > maxField || len(list) == maxFields {
			return nil, false
		}
		list = append(list, Field{Number: int(e.tag), Content: e.text()})
	}
	return list, e.err == nil
}

// DocumentID returns the document-id in x. The result ok reports whether x names a document.
func (x URL) DocumentID() (id DocumentID, ok bool) {
	switch x.form {
	case NoDocument:
		return "", false
	case OpaqueForm:
		return DocumentID(x.wpath), true
	}
	return joinFields(x.Fields()), true
}

// decodedAgain decodes the wpath a second time, because some servers and programs escaped a
// wpath twice. It returns the resulting document-id. If the document-id is unchanged, or does
// not consist of fields, ok is false.
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
	r := readWpath(text)
	if r.form == OpaqueForm {
		octets, _ := escape.Decode(text)
		id = DocumentID(octets)
		_, ok = id.Fields()
	} else {
		for range r.faults(0) {
			return "", false
		}
		id = joinFields(r.decoded())
	}
	return id, ok && id != first && id.invalidReason() == ""
}

// LocalID returns the local id that the distributor assigned to the document. If it is
// missing, LocalID returns the local id that the original server assigned, or "" if both are
// missing. A program may show a local id, but must not interpret it.
func (id DocumentID) LocalID() string {
	list, _ := id.split()
	if f, ok := find(list, fieldDistributorLocalID); ok && f != "" {
		return f
	}
	f, _ := find(list, fieldOriginalLocalID)
	return f
}

// name returns a file name, which is the last path element of the local id.
func (id DocumentID) name() string {
	local := id.LocalID()
	return local[strings.LastIndexByte(local, '/')+1:]
}

func find(list []Field, number int) (content string, ok bool) {
	for _, f := range list {
		if f.Number == number {
			return f.Content, true
		}
	}
	return "", false
}
