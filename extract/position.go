package extract

import (
	"bytes"
	"io"
	"slices"
	"unicode/utf8"
)

// Position is a line and a column, counted from 1. A column is one character of UTF-8, one
// tab, or one octet that is not UTF-8. A line ends with LF or CR LF.
type Position struct{ Line, Column int64 }

const (
	// contextBefore and contextAfter are how much of a line is shown around an offset: a
	// text without line breaks may be very long.
	contextBefore = 512
	contextAfter  = 1024
	// kept is how far back an offset may be from the end of what was read: a window of
	// Stream, and the line before it.
	kept = maxWindow + contextBefore
)

// Lines turns offsets in a text into positions while the text is read, in constant memory.
// It is a reader, so that [Stream] can read through it:
//
//	lines := extract.NewLines(r)
//	for m, err := range extract.Stream(lines, nil) {
//		position := lines.At(m.Start)
//
// If nothing else reads from it, At does.
type Lines struct {
	r     io.Reader
	err   error
	buf   []byte // what is kept of the text
	given int    // how much of buf Read has returned
	base  mark   // where buf begins
	mark  mark   // an offset in buf that was asked for
}

type mark struct {
	offset int64
	Position
}

// NewLines returns Lines of the text that r reads.
func NewLines(r io.Reader) *Lines {
	start := mark{Position: Position{1, 1}}
	return &Lines{r: r, base: start, mark: start}
}

// LinesOf returns Lines of a text in memory, which must not change. Offsets may go back to
// its start.
func LinesOf(text []byte) *Lines {
	l := NewLines(nil)
	l.buf, l.err = text, io.EOF
	return l
}

// Read reads from the text.
func (l *Lines) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if l.given == len(l.buf) && l.err == nil {
		l.forget()
		l.fill()
	}
	n := copy(p, l.buf[l.given:])
	l.given += n
	if n == 0 {
		return 0, l.err
	}
	return n, nil
}

func (l *Lines) fill() {
	if free := cap(l.buf) - len(l.buf); free < window && len(l.buf) > 2*window {
		// A long text will need all that is ever kept.
		l.buf = append(make([]byte, 0, len(l.buf)+2*kept+window), l.buf...)
	}
	l.buf = slices.Grow(l.buf, window)
	n, err := readSome(l.r, l.buf[len(l.buf):cap(l.buf)])
	l.buf, l.err = l.buf[:len(l.buf)+n], err
}

func (l *Lines) forget() {
	cut := l.given - kept
	if cut < kept {
		return
	}
	cut -= partOfCharacter(l.buf, cut)
	base := l.walk(l.base.offset + int64(cut))
	if l.mark.offset < base.offset {
		l.mark = base
	}
	l.base = base
	l.buf = l.buf[:copy(l.buf, l.buf[cut:])]
	l.given -= cut
}

// partOfCharacter returns how many octets before text[i] belong to the same character.
func partOfCharacter(text []byte, i int) int {
	for n := range min(utf8.UTFMax, i+1) {
		if i-n < len(text) && utf8.RuneStart(text[i-n]) {
			return n
		}
	}
	return 0
}

// At returns the position of the octet at offset, and reads as far as that. Offsets may go
// back as far as Stream's do; further back, and after the end of the text, the position is
// zero.
func (l *Lines) At(offset int64) Position {
	for offset > l.end() && l.err == nil {
		l.given = len(l.buf)
		l.forget()
		l.fill()
	}
	if offset < l.base.offset || offset > l.end() {
		return Position{}
	}
	at := l.walk(offset)
	if partOfCharacter(l.buf, int(offset-l.base.offset)) == 0 {
		l.mark = at
	}
	return at.Position
}

// end is the offset after the last octet that was read.
func (l *Lines) end() int64 { return l.base.offset + int64(len(l.buf)) }

// walk counts from the nearest mark before an offset, which is in buf.
func (l *Lines) walk(offset int64) mark {
	from := l.mark
	if offset < from.offset {
		from = l.base
	}
	text := l.buf[from.offset-l.base.offset : offset-l.base.offset]
	to := mark{offset, from.Position}
	if last := bytes.LastIndexByte(text, '\n'); last >= 0 {
		to.Line += int64(bytes.Count(text, []byte{'\n'}))
		to.Column = 1
		text = text[last+1:]
	}
	to.Column += int64(utf8.RuneCount(text))
	return to
}

// Context returns the line that the octet at offset is on, without its line break; of a
// long line, the part near that octet. It is empty where [Lines.At] is zero.
func (l *Lines) Context(offset int64) string {
	if l.At(offset) == (Position{}) {
		return ""
	}
	for l.err == nil && offset+contextAfter > l.end() && bytes.IndexByte(l.buf[offset-l.base.offset:], '\n') < 0 {
		l.fill()
	}
	i := int(offset - l.base.offset)
	start, end := max(0, i-contextBefore), min(i+contextAfter, len(l.buf))
	start -= partOfCharacter(l.buf, start)
	if end < len(l.buf) {
		end -= partOfCharacter(l.buf, end)
	}
	start += bytes.LastIndexByte(l.buf[start:i], '\n') + 1
	if n := bytes.IndexByte(l.buf[i:end], '\n'); n >= 0 {
		end = i + n
	}
	return string(bytes.TrimSuffix(l.buf[start:end], []byte{'\r'}))
}
