package open

import (
	"github.com/locus-url/locus/internal/cli/show"
	"github.com/locus-url/locus/internal/term"
)

type lineState uint8

const (
	lineMore  lineState = iota
	lineDone            // Enter
	lineBreak           // Ctrl-C
	lineEnd             // Ctrl-D where there was nothing
)

// lineEditor reads a line at a terminal in raw mode, and shows it.
type lineEditor struct{ term.Line }

func (l *lineEditor) take(o byte, d *show.Display) lineState {
	shown, event := l.Type(o)
	if shown != "" {
		d.WriteOwn(shown)
	}
	switch {
	case event == term.LineEnter:
		return lineDone
	case event == term.LineControl && o == 'C'&0x1F:
		d.WriteOwn("^C\r\n")
		return lineBreak
	case event == term.LineControl && o == 'D'&0x1F && l.Len() == 0:
		return lineEnd
	}
	return lineMore
}
