package wais

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
)

// Init asks for a buffer of a size (optional: servers answer without). The zero
// value is sensible.
type Init struct {
	MessageSize int // octets that one answer should have at most; 0: 100000
	RecordSize  int // octets that one record may have at most; 0: MessageSize
	// ReferenceID is any octets, at most 255; more are left out, as no server is
	// known that repeats it.
	ReferenceID string
}

// The size that programs of the time offer, and servers have.
const usualSize = 100000

const maxReferenceID = 255

// AppendInit appends the packet of an Init to dst. It says which version of the
// protocol is spoken, that there will be searches, and the sizes: nothing about the
// program and who uses it.
func AppendInit(dst []byte, i *Init) []byte {
	message := orElse(i.MessageSize, usualSize)
	p := beginPacket(dst, apduInit, "")
	p.text(tagProtocolVersion, "\x80")
	p.text(tagOptions, "\x80")
	p.number(tagPreferredMessageSize, message)
	p.number(tagMaximumRecordSize, orElse(i.RecordSize, message))
	if len(i.ReferenceID) <= maxReferenceID {
		p.textIf(tagReferenceID, i.ReferenceID)
	}
	p.endHeader()
	dst, _ = p.end() // It is never too long.
	return dst
}

// orElse returns size if it is one, and else the other.
func orElse(size int, other int64) int64 {
	if size <= 0 {
		return other
	}
	return min(int64(size), maxNumber)
}

// Query is a search: for words, and for what is like the examples.
type Query struct {
	Database    string // octets; empty: the one that the server takes then
	Words       string // octets; empty: for a description of the database
	Max         int    // the most documents that are wanted
	Examples    []Example
	ReferenceID string // octets that the answer repeats; empty: none
}

// Example is a document, or a part of one, that is like what is looked for
// (relevance feedback).
type Example struct {
	ID         DocumentID
	Wtype      string
	Unit       Unit // UnitWhole: all of the document
	Start, End int64
}

// Unit is what a part of a document is counted in. It begins with Start, from 0,
// and ends before End.
type Unit uint8

const (
	UnitWhole Unit = iota // all of the document: it has no Start and End
	UnitOctets
	UnitLines
	UnitParagraphs // of retrievals alone; no server is known that has it
)

func (u Unit) String() string {
	if int(u) < len(units) {
		return units[u].name
	}
	return "unit " + strconv.Itoa(int(u))
}

// units are what a Unit is called: in a message, in a retrieval, and in an example.
var units = [...]struct {
	name, use string
	chunkCode int64
}{
	UnitWhole:      {name: "whole"},
	UnitOctets:     {"octets", "wb", 1},
	UnitLines:      {"lines", "wl", 2},
	UnitParagraphs: {name: "paragraphs", use: "wp"},
}

// queryWords and queryDocument are the types of query: for words, and for a
// document. fixedWords and fixedDocument are the fixed fields that programs of the
// time send with them: bounds of 30, 5000 and 30 records, or 10, 16 and 15, and
// that the result set may be replaced.
const (
	queryWords    = "3"
	queryDocument = "1"

	fixedWords    = "\x00\x00\x1e\x00\x13\x88\x00\x00\x1e\x01"
	fixedDocument = "\x00\x00\x0a\x00\x00\x10\x00\x00\x0f\x01"
)

// AppendSearch appends the packet of a search to dst. The error wraps
// [locus.ErrValue], and then dst is returned as it was: the name of the database
// has an octet that separates names, or "@", with which servers send the search to
// another one; a number is negative, or above 2147483647; a part that ends before it
// starts; an example without a type or a document-id; all of it is too long.
func AppendSearch(dst []byte, q *Query) ([]byte, error) {
	if err := q.check(); err != nil {
		return dst, err
	}
	p := beginPacket(dst, apduSearch, fixedWords)
	p.text(tagResultSetName, "")
	p.textIf(tagDatabaseNames, q.Database)
	p.text(tagQueryType, queryWords)
	p.textIf(tagReferenceID, q.ReferenceID)
	p.endHeader()
	p.text(tagSeedWords, q.Words)
	for i := range q.Examples {
		p.example(&q.Examples[i])
	}
	const independent = 1
	p.number(tagDateFactor, independent)
	p.number(tagMaxDocuments, int64(q.Max))
	p.group(tagUserInformation)
	return p.end()
}

func (q *Query) check() error {
	if err := checkDatabase(q.Database); err != nil {
		return err
	}
	if q.Max < 0 || int64(q.Max) > maxNumber {
		return refused("a search gives 0 to %d documents, and not %d", maxNumber, q.Max)
	}
	for i := range q.Examples {
		if err := q.Examples[i].check(); err != nil {
			return err
		}
	}
	return nil
}

func (x *Example) check() error {
	if x.Unit != UnitWhole {
		if int(x.Unit) >= len(units) || units[x.Unit].chunkCode == 0 {
			return refused("a part of an example is octets or lines, and not %v", x.Unit)
		}
		if err := checkRange(x.Start, x.End, maxNumber); err != nil {
			return err
		}
	}
	return checkDocument(x.ID, x.Wtype)
}

func (p *packet) example(x *Example) {
	if x.Unit == UnitWhole {
		p.text(tagDocumentID, string(x.ID))
		p.text(tagType, x.Wtype)
		return
	}
	p.text(tagDocumentIDChunk, string(x.ID))
	p.text(tagType, x.Wtype)
	p.number(tagChunkCode, units[x.Unit].chunkCode)
	p.number(tagChunkStartID, x.Start)
	p.number(tagChunkEndID, x.End)
}

// Retrieval asks for a part of a document.
type Retrieval struct {
	Database    string // octets; empty: the one that the document-id has
	ID          DocumentID
	Wtype       string
	Unit        Unit // not UnitWhole: to that, servers answer with nothing
	Start, End  int64
	ReferenceID string // octets that the answer repeats; empty: none
}

// AppendRetrieval appends the packet of a retrieval to dst: a search for a
// document-id, a type and a part, in the one shape that servers take. The error
// wraps [locus.ErrValue], and then dst is returned as it was: as for
// [AppendSearch], and if it is not told which part.
func AppendRetrieval(dst []byte, r *Retrieval) ([]byte, error) {
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
	use := units[r.Unit].use
	p.term("un", "re", string(r.ID))
	p.term("wt", "re", r.Wtype)
	p.and()
	p.term(use, "ro", string(strconv.AppendInt(digits[:0], r.Start, 10)))
	p.and()
	p.term(use, "rl", string(strconv.AppendInt(digits[:0], r.End, 10)))
	p.and()
	p.group(tagQuery)
	return p.end()
}

// term appends a term of the query: use and relation are what its text is and what
// it is to be, and the other four attributes are to be ignored.
func (p *packet) term(use, relation, text string) {
	const ignored = " ig ig ig ig"
	p.b = append(p.b, tagAttributeList, byte(len(use)+1+len(relation)+len(ignored)))
	p.b = append(p.b, use...)
	p.b = append(p.b, ' ')
	p.b = append(p.b, relation...)
	p.b = append(p.b, ignored...)
	p.text(tagTerm, text)
}

// and joins the two terms before it, as the query is in postfix order.
func (p *packet) and() { p.text(tagOperator, "a") }

func (r *Retrieval) check() error {
	if err := checkDatabase(r.Database); err != nil {
		return err
	}
	if int(r.Unit) >= len(units) || units[r.Unit].use == "" {
		return refused("a part of a document is octets, lines or paragraphs, and not %v", r.Unit)
	}
	if err := checkRange(r.Start, r.End, math.MaxInt64); err != nil {
		return err
	}
	return checkDocument(r.ID, r.Wtype)
}

// checkDatabase tells whether a name can be in a request as that of one database
// of this server.
func checkDatabase(name string) error {
	if why := wrongDatabase(name); why != "" {
		return refused("%s", why)
	}
	return nil
}

// wrongDatabase says what can't be in the name of a database; empty: all can.
func wrongDatabase(name string) string {
	i := strings.IndexAny(name, "@\x1e\x1f")
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("%s at octet %d can't be in the name of a database: servers read it as another server, or as another name", locus.Quote(name[i:i+1]), i)
}

func checkRange(start, end, most int64) error {
	if start < 0 || end < start || end > most {
		return refused("from %d to %d is no range: it begins with 0 or later, ends at its start or later, and with %d at most", start, end, most)
	}
	return nil
}

func checkDocument(id DocumentID, wtype string) error {
	if why := wrongWtype(wtype); why != "" {
		return refused("%s", why)
	}
	return id.check()
}

// wrongWtype says why a type can't be in a request; empty: it can.
func wrongWtype(wtype string) string {
	bad := strings.ContainsFunc(wtype, func(r rune) bool { return r <= ' ' || r > '~' })
	if wtype == "" || bad {
		return locus.Quote(wtype) + " is no type of a document: visible characters of ASCII, and no blank"
	}
	return ""
}

// sendable returns which part of x can't be in a request, or nil.
func (x URL) sendable() error {
	w, _ := split(x.url)
	why, part, offset := wrongDatabase(x.database), "database", w.offset
	if why == "" && x.form != NoDocument {
		why, part, offset = wrongWtype(x.wtype), "wtype", w.wtypeOffset()
		if why == "" {
			id, _ := x.DocumentID()
			why, part, offset = id.wrong(), "wpath", w.wpathOffset()
		}
	}
	if why == "" {
		return nil
	}
	return x.url.Errorf(offset, part, "%w: %s", locus.ErrValue, why)
}

// refused is the error for a request that is not sent.
func refused(format string, args ...any) error {
	return fmt.Errorf("wais: %w: %s", locus.ErrValue, fmt.Sprintf(format, args...))
}
