package gopher

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// plusHeader is the first line of a reply to a Gopher+ request (Gopher+ section 2.3).
type plusHeader struct {
	// Plus reports whether the reply has a header. A server without Gopher+ sends no header.
	Plus   bool
	Failed bool // the reply is an error (see readFailure)
	// Length is the size of the body in bytes, or lengthDot or lengthClose.
	Length int64
}

// These values of Length mean that the server does not announce the size of the body.
const (
	lengthDot   = -1 // a line that contains only a dot ends the reply
	lengthClose = -2 // the end of the connection ends the reply
)

// maxHeader is the maximum length of a header in octets, including the line ending.
const maxHeader = 32

// readHeader reads the header from r, and nothing after the header line. If there is no
// header, it reads nothing. If the header is truncated or invalid, the error wraps
// [scheme.ErrProtocol].
func readHeader(r *bufio.Reader) (plusHeader, error) {
	for n := 1; n <= maxHeader; n++ {
		line, err := r.Peek(n)
		switch {
		case errors.Is(err, bufio.ErrBufferFull), err == io.EOF && len(line) == 0:
			return plusHeader{Length: lengthClose}, nil
		case err == io.EOF:
			return plusHeader{}, fmt.Errorf("%w: %w in the first line of a Gopher+ reply, %s", scheme.ErrProtocol, io.ErrUnexpectedEOF, locus.Quote(string(line)))
		case err != nil:
			return plusHeader{}, err
		}
		number, whole, ok := headerNumber(string(line))
		switch {
		case !ok:
			return plusHeader{Length: lengthClose}, nil
		case whole:
			h := plusHeader{Plus: true, Failed: line[0] == '-'}
			h.Length, err = headerLength(number)
			if err == nil {
				_, err = r.Discard(n)
			}
			return h, err
		}
	}
	return plusHeader{Length: lengthClose}, nil
}

// headerNumber returns the number in a header. The argument line is a header or the beginning
// of a header; otherwise, ok is false. If the header is complete, whole is true.
//
//	header = ( "+" | "-" ) *SP [ "-" ] 1*digit *SP [ CR ] LF
func headerNumber(line string) (number string, whole, ok bool) {
	if line[0] != '+' && line[0] != '-' {
		return "", false, false
	}
	rest := strings.TrimLeft(line[1:], " ")
	digits := strings.TrimPrefix(rest, "-")
	end := strings.TrimLeft(digits, "0123456789")
	number = rest[:len(rest)-len(end)]
	if end != "" && end == digits {
		return "", false, false
	}
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
	return 0, fmt.Errorf("%w: invalid length %s of a Gopher+ reply: want 0 or more, -1 or -2", scheme.ErrProtocol, number)
}

// String returns the header as a server sends it, without the line ending. If h.Plus is false,
// it returns "".
func (h plusHeader) String() string {
	switch {
	case !h.Plus:
		return ""
	case h.Failed:
		return "-" + strconv.FormatInt(h.Length, 10)
	}
	return "+" + strconv.FormatInt(h.Length, 10)
}

// Body returns a reader for the body, which follows the header in r. If h.Length is a size,
// the body must have exactly this size. If h.Length is lengthDot, or if there is no header, a
// body with text true consists of lines and ends with a lone dot. In all other cases, the body
// is the rest of r. The text of an error ends at the first lone dot.
func (h plusHeader) Body(r io.Reader, text bool) io.Reader {
	if text {
		return h.TextBody(r, &textOptions{Strict: h.Failed})
	}
	switch {
	case h.Plus && h.Length >= 0:
		return &exactReader{r: r, length: h.Length}
	case h.Plus && h.Length == lengthDot:
		return htmlBody(r)
	}
	return r
}

// TextBody is like plusHeader.Body with text true, but has options for the treatment of dots.
func (h plusHeader) TextBody(r io.Reader, o *textOptions) io.Reader {
	switch {
	case h.Plus && h.Length >= 0:
		return &exactReader{r: r, length: h.Length}
	case h.Plus && h.Length == lengthClose:
		return r
	}
	return textBody(r, o)
}

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
		err = fmt.Errorf("%w: %w: got %d of the %d announced bytes", scheme.ErrProtocol, io.ErrUnexpectedEOF, e.got, e.length)
	}
	return n, err
}
