package syntax

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
)

// draw shows a text with the names of its parts, and a "^" under each violation. Below the text,
// draw shows the findings. It also shows the canonical form if that form differs from the text.
func (p *printer) draw(text string, parts []shape.Part, canonical string, findings []locus.Violation) {
	s := newSketch(text)
	for _, part := range parts {
		s.underline(part)
	}
	for _, v := range findings {
		s.mark(v.Offset)
	}
	p.writeSketch(s)
	colors := term.NewColors(p.OutTTY, p.Getenv)
	for _, v := range findings {
		style := term.Red
		if v.Kind >= locus.Suggestion {
			style = term.Yellow
		}
		fmt.Fprintf(p.Out, "%s %s\n", colors.In(style, v.Kind.String()), term.Safe(findingText(v)))
	}
	if canonical != "" && canonical != text {
		p.writeRows([]row{{"canonical", charset.Text(canonical)}})
	}
}

// drawError shows a text that is not a URL, with a "^" at the error.
func (p *printer) drawError(e *locus.SyntaxError) {
	s := newSketch(e.Input)
	s.mark(e.Offset)
	p.writeSketch(s)
	colors := term.NewColors(p.OutTTY, p.Getenv)
	fmt.Fprintf(p.Out, "%s %s\n", colors.In(term.Red, "no URL"), term.Safe(errorText(e)))
}

// cell is one character on the terminal, or an escape for a byte.
type cell struct {
	text   string
	offset int // offset of the character's first byte
	width  int // columns
	under  bool
	marked bool
}

// label is the name of a URL part, which appears below the first cell of the part.
type label struct {
	name   string
	cell   int
	column int // column of the first cell of the part
	left   int // first column of the name; smaller than column if the name would not fit there
	line   int
}

// sketch is a text with a drawing below it. On a narrow terminal, a sketch occupies several groups
// of lines.
type sketch struct {
	cells  []cell
	labels []label
}

func newSketch(text string) *sketch {
	s := &sketch{cells: make([]cell, 0, len(text)+1)}
	for i := 0; i < len(text); {
		_, n := utf8.DecodeRuneInString(text[i:])
		shown := term.Safe(text[i : i+n])
		s.cells = append(s.cells, cell{text: shown, offset: i, width: term.Width(shown)})
		i += n
	}
	// Add a cell after the text for the mark of a missing part at the end.
	s.cells = append(s.cells, cell{text: " ", offset: len(text), width: 1})
	return s
}

func (s *sketch) at(offset int) int {
	i, found := slices.BinarySearchFunc(s.cells, offset, func(c cell, offset int) int { return cmp.Compare(c.offset, offset) })
	if !found {
		i--
	}
	return min(i, len(s.cells)-1)
}

func (s *sketch) mark(offset int) { s.cells[s.at(offset)].marked = true }

// underline underlines a part of the URL and adds the name of the part below it. If the part is
// empty, the name appears at the position of the part.
func (s *sketch) underline(p shape.Part) {
	start := s.at(p.Offset)
	for i := start; i < len(s.cells) && s.cells[i].offset < p.Offset+len(p.Text); i++ {
		s.cells[i].under = true
	}
	name := p.Name
	if p.Text == "" {
		name += " (empty)"
	}
	s.labels = append(s.labels, label{name: name, cell: start})
}

// leastWidth is the minimum terminal width, in columns, that the command assumes. The escape of a
// byte fits in this width.
const leastWidth = 20

func (p *printer) writeSketch(s *sketch) {
	colors := term.NewColors(p.OutTTY, p.Getenv)
	columns := max(p.Width, leastWidth)
	for start := 0; start < len(s.cells); {
		end, width := start, 0
		for end < len(s.cells) && width+s.cells[end].width <= columns {
			width += s.cells[end].width
			end++
		}
		for i, line := range s.lines(start, end, columns) {
			style := term.Cyan
			switch {
			case line == "":
				continue
			case i == 0:
				style = term.Bold
			case i == 1:
				style = term.Red
			}
			p.Out.WriteString(colors.In(style, line) + "\n")
		}
		start = end
	}
}

// lines returns the lines for a range of cells, which begins at index start and ends before index
// end. The lines contain the text, the marks, the underlines and the names.
func (s *sketch) lines(start, end, columns int) []string {
	var text, marks, under strings.Builder
	column := make(map[int]int, end-start) // maps the index of a cell to its column
	at := 0
	for i, c := range s.cells[start:end] {
		column[start+i] = at
		at += c.width
		text.WriteString(c.text)
		marks.WriteString(stroke(c.marked, "^", c.width))
		under.WriteString(stroke(c.under, "-", c.width))
	}
	var placed []label
	for _, l := range s.labels {
		if l.cell >= start && l.cell < end {
			l.column = column[l.cell]
			placed = append(placed, l)
		}
	}
	lines := []string{text.String(), marks.String(), under.String()}
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return append(lines, nameLines(placed, columns)...)
}

func stroke(there bool, with string, width int) string {
	if !there {
		with = " "
	}
	return strings.Repeat(with, width)
}

// nameLines returns lines that show the name of each part below the part. The names must be
// ordered by column. Each name is on the highest possible line. On that line, it must not touch a
// name to its right or a vertical stroke that connects a part with a lower name.
func nameLines(names []label, columns int) []string {
	deepest := -1
	for i := len(names) - 1; i >= 0; i-- {
		n := &names[i]
		n.left = max(0, min(n.column, columns-len(n.name)))
		for _, right := range names[i+1:] {
			if n.left+len(n.name) >= min(right.left, right.column) {
				n.line = max(n.line, right.line+1)
			}
		}
		deepest = max(deepest, n.line)
	}
	lines := make([]string, deepest+1)
	for i := range lines {
		canvas := []byte(strings.Repeat(" ", columns))
		for _, n := range names {
			switch {
			case n.line == i:
				copy(canvas[n.left:], n.name)
			case n.line > i:
				canvas[n.column] = '|'
			}
		}
		lines[i] = strings.TrimRight(string(canvas), " ")
	}
	return lines
}
