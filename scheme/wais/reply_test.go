package wais

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/scheme"
)

// slowReply is a simple reference implementation of the response parser.
func slowReply(apdu []byte) (r searchReply, ok bool) {
	_, header, information, ok := slowAPDU(apdu, 23, 10)
	if !ok {
		return r, false
	}
	for _, x := range header {
		if x.tag == 2 {
			r.ReferenceID = string(x.value)
		}
	}
	for _, x := range information {
		if x.tag != 99 {
			continue
		}
		records, ok := slowElements(x.value, true)
		if !ok {
			return searchReply{}, false
		}
		for _, record := range records {
			if !r.addSlowly(record) {
				return searchReply{}, false
			}
		}
	}
	return r, true
}

func (r *searchReply) addSlowly(record slowElement) bool {
	last := len(record.value) - 1
	switch record.tag {
	case 28:
		r.Diagnostics = append(r.Diagnostics, Diagnostic{string(record.value[:2]), string(record.value[2:last])})
		return true
	case 150, 151, 152, 153, 154, 155:
	default:
		return true
	}
	inside, ok := slowElements(record.value, false)
	if !ok {
		return false
	}
	if record.tag == 153 {
		var text []byte
		for _, e := range inside {
			if e.tag == 127 {
				text = e.value
			}
		}
		r.Texts = append(r.Texts, text)
		return true
	}
	hit, ok := slowHit(inside)
	if hit.ID != "" {
		r.Hits = append(r.Hits, hit)
	}
	return ok
}

func slowHit(inside []slowElement) (hit, bool) {
	texts, numbers := map[int64]string{}, map[int64]int64{118: -1, 120: -1, 131: -1}
	var types []string
	for _, e := range inside {
		texts[e.tag] = string(e.value)
		if _, ok := numbers[e.tag]; ok {
			if numbers[e.tag], ok = slowNumber(e.value); !ok {
				return hit{}, false
			}
		}
		if e.tag == 132 {
			list, ok := slowElements(e.value, false)
			if !ok {
				return hit{}, false
			}
			types = nil
			for _, x := range list {
				if x.tag == 133 && len(x.value) > 0 {
					types = append(types, string(x.value))
				}
			}
		}
	}
	if types == nil {
		types = []string{"TEXT"}
	}
	return hit{
		DocumentID(texts[116]), numbers[118], numbers[120], numbers[131], types, texts[121], texts[122], texts[123],
	}, true
}

// sameReply reports whether a and b contain the same records.
func sameReply(a, b *searchReply) bool {
	return slices.EqualFunc(a.Hits, b.Hits, func(x, y hit) bool { return reflect.DeepEqual(x, y) }) &&
		slices.EqualFunc(a.Texts, b.Texts, bytes.Equal) && slices.Equal(a.Diagnostics, b.Diagnostics) && a.ReferenceID == b.ReferenceID
}

// TestReplyCaptured parses all captured responses, and compares the results with slowReply and
// the texts with the captured documents.
func TestReplyCaptured(t *testing.T) {
	var r searchReply
	for _, name := range wireNames(t, ".s2c") {
		if strings.HasPrefix(name, "made-") {
			continue
		}
		var texts []string
		for i, packet := range capturedPackets(t, name+".s2c") {
			apdu := packet[headerSize:]
			if len(apdu) < 3 || apdu[2] != apduSearchReply {
				continue
			}
			err := r.parse(apdu)
			if want, ok := slowReply(apdu); err != nil || !ok || !sameReply(&r, &want) {
				t.Errorf("%s: packet %d: %+v, %v; slowly %+v, %v", name, i, r, err, want, ok)
			}
			for _, x := range r.Texts {
				texts = append(texts, string(x))
			}
		}
		if slices.Contains(wireNames(t, ".doc"), name) && strings.Join(texts, "") != string(readWire(t, name+".doc")) {
			t.Errorf("%s: %d texts are not the document", name, len(texts))
		}
	}
}

// parsedReply parses the packet with the given index in a capture.
func parsedReply(t *testing.T, name string, packet int) (r searchReply) {
	t.Helper()
	if err := r.parse(capturedPackets(t, name+".s2c")[packet][headerSize:]); err != nil {
		t.Fatal(err)
	}
	return r
}

// These constants are document-ids in captured responses of freeWAIS-sf. moleID identifies a
// document in the database coast, and the others identify documents about the database.
const (
	moleID = "\x01\x0elocalhost:8210\x02\x0b/wais/coast\x03\x1d0 101 /wais/harbour/mole.TEXT" +
		"\x04\x0elocalhost:8210\x05\x0b/wais/coast\x06\x1d0 101 /wais/harbour/mole.TEXT\x07\x01\x00"
	sourceID  = "\x02\x05coast\x03\x130 0 /wais/coast.src\x07\x01\x00"
	catalogID = "\x02\x05coast\x03\x130 0 /wais/coast.cat\x07\x01\x00"
)

func TestReplyHits(t *testing.T) {
	for _, c := range []struct {
		name string
		want searchReply
	}{
		{"search-types", searchReply{Hits: []hit{{
			ID: moleID, Score: 928, Length: 101, Lines: 4, Wtypes: []string{"TEXT", "GIF"},
			Source: "/wais/coast", Date: "0", Headline: "mole.TEXT   /wais/harbour/",
		}}}},
		{"search-question-mark", searchReply{
			Hits: []hit{
				{ID: sourceID, Score: 1000, Length: 427, Lines: 20, Wtypes: []string{"WSRC"}, Source: "coast", Headline: "Information on database: coast"},
				{ID: catalogID, Score: 1000, Length: 1545, Lines: 69, Wtypes: []string{"TEXT"}, Source: "coast", Headline: "Catalog for database: coast"},
			},
			Diagnostics: []Diagnostic{{Code: "S1", Text: "query syntax error: ?"}},
		}},
		{"search-zero-wanted", searchReply{}},
		{"search-missing-database", searchReply{Diagnostics: []Diagnostic{{Code: "S1", Text: "The following database is not available: /wais/nosuch"}}}},
		{"retrieve-far-past-end", searchReply{Diagnostics: []Diagnostic{{Code: "SF", Text: "Request out of range"}}, ReferenceID: "3"}},
	} {
		if got := parsedReply(t, c.name, 0); !sameReply(&got, &c.want) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// Packets of version 1 contain no types.
func TestReplyWithoutTypes(t *testing.T) {
	r := parsedReply(t, "search-header-version-1", 0)
	if len(r.Hits) == 0 {
		t.Fatal("no hits")
	}
	for _, h := range r.Hits {
		if !slices.Equal(h.Wtypes, []string{"TEXT"}) || h.Headline == "" {
			t.Errorf("%+v", h)
		}
	}
}

// A response may contain both a text and a diagnostic, or an empty text.
func TestReplyTexts(t *testing.T) {
	r := parsedReply(t, "retrieve-past-end", 0)
	if len(r.Texts) != 1 || len(r.Texts[0]) != 106 || len(r.Diagnostics) != 1 || r.ReferenceID != "3" {
		t.Errorf("%+v", r)
	}
	for name, diagnostics := range map[string]int{"retrieve-empty-range": 0, "retrieve-at-end": 1} {
		if r := parsedReply(t, name, 0); len(r.Texts) != 1 || len(r.Texts[0]) != 0 || len(r.Diagnostics) != diagnostics {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestReplyHandmade checks handmade responses.
func TestReplyHandmade(t *testing.T) {
	const id = "\x01\x0elocalhost:8210\x02\x0b/wais/coast\x03\x090 10 /x/y\x04\x0elocalhost:8210\x05\x0b/wais/coast\x06\x090 10 /x/y\x07\x01\x00"
	one := hit{
		ID: id, Score: 500, Length: 10, Lines: 1, Wtypes: []string{"TEXT"},
		Source: "src", Date: "0", Headline: "a headline",
	}
	short, second, negative := one, one, one
	short.Source, short.Date, short.Headline = "", "", ""
	second.Headline = "second"
	negative.Score, negative.Length, negative.Lines = -1, -1, -1
	negative.Source, negative.Date, negative.Headline = "", "", "h"
	for name, want := range map[string]searchReply{
		"made-short-header":    {Hits: []hit{short}},
		"made-unknown-tags":    {Hits: []hit{one, second}},
		"made-padded-integers": {Hits: []hit{one}},
		"made-number-negative": {Hits: []hit{negative}},
		"made-text-without-id": {Texts: [][]byte{[]byte("hello\n")}},
	} {
		if got := parsedReply(t, name, 0); !sameReply(&got, &want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	apdu, err := readPacket(bytes.NewReader(readWire(t, "made-noise-before-packet.s2c")), nil, most)
	var r searchReply
	if err == nil {
		err = r.parse(apdu)
	}
	if err != nil || len(r.Hits)+len(r.Texts) != 1 {
		t.Errorf("made-noise-before-packet: %+v, %v", r, err)
	}
	overrun := capturedPackets(t, "made-length-overrun.s2c")[0][headerSize:]
	r.Hits = []hit{one}
	if err := r.parse(overrun); !errors.Is(err, scheme.ErrProtocol) || len(r.Hits) > 0 {
		t.Errorf("made-length-overrun: %+v, %v", r, err)
	}
}

// testReply returns a response APDU whose user information contains the given records.
func testReply(records string) []byte {
	const head = "\x00\x0b\x17\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	return appendElement([]byte(head), tagUserInformation, records)
}

// group returns an element with the given tag and contents.
func group(tag int, inside ...string) string {
	return string(appendElement(nil, tag, strings.Join(inside, "")))
}

func TestReply(t *testing.T) {
	one := hit{ID: "i", Score: -1, Length: -1, Lines: -1, Wtypes: []string{"TEXT"}}
	changed := func(change func(*hit)) searchReply {
		h := one
		change(&h)
		return searchReply{Hits: []hit{h}}
	}
	id := group(116, "i")
	for _, c := range []struct {
		records string
		want    searchReply
	}{
		{"", searchReply{}},
		{group(150, id), searchReply{Hits: []hit{one}}},
		{group(150), searchReply{}},
		{group(150, group(116), group(123, "no id")), searchReply{}},
		{group(152, id, group(124, "Paris"), group(128, "s"), group(129, "c"), group(130, "i"), group(117, "\x07")), changed(func(*hit) {})},
		{group(154, id) + group(155, id), searchReply{Hits: []hit{one, one}}},
		{group(150, id, group(118)), changed(func(h *hit) { h.Score = 0 })},
		{group(150, id, group(118, "\x00\x00\x01")), changed(func(h *hit) { h.Score = 1 })},
		{group(150, id, group(118, "\x7f\xff\xff\xff")), changed(func(h *hit) { h.Score = maxNumber })},
		{group(150, id, group(118, "\x80\x00\x00\x00")), changed(func(h *hit) {})},
		{group(150, id, group(118, "\xff")), changed(func(h *hit) { h.Score = 255 })},
		{group(150, id, group(118, "\x01"), group(118, "\x02")), changed(func(h *hit) { h.Score = 2 })},
		{group(150, id, group(132)), changed(func(h *hit) {})},
		{group(150, id, group(132, group(133), group(60, "x"))), changed(func(h *hit) {})},
		{group(150, id, group(132, group(133, "A"), group(133, "B"))), changed(func(h *hit) { h.Wtypes = []string{"A", "B"} })},
		{group(150, id, group(132, group(133, "A")), group(132, group(133, "B"))), changed(func(h *hit) { h.Wtypes = []string{"B"} })},
		// In a header and in a document-id, tag 28 is an ordinary element.
		{group(150, id, group(28, "x")), searchReply{Hits: []hit{one}}},
		{group(153, group(116, "i"), group(127, "text")), searchReply{Texts: [][]byte{[]byte("text")}}},
		{group(153), searchReply{Texts: [][]byte{nil}}},
		{group(115, "words") + group(60, "x"), searchReply{}},
		{"\x1c\x00\x03T2\x00\x1d", searchReply{Diagnostics: []Diagnostic{{Code: "T2"}}}},
		{"\x1c\x00\x05SFab\x01\x1d" + group(150, id), searchReply{Hits: []hit{one}, Diagnostics: []Diagnostic{{Code: "SF", Text: "ab"}}}},
	} {
		var r searchReply
		if err := r.parse(testReply(c.records)); err != nil || !sameReply(&r, &c.want) {
			t.Errorf("%q: %+v, %v", c.records, r, err)
		}
	}
}

// The parser must accept unknown elements in and after the header, and two groups of user
// information.
func TestReplyUnknownElements(t *testing.T) {
	apdu := "\x00\x18\x17\x01\x00\x00\x05\x00\x00\x09\x00\x00\x00" + "\x1a\x01\x00" + "\x1b\x01\x02" + "\x02\x02ab" + "\x3c\x01x" +
		"\x3d\x02yy" + "\x63\x07\x1c\x00\x03S1\x00\x1d" + "\x63\x00" + "\x63\x07\x1c\x00\x03S2\x00\x1d"
	want := searchReply{ReferenceID: "ab", Diagnostics: []Diagnostic{{Code: "S1"}, {Code: "S2"}}}
	var r searchReply
	if err := r.parse([]byte(apdu)); err != nil || !sameReply(&r, &want) {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestReplyRefuses checks the offset and the text of parse errors.
func TestReplyRefuses(t *testing.T) {
	const head = "\x00\x0b\x17\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	for _, c := range []struct {
		apdu string
		at   int
		text string
	}{
		{"", 0, "ends before its type"},
		{"\x00\x01", 2, "ends before its type"},
		{"\x00\x00\x17", 0, "the header has 0 octets, but its type and fixed fields 11"},
		{"\x00\x0a\x17" + head[3:], 0, "the header has 10 octets"},
		{"\x00\x0c\x17" + head[3:], 0, "the header has 12 octets, but the APDU only 11 more"},
		{"\xff\xff" + head[2:], 0, "the header has 65535 octets, but the APDU only 11 more"},
		{"\x00\x0b\x15" + head[3:], 2, "its type is 21, not 23"},
		{head + "\x80\x80\x80\x80\x80\x63\x00", 13, "more than 5 octets"},
		{head + "\x63\x80\x80\x80\x80\x80\x00", 14, "more than 5 octets"},
		{head + "\x63", 14, "exceeds its container"},
		{head + "\x63\x81", 14, "exceeds its container"},
		{head + "\x81", 13, "exceeds its container"},
		{head + "\x63\x01", 15, "an element has 1 octets, but its container only 0 more"},
		{head + "\x63\xff\xff\xff\xff\x7f", 19, "an element has 34359738367 octets, but its container only 0 more"},
		{head + "\x63\x04\x81\x16\x02\x74" + "\x00", 18, "an element has 2 octets, but its container only 1 more"},
		{head + "\x63\x05\x81\x16\x02\x74\x01" + "i", 20, "an element has 1 octets, but its container only 0 more"},
		{head + "\x63\x0b\x81\x16\x08" + "\x76\x06\x00\x00\x00\x00\x00\x00", 20, "a number has 6 octets"},
		{head + "\x63\x09\x81\x16\x06\x81\x04\x03\x81\x05\x02", 24, "an element has 2 octets, but its container only 0 more"},
		{head + "\x63\x02\x1c\x00", 16, "ends within its length"},
		{head + "\x63\x06\x1c\x00\x02S1\x1d", 16, "a diagnostic record has 2 octets"},
		{head + "\x63\x03\x1c\x00\x03", 18, "an element has 3 octets, but its container only 0 more"},
		{head + "\x63\x06\x1c\x00\x03S1\x00", 18, "an element has 3 octets, but its container only 2 more"},
		{head + "\x63\x0a\x81\x18\x07\x78\x05\x00\x00\x00\x00\x00", 20, "a number has 5 octets"},
		{head[:1] + "\x0d" + head[2:] + "\x02\x01" + "\x63\x00", 15, "an element has 1 octets, but its container only 0 more"},
	} {
		r := searchReply{Hits: []hit{{ID: "before"}}, ReferenceID: "before"}
		err := r.parse([]byte(c.apdu))
		at := fmt.Sprintf("wais: protocol error: at octet %d of the APDU: ", c.at)
		if !errors.Is(err, scheme.ErrProtocol) || !strings.HasPrefix(fmt.Sprint(err), at) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%q: %v; want %s%s", c.apdu, err, at, c.text)
		}
		if !sameReply(&r, &searchReply{}) {
			t.Errorf("%q: %+v is left", c.apdu, r)
		}
		if _, ok := slowReply([]byte(c.apdu)); ok {
			t.Errorf("%q: read slowly", c.apdu)
		}
	}
}

// The texts must share the APDU's memory, and must have no spare capacity.
func TestReplyDoesNotCopy(t *testing.T) {
	apdu := testReply(group(153, group(127, "text")) + group(60, "after"))
	var r searchReply
	if err := r.parse(apdu); err != nil {
		t.Fatal(err)
	}
	text := r.Texts[0]
	copy(apdu[bytes.Index(apdu, []byte("text")):], "TEXT")
	if string(text) != "TEXT" || cap(text) != len(text) {
		t.Errorf("%q, and room for %d", text, cap(text))
	}
}

func TestReplyNoAllocations(t *testing.T) {
	apdu := testReply(group(153, group(116, strings.Repeat("i", 100)), group(117, "\x00"), group(127, strings.Repeat("a", 10000))))
	var r searchReply
	if n := testing.AllocsPerRun(100, func() {
		if err := r.parse(apdu); err != nil || len(r.Texts) != 1 {
			t.Errorf("%+v, %v", r, err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		repeated, sent string
		ok             bool
	}{{"", "", true}, {"", "3", true}, {"3", "3", true}, {"3", "", false}, {"3", "4", false}} {
		err := (&searchReply{ReferenceID: c.repeated}).checkReferenceID(c.sent)
		if (err == nil) != c.ok || err != nil && !errors.Is(err, scheme.ErrProtocol) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// FuzzReply compares the response parser, with reused memory, with slowReply.
func FuzzReply(f *testing.F) {
	for _, name := range wireNames(f, ".s2c") {
		if octets := readWire(f, name+".s2c"); len(octets) > headerSize && len(octets) < 3000 {
			f.Add(octets[headerSize:])
		}
	}
	for _, records := range []string{"\x1c\x00\x03T2\x00\x1d", group(153, group(127, "a")), group(150, group(116, "i"), group(132, group(133, "A")))} {
		f.Add(testReply(records))
	}
	used := capturedPackets(f, "search-question-mark.s2c")[0][headerSize:]
	f.Fuzz(func(t *testing.T, apdu []byte) {
		var r searchReply
		if err := r.parse(used); err != nil {
			t.Fatal(err)
		}
		err := r.parse(apdu)
		want, ok := slowReply(apdu)
		if (err == nil) != ok || !sameReply(&r, &want) {
			t.Fatalf("%v, slowly %v: %+v; slowly %+v\n%s", err, ok, r, want, hex.Dump(apdu))
		}
		if err != nil && !errors.Is(err, scheme.ErrProtocol) {
			t.Error(err)
		}
		for _, h := range r.Hits {
			if h.ID == "" || len(h.Wtypes) == 0 {
				t.Errorf("%+v", h)
			}
		}
	})
}

func BenchmarkReply(b *testing.B) {
	apdu := testReply(group(153, group(116, strings.Repeat("i", 100)), group(117, "\x00"), group(127, strings.Repeat("a", 10000))))
	b.SetBytes(int64(len(apdu)))
	var r searchReply
	for b.Loop() {
		if err := r.parse(apdu); err != nil {
			b.Fatal(err)
		}
	}
}
