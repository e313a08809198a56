package wais

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
)

// Init proposes the size of answers. It is optional: servers answer without it.
type Init struct {
	MessageSize int // most octets of an answer; 0: 100000
	RecordSize  int // most octets of a record; 0: MessageSize
}

// defaultSize is what programs of the time propose, and servers have.
const defaultSize = 100000

// AppendInit appends the packet of an Init to dst. It has the protocol version, the
// option to search, and the sizes, but nothing about the program and its user.
func AppendInit(dst []byte, i *Init) []byte {
	message := orElse(i.MessageSize, defaultSize)
	p := beginPacket(dst, apduInit, "")
	p.text(tagProtocolVersion, "\x80")
	p.text(tagOptions, "\x80")
	p.number(tagPreferredMessageSize, message)
	p.number(tagMaximumRecordSize, orElse(i.RecordSize, message))
	p.endHeader()
	dst, _ = p.end() // it is never too long
	return dst
}

// orElse returns size, or the default if it is not positive.
func orElse(size int, defaultSize int64) int64 {
	if size <= 0 {
		return defaultSize
	}
	return min(int64(size), maxNumber)
}

// Query is a search for words and for documents that are like examples.
type Query struct {
	Database    string // octets; empty: the server's default
	Words       string // octets; empty: asks for a description of the database
	Max         int    // most documents of the answer
	Examples    []Example
	ReferenceID string // octets that the answer repeats; empty: none
}

// Example is a document, or a part of one, that results should be like (relevance
// feedback).
type Example struct {
	ID         DocumentID
	Wtype      string
	Unit       Unit  // of Start and End
	Start, End int64 // the part begins at Start, from 0, and ends before End
}

// Unit is the unit of a part of a document.
type Unit uint8

const (
	UnitWhole Unit = iota // the whole document, without Start and End
	UnitOctets
	UnitLines
	UnitParagraphs // only for retrievals; no known server supports it
)

func (u Unit) String() string {
	if int(u) < len(units) {
		return units[u].name
	}
	return "unit " + strconv.Itoa(int(u))
}

// units has the names of each Unit: in messages, in retrievals, and in examples.
var units = [...]struct {
	name, use string
	chunkCode int64
}{
	UnitWhole:      {name: "whole"},
	UnitOctets:     {"octets", "wb", 1},
	UnitLines:      {"lines", "wl", 2},
	UnitParagraphs: {name: "paragraphs", use: "wp"},
}

// The query types for words and for a document, and the fixed fields that programs of
// the time send with them: limits of 30, 5000 and 30 records, or 10, 16 and 15, and
// permission to replace the result set.
const (
	queryWords    = "3"
	queryDocument = "1"

	fixedWords    = "\x00\x00\x1e\x00\x13\x88\x00\x00\x1e\x01"
	fixedDocument = "\x00\x00\x0a\x00\x00\x10\x00\x00\x0f\x01"
)

// AppendSearch appends the packet of a search to dst. The error wraps
// [locus.ErrValue], and dst is then returned unchanged: the name of the database
// contains a separator, or "@", with which servers forward the search to another
// server; a number is negative or over 2147483647; a part ends before it starts; an
// example has no type or document-id; or the packet is too long.
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
	if err := refuse(wrongDatabase(q.Database)); err != nil {
		return err
	}
	if q.Max < 0 || int64(q.Max) > maxNumber {
		return invalid("%d documents are out of range (0-%d)", q.Max, maxNumber)
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
			return invalid("a part of an example is counted in octets or lines, not %v", x.Unit)
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

// Retrieval requests a part of a document.
type Retrieval struct {
	Database    string // octets; empty: the one in the document-id
	ID          DocumentID
	Wtype       string
	Unit        Unit // not UnitWhole, which servers don't answer
	Start, End  int64
	ReferenceID string // octets that the answer repeats; empty: none
}

// AppendRetrieval appends the packet of a retrieval to dst: a search for a
// document-id, a type and a part, in the only form that servers accept. The error
// wraps [locus.ErrValue], as for [AppendSearch] and for UnitWhole; dst is then
// returned unchanged.
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

// term appends a term of the query. use and relation are its first two attributes; the
// server ignores the other four.
func (p *packet) term(use, relation, text string) {
	const ignored = " ig ig ig ig"
	p.b = append(p.b, tagAttributeList, byte(len(use)+1+len(relation)+len(ignored)))
	p.b = append(p.b, use...)
	p.b = append(p.b, ' ')
	p.b = append(p.b, relation...)
	p.b = append(p.b, ignored...)
	p.text(tagTerm, text)
}

// and joins the two terms before it: the query is in postfix order.
func (p *packet) and() { p.text(tagOperator, "a") }

func (r *Retrieval) check() error {
	if err := refuse(wrongDatabase(r.Database)); err != nil {
		return err
	}
	if int(r.Unit) >= len(units) || units[r.Unit].use == "" {
		return invalid("a part of a document is counted in octets, lines or paragraphs, not %v", r.Unit)
	}
	if err := checkRange(r.Start, r.End, math.MaxInt64); err != nil {
		return err
	}
	return checkDocument(r.ID, r.Wtype)
}

// wrongDatabase says why name can't be in a request, or returns "".
func wrongDatabase(name string) string {
	i := strings.IndexAny(name, "@\x1e\x1f")
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("the name of a database can't contain %s (octet %d): servers read it as another server or name", locus.Quote(name[i:i+1]), i)
}

func checkRange(start, end, most int64) error {
	if start < 0 || end < start || end > most {
		return invalid("invalid range %d to %d: want 0 <= start <= end <= %d", start, end, most)
	}
	return nil
}

func checkDocument(id DocumentID, wtype string) error {
	return refuse(cmp.Or(wrongWtype(wtype), id.wrong()))
}

// wrongWtype says why wtype can't be in a request, or returns "".
func wrongWtype(wtype string) string {
	bad := strings.ContainsFunc(wtype, func(r rune) bool { return r <= ' ' || r > '~' })
	if wtype == "" || bad {
		return "invalid document type " + locus.Quote(wtype) + ": want visible ASCII characters without blanks"
	}
	return ""
}

// sendable returns an error for the part of x that can't be in a request, or nil.
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

// refuse returns the error for why, or nil if that is "".
func refuse(why string) error {
	if why == "" {
		return nil
	}
	return invalid("%s", why)
}

// invalid returns an error for a value that can't be in a request.
func invalid(format string, args ...any) error {
	return fmt.Errorf("wais: %w: %s", locus.ErrValue, fmt.Sprintf(format, args...))
}
