package gopher

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/scheme"
)

// Header is the first line of a reply to a Gopher+ request (Gopher+ section 2.3).
type Header struct {
	// Plus reports whether there is one. A server without Gopher+ answers such
	// requests in the old style.
	Plus   bool
	Failed bool // the reply is an error: see [ReadFailure]
	// Length is how many octets follow, or [LengthDot] or [LengthClose].
	Length int64
}

// The lengths of replies that end otherwise.
const (
	LengthDot   = -1 // by a line that is only a dot
	LengthClose = -2 // by the end of the connection
)

// maxHeader is the most octets of a header, its end included.
const maxHeader = 32

// ReadHeader takes the header off r. If there is none it leaves r as it is, and
// Plus is false: that is also so for a reply without any octet. It waits for no more
// octets than are needed to tell, and never for more than the first line.
//
// A header that ends too early, and one with a number that can't be, is an error
// that wraps [scheme.ErrProtocol].
func ReadHeader(r *bufio.Reader) (Header, error) {
	for n := 1; n <= maxHeader; n++ {
		line, err := r.Peek(n)
		switch {
		case errors.Is(err, bufio.ErrBufferFull), err == io.EOF && len(line) == 0:
			return Header{Length: LengthClose}, nil
		case err == io.EOF:
			return Header{}, fmt.Errorf("%w: %w within the first line of a Gopher+ reply, %s", scheme.ErrProtocol, io.ErrUnexpectedEOF, locus.Quote(string(line)))
		case err != nil:
			return Header{}, err
		}
		number, whole, ok := headerNumber(string(line))
		switch {
		case !ok:
			return Header{Length: LengthClose}, nil
		case whole:
			h := Header{Plus: true, Failed: line[0] == '-'}
			h.Length, err = headerLength(number)
			if err == nil {
				_, err = r.Discard(n)
			}
			return h, err
		}
	}
	return Header{Length: LengthClose}, nil
}

// headerNumber finds the number in what can be a header. ok reports whether line is
// one, or the front of one; whole, that it is all of it:
//
//	header = ( "+" | "-" ) *SP [ "-" ] 1*digit *SP [ CR ] LF
func headerNumber(line string) (number string, whole, ok bool) {
	if line[0] != '+' && line[0] != '-' {
		return "", false, false
	}
	rest := strings.TrimLeft(line[1:], " ")
	number = rest
	rest = strings.TrimPrefix(rest, "-")
	digits := 0
	for digits < len(rest) && octet.Is(rest[digits], octet.Digit) {
		digits++
	}
	end := rest[digits:]
	if end == "" {
		return "", false, true
	}
	if digits == 0 {
		return "", false, false
	}
	number = number[:len(number)-len(end)]
	switch strings.TrimLeft(end, " ") {
	case "", "\r":
		return number, false, true
	case "\n", "\r\n":
		return number, true, true
	}
	return "", false, false
}

func headerLength(number string) (int64, error) {
	n, err := strconv.ParseInt(number, 10, 64)
	if err == nil && (n >= 0 && number[0] != '-' || number == "-1" || number == "-2") {
		return n, nil
	}
	return 0, fmt.Errorf("%w: a Gopher+ reply has a length of 0 or more, -1 or -2, and not %s", scheme.ErrProtocol, number)
}

// String returns the header as a server writes it, without the line's end; "" if
// there is none.
func (h Header) String() string {
	switch {
	case !h.Plus:
		return ""
	case h.Failed:
		return "-" + strconv.FormatInt(h.Length, 10)
	}
	return "+" + strconv.FormatInt(h.Length, 10)
}

// Body returns what follows the header in r. For a length it is as many octets as
// that; if fewer come, they are followed by an error that wraps
// [scheme.ErrProtocol] and [io.ErrUnexpectedEOF], and what comes after them is left
// in r. For LengthDot, and without a header, text says whether it is lines, as
// [TextBody] reads them; else it is everything, but after LengthDot a last line
// that is only a dot. Servers that promise this dot and leave it out are forgiven,
// but an error ends at the first one.
func (h Header) Body(r io.Reader, text bool) io.Reader {
	if text {
		return h.TextBody(r, &TextOptions{Strict: h.Failed})
	}
	switch {
	case h.Plus && h.Length >= 0:
		return &exactReader{r: r, length: h.Length}
	case h.Plus && h.Length == LengthDot:
		return HTMLBody(r)
	}
	return r
}

// TextBody is [Header.Body] of lines, with options for the dots.
func (h Header) TextBody(r io.Reader, o *TextOptions) io.Reader {
	switch {
	case h.Plus && h.Length >= 0:
		return &exactReader{r: r, length: h.Length}
	case h.Plus && h.Length == LengthClose:
		return r
	}
	return TextBody(r, o)
}

// exactReader reads as many octets as were announced.
type exactReader struct {
	r           io.Reader
	length, got int64
}

func (e *exactReader) Read(p []byte) (int, error) {
	left := e.length - e.got
	if left == 0 {
		return 0, io.EOF
	}
	if int64(len(p)) > left {
		p = p[:left]
	}
	n, err := e.r.Read(p)
	e.got += int64(n)
	switch {
	case e.got == e.length:
		return n, nil
	case err == io.EOF:
		err = fmt.Errorf("%w: %w: %d octets came of the %d that were announced", scheme.ErrProtocol, io.ErrUnexpectedEOF, e.got, e.length)
	}
	return n, err
}
