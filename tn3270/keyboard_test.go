package tn3270_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/locus-url/locus/tn3270"
)

// form returns a screen whose keyboard is unlocked. It contains input fields for a name, a number
// and a hidden word, a field that the cursor skips, and a protected field that the cursor does not
// skip.
//
//	row 1: attribute, "NAME ", attribute at 7, 8 positions, skip attribute at 16, "NO ",
//	row 2: numeric field at 81 with 4 positions, protected at 86, "WORD "
//	row 3: hidden field at 161 with 5 positions, protected at 167
func form(t testing.TB) *tn3270.Screen {
	t.Helper()
	s := screen(t, nil)
	receive(t, s, record(t, builder(t, nil).EraseWrite(tn3270.KeyboardRestore).
		Field(tn3270.Skip).Text("NAME").At(1, 7).Field(0).InsertCursor().
		At(1, 16).Field(tn3270.Skip).Text("NO").
		At(2, 1).Field(tn3270.Numeric).At(2, 6).Field(tn3270.Protected).Text("WORD").
		At(3, 1).Field(tn3270.Hidden).At(3, 7).Field(tn3270.Skip)))
	wantCursor(t, s, 1, 8)
	return s
}

// Enter must send the input to the host, and must lock the keyboard until the host unlocks it.
func TestFillIn(t *testing.T) {
	s := form(t)
	write(t, s, "Ada") // Tab then moves to the next field
	press(t, s, tn3270.Tab)
	write(t, s, "1815") // fills the field; the next field is protected but not skipped
	wantCursor(t, s, 2, 7)
	press(t, s, tn3270.Tab)
	wantCursor(t, s, 3, 2)
	write(t, s, "sesam") // fills the field; the cursor skips the following fields and wraps to the first field
	wantCursor(t, s, 1, 8)
	wantText(t, s, " NAME  Ada      NO\n 1815 WORD")
	got := press(t, s, tn3270.PF12)
	in, err := tn3270.ParseInbound(got, "")
	if err != nil {
		t.Fatal(err)
	}
	want := []tn3270.ModifiedField{{7, "Ada"}, {81, "1815"}, {161, "sesam"}}
	if in.Key != tn3270.PF12 || in.AID != 0x7C || in.Cursor != 7 || len(in.Fields) != 3 {
		t.Fatalf("%+v", in)
	}
	for i, f := range in.Fields {
		if f != want[i] {
			t.Errorf("%+v", f)
		}
	}
	if err := s.Type("x"); !errors.Is(err, tn3270.ErrLocked) || !strings.Contains(err.Error(), "X SYSTEM") {
		t.Error(err)
	}
	if _, err := s.Press(tn3270.Enter); !errors.Is(err, tn3270.ErrLocked) {
		t.Error(err)
	}
	receive(t, s, []byte("\xF1\x00"+sba(1600)+e(t, "wait")))
	if s.Status().Lock != tn3270.LockedSystem {
		t.Error("unlocked by a write that does not unlock")
	}
	receive(t, s, []byte("\xF1\x03"))
	write(t, s, "B")
	if got, want := string(press(t, s, tn3270.Enter)), "\x7D\x40\xC8\x11\x40\xC7"+e(t, "Bda"); got != want {
		t.Errorf("% X, not % X", got, want)
	}
}

// Each key must send the correct AID. The keys PA1 to PA3 and Clear must send only the AID.
func TestAIDs(t *testing.T) {
	aids := map[tn3270.Key]byte{
		tn3270.Enter: 0x7D, tn3270.Clear: 0x6D, tn3270.PA1: 0x6C, tn3270.PA2: 0x6E, tn3270.PA3: 0x6B,
		tn3270.PF1: 0xF1, tn3270.PF9: 0xF9, tn3270.PF10: 0x7A, tn3270.PF11: 0x7B, tn3270.PF12: 0x7C,
		tn3270.PF13: 0xC1, tn3270.PF21: 0xC9, tn3270.PF22: 0x4A, tn3270.PF23: 0x4B, tn3270.PF24: 0x4C,
	}
	for k, aid := range aids {
		s := form(t)
		write(t, s, "x")
		rest := "\x40\xC8\x11\x40\xC7\xA7"
		short := k == tn3270.Clear || tn3270.PA1 <= k && k <= tn3270.PA3
		if short {
			rest = ""
		}
		if got, want := string(press(t, s, k)), string([]byte{aid})+rest; got != want {
			t.Errorf("%v: % X, not % X", k, got, want)
		}
		// Until the host unlocks the keyboard, the reply to a Read must contain the same
		// AID.
		if got, want := string(receive(t, s, []byte{0xF6})), string([]byte{aid})+rest; got != want {
			t.Errorf("%v: Read Modified % X, not % X", k, got, want)
		}
		if got := receive(t, s, []byte{0x6E}); got[0] != aid || len(got) < 3 {
			t.Errorf("%v: Read Modified All % X", k, got)
		}
		receive(t, s, []byte("\xF1\x02"))
		if got := receive(t, s, []byte{0xF6}); got[0] != 0x60 {
			t.Errorf("%v: % X", k, got)
		}
		if in, err := tn3270.ParseInbound([]byte(string([]byte{aid})+rest), ""); in.Key != k || err != nil {
			t.Errorf("%v: %+v, %v", k, in, err)
		}
	}
}

// A screen without fields must send all characters except nulls.
func TestUnformatted(t *testing.T) {
	s := screen(t, nil)
	receive(t, s, []byte("\xF5\x02"+sba(3)+e(t, "LOGON ")+ic))
	write(t, s, "ada")
	if got, want := string(press(t, s, tn3270.Enter)), "\x7D\x40\x4C"+e(t, "LOGON ada"); got != want {
		t.Errorf("% X, not % X", got, want)
	}
}

// A field must wrap from the last position of the screen to the first position, also during input.
func TestWrappedField(t *testing.T) {
	s := screen(t, nil)
	receive(t, s, []byte("\xF5\x02"+sba(1917)+input+ic+sba(2)+sf+"\xF0"))
	write(t, s, "abcd")
	wantCursor(t, s, 24, 79)
	if got, want := string(press(t, s, tn3270.Enter)), "\x7D\x5D\x7E\x11\x5D\x7E"+e(t, "abcd"); got != want {
		t.Errorf("% X, not % X", got, want)
	}
	if f := s.Fields()[1]; f.Value != "abcd" || f.Length != 4 {
		t.Errorf("%+v", f)
	}
	receive(t, s, []byte("\xF1\x02"))
	press(t, s, tn3270.Right, tn3270.Delete)
	if f := s.Fields()[1]; f.Value != "acd" {
		t.Errorf("%+v", f)
	}
	press(t, s, tn3270.Left, tn3270.Insert)
	write(t, s, "x")
	if f := s.Fields()[1]; f.Value != "xacd" {
		t.Errorf("%+v", f)
	}
	press(t, s, tn3270.EraseEOF)
	if f := s.Fields()[1]; f.Value != "x" {
		t.Errorf("%+v", f)
	}
}

// Invalid input must lock the keyboard and set the reason, and Reset must unlock the keyboard.
func TestInvalidInput(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(*tn3270.Screen) error
		want error
		lock tn3270.Lock
		text string
	}{
		{"protected", func(s *tn3270.Screen) error { press(t, s, tn3270.Left, tn3270.Left); return s.Type("x") }, tn3270.ErrProtected, tn3270.LockedProtected, "X PROTECTED"},
		{"an attribute", func(s *tn3270.Screen) error { press(t, s, tn3270.Left); return s.Type("x") }, tn3270.ErrProtected, tn3270.LockedProtected, "X PROTECTED"},
		{"numeric", func(s *tn3270.Screen) error { press(t, s, tn3270.Tab); return s.Type("1x") }, tn3270.ErrNumeric, tn3270.LockedNumeric, "X NUMERIC"},
		{"overflow", func(s *tn3270.Screen) error { press(t, s, tn3270.Insert); return s.Type("123456789") }, tn3270.ErrOverflow, tn3270.LockedOverflow, "X OVERFLOW"},
		{"delete", func(s *tn3270.Screen) error {
			press(t, s, tn3270.Left)
			_, err := s.Press(tn3270.Delete)
			return err
		}, tn3270.ErrProtected, tn3270.LockedProtected, "X PROTECTED"},
		{"backspace", func(s *tn3270.Screen) error {
			press(t, s, tn3270.Left)
			_, err := s.Press(tn3270.Backspace)
			return err
		}, tn3270.ErrProtected, tn3270.LockedProtected, "X PROTECTED"},
		{"erase", func(s *tn3270.Screen) error {
			press(t, s, tn3270.Left)
			_, err := s.Press(tn3270.EraseEOF)
			return err
		}, tn3270.ErrProtected, tn3270.LockedProtected, "X PROTECTED"},
		{"dup", func(s *tn3270.Screen) error {
			press(t, s, tn3270.Left)
			_, err := s.Press(tn3270.Dup)
			return err
		}, tn3270.ErrProtected, tn3270.LockedProtected, "X PROTECTED"},
		{"field mark in a number", func(s *tn3270.Screen) error {
			press(t, s, tn3270.Tab)
			_, err := s.Press(tn3270.FieldMark)
			return err
		}, tn3270.ErrNumeric, tn3270.LockedNumeric, "X NUMERIC"},
	} {
		s := form(t)
		if test.name == "overflow" {
			write(t, s, "\t\t\t") // back to the name field
			receive(t, s, []byte("\xF1\x00"+sba(7)+e(t, "abcd")+"\x00\x00\x00\x00"+sba(7)+ic))
			write(t, s, "wxyz")
			receive(t, s, []byte("\xF1\x00"+sba(7)+ic))
		}
		err := test.do(s)
		wantError(t, err, test.want)
		if got := s.Status().Lock; got != test.lock || got.String() != test.text {
			t.Errorf("%s: %v", test.name, got)
		}
		for k := tn3270.Enter; k <= tn3270.Redraw; k++ {
			switch k {
			case tn3270.Reset, tn3270.Attn, tn3270.SysReq, tn3270.Redraw:
				continue
			}
			if send, err := s.Press(k); !errors.Is(err, tn3270.ErrLocked) || send != nil {
				t.Errorf("%s: %v: %q, %v", test.name, k, send, err)
			}
		}
		press(t, s, tn3270.Attn, tn3270.SysReq, tn3270.Redraw, tn3270.Reset)
		if st := s.Status(); st.Lock.String() != "" || st.Insert {
			t.Errorf("%s: %+v", test.name, st)
		}
	}
}

// The error must contain the number of the rejected character, but never the character itself.
func TestTypeErrors(t *testing.T) {
	s := form(t)
	err := s.Type("ab€")
	wantError(t, err, tn3270.ErrCharacter)
	if !strings.Contains(err.Error(), "character 3") || strings.Contains(err.Error(), "€") {
		t.Error(err)
	}
	wantText(t, s, " NAME  ab       NO\n      WORD")
	write(t, s, "c") // must succeed, because the keyboard is not locked
	for _, r := range []string{"\r", "\x00", "\x1b", "\u009f", "日", "\xff"} {
		wantError(t, s.Type(r), tn3270.ErrCharacter)
	}
	s = screen(t, nil)
	receive(t, s, []byte("\xF5\x02"+sba(10)+input+ic))
	write(t, s, "\u00A0\u00AD")
	if got := s.Fields()[0].Value; got != " -" {
		t.Errorf("%q", got)
	}
}

// Numeric fields must accept digits, ".", "-" and DUP.
func TestNumeric(t *testing.T) {
	s := form(t)
	press(t, s, tn3270.Tab)
	write(t, s, "-1.")
	press(t, s, tn3270.Dup)
	wantCursor(t, s, 3, 2)
	if got, want := string(press(t, s, tn3270.Enter)), "\x7D\xC2\x61\x11\xC1\xD1"+e(t, "-1.")+"\x1C"; got != want {
		t.Errorf("% X, not % X", got, want)
	}
}

// The keys Dup and FieldMark must enter characters, and Dup must also move to the next field.
func TestDupFieldMark(t *testing.T) {
	s := form(t)
	write(t, s, "a")
	press(t, s, tn3270.FieldMark)
	write(t, s, "b")
	press(t, s, tn3270.Dup)
	wantCursor(t, s, 2, 2)
	wantText(t, s, " NAME  a;b*     NO\n      WORD")
	in, err := tn3270.ParseInbound(press(t, s, tn3270.Enter), "")
	if err != nil || len(in.Fields) != 1 || in.Fields[0].Value != "a\x1Eb\x1C" {
		t.Errorf("%+v, %v", in, err)
	}
	s = form(t)
	write(t, s, "1234567")
	press(t, s, tn3270.Dup) // also works at the end of a field
	wantCursor(t, s, 2, 2)
}

// The editing keys must have the correct effects.
func TestEdit(t *testing.T) {
	type keys = []tn3270.Key
	for _, test := range []struct {
		name   string
		typed  string
		keys   keys
		then   string
		want   string
		column int
	}{
		{"Backspace", "abc", keys{tn3270.Backspace}, "", "ab", 10},
		{"Backspace in the middle", "abcd", keys{tn3270.Left, tn3270.Left, tn3270.Backspace}, "", "acd", 9},
		{"Backspace at the beginning", "ab", keys{tn3270.Left, tn3270.Left, tn3270.Backspace}, "", "ab", 8},
		{"Delete", "abcd", keys{tn3270.Home, tn3270.Right, tn3270.Delete}, "", "acd", 9},
		{"Delete in a full field", "12345678", keys{tn3270.Home, tn3270.Delete}, "", "2345678", 8},
		{"EraseEOF", "abcd", keys{tn3270.Home, tn3270.Right, tn3270.EraseEOF}, "", "a", 9},
		{"EraseInput", "abcd", keys{tn3270.EraseInput}, "", "", 8},
		{"overwriting", "abcd", keys{tn3270.Home, tn3270.Right}, "x", "axcd", 10},
		{"inserting", "abcd", keys{tn3270.Home, tn3270.Right, tn3270.Insert}, "xy", "axybcd", 11},
		{"inserting at the end", "abcd", keys{tn3270.Insert}, "xyzw", "abcdxyzw", 2}, // the cursor then moves to row 2
		{"Insert twice", "abcd", keys{tn3270.Home, tn3270.Insert, tn3270.Insert}, "x", "xbcd", 9},
		{"inserting before a gap", "ab", keys{tn3270.Right, tn3270.Right}, "c", "ab  c", 13},
		{"Left and Right", "abc", keys{tn3270.Left, tn3270.Left, tn3270.Right}, "x", "abx", 11},
	} {
		s := form(t)
		write(t, s, test.typed)
		press(t, s, test.keys...)
		write(t, s, test.then)
		if got := s.Fields()[1].Value; got != test.want {
			t.Errorf("%s: %q", test.name, got)
		}
		if _, got := s.Cursor(); got != test.column {
			t.Errorf("%s: column %d", test.name, got)
		}
	}
	s := form(t)
	write(t, s, "ab")
	press(t, s, tn3270.Home, tn3270.Right, tn3270.Right, tn3270.Right, tn3270.Right)
	write(t, s, "cd")
	press(t, s, tn3270.Home, tn3270.Insert)
	write(t, s, "x") // moves the characters up to the first null
	if got, want := string(press(t, s, tn3270.Enter)), "\x7D\x40\xC8\x11\x40\xC7"+e(t, "xabcd"); got != want || s.Fields()[1].Value != "xab cd" {
		t.Errorf("% X, %q", got, s.Fields()[1].Value)
	}
	if s.Status().Insert {
		t.Error("inserting after Enter")
	}
}

// On a screen without fields, Delete and inserting must affect only the current line.
func TestEditUnformatted(t *testing.T) {
	s := screen(t, nil)
	receive(t, s, []byte("\xF5\x02"+sba(70)+e(t, "abcdefghijklmn")+sba(70)+ic))
	press(t, s, tn3270.Delete)
	wantText(t, s, strings.Repeat(" ", 70)+"bcdefghij\nklmn")
	press(t, s, tn3270.Insert)
	write(t, s, "x")
	wantText(t, s, strings.Repeat(" ", 70)+"xbcdefghij\nklmn")
	wantError(t, s.Type("y"), tn3270.ErrOverflow)
	press(t, s, tn3270.Reset, tn3270.EraseEOF)
	wantText(t, s, strings.Repeat(" ", 70)+"x")
	press(t, s, tn3270.Tab, tn3270.Backspace)
	wantCursor(t, s, 1, 1)
	press(t, s, tn3270.Newline)
	wantCursor(t, s, 2, 1)
	write(t, s, "z\n\nw")
	press(t, s, tn3270.Backtab)
	wantCursor(t, s, 1, 1)
	press(t, s, tn3270.EraseInput)
	wantText(t, s, "")
}

// The cursor must wrap at the edges of the screen, and must move from field to field.
func TestMove(t *testing.T) {
	s := form(t)
	for _, test := range []struct {
		key         tn3270.Key
		row, column int
	}{
		{tn3270.Up, 24, 8}, {tn3270.Up, 23, 8}, {tn3270.Down, 24, 8}, {tn3270.Down, 1, 8},
		{tn3270.Tab, 2, 2}, {tn3270.Tab, 3, 2}, {tn3270.Tab, 1, 8}, {tn3270.Backtab, 3, 2}, {tn3270.Right, 3, 3},
		{tn3270.Backtab, 3, 2}, {tn3270.Backtab, 2, 2}, {tn3270.Newline, 3, 2}, {tn3270.Newline, 1, 8},
		{tn3270.Newline, 2, 2}, {tn3270.Home, 1, 8}, {tn3270.Backtab, 3, 2}, {tn3270.Home, 1, 8},
		{tn3270.Left, 1, 7}, {tn3270.Tab, 1, 8}, {tn3270.Left, 1, 7}, {tn3270.Left, 1, 6}, {tn3270.Left, 1, 5}, {tn3270.Left, 1, 4},
		{tn3270.Left, 1, 3}, {tn3270.Left, 1, 2}, {tn3270.Left, 1, 1}, {tn3270.Left, 24, 80}, {tn3270.Right, 1, 1},
	} {
		press(t, s, test.key)
		if row, column := s.Cursor(); row != test.row || column != test.column {
			t.Errorf("%v: %d,%d, not %d,%d", test.key, row, column, test.row, test.column)
		}
	}
	if send := press(t, s, tn3270.Enter); len(send) != 3 {
		t.Errorf("moving modified something: % X", send)
	}
}

// Newline must move to the first line whose first column accepts input.
func TestNewlineWithinField(t *testing.T) {
	s := screen(t, nil)
	receive(t, s, []byte("\xF5\x02"+sba(10)+input+ic+sba(300)+prot))
	write(t, s, "first\nsecond\n")
	wantCursor(t, s, 3, 1)
	wantText(t, s, strings.Repeat(" ", 11)+"first\nsecond")
}

// A screen that contains only protected fields or only attributes must reject input.
func TestNoInput(t *testing.T) {
	for _, data := range []string{prot, "\x3C\x00\x00\x40" + prot, strings.Repeat(input, 1920), strings.Repeat(sf+"\x70", 1920)} {
		s := screen(t, nil)
		receive(t, s, []byte("\xF5\x02"+data))
		for _, k := range []tn3270.Key{tn3270.Tab, tn3270.Backtab, tn3270.Home, tn3270.Newline, tn3270.EraseInput} {
			press(t, s, k)
			wantCursor(t, s, 1, 1)
		}
		wantError(t, s.Type("x"), tn3270.ErrProtected)
	}
}

// Clear must empty the screen without changing its size.
func TestClear(t *testing.T) {
	s := screen(t, &tn3270.Options{Model: 3})
	receive(t, s, []byte("\x7E\x02"+sba(100)+input+e(t, "ab")+ic))
	press(t, s, tn3270.Clear)
	wantText(t, s, "")
	wantCursor(t, s, 1, 1)
	if rows, _ := s.Size(); rows != 32 || s.Fields() != nil {
		t.Errorf("%d rows, %v", rows, s.Fields())
	}
}

// The effect of the cursor select key must depend on the designator.
func TestCursorSelect(t *testing.T) {
	select1 := func(designator string, attribute tn3270.Attribute) (*tn3270.Screen, []byte, error) {
		s := screen(t, nil)
		receive(t, s, record(t, builder(t, nil).EraseWrite(tn3270.KeyboardRestore).At(1, 5).
			Field(attribute).Text(designator+"abc").Field(tn3270.Skip).At(1, 8).InsertCursor()))
		send, err := s.Press(tn3270.CursorSelect)
		return s, send, err
	}
	for _, a := range []tn3270.Attribute{tn3270.Detectable, tn3270.Intensified, tn3270.Protected | tn3270.Detectable} {
		s, send, err := select1("?", a)
		if f := s.Fields()[0]; send != nil || err != nil || !f.Modified || f.Value != ">abc" {
			t.Errorf("%+v %q %v", f, send, err)
		}
		send, err = s.Press(tn3270.CursorSelect)
		if f := s.Fields()[0]; send != nil || err != nil || f.Modified || f.Value != "?abc" {
			t.Errorf("%+v %q %v", f, send, err)
		}
		if _, send, err = select1("&", a); err != nil || string(send) != "\x7D\x40\xC7\x11\x40\xC5"+e(t, "&abc") {
			t.Errorf("% X %v", send, err)
		}
		if s, send, err = select1(" ", a); err != nil || string(send) != "\x7E\x40\xC7\x11\x40\xC5" {
			t.Errorf("% X %v", send, err)
		}
		if in, err := tn3270.ParseInbound(send, ""); err != nil || in.Key != tn3270.CursorSelect || len(in.Fields) != 1 || in.Fields[0].Address != 5 {
			t.Errorf("%+v %v", in, err)
		}
		if got := receive(t, s, []byte{0x6E}); string(got) != "\x7E\x40\xC7\x11\x40\xC5"+e(t, " abc") {
			t.Errorf("Read Modified All: % X", got)
		}
		_, _, err = select1("x", a)
		wantError(t, err, tn3270.ErrProtected)
	}
	for _, a := range []tn3270.Attribute{0, tn3270.Hidden} {
		_, _, err := select1("?", a)
		wantError(t, err, tn3270.ErrProtected)
	}
	s := screen(t, nil)
	receive(t, s, []byte("\xF5\x02"))
	_, err := s.Press(tn3270.CursorSelect)
	wantError(t, err, tn3270.ErrProtected)
}

// If the host sends text (SSCP-LU-DATA in RFC 2355), Enter must send the input as text.
func TestText(t *testing.T) {
	s := form(t)
	s.ReceiveText([]byte(e(t, "MSG10") + "\x15" + e(t, "LOGON? ")))
	if st := s.Status(); st.Mode != tn3270.ModeText || st.Lock != tn3270.Unlocked {
		t.Errorf("%+v", st)
	}
	wantText(t, s, "MSG10\nLOGON?")
	wantCursor(t, s, 2, 8)
	write(t, s, "ada x")
	press(t, s, tn3270.Backspace, tn3270.Backspace)
	if got := press(t, s, tn3270.PF3); got != nil {
		t.Errorf("% X", got)
	}
	if got := string(press(t, s, tn3270.Enter)); got != e(t, "ada") {
		t.Errorf("% X", got)
	}
	wantError(t, s.Type("x"), tn3270.ErrLocked)
	s.ReceiveText([]byte("\x15" + e(t, "WELCOME") + "\x15"))
	wantText(t, s, "MSG10\nLOGON? ada\nWELCOME")
	if got := press(t, s, tn3270.Enter); got == nil || len(got) != 0 {
		t.Errorf("%q", got)
	}
	press(t, s, tn3270.Reset, tn3270.Clear)
	wantText(t, s, "")
	wantCursor(t, s, 1, 1)
	s.ReceiveText([]byte(strings.Repeat("\x15", 23) + strings.Repeat(e(t, "x"), 90)))
	wantCursor(t, s, 1, 11)
	write(t, s, strings.Repeat("y", 300))
	if got := string(press(t, s, tn3270.Enter)); got != strings.Repeat(e(t, "y"), 255) {
		t.Errorf("%d octets", len(got))
	}
	receive(t, s, []byte("\xF5\x02"+e(t, "3270")))
	if s.Status().Mode != tn3270.Mode3270 {
		t.Error("still text")
	}
	wantText(t, s, "3270")
}

// Before the first record, the keyboard must be locked, and Reset must unlock it.
func TestBeforeFirstRecord(t *testing.T) {
	s := screen(t, nil)
	wantError(t, s.Type("x"), tn3270.ErrLocked)
	press(t, s, tn3270.Reset)
	write(t, s, "x")
	if got, want := string(press(t, s, tn3270.Enter)), "\x7D\x40\xC1\xA7"; got != want {
		t.Errorf("% X", got)
	}
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := screen(t, nil)
		done := make(chan error)
		go func() {
			done <- s.Wait(t.Context(), func(s *tn3270.Screen) bool { return strings.Contains(s.Text(), "READY") })
		}()
		synctest.Wait()
		receive(t, s, []byte("\xF5\x02"+e(t, "not yet")))
		synctest.Wait()
		select {
		case err := <-done:
			t.Fatalf("too early: %v", err)
		default:
		}
		receive(t, s, []byte("\xF5\x02"+e(t, "READY")))
		if err := <-done; err != nil {
			t.Error(err)
		}
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { done <- s.Wait(ctx, func(*tn3270.Screen) bool { return false }) }()
		synctest.Wait()
		cancel(cause)
		if err := <-done; err != cause {
			t.Error(err)
		}
		changed := s.Changed()
		press(t, s, tn3270.Home)
		<-changed
	})
}

// The host and the user may use the screen at the same time.
func TestConcurrentUse(t *testing.T) {
	s := form(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 200 {
			s.Receive([]byte("\xF1\x02" + sba(7) + ic))
			s.ReceiveText([]byte{0xC1})
			s.Receive([]byte("\xF5\x02" + input))
		}
	}()
	for range 200 {
		s.Type("a\t")
		s.Press(tn3270.Insert)
		s.Press(tn3270.Enter)
		s.Text()
		s.Fields()
		s.Snapshot()
	}
	<-done
}
