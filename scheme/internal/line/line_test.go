package line

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestAppend(t *testing.T) {
	for _, c := range []struct {
		words  []string
		want   string
		offset int // offset of the rejected octet
	}{
		{[]string{"NOOP"}, "NOOP\r\n", 0},
		{[]string{"CWD", ""}, "CWD \r\n", 0},
		{[]string{"RETR", " a b\t\xff"}, "RETR  a b\t\xff\r\n", 0},
		{[]string{"RETR", "a\r\nDELE x"}, "", 6},
		{[]string{"RETR", "a\nb"}, "", 6},
		{[]string{"RETR", "a", "\x00"}, "", 7},
		{[]string{"\r"}, "", 0},
	} {
		got, err := Append([]byte("before|"), c.words...)
		if got := strings.TrimPrefix(string(got), "before|"); got != c.want {
			t.Errorf("Append(%q) = %q, want %q", c.words, got, c.want)
		}
		var octet *OctetError
		if errors.As(err, &octet) != (c.want == "") {
			t.Errorf("Append(%q): error %v", c.words, err)
		} else if octet != nil && octet.Offset != c.offset {
			t.Errorf("Append(%q): refused at %d, want %d", c.words, octet.Offset, c.offset)
		}
	}
}

func TestOctetError(t *testing.T) {
	if _, err := Append(nil, "all but three \x01\x7f\xff"); err != nil {
		t.Errorf("refused: %v", err)
	}
	for _, c := range []struct{ text, want string }{{"a\r", "CR at offset 1"}, {"\n", "LF at offset 0"}, {"ab\x00", "NUL at offset 2"}} {
		if _, err := Append(nil, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Append(%q) = %v, want an error with %q", c.text, err, c.want)
		}
	}
}

// readAll reads lines until the first error.
func readAll(r *Reader) (lines []string, bare string, err error) {
	for {
		text, err := r.Line()
		if err != nil {
			if len(text) > 0 {
				lines = append(lines, string(text))
			}
			return lines, bare, err
		}
		lines = append(lines, string(text))
		if r.Bare() {
			bare += "L"
		} else {
			bare += "C"
		}
	}
}

func TestReader(t *testing.T) {
	for _, c := range []struct {
		input string
		lines string // joined by "|"
		bare  string
		err   error
	}{
		{"", "", "", io.EOF},
		{"a\r\nb\n\r\n\n", "a|b||", "CLCL", io.EOF},
		{"a\rb\r\r\n", "a\rb\r", "C", io.EOF},
		{"a\r\nrest", "a|rest", "C", io.ErrUnexpectedEOF},
		{strings.Repeat("x", 16) + "\r\n", strings.Repeat("x", 16), "C", io.EOF},
		{"a\n" + strings.Repeat("x", 17) + "\r\n", "a", "L", ErrLong},
		{strings.Repeat("x", 17) + "\n", "", "", ErrLong},
		{"a\n" + strings.Repeat("x", 1000), "a", "L", ErrLong},
	} {
		for _, in := range []io.Reader{strings.NewReader(c.input), iotest.OneByteReader(strings.NewReader(c.input))} {
			lines, bare, err := readAll(NewReader(in, 16))
			if got := strings.Join(lines, "|"); got != c.lines || bare != c.bare || !errors.Is(err, c.err) {
				t.Errorf("%q: %q %s %v, want %q %s %v", c.input, got, bare, err, c.lines, c.bare, c.err)
			}
		}
	}
}

// The reader must return complete lines that are longer than the buffer, up to the limit.
func TestReaderLong(t *testing.T) {
	const most = 100 << 10
	for _, c := range []struct {
		octets int
		err    error
	}{{maxBuffer, io.EOF}, {maxBuffer + 1, io.EOF}, {maxBuffer + 2, io.EOF}, {2*maxBuffer + 4, io.EOF}, {most, io.EOF}, {most + 1, ErrLong}, {10 * most, ErrLong}} {
		long := strings.Repeat("x", c.octets)
		for _, end := range []string{"\n", "\r\n"} {
			for _, in := range []io.Reader{strings.NewReader(long + end + "next\n"), iotest.HalfReader(strings.NewReader(long + end + "next\n"))} {
				lines, _, err := readAll(NewReader(in, most))
				if !errors.Is(err, c.err) || c.err == io.EOF && strings.Join(lines, "|") != long+"|next" {
					t.Errorf("%d octets and %q: %d lines, %v; want %v", c.octets, end, len(lines), err, c.err)
				}
			}
		}
	}
	r := NewReader(strings.NewReader(strings.Repeat("x", most)+"\n"), most)
	r.Allow(most / 2)
	if _, err := r.Line(); !errors.Is(err, ErrTotal) {
		t.Errorf("a long line past the total: %v", err)
	}
}

func TestReaderTotal(t *testing.T) {
	r := NewReader(strings.NewReader(strings.Repeat("\r\n", 100)), 16)
	r.Allow(10)
	lines, _, err := readAll(r)
	if len(lines) != 5 || !errors.Is(err, ErrTotal) {
		t.Errorf("%d lines and %v, want 5 and %v", len(lines), err, ErrTotal)
	}
	r.Allow(4)
	if _, err := r.Line(); err != nil {
		t.Errorf("allowed again: %v", err)
	}
}

func TestReadAfterLines(t *testing.T) {
	r := NewReader(strings.NewReader("+5\r\nhello"), 16)
	if text, err := r.Line(); string(text) != "+5" || err != nil {
		t.Fatalf("Line() = %q, %v, want %q", text, err, "+5")
	}
	if r.Buffered() != 5 {
		t.Errorf("%d octets read ahead, want 5", r.Buffered())
	}
	if rest, err := io.ReadAll(r); string(rest) != "hello" || err != nil {
		t.Errorf("ReadAll after Line = %q, %v, want %q", rest, err, "hello")
	}
}

func FuzzAppend(f *testing.F) {
	f.Add("CWD", "etc")
	f.Add("RETR", "a\r\nDELE x")
	f.Fuzz(func(t *testing.T, verb, argument string) {
		got, err := Append(nil, verb, argument)
		if err != nil {
			if len(got) != 0 {
				t.Fatalf("%q and an error", got)
			}
			return
		}
		lines, _, err := readAll(NewReader(strings.NewReader(string(got)), len(got)+16))
		if err != io.EOF || len(lines) != 1 || lines[0] != verb+" "+argument {
			t.Fatalf("%q, %q became %q, %v", verb, argument, lines, err)
		}
	})
}
