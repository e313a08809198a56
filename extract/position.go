package extract

import (
	"bytes"
	"io"
	"slices"
	"unicode/utf8"
)

// Position is a place in a text as people count. Lines and columns count from 1;
// a column is a character of UTF-8, a tab is one, and so is an octet that is no
// UTF-8. A line ends with LF, or with CR LF.
type Position struct{ Line, Column int64 }

const (
	// contextBefore and contextAfter are how much of a line is shown around an
	// offset: a text without line breaks may be one line of any length.
	contextBefore = 512
	contextAfter  = 1024
	// kept is how far back an offset may be from what was read last: a window of
	// Stream, and the line before it.
	kept = maxWindow + contextBefore
)

// Lines turns offsets in a text into positions while the text is read, in
// constant memory. It is a reader that gives what another one does, so that
// [Stream] can read through it:
//
//	lines := extract.NewLines(r)
//	for m, err := range extract.Stream(lines, nil) {
//		position := lines.At(m.Start)
//
// If nothing reads from it, At does: that is for a text in memory.
type Lines struct {
	r     io.Reader
	err   error
	buf   []byte // what is kept of the text
	given int    // how much of buf Read has given
	base  place  // where buf begins
	mark  place  // a place in buf that was asked for
}

// place is an offset and its position.
type place struct {
	offset int64
	Position
}

// NewLines returns Lines of the text that r gives.
func NewLines(r io.Reader) *Lines {
	start := place{Position: Position{1, 1}}
	return &Lines{r: r, base: start, mark: start}
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

// fill reads more of the text.
func (l *Lines) fill() {
	if free := cap(l.buf) - len(l.buf); free < window && len(l.buf) > 2*window {
		// The text is long, and will need all that is ever kept.
		l.buf = append(make([]byte, 0, len(l.buf)+2*kept+window), l.buf...)
	}
	l.buf = slices.Grow(l.buf, window)
	n, err := readSome(l.r, l.buf[len(l.buf):cap(l.buf)])
	l.buf, l.err = l.buf[:len(l.buf)+n], err
}

// forget forgets what is too far back.
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

// partOfCharacter returns how many octets before text[i] are of the same character.
func partOfCharacter(text []byte, i int) int {
	for n := range min(utf8.UTFMax, i+1) {
		if i-n < len(text) && utf8.RuneStart(text[i-n]) {
			return n
		}
	}
	return 0
}

// At returns the position of the octet at offset. It reads on to it if that was
// not read yet. Offsets may go back as far as Stream's do; the position of one that
// is further back is not known, and zero, and so is one behind the text's end.
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

// end is the offset behind what was read.
func (l *Lines) end() int64 { return l.base.offset + int64(len(l.buf)) }

// walk returns the place of an offset that is in buf, from the nearest one before
// it that is known.
func (l *Lines) walk(offset int64) place {
	from := l.mark
	if offset < from.offset {
		from = l.base
	}
	text := l.buf[from.offset-l.base.offset : offset-l.base.offset]
	to := place{offset, from.Position}
	if last := bytes.LastIndexByte(text, '\n'); last >= 0 {
		to.Line += int64(bytes.Count(text, []byte{'\n'}))
		to.Column = 1
		text = text[last+1:]
	}
	to.Column += int64(utf8.RuneCount(text))
	return to
}

// Context returns the line that the octet at offset is on, without its line break;
// of a long one what is near that octet. It is empty if [Lines.At] does not know
// the offset.
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
