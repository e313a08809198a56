package term

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Filter lets through what a stranger may tell a terminal, and leaves out the rest.
// It keeps what is cut at the end of one piece for the next. The zero Filter is at
// the beginning.
//
// What passes: characters that [IsSafe] has; BEL, BS, HT, LF, VT, FF, CR, SO and
// SI; and of the sequences of ECMA-48 and its usual additions
//
//	ESC 7 8 D E H M = >              save, restore, index, tab stop, keypad
//	ESC ( ) * + and a character set  designate a set
//	CSI ... @ A B C D E F G H I      insert, move
//	CSI ... J K L M P S T X Z        erase (but not what has scrolled away), delete, scroll
//	CSI ... ` a b d e f g m r        move, repeat, tab stops, colours, scroll region
//	CSI s, CSI u, CSI ! p            save, restore, soft reset
//	CSI 4 h, CSI 4 l                 insert mode
//	CSI ? ... h, CSI ? ... l         modes 1 6 7 12 25 47 1047 1048 1049 2004
//	CSI ? ... J, CSI ? ... K         selective erase
//
// What does not: whatever makes the terminal answer, which a shell would read as if
// it were typed; titles, the clipboard, keys, links, files, windows, printers and
// the mouse; and the octets 80 to 9F, which some terminals take for sequences.
type Filter struct {
	// OneScreen leaves out modes 47, 1047 and 1049 too, which turn a terminal to its
	// alternate screen: that hides what was on the terminal before, and what a host
	// shows there is gone when it turns back.
	OneScreen bool

	place    filterPlace
	sequence []byte // between the ESC and here, or a character that is cut
	size     int    // octets of a string, or of a sequence
}

type filterPlace uint8

const (
	inText filterPlace = iota
	inCharacter
	afterEscape
	inEscape // behind an intermediate octet
	inCSI
	inOSC
	inString // DCS, SOS, PM, APC
)

const (
	// maxSequence is the most octets of a sequence: one that is longer means nothing.
	maxSequence = 64
	// maxString is the most octets of a string to wait for its end.
	maxString = 64 << 10
	// maxDigits is the most of a number in a sequence. No terminal is larger than
	// 9999, and some take their time to do a thing so many times.
	maxDigits = 4
)

// Sane puts a terminal in order that was told what passes a Filter: colours,
// character sets, modes, the scroll region and the cursor. It moves nothing.
// [LeaveAlternate] is apart, because it does.
const Sane = "\x1b[!p\x1b[0m\x1b(B\x0f\x1b[4l\x1b[?7h\x1b[?25h\x1b[?2004l\x1b[?1l\x1b>"

// Quiet has a terminal no longer tell of the mouse and of its window, which a host
// can ask for where there is no Filter, and which a shell would take for typing.
const Quiet = "\x1b[?9;1000;1001;1002;1003;1004;1005;1006;1015l"

// LeaveAlternate goes back from a terminal's second screen to its first.
const LeaveAlternate = "\x1b[?1049l"

// textOctet has the octets that pass in text.
var textOctet = func() (table [256]bool) {
	for o := ' '; o <= '~'; o++ {
		table[o] = true
	}
	for _, o := range "\a\b\t\n\v\f\r\x0e\x0f" {
		table[o] = true
	}
	return table
}()

// Append appends what passes of src to dst.
func (f *Filter) Append(dst, src []byte) []byte {
	for i := 0; i < len(src); {
		if f.place == inText {
			start := i
			for i < len(src) && textOctet[src[i]] {
				i++
			}
			dst = append(dst, src[start:i]...)
			if i == len(src) {
				break
			}
		}
		var again bool
		if dst, again = f.step(dst, src[i]); !again {
			i++
		}
	}
	return dst
}

// step takes one octet. again: it belongs to what comes next.
func (f *Filter) step(dst []byte, o byte) (out []byte, again bool) {
	if f.place == inCharacter {
		return f.character(dst, o)
	}
	switch o {
	case 0x1B:
		f.begin(afterEscape)
		return dst, false
	case 0x18, 0x1A:
		f.begin(inText)
		return dst, false
	}
	switch f.place {
	case inText:
		if o >= 0xC2 && o <= 0xF4 {
			f.begin(inCharacter)
			f.sequence = append(f.sequence, o)
		} else if o >= 0xA0 {
			dst = append(dst, "\uFFFD"...)
		}
	case afterEscape, inEscape:
		return f.escape(dst, o)
	case inCSI:
		return f.csi(dst, o)
	case inOSC, inString:
		if f.size++; f.size > maxString || f.place == inOSC && o == '\a' {
			f.begin(inText)
		}
	}
	return dst, false
}

func (f *Filter) begin(p filterPlace) { f.place, f.sequence, f.size = p, f.sequence[:0], 0 }

// character takes an octet of UTF-8 behind the first.
func (f *Filter) character(dst []byte, o byte) (out []byte, again bool) {
	whole := append(f.sequence, o)
	if !utf8.FullRune(whole) {
		f.sequence = whole
		return dst, false
	}
	r, size := utf8.DecodeRune(whole)
	f.begin(inText)
	switch {
	case size < len(whole):
		// o is no part of it.
		return append(dst, "\uFFFD"...), true
	case IsSafe(r):
		dst = append(dst, whole...)
	}
	return dst, false
}

// escape takes an octet behind ESC.
func (f *Filter) escape(dst []byte, o byte) (out []byte, again bool) {
	switch {
	case o < ' ' || o == 0x7F:
		return dst, false
	case o >= 0x80:
		f.begin(inText)
		return dst, true
	case o < 0x30:
		if f.place = inEscape; len(f.sequence) < maxSequence {
			f.sequence = append(f.sequence, o)
		}
		return dst, false
	case f.place == inEscape:
		if len(f.sequence) == 1 && f.sequence[0] >= '(' && f.sequence[0] <= '+' {
			dst = append(dst, 0x1B, f.sequence[0], o)
		}
	default:
		switch o {
		case '[':
			f.begin(inCSI)
			return dst, false
		case ']':
			f.begin(inOSC)
			return dst, false
		case 'P', 'X', '^', '_':
			f.begin(inString)
			return dst, false
		case '7', '8', 'D', 'E', 'H', 'M', '=', '>':
			dst = append(dst, 0x1B, o)
		}
	}
	f.begin(inText)
	return dst, false
}

// csi takes an octet of a control sequence.
func (f *Filter) csi(dst []byte, o byte) (out []byte, again bool) {
	switch {
	case o < ' ' || o == 0x7F:
		return dst, false
	case o >= 0x80:
		f.begin(inText)
		return dst, true
	case o < '@':
		if f.size++; f.size <= maxSequence {
			f.sequence = append(f.sequence, o)
		}
		return dst, false
	}
	if f.size <= maxSequence {
		dst = f.appendAllowed(dst, f.sequence, o)
	}
	f.begin(inText)
	return dst, false
}

// appendAllowed appends the control sequence that ends with final, as far as it is
// allowed.
func (f *Filter) appendAllowed(dst, parameters []byte, final byte) []byte {
	private := len(parameters) > 0 && parameters[0] == '?'
	if private {
		parameters = parameters[1:]
	}
	if string(parameters) == "!" && final == 'p' && !private {
		return append(dst, "\x1b[!p"...)
	}
	for _, o := range parameters {
		if (o < '0' || o > '9') && o != ';' && (o != ':' || final != 'm') {
			return dst
		}
	}
	if !small(parameters) {
		return dst
	}
	ok := false
	switch {
	case final == 'h' || final == 'l':
		return f.appendModes(dst, parameters, final, private)
	case final == 'J':
		ok = string(parameters) == "" || len(parameters) == 1 && parameters[0] <= '2'
	case final == 'K':
		ok = true
	case private:
	case final == 's' || final == 'u':
		ok = len(parameters) == 0
	case final == 'T':
		// With more it asks for the mouse.
		ok = bytes.IndexByte(parameters, ';') < 0
	default:
		ok = strings.IndexByte("@ABCDEFGHILMPSXZ`abdefgmr", final) >= 0
	}
	if !ok {
		return dst
	}
	dst = append(dst, 0x1B, '[')
	if private {
		dst = append(dst, '?')
	}
	return append(append(dst, parameters...), final)
}

// small reports whether no number is too high.
func small(parameters []byte) bool {
	digits := 0
	for _, o := range parameters {
		if digits++; o < '0' || o > '9' {
			digits = 0
		} else if digits > maxDigits {
			return false
		}
	}
	return true
}

// appendModes appends a setting of those modes that are allowed, if one is.
func (f *Filter) appendModes(dst, parameters []byte, final byte, private bool) []byte {
	start := len(dst)
	for mode := range bytes.SplitSeq(parameters, []byte(";")) {
		if !f.allowsMode(string(mode), private) {
			continue
		}
		switch {
		case len(dst) > start:
			dst = append(dst, ';')
		case private:
			dst = append(dst, "\x1b[?"...)
		default:
			dst = append(dst, "\x1b["...)
		}
		dst = append(dst, mode...)
	}
	if len(dst) > start {
		dst = append(dst, final)
	}
	return dst
}

func (f *Filter) allowsMode(mode string, private bool) bool {
	if !private {
		return mode == "4"
	}
	switch mode {
	case "1", "6", "7", "12", "25", "1048", "2004":
		return true
	case "47", "1047", "1049":
		return !f.OneScreen
	}
	return false
}
