package tn3270_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/locus-url/locus/tn3270"
)

func seeds(f *testing.F) {
	for _, r := range seedRecords(f) {
		f.Add(r)
	}
}

// seedRecords returns the recorded Hercules records, and some handmade records of each type.
func seedRecords(t testing.TB) [][]byte {
	list := append(records(wire(t, "hercules-s3270-first-screen.s2c")), records(wire(t, "hercules-s3270-clear.c2s"))...)
	for _, r := range []string{
		"\xF5\x42\x11\x40\x40\x1D\x60\xC1\x29\x03\xC0\x40\x42\xF2\x41\xF4\xC1\x05\x3C\x5D\x7F\x5C\x12\x40\x40\x13",
		"\xF1\x01\x28\x42\xF2\xC1\x28\x00\x00\x08\xC5\x2C\x01\xC0\x60\x1E\x1C\x3F\xFF\x00",
		"\x7E\xFF\x11\x0D\xEB\xC1\xC2\x05\x05\x05\x3C\x00\x00\x08\xA2",
		"\xF3\x00\x05\x01\xFF\x02", "\xF3\x00\x07\x01\xFF\x03\x00\x81", "\xF3\x00\x05\x09\x00\x02\x41\x00\x05\x01\x00\xF2",
		"\xF3\x00\x0A\x0C\x00\x01\x00\x00\x18\x00\x50\x00\x00\x40\x00\xF5\x02\x11\x00\x50\x13", "\xF3\x00\x04\x03\x80\x00\x04\x0D\x00",
		"\xF2", "\xF6", "\x6E", "\x6F", "\x03", "\xFF", "\xF5\x02\x1D\x00\x11\x7F\x7F",
	} {
		list = append(list, []byte(r))
	}
	return list
}

// terminals lists the options of the terminals under test.
var terminals = []*tn3270.Options{nil, {Model: 5, Extended: true, CodePage: "1047"}}

const keys = int(tn3270.Redraw-tn3270.Enter) + 1

// checkReceive passes a record to a screen and presses keys. The screen must remain usable and
// must show only graphic characters.
func checkReceive(t *testing.T, o *tn3270.Options, record []byte, pressed ...tn3270.Key) {
	t.Helper()
	s := screen(t, o)
	receive(t, s, []byte("\x7E\x02"+prot+e(t, "ab")+input+e(t, "cd")))
	reply, err := s.Receive(record)
	wantDataError(t, err, record)
	if len(reply) > 64<<10 {
		t.Errorf("a reply of %d octets", len(reply))
	}
	s.Type("a1\t\n")
	for _, k := range pressed {
		s.Press(k)
		s.Press(tn3270.Reset)
	}
	checkShown(t, s)
	s.ReceiveText(record)
	checkShown(t, s)
	receive(t, s, []byte("\xF5\x02\x11\x40\x40"+e(t, "sane")))
	wantText(t, s, "sane")
}

// The screen must remain usable after each key is pressed after each record.
func TestReceiveKeys(t *testing.T) {
	var all []tn3270.Key
	for k := tn3270.Enter; k <= tn3270.Redraw; k++ {
		all = append(all, k)
	}
	for _, record := range seedRecords(t) {
		for _, o := range terminals {
			checkReceive(t, o, record, all...)
		}
	}
}

// FuzzReceive passes an arbitrary record to a screen and presses some keys. The record selects the
// terminal and the keys, because testing all keys on both terminals would take too long.
func FuzzReceive(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, record []byte) {
		if len(record) > 8<<10 {
			return // more than twice the largest screen
		}
		sum := 0
		for _, o := range record {
			sum += int(o)
		}
		var pressed []tn3270.Key
		for i := range 5 {
			pressed = append(pressed, tn3270.Enter+tn3270.Key((sum+i*(keys/5))%keys))
		}
		checkReceive(t, terminals[sum%len(terminals)], record, pressed...)
	})
}

// wantDataError checks that err is nil, or a DataError whose offset is in the record.
func wantDataError(t *testing.T, err error, record []byte) {
	t.Helper()
	var wrong *tn3270.DataError
	if err != nil && (!errors.As(err, &wrong) || !errors.Is(err, tn3270.ErrData) || wrong.Offset < 0 || wrong.Offset >= len(record)) {
		t.Errorf("%v", err)
	}
}

// checkShown checks that the text, the fields and the drawing of a screen are consistent.
func checkShown(t *testing.T, s *tn3270.Screen) {
	t.Helper()
	shot := s.Snapshot()
	if len(shot.Cells) != shot.Rows*shot.Columns || shot.Row < 1 || shot.Row > shot.Rows || shot.Column < 1 || shot.Column > shot.Columns {
		t.Fatalf("%d by %d, the cursor at %d,%d", shot.Rows, shot.Columns, shot.Row, shot.Column)
	}
	var text strings.Builder
	for i, c := range shot.Cells {
		if !unicode.IsGraphic(c.Rune) || (c.Hidden || c.Attribute) && c.Rune != ' ' {
			t.Fatalf("%+v", c)
		}
		text.WriteRune(c.Rune)
		if (i+1)%shot.Columns == 0 {
			text.WriteByte('\n')
		}
	}
	lines := strings.Split(s.Text(), "\n")
	for i, line := range strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n") {
		if strings.TrimRight(line, " ") != lines[i] {
			t.Fatalf("%q is not %q", lines[i], line)
		}
	}
	positions := 0
	for _, field := range s.Fields() {
		positions += 1 + field.Length
	}
	if positions != 0 && positions != len(shot.Cells) {
		t.Fatalf("the fields have %d positions", positions)
	}
	terminal := newTerminal(shot.Rows+1, shot.Columns)
	terminal.write(t, tn3270.Draw(nil, shot))
	terminal.wantSnapshot(t, shot)
}

// FuzzWrite checks that two consecutive writes have the same effect as in the reference
// implementation slowScreen.
func FuzzWrite(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) <= 4096 {
			compareReference(t, data)
		}
	})
}

// compareReference writes each half of the data, both with and without erasing the screen, and
// compares the screen with slowScreen after each write.
func compareReference(t *testing.T, data []byte) {
	t.Helper()
	const wcc = 0x03
	s := screen(t, &tn3270.Options{Extended: true})
	receive(t, s, []byte("\xF3\x00\x08\x09\x00\x02\x41\x42\x43"))
	var slow slowScreen
	for _, part := range [][]byte{data[:len(data)/2], data[len(data)/2:]} {
		for _, erase := range []bool{true, false} {
			command := byte(0xF1)
			if erase {
				command = 0xF5
			}
			_, err := s.Receive(append([]byte{command, wcc}, part...))
			if ok := slow.write(erase, wcc, part); ok != (err == nil) {
				t.Fatalf("% X: %v, but the twin says %v", part, err, ok)
			}
			got := receive(t, s, []byte{0xF2})
			head := []byte{0x60, slowGraphic(byte(slow.cursor / 64)), slowGraphic(byte(slow.cursor % 64))}
			if want := append(head, slow.readBuffer()...); !bytes.Equal(got, want) {
				t.Fatalf("% X:\n% X, but the twin says\n% X", part, got, want)
			}
		}
	}
}

// Random sequences of orders must have the same effect as in slowScreen. The sequences include
// empty fields, writes past the end of the screen, and characters with attributes.
func TestWriteReference(t *testing.T) {
	random := rand.New(rand.NewPCG(3270, 1994))
	for range 100 {
		var data []byte
		for range random.IntN(60) {
			data = appendOrder(data, random)
		}
		compareReference(t, data)
	}
}

// appendOrder appends a random well-formed order, or random characters.
func appendOrder(data []byte, random *rand.Rand) []byte {
	address := random.IntN(60)
	if random.IntN(4) == 0 {
		address = 1919 - random.IntN(40)
	}
	to := string([]byte{byte(address >> 8), byte(address)})
	pick := func(octets string) string { i := random.IntN(len(octets)); return octets[i : i+1] }
	pair := pick("\x00\x41\x42\x43\xC0\xC1") + pick("\x00\xF1\xF2\xF4\x60\x40\x50")
	switch random.IntN(12) {
	case 0, 1:
		return append(data, "\x11"+to...)
	case 2, 3:
		return append(data, "\x1D"+pick("\x40\x60\xC1\xF0\x4C")...)
	case 4:
		return append(data, "\x29\x02"+pair+"\xC0"+pick("\x40\x60")...)
	case 5:
		return append(data, "\x28"+pair...)
	case 6, 7:
		return append(data, 0x05)
	case 8:
		return append(data, "\x3C"+to+pick("\x00\xC1\x5C")...)
	case 9:
		return append(data, "\x12"+to...)
	case 10:
		return append(data, pick("\x13\x00\x1C\x15")+"\x08"+pick("\xC5\xA2")...)
	}
	return append(data, "\xC1\xC2\xC3\xC4\xC5"[:1+random.IntN(5)]...)
}

// FuzzDecoder checks that the decoded input does not depend on how the octets are split.
func FuzzDecoder(f *testing.F) {
	for _, s := range []string{
		"abc\r\n\t", "\x1b[A\x1b[1;2P\x1bOP\x1b[15~\x1b[[A", "\x1b1\x01c\x1b\x1b[3~", "grüß €日\xff\xe2\x82x", "\x1b[" + strings.Repeat("1;", 40) + "Ax", "\x1b[\x1b[Bx\x1b[1\x03", "\x1bO\x1b\x1b\xc3\xa9\x1bO\xc3\xa9",
	} {
		f.Add([]byte(s), 1)
	}
	f.Fuzz(func(t *testing.T, octets []byte, n int) {
		var whole, cut tn3270.Decoder
		want := whole.Decode(nil, octets)
		n = max(n%16, 1)
		var got []tn3270.Input
		for part := range slices.Chunk(octets, n) {
			got = cut.Decode(got, part)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q in pieces of %d: %+v, not %+v", octets, n, got, want)
		}
		for i, in := range got {
			if (in.Key == 0) == (in.Text == "") || strings.ContainsFunc(in.Text, unicode.IsControl) || i > 0 && in.Key == 0 && got[i-1].Key == 0 {
				t.Errorf("%+v", got)
			}
			if in.Key != 0 {
				if k, ok := tn3270.ParseKey(in.Key.String()); !ok || k != in.Key {
					t.Errorf("%v", in.Key)
				}
			}
		}
	})
}

// FuzzBuilder checks that the screen shows the record that a Builder creates, and that the host
// receives the typed text.
func FuzzBuilder(f *testing.F) {
	f.Add("Name", "Ada Lovelace", 10, byte(0), uint8(0))
	f.Add("┌─ü", "ß{[", 1890, byte(0x3D), uint8(3))
	f.Add("€¤", "12", 1919, byte(0x10), uint8(7))
	pages := tn3270.CodePages()
	f.Fuzz(func(t *testing.T, label, value string, address int, attribute byte, page uint8) {
		o := &tn3270.Options{Model: 5, CodePage: pages[int(page)%len(pages)], Extended: true}
		address = max(address%(27*132), 0)
		labeled, typed := clean(label), clean(value)
		b := builder(t, o).EraseWriteAlternate(tn3270.KeyboardRestore).
			At(address/132+1, address%132+1).FieldExtended(tn3270.Protected, tn3270.InColor(tn3270.Pink)).Text(labeled).
			Field(tn3270.Attribute(attribute) &^ (tn3270.Protected | tn3270.Numeric)).InsertCursor()
		written, err := b.Record()
		if err != nil { // the code page lacks some characters of the text
			return
		}
		s := screen(t, o)
		receive(t, s, written)
		if got, want := s.Fields()[slices.IndexFunc(s.Fields(), func(f tn3270.Field) bool { return f.Protected })].Value, strings.TrimRight(labeled, " "); got != want {
			t.Errorf("%q, not %q", got, want)
		}
		if err := s.Type(typed); err != nil {
			wantError(t, err, tn3270.ErrCharacter)
			return
		}
		sent := press(t, s, tn3270.Enter)
		in, err := tn3270.ParseInbound(sent, o.CodePage)
		if err != nil {
			t.Fatal(err)
		}
		modified := tn3270.Attribute(attribute)&tn3270.Modified != 0 || typed != ""
		if in.Key != tn3270.Enter || modified != (len(in.Fields) == 1) {
			t.Fatalf("%+v", in)
		}
		if modified && in.Fields[0].Value != typed {
			t.Errorf("%q came back as %q", typed, in.Fields[0].Value)
		}
	})
}

// clean removes characters that a screen shows differently, and shortens text to the size of a
// field.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) || r == '\u00A0' || r == '\u00AD' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return string([]rune(text)[:min(len([]rune(text)), 1000)])
}

// FuzzParseInbound checks that ParseInbound accepts or rejects any record without panicking.
func FuzzParseInbound(f *testing.F) {
	for _, s := range []string{"\x7D\x40\xC8\x11\x40\xC7\xC1\xC2\x11\x5D\x7F", "\x6D", "\x6C", "\x88\x00\x05\x81\x80\x80", "\x7D\x40\x40\xC1\x28\x42\xF2\xC2\x08\xC5", "\x60\x00\x00\x1D\x60", "\x7D\x80\x40", "\x7D\x40"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, record []byte) {
		in, err := tn3270.ParseInbound(record, "")
		wantDataError(t, err, append(record, 0))
		total := 0
		for i, field := range in.Fields {
			total += len([]rune(field.Value))
			if field.Address < 0 && i > 0 || field.Address >= 1<<14 {
				t.Errorf("%+v", in.Fields)
			}
		}
		if total > len(record) || in.Cursor >= 1<<14 {
			t.Errorf("%+v", in)
		}
	})
}
