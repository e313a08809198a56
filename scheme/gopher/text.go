package gopher

import (
	"bytes"
	"errors"
	"io"
	"os"
)

type textOptions struct {
	// Strict ends the text at the first line that is only a dot (RFC 1436 section
	// 3). By default only the last line can be the end, because servers send texts
	// that contain such lines.
	Strict bool
	// Grace is called after a line that is only a dot, before the reader waits for
	// more. It may set a read deadline: when that passes, the text has ended. nil:
	// only the end of the connection ends the text.
	Grace func()
	// Resume is called when more arrives after Grace, to lift the deadline.
	Resume func()
	// notStuffed is called once, when a line that is only a dot is not the last: the
	// server does not double dots. nil: not called.
	NotStuffed func()
}

// textBody returns a text without the lone dot at its end, and without one of two dots
// at the start of a line (RFC 1436 section 3). Many servers leave out the lone dot.
//
// Many servers do not double dots. A lone dot that is not the last line shows that; then
// all dots stay. To find it, up to 64 KiB after a doubled dot are held back.
func textBody(r io.Reader, o *textOptions) io.Reader {
	d := &dotReader{r: r}
	if o != nil {
		d.o = *o
	}
	return d
}

// htmlBody returns r without its last line, if that is only a dot: some servers end
// pages so. Other dots stay, because no server is known to double them in pages.
func htmlBody(r io.Reader) io.Reader { return &dotReader{r: r, keepDots: true} }

// notStuffed reports whether text comes from a server that does not double the dot
// at the start of a line: a line that is only a dot is followed by more.
func notStuffed(text []byte) bool {
	var d dotReader
	d.scan(text)
	return d.keepDots
}

// dotReader reads text that may end with a lone dot. It passes octets on as they
// arrive. It holds back a line that may be the end, and what follows a doubled dot
// until that shows to be doubled by the server or part of the text.
type dotReader struct {
	r        io.Reader
	o        textOptions
	keepDots bool // the server does not double dots, or it is a page
	state    dotState
	in, mem  []byte // memory for what is read, and for out
	out      []byte // text that was not returned yet
	returned int    // octets before out
	undone   []int  // where in the text one of two dots was removed; out is held back from the first on
	decided  bool   // too much followed a doubled dot: nothing is held back any more
	graced   bool   // Grace was called, and nothing arrived since
	err      error  // the error after out
}

// dotState is what was read last. From afterDot on, it is held back.
type dotState uint8

const (
	lineStart dotState = iota
	inLine
	afterDot     // at the start of a line
	afterDotCR   // the same and CR
	afterDotLF   // a whole line that is only a dot, without CR
	afterDotCRLF // the same with CR
)

var heldBack = [...]string{afterDot: ".", afterDotCR: ".\r", afterDotLF: ".\n", afterDotCRLF: ".\r\n"}

const (
	dotBufferSize = 16 << 10
	maxUndecided  = 64 << 10 // octets that are held back after a doubled dot
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
		d.out = append(make([]byte, 0, 2*cap(d.out)+dotBufferSize), d.out...)
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

// release appends what was held back, because it was not the end. A whole line that
// is only a dot shows that the server doubles no dots.
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
