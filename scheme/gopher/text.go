package gopher

import (
	"bytes"
	"io"
)

// TextOptions are those of [TextBody]. The zero value is sensible.
type TextOptions struct {
	// Strict ends the text at the first line that is only a dot, as RFC 1436
	// section 3 has it. Otherwise only the last line can be such an end: servers
	// send texts that have such lines in them.
	Strict bool
	// Grace is called when the text can be at its end, behind a line that is only a
	// dot, before more is waited for. It may set a deadline: if that passes and
	// nothing came, the text is at its end. nil: the end of the connection alone
	// tells.
	Grace func()
	// Resume is called when more came after Grace, so that a deadline can be lifted.
	Resume func()
	// NotStuffed is called, once, when the text shows that its server does not double
	// dots: a line that is only a dot is not the last. nil: not called.
	NotStuffed func()
}

// TextBody returns the text of a plain reply whose type says that it is lines (RFC
// 1436 section 3): without the lone dot that ends it, and without the second of two
// dots that a line begins with. Line ends stay as they are. A missing dot is no
// error, since many servers leave it out. o may be nil.
//
// Many servers send texts as they are and double no dots. A line that is only a dot
// and not the last shows that; then all dots stay. To find it, up to 64 KiB after a
// line that begins with two dots are held back. There is no limit to the length of
// lines.
func TextBody(r io.Reader, o *TextOptions) io.Reader {
	b := &dotReader{r: r, stuffed: true}
	if o != nil {
		b.strict = o.Strict
	}
	if b.strict {
		return b
	}
	s := &stuffing{r: r}
	if o != nil {
		s.o = *o
	}
	s.found = func() {
		b.stuffed = false
		if s.o.NotStuffed != nil {
			s.o.NotStuffed()
		}
	}
	b.r = s
	return b
}

// HTMLBody returns what r gives without its last line, if that is only a dot.
// Nothing else is changed: some servers end pages in this way, and none is known to
// double dots in them.
func HTMLBody(r io.Reader) io.Reader { return &dotReader{r: r} }

// dotReader reads text that may end with a lone dot. It gives octets as they come,
// and holds back only those that may be the end.
type dotReader struct {
	r        io.Reader
	strict   bool
	stuffed  bool // of two dots that begin a line, one goes
	buf      []byte
	pos, end int // the octets that are read and not given yet
	at       dotState
	held     string // what was held back and is to be given
	err      error  // how it ended
}

// dotState is what was read last; from afterDot on, it is held back.
type dotState uint8

const (
	lineStart dotState = iota
	inLine
	afterDot      // the dot that a line begins with
	afterDotCR    // and CR behind it
	afterDotLF    // a whole line that is only a dot, without CR
	afterDotCRLF  // the same with CR
	dotBufferSize = 16 << 10
)

// holds is what is held back in each state.
var holds = [...]string{afterDot: ".", afterDotCR: ".\r", afterDotLF: ".\n", afterDotCRLF: ".\r\n"}

func (b *dotReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		switch {
		case b.held != "":
			given := copy(p[n:], b.held)
			b.held = b.held[given:]
			n += given
		case b.pos < b.end && b.at == inLine:
			n += b.lines(p[n:])
		case b.pos < b.end:
			b.step(b.buf[b.pos])
		case n > 0:
			return n, nil
		default:
			if err := b.fill(); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

// lines gives octets up to a line that begins with a dot.
func (b *dotReader) lines(p []byte) int {
	octets := b.buf[b.pos:b.end]
	octets = octets[:min(len(octets), len(p))]
	if i := bytes.Index(octets, []byte("\n.")); i >= 0 {
		octets = octets[:i+1]
	}
	if octets[len(octets)-1] == '\n' {
		b.at = lineStart
	}
	b.pos += len(octets)
	return copy(p, octets)
}

// step looks at the next octet, c, at the beginning of a line. It uses it if it is
// held back, or goes.
func (b *dotReader) step(c byte) {
	switch b.at {
	case lineStart:
		if c == '.' {
			b.hold(afterDot)
			return
		}
		b.at = inLine
	case afterDot:
		switch c {
		case '\r':
			b.hold(afterDotCR)
		case '\n':
			b.hold(afterDotLF)
		default:
			if c == '.' && b.stuffed {
				b.pos++
			}
			b.give(inLine)
		}
	case afterDotCR:
		if c == '\n' {
			b.hold(afterDotCRLF)
			return
		}
		b.give(inLine)
	case afterDotLF, afterDotCRLF:
		b.give(lineStart)
	}
}

// hold uses one octet and holds it back. A strict end is one at once.
func (b *dotReader) hold(at dotState) {
	b.pos++
	b.at = at
	if b.strict && at >= afterDotLF {
		b.err, b.pos, b.end = io.EOF, 0, 0
	}
}

// give gives what is held back, since it is no end.
func (b *dotReader) give(at dotState) { b.held, b.at = holds[b.at], at }

// fill reads more. What is held back at the end was the end.
func (b *dotReader) fill() error {
	if b.err != nil {
		return b.err
	}
	if b.buf == nil {
		b.buf = make([]byte, dotBufferSize)
	}
	b.pos = 0
	b.end, b.err = readSome(b.r, b.buf)
	if b.end == 0 {
		return b.err
	}
	return nil
}
