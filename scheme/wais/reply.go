package wais

import (
	"fmt"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// InitReply is the answer to an [Init].
type InitReply struct {
	Accepted bool
	// MessageSize and RecordSize are the most octets of an answer and of a record; -1:
	// not specified.
	MessageSize, RecordSize int64
	Implementation          string // octets: the server's maker, name and version
}

// ParseInitReply reads the answer to an [Init]. The error wraps
// [scheme.ErrProtocol].
func ParseInitReply(apdu []byte) (InitReply, error) {
	const resultSize, accepted = 1, 1
	result, e, _, err := openAPDU(apdu, apduInitReply, resultSize)
	if err != nil {
		return InitReply{}, err
	}
	r := InitReply{Accepted: result[0] == accepted, MessageSize: unknown, RecordSize: unknown}
	var implementation []string
	for e.next() {
		switch e.tag {
		case tagPreferredMessageSize:
			r.MessageSize = e.number()
		case tagMaximumRecordSize:
			r.RecordSize = e.number()
		case tagImplementationID, tagImplementationName, tagImplementationVersion:
			implementation = append(implementation, e.text())
		}
	}
	if e.err != nil {
		return InitReply{}, e.err
	}
	r.Implementation = strings.Join(implementation, " ")
	return r, nil
}

// SearchReply is the answer to a [Query] or a [Retrieval]. It leaves out the status
// and the counts, which have no meaning on any known server.
type SearchReply struct {
	Hits        []Hit
	Texts       []Text
	Diagnostics []Diagnostic
	WordsUsed   string // octets; empty: not specified
	ReferenceID string // octets; empty: not repeated
}

// Hit is a document that a search found. Numbers that the server does not specify are
// -1, and texts empty. All texts are octets as the server sent them.
type Hit struct {
	ID            DocumentID // never empty
	Version       int64
	Score         int64    // 0: not a hit, but a document that is shown instead
	BestMatch     int64    // position of the best match in the document
	Length        int64    // octets of the document in the first of its types
	Lines         int64    // of the document; unreliable
	Wtypes        []string // at least one; "TEXT" if not specified
	Source        string   // the database
	Date          string   // yymmdd, yyyymmdd, or "0"
	Headline      string
	City          string // origin of the document
	StockCodes    string
	CompanyCodes  string
	IndustryCodes string
}

// defaultWtype is the type of a document without one.
const defaultWtype = "TEXT"

// Text is a part of a document.
type Text struct {
	ID      DocumentID // empty: not specified
	Version int64      // -1: not specified
	Octets  []byte     // a part of the APDU's memory
}

// Parse reads an answer into r and reuses the memory of r, so that reading the next
// part of a document allocates nothing. r refers to apdu, which must stay unchanged.
// It leaves out hits without a document-id, and everything unknown. The error wraps
// [scheme.ErrProtocol], and r is then empty.
func (r *SearchReply) Parse(apdu []byte) error {
	old := *r
	*r = SearchReply{Hits: r.Hits[:0], Texts: r.Texts[:0], Diagnostics: r.Diagnostics[:0]}
	const fixedSize = 1 + 3 + 3 + 3 // status, result count, number of records, next position
	_, header, information, err := openAPDU(apdu, apduSearchReply, fixedSize)
	if err != nil {
		return err
	}
	for header.next() {
		if header.tag == tagReferenceID {
			r.ReferenceID = keep(old.ReferenceID, header.value())
		}
	}
	if err = header.err; err == nil {
		err = r.readInformation(information)
	}
	if err != nil {
		*r = SearchReply{Hits: r.Hits[:0], Texts: r.Texts[:0], Diagnostics: r.Diagnostics[:0]}
	}
	return err
}

// readInformation reads the group after the header, which has all records.
func (r *SearchReply) readInformation(e elements) error {
	for e.next() {
		if e.tag == tagUserInformation {
			e.err = r.readRecords(e.inside())
		}
	}
	return e.err
}

func (r *SearchReply) readRecords(e elements) error {
	e.records = true
	for e.next() {
		switch e.tag {
		case tagSeedWordsUsed:
			r.WordsUsed = e.text()
		case tagDiagnostic:
			r.Diagnostics = append(r.Diagnostics, parseDiagnostic(e.value()))
		case groupHeader, groupShortHeader, groupLongHeader, groupHeadline, groupCodes:
			e.err = r.readHit(e.inside())
		case groupText:
			e.err = r.readText(e.inside())
		}
	}
	return e.err
}

func (r *SearchReply) readHit(e elements) error {
	h := Hit{Version: unknown, Score: unknown, BestMatch: unknown, Length: unknown, Lines: unknown}
	for e.next() {
		switch e.tag {
		case tagDocumentID:
			h.ID = DocumentID(e.value())
		case tagTypeBlock:
			h.Wtypes, e.err = readTypes(e.inside())
		case tagVersionNumber:
			h.Version = e.number()
		case tagScore:
			h.Score = e.number()
		case tagBestMatch:
			h.BestMatch = e.number()
		case tagDocumentLength:
			h.Length = e.number()
		case tagLines:
			h.Lines = e.number()
		case tagSource:
			h.Source = e.text()
		case tagDate:
			h.Date = e.text()
		case tagHeadline:
			h.Headline = e.text()
		case tagOriginCity:
			h.City = e.text()
		case tagStockCodes:
			h.StockCodes = e.text()
		case tagCompanyCodes:
			h.CompanyCodes = e.text()
		case tagIndustryCodes:
			h.IndustryCodes = e.text()
		}
	}
	if e.err != nil || h.ID == "" {
		return e.err
	}
	if len(h.Wtypes) == 0 {
		h.Wtypes = []string{defaultWtype}
	}
	r.Hits = append(r.Hits, h)
	return nil
}

// readTypes reads a type block, without empty types.
func readTypes(e elements) (list []string, err error) {
	for e.next() {
		if e.tag == tagType && e.start < e.stop {
			list = append(list, e.text())
		}
	}
	return list, e.err
}

func (r *SearchReply) readText(e elements) error {
	r.Texts = slices.Grow(r.Texts, 1)
	before := r.Texts[:len(r.Texts)+1][len(r.Texts)].ID
	t := Text{Version: unknown}
	for e.next() {
		switch e.tag {
		case tagDocumentID:
			t.ID = keep(before, e.value())
		case tagVersionNumber:
			t.Version = e.number()
		case tagDocumentText:
			t.Octets = e.value()
		}
	}
	if e.err != nil {
		return e.err
	}
	r.Texts = append(r.Texts, t)
	return nil
}

// keep returns octets as a text, without an allocation if they equal before.
func keep[T ~string](before T, octets []byte) T {
	if string(before) == string(octets) {
		return before
	}
	return T(octets)
}

// Answers returns an error if r has another Reference-ID than the request: answers
// and requests are out of step, and the connection must be closed. Servers need not
// repeat a Reference-ID.
func (r *SearchReply) Answers(referenceID string) error {
	if r.ReferenceID == "" || r.ReferenceID == referenceID {
		return nil
	}
	return fmt.Errorf("wais: %w: the answer belongs to request %s, not to %s", scheme.ErrProtocol, locus.Quote(r.ReferenceID), locus.Quote(referenceID))
}
