package tour

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme/telnet/telnettest"
	"github.com/locus-url/locus/tn3270"
)

// screens is the application of the tn3270 server. It shows a numbered list of all rooms
// (servers), and a screen for each room that the user selects.
type screens struct {
	*telnettest.Host
	rooms   []Server
	message string // shown on the next screen
}

func (m *Demo) runScreens(host *telnettest.Host) error {
	<-m.started
	s := &screens{Host: host, rooms: m.rooms}
	for {
		number, err := s.showPlan()
		if err != nil {
			return err
		}
		if number == leaveTour {
			return s.Show(s.Builder().EraseWrite(0).At(1, 1).Text("Goodbye. There is nothing to switch off."))
		}
		if err := s.showRoom(number); err != nil {
			return err
		}
	}
}

// leaveTour is the result of showPlan if the user ends the session.
const leaveTour = -1

// These constants are positions on a screen with 24 rows and 80 columns.
const (
	introRow    = 3 // first of three rows
	roomsRow    = 7
	inputRow    = 20
	inputColumn = 11
	messageRow  = 22
	keysRow     = 24
	lineLength  = 76 // excludes the attribute that precedes the line
)

const here = "THE ROOM OF SCREENS"

// newScreen returns a screen with a title, the message and a line that describes the keys.
func (s *screens) newScreen(title, keys string) *tn3270.Builder {
	b := s.Builder().EraseWrite(tn3270.KeyboardRestore|tn3270.ResetMDT).
		At(1, 1).Field(tn3270.Skip|tn3270.Intensified).Text(title).
		At(messageRow, 1).Field(tn3270.Skip|tn3270.Intensified).Text(s.message).
		At(keysRow, 1).Field(tn3270.Skip).Text(keys)
	s.message = ""
	return b
}

// showPlan shows the list of rooms. It returns the index of the room that the user selects, or
// leaveTour.
func (s *screens) showPlan() (int, error) {
	for {
		terminal := "You sit at an " + s.Terminal()
		if s.Device() != "" {
			terminal += ", which is called " + s.Device() + " here"
		}
		b := s.newScreen(fmt.Sprintf("%-*s%s", lineLength-len(here), "THE MUSEUM OF THE NETWORK", here), "Enter goes there   PF3 leaves")
		terminal += ". Nothing you type is sent before a key is pressed that says so. Then all of it is, and the screen waits."
		for i, text := range wrap(terminal, lineLength) {
			b.At(introRow+i, 1).Field(tn3270.Skip).Text(text)
		}
		for i, room := range s.rooms {
			row, column := roomsRow+i, 3
			if row >= inputRow-1 { // start a second column
				row, column = row-(inputRow-1-roomsRow), lineLength/2+3
			}
			b.At(row, column).Field(tn3270.Skip).Text(term.Truncate(fmt.Sprintf("%2d  %-24s %s", i+1, room.Name, room.Scheme), lineLength/2))
		}
		b.At(inputRow, 1).Field(tn3270.Skip).Text("Room ===>").
			At(inputRow, inputColumn).Field(tn3270.Numeric).
			At(inputRow, inputColumn+3).Field(tn3270.Skip).
			At(inputRow, inputColumn+1).InsertCursor()
		if err := s.Show(b); err != nil {
			return 0, err
		}
		in, err := s.Receive()
		if err != nil {
			return 0, err
		}
		switch in.Key {
		case tn3270.PF3:
			return leaveTour, nil
		case tn3270.Enter:
			number, err := strconv.Atoi(telnettest.Input(in, inputRow, inputColumn))
			if err == nil && number >= 1 && number <= len(s.rooms) {
				return number - 1, nil
			}
			s.message = fmt.Sprintf("There are rooms from 1 to %d", len(s.rooms))
		default:
			s.message = in.Key.String() + " does nothing here"
		}
	}
}

// showRoom shows a room until the user presses a key.
func (s *screens) showRoom(number int) error {
	room := s.rooms[number]
	b := s.newScreen(fmt.Sprintf("ROOM %d: %s", number+1, strings.ToUpper(room.Name)), "Any key goes back")
	row := 3
	line := func(column int, text string) {
		if row < messageRow-1 {
			b.At(row, column).Field(tn3270.Skip).Text(term.Truncate(text, lineLength-column))
		}
		row++
	}
	for _, text := range wrap(room.About, lineLength) {
		line(1, text)
	}
	for _, stop := range room.Stops {
		row++
		line(3, stop.Heading())
		line(7, stop.URL.Shown())
	}
	if err := s.Show(b); err != nil {
		return err
	}
	_, err := s.Receive()
	return err
}

// wrap splits a text into lines at spaces. The argument maxLength is the maximum length of a line
// in bytes.
func wrap(text string, maxLength int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > maxLength {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
