package tn3270

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Input is what a person did at a terminal.
type Input struct {
	Key  Key    // a key; 0: Text
	Text string // what was typed, in one piece if it came in one
}

// Decoder reads what a terminal sends, in UTF-8 and with the sequences of a VT220, of
// xterm or of the Linux console. What has no key there is done so:
//
//	^C  Clear        ^D  Dup              ^E  EraseEOF, as End
//	^F  FieldMark    ^R  Reset            ^U  EraseInput
//	^J  Newline      ^L  Redraw
//	Shift F1 to F12    PF13 to PF24
//	Page Up, Down      PF7, PF8
//
// and so, behind Esc, ^A or with Alt:
//
//	1 2 3  PA1 PA2 PA3    a  Attn      s  SysReq
//	c      Clear          i  Insert    r  Reset
//	p      CursorSelect   TAB  Backtab
//
// Other controls and sequences mean nothing. The zero Decoder is ready.
type Decoder struct {
	held []byte // the beginning of a sequence or character
	skip bool   // what comes is the rest of a sequence that is too long
}

// maxSequence is how long a sequence of a key may be; those that there are have up
// to 7 octets.
const maxSequence = 32

// Decode appends what p says, and keeps what is not complete for the next time.
func (d *Decoder) Decode(dst []Input, p []byte) []Input {
	rest := append(d.held, p...)
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
	d.held = append([]byte(nil), rest...)
	return dst
}

const escape = 0x1B

// scan returns what p begins with and how many octets that is; 0 if more must come.
// The zero Input is nothing.
func (d *Decoder) scan(p []byte) (Input, int) {
	c := p[0]
	switch {
	case d.skip:
		d.skip = ' ' <= c && c < '@'
		if c < ' ' || c > '~' {
			return d.scan(p)
		}
		return Input{}, 1
	case c == escape || c == ctrl('A'):
		return d.scanEscape(p)
	case c < utf8.RuneSelf && unicode.IsControl(rune(c)):
		return Input{Key: control(c)}, 1
	case !utf8.FullRune(p):
		return Input{}, 0
	}
	r, n := utf8.DecodeRune(p)
	if unicode.IsControl(r) {
		return Input{}, n
	}
	return Input{Text: string(r)}, n
}

// scanEscape is scan for what begins with Esc.
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
		if p[2] == 'M' { // of the number pad
			return Input{Key: Enter}, 3
		}
		return Input{Key: lettered(p[2], 1)}, 3
	case escape, ctrl('A'):
		return Input{}, 1
	}
	return Input{Key: prefixed(p[1])}, 2
}

// scanCSI is scan for a control sequence: Esc, "[", parameters, and a final octet. The
// Linux console has a second "[" in those of F1 to F5.
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
		d.skip = true
		return Input{}, i
	case i == len(p):
		return Input{}, 0
	case p[i] < ' ' || p[i] > '~': // no sequence after all
		return Input{}, i
	}
	return Input{Key: sequence(string(p[2:i]), p[i])}, i + 1
}

// sequence returns the key of a control sequence.
func sequence(parameters string, final byte) Key {
	if strings.HasPrefix(parameters, "[") {
		if parameters == "[" && 'A' <= final && final <= 'E' {
			return PF1 + Key(final-'A')
		}
		return 0
	}
	first, second, _ := strings.Cut(parameters, ";")
	modifiers, err := strconv.Atoi(second)
	if err != nil {
		modifiers = 1
	}
	if final != '~' {
		return lettered(final, modifiers)
	}
	number, err := strconv.Atoi(first)
	if err != nil {
		return 0
	}
	return shifted(numbered(number), modifiers)
}

// shifted returns PF13 to PF24 for F1 to F12 with Shift. Modifiers are one more than
// a sum in which Shift is 1.
func shifted(k Key, modifiers int) Key {
	if PF1 <= k && k <= PF12 && (modifiers-1)&1 != 0 {
		return k + (PF13 - PF1)
	}
	return k
}

// lettered returns the key of a sequence that ends with a letter.
func lettered(final byte, modifiers int) Key {
	switch final {
	case 'A':
		return Up
	case 'B':
		return Down
	case 'C':
		return Right
	case 'D':
		return Left
	case 'F':
		return EraseEOF
	case 'H':
		return Home
	case 'P', 'Q', 'R', 'S':
		return shifted(PF1+Key(final-'P'), modifiers)
	case 'Z':
		return Backtab
	}
	return 0
}

// numbered returns the key of a sequence with a number and "~".
func numbered(number int) Key {
	switch {
	case number == 1 || number == 7:
		return Home
	case number == 2:
		return Insert
	case number == 3:
		return Delete
	case number == 4 || number == 8:
		return EraseEOF
	case number == 5:
		return PF7
	case number == 6:
		return PF8
	case 0 <= number && number < len(functionNumbers) && functionNumbers[number] != 0:
		return PF1 + Key(functionNumbers[number]-1)
	}
	return 0
}

// functionNumbers are the function keys of the numbers.
var functionNumbers = [...]byte{
	11: 1, 12: 2, 13: 3, 14: 4, 15: 5, 17: 6, 18: 7, 19: 8, 20: 9, 21: 10, 23: 11, 24: 12,
	25: 13, 26: 14, 28: 15, 29: 16, 31: 17, 32: 18, 33: 19, 34: 20,
}

// ctrl returns the octet of a key with Ctrl.
func ctrl(key byte) byte { return key & 0x1F }

// control returns the key of a control character.
func control(c byte) Key {
	switch c {
	case ctrl('C'):
		return Clear
	case ctrl('D'):
		return Dup
	case ctrl('E'):
		return EraseEOF
	case ctrl('F'):
		return FieldMark
	case ctrl('H'), 0x7F:
		return Backspace
	case ctrl('I'):
		return Tab
	case ctrl('J'):
		return Newline
	case ctrl('L'):
		return Redraw
	case ctrl('M'):
		return Enter
	case ctrl('R'):
		return Reset
	case ctrl('U'):
		return EraseInput
	}
	return 0
}

// prefixed returns the key of a character behind Esc.
func prefixed(c byte) Key {
	switch c {
	case '1', '2', '3':
		return PA1 + Key(c-'1')
	case 'a':
		return Attn
	case 'c':
		return Clear
	case 'i':
		return Insert
	case 'p':
		return CursorSelect
	case 'r':
		return Reset
	case 's':
		return SysReq
	case '\t':
		return Backtab
	}
	return 0
}
