// Package line writes command lines, which never contain CR, LF or NUL from a URL (RFC
// 1738 section 6), and reads reply lines with limits for their length and total size.
package line

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// OctetError reports an octet that a line cannot contain.
type OctetError struct {
	Offset int // offset from the start of the line
	Octet  byte
}

func (e *OctetError) Error() string {
	name := map[byte]string{'\r': "CR", '\n': "LF", 0: "NUL"}[e.Octet]
	return fmt.Sprintf("%s at offset %d is not allowed in a line", name, e.Offset)
}

// Index returns the index of the first CR, LF or NUL in text, or -1.
func Index(text string) int { return strings.IndexAny(text, "\r\n\x00") }

// Append appends the words, separated by spaces, and CR LF. Empty words count: "CWD"
// and "" give "CWD ". The error is an [*OctetError]; Append then returns dst
// unchanged.
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
	// ErrLong means that a line exceeds the maximum of NewReader.
	ErrLong = errors.New("line too long")
	// ErrTotal means that the lines exceed the total of Allow.
	ErrTotal = errors.New("too much text")
)

// Reader reads lines and the octets after them. It reads ahead, so the caller must
// read everything through it. It must not be used concurrently.
type Reader struct {
	r       *bufio.Reader
	long    []byte // buffer for a line that exceeds the buffer of r
	max     int
	left    int64 // number of octets that may still be read, if limited
	limited bool
	bare    bool
}

// maxBuffer limits the buffer of a Reader. Longer lines are copied to other memory.
const maxBuffer = 16 << 10

// NewReader returns a Reader of the lines of r. The parameter max is the maximum length
// of a line in octets, without its line end. It must be at least 16.
func NewReader(r io.Reader, max int) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, min(max, maxBuffer)+2), max: max}
}

// Allow limits the octets of the following lines, including line ends. Beyond the
// limit, Line returns ErrTotal. By default there is no limit.
func (r *Reader) Allow(octets int64) { r.left, r.limited = octets, true }

// Line returns the next line without its line end, which is LF or CR LF. The slice is
// valid until the next call. At the end of the input the error is io.EOF. If the last
// line has no line end, Line returns it with io.ErrUnexpectedEOF. Other errors wrap
// ErrLong, ErrTotal or the error of the underlying reader.
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
		return nil, fmt.Errorf("%w: more than %d bytes", ErrLong, r.max)
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
		return nil, fmt.Errorf("%w: more than %d bytes", ErrLong, r.max)
	}
	return text, nil
}

// slice returns the buffered part of a line. If reading is limited, slice subtracts the
// length of that part from left.
func (r *Reader) slice() ([]byte, error) {
	text, err := r.r.ReadSlice('\n')
	if r.limited {
		if r.left -= int64(len(text)); r.left < 0 {
			return nil, ErrTotal
		}
	}
	return text, err
}

// Bare reports whether the last line ended with LF without CR.
func (r *Reader) Bare() bool { return r.bare }

// Buffered returns the number of octets that were read ahead. It must be 0 before a
// connection changes to TLS.
func (r *Reader) Buffered() int { return r.r.Buffered() }

// Read reads the octets after the lines.
func (r *Reader) Read(p []byte) (int, error) { return r.r.Read(p) }
