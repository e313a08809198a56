package gopher

import (
	"bytes"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// slowText is a simple reference implementation of textBody for a whole reply. If html is
// true, it is a reference implementation of htmlBody, which changes only the end.
func slowText(reply string, strict, html bool) string {
	text := ""
	lines := strings.SplitAfter(reply, "\n")
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	}
	for i, line := range lines {
		alone := strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r") == "."
		if alone && (i == len(lines)-1 || strict && strings.HasSuffix(line, "\n")) {
			break
		}
		if strings.HasPrefix(line, "..") && !html && (strict || !loneDot(lines)) {
			line = line[1:]
		}
		text += line
	}
	return text
}

// loneDot reports whether a line before the last line contains only a dot.
func loneDot(lines []string) bool {
	for i, line := range lines {
		if (line == ".\n" || line == ".\r\n") && i+1 < len(lines) {
			return true
		}
	}
	return false
}

func TestTextBody(t *testing.T) {
	for _, c := range []struct{ reply, lenient, strict, html string }{
		{"", "", "", ""},
		{".", "", "", ""},
		{".\n", "", "", ""},
		{".\r\n", "", "", ""},
		{".\r", "", "", ""}, // the last line ending is truncated
		{"a\r\nb\r\n.\r\n", "a\r\nb\r\n", "a\r\nb\r\n", "a\r\nb\r\n"},
		{"a\nb\n.\n", "a\nb\n", "a\nb\n", "a\nb\n"},
		{"a\r\nb\r\n.", "a\r\nb\r\n", "a\r\nb\r\n", "a\r\nb\r\n"},
		{"a\r\nb", "a\r\nb", "a\r\nb", "a\r\nb"},
		{"a\r\n.\r\nb\r\n", "a\r\n.\r\nb\r\n", "a\r\n", "a\r\n.\r\nb\r\n"},
		{"a\n.\n.\n", "a\n.\n", "a\n", "a\n.\n"},
		{".\r\n.\r\n.\r\n", ".\r\n.\r\n", "", ".\r\n.\r\n"},
		{"..\r\n.\r\n", ".\r\n", ".\r\n", "..\r\n"},
		{"..", ".", ".", ".."},
		{"...\n..x\n.x\n....", "..\n.x\n.x\n...", "..\n.x\n.x\n...", "...\n..x\n.x\n...."},
		// In these texts, a lone dot before the end proves that the server doubles no dots,
		// not even in the lines before it.
		{"a\n.\n..b\n", "a\n.\n..b\n", "a\n", "a\n.\n..b\n"},
		{"..a\n.\nb\n.\n", "..a\n.\nb\n", ".a\n", "..a\n.\nb\n"},
		{"..a\r\n.hidden\r\n...\r\n.\r\nb", "..a\r\n.hidden\r\n...\r\n.\r\nb", ".a\r\n.hidden\r\n..\r\n", "..a\r\n.hidden\r\n...\r\n.\r\nb"},
		{"a.\r\nb..\r\n", "a.\r\nb..\r\n", "a.\r\nb..\r\n", "a.\r\nb..\r\n"},
		{"a\r.\r\n", "a\r.\r\n", "a\r.\r\n", "a\r.\r\n"}, // CR without LF does not end a line
		{".\r.\n", ".\r.\n", ".\r.\n", ".\r.\n"},
		{". \r\n.\r\r\n", ". \r\n.\r\r\n", ". \r\n.\r\r\n", ". \r\n.\r\r\n"},
		{"\n\n.\n\n", "\n\n.\n\n", "\n\n", "\n\n.\n\n"},
	} {
		for _, mode := range []struct {
			name, want   string
			strict, html bool
		}{
			{"lenient", c.lenient, false, false},
			{"strict", c.strict, true, false},
			{"html", c.html, false, true},
		} {
			if slow := slowText(c.reply, mode.strict, mode.html); slow != mode.want {
				t.Errorf("%q %s: the slow one says %q, want %q", c.reply, mode.name, slow, mode.want)
			}
			for i, r := range []io.Reader{
				strings.NewReader(c.reply),
				iotest.OneByteReader(strings.NewReader(c.reply)),
				iotest.DataErrReader(strings.NewReader(c.reply)),
				&hesitant{text: c.reply},
			} {
				got, err := io.ReadAll(iotest.OneByteReader(textReader(r, mode.strict, mode.html)))
				if string(got) != mode.want || err != nil {
					t.Errorf("%q %s, reader %d: %q, %v, want %q", c.reply, mode.name, i, got, err, mode.want)
				}
			}
		}
	}
}

func textReader(r io.Reader, strict, html bool) io.Reader {
	if html {
		return htmlBody(r)
	}
	return textBody(r, &textOptions{Strict: strict})
}

// The reader that textBody returns must obey the rules of io.Reader.
func TestTextBodyIsAReader(t *testing.T) {
	reply := strings.Repeat("..a\r\n.\r\n", 3000) + ".\r\n"
	want := slowText(reply, false, false)
	if err := iotest.TestReader(textBody(strings.NewReader(reply), nil), []byte(want)); err != nil {
		t.Error(err)
	}
}

func TestTextBodyBreaks(t *testing.T) {
	broken := errors.New("broken")
	for _, reply := range []string{"", "a", "a\r\n", "a\r\n.\r\n"} {
		r := textBody(io.MultiReader(strings.NewReader(reply), iotest.ErrReader(broken)), nil)
		got, err := io.ReadAll(r)
		if err != broken || string(got) != strings.TrimSuffix(reply, ".\r\n") {
			t.Errorf("%q: %q, %v", reply, got, err)
		}
		if _, err := r.Read(make([]byte, 1)); err != broken {
			t.Errorf("%q: the error does not last: %v", reply, err)
		}
	}
	if _, err := io.ReadAll(textBody(stuck{}, nil)); !errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
	// If Grace is nil, the reader must return a timeout as an error.
	r := textBody(io.MultiReader(strings.NewReader("a\n.\n"), iotest.ErrReader(os.ErrDeadlineExceeded)), nil)
	if _, err := io.ReadAll(r); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error(err)
	}
}

// With Strict, the reader must not read after a lone dot, even if the server sends more text
// or does not close the connection.
func TestStrictEnd(t *testing.T) {
	r, w := io.Pipe()
	go io.WriteString(w, "a\r\n.\r\n")
	got, err := io.ReadAll(textBody(r, &textOptions{Strict: true}))
	if string(got) != "a\r\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	w.Close()
}

// If a server does not close the connection after the lone dot, Grace must limit the wait.
func TestGrace(t *testing.T) {
	for _, c := range []struct {
		parts   []string // parts that the connection returns, one per second
		want    string
		waited  time.Duration
		graces  int
		resumes int
	}{
		{[]string{"a\r\n.\r\n"}, "a\r\n", 2 * time.Second, 1, 0},
		{[]string{"a\r\n.\r\n", "b\r\n.\r\n"}, "a\r\n.\r\nb\r\n", 3 * time.Second, 2, 1},
		{[]string{"a\r\n.\r\n", ".\r\n", "b"}, "a\r\n.\r\n.\r\nb", time.Hour, 2, 2},
		{[]string{"a\r\n", ".", "\r\n"}, "a\r\n", 4 * time.Second, 1, 0},
		{[]string{"a"}, "a", time.Hour, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			conn := &slowConn{parts: c.parts, deadline: time.Now().Add(time.Hour)}
			begin := time.Now()
			graces, resumes := 0, 0
			got, err := io.ReadAll(textBody(conn, &textOptions{
				Grace:  func() { graces++; conn.deadline = time.Now().Add(2 * time.Second) },
				Resume: func() { resumes++; conn.deadline = begin.Add(time.Hour) },
			}))
			late := c.waited == time.Hour
			if string(got) != c.want || late != errors.Is(err, os.ErrDeadlineExceeded) || !late && err != nil {
				t.Errorf("%q: %q, %v", c.parts, got, err)
			}
			if waited := time.Since(begin); waited != c.waited || graces != c.graces || resumes != c.resumes {
				t.Errorf("%q: %v, %d graces, %d resumed", c.parts, waited, graces, resumes)
			}
		})
	}
}

// slowConn is a connection that returns one part per second, and then nothing.
type slowConn struct {
	parts    []string
	given    bool
	deadline time.Time
}

func (c *slowConn) Read(p []byte) (int, error) {
	switch {
	case len(c.parts) == 0:
		time.Sleep(time.Until(c.deadline))
		return 0, os.ErrDeadlineExceeded
	case c.given:
		time.Sleep(time.Second)
	}
	c.given = true
	n := copy(p, c.parts[0])
	c.parts = c.parts[1:]
	return n, nil
}

// The reader must hold back at most maxUndecided octets after a doubled dot.
func TestUndecided(t *testing.T) {
	for _, c := range []struct {
		octets int
		end    string
		want   string // expected beginning of the text
	}{
		{100, "\n.\nmore", "..x"}, {maxUndecided / 2, "\n.\nmore", "..x"}, {2 * maxUndecided, "\n.\nmore", ".xx"}, {100, "\n.\n", ".xx"}, {2 * maxUndecided, "\n.\n", ".xx"},
	} {
		calls := 0
		r, w := io.Pipe()
		go func() {
			io.WriteString(w, "a\n..")
			io.WriteString(w, strings.Repeat("x", c.octets))
			io.WriteString(w, c.end)
			w.Close()
		}()
		got, err := io.ReadAll(textBody(r, &textOptions{NotStuffed: func() { calls++ }}))
		text := strings.TrimPrefix(string(got), "a\n")
		more := strings.HasSuffix(c.end, "more")
		if err != nil || !strings.HasPrefix(text, c.want) || strings.HasSuffix(text, "\n.\nmore") != more || (calls == 1) != more {
			t.Errorf("%d octets and %q: %.10q, %v, %d calls", c.octets, c.end, text, err, calls)
		}
	}
	broken := errors.New("broken")
	got, err := io.ReadAll(textBody(io.MultiReader(strings.NewReader("a\n..b\n"), iotest.ErrReader(broken)), nil))
	if string(got) != "a\n.b\n" || err != broken {
		t.Errorf("%q, %v", got, err)
	}
}

// The reader must not buffer a line of 64 MiB.
func TestLongLine(t *testing.T) {
	const size = 64 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	body := textBody(io.MultiReader(strings.NewReader(".."), endless([]byte("long "), size), strings.NewReader("\r\n.\r\n")), nil)
	n, err := io.Copy(io.Discard, struct{ io.Reader }{body})
	runtime.ReadMemStats(&after)
	if n != 1+size+2 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("%d octets were allocated", used)
	}
}

// The reader must return text as it arrives, except for a possible end and for the text after
// a doubled dot.
func TestTextIsNotHeldBack(t *testing.T) {
	r, w := io.Pipe()
	body := textBody(r, nil)
	p := make([]byte, 100)
	for _, part := range []struct{ sent, got string }{{"a", "a"}, {"b\r\n", "b\r\n"}, {"..c\n.\r\nd", "..c\n.\r\nd"}, {"\n.", "\n"}, {"x", ".x"}} {
		go io.WriteString(w, part.sent)
		var got bytes.Buffer
		for got.Len() < len(part.got) {
			n, err := body.Read(p)
			if err != nil {
				t.Fatal(err)
			}
			got.Write(p[:n])
		}
		if got.String() != part.got {
			t.Errorf("%q gave %q, want %q", part.sent, got.String(), part.got)
		}
	}
	w.Close()
	if n, err := body.Read(p); n != 0 || err != io.EOF {
		t.Error(n, err)
	}
}
