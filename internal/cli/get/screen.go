package get

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/cli/show"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/telnet"
	"github.com/locus-url/locus/tn3270"
)

type screenJSON struct {
	shape.Resource
	Rows    int           `json:"rows"`
	Columns int           `json:"columns"`
	Cursor  positionJSON  `json:"cursor"`
	Locked  string        `json:"locked,omitempty"` // why the keyboard is locked
	Text    []shape.Text  `json:"text"`
	Fields  []screenField `json:"fields"`
}

type positionJSON struct {
	Row    int `json:"row"`
	Column int `json:"column"`
}

// screenField is a field of a screen. A hidden field has no value.
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

// screen runs the script at a 3270 screen, and writes the final screen.
func (g *getter) screen(ctx context.Context, f show.Found, t telnet.Terminal3270, to show.Stream) error {
	p := &screenPlayer{ctx: ctx, terminal: t, stepTime: g.stepTime(), ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		// The drawings are discarded; their end is the end of the session.
		_, p.end = io.Copy(&p.words, t)
	}()
	err := p.play(&g.script)
	t.Close()
	// After this the screen does not change.
	<-p.ended
	if said := strings.TrimSpace(string(p.words)); said != "" && errors.Is(err, errNoScreen) {
		return fmt.Errorf("%w, but says %s", err, locus.Quote(said))
	}
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

// colorNames are the names of field colours for programs. The default colour has none.
var colorNames = map[tn3270.Color]string{
	tn3270.NeutralBlack: "neutral-black", tn3270.Blue: "blue", tn3270.Red: "red", tn3270.Pink: "pink", tn3270.Green: "green",
	tn3270.Turquoise: "turquoise", tn3270.Yellow: "yellow", tn3270.Neutral: "neutral", tn3270.Black: "black", tn3270.DeepBlue: "deep-blue",
	tn3270.Orange: "orange", tn3270.Purple: "purple", tn3270.PaleGreen: "pale-green", tn3270.PaleTurquoise: "pale-turquoise",
	tn3270.Grey: "grey", tn3270.White: "white",
}

var highlightNames = map[tn3270.Highlight]string{
	tn3270.Normal: "normal", tn3270.Blink: "blink", tn3270.Reverse: "reverse", tn3270.Underscore: "underscore", tn3270.Intensify: "intensify",
}

type screenPlayer struct {
	ctx      context.Context
	terminal telnet.Terminal3270
	stepTime time.Duration
	ended    chan struct{} // closed when the host has ended the session
	end      error         // why
	words    lastWords     // what came for a terminal of the person's, until ended
}

// lastWords keeps the end of the text written to it.
type lastWords []byte

// maxLastWords is longer than the quoted text of a message.
const maxLastWords = 512

func (l *lastWords) Write(p []byte) (int, error) {
	*l = append(*l, p[max(0, len(p)-maxLastWords):]...)
	*l = append((*l)[:0], (*l)[max(0, len(*l)-maxLastWords):]...)
	return len(p), nil
}

// play runs the steps once the host accepts input, and then waits until the screen is
// stable.
func (p *screenPlayer) play(s *script) error {
	if err := p.ready(); err != nil && !(len(s.steps) == 0 && errors.Is(err, errKeptLocked)) {
		return err
	}
	for i, st := range s.steps {
		var err error
		switch st.kind {
		case stepSend:
			err = p.send(st.send)
		case stepPress:
			err = p.press(st.press)
		case stepExpect:
			err = p.expect(st.expect)
		}
		if i == len(s.steps)-1 && errors.Is(err, errKeptLocked) {
			// All steps are done.
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return p.settle(s.settle)
}

// send types text, in which \r is Enter.
func (p *screenPlayer) send(text string) error {
	for {
		line, rest, enter := strings.Cut(text, "\r")
		if err := p.terminal.Type(line); err != nil {
			return err
		}
		if !enter {
			return nil
		}
		if err := p.press(tn3270.Enter); err != nil {
			if rest == "" {
				return err
			}
			return fmt.Errorf("%w; not everything was typed", err)
		}
		text = rest
	}
}

// press presses a key, and waits for the host if that locks the keyboard.
func (p *screenPlayer) press(key tn3270.Key) error {
	select {
	case <-p.ended:
		return fmt.Errorf("%w: the host ended the session before %v was pressed", scheme.ErrProtocol, key)
	default:
	}
	if err := p.terminal.Press(key); err != nil {
		return err
	}
	return p.ready()
}

func (p *screenPlayer) expect(re *regexp.Regexp) error {
	err := p.wait(time.After(p.stepTime), func(s *tn3270.Screen) bool { return re.MatchString(s.Text()) })
	begins := func() string {
		return locus.Quote(strings.Join(strings.Fields(p.terminal.Screen().Text()), " "))
	}
	switch {
	case errors.Is(err, errSilent):
		return late("nothing that matches %s was shown within %v; the screen begins with %s", locus.Quote(re.String()), p.stepTime, begins())
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%w: the host ended the session before anything matched %s; the screen begins with %s", scheme.ErrProtocol,
			locus.Quote(re.String()), begins())
	}
	return err
}

var errNoScreen = errors.New("the host sends no 3270 screen")

// errKeptLocked means that a host did not unlock the keyboard in time.
var errKeptLocked = late("the host keeps the keyboard locked")

// ready waits until the keyboard is unlocked. A host that ends the session after it
// showed a screen is done.
func (p *screenPlayer) ready() error {
	err := p.wait(time.After(p.stepTime), func(s *tn3270.Screen) bool { return s.Status().Lock == tn3270.Unlocked })
	switch shown := p.terminal.Screen().Status().Mode != tn3270.ModeNone; {
	case errors.Is(err, io.EOF) && shown:
		return nil
	case errors.Is(err, errSilent) && shown:
		return errKeptLocked
	case errors.Is(err, errSilent), errors.Is(err, io.EOF):
		return fmt.Errorf("%w: %w", scheme.ErrProtocol, errNoScreen)
	}
	return err
}

// settle waits until the screen is unchanged for still, at most as long as a step may
// take.
func (p *screenPlayer) settle(still time.Duration) error {
	tooLate := time.After(p.stepTime)
	for {
		changed := p.terminal.Screen().Changed()
		select {
		case <-changed:
		case <-time.After(still):
			return nil
		case <-tooLate:
			return nil
		case <-p.ended:
			return nil
		case <-p.ctx.Done():
			return context.Cause(p.ctx)
		}
	}
}

// wait waits until ok accepts the screen. io.EOF means that the host ended the session,
// errSilent that it was too slow.
func (p *screenPlayer) wait(late <-chan time.Time, ok func(*tn3270.Screen) bool) error {
	s := p.terminal.Screen()
	for {
		changed := s.Changed()
		if ok(s) {
			return nil
		}
		select {
		case <-changed:
		case <-p.ended:
			switch {
			case ok(s):
				return nil
			case p.end != nil:
				return p.end
			}
			return io.EOF
		case <-late:
			return errSilent
		case <-p.ctx.Done():
			return context.Cause(p.ctx)
		}
	}
}
