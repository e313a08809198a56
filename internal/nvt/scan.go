package nvt

import "bytes"

// Limits of what is taken from the other side before it is given up.
const (
	// MaxSub is the most octets of a subnegotiation that are kept. One that is
	// longer is left out.
	MaxSub = 8 << 10
	// maxEndless is the most octets of a subnegotiation that are read while its end
	// does not come.
	maxEndless = 1 << 20
	// maxLost is how many subnegotiations may lack their end.
	maxLost = 1 << 10
)

// place is where in the syntax of RFC 854 a scanner is.
type place uint8

const (
	inData place = iota
	afterIAC
	afterVerb // WILL, WONT, DO or DONT
	afterSB
	inSub
	afterSubIAC
)

// event is what a scanner stops at.
type event uint8

const (
	nothing event = iota // dst is full, or src is used up
	aCommand
	anOption // a verb and its option
	aSub
	endless // a subnegotiation that does not end
)

// scanner tells data from commands. The zero scanner is at the beginning.
type scanner struct {
	binary bool // CR is an octet like any other

	place   place
	wasCR   bool // the last octet of data was CR
	verb    byte // of anOption, or aCommand's
	option  byte // of anOption or aSub
	sub     []byte
	subSize int
	lost    int // ends of subnegotiations
}

// scan moves data from src to dst up to the next event, and returns how many octets
// went there and how many it used. At NUL behind CR nothing goes there: CR alone is
// written that way.
func (s *scanner) scan(dst, src []byte) (wrote, used int, e event) {
	for used < len(src) {
		if s.place != inData {
			o := src[used]
			used++
			if s.place == inSub {
				used += s.takeSub(src[used-1:]) - 1
				if s.subSize > maxEndless {
					return wrote, used, endless
				}
			} else if e := s.step(o); e != nothing {
				return wrote, used, e
			} else if s.place == inData {
				// An IAC that was written twice.
				if wrote == len(dst) {
					s.place = afterIAC
					return wrote, used - 1, nothing
				}
				s.wasCR = false
				dst[wrote] = IAC
				wrote++
			}
			continue
		}
		data := src[used:]
		data = data[:min(len(data), len(dst)-wrote)]
		if i := bytes.IndexByte(data, IAC); i >= 0 {
			data = data[:i]
		}
		wrote += s.data(dst[wrote:], data)
		used += len(data)
		switch {
		case used < len(src) && src[used] == IAC:
			used++
			s.place = afterIAC
		case wrote == len(dst):
			return wrote, used, nothing
		}
	}
	return wrote, used, nothing
}

// data copies what has no IAC in it, and leaves out each NUL behind CR.
func (s *scanner) data(dst, src []byte) (wrote int) {
	if s.binary {
		return copy(dst, src)
	}
	for len(src) > 0 {
		i := bytes.IndexByte(src, 0)
		if i < 0 {
			i = len(src)
		}
		wrote += copy(dst[wrote:], src[:i])
		if i > 0 {
			s.wasCR = src[i-1] == '\r'
		}
		if src = src[i:]; len(src) == 0 {
			break
		}
		if !s.wasCR {
			dst[wrote] = 0
			wrote++
		}
		s.wasCR = false
		src = src[1:]
	}
	return wrote
}

// step takes an octet that is not data and not within a subnegotiation. If the
// place is inData afterwards, and nothing happened, the octet is data.
func (s *scanner) step(o byte) event {
	switch s.place {
	case afterIAC:
		return s.afterIAC(o)
	case afterVerb:
		s.place, s.option = inData, o
		return anOption
	case afterSB:
		s.place, s.option, s.sub, s.subSize = inSub, o, s.sub[:0], 0
	case afterSubIAC:
		switch o {
		case SE:
			s.place = inData
			if s.subSize <= MaxSub {
				return aSub
			}
			s.verb = NOP
			return aCommand
		case IAC:
			s.place = inSub
			s.keep([]byte{IAC})
		default:
			// A command within a subnegotiation, whose end has been lost: it ends it.
			if s.lost++; s.lost > maxLost {
				return endless
			}
			return s.afterIAC(o)
		}
	}
	return nothing
}

// afterIAC takes the octet behind an IAC.
func (s *scanner) afterIAC(o byte) event {
	switch {
	case o == IAC:
		s.place = inData
		return nothing
	case o == SB:
		s.place = afterSB
	case o >= WILL:
		s.place, s.verb = afterVerb, o
	default:
		// An octet that is no command is one that does nothing.
		s.place, s.verb = inData, o
		return aCommand
	}
	return nothing
}

// takeSub takes what is within a subnegotiation up to the next IAC, and returns how
// many octets that are, with the IAC.
func (s *scanner) takeSub(src []byte) (used int) {
	i := bytes.IndexByte(src, IAC)
	if i < 0 {
		s.keep(src)
		return len(src)
	}
	s.keep(src[:i])
	s.place = afterSubIAC
	return i + 1
}

// keep adds to the subnegotiation, as far as there is room.
func (s *scanner) keep(octets []byte) {
	s.subSize += len(octets)
	s.sub = append(s.sub, octets[:min(len(octets), MaxSub-len(s.sub))]...)
}
