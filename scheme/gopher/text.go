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
	// more. It may set a read deadline. If the deadline passes, the text has
	// ended. If Grace is nil, only the end of the connection ends the text.
	Grace func()
	// Resume is called when more text arrives after Grace, to remove the deadline.
	Resume func()
	// NotStuffed is called once if text follows a line that is only a dot, because the
	// server then does not double dots. It may be nil.
	NotStuffed func()
}

// textBody returns a text without the lone dot at its end. If a line starts with two
// dots, it removes one (RFC 1436 section 3). Many servers omit the lone dot.
//
// Many servers do not double dots. A lone dot before the last line shows that the server
// does not double dots. In that case textBody preserves all dots. To find such a dot,
// textBody holds back up to 64 KiB after a doubled dot.
func textBody(r io.Reader, o *textOptions) io.Reader {
	d := &dotReader{r: r}
	if o != nil {
		d.o = *o
	}
	return d
}

// htmlBody returns r without its last line if that line is only a dot, because some servers
// end pages with a dot. It preserves other dots, because no known server doubles dots in
// pages.
func htmlBody(r io.Reader) io.Reader { return &dotReader{r: r, keepDots: true} }

// notStuffed reports whether text shows that the server does not double dots at the start
// of lines. This is so if more text follows a line that is only a dot.
func notStuffed(text []byte) bool {
	var d dotReader
	d.scan(text)
	return d.keepDots
}

// dotReader reads text that may end with a lone dot. It returns octets as they arrive, but
// holds back a line that may be the end of the text. It also holds back the text after a
// doubled dot, until it knows whether the server doubled the dot.
type dotReader struct {
	r        io.Reader
	o        textOptions
	keepDots bool // the server does not double dots, or the text is a page
	state    dotState
	in, mem  []byte // the buffer for input, and the memory that out uses
	out      []byte // text that Read has not returned yet
	returned int    // number of octets of the text before out
	undone   []int  // positions in the text at which the reader removed one of two dots; Read holds out back from the first position
	decided  bool   // too much text followed a doubled dot, so the reader holds nothing back any more
	graced   bool   // Grace was called, and no text has arrived since
	err      error  // the error to return after out
}

// dotState is the state after the last octet. From afterDot on, the text is held back.
type dotState uint8

const (
	lineStart dotState = iota
	inLine
	afterDot     // a dot at the start of a line
	afterDotCR   // a dot and a CR at the start of a line
	afterDotLF   // a line that is only a dot and ends in LF
	afterDotCRLF // a line that is only a dot and ends in CR LF
)

var heldBack = [...]string{afterDot: ".", afterDotCR: ".\r", afterDotLF: ".\n", afterDotCRLF: ".\r\n"}

const (
	dotBufferSize = 16 << 10
	maxUndecided  = 64 << 10 // maximum number of octets that are held back after a doubled dot
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

// release appends text that was held back but is not the end of the text. If that text is a
// whole line with only a dot, the server does not double dots.
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
