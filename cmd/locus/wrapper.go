package main

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
)

// readURL parses an input as a URL, perhaps in the wrapper of RFC 1738's appendix,
// which a note names. readErr says that the input could not be read whole.
func (a *app) readURL(input string, readErr error) (locus.URL, error) {
	if readErr != nil {
		return locus.URL{}, readErr
	}
	u, err := shape.Read(input)
	if err == nil {
		a.noteWrapper(input)
	}
	return u, err
}

// noteWrapper tells what of an input is not part of the URL. Of the lines of
// standard input only the first gets a note.
func (a *app) noteWrapper(input string) {
	note, ok := locus.Unwrap(input).Note()
	switch {
	case !ok:
	case a.line == 0:
		a.aside()
		a.note("%s (%s)", term.Characters(note.Help), note.Section)
	case !a.wrapperNoted:
		a.wrapperNoted = true
		a.aside()
		a.note("line %d: %s (%s); there is no such note for the lines after it", a.line, term.Characters(note.Help), note.Section)
	}
}
