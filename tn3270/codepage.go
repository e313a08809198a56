package tn3270

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// codePage is an EBCDIC code page, with its description in Query Reply.
type codePage struct {
	number     uint16
	characters uint16 // the graphic character set, 697, or 695 with the euro
	runes      [256]rune
	octets     map[rune]byte
}

// nationalPage is a code page that moves the characters of another code page to other positions.
type nationalPage struct {
	name, euro string // euro names the same page with the euro sign instead of the currency sign
	octets     string // positions that differ from code page 037
	runes      string
}

// nationalPages lists IBM's Country Extended Code Pages. Their control codes
// equal the codes of 037. A test checks that each contains every character once.
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
	latin1 = 697 // the graphic character set of code page 037
	euro   = 695 // the same with the euro sign
)

// CodePages returns the sorted names of the supported host code pages: the
// Country Extended Code Pages, the same pages with the euro sign, and 1047.
func CodePages() []string {
	names := []string{"1047"}
	for _, n := range nationalPages {
		names = append(names, n.name, n.euro)
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
		case n.euro:
			return fill(charmap.CodePage037, parseNumber(name), euro, n.octets, n.runes), nil
		}
	}
	return nil, fmt.Errorf("%w: unknown code page %.20q: choose one of %s", ErrOption, name, strings.Join(CodePages(), ", "))
}

// parseNumber reads the digits of a name in the table.
func parseNumber(digits string) (n uint16) {
	for _, d := range digits {
		n = n*10 + uint16(d-'0')
	}
	return n
}

// fill returns a code page: base with the runes at octets.
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

// Graphic characters of EBCDIC. Below them are orders and controls, and above them
// is EO.
const (
	firstGraphic = 0x40
	lastGraphic  = 0xFE
)

func (p *codePage) encode(r rune) (octet byte, ok bool) {
	octet, ok = p.octets[r]
	return octet, ok
}

// show returns the character that a display shows for an octet in the buffer.
func (p *codePage) show(octet byte) rune {
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
	case '\u00A0': // required space
		return ' '
	case '\u00AD': // syllable hyphen, which Unicode does not treat as a character
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

// apl is code page 310 from 40 hexadecimal on: the characters after Graphic
// Escape. It shows underscored letters without the line, and missing characters
// as spaces.
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
