// Package line writes command lines and reads reply lines. It rejects CR, LF or NUL from a URL in
// a command line (RFC 1738 section 6). It limits the length and total size of reply lines.
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
	Offset int // offset from the beginning of the line
	Octet  byte
}

func (e *OctetError) Error() string {
	name := map[byte]string{'\r': "CR", '\n': "LF", 0: "NUL"}[e.Octet]
	return fmt.Sprintf("%s at offset %d is not allowed in a line", name, e.Offset)
}

// Index returns the index of the first CR, LF or NUL in text, or -1 if there is none.
func Index(text string) int { return strings.IndexAny(text, "\r\n\x00") }

// Append appends a line to dst. The line consists of the words, separated by spaces, and CR LF. A
// space also precedes an empty word: "CWD" and "" result in "CWD ". If a word contains an invalid
// octet, Append returns dst unchanged and an [*OctetError].
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
	// ErrLong means that a line exceeds the maximum length set by NewReader.
	ErrLong = errors.New("line too long")
	// ErrTotal means that the lines exceed the total limit set by Allow.
	ErrTotal = errors.New("too much text")
)

// Reader reads lines, and the octets that follow the lines. It reads ahead, so the caller must
// read all data through the Reader. A Reader must not be used concurrently.
type Reader struct {
	r         *bufio.Reader
	longLine  []byte // buffer for a line that exceeds the buffer of r
	max       int
	remaining int64 // number of octets that may still be read if limited is true
	limited   bool
	bare      bool
}

// maxBuffer is the maximum buffer size of a Reader. The Reader copies longer lines to other
// memory.
const maxBuffer = 16 << 10

// NewReader returns a Reader for the lines of r. The parameter max is the maximum length of a line
// in octets, without its line end. This maximum must be at least 16.
func NewReader(r io.Reader, max int) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, min(max, maxBuffer)+2), max: max}
}

// Allow limits the total number of octets in the following lines, including line ends. If the
// lines exceed the limit, Line returns ErrTotal. By default there is no limit.
func (r *Reader) Allow(octets int64) { r.remaining, r.limited = octets, true }

// Line returns the next line without its line end, which is LF or CR LF. The returned slice is
// valid until the next call. At the end of the input the error is io.EOF. If the last line has no
// line end, Line returns it with io.ErrUnexpectedEOF. Other errors wrap ErrLong, ErrTotal or the
// error of the underlying reader.
func (r *Reader) Line() ([]byte, error) {
	text, err := r.readSlice()
	if errors.Is(err, bufio.ErrBufferFull) {
		r.longLine = append(r.longLine[:0], text...)
		for errors.Is(err, bufio.ErrBufferFull) && len(r.longLine) <= r.max {
			text, err = r.readSlice()
			r.longLine = append(r.longLine, text...)
		}
		text = r.longLine
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

// readSlice reads a part of a line that fits in the buffer. If reading is limited, it subtracts the
// length of that part from r.remaining.
func (r *Reader) readSlice() ([]byte, error) {
	text, err := r.r.ReadSlice('\n')
	if r.limited {
		if r.remaining -= int64(len(text)); r.remaining < 0 {
			return nil, ErrTotal
		}
	}
	return text, err
}

// Bare reports whether the last line ended with LF but without CR.
func (r *Reader) Bare() bool { return r.bare }

// Buffered returns the number of octets that were read ahead. The number must be 0 before a
// connection switches to TLS.
func (r *Reader) Buffered() int { return r.r.Buffered() }

// Read reads the octets that follow the lines.
func (r *Reader) Read(p []byte) (int, error) { return r.r.Read(p) }
