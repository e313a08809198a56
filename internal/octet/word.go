package octet

import "math/bits"

// This file tests eight octets at a time. A word holds eight octets of a text, with the first
// octet in the lowest bits. In a mask, only the top bit of each octet has a meaning. The
// results are the same as with the table, but the code needs no branch for each octet, which
// the processor may mispredict.

const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// load returns the eight octets of s from offset i on.
func load(s string, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// loadEnd returns the octets of s from offset i on, padded with zeros. There must be fewer
// than eight such octets.
func loadEnd(s string, i int) (w uint64) {
	if len(s) >= 8 {
		return load(s, len(s)-8) >> (8 * (8 - uint(len(s)-i)))
	}
	for j := len(s) - 1; j >= i; j-- {
		w = w<<8 | uint64(s[j])
	}
	return w
}

// atLeast returns the mask of the octets in w that are at least c. All octets of w must be
// US-ASCII.
func atLeast(w uint64, c byte) uint64 { return w + ones*uint64(0x80-c) }

// differs returns the mask of the octets in w that differ from c. All octets of w must be
// US-ASCII.
func differs(w uint64, c byte) uint64 { return (w ^ ones*uint64(c)) + ones*0x7F }

// firstMarked returns the index of the first octet that mask marks, or 8 if mask is 0.
func firstMarked(mask uint64) int { return bits.TrailingZeros64(mask) / 8 }

// SchemeEnd returns the length of the longest prefix of s that consists of scheme characters.
// lower reports whether the prefix contains no upper-case letters.
func SchemeEnd(s string) (end int, lower bool) {
	// Most schemes are up to seven lower-case letters.
	if len(s) >= 8 {
		w := load(s, 0)
		a := w &^ tops
		end = firstMarked((^atLeast(a, 'a') | atLeast(a, 'z'+1) | w) & tops)
		if end < len(s) && s[end] == ':' {
			return end, true
		}
	}
	any := Class(0)
	for end = 0; end < len(s) && table[s[end]]&Scheme != 0; end++ {
		any |= table[s[end]]
	}
	return end, any&Upper == 0
}

// SchemeKey returns the text before the first ":" of s as a word, in lower case. If the text
// is longer, SchemeKey uses the first eight octets. Two schemes of up to seven octets are
// equal, ignoring case, if and only if their keys are equal.
func SchemeKey(s string) uint64 {
	if len(s) >= 8 {
		return WordKey(Word(s))
	}
	return WordKey(loadEnd(s, 0))
}

// Word returns the first eight octets of s as a word.
func Word(s string) uint64 { return load(s, 0) }

// WordKey is like [SchemeKey], but for the text whose first octets are in the word w.
func WordKey(w uint64) uint64 {
	w |= ones * 0x20 // This bit is the case of a letter. Each other character of a scheme, and ":", has it.
	colon := ^(differs(w&^tops, ':') | w) & tops
	if colon == 0 {
		return w
	}
	return w & ((colon ^ (colon - 1)) >> 8)
}

// HostShape is a set of properties of a host, which [Host] detects.
type HostShape uint8

const (
	// HostEdges means that a label is empty, or begins or ends with "-".
	HostEdges HostShape = 1 << iota
	// HostUpper means that the host contains an upper-case letter.
	HostUpper
	// HostDigit means that a label begins with a digit.
	HostDigit
)

// Host reads labels and dots from s, beginning at offset i. Host returns the offset after the
// last label or dot, and the properties of the host.
func Host(s string, i int) (end int, shape HostShape) {
	// Most hosts consist of lower-case letters and dots. The start of the host counts as a
	// dot, because a dot must not follow it.
	start, dots, before := i, uint64(0), uint64(0x80)
	for {
		var w uint64
		if len(s)-i >= 8 {
			w = load(s, i)
		} else {
			w = loadEnd(s, i)
		}
		a := w &^ tops
		letter := atLeast(a, 'a') &^ atLeast(a, 'z'+1)
		noDot := differs(a, '.')
		stop := (noDot&^letter | w) & tops
		// The mask dot marks all dots before the first stop, and the stop itself. If there is
		// no stop, dot marks all dots, because all bits of 0 - 1 are set.
		dot := (^noDot | stop) & tops & (stop ^ (stop - 1))
		dots |= dot & (dot<<8 | before)
		if stop != 0 {
			end = i + firstMarked(stop)
			break
		}
		before = dot >> 56
		i += 8
	}
	if dots != 0 || end < len(s) && table[s[end]]&Label != 0 {
		return mixedHost(s, start)
	}
	return end, 0
}

// mixedHost implements Host, octet by octet.
func mixedHost(s string, i int) (end int, shape HostShape) {
	dot, edge := true, true // properties of the octet before s[i]
	for ; i < len(s) && (s[i] == '.' || Is(s[i], Label)); i++ {
		class := Of(s[i])
		isDot, isEdge := s[i] == '.', class&(Alpha|Digit) == 0
		if isDot && edge || isEdge && dot {
			shape |= HostEdges
		}
		if dot && class&Digit != 0 {
			shape |= HostDigit
		}
		if class&Upper != 0 {
			shape |= HostUpper
		}
		dot, edge = isDot, isEdge
	}
	if edge {
		shape |= HostEdges
	}
	return i, shape
}

// HasDots reports whether s begins with "." or contains "/.".
func HasDots(s string) bool {
	before := uint64('/')
	for i := 0; ; i += 8 {
		var w uint64
		if len(s)-i >= 8 {
			w = load(s, i)
		} else {
			w = loadEnd(s, i)
		}
		// An octet of zeros is 0 if the same octet of w is "." and the octet before it is "/".
		zeros := (w ^ ones*'.') | ((w<<8 | before) ^ ones*'/')
		if (zeros-ones)&^zeros&tops != 0 {
			return true
		}
		if len(s)-i <= 8 {
			return false
		}
		before = w >> 56
	}
}

// HasUpper reports whether s contains an upper-case letter.
func HasUpper(s string) bool {
	i := 0
	for ; len(s)-i >= 8; i += 8 {
		w := load(s, i)
		if a := w &^ tops; atLeast(a, 'A')&^atLeast(a, 'Z'+1)&^w&tops != 0 {
			return true
		}
	}
	w := loadEnd(s, i)
	a := w &^ tops
	return atLeast(a, 'A')&^atLeast(a, 'Z'+1)&^w&tops != 0
}

// Plain searches s from offset i for the first octet that is not a letter, a digit, "-", ".",
// "/" or ":". Plain returns the offset of that octet, or the length of s if no such octet
// exists. Most octets of URLs are letters, digits or one of these four characters.
func Plain(s string, i int) int {
	for len(s)-i >= 8 {
		w := load(s, i)
		a := w &^ tops
		folded := a | ones*0x20
		letter := atLeast(folded, 'a') &^ atLeast(folded, 'z'+1)
		// The characters "-", ".", "/", the digits and ":" have consecutive codes.
		other := atLeast(a, '-') &^ atLeast(a, ':'+1)
		if stop := (^(letter | other) | w) & tops; stop != 0 {
			return i + firstMarked(stop)
		}
		i += 8
	}
	for i < len(s) && isPlain(s[i]) {
		i++
	}
	return i
}

func isPlain(c byte) bool { return '-' <= c && c <= ':' || table[c]&Alpha != 0 }
