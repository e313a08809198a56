package tn3270

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Input is a key or text from a terminal.
type Input struct {
	Key  Key    // key; 0 means that Text contains the input
	Text string // typed text, not split if it arrived in one call of Decode
}

// Decoder decodes a terminal's input, which is UTF-8 and the key sequences of a VT220, xterm or
// the Linux console. Because such a terminal lacks some keys of a 3270 terminal, the following
// keys replace the missing keys.
//
//	^C  Clear        ^D  Dup              ^E  EraseEOF, as End
//	^F  FieldMark    ^R  Reset            ^U  EraseInput
//	^J  Newline      ^L  Redraw
//	Shift F1 to F12    PF13 to PF24
//	Page Up, Down      PF7, PF8
//
// After Esc or ^A, or together with Alt, the following keys have another meaning.
//
//	1 2 3  PA1 PA2 PA3    a  Attn      s  SysReq
//	c      Clear          i  Insert    r  Reset
//	p      CursorSelect   TAB  Backtab
//
// Decoder ignores all other control characters and sequences. The zero Decoder is ready to use. A
// Decoder must not be used concurrently.
type Decoder struct {
	incomplete []byte // octets of an incomplete sequence or character
	isSkipping bool   // whether to skip the rest of an overlong sequence
}

// maxSequence is the maximum length of a key sequence in octets. Known sequences are up to 7
// octets long.
const maxSequence = 32

// Decode decodes the octets in p and appends the inputs to dst. It buffers an incomplete input for
// the next call.
func (d *Decoder) Decode(dst []Input, p []byte) []Input {
	rest := append(d.incomplete, p...)
	for len(rest) > 0 {
		in, n := d.scan(rest)
		if n == 0 {
			break
		}
		rest = rest[n:]
		last := len(dst) - 1
		switch {
		case in == Input{}:
		case in.Key == 0 && last >= 0 && dst[last].Key == 0:
			dst[last].Text += in.Text
		default:
			dst = append(dst, in)
		}
	}
	d.incomplete = append([]byte(nil), rest...)
	return dst
}

const escape = 0x1B

// scan returns the first input in p and the length of that input. If the input is
// incomplete, the length is 0. The caller must ignore a zero Input.
func (d *Decoder) scan(p []byte) (Input, int) {
	c := p[0]
	switch {
	case d.isSkipping:
		d.isSkipping = ' ' <= c && c < '@'
		if c < ' ' || c > '~' {
			return d.scan(p)
		}
		return Input{}, 1
	case c == escape || c == ctrl('A'):
		return d.scanEscape(p)
	case c < utf8.RuneSelf && unicode.IsControl(rune(c)):
		return Input{Key: controlKeys[c]}, 1
	case !utf8.FullRune(p):
		return Input{}, 0
	}
	r, n := utf8.DecodeRune(p)
	if unicode.IsControl(r) {
		return Input{}, n
	}
	return Input{Text: string(r)}, n
}

// scanEscape is like scan, for input that begins with Esc.
func (d *Decoder) scanEscape(p []byte) (Input, int) {
	if len(p) == 1 {
		return Input{}, 0
	}
	switch p[1] {
	case '[':
		return d.scanCSI(p)
	case 'O':
		if len(p) == 2 {
			return Input{}, 0
		}
		if p[2] < ' ' || p[2] > '~' {
			return Input{}, 2
		}
		if p[2] == 'M' { // a key of the numeric keypad
			return Input{Key: Enter}, 3
		}
		return Input{Key: letterKeys[p[2]]}, 3
	case escape, ctrl('A'):
		return Input{}, 1
	}
	return Input{Key: escapeKeys[p[1]]}, 2
}

// scanCSI is like scan, for a control sequence. A control sequence consists of Esc, "[",
// parameters, and a final octet. On the Linux console, the sequences of the keys F1 to F5 contain
// a second "[".
func (d *Decoder) scanCSI(p []byte) (Input, int) {
	i := 2
	if i < len(p) && p[i] == '[' {
		i++
	}
	for i < len(p) && ' ' <= p[i] && p[i] < '@' {
		i++
	}
	switch {
	case i >= maxSequence:
		d.isSkipping = true
		return Input{}, i
	case i == len(p):
		return Input{}, 0
	case p[i] < ' ' || p[i] > '~': // invalid octet in a control sequence
		return Input{}, i
	}
	return Input{Key: sequence(string(p[2:i]), p[i])}, i + 1
}

func sequence(parameters string, final byte) Key {
	if strings.HasPrefix(parameters, "[") {
		if parameters == "[" && 'A' <= final && final <= 'E' {
			return PF1 + Key(final-'A')
		}
		return 0
	}
	first, second, _ := strings.Cut(parameters, ";")
	k := letterKeys[final]
	if final == '~' {
		number, err := strconv.Atoi(first)
		if err != nil {
			return 0
		}
		k = numberKeys[number]
	}
	// The modifiers parameter is 1 plus the sum of the pressed modifiers. The value of Shift
	// is 1.
	if modifiers, err := strconv.Atoi(second); err == nil && (modifiers-1)&1 != 0 && PF1 <= k && k <= PF12 {
		k += PF13 - PF1
	}
	return k
}

// These variables map input to keys: sequences that end with a letter, sequences with a number and
// "~", control characters, and characters after Esc.
var (
	letterKeys = map[byte]Key{
		'A': Up, 'B': Down, 'C': Right, 'D': Left, 'F': EraseEOF, 'H': Home,
		'P': PF1, 'Q': PF2, 'R': PF3, 'S': PF4, 'Z': Backtab,
	}
	numberKeys = map[int]Key{
		1: Home, 2: Insert, 3: Delete, 4: EraseEOF, 5: PF7, 6: PF8, 7: Home, 8: EraseEOF,
		11: PF1, 12: PF2, 13: PF3, 14: PF4, 15: PF5, 17: PF6, 18: PF7, 19: PF8, 20: PF9, 21: PF10, 23: PF11, 24: PF12,
		25: PF13, 26: PF14, 28: PF15, 29: PF16, 31: PF17, 32: PF18, 33: PF19, 34: PF20,
	}
	controlKeys = map[byte]Key{
		ctrl('C'): Clear, ctrl('D'): Dup, ctrl('E'): EraseEOF, ctrl('F'): FieldMark, ctrl('H'): Backspace, 0x7F: Backspace,
		ctrl('I'): Tab, ctrl('J'): Newline, ctrl('L'): Redraw, ctrl('M'): Enter, ctrl('R'): Reset, ctrl('U'): EraseInput,
	}
	escapeKeys = map[byte]Key{
		'1': PA1, '2': PA2, '3': PA3, 'a': Attn, 'c': Clear, 'i': Insert, 'p': CursorSelect, 'r': Reset, 's': SysReq, '\t': Backtab,
	}
)

func ctrl(key byte) byte { return key & 0x1F }
