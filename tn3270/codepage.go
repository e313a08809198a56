package tn3270

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// codePage is an EBCDIC code page and the numbers that identify it in a Query Reply.
type codePage struct {
	number     uint16
	characters uint16 // number of the graphic character set, which is 697, or 695 if it contains the euro sign
	runes      [256]rune
	octets     map[rune]byte
}

// nationalPage is a code page in which some characters of code page 037 have other
// positions.
type nationalPage struct {
	name, euroName string // names of the code page, and of the same page with the euro sign instead of the currency sign
	octets         string // positions at which the page differs from code page 037
	runes          string
}

// nationalPages lists IBM's Country Extended Code Pages. Their control codes are equal to
// the control codes of code page 037. A test checks that each page contains every character
// once.
var nationalPages = [...]nationalPage{
	{"037", "1140", "", ""},
	{"273", "1141", "\x43\x4A\x4F\x59\x5A\x5F\x63\x6A\x7C\xA1\xB0\xB5\xBA\xBB\xC0\xCC\xD0\xDC\xE0\xEC\xFC", "{Ä!~Ü^[ö§ß¢@¬|ä¦ü}Ö\\]"},
	{"277", "1142", "\x47\x4A\x4F\x5A\x5B\x5F\x67\x6A\x70\x7B\x7C\x80\x9C\x9E\x9F\xA1\xB0\xBA\xBB\xC0\xD0\xDC", "}#!¤Å^$ø¦ÆØ@{[]ü¢¬|æå~"},
	{"278", "1143", "\x43\x47\x4A\x4F\x51\x5A\x5B\x5F\x63\x67\x6A\x71\x79\x7B\x7C\x9F\xA1\xB0\xB5\xBA\xBB\xC0\xCC\xD0\xDC\xE0\xEC", "{}§!`¤Å^#$ö\\éÄÖ]ü¢[¬|ä¦å~É@"},
	{"280", "1144", "\x44\x48\x4A\x4F\x51\x54\x58\x5A\x5F\x6A\x79\x7B\x7C\x90\xA1\xB0\xB1\xB5\xBA\xBB\xC0\xCD\xD0\xDD\xE0", "{\\°!]}~é^òù£§[ì¢#@¬|à¦è`ç"},
	{"284", "1145", "\x49\x4A\x5A\x69\x6A\x7B\xA1\xB0\xBA\xBB\xBD", "¦[]#ñÑ¨¢^!~"},
	{"285", "1146", "\x4A\x5B\xA1\xB0\xB1\xBA\xBC", "$£¯¢[^~"},
	{"297", "1147", "\x44\x48\x4A\x4F\x51\x54\x5A\x5F\x6A\x79\x7B\x7C\x90\xA0\xA1\xB0\xB1\xB5\xBA\xBB\xBD\xC0\xD0\xDD\xE0", "@\\°!{}§^ùµ£à[`¨¢#]¬|~éè¦ç"},
	{"500", "1148", "\x4A\x4F\x5A\x5F\xB0\xBA\xBB", "[!]^¢¬|"},
	{"871", "1149", "\x4A\x4F\x5A\x5F\x79\x7C\x8C\x8E\x9C\x9E\xA1\xAC\xAE\xB0\xBA\xBB\xBE\xC0\xCC\xD0\xE0\xEC", "Þ!ÆÖðÐ`{}]ö@[¢¬|\\þ~æ´^"},
}

const (
	latin1 = 697 // number of the graphic character set of code page 037
	euro   = 695 // number of the same character set with the euro sign
)

// CodePages returns the sorted names of the supported host code pages. These are the Country
// Extended Code Pages, the same pages with the euro sign, and code page 1047.
func CodePages() []string {
	names := []string{"1047"}
	for _, n := range nationalPages {
		names = append(names, n.name, n.euroName)
	}
	slices.Sort(names)
	return names
}

func newCodePage(name string) (*codePage, error) {
	switch name {
	case "":
		name = "037"
	case "1047":
		return fill(charmap.CodePage1047, 1047, latin1, "", ""), nil
	}
	for _, n := range nationalPages {
		switch name {
		case n.name:
			return fill(charmap.CodePage037, parseNumber(name), latin1, n.octets, n.runes), nil
		case n.euroName:
			return fill(charmap.CodePage037, parseNumber(name), euro, n.octets, n.runes), nil
		}
	}
	return nil, fmt.Errorf("%w: unknown code page %.20q: choose one of %s", ErrOption, name, strings.Join(CodePages(), ", "))
}

// parseNumber parses the digits in a code page name.
func parseNumber(digits string) (n uint16) {
	for _, d := range digits {
		n = n*10 + uint16(d-'0')
	}
	return n
}

// fill returns a code page with the characters of the code page base. At the positions in octets,
// the result contains the characters in runes instead.
func fill(base *charmap.Charmap, number, characters uint16, octets, runes string) *codePage {
	p := &codePage{number: number, characters: characters, octets: make(map[rune]byte, 256)}
	for i := range p.runes {
		p.runes[i] = base.DecodeByte(byte(i))
	}
	for i, r := range []rune(runes) {
		p.runes[octets[i]] = r
	}
	for i, r := range p.runes {
		if r == '¤' && characters == euro {
			p.runes[i] = '€'
		}
	}
	for i := firstGraphic; i <= lastGraphic; i++ {
		p.octets[p.runes[i]] = byte(i)
	}
	return p
}

// These constants are the range of the EBCDIC graphic characters. The codes below this range are
// orders and controls, and the code above it is EO.
const (
	firstGraphic = 0x40
	lastGraphic  = 0xFE
)

func (p *codePage) encode(r rune) (octet byte, ok bool) {
	octet, ok = p.octets[r]
	return octet, ok
}

// displayRune returns the character that a display shows for an octet in the buffer.
func (p *codePage) displayRune(octet byte) rune {
	switch octet {
	case dup:
		return '*'
	case fieldMark:
		return ';'
	case substitute:
		return '●'
	case eightOnes:
		return '○'
	}
	if octet < firstGraphic {
		return ' '
	}
	switch r := p.runes[octet]; r {
	case '\u00A0': // required (no-break) space
		return ' '
	case '\u00AD': // syllable (soft) hyphen, which is not a graphic character in Unicode
		return '-'
	default:
		return r
	}
}

func showAPL(octet byte) rune {
	if octet < firstGraphic {
		return ' '
	}
	return apl[octet-firstGraphic]
}

// apl holds the characters that follow Graphic Escape. They are the characters of code page 310,
// starting at code 40 hexadecimal. The table contains plain letters instead of underscored
// letters, and spaces instead of undefined characters.
var apl = [...]rune{
	' ', 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', ' ', ' ', ' ', ' ', ' ', ' ', // 4x
	' ', 'J', 'K', 'L', 'M', 'N', 'O', 'P', 'Q', 'R', ' ', ' ', ' ', ' ', ' ', ' ', // 5x
	' ', ' ', 'S', 'T', 'U', 'V', 'W', 'X', 'Y', 'Z', ' ', ' ', ' ', ' ', ' ', ' ', // 6x
	'◊', '∧', '¨', '⌻', '⍸', '⍷', '⊢', '⊣', '∨', ' ', ' ', ' ', ' ', ' ', ' ', ' ', // 7x
	'∼', '║', '═', '⎸', '⎹', '│', ' ', ' ', ' ', ' ', '↑', '↓', '≤', '⌈', '⌊', '→', // 8x
	'⎕', '▌', '▐', '▀', '▄', '■', ' ', ' ', ' ', ' ', '⊃', '⊂', '¤', '○', '±', '←', // 9x
	'¯', '°', '─', '•', ' ', ' ', ' ', ' ', ' ', ' ', '∩', '∪', '⊥', '[', '≥', '∘', // Ax
	'⍺', '∊', '⍳', '⍴', '⍵', ' ', '×', '∖', '÷', ' ', '∇', '∆', '⊤', ']', '≠', '∣', // Bx
	'{', '⁽', '⁺', '∎', '└', '┌', '├', '┴', '§', ' ', '⍲', '⍱', '⌷', '⌽', '⍂', '⍉', // Cx
	'}', '⁾', '⁻', '┼', '┘', '┐', '┤', '┬', '¶', ' ', '⌶', '!', '⍒', '⍋', '⍞', '⍝', // Dx
	'≡', '₁', '₂', '₃', '⍤', '⍥', '⍪', ' ', ' ', ' ', '⌿', '⍀', '∵', '⊖', '⌹', '⍕', // Ex
	'⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹', ' ', '⍫', '⍙', '⍟', '⍎', ' ', // Fx
}
