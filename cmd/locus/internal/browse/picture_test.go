package browse

import (
	"fmt"
	"html"
	"os"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/term"
)

// The size of a character cell in the picture.
const cellWidth, cellHeight = 9, 18

// picture returns the screen as SVG, with the text, its styles and the cursor.
func (t *tester) picture() string {
	t.Helper()
	v := t.m.View()
	var b strings.Builder
	width, height := t.m.width*cellWidth, t.m.height*cellHeight
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"monospace\" font-size=\"15\">\n", width, height)
	fmt.Fprintf(&b, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", width, height)
	for y, line := range strings.Split(v.Content, "\n") {
		x, style := 0, ""
		for line != "" {
			at := sgrs.FindStringIndex(line)
			if at != nil && at[0] == 0 {
				style = strings.Trim(line[:at[1]], "\x1b[m")
				line = line[at[1]:]
				continue
			}
			text := line
			if at != nil {
				text = line[:at[0]]
			}
			line = line[len(text):]
			drawRun(&b, x, y, text, style)
			x += term.Width(text)
		}
	}
	fmt.Fprintf(&b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#c00\"/>\n", v.Cursor.X*cellWidth, v.Cursor.Y*cellHeight, cellWidth, cellHeight)
	return b.String() + "</svg>\n"
}

// drawRun draws text of one style.
func drawRun(b *strings.Builder, x, y int, text, style string) {
	fill, attributes := "#222", ""
	for _, parameter := range strings.Split(style, ";") {
		switch parameter {
		case reverse:
			fmt.Fprintf(b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#222\"/>\n", x*cellWidth, y*cellHeight, term.Width(text)*cellWidth, cellHeight)
			fill = "#fff"
		case boldface:
			attributes += " font-weight=\"bold\""
		case dim:
			fill = "#777"
		case underline:
			attributes += " text-decoration=\"underline\""
		case linkColor:
			fill = "#067"
		}
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	text = strings.ReplaceAll(text, " ", "\u00a0") // SVG renderers collapse spaces
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"%s\"%s>%s</text>\n",
		x*cellWidth, y*cellHeight+cellHeight-5, term.Width(text)*cellWidth, fill, attributes, html.EscapeString(text))
}

// The picture in the guide matches a real screen.
func TestPicture(t *testing.T) {
	b := newTester(t, fixture(), "gopher://h.example/1/", 80, 14)
	b.keys("down")
	got := b.picture()
	const name = "../../../../docs/pictures/browse.svg"
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not the screen: go test -update writes it again", name)
	}
}
