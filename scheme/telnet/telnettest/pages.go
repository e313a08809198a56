package telnettest

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/locus-url/locus/tn3270"
)

// pages implements the built-in screens of a host. These are the logon screen, a menu, and the
// screens in the menu.
type pages struct {
	*Host
	users   map[string]string
	user    string
	message string // message for the next screen
}

// page is a function that shows a screen and returns the next page. A nil page ends the session.
type page func() (page, error)

func (p *pages) run() error {
	for next := page(p.logon); next != nil; {
		var err error
		if next, err = next(); err != nil {
			return err
		}
	}
	return p.Show(p.Builder().EraseWrite(0).At(1, 1).Text("Goodbye."))
}

const title = "THE MUSEUM OF THE NETWORK"

// screen begins a screen of 24 rows and 80 columns. It writes the title and the current message.
func (p *pages) screen() *tn3270.Builder {
	b := p.Builder().EraseWrite(tn3270.KeyboardRestore|tn3270.ResetMDT).
		At(1, 1).Field(tn3270.Skip|tn3270.Intensified).Text(title).
		At(22, 1).Field(tn3270.Skip | tn3270.Intensified).Text(p.message)
	p.message = ""
	return b
}

func (p *pages) showAndReceive(b *tn3270.Builder) (tn3270.Inbound, error) {
	if err := p.Show(b); err != nil {
		return tn3270.Inbound{}, err
	}
	return p.Receive()
}

// These constants are the positions of the fields on the logon screen.
const (
	userRow = 4 + iota
	passwordRow
	roomRow

	inputColumn = 15
	inputLength = 8
)

// logon requests the user, the password and a room.
func (p *pages) logon() (page, error) {
	b := p.screen().At(24, 1).Field(tn3270.Skip).Text("Enter logs on   PF3 ends")
	b = p.input(b, roomRow, "Room", tn3270.Numeric)
	b = p.input(b, passwordRow, "Password", tn3270.Hidden)
	b = p.input(b, userRow, "User", 0).At(userRow, inputColumn+1).InsertCursor()
	in, err := p.showAndReceive(b)
	if err != nil {
		return nil, err
	}
	user, password, room := Input(in, userRow, inputColumn), Input(in, passwordRow, inputColumn), Input(in, roomRow, inputColumn)
	switch want, known := p.users[user]; {
	case in.Key == tn3270.PF3:
		return nil, nil
	case in.Key == tn3270.SysReq && p.Extended():
		return p.systemText(p.logon), nil
	case in.Key != tn3270.Enter:
		p.message = in.Key.String() + " does nothing here"
	case user == "":
		p.message = "Who are you?"
	case p.users != nil && (!known || password != want):
		p.message = "That is not the password"
	default:
		p.user = user
		if room != "" {
			p.message = "Room " + room + " is this way."
		}
		return p.menu, nil
	}
	return p.logon, nil
}

func (p *pages) input(b *tn3270.Builder, row int, name string, a tn3270.Attribute) *tn3270.Builder {
	return b.At(row, 1).Field(tn3270.Skip).Text(fmt.Sprintf("%-8s ===>", name)).
		At(row, inputColumn).Field(a).
		At(row, inputColumn+1+inputLength).Field(tn3270.Skip)
}

// Input returns the user's input in a field on a screen with 80 columns. The arguments row and
// column are the position of the field's attribute, counted from 1.
func Input(in tn3270.Inbound, row, column int) string {
	for _, f := range in.Fields {
		if f.Address == (row-1)*80+column {
			return strings.TrimSpace(f.Value)
		}
	}
	return ""
}

func (p *pages) menu() (page, error) {
	b := p.screen().At(3, 1).Field(tn3270.Skip).Text("Welcome, " + p.user + ".")
	for i, line := range []string{
		"PF1   colours and highlighting", "PF2   a screen without fields", "PF3   ends",
		"PF4   the alternate size", "PF5   what your terminal is",
	} {
		b.At(5+i, 3).Field(tn3270.Skip).Text(line)
	}
	in, err := p.showAndReceive(b)
	if err != nil {
		return nil, err
	}
	switch in.Key {
	case tn3270.PF1:
		return p.colors, nil
	case tn3270.PF2:
		return p.unformatted, nil
	case tn3270.PF3:
		return nil, nil
	case tn3270.PF4:
		return p.alternate, nil
	case tn3270.PF5:
		return p.terminals, nil
	case tn3270.SysReq:
		if p.Extended() {
			return p.systemText(p.menu), nil
		}
	}
	p.message = in.Key.String() + " does nothing here"
	return p.menu, nil
}

// back shows a screen, from which any key returns to the menu.
func (p *pages) back(b *tn3270.Builder) (page, error) {
	_, err := p.showAndReceive(b)
	return p.menu, err
}

// These variables list the colors and highlightings with their names.
var (
	palette = []struct {
		name  string
		color tn3270.Color
	}{{"blue", tn3270.Blue}, {"red", tn3270.Red}, {"pink", tn3270.Pink}, {"green", tn3270.Green}, {"turquoise", tn3270.Turquoise}, {"yellow", tn3270.Yellow}, {"white", tn3270.Neutral}}
	highlights = []struct {
		name      string
		highlight tn3270.Highlight
	}{{"blink", tn3270.Blink}, {"reverse", tn3270.Reverse}, {"underscore", tn3270.Underscore}}
)

func (p *pages) colors() (page, error) {
	if !p.colored() {
		p.message = "Your terminal has no colours"
		return p.menu, nil
	}
	b := p.screen()
	for i, c := range palette {
		b.At(3+i, 3).FieldExtended(tn3270.Skip, tn3270.InColor(c.color)).Text(c.name)
	}
	for i, h := range highlights {
		b.At(3+i, 20).FieldExtended(tn3270.Skip, tn3270.InHighlight(h.highlight)).Text(h.name)
	}
	b.At(12, 3).Field(tn3270.Skip).Text("one ").SetAttribute(tn3270.InColor(tn3270.Red)).Text("character").
		SetAttribute(tn3270.InColor(0)).Text(" by itself")
	return p.back(b)
}

func (p *pages) unformatted() (page, error) {
	in, err := p.showAndReceive(p.Builder().EraseWrite(tn3270.KeyboardRestore).At(1, 1).Text("Type anything, anywhere: ").InsertCursor())
	if err != nil {
		return nil, err
	}
	for _, f := range in.Fields {
		p.message = "You typed " + strconv.Itoa(len(f.Value)) + " characters"
	}
	return p.menu, nil
}

func (p *pages) alternate() (page, error) {
	rows, columns := p.Size()
	return p.back(p.Builder().EraseWriteAlternate(tn3270.KeyboardRestore).
		At(1, 1).Field(tn3270.Skip).Text("upper left").At(1, columns-11).Field(tn3270.Skip).Text("upper right").
		At(rows/2, 3).Field(tn3270.Skip).Text(fmt.Sprintf("%d rows of %d columns", rows, columns)).
		At(rows, 1).Field(tn3270.Skip).Text("lower left").At(rows, columns-11).Field(tn3270.Skip).Text("lower right"))
}

func (p *pages) terminals() (page, error) {
	replies := "none"
	if p.colored() {
		in, err := p.showAndReceive(p.Builder().Query())
		if err != nil {
			return nil, err
		}
		replies = queryReplies(in.Structured)
	}
	lines := []string{"type           " + p.Terminal(), "query replies  " + replies}
	if p.Extended() {
		lines = append(lines, "device         "+p.Device(), fmt.Sprintf("functions      % X", p.functions))
	}
	b := p.screen()
	for i, line := range lines {
		b.At(3+i, 3).Field(tn3270.Skip).Text(line)
	}
	return p.back(b)
}

func queryReplies(fields []byte) string {
	var codes []byte
	for len(fields) >= 4 {
		n := int(binary.BigEndian.Uint16(fields))
		if n < 4 || n > len(fields) {
			break
		}
		codes = append(codes, fields[3])
		fields = fields[n:]
	}
	return fmt.Sprintf("% X", codes)
}

// systemText is the text dialog that the SysReq key opens in a TN3270E session.
func (p *pages) systemText(from page) page {
	return func() (page, error) {
		if err := p.SendText("SYSTEM: LOGOFF, or SysReq to go back: "); err != nil {
			return nil, err
		}
		in, err := p.Receive()
		switch {
		case err != nil:
			return nil, err
		case len(in.Fields) > 0 && strings.EqualFold(strings.TrimSpace(in.Fields[0].Value), "LOGOFF"):
			return nil, nil
		case in.Key == tn3270.SysReq:
			return from, nil
		}
		return p.systemText(from), nil
	}
}
