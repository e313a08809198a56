package gopher

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/locus-url/locus/scheme"
)

func TestReadHeader(t *testing.T) {
	const none = ""
	for _, c := range []struct{ reply, header, rest string }{
		// These are the headers of Gopher+ section 2.3.
		{"+-1\r\nText\r\n.\r\n", "+-1", "Text\r\n.\r\n"},
		{"+-2\r\noctets", "+-2", "octets"},
		{"+5340\r\noctets", "+5340", "octets"},
		{"--1\r\n1 A <a@b>\r\n.\r\n", "--1", "1 A <a@b>\r\n.\r\n"},
		{"--2\r\n1", "--2", "1"},
		{"-77\r\n1", "-77", "1"},

		{"+0\r\n", "+0", ""},
		{"+-1\n", "+-1", ""},
		{"+-1\nx", "+-1", "x"},
		{"+ -1 \r\nx", "+-1", "x"},
		{"-   007   \nx", "-7", "x"},
		{"+9223372036854775807\r\n", "+9223372036854775807", ""},
		{"+" + strings.Repeat(" ", 26) + "-1\r\n\r\n", "+-1", "\r\n"}, // 31 octets

		{"", none, ""},
		{"Text\r\n", none, "Text\r\n"},
		{"+INFO: 0a\tb\tc\t70\r\n", none, "+INFO: 0a\tb\tc\t70\r\n"},
		{"+Mirror\ts\th\t70\r\n", none, "+Mirror\ts\th\t70\r\n"},
		{"+1 800 555 1234\r\n", none, "+1 800 555 1234\r\n"},
		{"+1\t\r\n", none, "+1\t\r\n"},
		{"+\r\n", none, "+\r\n"},
		{"+-\r\n", none, "+-\r\n"},
		{"-----\r\n", none, "-----\r\n"},
		{"- item\r\n", none, "- item\r\n"},
		{"+-1\rx\n", none, "+-1\rx\n"},
		{"+-1\r\r\n", none, "+-1\r\r\n"},
		{"+ +1\r\n", none, "+ +1\r\n"},
		{"+1.5k\r\n", none, "+1.5k\r\n"},
		{" +1\r\n", none, " +1\r\n"},
		{"\n+1\r\n", none, "\n+1\r\n"},
		{"+" + strings.Repeat("1", 40) + "\r\n", none, "+" + strings.Repeat("1", 40) + "\r\n"},
		{"+1" + strings.Repeat(" ", 40) + "\r\n", none, "+1" + strings.Repeat(" ", 40) + "\r\n"},
	} {
		for _, in := range []io.Reader{strings.NewReader(c.reply), iotest.OneByteReader(strings.NewReader(c.reply))} {
			r := bufio.NewReader(in)
			h, err := readHeader(r)
			rest, _ := io.ReadAll(r)
			if err != nil || h.String() != c.header || h.Plus != (c.header != none) || string(rest) != c.rest {
				t.Errorf("%q: %v %+v, %v, rest %q, want %s and %q", c.reply, h, h, err, rest, c.header, c.rest)
			}
			if h.Plus && h.Failed != (c.header[0] == '-') || !h.Plus && h != (plusHeader{Length: lengthClose}) {
				t.Errorf("%q: %+v", c.reply, h)
			}
		}
	}
}

func TestReadHeaderFails(t *testing.T) {
	for _, c := range []struct {
		reply string
		want  string
		is    error
	}{
		{"+-3\r\n", "protocol error: invalid length -3 of a Gopher+ reply: want 0 or more, -1 or -2", scheme.ErrProtocol},
		{"--0\r\n", "protocol error: invalid length -0 of a Gopher+ reply: want 0 or more, -1 or -2", scheme.ErrProtocol},
		{"+-01\n", "protocol error: invalid length -01 of a Gopher+ reply: want 0 or more, -1 or -2", scheme.ErrProtocol},
		{"+9223372036854775808\r\n", "protocol error: invalid length 9223372036854775808 of a Gopher+ reply: want 0 or more, -1 or -2", scheme.ErrProtocol},
		{"-99999999999999999999999\r\n", "protocol error: invalid length 99999999999999999999999 of a Gopher+ reply: want 0 or more, -1 or -2", scheme.ErrProtocol},
		{"+", `protocol error: unexpected EOF in the first line of a Gopher+ reply, "+"`, io.ErrUnexpectedEOF},
		{"+-", `protocol error: unexpected EOF in the first line of a Gopher+ reply, "+-"`, io.ErrUnexpectedEOF},
		{"-- ", "", nil}, // a number must not contain a space
		{"+12", `protocol error: unexpected EOF in the first line of a Gopher+ reply, "+12"`, io.ErrUnexpectedEOF},
		{"+12 \r", `protocol error: unexpected EOF in the first line of a Gopher+ reply, "+12 \r"`, io.ErrUnexpectedEOF},
	} {
		h, err := readHeader(bufio.NewReader(strings.NewReader(c.reply)))
		switch {
		case c.is == nil:
			if err != nil || h.Plus {
				t.Errorf("%q: %+v, %v", c.reply, h, err)
			}
		case err == nil || err.Error() != c.want || !errors.Is(err, c.is) || !errors.Is(err, scheme.ErrProtocol):
			t.Errorf("%q: %+v, %v, want %s", c.reply, h, err, c.want)
		}
	}
	broken := errors.New("broken")
	for _, before := range []string{"", "+", "+-1"} {
		r := bufio.NewReader(io.MultiReader(strings.NewReader(before), iotest.ErrReader(broken)))
		if _, err := readHeader(r); !errors.Is(err, broken) {
			t.Errorf("%q: %v", before, err)
		}
	}
}

// readHeader must not wait for more data after it has read a whole header.
func TestReadHeaderDoesNotWait(t *testing.T) {
	for _, sent := range []string{"T", "+I", "+-1\n", "+-1\r\n", "-7x", "+-2\r\nabc"} {
		r, w := io.Pipe()
		go io.WriteString(w, sent)
		if _, err := readHeader(bufio.NewReader(r)); err != nil {
			t.Errorf("%q: %v", sent, err)
		}
		w.Close()
	}
	// The smallest bufio.Reader has a buffer that is shorter than the longest header.
	r := bufio.NewReaderSize(strings.NewReader("+1"+strings.Repeat(" ", 20)+"\r\n"), 1)
	if h, err := readHeader(r); err != nil || h.Plus {
		t.Error(h, err)
	}
}

func TestHeaderBody(t *testing.T) {
	const reply = "a\r\n..b\r\n.\r\nc\r\n.\r\n"
	for _, c := range []struct {
		header     plusHeader
		text       bool
		want, rest string
	}{
		{plusHeader{Length: lengthClose}, false, reply, ""},
		{plusHeader{Length: lengthClose}, true, "a\r\n..b\r\n.\r\nc\r\n", ""}, // this server does not double dots
		{plusHeader{Plus: true, Length: 9}, false, "a\r\n..b\r\n.", "\r\nc\r\n.\r\n"},
		{plusHeader{Plus: true, Length: 9}, true, "a\r\n..b\r\n.", "\r\nc\r\n.\r\n"},
		{plusHeader{Plus: true, Length: 0}, true, "", reply},
		{plusHeader{Plus: true, Length: lengthDot}, true, "a\r\n..b\r\n.\r\nc\r\n", ""},
		{plusHeader{Plus: true, Length: lengthDot}, false, "a\r\n..b\r\n.\r\nc\r\n", ""},
		{plusHeader{Plus: true, Length: lengthClose}, true, reply, ""},
		{plusHeader{Plus: true, Length: lengthClose}, false, reply, ""},
		{plusHeader{Plus: true, Failed: true, Length: lengthDot}, true, "a\r\n.b\r\n", ""},
	} {
		r := strings.NewReader(reply)
		got, err := io.ReadAll(c.header.Body(r, c.text))
		rest, _ := io.ReadAll(r)
		if string(got) != c.want || err != nil || string(rest) != c.rest {
			t.Errorf("%+v text %v: %q, %v, rest %q, want %q and %q", c.header, c.text, got, err, rest, c.want, c.rest)
		}
	}
	strict := plusHeader{Plus: true, Length: lengthDot}.TextBody(strings.NewReader(reply), &textOptions{Strict: true})
	if got, err := io.ReadAll(strict); string(got) != "a\r\n.b\r\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// Reading a truncated body must return the received data, and then an error. The announced
// length must not determine the allocated memory.
func TestCutBody(t *testing.T) {
	h := plusHeader{Plus: true, Length: 1 << 62}
	got, err := io.ReadAll(h.Body(iotest.DataErrReader(strings.NewReader("abc")), false))
	const want = "protocol error: unexpected EOF: got 3 of the 4611686018427387904 announced bytes"
	if string(got) != "abc" || err == nil || err.Error() != want || !errors.Is(err, scheme.ErrProtocol) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q, %v", got, err)
	}
	body := plusHeader{Plus: true, Length: 4}.Body(strings.NewReader("abc"), false)
	io.ReadAll(body)
	if n, err := body.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the error does not last: %v", err)
	}
	broken := errors.New("broken")
	got, err = io.ReadAll(h.Body(io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(broken)), true))
	if string(got) != "abc" || err != broken {
		t.Errorf("%q, %v", got, err)
	}
	// The reader must return the error after all data.
	got, err = io.ReadAll(plusHeader{Plus: true, Length: 3}.Body(io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(broken)), true))
	if string(got) != "abc" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
