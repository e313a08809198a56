package tn3270_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/locus-url/locus/tn3270"
)

// The tests in this file use 14-bit addresses, which are plain numbers. TestAddresses tests 12-bit
// addresses. The octets 1D 60 begin a protected field, and 1D 40 begin an input field.

const (
	sf    = "\x1D"
	pt    = "\x05"
	ic    = "\x13"
	prot  = sf + "\x60"
	input = sf + "\x40"
)

// sba returns a Set Buffer Address order.
func sba(address int) string { return "\x11" + at(address) }

func at(address int) string { return string([]byte{byte(address >> 8), byte(address)}) }

// The test cases show the effects of orders (GA23-0059, chapter 4). The field before is the data
// of an Erase/Write, and the field then is the data of the following Write, which is under test.
func TestOrders(t *testing.T) {
	for _, test := range []struct{ name, before, then, want string }{
		{"data at the cursor", sba(3) + ic, e(t, "abc"), "   abc"},
		{"Set Buffer Address", "", sba(80) + e(t, "x") + sba(2) + e(t, "y"), "  y\nx"},
		{"data wraps", "", sba(1919) + e(t, "ab"), "b" + strings.Repeat("\n", 23) + strings.Repeat(" ", 79) + "a"},
		{"Start Field takes a position", "", prot + e(t, "ab") + input + e(t, "c"), " ab c"},
		{"data in place of an attribute", prot + e(t, "ab"), sba(0) + e(t, "x"), "xab"},
		{"hidden", "", sf + "\x4C" + e(t, "secret") + prot + e(t, "shown"), "        shown"},
		{"hidden to the beginning", "", sba(5) + sf + "\x4C" + sba(0) + e(t, "ab"), ""},
		{"nulls are blanks", "", e(t, "a") + "\x00\x00" + e(t, "b"), "a  b"},
		{"format controls", "", "\x0C\x0D\x15\x19" + e(t, "a") + "\x1C\x1E\x3F\xFF\x0E\x0F" + e(t, "z"), "    a*;●○  z"},

		{"Repeat to Address", "", sba(2) + "\x3C" + at(6) + e(t, "-") + e(t, "x"), "  ----x"},
		{"Repeat wraps", "", sba(1919) + "\x3C" + at(2) + e(t, "-"), "--" + strings.Repeat("\n", 23) + strings.Repeat(" ", 79) + "-"},
		{"Repeat all", e(t, "abc"), sba(7) + "\x3C" + at(7) + e(t, "*"), strings.TrimSuffix(strings.Repeat(strings.Repeat("*", 80)+"\n", 24), "\n")},
		{"Repeat nulls over fields", prot + e(t, "ab") + sf + "\x4C" + e(t, "cd"), sba(0) + "\x3C" + at(4) + "\x00" + e(t, "x"), "    xd"},
		{"Repeat a Graphic Escape", "", "\x3C" + at(3) + "\x08\xA2" + e(t, "x"), "───x"},
		{"Graphic Escape", "", "\x08\xC5\x08\xA2\x08\xD5", "┌─┐"},
		{"a character set", "", "\x28\x43\xF1\xC5\xA2\x28\x43\x00\xC1", "┌─A"},
		{"a field's character set", "", "\x29\x02\xC0\x60\x43\xF1\xC5\xA2" + prot + "\xC1", " ┌─ A"},

		{"Erase Unprotected", prot + e(t, "ab") + input + e(t, "cd") + prot + e(t, "ef"), sba(2) + "\x12" + at(8) + e(t, "x"), " ab    ex"},
		{"Erase Unprotected, part", input + e(t, "abcdef"), sba(2) + "\x12" + at(4), " a  def"},
		{"Erase Unprotected without fields", e(t, "abcd"), sba(1) + "\x12" + at(3), "a  d"},
		{"Erase Unprotected all", input + e(t, "ab") + prot + e(t, "cd"), sba(9) + "\x12" + at(9), "    cd"},

		{"Program Tab at a field for input", input + e(t, "ab"), sba(0) + pt + e(t, "x"), " xb"},
		{"Program Tab", prot + e(t, "ab") + input + e(t, "cd"), sba(1) + pt + e(t, "x"), " ab xd"},
		{"Program Tab behind data", prot + e(t, "abcd") + input + e(t, "ef"), sba(1) + e(t, "x") + pt + e(t, "y"), " x    yf"},
		{"Program Tab behind an order", prot + e(t, "abcd") + input + e(t, "ef"), e(t, " ") + sba(2) + pt + e(t, "y"), " abcd yf"},
		{"Program Tab, no field left", input + e(t, "ab"), sba(1) + pt + e(t, "x"), "xab"},
		{"two Program Tabs", prot + e(t, "ab") + input + e(t, "cd"), sba(4) + e(t, "x") + pt + pt + e(t, "y"), " ab y"},
		{"a second Program Tab erases on", e(t, "ab") + input + e(t, "cd"), sba(3) + e(t, "x") + pt + pt + e(t, "y"), "   y"},
		{"Program Tab over a field without room", prot + e(t, "a") + input + input + e(t, "b"), sba(1) + pt + e(t, "x"), " a  x"},

		{"Set Attribute does not take a position", "", "\x28\x42\xF2" + e(t, "a") + "\x28\x00\x00" + e(t, "b"), "ab"},
		{"Start Field Extended", "", "\x29\x03\xC0\x60\x42\xF4\x41\xF2" + e(t, "a"), " a"},
		{"Start Field Extended without types", "", e(t, "a") + "\x29\x00" + e(t, "b"), "a b"},
		{"Modify Field", sf + "\x4C" + e(t, "shown"), sba(0) + "\x2C\x01\xC0\x40", " shown"},
		{"Modify Field goes on", prot + e(t, "ab"), sba(0) + "\x2C\x00" + e(t, "x"), " xb"},
	} {
		s := screen(t, nil)
		receive(t, s, []byte("\xF5\x00"+test.before))
		receive(t, s, []byte("\xF1\x00"+test.then))
		if got := strings.TrimRight(s.Text(), "\n"); got != test.want {
			t.Errorf("%s:\n%q, not\n%q", test.name, got, test.want)
		}
	}
}

// Insert Cursor must move the cursor to the current address. A write without Insert Cursor must
// not move the cursor.
func TestInsertCursor(t *testing.T) {
	s := screen(t, nil)
	receive(t, s, []byte("\xF5\x00"+sba(85)+ic+e(t, "abc")))
	wantCursor(t, s, 2, 6)
	receive(t, s, []byte("\xF1\x00"+sba(3)+e(t, "x")))
	wantCursor(t, s, 2, 6)
	receive(t, s, []byte("\xF5\x00"+e(t, "x")))
	wantCursor(t, s, 1, 1)
}

// The screen must decode 12-bit addresses, which are two graphic characters with arbitrary upper
// bits, and 14-bit addresses, which are plain numbers (chapter 3, "Buffer Addressing").
func TestAddresses(t *testing.T) {
	for octets, want := range map[string]int{
		"\x40\x40": 0, "\x40\xC1": 1, "\xC1\x50": 80, "\x5D\x7F": 1919, "\x00\x50": 80, "\x07\x7F": 1919, "\x5D\xFF": 1919,
		"\xC1\x10": 80, "\x5B\x60": 1760, "\x00\x00": 0,
	} {
		s := screen(t, nil)
		receive(t, s, []byte("\xF5\x00\x11"+octets+ic))
		wantCursor(t, s, want/80+1, want%80+1)
	}
}

// Each bit of the WCC must have the correct effect.
func TestWCC(t *testing.T) {
	s := screen(t, nil)
	receive(t, s, []byte("\xF5\x00"+sf+"\xC1"+e(t, "a")))
	if st := s.Status(); st.Lock != tn3270.LockedSystem || st.Alarms != 0 || !s.Fields()[0].Modified {
		t.Errorf("%+v", st)
	}
	receive(t, s, []byte("\xF1\x04"))
	receive(t, s, []byte("\xF1\x06"))
	if st := s.Status(); st.Lock != tn3270.Unlocked || st.Alarms != 2 || !s.Fields()[0].Modified {
		t.Errorf("%+v", st)
	}
	receive(t, s, []byte("\xF1\x01"))
	if s.Fields()[0].Modified {
		t.Error("still modified")
	}
}

// The channel codes of commands must have the same effect as the SNA codes.
func TestCommandCodes(t *testing.T) {
	for _, test := range []struct{ sna, channel byte }{
		{0xF1, 0x01}, {0xF2, 0x02}, {0xF5, 0x05}, {0xF6, 0x06}, {0x7E, 0x0D}, {0x6E, 0x0E}, {0x6F, 0x0F}, {0xF3, 0x11},
	} {
		var text, reply [2]string
		for i, code := range []byte{test.sna, test.channel} {
			s := screen(t, &tn3270.Options{Model: 5})
			receive(t, s, []byte("\xF5\x02"+input+ic+e(t, "abc")))
			write(t, s, "x")
			rest := "\x42" + e(t, "y")
			if test.sna == 0xF3 {
				rest = "\x00\x05\x01\xFF\x02"
			}
			reply[i] = string(receive(t, s, append([]byte{code}, rest...)))
			text[i] = s.Text()
		}
		if text[0] != text[1] || reply[0] != reply[1] {
			t.Errorf("%02X and %02X: %q %q", test.sna, test.channel, text, reply)
		}
	}
	if reply := receive(t, screen(t, nil), []byte{0x03}); reply != nil {
		t.Errorf("%q", reply)
	}
}

// Erase/Write must set the default size, Erase/Write Alternate must set the size of the model, and
// Write must not change the size.
func TestSizes(t *testing.T) {
	for model, want := range map[int][2]int{2: {24, 80}, 3: {32, 80}, 4: {43, 80}, 5: {27, 132}} {
		s := screen(t, &tn3270.Options{Model: model})
		size := func(want [2]int) {
			t.Helper()
			if r, c := s.Size(); r != want[0] || c != want[1] {
				t.Errorf("model %d: %d by %d", model, r, c)
			}
		}
		size([2]int{24, 80})
		receive(t, s, []byte("\x7E\x00"+sba(want[0]*want[1]-1)+e(t, "z")+ic))
		size(want)
		wantCursor(t, s, 1, 1)
		if text := s.Text(); strings.Count(text, "\n") != want[0]-1 || !strings.HasSuffix(text, strings.Repeat(" ", want[1]-1)+"z") {
			t.Errorf("%q", text)
		}
		receive(t, s, []byte("\xF1\x00"))
		size(want)
		receive(t, s, []byte("\xF5\x00"))
		size([2]int{24, 80})
		wantText(t, s, "")
	}
}

// Erase All Unprotected must clear the input fields, reset their MDT, and unlock the keyboard.
func TestEraseAllUnprotected(t *testing.T) {
	s := screen(t, nil)
	receive(t, s, []byte("\xF5\x00"+sf+"\x61"+e(t, "ab")+sf+"\xC1"+e(t, "cd")+prot))
	receive(t, s, []byte("\x6F"))
	wantText(t, s, " ab")
	wantCursor(t, s, 1, 5)
	if f := s.Fields(); !f[0].Modified || f[1].Modified || s.Status().Lock != tn3270.Unlocked {
		t.Errorf("%+v %v", f, s.Status())
	}
	receive(t, s, []byte("\xF5\x00"+e(t, "ab")+ic))
	receive(t, s, []byte("\x6F"))
	wantText(t, s, "")
	wantCursor(t, s, 1, 1)
	receive(t, s, []byte("\xF5\x00"+sba(1919)+input+e(t, "ab")+prot))
	receive(t, s, []byte("\x6F"))
	wantCursor(t, s, 1, 1)
}

// Colors and highlighting can come from the extended attributes of a field or a character, or from
// the field's basic attribute.
func TestColors(t *testing.T) {
	data := "\x29\x03\xC0\x60\x42\xF6\x41\xF4" + e(t, "a") + "\x28\x42\xF2" + e(t, "b") + "\x28\x41\xF2" + e(t, "c") +
		"\x28\x42\x00" + e(t, "d") + "\x28\x41\xF0" + e(t, "e") + "\x28\x00\x00" + e(t, "f") +
		prot + e(t, "g") + sf + "\xE8" + e(t, "h") + input + e(t, "i") + sf + "\xC8" + e(t, "j") + "\x29\x02\xC2\x01\x42\xF5" + e(t, "k")
	type look struct {
		r rune
		c tn3270.Color
		h tn3270.Highlight
		b bool
	}
	for _, test := range []struct {
		extended bool
		want     []look
	}{
		{true, []look{
			{'a', tn3270.Yellow, tn3270.Underscore, false}, {'b', tn3270.Red, tn3270.Underscore, false},
			{'c', tn3270.Red, tn3270.Reverse, false}, {'d', tn3270.Yellow, tn3270.Reverse, false},
			{'e', tn3270.Yellow, 0, false}, {'f', tn3270.Yellow, tn3270.Underscore, false},
			{'g', tn3270.Blue, 0, false}, {'h', tn3270.Neutral, 0, true}, {'i', tn3270.Green, 0, false},
			{'j', tn3270.Red, 0, true}, {'k', tn3270.Turquoise, 0, false},
		}},
		{false, []look{
			{'a', 0, 0, false}, {'b', 0, 0, false}, {'c', 0, 0, false}, {'d', 0, 0, false}, {'e', 0, 0, false}, {'f', 0, 0, false},
			{'g', 0, 0, false}, {'h', 0, 0, true}, {'i', 0, 0, false}, {'j', 0, 0, true}, {'k', 0, 0, false},
		}},
	} {
		s := screen(t, &tn3270.Options{Extended: test.extended})
		receive(t, s, []byte("\xF5\x00"+data))
		var got []look
		for _, c := range s.Cells() {
			if c.Rune != ' ' {
				got = append(got, look{c.Rune, c.Color, c.Highlight, c.Intensified})
			}
		}
		for i, want := range test.want {
			if i >= len(got) || got[i] != want {
				t.Errorf("extended %v: %+v, not %+v", test.extended, got, want)
				break
			}
		}
	}
}

// Fields must return the position and value of each field.
func TestFields(t *testing.T) {
	s := screen(t, &tn3270.Options{Extended: true})
	if got := s.Fields(); got != nil {
		t.Errorf("%+v", got)
	}
	receive(t, s, []byte("\xF5\x00"+sba(78)+prot+sf+"\xC9"+e(t, " a")+"\x00"+e(t, "b  ")+"\x00"+
		sba(160)+sf+"\x50"+e(t, "12")+sf+"\xF0"+e(t, "skip")+"\x29\x03\xC0\x4C\x42\xF2\x41\xF1"+e(t, "secret")+
		sba(1918)+input+e(t, "xy")))
	want := []tn3270.Field{
		{Row: 1, Column: 80, Address: 79, Length: 0, Protected: true},
		{Row: 2, Column: 1, Address: 80, Length: 80, Intensified: true, Modified: true, Value: " a b"},
		{Row: 3, Column: 2, Address: 161, Length: 2, Numeric: true, Value: "12"},
		{Row: 3, Column: 5, Address: 164, Length: 4, Protected: true, Skip: true, Value: "skip"},
		{Row: 3, Column: 10, Address: 169, Length: 1749, Hidden: true, Color: tn3270.Red, Highlight: tn3270.Blink},
		{Row: 24, Column: 80, Address: 1919, Length: 79, Value: "xy"},
	}
	got := s.Fields()
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%d: %+v, not %+v", i, got[i], want[i])
		}
	}
}

// A DataError must contain the offset of the error. The part of the record before the error must
// take effect, and the screen must remain usable.
func TestWrongData(t *testing.T) {
	long := strings.Repeat("\x40", tn3270.MaxRecord)
	for _, test := range []struct {
		name, record string
		offset       int
		what         string
	}{
		{"command", "\xAA", 0, "AA"},
		{"no WCC", "\xF5", 0, "truncated"},
		{"order", "ok\x02", 4, "02"},
		{"no address", "ok\x11", 4, "truncated"},
		{"half an address", "ok\x11\x00", 4, "truncated"},
		{"address outside", "ok\x11\x07\x80", 4, "1920"},
		{"address of 12 bits outside", "ok\x11\x7F\x7F", 4, "4095"},
		{"address of 14 bits outside", "ok\x11\x3F\xFF", 4, "16383"},
		{"reserved address", "ok\x11\x80\x00", 4, "80"},
		{"no attribute", "ok\x1D", 4, "truncated"},
		{"no pairs", "ok\x29", 4, "truncated"},
		{"pairs cut off", "ok\x29\x02\xC0\x40\x41", 4, "truncated"},
		{"more pairs than there are", "ok\x29\xFF\xC0\x40", 4, "truncated"},
		{"nothing to modify", "ok\x2C\x01\xC0\x40", 4, "without a field"},
		{"Modify Field cut off", "ok\x2C\x01", 4, "truncated"},
		{"Set Attribute cut off", "ok\x28\x42", 4, "truncated"},
		{"Repeat cut off", "ok\x3C\x00\x05", 4, "truncated"},
		{"Repeat outside", "ok\x3C\x07\x80\x40", 4, "1920"},
		{"Repeat an order", "ok\x3C\x00\x05\x11", 4, "11"},
		{"Repeat half a Graphic Escape", "ok\x3C\x00\x05\x08", 4, "truncated"},
		{"Erase Unprotected outside", "ok\x12\x07\x80", 4, "1920"},
		{"half a Graphic Escape", "ok\x08", 4, "truncated"},
		{"Graphic Escape of an order", "ok\x08\x11", 4, "11"},
		{"too long", "ok" + long, tn3270.MaxRecord, "65540"},
	} {
		s := screen(t, nil)
		data := test.record
		if rest, ok := strings.CutPrefix(data, "ok"); ok {
			data = "\xF5\x06" + e(t, "ok") + rest
		}
		_, err := s.Receive([]byte(data))
		var wrong *tn3270.DataError
		if !errors.As(err, &wrong) || !errors.Is(err, tn3270.ErrData) || wrong.Offset != test.offset || !strings.Contains(wrong.What, test.what) {
			t.Errorf("%s: %v", test.name, err)
		}
		if strings.HasPrefix(test.record, "ok") && test.name != "too long" {
			wantText(t, s, "ok")
			if st := s.Status(); st.Lock != tn3270.Unlocked || st.Alarms != 1 {
				t.Errorf("%s: %+v", test.name, st)
			}
		}
		receive(t, s, []byte("\xF5\x02"+e(t, "next")))
		wantText(t, s, "next")
	}
	if reply, err := screen(t, nil).Receive(nil); reply != nil || err != nil {
		t.Errorf("%q, %v", reply, err)
	}
}

// Many Program Tabs, and many repetitions over the whole screen, must not take too long.
func TestManyOrders(t *testing.T) {
	for _, order := range []string{pt, "\x3C\x00\x00\x40", "\x12\x00\x00", "\x29\x00", "\x08\xC5"} {
		s := screen(t, &tn3270.Options{Model: 5})
		data := append([]byte("\x7E\x02"+prot), bytes.Repeat([]byte(order), 2000)...)
		receive(t, s, data)
		receive(t, s, []byte("\xF2"))
		press(t, s, tn3270.Tab, tn3270.Backtab, tn3270.Home, tn3270.Newline, tn3270.EraseInput, tn3270.Enter)
	}
}
