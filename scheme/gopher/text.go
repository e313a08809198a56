package gopher

import (
	"bytes"
	"errors"
	"io"
	"os"
)

type textOptions struct {
	// Strict means that the first line that contains only a dot ends the text (RFC 1436
	// section 3). By default, only the last line can end the text, because some servers send
	// texts that contain such lines.
	Strict bool
	// Grace is called after a line that contains only a dot, before the reader waits for more
	// text. It may set a read deadline. If the deadline passes, the text has ended. If Grace
	// is nil, only the end of the connection ends the text.
	Grace func()
	// Resume is called when more text arrives after a call of Grace. It should remove the
	// deadline.
	Resume func()
	// NotStuffed is called once if text follows a line that contains only a dot, which means
	// that the server does not double dots. It may be nil.
	NotStuffed func()
}

// textBody returns a reader for the text in r, without the lone dot at the end. If a line
// begins with two dots, the reader removes one (RFC 1436 section 3). Many servers omit the
// lone dot.
//
// Many servers do not double dots. A lone dot before the last line proves that the server does
// not double dots, and the reader then preserves all dots. To find such a line, the reader
// holds back up to 64 KiB of text after a doubled dot.
func textBody(r io.Reader, o *textOptions) io.Reader {
	d := &dotReader{r: r}
	if o != nil {
		d.o = *o
	}
	return d
}

// htmlBody returns a reader for the page in r. If the last line contains only a dot, the
// reader omits that line, because some servers end pages with a dot. It preserves other dots,
// because no known server doubles dots in pages.
func htmlBody(r io.Reader) io.Reader { return &dotReader{r: r, keepDots: true} }

// notStuffed reports whether text proves that the server does not double dots at the beginning
// of lines. The proof is a line that contains only a dot, if more text follows.
func notStuffed(text []byte) bool {
	var d dotReader
	d.scan(text)
	return d.keepDots
}

// dotReader reads text that may end with a lone dot. It returns data as it arrives, but holds
// back a line that may end the text. It also holds back the text after a doubled dot, until it
// has detected whether the server doubles dots.
type dotReader struct {
	r        io.Reader
	o        textOptions
	keepDots bool // the server does not double dots, or the text is a page
	state    dotState
	in, mem  []byte // the input buffer, and the memory that out uses
	out      []byte // text that Read has not returned yet
	returned int    // number of octets of the text that Read has returned
	undone   []int  // offsets in the text at which the reader removed a doubled dot; Read holds back the text from the first offset on
	decided  bool   // too much text followed a doubled dot, so the reader no longer holds back text
	graced   bool   // Grace was called, and no text has arrived since
	err      error  // the error to return after out
}

// dotState is the state of a dotReader after the last octet. In the states from afterDot on,
// the reader holds back the current line.
type dotState uint8

const (
	lineStart dotState = iota
	inLine
	afterDot     // a dot at the beginning of a line
	afterDotCR   // a dot and a CR at the beginning of a line
	afterDotLF   // a line that contains only a dot and ends with LF
	afterDotCRLF // a line that contains only a dot and ends with CR LF
)

var heldBack = [...]string{afterDot: ".", afterDotCR: ".\r", afterDotLF: ".\n", afterDotCRLF: ".\r\n"}

const (
	dotBufferSize = 4 << 10
	maxUndecided  = 64 << 10 // maximum number of octets that the reader holds back after a doubled dot
)

func (d *dotReader) Read(p []byte) (int, error) {
	for {
		ready := len(d.out)
		if d.undone != nil {
			ready = d.undone[0] - d.returned
		}
		switch {
		case ready > 0:
			n := copy(p, d.out[:ready])
			d.out = d.out[n:]
			d.returned += n
			return n, nil
		case d.err != nil && d.undone == nil:
			return 0, d.err
		case d.err != nil:
			d.undone = nil
		default:
			d.fill()
		}
	}
}

func (d *dotReader) fill() {
	if d.state >= afterDotLF && d.o.Grace != nil && !d.graced {
		d.graced = true
		d.o.Grace()
	}
	if d.in == nil {
		d.in = make([]byte, dotBufferSize)
	}
	n, err := readSome(d.r, d.in)
	d.err = err
	if d.graced && n > 0 {
		d.graced = false
		if d.o.Resume != nil {
			d.o.Resume()
		}
	}
	if d.graced && errors.Is(err, os.ErrDeadlineExceeded) {
		d.err = io.EOF
	}
	if d.returned > 0 {
		d.out = append(d.mem[:0], d.out...)
	}
	if cap(d.out)-len(d.out) < n {
		d.out = append(make([]byte, 0, 2*cap(d.out)+n), d.out...)
	}
	d.scan(d.in[:n])
	d.mem = d.out
	if d.undone != nil && d.returned+len(d.out)-d.undone[0] >= maxUndecided {
		d.undone, d.decided = nil, true
	}
}

func (d *dotReader) scan(octets []byte) {
	for len(octets) > 0 {
		c := octets[0]
		switch {
		case d.state == inLine:
			end := len(octets)
			if i := bytes.Index(octets, []byte("\n.")); i >= 0 {
				end = i + 1
			}
			if octets[end-1] == '\n' {
				d.state = lineStart
			}
			d.out = append(d.out, octets[:end]...)
			octets = octets[end:]
			continue
		case d.state == lineStart && c == '.':
			d.state = afterDot
		case d.state == lineStart:
			d.state = inLine
			continue
		case d.state == afterDot && c == '\r':
			d.state = afterDotCR
		case d.state == afterDot && c == '\n':
			d.state = afterDotLF
		case d.state == afterDotCR && c == '\n':
			d.state = afterDotCRLF
		case d.state == afterDot && c == '.' && !d.keepDots:
			d.undoDot()
		default:
			d.release()
			continue
		}
		octets = octets[1:]
		if d.o.Strict && d.state >= afterDotLF {
			d.err = io.EOF
			return
		}
	}
}

func (d *dotReader) undoDot() {
	if !d.decided && !d.o.Strict {
		d.undone = append(d.undone, d.returned+len(d.out))
	}
	d.out = append(d.out, '.')
	d.state = inLine
}

// release appends a line that the reader held back, because the line does not end the text. If
// the line contains only a dot, the server does not double dots.
func (d *dotReader) release() {
	held := heldBack[d.state]
	if d.state < afterDotLF {
		d.state = inLine
	} else {
		d.state = lineStart
		if !d.keepDots && d.o.NotStuffed != nil {
			d.o.NotStuffed()
		}
		d.keepDots = true
		d.redoDots()
	}
	d.out = append(d.out, held...)
}

func (d *dotReader) redoDots() {
	var out []byte
	from := 0
	for _, at := range d.undone {
		at -= d.returned
		out = append(append(out, d.out[from:at]...), '.')
		from = at
	}
	d.out, d.undone = append(out, d.out[from:]...), nil
}
