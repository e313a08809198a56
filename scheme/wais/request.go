package wais

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
)

type query struct {
	Database string // database name; empty selects the server's default
	Words    string // search words; empty requests a description of the database
	Max      int    // maximum number of documents in the response
	Examples []example
}

// example is a document that the search results should resemble (relevance feedback).
type example struct {
	ID    DocumentID
	Wtype string
}

// These constants are the query types for words and for a document, and the fixed fields that
// programs of the 1990s send with these types. The fixed fields limit the number of records to
// 30, 5000 and 30, or to 10, 16 and 15. They also permit the server to replace the result set.
const (
	queryWords    = "3"
	queryDocument = "1"

	fixedWords    = "\x00\x00\x1e\x00\x13\x88\x00\x00\x1e\x01"
	fixedDocument = "\x00\x00\x0a\x00\x00\x10\x00\x00\x0f\x01"
)

// appendSearch appends the packet of a search to dst. If it fails, the error wraps
// [locus.ErrValue], and appendSearch returns dst unchanged.
func appendSearch(dst []byte, q *query) ([]byte, error) {
	if err := q.check(); err != nil {
		return dst, err
	}
	p := beginPacket(dst, apduSearch, fixedWords)
	p.text(tagResultSetName, "")
	p.textIf(tagDatabaseNames, q.Database)
	p.text(tagQueryType, queryWords)
	p.endHeader()
	p.text(tagSeedWords, q.Words)
	for _, x := range q.Examples {
		p.text(tagDocumentID, string(x.ID))
		p.text(tagType, x.Wtype)
	}
	const independent = 1
	p.number(tagDateFactor, independent)
	p.number(tagMaxDocuments, int64(q.Max))
	p.groupElements(tagUserInformation)
	return p.finish()
}

func (q *query) check() error {
	if err := refuse(wrongDatabase(q.Database)); err != nil {
		return err
	}
	if q.Max < 0 || int64(q.Max) > maxNumber {
		return invalid("%d documents are out of range (0-%d)", q.Max, maxNumber)
	}
	for _, x := range q.Examples {
		if err := checkDocument(x.ID, x.Wtype); err != nil {
			return err
		}
	}
	return nil
}

type retrieval struct {
	Database    string // database name; empty means the database in the document-id
	ID          DocumentID
	Wtype       string
	Start, End  int64  // byte range, which includes Start but not End
	ReferenceID string // text that the server repeats in its response; empty if none
}

// appendRetrieval appends the packet of a retrieval to dst, in the only format that servers
// accept. It returns the same errors as appendSearch.
func appendRetrieval(dst []byte, r *retrieval) ([]byte, error) {
	if err := r.check(); err != nil {
		return dst, err
	}
	p := beginPacket(dst, apduSearch, fixedDocument)
	p.text(tagResultSetName, "FOO")
	p.textIf(tagDatabaseNames, r.Database)
	p.text(tagQueryType, queryDocument)
	p.text(tagElementSetNames, " \x1fDocument Text")
	p.textIf(tagReferenceID, r.ReferenceID)
	p.endHeader()
	var digits [20]byte
	p.addTerm("un", "re", string(r.ID))
	p.addTerm("wt", "re", r.Wtype)
	p.addAnd()
	p.addTerm("wb", "ro", string(strconv.AppendInt(digits[:0], r.Start, 10)))
	p.addAnd()
	p.addTerm("wb", "rl", string(strconv.AppendInt(digits[:0], r.End, 10)))
	p.addAnd()
	p.groupElements(tagQuery)
	return p.finish()
}

// addTerm appends a term of the query. The first two attributes of the term are useAttribute
// and relationAttribute. Servers ignore the other four attributes.
func (p *packet) addTerm(useAttribute, relationAttribute, text string) {
	const ignored = " ig ig ig ig"
	p.b = append(p.b, tagAttributeList, byte(len(useAttribute)+1+len(relationAttribute)+len(ignored)))
	p.b = append(p.b, useAttribute...)
	p.b = append(p.b, ' ')
	p.b = append(p.b, relationAttribute...)
	p.b = append(p.b, ignored...)
	p.text(tagTerm, text)
}

// addAnd appends the operator "and". The operator combines the two previous terms, because the
// query is in postfix order.
func (p *packet) addAnd() { p.text(tagOperator, "a") }

func (r *retrieval) check() error {
	if err := refuse(wrongDatabase(r.Database)); err != nil {
		return err
	}
	if r.Start < 0 || r.End < r.Start {
		return invalid("invalid range %d to %d: want 0 <= start <= end", r.Start, r.End)
	}
	return checkDocument(r.ID, r.Wtype)
}

// wrongDatabase returns the reason why a request cannot contain the database name. If the name
// is valid, it returns "".
func wrongDatabase(name string) string {
	i := strings.IndexAny(name, "@\x1e\x1f")
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("the name of a database can't contain %s (octet %d): servers read it as another server or name", locus.Quote(name[i:i+1]), i)
}

func checkDocument(id DocumentID, wtype string) error {
	return refuse(cmp.Or(wrongWtype(wtype), id.invalidReason()))
}

// wrongWtype returns the reason why a request cannot contain the type. If the type is valid,
// it returns "".
func wrongWtype(wtype string) string {
	bad := strings.ContainsFunc(wtype, func(r rune) bool { return r <= ' ' || r > '~' })
	if wtype == "" || bad {
		return "invalid document type " + locus.Quote(wtype) + ": use visible ASCII characters without spaces"
	}
	return ""
}

// sendable returns an error if a request cannot contain a part of x.
func (x URL) sendable() error {
	w, _ := split(x.url)
	why, part, offset := wrongDatabase(x.database), "database", w.offset
	if why == "" && x.form != NoDocument {
		why, part, offset = wrongWtype(x.wtype), "wtype", w.wtypeOffset()
		if why == "" {
			id, _ := x.DocumentID()
			why, part, offset = id.invalidReason(), "wpath", w.wpathOffset()
		}
	}
	if why == "" {
		return nil
	}
	return x.url.Errorf(offset, part, "%w: %s", locus.ErrValue, why)
}

func refuse(why string) error {
	if why == "" {
		return nil
	}
	return invalid("%s", why)
}

// invalid returns an error for a value that a request cannot contain.
func invalid(format string, args ...any) error {
	return fmt.Errorf("wais: %w: %s", locus.ErrValue, fmt.Sprintf(format, args...))
}
