// Package line is the line of a conversation: command lines that go out, which
// hold no CR, LF or NUL whatever a URL says (RFC 1738 section 6), and reply
// lines that come in, of which neither one nor all together may be endless.
package line

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// OctetError tells which octet of a text can't be in a line.
type OctetError struct {
	Offset int // in octets from the start of the text
	Octet  byte
}

func (e *OctetError) Error() string {
	name := map[byte]string{'\r': "CR", '\n': "LF", 0: "NUL"}[e.Octet]
	return fmt.Sprintf("%s at octet %d can't be in a line: it would end it, or be read as something else", name, e.Offset)
}

// Index returns where in text the first CR, LF or NUL is, or -1.
func Index(text string) int { return strings.IndexAny(text, "\r\n\x00") }

// Check returns an [*OctetError] for the first CR, LF or NUL in text, or nil.
func Check(text string) error {
	if i := Index(text); i >= 0 {
		return &OctetError{Offset: i, Octet: text[i]}
	}
	return nil
}

// Append appends the words, with one space between each two, and CR LF. An empty
// word is kept: "CWD" and "" give "CWD ". If a word holds CR, LF or NUL, dst is
// returned as it was, and an [*OctetError] whose Offset counts from the start of
// the line.
func Append(dst []byte, words ...string) ([]byte, error) {
	offset := 0
	for _, w := range words {
		if i := Index(w); i >= 0 {
			return dst, &OctetError{Offset: offset + i, Octet: w[i]}
		}
		offset += len(w) + 1
	}
	for i, w := range words {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = append(dst, w...)
	}
	return append(dst, "\r\n"...), nil
}

var (
	// ErrLong: a line is longer than the reader takes.
	ErrLong = errors.New("line too long")
	// ErrTotal: the lines together are longer than was allowed.
	ErrTotal = errors.New("too much text")
)

// Reader reads lines, and what comes after them. It reads ahead: nobody else can
// go on reading from where it stopped but through it.
type Reader struct {
	r     *bufio.Reader
	long  []byte // a line that is longer than the buffer of r
	max   int
	left  int64
	bound bool
	bare  bool
}

// maxBuffer bounds the buffer of a Reader. Longer lines are copied together.
const maxBuffer = 16 << 10

// NewReader returns a Reader of the lines of r that takes none with more than max
// octets, its end not counted. max is at least 16. The memory for a line over 16 KiB
// is allocated when one comes.
func NewReader(r io.Reader, max int) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, min(max, maxBuffer)+2), max: max}
}

// Allow bounds how many octets of lines, their ends included, may be read from
// now on; what is over ends in ErrTotal. Without it there is no such bound.
func (r *Reader) Allow(octets int64) { r.left, r.bound = octets, true }

// Line returns the next line without its end, which is LF, or CR LF. The slice is
// good until the next call. At the end of the input the error is io.EOF, or, with
// what came of an unfinished line, io.ErrUnexpectedEOF.
func (r *Reader) Line() ([]byte, error) {
	text, err := r.slice()
	if errors.Is(err, bufio.ErrBufferFull) {
		r.long = append(r.long[:0], text...)
		for errors.Is(err, bufio.ErrBufferFull) && len(r.long) <= r.max {
			text, err = r.slice()
			r.long = append(r.long, text...)
		}
		text = r.long
	}
	switch {
	case errors.Is(err, ErrTotal):
		return nil, ErrTotal
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, fmt.Errorf("%w: more than %d octets", ErrLong, r.max)
	case err == io.EOF && len(text) > 0:
		return text, io.ErrUnexpectedEOF
	case err != nil:
		return nil, err
	}
	text = text[:len(text)-1]
	r.bare = len(text) == 0 || text[len(text)-1] != '\r'
	if !r.bare {
		text = text[:len(text)-1]
	}
	if len(text) > r.max {
		return nil, fmt.Errorf("%w: more than %d octets", ErrLong, r.max)
	}
	return text, nil
}

// slice returns what is buffered of a line, and counts it.
func (r *Reader) slice() ([]byte, error) {
	text, err := r.r.ReadSlice('\n')
	if r.bound {
		if r.left -= int64(len(text)); r.left < 0 {
			return nil, ErrTotal
		}
	}
	return text, err
}

// Bare reports whether the line that was read last ended in LF without CR.
func (r *Reader) Bare() bool { return r.bare }

// Buffered returns how many octets were read ahead and not yet given out. Before
// a conversation changes to TLS there must be none.
func (r *Reader) Buffered() int { return r.r.Buffered() }

// Read reads what follows the lines.
func (r *Reader) Read(p []byte) (int, error) { return r.r.Read(p) }
