package tour

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// library is the catalogue that one talks to by telnet: a card for each book.
type library []string

// talk answers commands, until there are no more.
func (l library) talk(rw io.ReadWriter) {
	d := &desk{r: bufio.NewReader(rw), w: rw}
	d.say("", "THE LIBRARY OF THE MUSEUM", "", fmt.Sprintf("%d books on the network, from when they were news.", len(l)), "")
	d.say(libraryHelp...)
	for d.err == nil {
		line := d.ask("\r\n> ")
		if d.err != nil {
			return
		}
		if !l.do(d, strings.Fields(line)) {
			d.say("Goodbye.")
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

// do does a command, and reports whether another may follow.
func (l library) do(d *desk, words []string) bool {
	if len(words) == 0 {
		return true
	}
	command, rest := strings.ToLower(words[0]), strings.Join(words[1:], " ")
	switch command {
	case "list":
		l.list(d, "")
	case "find":
		l.list(d, rest)
	case "show":
		number, err := strconv.Atoi(rest)
		if err != nil || number < 1 || number > len(l) {
			d.say(fmt.Sprintf("show, and a number from 1 to %d", len(l)))
			break
		}
		d.say(strings.Split(strings.TrimRight(l[number-1], "\n"), "\n")...)
	case "help":
		d.say(libraryHelp...)
	case "bye", "quit", "exit":
		return false
	default:
		d.say("There is no such command. Type help for what there is.")
	}
	return true
}

// list shows the first line of each card that has all the words.
func (l library) list(d *desk, words string) {
	found := 0
	for i, card := range l {
		if !hasAll(card, words) {
			continue
		}
		found++
		title, _, _ := strings.Cut(card, "\n")
		d.say(fmt.Sprintf("%3d  %s", i+1, title))
	}
	if found == 0 {
		d.say("No card has that.")
	}
}

// desk is where somebody sits and types. Once it has failed it does nothing more.
type desk struct {
	r     *bufio.Reader
	w     io.Writer
	after bool // a CR was read: LF or NUL behind it belongs to it
	err   error
}

func (d *desk) write(text string) {
	if d.err == nil {
		_, d.err = io.WriteString(d.w, text)
	}
}

// say shows lines.
func (d *desk) say(lines ...string) { d.write(strings.Join(lines, "\r\n") + "\r\n") }

// longestLine is the most that can be typed in one.
const longestLine = 200

// ask shows a prompt and reads a line, which it shows as it is typed: nobody else
// does. Control characters but for those that edit or end it count for nothing.
func (d *desk) ask(prompt string) string {
	const (
		endOfFile = 'D' & 0x1F
		backspace = '\b'
		del       = 0x7F
	)
	d.write(prompt)
	var line []byte
	for d.err == nil {
		o, err := d.r.ReadByte()
		if err != nil {
			d.err = err
			break
		}
		after := d.after
		d.after = o == '\r'
		switch {
		case after && (o == '\n' || o == 0):
		case o == '\r' || o == '\n':
			d.write("\r\n")
			return string(line)
		case o == endOfFile && len(line) == 0:
			d.err = io.EOF
		case (o == backspace || o == del) && len(line) > 0:
			line = line[:len(line)-1]
			d.write("\b \b")
		case o >= ' ' && o < del && len(line) < longestLine:
			line = append(line, o)
			d.write(string([]byte{o}))
		}
	}
	return ""
}
