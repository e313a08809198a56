package tour

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/locus-url/locus/scheme/telnet/telnettest"
)

// library is a library catalog that users read over Telnet. It contains a card for each book.
type library []string

// terminal is the user's terminal, which [telnettest.Terminal] implements.
type terminal interface {
	Say(lines ...string) error
	Prompt(text string) (line string, err error)
}

func (l library) serve(t terminal) {
	t.Say("", "THE LIBRARY OF THE MUSEUM", "", fmt.Sprintf("%d books on the network, from when they were news.", len(l)), "")
	t.Say(libraryHelp...)
	for {
		line, err := t.Prompt("\r\n> ")
		switch {
		case errors.Is(err, telnettest.ErrInterrupted):
		case err != nil:
			return
		case !l.execute(t, strings.Fields(line)):
			t.Say("Goodbye.")
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
func (l library) execute(t terminal, words []string) bool {
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
			t.Say(fmt.Sprintf("show, and a number from 1 to %d", len(l)))
			break
		}
		t.Say(strings.Split(strings.TrimRight(l[number-1], "\n"), "\n")...)
	case "help":
		t.Say(libraryHelp...)
	case "bye", "quit", "exit":
		return false
	default:
		t.Say("There is no such command. Type help for what there is.")
	}
	return true
}

func (l library) list(t terminal, words string) {
	found := 0
	for i, card := range l {
		if !hasAll(card, words) {
			continue
		}
		found++
		title, _, _ := strings.Cut(card, "\n")
		t.Say(fmt.Sprintf("%3d  %s", i+1, title))
	}
	if found == 0 {
		t.Say("No card has that.")
	}
}
