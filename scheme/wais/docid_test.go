package wais

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

// TestDocumentID checks the document-id for each form of wpath.
func TestDocumentID(t *testing.T) {
	for wpath, want := range map[string]DocumentID{
		"206/1=localhost%3A8210;2=/wais/coast;3=0%20206%20/wais/harbour/lamp.txt;7=%00;": "\x01\x0elocalhost:8210\x02\x0b/wais/coast\x03\x1c0 206 /wais/harbour/lamp.txt\x07\x01\x00",
		"2=/wais/coast;3=0%200%20/a":       "\x02\x0b/wais/coast\x03\x060 0 /a",
		"3=;127=x;3=y;":                    "\x03\x00\x7f\x01x\x03\x01y",
		"3%3Da%2Fb%3B7%3D%00%3B":           "\x03\x03a/b\x07\x01\x00",
		"%01%04host%03%01a":                "\x01\x04host\x03\x01a",
		"anything":                         "anything",
		"":                                 "",
		"3=" + strings.Repeat("a", 127):    DocumentID("\x03\x7f" + strings.Repeat("a", 127)),
		"3=" + strings.Repeat("a", 128):    DocumentID("\x03\x81\x00" + strings.Repeat("a", 128)),
		"3=" + strings.Repeat("a", 9000):   DocumentID("\x03\xc6\x28" + strings.Repeat("a", 9000)),
		"3=" + strings.Repeat("a", 20000):  DocumentID("\x03\x81\x9c\x20" + strings.Repeat("a", 20000)),
		strings.Repeat("1=;", 16):          DocumentID(strings.Repeat("\x01\x00", 16)),
		"3=a%3Bb%253B;":                    "\x03\x06a;b%3B",
		"3=%FF%0D%0A":                      "\x03\x03\xff\r\n",
		"00000000000000000000000/3=length": "\x03\x06length",
	} {
		if id, ok := parse(t, "wais://h/db/TEXT/"+wpath).DocumentID(); id != want || !ok {
			t.Errorf("%.100s: %.100q %v; want %.100q", wpath, id, ok, want)
		}
	}
	for _, text := range []string{"wais://h/", "wais://h/db", "wais://h/db?1=a;"} {
		if id, ok := parse(t, text).DocumentID(); id != "" || ok {
			t.Errorf("%s: %q %v", text, id, ok)
		}
	}
}

func TestNewDocumentID(t *testing.T) {
	fields := []Field{{1, "h:210"}, {2, ""}, {3, strings.Repeat("a", 300)}, {127, "\x00"}}
	id, err := newDocumentID(fields)
	if want := DocumentID("\x01\x05h:210\x02\x00\x03\x82\x2c" + strings.Repeat("a", 300) + "\x7f\x01\x00"); id != want || err != nil {
		t.Errorf("%q, %v; want %q", id, err, want)
	}
	if got, ok := id.Fields(); !ok || !reflect.DeepEqual(got, fields) {
		t.Errorf("%v %v", got, ok)
	}
	for text, fields := range map[string][]Field{
		"not 0":                   nil,
		"not 17":                  make([]Field, 17),
		"field number 0 is out":   {{1, "a"}, {0, "b"}},
		"field number -1 is out":  {{-1, "b"}},
		"field number 128 is out": {{128, "b"}},
		"8193 octets":             {{3, strings.Repeat("a", maxDocumentID-2)}},
	} {
		id, err := newDocumentID(fields)
		if id != "" || !errors.Is(err, locus.ErrValue) || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %.50q, %v", text, id, err)
		}
	}
}

// If newDocumentID cannot return a document-id, Fields must fail, and a URL must contain the
// octets.
func TestNoFields(t *testing.T) {
	for _, id := range []DocumentID{
		"", "a", "\x03", "\x03\x02a", "\x03\x01ab", "\x00\x01a", "\x81\x00\x01a", // the last one has tag 128
		"\x03\x80\x01a", "\x80\x03\x01a", // valid, but not in the shortest encoding
		"\x03\x80\x80\x80\x80\x80\x01a",
		DocumentID(strings.Repeat("\x01\x00", 17)),
		DocumentID("\x03\xc0\x00" + strings.Repeat("a", maxDocumentID)),
	} {
		if list, ok := id.Fields(); list != nil || ok {
			t.Errorf("%.50q: %v", id, list)
		}
	}
	// In a document-id, tag 28 is a field and not a diagnostic record.
	if list, ok := DocumentID("\x1c\x01a").Fields(); !ok || !slices.Equal(list, []Field{{28, "a"}}) {
		t.Errorf("%v %v", list, ok)
	}
}

func TestLocalID(t *testing.T) {
	for id, want := range map[DocumentID]string{
		"\x03\x01a\x06\x01b":    "b",
		"\x03\x01a\x06\x00":     "a",
		"\x03\x01a\x03\x01b":    "a",
		"\x03\x80\x01a":         "a",
		"\x02\x01a":             "",
		"":                      "",
		"\x03\x01a\x06\x05b":    "a",
		sourceID:                "0 0 /wais/coast.src",
		DocumentID("opaque 12"): "",
	} {
		if got := id.LocalID(); got != want {
			t.Errorf("%q: %q; want %q", id, got, want)
		}
	}
}

// A document must have a file name from its local id.
func TestDocumentName(t *testing.T) {
	for id, want := range map[DocumentID]string{
		sourceID:               "coast.src",
		"\x03\x01a\x06\x03c/b": "b",
		"\x03\x040 75":         "0 75",
		"\x03\x02a/":           "",
		"opaque":               "",
	} {
		if got := id.name(); got != want {
			t.Errorf("%q: %q; want %q", id, got, want)
		}
	}
}

// All captured document-ids must consist of fields. Building and parsing a URL must not change
// them.
func TestDocumentIDCaptured(t *testing.T) {
	n := 0
	for _, name := range wireNames(t, ".s2c") {
		if strings.HasPrefix(name, "made-") {
			continue
		}
		for _, packet := range capturedPackets(t, name+".s2c") {
			var r searchReply
			if r.parse(packet[headerSize:]) != nil {
				continue
			}
			for _, h := range r.Hits {
				checkThroughURL(t, h.ID)
				n++
			}
		}
	}
	if n < 50 {
		t.Errorf("%d hits were captured", n)
	}
}

// checkThroughURL builds a URL with the document-id id, parses the URL, and compares the
// document-ids.
func checkThroughURL(t *testing.T, id DocumentID) {
	t.Helper()
	d := &Document{Wtype: "TEXT"}
	if fields, ok := id.Fields(); ok {
		d.Fields = fields
		if again, err := newDocumentID(fields); again != id || err != nil {
			t.Errorf("%q: %q, %v", id, again, err)
		}
	} else {
		d.Wpath = string(id)
	}
	x, err := Parts{Host: "h", Database: "db", Document: d}.URL()
	if err != nil {
		t.Errorf("%q: %v", id, err)
		return
	}
	if got, ok := x.DocumentID(); got != id || !ok {
		t.Errorf("%q: %s is %q", id, x.URL(), got)
	}
}

// FuzzDocumentID checks that conversions to fields and to a URL do not change a document-id.
func FuzzDocumentID(f *testing.F) {
	for _, id := range []DocumentID{moleID, sourceID, "", "opaque", "\x03\x80\x01a", "3=a;", "206/3=a;", "3=a%3B"} {
		f.Add(string(id))
	}
	f.Fuzz(func(t *testing.T, octets string) {
		id := DocumentID(octets)
		if len(id) > 4000 {
			return
		}
		elements, whole := slowElements([]byte(id), false)
		fields, ok := id.Fields()
		var want []Field
		for _, x := range elements {
			want = append(want, Field{int(min(x.tag, maxField+1)), string(x.value)})
		}
		again, err := newDocumentID(want)
		if canBe := whole && err == nil && again == id; ok != canBe || ok && !slices.Equal(fields, want) {
			t.Errorf("%q: %v %v; slowly %v %v", id, fields, ok, want, canBe)
		}
		id.LocalID()
		if !parsesAsFields(octets) {
			checkThroughURL(t, id)
		}
	})
}

// parsesAsFields reports whether no URL can contain the document-id. The octets of such a
// document-id do not consist of fields, but a URL with these octets would be parsed as a list
// of fields.
func parsesAsFields(octets string) bool {
	_, ok := DocumentID(octets).Fields()
	form, _, _ := slowRead(strings.ReplaceAll(octets, "%", "%25"))
	return !ok && form != OpaqueForm
}
