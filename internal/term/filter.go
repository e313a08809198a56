package term

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Filter filters the output of an untrusted host for a terminal. It passes safe output and drops
// the rest. It buffers an incomplete sequence until the next call of Append. The zero Filter is
// ready to use. A Filter must not be used concurrently.
//
// At each level except [Unfiltered], a Filter passes safe characters (see [IsSafe]), the control
// characters BEL, BS, HT, LF, VT, FF, CR, SO and SI, and the following sequences of ECMA-48 and
// common extensions.
//
//	ESC 7 8 D E H M = >              save, restore, index, tab stop, keypad
//	ESC ( ) * + and a character set  designate a set
//	CSI ... @ A B C D E F G H I      insert, move
//	CSI ... J K L M P S T X Z        erase (but not scrollback), delete, scroll
//	CSI ... ` a b d e f g m r        move, repeat, tab stops, colors, scroll region
//	CSI s, CSI u, CSI ! p            save, restore, soft reset
//	CSI 4 h, CSI 4 l                 insert mode
//	CSI ? ... h, CSI ? ... l         modes 1 6 7 12 25 1048 2004, and those of the level
//	CSI ? ... J, CSI ? ... K         selective erase
//
// It drops sequences that make the terminal send a response, because a shell would read the
// response as input. It drops sequences for titles, the clipboard, keys, links, files, windows and
// printers. It also drops the bytes 80 to 9F, which some terminals interpret as control
// characters.
type Filter struct {
	// Level must not change after the first call of Append.
	Level Level

	state    filterState
	sequence []byte // bytes after ESC, or bytes of an incomplete character
	size     int    // length in bytes of the current string or sequence
}

// Level selects which sequences a [Filter] passes. Each level passes more sequences than the
// previous level.
type Level uint8

const (
	// OneScreen, the zero Level, passes output to the normal screen only.
	OneScreen Level = iota
	// BothScreens also passes modes 47, 1047 and 1049, which switch to the alternate screen.
	// The alternate screen hides earlier output, and its contents are lost when the terminal
	// switches back.
	BothScreens
	// WithMouse also passes modes 1000, 1002, 1005, 1006 and 1015, which report clicks and
	// drags. The caller must end these reports with [Quiet]. WithMouse does not pass the modes
	// that report without a click: 1003 (motion) and 1004 (focus).
	WithMouse
	// Unfiltered passes everything. The host can then rename the window, read and write the
	// clipboard, and make the terminal send responses.
	Unfiltered
)

type filterState uint8

const (
	inText filterState = iota
	inCharacter
	afterEscape
	inEscape // in an escape sequence, after an intermediate byte
	inCSI
	inOSC
	inString  // DCS, SOS, PM, APC, or a title for GNU screen (ESC k)
	inPalette // the Linux console's OSC P, without a terminator
)

// paletteSize is the number of digits in the Linux console's OSC P sequence: one for the color
// number, and six for its RGB value.
const paletteSize = 7

const (
	maxSequence = 64       // maximum bytes; a longer sequence is dropped
	maxString   = 64 << 10 // maximum bytes; a longer string ends at this length
	// maxDigits limits the digits of a number in a sequence. No terminal has more than 9999
	// rows or columns, and some terminals are slow if an action repeats more often.
	maxDigits = 4
)

// Sane resets all terminal state that the output of a Filter can change: colors, character sets,
// modes, the scroll region and the cursor's visibility. Unlike [LeaveAlternate], Sane does not
// move the cursor.
const Sane = "\x1b[!p\x1b[0m\x1b(B\x0f\x1b[4l\x1b[?7h\x1b[?25h\x1b[?2004l\x1b[?1l\x1b>"

// Quiet stops mouse and focus reports. At the levels [WithMouse] and [Unfiltered], a host can
// start these reports, which a shell would read as input.
const Quiet = "\x1b[?9;1000;1001;1002;1003;1004;1005;1006;1015l"

// LeaveAlternate switches from the alternate screen to the normal one.
const LeaveAlternate = "\x1b[?1049l"

// textOctet marks the bytes that a Filter passes in plain text.
var textOctet = func() (table [256]bool) {
	for o := ' '; o <= '~'; o++ {
		table[o] = true
	}
	for _, o := range "\a\b\t\n\v\f\r\x0e\x0f" {
		table[o] = true
	}
	return table
}()

// Append appends to dst the part of src that the filter's level passes.
func (f *Filter) Append(dst, src []byte) []byte {
	if f.Level >= Unfiltered {
		return append(dst, src...)
	}
	for i := 0; i < len(src); {
		if f.state == inText {
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

// step handles one byte and appends its output to dst. If again is true, the state has changed,
// and the caller must pass the byte again.
func (f *Filter) step(dst []byte, o byte) (out []byte, again bool) {
	if f.state == inCharacter {
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
	switch f.state {
	case inText:
		if o >= 0xC2 && o <= 0xF4 {
			f.begin(inCharacter)
			f.sequence = append(f.sequence, o)
		} else if o >= 0xA0 {
			dst = append(dst, "\uFFFD"...)
		}
	case afterEscape, inEscape, inCSI:
		switch {
		case o < ' ' || o == 0x7F:
		case o >= 0x80:
			f.begin(inText)
			return dst, true
		case f.state == inCSI:
			return f.csi(dst, o), false
		default:
			return f.escape(dst, o), false
		}
	case inOSC, inString, inPalette:
		f.inside(o)
	}
	return dst, false
}

// inside drops one byte of a string. If the byte ends the string, inside changes the state.
func (f *Filter) inside(o byte) {
	f.size++
	isFirst := f.state == inOSC && f.size == 1
	switch {
	case isFirst && o == 'P':
		f.begin(inPalette)
	case isFirst && o == 'R', // resets the palette of the Linux console
		f.state == inOSC && o == '\a',
		f.state == inPalette && f.size == paletteSize,
		f.size > maxString:
		f.begin(inText)
	}
}

func (f *Filter) begin(p filterState) { f.state, f.sequence, f.size = p, f.sequence[:0], 0 }

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
		// The byte o is not part of the incomplete character.
		return append(dst, "\uFFFD"...), true
	case IsSafe(r):
		dst = append(dst, whole...)
	}
	return dst, false
}

func (f *Filter) escape(dst []byte, o byte) []byte {
	next := inText
	switch {
	case o < 0x30:
		if f.state = inEscape; len(f.sequence) < maxSequence {
			f.sequence = append(f.sequence, o)
		}
		return dst
	case f.state == inEscape:
		if len(f.sequence) == 1 && f.sequence[0] >= '(' && f.sequence[0] <= '+' {
			dst = append(dst, 0x1B, f.sequence[0], o)
		}
	case o == '[':
		next = inCSI
	case o == ']':
		next = inOSC
	case strings.IndexByte("PX^_k", o) >= 0:
		next = inString
	case strings.IndexByte("78DEHM=>", o) >= 0:
		dst = append(dst, 0x1B, o)
	}
	f.begin(next)
	return dst
}

func (f *Filter) csi(dst []byte, o byte) []byte {
	if o < '@' {
		if f.size++; f.size <= maxSequence {
			f.sequence = append(f.sequence, o)
		}
		return dst
	}
	if f.size <= maxSequence {
		dst = f.appendAllowed(dst, f.sequence, o)
	}
	f.begin(inText)
	return dst
}

// appendAllowed appends the permitted part of a control sequence to dst. The byte final is the
// last byte of the sequence.
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
	if !hasSmallNumbers(parameters) {
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
		// With several parameters, this sequence starts mouse reports.
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

func hasSmallNumbers(parameters []byte) bool {
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
		return f.Level >= BothScreens
	case "1000", "1002", "1005", "1006", "1015":
		return f.Level >= WithMouse
	}
	return false
}
