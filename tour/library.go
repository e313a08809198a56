package tour

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// library is the catalogue of a library on telnet: a card for each book.
type library []string

// serve answers commands until the user leaves.
func (l library) serve(rw io.ReadWriter) {
	t := &lineTerminal{r: bufio.NewReader(rw), w: rw}
	t.printLines("", "THE LIBRARY OF THE MUSEUM", "", fmt.Sprintf("%d books on the network, from when they were news.", len(l)), "")
	t.printLines(libraryHelp...)
	for {
		line := t.readLine("\r\n> ")
		if t.err != nil {
			return
		}
		if !l.execute(t, strings.Fields(line)) {
			t.printLines("Goodbye.")
			return
		}
	}
}

var libraryHelp = []string{
	"list          all of them",
	"find WORD     those whose cards have a word",
	"show NUMBER   a card",
	"help          this",
	"bye           leaves",
}

// execute executes a command. It returns false if the user leaves.
func (l library) execute(t *lineTerminal, words []string) bool {
	if len(words) == 0 {
		return true
	}
	command, rest := strings.ToLower(words[0]), strings.Join(words[1:], " ")
	switch command {
	case "list":
		l.list(t, "")
	case "find":
		l.list(t, rest)
	case "show":
		number, err := strconv.Atoi(rest)
		if err != nil || number < 1 || number > len(l) {
			t.printLines(fmt.Sprintf("show, and a number from 1 to %d", len(l)))
			break
		}
		t.printLines(strings.Split(strings.TrimRight(l[number-1], "\n"), "\n")...)
	case "help":
		t.printLines(libraryHelp...)
	case "bye", "quit", "exit":
		return false
	default:
		t.printLines("There is no such command. Type help for what there is.")
	}
	return true
}

// list prints the first line of each card that has all the words.
func (l library) list(t *lineTerminal, words string) {
	found := 0
	for i, card := range l {
		if !hasAll(card, words) {
			continue
		}
		found++
		title, _, _ := strings.Cut(card, "\n")
		t.printLines(fmt.Sprintf("%3d  %s", i+1, title))
	}
	if found == 0 {
		t.printLines("No card has that.")
	}
}

// lineTerminal reads and prints lines. After an error it does nothing.
type lineTerminal struct {
	r     *bufio.Reader
	w     io.Writer
	after bool // the last byte was CR, so that LF or NUL belongs to it
	err   error
}

func (t *lineTerminal) write(text string) {
	if t.err == nil {
		_, t.err = io.WriteString(t.w, text)
	}
}

func (t *lineTerminal) printLines(lines ...string) { t.write(strings.Join(lines, "\r\n") + "\r\n") }

// longestLine is the most bytes that a line takes.
const longestLine = 200

// readLine prints a prompt, reads a line and echoes it, because the client does not. It
// ignores control characters, except those that edit or end the line.
func (t *lineTerminal) readLine(prompt string) string {
	const (
		endOfFile = 'D' & 0x1F
		backspace = '\b'
		del       = 0x7F
	)
	t.write(prompt)
	var line []byte
	for t.err == nil {
		o, err := t.r.ReadByte()
		if err != nil {
			t.err = err
			break
		}
		after := t.after
		t.after = o == '\r'
		switch {
		case after && (o == '\n' || o == 0):
		case o == '\r' || o == '\n':
			t.write("\r\n")
			return string(line)
		case o == endOfFile && len(line) == 0:
			t.err = io.EOF
		case (o == backspace || o == del) && len(line) > 0:
			line = line[:len(line)-1]
			t.write("\b \b")
		case o >= ' ' && o < del && len(line) < longestLine:
			line = append(line, o)
			t.write(string([]byte{o}))
		}
	}
	return ""
}
