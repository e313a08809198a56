package tn3270

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// Each code page must contain each of its 256 characters only once, and encoding and decoding must
// not change graphic characters.
func TestCodePages(t *testing.T) {
	names := CodePages()
	if len(names) != 21 || !slices.IsSorted(names) {
		t.Errorf("%q", names)
	}
	for _, name := range names {
		p, err := newCodePage(name)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[rune]bool{}
		for i, r := range p.runes {
			if seen[r] {
				t.Errorf("%s: %q is there twice", name, r)
			}
			seen[r] = true
			octet, ok := p.encode(r)
			if graphic := firstGraphic <= i && i <= lastGraphic; ok != graphic || graphic && octet != byte(i) {
				t.Errorf("%s: %q is %02X, %v, not %02X", name, r, octet, ok, i)
			}
			if shown := p.displayRune(byte(i)); !unicode.IsGraphic(shown) {
				t.Errorf("%s: %02X shows as %q", name, i, shown)
			}
		}
		for r := range rune(0x100) {
			if !seen[r] && (r != '¤' || p.characters != euro) {
				t.Errorf("%s has no %q", name, r)
			}
		}
		if seen['€'] != (p.characters == euro) {
			t.Errorf("%s: the euro sign is there: %v", name, seen['€'])
		}
	}
}

// The test cases are well-known properties of the code pages.
func TestCodePageCharacters(t *testing.T) {
	for _, test := range []struct{ name, text, octets string }{
		{"", "ABC abc 019", "\xC1\xC2\xC3\x40\x81\x82\x83\x40\xF0\xF1\xF9"},
		{"037", "[]^¬|!¢", "\xBA\xBB\xB0\x5F\x4F\x5A\x4A"},
		{"1047", "[]^¬|!¢Ý¨", "\xAD\xBD\x5F\xB0\x4F\x5A\x4A\xBA\xBB"},
		{"500", "[]^¬|!¢", "\x4A\x5A\x5F\xBA\xBB\x4F\xB0"},
		{"273", "ÄÖÜäöüß@§[\\]{|}~", "\x4A\xE0\x5A\xC0\x6A\xD0\xA1\xB5\x7C\x63\xEC\xFC\x43\xBB\xDC\x59"},
		{"277", "ÆØÅæøå", "\x7B\x7C\x5B\xC0\x6A\xD0"},
		{"278", "ÄÖÅäöåÉ\\", "\x7B\x7C\x5B\xC0\x6A\xD0\xE0\x71"},
		{"280", "àèéìòù", "\xC0\xD0\x5A\xA1\x6A\x79"},
		{"284", "Ññ¡¿", "\x7B\x6A\xAA\xAB"},
		{"285", "£$~", "\x5B\x4A\xBC"},
		{"297", "éèàçù", "\xC0\xD0\x7C\xE0\x6A"},
		{"871", "ÞþÐðÆæÖö~", "\x4A\xC0\x7C\x79\x5A\xD0\x5F\xA1\xCC"},
		{"1140", "€", "\x9F"}, {"1141", "€ß", "\x9F\xA1"}, {"1142", "€Å", "\x5A\x5B"}, {"1143", "€", "\x5A"}, {"1148", "€[", "\x9F\x4A"},
	} {
		p, err := newCodePage(test.name)
		if err != nil {
			t.Fatal(err)
		}
		var got []byte
		for _, r := range test.text {
			octet, _ := p.encode(r)
			got = append(got, octet)
		}
		if string(got) != test.octets {
			t.Errorf("%s: %s is % X, not % X", test.name, test.text, got, test.octets)
		}
	}
}

func TestUnsupportedTerminal(t *testing.T) {
	for _, o := range []*Options{{CodePage: "38"}, {CodePage: "CP037"}, {Model: 1}, {Model: 6}, {Model: -1}, {CodePage: strings.Repeat("9", 1000)}} {
		_, errScreen := New(o)
		_, errBuilder := NewBuilder(o)
		for _, err := range []error{errScreen, errBuilder} {
			if !errors.Is(err, ErrOption) || len(err.Error()) > 300 {
				t.Errorf("%+v: %v", o, err)
			}
		}
	}
	if _, err := ParseInbound([]byte{aidEnter}, "38"); !errors.Is(err, ErrOption) {
		t.Error(err)
	}
}

// Each character of code page 310 must be one column wide on a terminal.
func TestAPL(t *testing.T) {
	for i := range 256 {
		if r := showAPL(byte(i)); !unicode.IsGraphic(r) || unicode.IsMark(r) {
			t.Errorf("%02X shows as %q", i, r)
		}
	}
	for octet, want := range map[byte]rune{0xC4: '└', 0xC5: '┌', 0xD4: '┘', 0xD5: '┐', 0xA2: '─', 0x85: '│', 0xD3: '┼', 0x41: 'A', 0x69: 'Z'} {
		if got := showAPL(octet); got != want {
			t.Errorf("%02X shows as %q, not %q", octet, got, want)
		}
	}
}
