package wais

import (
	"fmt"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// searchReply is the response to a query or a retrieval. It omits the status
// and the counts, which have no meaning on any known server.
type searchReply struct {
	Hits        []hit
	Texts       [][]byte // parts of a document, in the memory of the APDU
	Diagnostics []Diagnostic
	ReferenceID string // octets; empty if not repeated
}

// hit is a document that a search found. If the server does not specify a number, it
// is -1; if it does not specify a text, the text is empty. All texts are octets as
// the server sent them.
type hit struct {
	ID       DocumentID // never empty
	Score    int64      // 0 means that it is not a hit, but a document that the server shows instead
	Length   int64      // octets of the document in the first of its types
	Lines    int64      // lines of the document; unreliable
	Wtypes   []string   // at least one; "TEXT" if not specified
	Source   string     // the database
	Date     string     // yymmdd, yyyymmdd, or "0"
	Headline string
}

const defaultWtype = "TEXT"

// parse reads a response into r and reuses its memory. r refers to apdu, which the
// caller must not change. parse omits hits without a document-id. If it fails, r is
// empty.
func (r *searchReply) parse(apdu []byte) error {
	*r = searchReply{Hits: r.Hits[:0], Texts: r.Texts[:0], Diagnostics: r.Diagnostics[:0]}
	const fixedSize = 1 + 3 + 3 + 3 // status, result count, number of records, next position
	_, header, information, err := openAPDU(apdu, apduSearchReply, fixedSize)
	if err != nil {
		return err
	}
	for header.next() {
		if header.tag == tagReferenceID {
			r.ReferenceID = string(header.value())
		}
	}
	if err = header.err; err == nil {
		err = r.readInformation(information)
	}
	if err != nil {
		*r = searchReply{Hits: r.Hits[:0], Texts: r.Texts[:0], Diagnostics: r.Diagnostics[:0]}
	}
	return err
}

// readInformation reads the group after the header, which contains all records.
func (r *searchReply) readInformation(e elements) error {
	for e.next() {
		if e.tag == tagUserInformation {
			e.err = r.readRecords(e.inside())
		}
	}
	return e.err
}

func (r *searchReply) readRecords(e elements) error {
	e.records = true
	for e.next() {
		switch e.tag {
		case tagDiagnostic:
			r.Diagnostics = append(r.Diagnostics, parseDiagnostic(e.value()))
		case groupHeader, groupShortHeader, groupLongHeader, groupHeadline, groupCodes:
			e.err = r.readHit(e.inside())
		case groupText:
			var octets []byte
			octets, e.err = readText(e.inside())
			r.Texts = append(r.Texts, octets)
		}
	}
	return e.err
}

func (r *searchReply) readHit(e elements) error {
	h := hit{Score: unknown, Length: unknown, Lines: unknown}
	for e.next() {
		switch e.tag {
		case tagDocumentID:
			h.ID = DocumentID(e.value())
		case tagTypeBlock:
			h.Wtypes, e.err = readTypes(e.inside())
		case tagScore:
			h.Score = e.number()
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

// readTypes reads a type block and skips empty types.
func readTypes(e elements) (list []string, err error) {
	for e.next() {
		if e.tag == tagType && e.start < e.stop {
			list = append(list, e.text())
		}
	}
	return list, e.err
}

func readText(e elements) (octets []byte, err error) {
	for e.next() {
		if e.tag == tagDocumentText {
			octets = e.value()
		}
	}
	return octets, e.err
}

// answers returns an error if the Reference-ID of r differs from the request's:
// responses and requests are out of step, and the connection must be closed.
// Servers need not repeat a Reference-ID.
func (r *searchReply) answers(referenceID string) error {
	if r.ReferenceID == "" || r.ReferenceID == referenceID {
		return nil
	}
	return fmt.Errorf("wais: %w: the response belongs to request %s, not to %s", scheme.ErrProtocol, locus.Quote(r.ReferenceID), locus.Quote(referenceID))
}
