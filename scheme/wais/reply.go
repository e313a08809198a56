package wais

import (
	"fmt"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// searchReply is the parsed response to a search or retrieval. It omits the status and the
// counts, because known servers set them to arbitrary values.
type searchReply struct {
	Hits        []hit
	Texts       [][]byte // texts of a document, which share the memory of the APDU
	Diagnostics []Diagnostic
	ReferenceID string // Reference-ID; empty if the server does not repeat it
}

// hit is a document that a search found. A number that the server does not send is -1, and a
// text that it does not send is empty. All texts are unchanged from the server's response.
type hit struct {
	ID       DocumentID // document-id; never empty
	Score    int64      // score; 0 means that the document is not a result of the search
	Length   int64      // size of the document in its first type, in bytes
	Lines    int64      // number of lines in the document; unreliable
	Wtypes   []string   // types of the document, at least one; "TEXT" if the server sends none
	Source   string     // name of the database
	Date     string     // date as yymmdd or yyyymmdd, or "0"
	Headline string
}

const defaultWtype = "TEXT"

// parse parses a response into r, and reuses the memory of r. Afterwards, r refers to apdu, so
// the caller must not change apdu. Hits without a document-id are omitted. If parse fails, r
// is empty.
func (r *searchReply) parse(apdu []byte) error {
	*r = searchReply{Hits: r.Hits[:0], Texts: r.Texts[:0], Diagnostics: r.Diagnostics[:0]}
	const fixedSize = 1 + 3 + 3 + 3 // status, number of results, number of records and next position
	_, header, information, err := openAPDU(apdu, apduSearchReply, fixedSize)
	if err != nil {
		return err
	}
	for header.readElement() {
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

// readInformation parses the group after the header, which contains all records.
func (r *searchReply) readInformation(e elements) error {
	for e.readElement() {
		if e.tag == tagUserInformation {
			e.err = r.readRecords(e.inside())
		}
	}
	return e.err
}

func (r *searchReply) readRecords(e elements) error {
	e.records = true
	for e.readElement() {
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
	h := hit{Score: unknownNumber, Length: unknownNumber, Lines: unknownNumber}
	for e.readElement() {
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

// readTypes parses a type block. It ignores empty types.
func readTypes(e elements) (list []string, err error) {
	for e.readElement() {
		if e.tag == tagType && e.start < e.stop {
			list = append(list, e.text())
		}
	}
	return list, e.err
}

func readText(e elements) (octets []byte, err error) {
	for e.readElement() {
		if e.tag == tagDocumentText {
			octets = e.value()
		}
	}
	return octets, e.err
}

// checkReferenceID returns an error if r contains a Reference-ID other than that of the
// request. The response then belongs to another request, and the caller must close the
// connection. Servers need not repeat a Reference-ID.
func (r *searchReply) checkReferenceID(referenceID string) error {
	if r.ReferenceID == "" || r.ReferenceID == referenceID {
		return nil
	}
	return fmt.Errorf("wais: %w: the response belongs to request %s, not to %s", scheme.ErrProtocol, locus.Quote(r.ReferenceID), locus.Quote(referenceID))
}
