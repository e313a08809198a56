package tn3270_test

import (
	"strings"
	"testing"

	"github.com/locus-url/locus/tn3270"
)

// queryReplies contains the expected Query Replies (GA23-0059 chapter 6) of several terminals, by
// the code of the reply.
var queryReplies = map[string]map[byte]string{
	"": {
		0x80: "\x80\x81\x85\x88\xA6",
		0x81: "\x03\x00\x00\x50\x00\x18\x01\x00\x0A\x02\xE5\x00\x02\x00\x6F\x09\x0C\x07\x80",
		0x85: "\x82\x00\x09\x0C\x00\x00\x00\x00\x07\x00\x10\x00\x02\xB9\x00\x25\x01\x00\xF1\x03\xC3\x01\x36",
		0x88: "\x00\x01\x02",
		0xA6: "\x00\x00\x0B\x01\x00\x00\x50\x00\x18\x00\x50\x00\x18",
	},
	"model 5, colors, 1148": {
		0x80: "\x80\x81\x85\x86\x87\x88\xA6",
		0x81: "\x03\x00\x00\x84\x00\x1B\x01\x00\x0A\x02\xE5\x00\x02\x00\x6F\x09\x0C\x0D\xEC",
		0x85: "\x82\x00\x09\x0C\x00\x00\x00\x00\x07\x00\x10\x00\x02\xB7\x04\x7C\x01\x00\xF1\x03\xC3\x01\x36",
		0x86: "\x00\x08\x00\xF4\xF1\xF1\xF2\xF2\xF3\xF3\xF4\xF4\xF5\xF5\xF6\xF6\xF7\xF7",
		0x87: "\x05\x00\xF0\xF1\xF1\xF2\xF2\xF4\xF4\xF8\xF8",
		0x88: "\x00\x01\x02",
		0xA6: "\x00\x00\x0B\x01\x00\x00\x50\x00\x18\x00\x84\x00\x1B",
	},
}

// replies returns the query replies in a record. The codes are in order, and byCode maps each code
// to its reply.
func replies(t *testing.T, record []byte) (codes string, byCode map[byte]string) {
	t.Helper()
	byCode = map[byte]string{}
	if len(record) == 0 || record[0] != 0x88 {
		t.Fatalf("% X", record)
	}
	for rest := record[1:]; len(rest) > 0; {
		n := int(rest[0])<<8 | int(rest[1])
		if n < 4 || n > len(rest) || rest[2] != 0x81 {
			t.Fatalf("% X", rest)
		}
		codes += string(rest[3:4])
		byCode[rest[3]] = string(rest[4:n])
		rest = rest[n:]
	}
	return codes, byCode
}

func TestQuery(t *testing.T) {
	for name, o := range map[string]*tn3270.Options{"": nil, "model 5, colors, 1148": {Model: 5, Extended: true, CodePage: "1148"}} {
		s, want := screen(t, o), queryReplies[name]
		for _, request := range []string{
			"\xF3\x00\x05\x01\xFF\x02", "\x11\x00\x05\x01\xFF\x02", "\xF3\x00\x00\x01\xFF\x02",
			"\xF3\x00\x06\x01\xFF\x03\x80", "\xF3\x00\x07\x01\xFF\x03\x40\x81",
			"\xF3\x00\x07\x0F\x02\x00\x00\x00\x00\x05\x01\xFF\x02", // after an unknown structured field
		} {
			codes, got := replies(t, receive(t, s, []byte(request)))
			if codes != want[0x80] {
				t.Errorf("%q: % X", name, codes)
			}
			for code, data := range want {
				if got[code] != data {
					t.Errorf("%q: %02X is % X, not % X", name, code, got[code], data)
				}
			}
		}
	}
}

func TestQueryList(t *testing.T) {
	s := screen(t, nil)
	for list, want := range map[string]string{
		"\x81":         "\x81",
		"\xA6\x81\x99": "\x81\xA6",
		"\x86":         "\xFF", // the terminal has no colors
		"":             "\xFF",
	} {
		request := "\xF3\x00" + string([]byte{byte(6 + len(list))}) + "\x01\xFF\x03\x00" + list
		if codes, _ := replies(t, receive(t, s, []byte(request))); codes != want {
			t.Errorf("% X: % X", list, codes)
		}
	}
}

// Outbound 3270DS is a write within a structured field. A record may contain several such fields.
func TestOutbound(t *testing.T) {
	s := screen(t, &tn3270.Options{Model: 3})
	receive(t, s, []byte("\xF3\x00\x08\x40\x00\x7E\x02"+e(t, "ab")+"\x00\x00\x40\x00\xF1\x04"+sba(5)+e(t, "c")))
	wantText(t, s, "ab   c")
	if rows, _ := s.Size(); rows != 32 {
		t.Errorf("%d rows", rows)
	}
	if st := s.Status(); st.Lock != tn3270.Unlocked || st.Alarms != 1 {
		t.Errorf("%+v", st)
	}
	receive(t, s, []byte("\xF3\x00\x05\x40\x00\x6F"))
	wantText(t, s, "")
	receive(t, s, []byte("\xF3\x00\x06\x40\x00\xF5\x00"))
	if rows, _ := s.Size(); rows != 24 {
		t.Errorf("%d rows", rows)
	}
}

func TestEraseReset(t *testing.T) {
	s := screen(t, &tn3270.Options{Model: 4})
	receive(t, s, []byte("\xF5\x00"+e(t, "ab")))
	receive(t, s, []byte("\xF3\x00\x04\x03\x80"))
	wantText(t, s, "")
	if rows, _ := s.Size(); rows != 43 {
		t.Errorf("%d rows", rows)
	}
	receive(t, s, []byte("\xF3\x00\x04\x03\x00"))
	if rows, _ := s.Size(); rows != 24 {
		t.Errorf("%d rows", rows)
	}
}

// Read Buffer and Read Modified must follow the three reply modes.
func TestReplyModes(t *testing.T) {
	s := screen(t, &tn3270.Options{Extended: true})
	data := "\x29\x03\xC0\xC1\x42\xF2\x41\xF4" + e(t, "a") + "\x28\x42\xF1" + e(t, "b") + "\x28\x41\xF2" + "\x08\xC5" + "\x28\x00\x00" + e(t, "c") +
		"\x00" + sf + "\x60"
	receive(t, s, []byte("\xF5\x00"+sba(2)+ic+sba(0)+data))
	nulls := strings.Repeat("\x00", 1920-7)
	for _, test := range []struct{ mode, buffer, modified string }{
		{"\x00", sf + "\xC1" + e(t, "ab") + "\x08\xC5" + e(t, "c") + "\x00" + sf + "\x60", e(t, "ab") + "\x08\xC5" + e(t, "c")},
		{"\x01", "\x29\x03\xC0\xC1\x41\xF4\x42\xF2" + e(t, "ab") + "\x08\xC5" + e(t, "c") + "\x00" + "\x29\x01\xC0\x60", e(t, "ab") + "\x08\xC5" + e(t, "c")},
		{"\x02\x41\x42", "\x29\x03\xC0\xC1\x41\xF4\x42\xF2" + e(t, "a") + "\x28\x42\xF1" + e(t, "b") + "\x28\x41\xF2\x08\xC5\x28\x41\x00\x28\x42\x00" + e(t, "c") + "\x00" + "\x29\x01\xC0\x60",
			e(t, "a") + "\x28\x42\xF1" + e(t, "b") + "\x28\x41\xF2\x08\xC5\x28\x41\x00\x28\x42\x00" + e(t, "c")},
		{"\x02\x42", "\x29\x03\xC0\xC1\x41\xF4\x42\xF2" + e(t, "a") + "\x28\x42\xF1" + e(t, "b") + "\x08\xC5\x28\x42\x00" + e(t, "c") + "\x00" + "\x29\x01\xC0\x60",
			e(t, "a") + "\x28\x42\xF1" + e(t, "b") + "\x08\xC5\x28\x42\x00" + e(t, "c")},
	} {
		set := "\x09\x00" + test.mode
		receive(t, s, []byte("\xF3\x00"+string([]byte{byte(len(set) + 2)})+set))
		if got, want := string(receive(t, s, []byte{0xF2})), "\x60\x40\xC2"+test.buffer+nulls; got != want {
			t.Errorf("mode % X: the buffer is\n% X, not\n% X", test.mode, got, want)
		}
		if got, want := string(receive(t, s, []byte{0xF6})), "\x60\x40\xC2\x11\x40\xC1"+test.modified; got != want {
			t.Errorf("mode % X: modified is\n% X, not\n% X", test.mode, got, want)
		}
		partition := func(kind byte) string {
			reply := string(receive(t, s, []byte{0xF3, 0, 5, 1, 0, kind}))
			if n := len(reply) - 1; reply[:6] != "\x88"+string([]byte{byte(n >> 8), byte(n)})+"\x80\x00\x61" {
				t.Errorf("% X", reply)
			}
			return reply[6:]
		}
		if got, want := partition(0xF2), "\x40\xC2"+test.buffer+nulls; got != want {
			t.Errorf("mode % X: the partition is\n% X, not\n% X", test.mode, got, want)
		}
		if got, want := partition(0x6E), "\x40\xC2\x11\x40\xC1"+test.modified; got != want {
			t.Errorf("mode % X: modified is\n% X, not\n% X", test.mode, got, want)
		}
	}
}

// Some commands must reset the reply mode to Field, and other commands must not change the reply
// mode.
func TestReplyModeReset(t *testing.T) {
	for name, test := range map[string]struct {
		do    func(*tn3270.Screen)
		reset bool
	}{
		"Write":                      {func(s *tn3270.Screen) { receive(t, s, []byte("\xF1\x40")) }, false},
		"Erase/Write":                {func(s *tn3270.Screen) { receive(t, s, []byte("\xF5\x00")) }, false},
		"Erase/Write with the reset": {func(s *tn3270.Screen) { receive(t, s, []byte("\xF5\x40")) }, true},
		"Erase/Reset":                {func(s *tn3270.Screen) { receive(t, s, []byte("\xF3\x00\x04\x03\x00")) }, true},
		"Reset Partition":            {func(s *tn3270.Screen) { receive(t, s, []byte("\xF3\x00\x04\x00\x00")) }, true},
		"Destroy Partition":          {func(s *tn3270.Screen) { receive(t, s, []byte("\xF3\x00\x04\x0D\x00")) }, true},
		"Clear":                      {func(s *tn3270.Screen) { press(t, s, tn3270.Reset, tn3270.Clear) }, true},
		"Enter":                      {func(s *tn3270.Screen) { press(t, s, tn3270.Reset, tn3270.Enter) }, false},
	} {
		s := screen(t, nil)
		receive(t, s, []byte("\xF3\x00\x05\x09\x00\x01"))
		test.do(s)
		receive(t, s, []byte("\xF1\x02"+sba(0)+prot))
		reply := receive(t, s, []byte{0xF2})
		if reset := reply[3] == 0x1D; reset != test.reset {
			t.Errorf("%s: % X", name, reply[:8])
		}
	}
}

// Create Partition must select 16-bit addresses in both directions until an Erase/Write.
func TestWideAddresses(t *testing.T) {
	s := screen(t, &tn3270.Options{Model: 5})
	receive(t, s, []byte("\xF3\x00\x0A\x0C\x00\x01\x00\x00\x1B\x00\x84"))
	if rows, columns := s.Size(); rows != 27 || columns != 132 {
		t.Errorf("%d by %d", rows, columns)
	}
	receive(t, s, []byte("\xF1\x00\x11\x0D\xEB"+e(t, "z")+"\x11\x00\x50"+ic+input+e(t, "a")))
	wantCursor(t, s, 1, 81)
	receive(t, s, []byte("\xF3\x00\x0C\x40\x00\xF5\x02\x11\x00\x50"+sf+"\xC1"+ic)) // a write within a structured field preserves 16-bit addresses
	if got, want := string(press(t, s, tn3270.Enter)), "\x7D\x00\x51\x11\x00\x51"; got != want {
		t.Errorf("% X", got)
	}
	_, err := s.Receive([]byte("\xF1\x00\x11\x40\x40"))
	wantError(t, err, tn3270.ErrData)
	receive(t, s, []byte("\xF5\x02\x11\x40\xC1"+ic))
	wantCursor(t, s, 1, 2)
	if got, want := string(press(t, s, tn3270.Enter)), "\x7D\x40\xC1"; got != want {
		t.Errorf("% X", got)
	}
	receive(t, s, []byte("\xF3\x00\x05\x0C\x00\x01"))
	receive(t, s, []byte("\xF3\x00\x04\x03\x00"))
	receive(t, s, []byte("\xF1\x00\x11\x40\xC2"+ic))
	wantCursor(t, s, 1, 3)
}

// The error for an invalid structured field must contain the offset of the field's length.
func TestWrongStructuredFields(t *testing.T) {
	for _, test := range []struct {
		name, record string
		offset       int
	}{
		{"half a length", "\x00", 1},
		{"a length of 1", "\x00\x01\x01", 1},
		{"a length of 2", "\x00\x02", 1},
		{"no field up to the end", "\x00\x00", 1},
		{"a length beyond the end", "\x00\xFF\x01\xFF\x02", 1},
		{"a length far beyond", "\xFF\xFF\x40\x00\xF1\x00", 1},
		{"Read Partition cut off", "\x00\x04\x01\xFF", 1},
		{"Read Partition of another", "\x00\x05\x01\x01\xF2", 1},
		{"Read Partition of no type", "\x00\x05\x01\x00\x02", 1},
		{"Query List cut off", "\x00\x05\x01\xFF\x03", 1},
		{"Query List of no kind", "\x00\x06\x01\xFF\x03\x20", 1},
		{"a second Read Partition", "\x00\x05\x01\xFF\x02\x00\x05\x01\xFF\x02", 6},
		{"Erase/Reset cut off", "\x00\x03\x03", 1},
		{"Erase/Reset of no size", "\x00\x04\x03\x40", 1},
		{"Set Reply Mode cut off", "\x00\x04\x09\x00", 1},
		{"Set Reply Mode of another", "\x00\x05\x09\x01\x00", 1},
		{"no reply mode", "\x00\x05\x09\x00\x03", 1},
		{"Outbound cut off", "\x00\x04\x40\x00", 1},
		{"Outbound of another", "\x00\x06\x40\x07\xF1\x00", 1},
		{"Outbound that reads", "\x00\x05\x40\x00\xF2", 1},
		{"Outbound without a WCC", "\x00\x05\x40\x00\xF5", 1},
		{"Outbound ends an order", "\x00\x09\x40\x00\xF5\x00\xC1\x11\x00\x00\x05\x01\xFF\x02", 8},
		{"a second Outbound", "\x00\x06\x40\x00\xF5\x00\x00\x08\x40\x00\xF1\x00\x02\x02", 13},
		{"Create Partition cut off", "\x00\x04\x0C\x00", 1},
		{"Create Partition 1", "\x00\x05\x0C\x01\x00", 1},
		{"Create Partition in points", "\x00\x05\x0C\x00\x20", 1},
		{"Create Partition with other addresses", "\x00\x05\x0C\x00\x02", 1},
		{"Create Partition of half a size", "\x00\x08\x0C\x00\x00\x00\x00\x18", 1},
		{"Create Partition of another size", "\x00\x0A\x0C\x00\x00\x00\xFF\xFF\xFF\xFF", 1},
		{"Destroy Partition of another", "\x00\x04\x0D\x01", 1},
		{"Reset Partition cut off", "\x00\x03\x00", 1},
	} {
		_, err := screen(t, nil).Receive([]byte("\xF3" + test.record))
		wantError(t, err, tn3270.ErrData)
		wrong, ok := err.(*tn3270.DataError)
		if !ok || wrong.Offset != test.offset {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// The part of a record before an error must take effect. If a record contains two Read Partition
// fields, the terminal must reply to the first field.
func TestReplyBeforeWrongData(t *testing.T) {
	reply, err := screen(t, nil).Receive([]byte("\xF3\x00\x05\x01\xFF\x02\x00\x05\x01\xFF\x02"))
	wantError(t, err, tn3270.ErrData)
	if codes, _ := replies(t, reply); codes != queryReplies[""][0x80] {
		t.Errorf("% X", codes)
	}
	receive(t, screen(t, nil), []byte{0xF3})
	receive(t, screen(t, nil), []byte("\xF3\x00\x04\x0B\x00\x00\x06\x0F\x10\x00\x00\x00\x03\xD0")) // the terminal skips other structured fields
}
