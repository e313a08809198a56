package message

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

const fromLine = "From joe@host.dom Sat Jan  3 01:05:34 1996\n"

// stream hides the other methods of a reader.
type stream struct{ io.Reader }

// entries returns the messages of an mbox. It reads it as a file, with and without quotes, and
// as a stream, and compares the results.
func entries(t testing.TB, text string) (list []MboxMessage) {
	t.Helper()
	m := NewMbox(io.NewSectionReader(strings.NewReader(text), 0, int64(len(text))))
	m.IDs, m.Quotes = true, true
	for m.Next() {
		list = append(list, m.End())
	}
	if m.Err() != nil {
		t.Fatal(m.Err())
	}
	m = NewMbox(io.NewSectionReader(strings.NewReader(text), 0, int64(len(text))))
	m.IDs = true
	for i := 0; m.Next(); i++ {
		if got, want := m.End(), withoutQuotes(list[i]); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q:\n%+v without quotes\n%+v", text, got, want)
		}
	}
	if len(text) > mboxBuffer {
		return list
	}
	m = NewMbox(stream{strings.NewReader(text)})
	m.IDs = true
	read := ""
	for i := 0; m.Next(); i++ {
		if m.message.From != int64(len(read)) {
			t.Fatalf("%q: message %d begins at %d, read were %d", text, i, m.message.From, len(read))
		}
		octets, err := io.ReadAll(iotest.OneByteReader(m))
		if err != nil {
			t.Fatal(err)
		}
		read += string(octets)
		if got, want := m.End(), withoutQuotes(list[i]); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q:\n%+v in a stream\n%+v", text, got, want)
		}
	}
	if read != text {
		t.Fatalf("%q is read as %q", text, read)
	}
	return list
}

func withoutQuotes(e MboxMessage) MboxMessage {
	e.Quotes, e.Doubtful = nil, 0
	return e
}

// unquotedMbox returns the messages of an mbox, unquoted.
func unquotedMbox(t testing.TB, text string) (list []string) {
	t.Helper()
	for _, e := range entries(t, text) {
		got, err := io.ReadAll(e.Open(strings.NewReader(text)))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(got))
	}
	return list
}

func TestVariants(t *testing.T) {
	// These are the original messages, before a program added them to the mbox.
	first := "Message-ID: <1@a>\n\nFrom here on,\n\nFrom me and >From you\n>From him\n>>From her\n"
	second := "Message-ID: <2@a>\n\ntwo\n"
	body := first[strings.Index(first, "\n\n")+2:]
	sized := func(message, body string) string {
		return strings.Replace(message, "\n\n", fmt.Sprintf("\nContent-Length: %d\n\n", len(body)), 1)
	}
	quotedO := strings.ReplaceAll("\n"+body, "\nFrom ", "\n>From ")[1:]
	quotedRD := strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll("\n"+body, "\n>>From ", "\n>>>From "), "\n>From ", "\n>>From "), "\nFrom ", "\n>From ")[1:]
	for name, test := range map[string]struct{ mbox, first string }{
		"mboxrd": {strings.Replace(first, body, quotedRD, 1), first},
		// In mboxo, ">From him" may have been ">From him" or "From him".
		"mboxo":   {strings.Replace(first, body, quotedO, 1), strings.ReplaceAll(strings.ReplaceAll(first, "\n>From", "\nFrom"), "\n>>From", "\n>From")},
		"mboxcl":  {sized(strings.Replace(first, body, quotedRD, 1), quotedRD), sized(first, quotedRD)},
		"mboxcl2": {sized(first, body), sized(first, body)},
	} {
		for _, end := range []string{"\n", "\r\n"} {
			mbox, want := fromLine+test.mbox+"\n"+fromLine+second+"\n", []string{test.first, second}
			if end == "\r\n" && strings.Contains(name, "cl") {
				continue // the lengths would differ
			}
			mbox = strings.ReplaceAll(mbox, "\n", end)
			for i := range want {
				want[i] = strings.ReplaceAll(want[i], "\n", end)
			}
			if got := unquotedMbox(t, mbox); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %q:\n%q\n%q", name, end, got, want)
			}
		}
	}
}

func TestContentLength(t *testing.T) {
	letter := func(length any, body string) string {
		return fmt.Sprintf("%sMessage-ID: <1@a>\nContent-Length: %v\n\n%s", fromLine, length, body)
	}
	tail := fromLine + "Message-ID: <2@a>\n\ntwo\n"
	unquoted := "a\n\n" + fromLine + "Subject: forwarded\n\nb\n"
	for _, test := range []struct {
		mbox     string
		n        int
		believed bool
		first    string // the first body
	}{
		{letter(len(unquoted), unquoted) + "\n" + tail, 2, true, unquoted},
		{letter(len(unquoted), unquoted) + tail, 2, true, unquoted},                            // no empty line
		{letter(len(unquoted)-1, unquoted) + "\n" + tail, 2, true, unquoted[:len(unquoted)-1]}, // the length excludes the last line end
		{letter(len(unquoted), unquoted), 1, true, unquoted},                                   // the end of the file
		{letter(len(unquoted), unquoted) + "\n", 1, true, unquoted},
		// A wrong length is ignored.
		{letter(len(unquoted)+3, unquoted) + "\n" + tail, 3, false, "a\n"},
		{letter(1, "a\nb\n") + "\n" + tail, 2, false, "a\nb\n"},
		{letter(int64(1)<<40, "a\nb\n") + "\n" + tail, 2, false, "a\nb\n"},
		{letter("-4", "a\nb\n") + "\n" + tail, 2, false, "a\nb\n"},
		{letter("+4", "a\nb\n") + "\n" + tail, 2, false, "a\nb\n"},
		{letter("9223372036854775807", "a\nb\n") + "\n" + tail, 2, false, "a\nb\n"},
		{letter("99999999999999999999", "a\nb\n") + "\n" + tail, 2, false, "a\nb\n"},
		{letter("4 4", "a\nb\n") + "\n" + tail, 2, false, "a\nb\n"},
		{letter("0", "") + "\n" + tail, 2, true, ""},
		// In the middle of a line, or before another line than a From_ line.
		{letter(2, "a From x 01:02 1999\n") + "\n" + tail, 2, false, "a From x 01:02 1999\n"},
		{letter(2, "a\nFrom x\n") + "\n" + tail, 2, false, "a\nFrom x\n"},
	} {
		list := entries(t, test.mbox)
		if len(list) != test.n {
			t.Errorf("%q: %d messages, want %d", test.mbox, len(list), test.n)
			continue
		}
		e := list[0]
		if got := test.mbox[e.Body:e.End]; got != test.first || e.Sized != test.believed {
			t.Errorf("%q: %q, believed: %v", test.mbox, got, e.Sized)
		}
	}
}

func TestFromLines(t *testing.T) {
	for _, test := range []struct {
		text string
		want int // messages
	}{
		{"A: b\n\nc\n\nFrom joe@host.dom Sat Jan  3 01:05:34 1996\n\nd\n", 2}, // no header
		{"A: b\n\nc\n\nFrom joe\nA: b\n\nd\n", 2},                             // no date
		{"A: b\n\nc\nFrom joe@host.dom Sat Jan  3 01:05:34 1996\nA: b\n\nd\n", 2},
		{"A: b\n\nc\nFrom joe@host.dom Sat Jan  3 01:05:34 1996\nd\n", 1},
		{"A: b\n\nc\n\nFrom now on\nd\n", 1},
		{"A: b\n\nc\n\nFrom 10:30 on\nd\n", 1},
		{"A: b\n\nc\n\nFrom - Sat Jan 03 01:05:34 1996\nA: b\n\nd\n", 2},                     // Mozilla
		{"A: b\n\nc\n\nFrom ???@??? Sat Jan 03 01:05:34 1996\nA: b\n\nd\n", 2},               // Eudora
		{"A: b\n\nc\n\nFrom joe@host.dom Sat Jan  3 01:05 GMT 1996 remote from x\n\nd\n", 2}, // UUCP
		{"A: b\n\nc\n\nFrom joe@host.dom  2026-01-03 01:05:34\nX: y\n\nd\n", 2},              // the year is not a word
		{"A: b\nFrom joe@host.dom Sat Jan  3 01:05:34 1996\nA: b\n\nd\n", 2},                 // in a header
		{"A: b\nFrom joe\nA: b\n\nd\n", 1},                                                   // not a From_ line
		{"A: b\nFrom : joe@host.dom Sat Jan  3 01:05:34 1996\nA: b\n\nd\n", 1},               // a field
		{"A: b\n>From joe@host.dom Sat Jan  3 01:05:34 1996\nA: b\n\nd\n", 1},                // forwarded
		{"A: b\n\nc\n\nfrom joe@host.dom Sat Jan  3 01:05:34 1996\nA: b\n\nd\n", 1},          // lower case
		{"A: b\n\nc\n\n From joe@host.dom Sat Jan  3 01:05:34 1996\nA: b\n\nd\n", 1},         // not at the start
		{"A: b\n\n" + fromLine + "A: b\n\nd\n", 2},                                           // an empty body
		{"A: b\n\n\n" + fromLine + "A: b\n\nd\n", 2},
	} {
		if got := entries(t, fromLine+test.text); len(got) != test.want {
			t.Errorf("%q: %d messages, want %d", test.text, len(got), test.want)
		}
	}
}

func TestCut(t *testing.T) {
	whole := fromLine + "Message-ID: <1@a>\n\none\n\n" + fromLine + "Message-ID: <2@a>\nContent-Length: 8\n\none\ntwo\n"
	for n := len(fromLine) + 1; n <= len(whole); n++ {
		list := entries(t, whole[:n])
		last := list[len(list)-1]
		// Where a complete message may end.
		second := strings.Index(whole, "<2@a>") > n-1
		possible := n == len(whole) || n >= strings.Index(whole, "one\n")+4 && n <= strings.Index(whole, "one\n")+5 || second && len(list) == 1 && strings.HasSuffix(whole[:n], "\n") && n > strings.Index(whole, "\n\n")+1
		if last.Cut == possible {
			t.Errorf("%q: cut: %v", whole[:n], last.Cut)
		}
	}
}

// Long lines and long headers are skipped in bounded memory.
func TestLongLinesAndHeaders(t *testing.T) {
	long := strings.Repeat("x", 3*mboxBuffer*8)
	folded := strings.Repeat(" y\n", mboxBuffer*8)
	mbox := fromLine + "X-Long: " + long + "\nX-Folded: a\n" + folded + "Message-ID: <1@a>\n\n" + long + "\n\n" +
		fromLine + "Message-ID: <" + long + "@a>\nMessage-ID: <2@a>\n\n" + long
	list := entries(t, mbox)
	if len(list) != 2 || !reflect.DeepEqual(list[0].IDs, []string{"1@a"}) || !reflect.DeepEqual(list[1].IDs, []string{"2@a"}) || !list[1].Cut {
		t.Errorf("%d messages", len(list))
	}
}

// Quotes must be searched for in the first 8 KiB of a line.
func TestDeepQuote(t *testing.T) {
	for depth, quotes := range map[int]int{1: 1, maxLine - len(from): 1, maxLine - len(from) + 1: 0, 3 * mboxBuffer: 0} {
		list := entries(t, fromLine+"A: b\n\n"+strings.Repeat(">", depth)+"From x\n")
		if len(list) != 1 || len(list[0].Quotes) != quotes {
			t.Errorf("%d deep: %d messages, %d quotes", depth, len(list), len(list[0].Quotes))
		}
	}
}

// A header line of 100 MB must cost no memory.
func TestEndlessLine(t *testing.T) {
	const n = 100 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ids, _, err := ReadIDs(io.NewSectionReader(endless{}, 0, n), false)
	runtime.ReadMemStats(&after)
	if held := after.TotalAlloc - before.TotalAlloc; len(ids) != 0 || err != nil || held > 1<<20 {
		t.Errorf("%q, %v: %d octets are held", ids, err, held)
	}
}

type endless struct{}

func (endless) ReadAt(p []byte, at int64) (int, error) {
	clear(p)
	if at == 0 {
		copy(p, "Message-ID: <")
	}
	return len(p), nil
}

func TestMboxFails(t *testing.T) {
	text := fromLine + "Message-ID: <1@a>\n\n" + strings.Repeat("a\n", 8*mboxBuffer)
	m := NewMbox(io.NewSectionReader(failing{strings.NewReader(text)}, 0, int64(len(text))))
	if !m.Next() || m.Next() || m.Err() != iotest.ErrTimeout {
		t.Error(m.Err())
	}
	m.Next()
	if _, err := m.Read(make([]byte, 1)); err != iotest.ErrTimeout {
		t.Error(err)
	}
	// The mbox was truncated after its size was read.
	m = NewMbox(io.NewSectionReader(strings.NewReader(text[:100]), 0, int64(len(text))))
	if !m.Next() {
		t.Fatal(m.Err())
	}
	if e := m.End(); m.Err() != nil || e.Next != 100 {
		t.Errorf("%v, %+v", m.Err(), e)
	}
}

// A Content-Length must be used anywhere in a file, and in a stream if its end is not too far
// ahead.
func TestFarContentLength(t *testing.T) {
	for _, test := range []struct{ size, inFile, inStream int }{{100, 2, 2}, {mboxBuffer - 3<<10, 2, 2}, {mboxBuffer + 1, 2, 3}, {10 * mboxBuffer, 2, 3}} {
		body := strings.Repeat("x", test.size) + "\n\n" + fromLine + "a\n"
		text := fmt.Sprintf("%sContent-Length: %d\n\n%s\n%sA: b\n\nb\n", fromLine, len(body), body, fromLine)
		for r, want := range map[io.Reader]int{io.NewSectionReader(strings.NewReader(text), 0, int64(len(text))): test.inFile, stream{strings.NewReader(text)}: test.inStream} {
			n := 0
			for m := NewMbox(r); m.Next(); n++ {
			}
			if n != want {
				t.Errorf("%d octets, %T: %d messages, want %d", test.size, r, n, want)
			}
		}
	}
}

// Messages that cross the end of the buffer anywhere must be read like [slowMbox].
func TestMboxBuffer(t *testing.T) {
	var b strings.Builder
	for i := 0; b.Len() < 5*mboxBuffer; i++ {
		fmt.Fprintf(&b, "%sMessage-ID: <%d@a>\n\n%s\nFrom x\n%s\n\r\n\n", fromLine, i, strings.Repeat("y", i%101), strings.Repeat("z\n\n", i%53))
	}
	text := b.String()
	got, want := entries(t, text), slowMbox(text)
	if len(got) != len(want) || len(got) < 1000 {
		t.Fatalf("%d messages, want %d", len(got), len(want))
	}
	for i := range got {
		if got := withoutQuotes(got[i]); !reflect.DeepEqual(got, want[i]) {
			t.Fatalf("message %d is %+v, want %+v", i, got, want[i])
		}
	}
}

// failing fails after the first 20,000 octets.
type failing struct{ io.ReaderAt }

func (f failing) ReadAt(p []byte, at int64) (int, error) {
	if at > 20_000 {
		return 0, iotest.ErrTimeout
	}
	return f.ReaderAt.ReadAt(p, at)
}

func FuzzMbox(f *testing.F) {
	for _, seed := range []string{
		fromLine + "Message-ID: <1@a>\n\none\n\n" + fromLine + "Message-ID: <2@a>\n\ntwo\n",
		fromLine + "A: b\nContent-Length: 4\n\none\n\n" + fromLine + "Content-Length: 40\n\n>From x\nFrom y\n\n" + fromLine,
		fromLine + "A: b\r\nContent-Length: 5\r\n\r\none\r\n\r\n" + fromLine + "\r\nx\r\n>>From \r\n",
		"From x\nFrom y\nFrom z 1:1 1999\nA: b\n\n\n\nFrom x\nA :\n\t\n", "From \n", "From \r\n\r\n", "From \n\n", "From a\n>From b\n\n>From c\n",
		"From a\nb:c\nd\nFrom 0:0 2000\ne:", "From a\nContent-Length: 0\n\nFrom 1:1 1999", "From a\nContent-Length: 1\n\nFrom 1:1 1999\n", "From a\nContent-Length: 1\n\n\r\n\r\nFrom 1:1 1999\n",
	} {
		f.Add(uint16(0), seed)
		f.Add(uint16(16345), seed)
	}
	f.Fuzz(func(t *testing.T, pad uint16, text string) {
		if len(text) > fromText/2 {
			return // then not all of it is read
		}
		// The padding moves the text across the end of the buffer.
		padding := strings.Repeat("X-Pad: x\n", int(pad)/9)
		text = fromLine + padding + text
		got, want := entries(t, text), slowMbox(text)
		for i := range got {
			got[i] = withoutQuotes(got[i])
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q:\n%+v\n%+v", text[len(fromLine)+len(padding):], got, want)
		}
		for i, message := range unquotedMbox(t, text) {
			e := want[i]
			body := text[e.Body:e.End]
			if !e.Sized || !strings.Contains("\n"+body, "\nFrom ") {
				body = slowUnquote(body)
			}
			if message != text[e.Header:e.Body]+body {
				t.Errorf("%q: message %d is %q", text, i, message)
			}
		}
	})
}

func FuzzUnquoted(f *testing.F) {
	f.Add(">a>b>c", uint8(0), uint8(3))
	f.Add(">>>", uint8(1), uint8(9))
	f.Fuzz(func(t *testing.T, text string, off, n uint8) {
		n = max(n, 1)
		var left []int64
		for i := range len(text) {
			if text[i] == '>' {
				left = append(left, int64(i))
			}
		}
		want := strings.ReplaceAll(text, ">", "")
		p, q := make([]byte, n), make([]byte, n)
		gotN, gotErr := (&unquotedReader{strings.NewReader(text), 0, left}).ReadAt(p, int64(off))
		wantN, wantErr := strings.NewReader(want).ReadAt(q, int64(off))
		if gotN != wantN || !bytes.Equal(p[:gotN], q[:wantN]) || (gotErr == nil) != (wantErr == nil) {
			t.Errorf("%q from %d: %q, %v; want %q, %v", text, off, p[:gotN], gotErr, q[:wantN], wantErr)
		}
	})
}

// Every sequence of a few significant lines must be read like [slowMbox].
func TestMboxSequences(t *testing.T) {
	lines := []string{"From x\n", "From 1:1 1999\n", ">From 1:1 1999\n", "A: b\n", "Content-Length: 2\n", "Content-Length: 0\n", " c\n", "x\n", "\n", "\r\n", "d"}
	var add func(text string, n int)
	add = func(text string, n int) {
		got, want := entries(t, text), slowMbox(text)
		for i := range got {
			got[i] = withoutQuotes(got[i])
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q:\n%+v\n%+v", text, got, want)
		}
		for _, line := range lines {
			if n > 0 {
				add(text+line, n-1)
			}
		}
	}
	add(fromLine, 4)
	add(fromLine+"Content-Length: 5\n\n", 3)
}
