package extract

import (
	"bytes"
	"io"
	"slices"
	"unicode/utf8"
)

// Position is a line and a column, both counted from 1. Each UTF-8 character, tab or invalid byte
// counts as one column. A line ends with LF or CR LF.
type Position struct{ Line, Column int64 }

const (
	// contextBefore and contextAfter limit the context before and after an offset, because a line
	// may be very long.
	contextBefore = 512
	contextAfter  = 1024
	// kept is the maximum distance between a valid offset and the end of the text that was read.
	// It includes a window of Stream and the context before the window.
	kept = maxWindow + contextBefore
)

// Lines reads a text and converts offsets to positions, in constant memory. Lines is an
// [io.Reader], so [Stream] can read the text through Lines:
//
//	lines := extract.NewLines(r)
//	for m, err := range extract.Stream(lines, nil) {
//		position := lines.At(m.Start)
//
// If necessary, [Lines.At] reads more of the text, so a caller may also use Lines without Stream.
type Lines struct {
	r        io.Reader
	err      error
	buf      []byte // last part of the text that was read
	returned int    // number of bytes in buf that Read has returned
	base     mark   // position of the start of buf
	mark     mark   // position of the last requested offset
}

type mark struct {
	offset int64
	Position
}

// NewLines returns a Lines for the text in the reader r.
func NewLines(r io.Reader) *Lines {
	start := mark{Position: Position{1, 1}}
	return &Lines{r: r, base: start, mark: start}
}

// LinesOf returns a Lines for a text in memory, which the caller must not change. Every offset in
// the text is valid for [Lines.At].
func LinesOf(text []byte) *Lines {
	l := NewLines(nil)
	l.buf, l.err = text, io.EOF
	return l
}

// Read implements [io.Reader].
func (l *Lines) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if l.returned == len(l.buf) && l.err == nil {
		l.forget()
		l.fill()
	}
	n := copy(p, l.buf[l.returned:])
	l.returned += n
	if n == 0 {
		return 0, l.err
	}
	return n, nil
}

func (l *Lines) fill() {
	if free := cap(l.buf) - len(l.buf); free < window && len(l.buf) > 2*window {
		// A long text needs the full buffer.
		l.buf = append(make([]byte, 0, len(l.buf)+2*kept+window), l.buf...)
	}
	l.buf = slices.Grow(l.buf, window)
	n, err := readSome(l.r, l.buf[len(l.buf):cap(l.buf)])
	l.buf, l.err = l.buf[:len(l.buf)+n], err
}

func (l *Lines) forget() {
	cut := l.returned - kept
	if cut < kept {
		return
	}
	cut -= partOfCharacter(l.buf, cut)
	base := l.markAt(l.base.offset + int64(cut))
	if l.mark.offset < base.offset {
		l.mark = base
	}
	l.base = base
	l.buf = l.buf[:copy(l.buf, l.buf[cut:])]
	l.returned -= cut
}

// partOfCharacter returns the number of bytes before text[i] that belong to the same character as
// text[i].
func partOfCharacter(text []byte, i int) int {
	for n := range min(utf8.UTFMax, i+1) {
		if i-n < len(text) && utf8.RuneStart(text[i-n]) {
			return n
		}
	}
	return 0
}

// At returns the position of the byte at the given offset. At reads the text up to the offset. The
// offset of a URL that [Stream] yields is valid until Stream yields the next URL. For an offset
// that is no longer valid, or after the end of the text, At returns the zero Position.
func (l *Lines) At(offset int64) Position {
	for offset > l.bufferEnd() && l.err == nil {
		l.returned = len(l.buf)
		l.forget()
		l.fill()
	}
	if offset < l.base.offset || offset > l.bufferEnd() {
		return Position{}
	}
	at := l.markAt(offset)
	if partOfCharacter(l.buf, int(offset-l.base.offset)) == 0 {
		l.mark = at
	}
	return at.Position
}

// bufferEnd returns the offset after the last byte that was read.
func (l *Lines) bufferEnd() int64 { return l.base.offset + int64(len(l.buf)) }

// markAt counts lines and columns from the nearest mark to the given offset, which must be in buf.
func (l *Lines) markAt(offset int64) mark {
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

// Context returns the line that contains the byte at the given offset, without the line break. For
// a long line, it returns only the part near the byte. If [Lines.At] returns the zero Position for
// the offset, Context returns "".
func (l *Lines) Context(offset int64) string {
	if l.At(offset) == (Position{}) {
		return ""
	}
	for l.err == nil && offset+contextAfter > l.bufferEnd() && bytes.IndexByte(l.buf[offset-l.base.offset:], '\n') < 0 {
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
