package tour

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// typist is a user whose typing is known from the beginning.
type typist struct {
	io.Reader
	bytes.Buffer
}

func (s *typist) Read(p []byte) (int, error) { return s.Reader.Read(p) }

// answer returns the output of the library for typed input.
func (l library) answer(typed string) string {
	s := &typist{Reader: strings.NewReader(typed)}
	l.serve(s)
	return s.String()
}

var books = library{"Ada: One. 1843.\nNotes.\n", "Bell: Two. 1876.\nA voice.\nSee ftp://h/x\n"}

func TestLibrary(t *testing.T) {
	for _, c := range []struct{ typed, want string }{
		{"list\r", "> list\r\n  1  Ada: One. 1843.\r\n  2  Bell: Two. 1876.\r\n\r\n> "},
		{"find VOICE two\r\n", "> find VOICE two\r\n  2  Bell: Two. 1876.\r\n\r\n> "},
		{"find ada voice\r\x00", "> find ada voice\r\nNo card has that.\r\n\r\n> "},
		{"show 2\n", "> show 2\r\nBell: Two. 1876.\r\nA voice.\r\nSee ftp://h/x\r\n\r\n> "},
		{"show 3\r", "show, and a number from 1 to 2\r\n"},
		{"show x\r", "show, and a number from 1 to 2\r\n"},
		{"HELP\r", "bye           leaves\r\n\r\n> "},
		{"dance\r", "There is no such command."},
		{"\r\r", "> \r\n\r\n> \r\n\r\n> "},
		{"bye\rlist\r", "> bye\r\nGoodbye.\r\n"},
		{"lost\b\b\x7fist\r", "> lost\b \b\b \b\b \bist\r\n  1  Ada"},
		{"\b\x7f\x1b[Alist\r", "> [Alist\r\n"}, // ESC is ignored
		{"li\x04st\r", "> list\r\n"},
		{"\x04list\r", "\r\n> "},
		{strings.Repeat("x", 300) + "\r", "> " + strings.Repeat("x", longestLine) + "\r\nThere"},
	} {
		got := books.answer(c.typed)
		_, got, _ = strings.Cut(got, libraryHelp[len(libraryHelp)-1])
		if !strings.Contains(got, c.want) {
			t.Errorf("%q: %q, want %q", c.typed, got, c.want)
		}
	}
	if got := books.answer("\x04list\r"); strings.Contains(got, "Ada") {
		t.Errorf("output after the end of the input: %q", got)
	}
}

// FuzzLibrary checks that the library ends with its input and prints only visible
// characters.
func FuzzLibrary(f *testing.F) {
	f.Add("find a\rshow 1\rbye\r")
	f.Add("\x1b]0;x\a\r\n\x00\x9b\xff\b\b")
	f.Fuzz(func(t *testing.T, typed string) {
		if len(typed) > 1<<10 {
			return // each line may show the whole catalogue
		}
		got := books.answer(typed)
		if strings.ContainsFunc(got, func(r rune) bool { return r != '\r' && r != '\n' && r != '\b' && (r < ' ' || r > '~') }) {
			t.Errorf("%q shows %q", typed, got)
		}
	})
}

func TestDraw(t *testing.T) {
	for _, rows := range [][]string{nil, {"##", "#"}, {"?"}} {
		if p, err := draw(rows, 1); err == nil {
			t.Errorf("%q is drawn: %v", rows, p.Rect)
		}
	}
	p, err := draw([]string{"#."}, 3)
	if err != nil || p.Rect.Dx() != 6 || p.Rect.Dy() != 3 || p.ColorIndexAt(2, 2) == p.ColorIndexAt(3, 2) {
		t.Errorf("%+v, %v", p, err)
	}
}

// The encoding of "Cat" is a well-known example.
func TestUU(t *testing.T) {
	for octets, want := range map[string]string{"": "`", "Cat": "#0V%T\n`", "C": "!0P``\n`"} {
		if got := toUU([]byte(octets)); got != want {
			t.Errorf("%q: %q, want %q", octets, got, want)
		}
	}
}

// A name that is unknown in an exhibit is an error.
func TestExecute(t *testing.T) {
	m := &Museum{base: map[string]string{"ftp": "ftp://h"}}
	for _, text := range []string{"{{.ftq}}", "{{base64 \"x\"}}", "{{", "{{uuencode 1}}"} {
		if got, err := m.execute("x", []byte(text), m.base); err == nil {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}
