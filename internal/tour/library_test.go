package tour

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// typist is a terminal whose user types predefined input.
type typist struct {
	lines []string
	bytes.Buffer
}

func (s *typist) Say(lines ...string) error {
	s.WriteString(strings.Join(lines, "\r\n") + "\r\n")
	return nil
}

func (s *typist) Prompt(text string) (line string, err error) {
	s.WriteString(text)
	if len(s.lines) == 0 {
		return "", io.EOF
	}
	line, s.lines = s.lines[0], s.lines[1:]
	return line, nil
}

// answer returns the library's output for the given input lines.
func (l library) answer(lines ...string) string {
	s := &typist{lines: lines}
	l.serve(s)
	return s.String()
}

var books = library{"Ada: One. 1843.\nNotes.\n", "Bell: Two. 1876.\nA voice.\nSee ftp://h/x\n"}

func TestLibrary(t *testing.T) {
	for _, c := range []struct{ typed, want string }{
		{"list", "> " + "  1  Ada: One. 1843.\r\n  2  Bell: Two. 1876.\r\n\r\n> "},
		{"find VOICE two", "> " + "  2  Bell: Two. 1876.\r\n\r\n> "},
		{"find ada voice", "> No card has that.\r\n\r\n> "},
		{"show 2", "> Bell: Two. 1876.\r\nA voice.\r\nSee ftp://h/x\r\n\r\n> "},
		{"show 3", "show, and a number from 1 to 2\r\n"},
		{"show x", "show, and a number from 1 to 2\r\n"},
		{"HELP", "bye           leaves\r\n\r\n> "},
		{"dance", "There is no such command."},
		{"", "> \r\n> "},
		{"bye", "> Goodbye.\r\n"},
	} {
		got := books.answer(c.typed)
		_, got, _ = strings.Cut(got, libraryHelp[len(libraryHelp)-1])
		if !strings.Contains(got, c.want) {
			t.Errorf("%q: %q, want %q", c.typed, got, c.want)
		}
	}
	if got := books.answer("bye", "list"); strings.Contains(got, "Ada") {
		t.Errorf("output after the end of the session: %q", got)
	}
}

// FuzzLibrary checks that the library session ends when its input ends, and prints only visible
// characters.
func FuzzLibrary(f *testing.F) {
	f.Add("find a\nshow 1\nbye\n")
	f.Add("\x1b]0;x\a\n\x00\x9b\xff\b\b")
	f.Fuzz(func(t *testing.T, typed string) {
		if len(typed) > 1<<10 {
			return // each input line may print the whole catalog
		}
		got := books.answer(strings.Split(typed, "\n")...)
		if strings.ContainsFunc(got, func(r rune) bool { return r != '\r' && r != '\n' && r != '\b' && (r < ' ' || r > '~') }) {
			t.Errorf("%q shows %q", typed, got)
		}
	})
}

// An exhibit that contains an unknown name must cause an error.
func TestExecute(t *testing.T) {
	m := &Demo{base: map[string]string{"ftp": "ftp://h"}}
	for _, text := range []string{"{{.ftq}}", "{{text \"x\"}}", "{{", "{{text 1}}"} {
		if got, err := m.execute("x", []byte(text), m.base); err == nil {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// A missing or malformed exhibit must cause an error.
func TestExhibits(t *testing.T) {
	m := &Demo{base: map[string]string{}}
	for name, err := range map[string]error{
		"missing": m.readJSON("none.json", new(int)), "not JSON": m.readJSON("names.txt", new(int)), "menu": second(m.gopherMenu("names.txt")),
		"item":   second(m.gopherItems([]gopherItem{{Exhibit: "none"}})),
		"nested": second(m.gopherItems([]gopherItem{{Items: []gopherItem{{Exhibit: "none"}}}})),
		"cards":  second(m.cards("none")),
		"gopher": m.startGopher(), "prospero": m.startProspero(),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func second[T any](_ T, err error) error { return err }
