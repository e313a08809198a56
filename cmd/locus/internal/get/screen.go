package get

import (
	"context"
	"io"
	"strings"

	"github.com/locus-url/locus/cmd/locus/internal/show"
	"github.com/locus-url/locus/internal/session"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme/telnet"
	"github.com/locus-url/locus/tn3270"
)

type screenJSON struct {
	shape.Resource
	Rows    int           `json:"rows"`
	Columns int           `json:"columns"`
	Cursor  positionJSON  `json:"cursor"`
	Locked  string        `json:"locked,omitempty"` // reason why the keyboard is locked
	Text    []shape.Text  `json:"text"`
	Fields  []screenField `json:"fields"`
}

type positionJSON struct {
	Row    int `json:"row"`
	Column int `json:"column"`
}

// screenField is a field of a 3270 screen. The value of a hidden field is omitted.
type screenField struct {
	positionJSON
	Length      int         `json:"length"`
	Value       *shape.Text `json:"value"`
	Protected   bool        `json:"protected"`
	Numeric     bool        `json:"numeric"`
	Hidden      bool        `json:"hidden"`
	Intensified bool        `json:"intensified"`
	Modified    bool        `json:"modified"`
	Color       string      `json:"color,omitempty"`
	Highlight   string      `json:"highlight,omitempty"`
}

// screen runs the script on a 3270 screen, and writes the final screen.
func (g *getter) screen(ctx context.Context, f show.Found, t telnet.Terminal3270, to show.Stream) error {
	screen := session.NewScreen(ctx, t, g.stepTime())
	err := g.script.run(screen)
	screen.Close()
	if err != nil {
		return err
	}
	s := t.Screen()
	if g.App.Flags.JSON && to.IsStdout {
		g.App.WriteJSON(describeScreen(f, s))
		return nil
	}
	shown := s.Text()
	if to.ForPeople && !g.Raw {
		shown = term.SafeLines(shown)
	}
	_, err = io.WriteString(to.Writer, shown+"\n")
	return err
}

func describeScreen(f show.Found, s *tn3270.Screen) screenJSON {
	d := screenJSON{Resource: f.Describe("session"), Locked: s.Status().Lock.String(), Fields: []screenField{}}
	d.Rows, d.Columns = s.Size()
	d.Cursor.Row, d.Cursor.Column = s.Cursor()
	for line := range strings.SplitSeq(s.Text(), "\n") {
		d.Text = append(d.Text, shape.Text(line))
	}
	for _, field := range s.Fields() {
		d.Fields = append(d.Fields, screenField{
			positionJSON: positionJSON{field.Row, field.Column}, Length: field.Length, Value: shape.Present(field.Value, !field.Hidden),
			Protected: field.Protected, Numeric: field.Numeric, Hidden: field.Hidden, Intensified: field.Intensified, Modified: field.Modified,
			Color: colorNames[field.Color], Highlight: highlightNames[field.Highlight],
		})
	}
	return d
}

// colorNames maps field colors to the names in the JSON output. It does not contain the default
// color.
var colorNames = map[tn3270.Color]string{
	tn3270.NeutralBlack: "neutral-black", tn3270.Blue: "blue", tn3270.Red: "red", tn3270.Pink: "pink", tn3270.Green: "green",
	tn3270.Turquoise: "turquoise", tn3270.Yellow: "yellow", tn3270.Neutral: "neutral", tn3270.Black: "black", tn3270.DeepBlue: "deep-blue",
	tn3270.Orange: "orange", tn3270.Purple: "purple", tn3270.PaleGreen: "pale-green", tn3270.PaleTurquoise: "pale-turquoise",
	tn3270.Grey: "grey", tn3270.White: "white",
}

var highlightNames = map[tn3270.Highlight]string{
	tn3270.Normal: "normal", tn3270.Blink: "blink", tn3270.Reverse: "reverse", tn3270.Underscore: "underscore", tn3270.Intensify: "intensify",
}
