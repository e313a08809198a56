package nntp

import (
	"bytes"
	"io"
)

// dotReader reads the octets of a block of lines up to its end, a line that is a
// dot alone, and undoes what was done to lines that begin with a dot (RFC 3977
// section 3.1.1). Only CR LF ends a line: anything else is the article's own, and
// comes through as it is.
type dotReader struct {
	r    io.Reader
	buf  []byte // what was read of r
	at   int    // how much of it is done
	room [4 << 10]byte

	state dotState
	err   error // io.EOF: the end has come
}

type dotState uint8

const (
	atStart dotState = iota // of a line
	inLine
	afterCR
	afterDot   // that begins a line
	afterDotCR // with CR behind it
)

// Read returns io.ErrUnexpectedEOF if r ends before the block does.
func (d *dotReader) Read(p []byte) (n int, err error) {
	for n < len(p) && d.err == nil {
		if d.at == len(d.buf) {
			if n > 0 {
				return n, nil // rather than wait for more
			}
			d.fill()
			continue
		}
		n += d.step(p[n:])
	}
	if n > 0 {
		return n, nil
	}
	return 0, d.err
}

// surplus reports whether there is something behind the end, where nothing was
// asked for.
func (d *dotReader) surplus() bool { return d.at < len(d.buf) }

func (d *dotReader) fill() {
	n, err := d.r.Read(d.room[:])
	d.buf, d.at = d.room[:n], 0
	if n == 0 && err != nil {
		if d.err = err; err == io.EOF {
			d.err = io.ErrUnexpectedEOF // io.EOF is for the end that it should have
		}
	}
}

// step takes something from the buffer, which is not empty, and returns how many
// octets it put into p, which is not empty either.
func (d *dotReader) step(p []byte) int {
	switch c := d.buf[d.at]; d.state {
	case inLine:
		return d.copyLine(p)
	case atStart:
		if c == '.' {
			d.at++
			d.state = afterDot
			return 0
		}
	case afterCR:
		if c == '\n' {
			d.at++
			d.state = atStart
			p[0] = c
			return 1
		}
	case afterDot:
		if c == '\r' {
			d.at++
			d.state = afterDotCR
			return 0
		}
	case afterDotCR:
		if c == '\n' {
			d.at++
			d.err = io.EOF
			return 0
		}
		d.state = afterCR
		p[0] = '\r'
		return 1
	}
	d.state = inLine
	return 0
}

// copyLine copies up to the next CR, which may be the end of the line.
func (d *dotReader) copyLine(p []byte) int {
	text := d.buf[d.at:]
	if len(text) > len(p) {
		text = text[:len(p)]
	}
	if i := bytes.IndexByte(text, '\r'); i >= 0 {
		text = text[:i+1]
		d.state = afterCR
	}
	d.at += len(text)
	return copy(p, text)
}
