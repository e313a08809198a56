package base

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/shape"
)

// ReadURL parses an input as a URL, which may be in the wrapper of the appendix of RFC
// 1738. A note tells about the wrapper. readErr is an error from [App.Inputs].
func (a *App) ReadURL(input string, readErr error) (locus.URL, error) {
	if readErr != nil {
		return locus.URL{}, readErr
	}
	u, err := shape.Read(input)
	if err == nil {
		a.NoteWrapper(input)
	}
	return u, err
}

// NoteWrapper writes a note about the text around a URL. Of the lines of standard input
// only the first gets one.
func (a *App) NoteWrapper(input string) {
	note, ok := locus.Unwrap(input).Note()
	switch {
	case !ok:
	case a.LineNumber == 0:
		a.FlushTerminal()
		a.Note("%s (%s)", charset.Text(note.Help), note.Section)
	case !a.wrapperNoted:
		a.wrapperNoted = true
		a.FlushTerminal()
		a.Note("line %d: %s (%s); later lines get no such note", a.LineNumber, charset.Text(note.Help), note.Section)
	}
}
