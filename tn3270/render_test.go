package tn3270_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/locus-url/locus/tn3270"
)

// terminal implements the part of a terminal that the drawings need, which is graphic characters,
// CUP, EL and SGR. All other output fails the test.
type terminal struct {
	rows, columns int
	row, column   int // counted from 1
	sgr           string
	cells         []terminalCell
}

type terminalCell struct {
	r   rune
	sgr string
}

func newTerminal(rows, columns int) *terminal {
	w := &terminal{rows: rows, columns: columns, row: 1, column: 1, cells: make([]terminalCell, rows*columns)}
	for i := range w.cells {
		w.cells[i] = terminalCell{'?', "junk"}
	}
	return w
}

func (w *terminal) write(t *testing.T, octets []byte) {
	t.Helper()
	text := string(octets)
	for len(text) > 0 {
		if rest, ok := strings.CutPrefix(text, "\x1b["); ok {
			end := strings.IndexAny(rest, "HKm")
			if end < 0 || strings.Trim(rest[:end], "0123456789;") != "" {
				t.Fatalf("drew %q", text)
			}
			w.control(t, rest[:end], rest[end])
			text = rest[end+1:]
			continue
		}
		for _, r := range text {
			if r < ' ' || r == 0x7F || 0x80 <= r && r < 0xA0 {
				t.Fatalf("drew %q", text)
			}
			if w.row > w.rows || w.column > w.columns {
				t.Fatalf("drew at %d,%d", w.row, w.column)
			}
			w.cells[(w.row-1)*w.columns+w.column-1] = terminalCell{r, w.sgr}
			w.column++
			text = text[len(string(r)):]
			break
		}
	}
}

func (w *terminal) control(t *testing.T, parameters string, final byte) {
	t.Helper()
	switch final {
	case 'H':
		if _, err := fmt.Sscanf(parameters, "%d;%d", &w.row, &w.column); err != nil {
			t.Fatal(err)
		}
	case 'K':
		if parameters != "" || w.column > w.columns {
			t.Fatalf("EL %q at column %d", parameters, w.column)
		}
		for i := w.column; i <= w.columns; i++ {
			w.cells[(w.row-1)*w.columns+i-1] = terminalCell{' ', w.sgr}
		}
	case 'm':
		w.sgr = strings.TrimPrefix(strings.TrimPrefix(parameters, "0"), ";")
	}
}

// wantSnapshot compares the contents of the terminal with the snapshot s.
func (w *terminal) wantSnapshot(t *testing.T, s tn3270.Snapshot) {
	t.Helper()
	if w.row != s.Row || w.column != s.Column || w.sgr != "" {
		t.Errorf("the cursor is at %d,%d, not %d,%d; SGR %q", w.row, w.column, s.Row, s.Column, w.sgr)
	}
	for i, c := range s.Cells {
		got := w.cells[i/s.Columns*w.columns+i%s.Columns]
		if got.r != c.Rune || c.Rune != ' ' && got.sgr != sgr(c) {
			t.Fatalf("row %d, column %d: %+v, not %+v with %q", i/s.Columns+1, i%s.Columns+1, got, c, sgr(c))
		}
	}
}

// sgrColors maps colors to the expected SGR parameters.
var sgrColors = map[tn3270.Color]string{
	tn3270.NeutralBlack: "30", tn3270.Blue: "94", tn3270.Red: "31", tn3270.Pink: "95", tn3270.Green: "32", tn3270.Turquoise: "36",
	tn3270.Yellow: "93", tn3270.Neutral: "37", tn3270.Black: "30", tn3270.DeepBlue: "34", tn3270.Orange: "33", tn3270.Purple: "35",
	tn3270.PaleGreen: "92", tn3270.PaleTurquoise: "96", tn3270.Grey: "90", tn3270.White: "97",
}

// sgr returns the expected SGR parameters for a cell.
func sgr(c tn3270.Cell) string {
	var list []string
	add := func(when bool, parameter string) {
		if when {
			list = append(list, parameter)
		}
	}
	add(c.Intensified || c.Highlight == tn3270.Intensify, "1")
	add(c.Highlight == tn3270.Underscore, "4")
	add(c.Highlight == tn3270.Blink, "5")
	add(c.Highlight == tn3270.Reverse, "7")
	color := sgrColors[c.Color]
	add(color != "", color)
	return strings.Join(list, ";")
}

func TestDraw(t *testing.T) {
	s := screen(t, &tn3270.Options{Extended: true})
	receive(t, s, records(wire(t, "hercules-s3270-first-screen.s2c"))[0])
	w := newTerminal(25, 100)
	w.write(t, tn3270.Draw(nil, s.Snapshot()))
	w.wantSnapshot(t, s.Snapshot())
	if c := w.cells[24*100]; c.r != '?' {
		t.Errorf("drew below the screen: %+v", c)
	}
	if got := tn3270.Draw([]byte("before"), s.Snapshot()); !strings.HasPrefix(string(got), "before\x1b[1;1H") {
		t.Errorf("%q", got[:20])
	}
}

// Draw must draw every color and highlighting.
func TestDrawRenditions(t *testing.T) {
	s := screen(t, &tn3270.Options{Extended: true})
	b := builder(t, nil).EraseWrite(0)
	for c := tn3270.NeutralBlack; c != 0; c++ {
		for _, h := range []tn3270.Highlight{0, tn3270.Normal, tn3270.Blink, tn3270.Reverse, tn3270.Underscore, tn3270.Intensify, 0x33} {
			b.FieldExtended(tn3270.Protected, tn3270.InColor(c), tn3270.InHighlight(h)).Text("a b")
		}
	}
	b.FieldExtended(tn3270.Hidden, tn3270.InHighlight(tn3270.Reverse)).Text("secret")
	receive(t, s, record(t, b))
	drawn := tn3270.Draw(nil, s.Snapshot())
	w := newTerminal(24, 80)
	w.write(t, drawn)
	w.wantSnapshot(t, s.Snapshot())
	if bytes.Contains(drawn, []byte("secret")) {
		t.Error("the secret is there")
	}
	// Draw must draw an underscored or reverse space.
	if got := w.cells[2+3*4].sgr; got != "7;30" {
		t.Errorf("%q", got)
	}
}

// DrawChanges must redraw only changed rows, and must erase missing rows.
func TestDrawChanges(t *testing.T) {
	s := screen(t, &tn3270.Options{Model: 5})
	receive(t, s, records(wire(t, "hercules-s3270-first-screen.s2c"))[0])
	was := s.Snapshot()
	w := newTerminal(28, 132)
	w.write(t, tn3270.Draw(nil, was))
	receive(t, s, []byte("\xF1\x00"+sba(1840)+e(t, "last row")+ic))
	now := s.Snapshot()
	changes := tn3270.DrawChanges(nil, was, now)
	if want := "\x1b[24;1H\x1b[m\x1b[Klast row\x1b[24;9H"; string(changes) != want {
		t.Errorf("%q", changes)
	}
	w.write(t, changes)
	w.wantSnapshot(t, now)
	if got := tn3270.DrawChanges(nil, now, now); string(got) != "\x1b[24;9H" {
		t.Errorf("%q", got)
	}
	for _, data := range []string{"\x7E\x00\x3C\x00\x00\x5C", "\xF5\x00" + e(t, "small"), "\x7E\x00" + e(t, "large")} {
		was = s.Snapshot()
		receive(t, s, []byte(data))
		w.write(t, tn3270.DrawChanges(nil, was, s.Snapshot()))
		w.wantSnapshot(t, s.Snapshot())
		if s.Snapshot().Rows == 24 && w.cells[24*132].r != ' ' {
			t.Error("a row that is gone is there")
		}
	}
}

// Draw must not write the control characters in a handmade snapshot.
func TestDrawSafe(t *testing.T) {
	s := tn3270.Snapshot{Rows: 1, Columns: 6, Row: 1, Column: 1, Cells: []tn3270.Cell{
		{Rune: 'a'}, {Rune: '\x1b'}, {Rune: '\u009b'}, {Rune: '\u202e'}, {Rune: 0}, {Rune: 'b'},
	}}
	if got := string(tn3270.Draw(nil, s)); got != "\x1b[1;1H\x1b[m\x1b[Ka    b\x1b[1;1H" {
		t.Errorf("%q", got)
	}
}

// If the terminal is too small, Clip must return a part that contains the cursor.
func TestClip(t *testing.T) {
	s := screen(t, nil)
	receive(t, s, []byte("\xF5\x00"+e(t, "top")+sba(1915)+e(t, "right")+sba(1919)+ic))
	shot := s.Snapshot()
	text := func(s tn3270.Snapshot) (text string) {
		for _, c := range s.Cells {
			text += string(c.Rune)
		}
		return text
	}
	if part := shot.Clip(2, 6); text(part) != "       right" || part.Rows != 2 || part.Columns != 6 || part.Row != 2 || part.Column != 6 {
		t.Errorf("%q %+v", text(part), part)
	}
	shot.Row, shot.Column = 1, 1
	if part := shot.Clip(1, 4); text(part) != "top " || part.Row != 1 || part.Column != 1 {
		t.Errorf("%q", text(part))
	}
	if part := shot.Clip(0, 0); text(part) != "t" {
		t.Errorf("%q", text(part))
	}
	if part := shot.Clip(100, 200); len(part.Cells) != 1920 {
		t.Errorf("%d cells", len(part.Cells))
	}
}

func TestStatusLine(t *testing.T) {
	s := form(t)
	press(t, s, tn3270.Insert)
	if got := s.Snapshot().StatusLine(); got != "             ^  001/008" {
		t.Errorf("%q", got)
	}
	press(t, s, tn3270.Enter)
	if got := string(tn3270.DrawStatus(nil, s.Snapshot(), 25)); got != "\x1b[25;1H\x1b[m\x1b[KX SYSTEM        001/008\x1b[1;8H" {
		t.Errorf("%q", got)
	}
}
