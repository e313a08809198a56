package wais

import (
	"bytes"
	"encoding/hex"
	"errors"
	"maps"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

// slowRequest is a simple parser for requests. It returns a *query or a *retrieval, and
// ignores everything else in the request.
func slowRequest(packet []byte) (request any, ok bool) {
	apdu := packet[headerSize:]
	fixed, header, information, ok := slowAPDU(apdu, 22, 10)
	if !ok || len(information) != 1 {
		return nil, false
	}
	texts := map[int64]string{}
	for _, x := range header {
		texts[x.tag] = string(x.value)
	}
	records, ok := slowElements(information[0].value, false)
	switch {
	case ok && information[0].tag == 99 && texts[20] == "3" && hex.EncodeToString(fixed) == "00001e00138800001e01":
		q := &query{Database: texts[18]}
		return q, texts[2] == "" && slowWords(q, records)
	case ok && information[0].tag == 21 && texts[20] == "1" && hex.EncodeToString(fixed) == "00000a00001000000f01" && texts[17] == "FOO":
		r := &retrieval{Database: texts[18], ReferenceID: texts[2]}
		return r, texts[19] == " \x1fDocument Text" && slowTerms(r, records)
	}
	return nil, false
}

func slowWords(q *query, records []slowElement) bool {
	var last *example
	dateFactor := int64(0)
	for _, x := range records {
		n, _ := slowNumber(x.value)
		switch x.tag {
		case 106:
			q.Words = string(x.value)
		case 116:
			q.Examples = append(q.Examples, example{ID: DocumentID(x.value)})
			last = &q.Examples[len(q.Examples)-1]
		case 133:
			last.Wtype = string(x.value)
		case 111:
			dateFactor = n
		case 114:
			q.Max = int(n)
		default:
			return false
		}
	}
	return dateFactor == 1
}

func slowTerms(r *retrieval, records []slowElement) bool {
	const ignored = " ig ig ig ig"
	var shape strings.Builder
	var terms []string
	for _, x := range records {
		shape.WriteString(strconv.FormatInt(x.tag, 10) + " ")
		if x.tag == 45 {
			terms = append(terms, string(x.value))
		} else {
			shape.WriteString(string(x.value) + ";")
		}
	}
	if shape.String() != "44 un re"+ignored+";45 44 wt re"+ignored+";45 46 a;44 wb ro"+ignored+";45 46 a;44 wb rl"+ignored+";45 46 a;" {
		return false
	}
	start, startErr := strconv.ParseInt(terms[2], 10, 64)
	end, endErr := strconv.ParseInt(terms[3], 10, 64)
	r.ID, r.Wtype, r.Start, r.End = DocumentID(terms[0]), terms[1], start, end
	return startErr == nil && endErr == nil
}

// appendRequest encodes a request that slowRequest has returned.
func appendRequest(request any) ([]byte, error) {
	switch r := request.(type) {
	case *query:
		return appendSearch(nil, r)
	case *retrieval:
		return appendRetrieval(nil, r)
	}
	return nil, errors.New("not a request of ours")
}

// notSent lists captured requests that this package does not send, and the reasons.
var notSent = map[string]string{
	"search-feedback-bytes":   "a part of an example",
	"retrieve-lines":          "a part in lines",
	"retrieve-lines-past-end": "a part in lines",
	"present-apdu":            "the first APDU is not a search",
	"retrieve-negative-start": "the range begins before the document",
	"retrieve-no-range":       "it does not say which part",
	"retrieve-no-type":        "it does not say which type",
	"retrieve-paragraph":      `the paragraphs are "001" and "002"`,
	"search-header-version-1": "a packet of version 1",
	"search-header-version-3": "a packet of version 3",
	"two-apdus-in-one-packet": "two APDUs in one packet",
}

// TestAppendCaptured compares encoded requests with captured requests, octet for octet, except
// for Inits.
func TestAppendCaptured(t *testing.T) {
	left := maps.Clone(notSent)
	for _, name := range wireNames(t, ".c2s") {
		for i, packet := range capturedPackets(t, name+".c2s") {
			if packet[headerSize+2] == 20 {
				continue
			}
			request, ok := slowRequest(packet)
			var got []byte
			var err error
			if ok {
				got, err = appendRequest(request)
			}
			if ok && err == nil && bytes.Equal(got, packet) {
				continue
			}
			if notSent[name] == "" {
				t.Errorf("%s: packet %d, %v: %+v, %v\n%s\n%s", name, i, ok, request, err, hex.Dump(got), hex.Dump(packet))
			}
			delete(left, name)
		}
	}
	if len(left) > 0 {
		t.Errorf("sent all the same: %v", left)
	}
}

// TestAppendSearch checks the elements of a captured request.
func TestAppendSearch(t *testing.T) {
	got, err := appendSearch([]byte("before|"), &query{Database: "coast", Words: "lantern", Max: 40})
	want := "before|0000000042z2wais        0" +
		"\x00\x17" + "\x16" + "\x00\x00\x1e\x00\x13\x88\x00\x00\x1e\x01" +
		"\x11\x00" + "\x12\x05coast" + "\x14\x013" +
		"\x63\x0f" + "\x6a\x07lantern" + "\x6f\x01\x01" + "\x72\x01\x28"
	if string(got) != want || err != nil {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	got, err = appendSearch(nil, &query{})
	want = "0000000028z2wais        0" + "\x00\x10" + "\x16" + "\x00\x00\x1e\x00\x13\x88\x00\x00\x1e\x01" +
		"\x11\x00" + "\x14\x013" + "\x63\x08" + "\x6a\x00" + "\x6f\x01\x01" + "\x72\x01\x00"
	if string(got) != want || err != nil {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

func TestAppendSearchRefuses(t *testing.T) {
	good := example{ID: "\x03\x01a", Wtype: "TEXT"}
	for _, c := range []struct {
		query query
		text  string
	}{
		{query{Database: "db@host:210"}, `can't contain "@" (octet 2)`},
		{query{Database: "a\x1fb"}, `can't contain "\x1f" (octet 1)`},
		{query{Database: "\x1e"}, `can't contain "\x1e" (octet 0)`},
		{query{Max: -1}, "-1 documents are out of range"},
		{query{Examples: []example{{Wtype: "TEXT"}}}, "is empty"},
		{query{Examples: []example{{ID: good.ID}}}, `invalid document type ""`},
		{query{Examples: []example{good, {ID: good.ID, Wtype: "A B"}}}, `invalid document type "A B"`},
		{query{Database: strings.Repeat("d", maxHeader-19)}, "more than 1048576 bytes"},
		{query{Words: strings.Repeat("w", 1<<20)}, "more than 1048576 bytes"},
		{query{Database: strings.Repeat("d", 1<<16)}, "its header more than 65535"},
	} {
		got, err := appendSearch([]byte("before"), &c.query)
		checkRefused(t, got, err, c.text)
	}
	if over := int64(maxNumber) + 1; strconv.IntSize > 32 {
		got, err := appendSearch([]byte("before"), &query{Max: int(over)})
		checkRefused(t, got, err, "2147483648 documents are out of range")
	}
	longest := query{Database: strings.Repeat("d", maxHeader-20)}
	if got, err := appendSearch(nil, &longest); err != nil || got[headerSize] != 0xff || got[headerSize+1] != 0xff {
		t.Errorf("%v", err)
	}
}

func checkRefused(t *testing.T, got []byte, err error, text string) {
	t.Helper()
	if string(got) != "before" || !errors.Is(err, locus.ErrValue) || !strings.HasPrefix(err.Error(), "wais: ") || !strings.Contains(err.Error(), text) {
		t.Errorf("%.50q, %v; want an error that says %q", got, err, text)
	}
}

func TestAppendRetrievalRefuses(t *testing.T) {
	for text, change := range map[string]func(*retrieval){
		`can't contain "@" (octet 0)`:    func(r *retrieval) { r.Database = "@" },
		"range -1 to 10":                 func(r *retrieval) { r.Start = -1 },
		"range 11 to 10":                 func(r *retrieval) { r.Start = 11 },
		`invalid document type ""`:       func(r *retrieval) { r.Wtype = "" },
		`invalid document type " "`:      func(r *retrieval) { r.Wtype = " " },
		`invalid document type "A B"`:    func(r *retrieval) { r.Wtype = "A B" },
		`invalid document type "A\n"`:    func(r *retrieval) { r.Wtype = "A\n" },
		`invalid document type "A\x7f"`:  func(r *retrieval) { r.Wtype = "A\x7f" },
		`invalid document type "\xe4"`:   func(r *retrieval) { r.Wtype = "\xe4" },
		`invalid document type "\u00e4"`: func(r *retrieval) { r.Wtype = "ä" },
		"is empty":                       func(r *retrieval) { r.ID = "" },
		"at most 8192 are allowed":       func(r *retrieval) { r.ID = DocumentID(strings.Repeat("a", maxDocumentID+1)) },
		"the request has more than 1048": func(r *retrieval) { r.Wtype = strings.Repeat("T", maxRequest) },
	} {
		r := retrieval{Database: "db", ID: "\x03\x01a", Wtype: "TEXT", End: 10}
		change(&r)
		got, err := appendRetrieval([]byte("before"), &r)
		checkRefused(t, got, err, text)
	}
}

// TestAppendRetrievalSizes checks numbers of several sizes, and lengths of one octet and of
// several octets.
func TestAppendRetrievalSizes(t *testing.T) {
	for _, r := range []retrieval{
		{ID: "a", Wtype: "T"},
		{ID: "a", Wtype: "T", Start: math.MaxInt64, End: math.MaxInt64},
		{Database: strings.Repeat("d", 127), ID: DocumentID(strings.Repeat("i", 128)), Wtype: "A,B", Start: 5, End: 50, ReferenceID: "\x00"},
		{Database: "\x00\r\n/../", ID: DocumentID(strings.Repeat("i", maxDocumentID)), Wtype: "~!", Start: 1, End: 2},
	} {
		packet, err := appendRetrieval(nil, &r)
		if err != nil {
			t.Errorf("%.200v: %v", r, err)
			continue
		}
		if got, ok := slowRequest(packet); !ok || !reflect.DeepEqual(got, &r) {
			t.Errorf("%.200v: %+v", r, got)
		}
	}
}

func TestAppendNoAllocations(t *testing.T) {
	buf := make([]byte, 0, 1000)
	q := &query{Database: "db", Words: "words", Max: 40, Examples: []example{{ID: "\x03\x01a", Wtype: "TEXT"}}}
	r := &retrieval{Database: "db", ID: DocumentID(strings.Repeat("i", 200)), Wtype: "TEXT", Start: 1e9, End: 1e9 + 10000}
	if n := testing.AllocsPerRun(100, func() {
		appendSearch(buf, q)
		appendRetrieval(buf, r)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzAppendSearch checks that slowRequest parses every encoded search.
func FuzzAppendSearch(f *testing.F) {
	f.Add("coast", "lantern", 40, "", "")
	f.Add("db", "", 0, "\x03\x01a", "TEXT")
	f.Add("a\x1fb", "c", -1, "x", " ")
	f.Fuzz(func(t *testing.T, database, words string, most int, id, wtype string) {
		q := query{Database: database, Words: words, Max: most}
		if id != "" || wtype != "" {
			q.Examples = []example{{ID: DocumentID(id), Wtype: wtype}}
		}
		packet, err := appendSearch(nil, &q)
		if err != nil {
			if !errors.Is(err, locus.ErrValue) || len(packet) > 0 {
				t.Errorf("%+v: %q, %v", q, packet, err)
			}
			return
		}
		if got, ok := slowRequest(packet); !ok || !reflect.DeepEqual(got, &q) || len(slowPackets(t, packet)) != 1 {
			t.Errorf("%+v: %q, %+v", q, packet, got)
		}
	})
}

// FuzzAppendRetrieval checks that slowRequest parses every encoded retrieval.
func FuzzAppendRetrieval(f *testing.F) {
	f.Add("coast", "\x03\x01a", "TEXT", int64(0), int64(10000), "3")
	f.Add("", "id", "GIF", int64(5), int64(4), "")
	f.Fuzz(func(t *testing.T, database, id, wtype string, start, end int64, reference string) {
		r := retrieval{Database: database, ID: DocumentID(id), Wtype: wtype, Start: start, End: end, ReferenceID: reference}
		packet, err := appendRetrieval(nil, &r)
		if err != nil {
			if !errors.Is(err, locus.ErrValue) || len(packet) > 0 {
				t.Errorf("%+v: %q, %v", r, packet, err)
			}
			return
		}
		if got, ok := slowRequest(packet); !ok || !reflect.DeepEqual(got, &r) || len(slowPackets(t, packet)) != 1 {
			t.Errorf("%+v: %q, %+v", r, packet, got)
		}
	})
}
