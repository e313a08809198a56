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

// slowRequest is a readable reader of requests. It returns an *Init, a *Query or a
// *Retrieval, and ignores everything else in the request.
func slowRequest(packet []byte) (request any, ok bool) {
	apdu := packet[headerSize:]
	if fixed, header, _, ok := slowAPDU(apdu, 20, 0); ok {
		return slowInit(fixed, header)
	}
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
		q := &Query{Database: texts[18], ReferenceID: texts[2]}
		return q, slowWords(q, records)
	case ok && information[0].tag == 21 && texts[20] == "1" && hex.EncodeToString(fixed) == "00000a00001000000f01" && texts[17] == "FOO":
		r := &Retrieval{Database: texts[18], ReferenceID: texts[2]}
		return r, texts[19] == " \x1fDocument Text" && slowTerms(r, records)
	}
	return nil, false
}

func slowInit(_ []byte, header []slowElement) (*Init, bool) {
	i, bits := &Init{}, ""
	for _, x := range header {
		n, _ := slowNumber(x.value)
		switch x.tag {
		case 3, 4:
			bits += string(x.value)
		case 5:
			i.MessageSize = int(n)
		case 6:
			i.RecordSize = int(n)
		}
	}
	return i, bits == "\x80\x80"
}

func slowWords(q *Query, records []slowElement) bool {
	var last *Example
	dateFactor := int64(0)
	for _, x := range records {
		n, _ := slowNumber(x.value)
		switch x.tag {
		case 106:
			q.Words = string(x.value)
		case 116, 107:
			q.Examples = append(q.Examples, Example{ID: DocumentID(x.value)})
			last = &q.Examples[len(q.Examples)-1]
		case 133:
			last.Wtype = string(x.value)
		case 100:
			last.Unit = Unit(n)
		case 108:
			last.Start = n
		case 109:
			last.End = n
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

func slowTerms(r *Retrieval, records []slowElement) bool {
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
	for unit, use := range map[Unit]string{UnitOctets: "wb", UnitLines: "wl", UnitParagraphs: "wp"} {
		want := "44 un re" + ignored + ";45 44 wt re" + ignored + ";45 46 a;" +
			"44 " + use + " ro" + ignored + ";45 46 a;44 " + use + " rl" + ignored + ";45 46 a;"
		if shape.String() != want {
			continue
		}
		start, startErr := strconv.ParseInt(terms[2], 10, 64)
		end, endErr := strconv.ParseInt(terms[3], 10, 64)
		r.ID, r.Wtype, r.Unit, r.Start, r.End = DocumentID(terms[0]), terms[1], unit, start, end
		return startErr == nil && endErr == nil
	}
	return false
}

// appendRequest writes a request that slowRequest returned.
func appendRequest(request any) ([]byte, error) {
	switch r := request.(type) {
	case *Init:
		return AppendInit(nil, r), nil
	case *Query:
		return AppendSearch(nil, r)
	case *Retrieval:
		return AppendRetrieval(nil, r)
	}
	return nil, errors.New("not a request of ours")
}

// notSent has the captured requests that this package does not send, and the reason.
var notSent = map[string]string{
	"init-rejected":           "the Init wants the facility Present",
	"present-apdu":            "the first APDU is not a search",
	"retrieve-negative-start": "the range begins before the document",
	"retrieve-no-range":       "it does not say which part",
	"retrieve-no-type":        "it does not say which type",
	"retrieve-paragraph":      `the paragraphs are "001" and "002"`,
	"search-header-version-1": "a packet of version 1",
	"search-header-version-3": "a packet of version 3",
	"two-apdus-in-one-packet": "two APDUs in one packet",
}

// TestAppendCaptured compares requests with captured ones, octet for octet; an Init
// without its sender.
func TestAppendCaptured(t *testing.T) {
	left := maps.Clone(notSent)
	for _, name := range wireNames(t, ".c2s") {
		for i, packet := range capturedPackets(t, name+".c2s") {
			if packet[headerSize+2] == apduInit {
				packet = withoutSender(t, packet)
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

// withoutSender returns a captured Init without the sender and an unknown element.
func withoutSender(t *testing.T, packet []byte) []byte {
	t.Helper()
	_, header, _, ok := slowAPDU(packet[headerSize:], apduInit, 0)
	if !ok {
		t.Fatalf("%q", packet)
	}
	p := beginPacket(nil, apduInit, "")
	for _, x := range header {
		if x.tag < 7 {
			p.text(int(x.tag), string(x.value))
		}
	}
	p.endHeader()
	b, err := p.end()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestAppendSearch spells out a captured request.
func TestAppendSearch(t *testing.T) {
	got, err := AppendSearch([]byte("before|"), &Query{Database: "coast", Words: "lantern", Max: 40})
	want := "before|0000000042z2wais        0" +
		"\x00\x17" + "\x16" + "\x00\x00\x1e\x00\x13\x88\x00\x00\x1e\x01" +
		"\x11\x00" + "\x12\x05coast" + "\x14\x013" +
		"\x63\x0f" + "\x6a\x07lantern" + "\x6f\x01\x01" + "\x72\x01\x28"
	if string(got) != want || err != nil {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	got, err = AppendSearch(nil, &Query{ReferenceID: "r"})
	want = "0000000031z2wais        0" + "\x00\x13" + "\x16" + "\x00\x00\x1e\x00\x13\x88\x00\x00\x1e\x01" +
		"\x11\x00" + "\x14\x013" + "\x02\x01r" + "\x63\x08" + "\x6a\x00" + "\x6f\x01\x01" + "\x72\x01\x00"
	if string(got) != want || err != nil {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

func TestAppendInit(t *testing.T) {
	for _, c := range []struct {
		init Init
		want string // the elements after version and options
	}{
		{Init{}, "\x05\x03\x01\x86\xa0" + "\x06\x03\x01\x86\xa0"},
		{Init{MessageSize: 200}, "\x05\x01\xc8" + "\x06\x01\xc8"},
		{Init{MessageSize: 256, RecordSize: 1}, "\x05\x02\x01\x00" + "\x06\x01\x01"},
		{Init{MessageSize: math.MaxInt, RecordSize: -1}, "\x05\x04\x7f\xff\xff\xff" + "\x06\x04\x7f\xff\xff\xff"},
	} {
		n := len("\x14\x03\x01\x80\x04\x01\x80") + len(c.want)
		want := "before|" + testHeader(2+n) + string([]byte{byte(n >> 8), byte(n)}) + "\x14\x03\x01\x80\x04\x01\x80" + c.want
		if got := AppendInit([]byte("before|"), &c.init); string(got) != want {
			t.Errorf("%+v: %q; want %q", c.init, got, want)
		}
	}
}

func TestAppendSearchRefuses(t *testing.T) {
	good := Example{ID: "\x03\x01a", Wtype: "TEXT"}
	part := func(unit Unit, start, end int64) []Example {
		return []Example{good, {ID: good.ID, Wtype: good.Wtype, Unit: unit, Start: start, End: end}}
	}
	for _, c := range []struct {
		query Query
		text  string
	}{
		{Query{Database: "db@host:210"}, `can't contain "@" (octet 2)`},
		{Query{Database: "a\x1fb"}, `can't contain "\x1f" (octet 1)`},
		{Query{Database: "\x1e"}, `can't contain "\x1e" (octet 0)`},
		{Query{Max: -1}, "-1 documents are out of range"},
		{Query{Examples: []Example{{Wtype: "TEXT"}}}, "is empty"},
		{Query{Examples: []Example{{ID: good.ID}}}, `invalid document type ""`},
		{Query{Examples: part(UnitOctets, -1, 1)}, "range -1 to 1"},
		{Query{Examples: part(UnitLines, 2, 1)}, "range 2 to 1"},
		{Query{Examples: part(UnitLines, 0, maxNumber+1)}, "range 0 to 2147483648"},
		{Query{Examples: part(UnitParagraphs, 0, 1)}, "not paragraphs"},
		{Query{Examples: part(200, 0, 1)}, "not unit 200"},
		{Query{Database: strings.Repeat("d", maxHeader-19)}, "more than 1048576 octets"},
		{Query{Words: strings.Repeat("w", 1<<20)}, "more than 1048576 octets"},
		{Query{ReferenceID: strings.Repeat("r", 1<<16)}, "its header more than 65535"},
	} {
		got, err := AppendSearch([]byte("before"), &c.query)
		checkRefused(t, got, err, c.text)
	}
	if over := int64(maxNumber) + 1; strconv.IntSize > 32 {
		got, err := AppendSearch([]byte("before"), &Query{Max: int(over)})
		checkRefused(t, got, err, "2147483648 documents are out of range")
	}
	longest := Query{Database: strings.Repeat("d", maxHeader-20)}
	if got, err := AppendSearch(nil, &longest); err != nil || got[headerSize] != 0xff || got[headerSize+1] != 0xff {
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
	for text, change := range map[string]func(*Retrieval){
		`can't contain "@" (octet 0)`:    func(r *Retrieval) { r.Database = "@" },
		"not whole":                      func(r *Retrieval) { r.Unit = UnitWhole },
		"not unit 4":                     func(r *Retrieval) { r.Unit = 4 },
		"range -1 to 10":                 func(r *Retrieval) { r.Start = -1 },
		"range 11 to 10":                 func(r *Retrieval) { r.Start = 11 },
		`invalid document type ""`:       func(r *Retrieval) { r.Wtype = "" },
		`invalid document type " "`:      func(r *Retrieval) { r.Wtype = " " },
		`invalid document type "A B"`:    func(r *Retrieval) { r.Wtype = "A B" },
		`invalid document type "A\n"`:    func(r *Retrieval) { r.Wtype = "A\n" },
		`invalid document type "A\x7f"`:  func(r *Retrieval) { r.Wtype = "A\x7f" },
		`invalid document type "\xe4"`:   func(r *Retrieval) { r.Wtype = "\xe4" },
		`invalid document type "\u00e4"`: func(r *Retrieval) { r.Wtype = "ä" },
		"is empty":                       func(r *Retrieval) { r.ID = "" },
		"at most 8192 are allowed":       func(r *Retrieval) { r.ID = DocumentID(strings.Repeat("a", MaxDocumentID+1)) },
		"the request has more than 1048": func(r *Retrieval) { r.Wtype = strings.Repeat("T", maxRequest) },
	} {
		r := Retrieval{Database: "db", ID: "\x03\x01a", Wtype: "TEXT", Unit: UnitOctets, End: 10}
		change(&r)
		got, err := AppendRetrieval([]byte("before"), &r)
		checkRefused(t, got, err, text)
	}
}

// Numbers of several sizes, and lengths of one octet and of more.
func TestAppendRetrievalSizes(t *testing.T) {
	for _, r := range []Retrieval{
		{ID: "a", Wtype: "T", Unit: UnitOctets},
		{ID: "a", Wtype: "T", Unit: UnitOctets, Start: math.MaxInt64, End: math.MaxInt64},
		{Database: strings.Repeat("d", 127), ID: DocumentID(strings.Repeat("i", 128)), Wtype: "A,B", Unit: UnitLines, Start: 5, End: 50, ReferenceID: "\x00"},
		{Database: "\x00\r\n/../", ID: DocumentID(strings.Repeat("i", MaxDocumentID)), Wtype: "~!", Unit: UnitParagraphs, Start: 1, End: 2},
	} {
		packet, err := AppendRetrieval(nil, &r)
		if err != nil {
			t.Errorf("%.200v: %v", r, err)
			continue
		}
		if got, ok := slowRequest(packet); !ok || !reflect.DeepEqual(got, &r) {
			t.Errorf("%.200v: %+v", r, got)
		}
	}
}

func TestUnit(t *testing.T) {
	for unit, want := range map[Unit]string{UnitWhole: "whole", UnitOctets: "octets", UnitLines: "lines", UnitParagraphs: "paragraphs", 9: "unit 9"} {
		if unit.String() != want {
			t.Errorf("%d: %v", unit, unit)
		}
	}
}

func TestAppendNoAllocations(t *testing.T) {
	buf := make([]byte, 0, 1000)
	q := &Query{Database: "db", Words: "words", Max: 40, Examples: []Example{{ID: "\x03\x01a", Wtype: "TEXT", Unit: UnitLines, End: 5}}}
	r := &Retrieval{Database: "db", ID: DocumentID(strings.Repeat("i", 200)), Wtype: "TEXT", Unit: UnitOctets, Start: 1e9, End: 1e9 + 10000}
	if n := testing.AllocsPerRun(100, func() {
		AppendInit(buf, &Init{})
		AppendSearch(buf, q)
		AppendRetrieval(buf, r)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzAppendSearch reads back every search that is not refused.
func FuzzAppendSearch(f *testing.F) {
	f.Add("coast", "lantern", 40, "", "", uint8(0), int64(0), int64(0), "3")
	f.Add("db", "", 0, "\x03\x01a", "TEXT", uint8(1), int64(21), int64(90), "")
	f.Add("a\x1fb", "c", -1, "x", " ", uint8(3), int64(1), int64(0), "")
	f.Fuzz(func(t *testing.T, database, words string, most int, id, wtype string, unit uint8, start, end int64, reference string) {
		q := Query{Database: database, Words: words, Max: most, ReferenceID: reference}
		if id != "" || wtype != "" {
			q.Examples = []Example{{ID: DocumentID(id), Wtype: wtype, Unit: Unit(unit)}}
			if unit != 0 {
				q.Examples[0].Start, q.Examples[0].End = start, end
			}
		}
		packet, err := AppendSearch(nil, &q)
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

// FuzzAppendRetrieval reads back every retrieval that is not refused.
func FuzzAppendRetrieval(f *testing.F) {
	f.Add("coast", "\x03\x01a", "TEXT", uint8(1), int64(0), int64(10000), "3")
	f.Add("", "id", "GIF", uint8(2), int64(5), int64(4), "")
	f.Fuzz(func(t *testing.T, database, id, wtype string, unit uint8, start, end int64, reference string) {
		r := Retrieval{Database: database, ID: DocumentID(id), Wtype: wtype, Unit: Unit(unit), Start: start, End: end, ReferenceID: reference}
		packet, err := AppendRetrieval(nil, &r)
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
