package nvt

import "bytes"

// Limits of subnegotiations.
const (
	MaxSub     = 8 << 10 // octets; longer subnegotiations are ignored
	maxEndless = 1 << 20 // maximum octets in a subnegotiation without an end
	maxLost    = 1 << 10 // maximum number of subnegotiations without an end
)

// syntaxState is the position of a scanner in the syntax of RFC 854.
type syntaxState uint8

const (
	inData syntaxState = iota
	afterIAC
	afterVerb // WILL, WONT, DO or DONT
	afterSB
	inSub
	afterSubIAC
)

// event is the reason why a scanner stopped.
type event uint8

const (
	noEvent event = iota // the output buffer is full, or the input is exhausted
	commandEvent
	optionEvent // an option command: a verb and an option
	subEvent
	endlessEvent // a subnegotiation without an end
)

// scanner separates data from commands. The zero scanner is at the beginning of a stream.
type scanner struct {
	binary bool // CR is an ordinary octet

	state      syntaxState
	wasCR      bool // the last octet of data was CR
	verb       byte // verb of the last commandEvent or optionEvent
	option     byte // option of the last optionEvent or subEvent
	sub        []byte
	subSize    int
	unfinished int // subnegotiations without an end
}

// scan copies data from src to dst up to the next event. It returns the number of octets that it
// wrote to dst, and the number of octets that it consumed from src. Because CR NUL means a CR
// alone, scan removes the NUL.
func (s *scanner) scan(dst, src []byte) (wrote, consumed int, e event) {
	for consumed < len(src) {
		if s.state != inData {
			o := src[consumed]
			consumed++
			if s.state == inSub {
				consumed += s.takeSub(src[consumed-1:]) - 1
				if s.subSize > maxEndless {
					return wrote, consumed, endlessEvent
				}
			} else if e := s.handleOctet(o); e != noEvent {
				return wrote, consumed, e
			} else if s.state == inData {
				// A doubled IAC is data.
				if wrote == len(dst) {
					s.state = afterIAC
					return wrote, consumed - 1, noEvent
				}
				s.wasCR = false
				dst[wrote] = IAC
				wrote++
			}
			continue
		}
		data := src[consumed:]
		data = data[:min(len(data), len(dst)-wrote)]
		if i := bytes.IndexByte(data, IAC); i >= 0 {
			data = data[:i]
		}
		wrote += s.copyData(dst[wrote:], data)
		consumed += len(data)
		switch {
		case consumed < len(src) && src[consumed] == IAC:
			consumed++
			s.state = afterIAC
		case wrote == len(dst):
			return wrote, consumed, noEvent
		}
	}
	return wrote, consumed, noEvent
}

// copyData copies octets that contain no IAC, and removes each NUL after a CR.
func (s *scanner) copyData(dst, src []byte) (wrote int) {
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

// handleOctet handles an octet outside data and subnegotiations. If it returns noEvent in state
// inData, the octet is data.
func (s *scanner) handleOctet(o byte) event {
	switch s.state {
	case afterIAC:
		return s.handleCommand(o)
	case afterVerb:
		s.state, s.option = inData, o
		return optionEvent
	case afterSB:
		s.state, s.option, s.sub, s.subSize = inSub, o, s.sub[:0], 0
	case afterSubIAC:
		switch o {
		case SE:
			s.state = inData
			if s.subSize <= MaxSub {
				return subEvent
			}
			s.verb = NOP
			return commandEvent
		case IAC:
			s.state = inSub
			s.appendSub([]byte{IAC})
		default:
			// Another command also ends the subnegotiation, because the IAC SE may
			// have been lost.
			if s.unfinished++; s.unfinished > maxLost {
				return endlessEvent
			}
			return s.handleCommand(o)
		}
	}
	return noEvent
}

// handleCommand handles the octet after an IAC.
func (s *scanner) handleCommand(o byte) event {
	switch {
	case o == IAC:
		s.state = inData
		return noEvent
	case o == SB:
		s.state = afterSB
	case o >= WILL:
		s.state, s.verb = afterVerb, o
	default:
		s.state, s.verb = inData, o
		return commandEvent
	}
	return noEvent
}

// takeSub handles a subnegotiation up to the next IAC, and returns the number of octets that it
// consumed, including the IAC.
func (s *scanner) takeSub(src []byte) (consumed int) {
	i := bytes.IndexByte(src, IAC)
	if i < 0 {
		s.appendSub(src)
		return len(src)
	}
	s.appendSub(src[:i])
	s.state = afterSubIAC
	return i + 1
}

// appendSub appends octets to the subnegotiation, up to a total of MaxSub.
func (s *scanner) appendSub(octets []byte) {
	s.subSize += len(octets)
	s.sub = append(s.sub, octets[:min(len(octets), MaxSub-len(s.sub))]...)
}
