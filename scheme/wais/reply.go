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
	// MessageSize and RecordSize are the octets that an answer and a record will
	// have at most; -1: the server does not say.
	MessageSize, RecordSize int64
	Implementation          string // octets: who made the server, its name and its version
	ReferenceID             string
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
		case tagReferenceID:
			r.ReferenceID = e.text()
		}
	}
	if e.err != nil {
		return InitReply{}, e.err
	}
	r.Implementation = strings.Join(implementation, " ")
	return r, nil
}

// SearchReply is the answer to a [Query] or to a [Retrieval], as far as it has a
// meaning: no server was found whose status and counts have one.
type SearchReply struct {
	Hits        []Hit
	Texts       []Text
	Diagnostics []Diagnostic
	WordsUsed   string // octets; empty: the server does not say
	ReferenceID string // octets; empty: the server repeats none
}

// Hit is a document that a search found. Numbers are -1 and texts empty if the
// server does not say; all texts are octets, as they came.
type Hit struct {
	ID            DocumentID // never empty
	Version       int64
	Score         int64    // 0: no hit but a document that is shown instead
	BestMatch     int64    // where in the document it is best
	Length        int64    // octets of the document in the first of its types
	Lines         int64    // of the document: for people, and not to be counted on
	Wtypes        []string // at least one; "TEXT" if the server does not say
	Source        string   // the database
	Date          string   // yymmdd, yyyymmdd, or "0"
	Headline      string
	City          string // where the document is from
	StockCodes    string
	CompanyCodes  string
	IndustryCodes string
}

// defaultWtype is the type of a document whose server does not tell it.
const defaultWtype = "TEXT"

// Text is a part of a document.
type Text struct {
	ID      DocumentID // empty: not said
	Version int64      // -1: not said
	Octets  []byte     // where they stand in the APDU
}

// Parse reads an answer into r, in the memory of what r had before: neither that
// nor apdu may be needed still. Hits without a document-id are left out, and so is
// all that is not known. The error wraps [scheme.ErrProtocol]; then r is empty.
//
// Reading the next part of a document takes no memory.
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

// readInformation reads what follows the header: one group, with all the records.
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
		if n := h.number(e.tag); n != nil {
			*n = e.number()
		} else if s := h.text(e.tag); s != nil {
			*s = e.text()
		} else if e.tag == tagDocumentID {
			h.ID = DocumentID(e.value())
		} else if e.tag == tagTypeBlock {
			h.Wtypes, e.err = readTypes(e.inside())
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

// number returns which number of h has that tag, or nil.
func (h *Hit) number(tag int64) *int64 {
	switch tag {
	case tagVersionNumber:
		return &h.Version
	case tagScore:
		return &h.Score
	case tagBestMatch:
		return &h.BestMatch
	case tagDocumentLength:
		return &h.Length
	case tagLines:
		return &h.Lines
	}
	return nil
}

// text returns which text of h has that tag, or nil.
func (h *Hit) text(tag int64) *string {
	switch tag {
	case tagSource:
		return &h.Source
	case tagDate:
		return &h.Date
	case tagHeadline:
		return &h.Headline
	case tagOriginCity:
		return &h.City
	case tagStockCodes:
		return &h.StockCodes
	case tagCompanyCodes:
		return &h.CompanyCodes
	case tagIndustryCodes:
		return &h.IndustryCodes
	}
	return nil
}

// readTypes reads a type block. A type that is not there is none.
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

// keep returns octets as a text: the one that was there before if it is the same.
func keep[T ~string](before T, octets []byte) T {
	if string(before) == string(octets) {
		return before
	}
	return T(octets)
}

// Answers returns an error if r repeats another Reference-ID than that of the
// request: answers and requests are out of step, and the connection is to be
// closed. A server need not repeat it.
func (r *SearchReply) Answers(referenceID string) error {
	if r.ReferenceID == "" || r.ReferenceID == referenceID {
		return nil
	}
	return fmt.Errorf("wais: %w: the answer is to the request %s, and not to %s", scheme.ErrProtocol, locus.Quote(r.ReferenceID), locus.Quote(referenceID))
}
