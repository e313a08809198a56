package gopher

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// stuffing reads a text and finds out whether its server doubles the dot that a
// line begins with (RFC 1436 section 3). A line that is only a dot, followed by
// more, shows that it does not. So what follows a line that begins with two dots is
// held back until that shows, the text ends, or maxUndecided is reached.
type stuffing struct {
	r     io.Reader
	o     TextOptions
	found func() // called when the server turns out not to double dots

	at     dotState
	known  bool   // found was called
	holds  bool   // held is not to be given yet
	gaveUp bool   // nothing is held any more
	held   []byte // octets behind what was given
	graced bool   // Grace was called, and nothing came since
	err    error  // how it ended
}

// maxUndecided is the most octets that are held back.
const maxUndecided = 64 << 10

func (s *stuffing) Read(p []byte) (int, error) {
	for {
		switch {
		case len(s.held) > 0 && !s.holds:
			n := copy(p, s.held)
			s.held = s.held[n:]
			return n, nil
		case s.err != nil && s.holds:
			s.holds = false
			continue
		case s.err != nil:
			return 0, s.err
		}
		n := s.fill(p)
		before := s.known
		doubled := s.scan(p[:n])
		switch {
		case s.holds:
			s.held = append(s.held, p[:n]...)
			if s.known || len(s.held) >= maxUndecided {
				s.holds, s.gaveUp = false, true
			}
		case doubled >= 0 && !before && !s.known && !s.gaveUp:
			s.holds = true
			s.held = append(s.held[:0], p[doubled:n]...)
			if doubled > 0 {
				return doubled, nil
			}
		case n > 0:
			return n, nil
		}
	}
}

// fill reads more, with the grace for what may be the end.
func (s *stuffing) fill(p []byte) int {
	if s.at >= afterDotLF && s.o.Grace != nil && !s.graced {
		s.graced = true
		s.o.Grace()
	}
	n, err := readSome(s.r, p)
	s.err = err
	switch {
	case !s.graced:
	case n > 0:
		s.graced = false
		if s.o.Resume != nil {
			s.o.Resume()
		}
	case errors.Is(err, os.ErrDeadlineExceeded):
		s.err = io.EOF
	}
	return n
}

// scan follows the lines of p. It returns where the first line that begins with two
// dots has its first octet in p, or -1.
func (s *stuffing) scan(p []byte) (doubled int) {
	doubled = -1
	start := 0 // of the line
	for i := 0; i < len(p); {
		if s.at == inLine {
			end := bytes.IndexByte(p[i:], '\n')
			if end < 0 {
				return doubled
			}
			i += end + 1
			s.at, start = lineStart, i
			continue
		}
		c := p[i]
		switch {
		case s.at >= afterDotLF:
			s.at, start = lineStart, i
			if !s.known {
				s.known = true
				s.found()
			}
			continue
		case s.at == lineStart && c == '.':
			s.at = afterDot
		case s.at == afterDot && c == '\r':
			s.at = afterDotCR
		case s.at == afterDot && c == '\n':
			s.at = afterDotLF
		case s.at == afterDotCR && c == '\n':
			s.at = afterDotCRLF
		case s.at == afterDot && c == '.':
			if s.at = inLine; doubled < 0 {
				doubled = start
			}
		default:
			s.at = inLine
			continue
		}
		i++
	}
	return doubled
}

// NotStuffed reports whether text shows that its server does not double the dot
// that a line begins with: it has a line that is only a dot, and more after it.
func NotStuffed(text []byte) bool {
	s := stuffing{found: func() {}}
	s.scan(text)
	return s.known
}
