package tn3270_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/locus-url/locus/tn3270"
)

// A Builder must create exactly the expected octets.
func TestBuilder(t *testing.T) {
	for _, test := range []struct {
		built *tn3270.Builder
		want  string
	}{
		{builder(t, nil).Write(tn3270.KeyboardRestore | tn3270.SoundAlarm), "\xF1\x06"},
		{builder(t, nil).EraseWrite(tn3270.ResetMDT | tn3270.ResetPartition), "\xF5\x41"},
		{builder(t, nil).Query(), "\xF3\x00\x05\x01\xFF\x02"},
		{builder(t, nil).At(1, 1).At(2, 1).At(24, 80), "\x11\x40\x40\x11\xC1\x50\x11\x5D\x7F"},
		{builder(t, nil).Field(tn3270.Protected).Field(tn3270.Hidden | tn3270.Modified).Field(tn3270.Skip), "\x1D\x60\x1D\x4D\x1D\xF0"},
		{builder(t, nil).FieldExtended(0, tn3270.InColor(tn3270.Red), tn3270.InHighlight(tn3270.Blink)), "\x29\x03\xC0\x40\x42\xF2\x41\xF1"},
		{builder(t, nil).SetAttribute(tn3270.InColor(tn3270.Yellow)).SetAttribute(tn3270.Pair{}), "\x28\x42\xF6\x28\x00\x00"},
		{builder(t, nil).InsertCursor(), "\x13"},
		{builder(t, nil).Text("Az ¬┌"), "\xC1\xA9\x40\x5F\x08\xC5"},
		{builder(t, &tn3270.Options{CodePage: "1047"}).Text("[^"), "\xAD\x5F"},
		{builder(t, &tn3270.Options{Model: 5}).EraseWriteAlternate(0).At(27, 132), "\x7E\x00\x11\xF7\x6B"},
	} {
		if got := string(record(t, test.built)); got != test.want {
			t.Errorf("% X, not % X", got, test.want)
		}
	}
}

// An error must affect only the record in which it occurs.
func TestBuilderErrors(t *testing.T) {
	b := builder(t, &tn3270.Options{Model: 3})
	for _, wrong := range []*tn3270.Builder{
		builder(t, nil).Text("日"), builder(t, nil).Text("a\n"), builder(t, nil).At(0, 1), builder(t, nil).At(1, 0), builder(t, nil).At(25, 1), builder(t, nil).At(1, 81),
		builder(t, nil).FieldExtended(0, make([]tn3270.Pair, 255)...),
		b.At(25, 1).Text("日"), // the size is the size that the last Erase/Write set
	} {
		if r, err := wrong.Record(); err == nil || r != nil || !strings.HasPrefix(err.Error(), "tn3270: ") {
			t.Errorf("% X, %v", r, err)
		}
	}
	if got := string(record(t, b.EraseWriteAlternate(0).At(25, 1))); got != "\x7E\x00\x11\x5E\x40" {
		t.Errorf("% X", got)
	}
	if got := string(record(t, b.Write(0).At(32, 80))); got != "\xF1\x00\x11\xE7\x7F" {
		t.Errorf("% X", got)
	}
}

func TestParseInbound(t *testing.T) {
	for _, test := range []struct {
		record string
		want   tn3270.Inbound
	}{
		{"\x6D", tn3270.Inbound{AID: 0x6D, Key: tn3270.Clear, Cursor: -1}},
		{"\x7D\x00\x50", tn3270.Inbound{AID: 0x7D, Key: tn3270.Enter, Cursor: 80}},
		{"\x60\x40\x40\xC1\xC2", tn3270.Inbound{AID: 0x60, Fields: []tn3270.ModifiedField{{-1, "AB"}}}},
		{"\xF3\x40\xC1\x11\x40\xC2\xC1\x11\x40\xC5\x11\x40\xC9\x08\xA2\x28\x42\xF2\x1C", tn3270.Inbound{AID: 0xF3, Key: tn3270.PF3, Cursor: 1,
			Fields: []tn3270.ModifiedField{{2, "A"}, {5, ""}, {9, "─\x1C"}}}},
		{"\x88\x00\x04\x81\xFF", tn3270.Inbound{AID: 0x88, Cursor: -1, Structured: []byte("\x00\x04\x81\xFF")}},
	} {
		got, err := tn3270.ParseInbound([]byte(test.record), "")
		same := err == nil && got.AID == test.want.AID && got.Key == test.want.Key && got.Cursor == test.want.Cursor &&
			string(got.Structured) == string(test.want.Structured) && len(got.Fields) == len(test.want.Fields)
		for i := range test.want.Fields {
			same = same && got.Fields[i] == test.want.Fields[i]
		}
		if !same {
			t.Errorf("% X: %+v, %v", test.record, got, err)
		}
	}
	for record, offset := range map[string]int{
		"": 0, "\x7D": 0, "\x7D\x40": 0, "\x7D\x80\x40": 0, "\x7D\x40\x40\xC1\x11\x40": 4, "\x7D\x40\x40\x28\x42": 3, "\x7D\x40\x40\x08": 3, "\x7D\x40\x40\x1D\x60": 3,
	} {
		_, err := tn3270.ParseInbound([]byte(record), "")
		var wrong *tn3270.DataError
		if !errors.As(err, &wrong) || wrong.Offset != offset {
			t.Errorf("% X: %v", record, err)
		}
	}
}

func TestTerminalType(t *testing.T) {
	for want, o := range map[string]*tn3270.Options{
		"IBM-3278-2-E": nil, "IBM-3279-2-E": {Extended: true}, "IBM-3278-5-E": {Model: 5}, "IBM-3279-4-E": {Model: 4, Extended: true},
	} {
		if got := o.TerminalType(); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}
