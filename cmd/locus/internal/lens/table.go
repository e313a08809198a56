package lens

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/lens"
)

const (
	labelWidth  = len("! password")
	gap         = 2
	columnLeast = 20 // minimum width, unless the terminal is narrower
	columnMost  = 40
)

// writeTable writes a report for display.
func (c *command) writeTable(l *lens.Lens, r lens.Report) {
	if c.answers++; c.answers > 1 {
		c.Out.WriteByte('\n')
	}
	masked := r.Masked()
	colors := term.NewColors(c.OutTTY, c.Getenv)
	fmt.Fprintln(c.Out, colors.In(term.Bold, shorten(term.Text(masked.Input))))
	accepted, refused := l.Groups(r)
	width := columnLeast
	room := max(1, (c.Width-labelWidth)/(columnLeast+gap)) // number of columns that fit on the terminal
	if n := min(room, len(accepted)); n > 0 {
		width = min(columnMost, max(columnLeast, (c.Width-labelWidth)/n-gap))
	}
	for block := range slices.Chunk(accepted, room) {
		c.writeBlock(colors, block, r.Differences, width)
	}
	for _, g := range refused {
		verb, text := "rejected by", g.Result.Error
		if g.Result.Failure != "" {
			verb, text = "no result from", g.Result.Failure
		}
		fmt.Fprintf(c.Out, "%s %s: %s\n", verb, strings.Join(g.Names, ", "), shorten(term.Text(text)))
	}
	switch {
	case len(accepted) == 0:
		fmt.Fprintln(c.Out, "no reader accepts it")
	case r.Differences == nil:
		fmt.Fprintln(c.Out, "all that accept it agree")
	default:
		style := term.Yellow
		if r.Danger {
			style = term.Red
		}
		name := string(masked.Confusion)
		if name == "" {
			name = "other"
		}
		fmt.Fprintf(c.Out, "%s: %s\n", colors.In(style, name), term.Text(masked.Why))
	}
	for _, a := range r.Advisories() {
		fmt.Fprintf(c.Out, "like %s\n", a)
	}
}

// writeBlock writes columns side by side.
func (c *command) writeBlock(colors term.Colors, groups []lens.Group, differences []string, width int) {
	var cells []string
	for _, g := range groups {
		cells = append(cells, strings.Join(g.Names, ", "))
	}
	c.writeRow("", cells, width, func(s string) string { return colors.In(term.Cyan, s) })
	for _, name := range lens.PartNames() {
		differs := slices.Contains(differences, name)
		label, paint := "  "+name, func(s string) string { return s }
		if differs {
			label, paint = "! "+name, func(s string) string { return colors.In(term.Red, s) }
		}
		cells = cells[:0]
		present := differs
		for _, g := range groups {
			cells = append(cells, partText(g.Result, name, differs))
			present = present || g.Result.Part(name) != nil
		}
		if present {
			c.writeRow(label, cells, width, paint)
		}
	}
}

// partText returns the text of a part for the table.
func partText(a lens.Result, name string, differs bool) string {
	p := a.Part(name)
	switch {
	case slices.Contains(a.Unseen, name):
		return "?"
	case p == nil:
		return "-"
	case *p == "":
		return `""`
	}
	if at, ok := a.Offsets[name]; ok && differs {
		return fmt.Sprintf("%s (%d)", shorten(term.Text(*p)), at)
	}
	return shorten(term.Text(*p))
}

// writeRow writes a row. The longest cell determines the number of lines.
func (c *command) writeRow(label string, cells []string, width int, paint func(string) string) {
	lines := make([][]string, len(cells))
	height := 0
	for i, cell := range cells {
		lines[i] = wrap(cell, width)
		height = max(height, len(lines[i]))
	}
	for n := range height {
		var line strings.Builder
		fmt.Fprintf(&line, "%-*s", labelWidth, label)
		blank := 0
		for i := range cells {
			text := ""
			if n < len(lines[i]) {
				text = lines[i][n]
			}
			blank += gap
			if text != "" {
				line.WriteString(strings.Repeat(" ", blank) + paint(text))
				blank = 0
			}
			blank += width - term.Width(text)
		}
		fmt.Fprintln(c.Out, strings.TrimRight(line.String(), " "))
		label = ""
	}
}

// wrap breaks text into lines of at most width columns. If possible, wrap breaks a line after
// ", ".
func wrap(text string, width int) (lines []string) {
	start, used := 0, 0
	for i := 0; i < len(text); {
		_, n := utf8.DecodeRuneInString(text[i:])
		columns := term.Width(text[i : i+n])
		if used+columns > width && i > start {
			end := i
			if comma := strings.LastIndex(text[start:i], ", "); comma > 0 {
				end = start + comma + len(", ")
			}
			lines = append(lines, strings.TrimRight(text[start:end], " "))
			start, used = end, term.Width(text[end:i])
		}
		used += columns
		i += n
	}
	return append(lines, text[start:])
}

// longest is the maximum size in bytes of a part that the table shows completely. With --json,
// each part is complete.
const longest = 400

// shorten removes the middle of a long text.
func shorten(text string) string {
	if len(text) <= longest {
		return text
	}
	head := strings.ToValidUTF8(text[:longest/2], "")
	tail := strings.ToValidUTF8(text[len(text)-longest/4:], "")
	return fmt.Sprintf("%s ...%d bytes... %s", head, len(text)-len(head)-len(tail), tail)
}
