// Package addrspec reads the addr-spec of RFC 822 section 6.1 as mailto, mid and
// cid have it: encoded as RFC 1738 section 2.2 says, without "<" and ">".
//
//	addr-spec      = local-part "@" domain
//	local-part     = word *("." word)
//	word           = atom / quoted-string
//	domain         = sub-domain *("." sub-domain)
//	sub-domain     = atom / domain-literal
//	atom           = 1*<any CHAR except specials, SPACE and CTLs>
//	quoted-string  = <"> *(qtext / quoted-pair) <">
//	domain-literal = "[" *(dtext / quoted-pair) "]"
//
// It is stricter than RFC 822 in two places. Blanks and comments, which a header
// field may have between any two of these, are not part of the address and are
// faults. So are control characters, but for the tab, even within quotes.
package addrspec

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

// Fault is a place where a text is not an addr-spec.
type Fault struct {
	Start, End int    // in octets of the text as written, escapes not decoded
	Octet      byte   // the octet that can't be there; 0: it is not about one octet, or about NUL
	Help       string // what is wrong, and what would be right
}

// Split returns the text around the last "@", escaped or not: local part and
// domain. ok reports whether there is an "@" at all. text is URL text whose
// escapes are whole, as everywhere in this package.
func Split(text string) (local, domain string, ok bool) {
	at, next := -1, 0
	for i := 0; i < len(text); {
		c, size := bnf.Octet(text, i)
		if c == '@' {
			at, next = i, i+size
		}
		i += size
	}
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[next:], true
}

// Encode returns octets as URL text: the last "@" as it is, and of all others the
// characters of keep.
func Encode(octets string, keep escape.Set) string {
	at := strings.LastIndexByte(octets, '@')
	if at < 0 {
		return escape.Encode(octets, keep)
	}
	b := append(escape.AppendEncode(nil, octets[:at], keep), '@')
	return string(escape.AppendEncode(b, octets[at+1:], keep))
}

// Canonical returns the one spelling of u, whose scheme-specific part is octets of
// which case matters, and what it changed.
func Canonical(u locus.URL) (locus.URL, locus.Change, error) {
	if bnf.Spelled(u, 0) && !u.Facts().Has(locus.Internet) {
		return u, 0, nil
	}
	var c bnf.Canon
	c.Begin(u)
	c.Text(u.SchemePart(), escape.Unreserved())
	return c.End()
}

// Faults returns the faults of text, in order; nil, without allocation, if it is
// an addr-spec.
func Faults(text string) []Fault { return faults(text, false) }

func faults(text string, isUTF8 bool) []Fault {
	local, domain, ok := Split(text)
	if !ok {
		return []Fault{{Start: len(text), End: len(text), Help: `an address is a local part, "@" and a domain: there is no "@"`}}
	}
	s := scanner{text: text, isUTF8: isUTF8}
	start := s.route(len(local))
	s.words(start, len(local), '"', '"', "local part")
	s.words(len(text)-len(domain), len(text), '[', ']', "domain")
	return s.faults
}

// FaultsUTF8 is [Faults] by RFC 6531 section 3.3: UTF-8 may be wherever an atom or
// quotes may have a letter. A text that is not UTF-8 is one fault.
func FaultsUTF8(text string) []Fault {
	if !utf8.ValidString(bnf.Decode(text)) {
		return []Fault{{Start: 0, End: len(text), Help: "an address is US-ASCII or UTF-8"}}
	}
	return faults(text, true)
}

// Report adds a finding for each fault of text, which begins at offset in the
// URL. The grammar of section 5 allows them all, and no address is like that.
func Report(f *bnf.Findings, offset int, text string) {
	for _, fault := range Faults(text) {
		f.Impossible("addr-spec", "RFC 822 6.1", offset+fault.Start, text[fault.Start:fault.End], fault.Help)
	}
}

// Sound reports, without allocation, that u, whose scheme-specific part is
// nothing but one addr-spec, has nothing wrong with it by RFC 1738.
func Sound(u locus.URL) bool {
	const clean = locus.SchemeLower | locus.PathXchar | locus.FragmentXchar
	facts := u.Facts()
	if !facts.Has(clean) || facts.Has(locus.Internet) {
		return false
	}
	text := u.SchemePart()
	return isPlain(text) || Faults(text) == nil
}

// isPlain reports whether text is atoms with dots between them, "@", and the same
// again: what nearly every address is.
func isPlain(text string) bool {
	at := strings.IndexByte(text, '@')
	return at > 0 && (isPlainAtom(text[:at]) || isAtoms(text[:at])) && (locus.IsHost(text[at+1:]) || isAtoms(text[at+1:]))
}

// isPlainAtom reports whether text is one atom without an escape.
func isPlainAtom(text string) bool {
	const plain = octet.Atom | octet.Literal
	return octet.All(text)&plain == plain
}

// isAtoms reports whether text is atoms with dots between them.
func isAtoms(text string) bool {
	inAtom := false
	for i := 0; i < len(text); {
		c, size := bnf.Octet(text, i)
		i += size
		isAtom := octet.Is(c, octet.Atom)
		if !isAtom && (c != '.' || !inAtom) {
			return false
		}
		inAtom = isAtom
	}
	return inAtom
}

type scanner struct {
	text   string
	isUTF8 bool // text is UTF-8, and may have more than US-ASCII
	faults []Fault
}

func (s *scanner) fault(start, end int, c byte, help string) {
	s.faults = append(s.faults, Fault{Start: start, End: end, Octet: c, Help: help})
}

// route looks for the route of RFC 822 section 6.1, "@one,@two:", at the start of
// a local part that ends at end, and returns where the local part goes on.
func (s *scanner) route(end int) int {
	if end == 0 {
		return 0
	}
	if c, _ := bnf.Octet(s.text, 0); c != '@' {
		return 0
	}
	for i := 0; i < end; {
		c, size := bnf.Octet(s.text, i)
		i += size
		if c == ':' {
			s.fault(0, i, 0, "a route is no part of an address: leave it out")
			return i
		}
	}
	return 0
}

// words reads what is between dots from i to end: atoms, or a text that the
// character open begins and shut ends. part names the whole.
func (s *scanner) words(i, end int, open, shut byte, part string) {
	const (
		empty  = iota // nothing of the word is there yet
		inAtom        // an atom, which may go on
		whole         // a quoted string or domain literal, which can't
	)
	word := empty
	for i < end {
		c, size := bnf.Octet(s.text, i)
		next := i + size
		switch {
		case c == '.' && word == empty:
			s.fault(i, next, c, fmt.Sprintf("something must stand before each dot of the %s", part))
		case c == '.':
			word = empty
		case c == open && word == empty:
			next = s.quoted(i, end, open, shut, part)
			word = whole
		case s.isAtom(c) && word != whole:
			word = inAtom
		default:
			s.fault(i, next, c, reason(c, part, word == whole))
			word = inAtom
		}
		i = next
	}
	switch {
	case word != empty:
	case len(s.faults) > 0 && s.faults[len(s.faults)-1].End == end && s.faults[len(s.faults)-1].Octet == '.':
		// A dot too many at the end has been named.
	default:
		s.fault(end, end, 0, fmt.Sprintf("the %s is empty, or ends with a dot", part))
	}
}

// quoted reads the quoted string or domain literal that begins at start and
// returns where it ends.
func (s *scanner) quoted(start, end int, open, shut byte, part string) int {
	_, size := bnf.Octet(s.text, start)
	pair := false // "\" stands before the octet
	for i := start + size; i < end; i += size {
		var c byte
		c, size = bnf.Octet(s.text, i)
		switch {
		case c == shut && !pair:
			return i + size
		case !s.isQuotable(c) || c == open && !pair:
			s.fault(i, i+size, c, reason(c, part, false))
		}
		pair = c == '\\' && !pair
	}
	s.fault(start, end, open, fmt.Sprintf("%q begins what %q must end", open, shut))
	return end
}

func (s *scanner) isAtom(c byte) bool {
	return octet.Is(c, octet.Atom) || s.isUTF8 && c >= utf8.RuneSelf
}

// isQuotable reports whether c may stand in quotes, perhaps behind "\".
func (s *scanner) isQuotable(c byte) bool {
	return c >= ' ' && c < 0x7F || c == '\t' || s.isUTF8 && c >= utf8.RuneSelf
}

// reason says why c can't be where it is.
func reason(c byte, part string, afterWord bool) string {
	switch {
	case c < ' ' && c != '\t' || c == 0x7F:
		return fmt.Sprintf("a control character (%02X hexadecimal) can't be in an address", c)
	case c == '<' || c == '>':
		return `an address is written without "<" and ">"`
	case c == '(' || c == ')':
		return "a comment is no part of an address"
	case afterWord:
		return fmt.Sprintf("only a dot can follow what is quoted in the %s", part)
	case c >= utf8.RuneSelf:
		return fmt.Sprintf("an address of RFC 822 is US-ASCII: octet %02X hexadecimal is not", c)
	case part == "domain":
		return fmt.Sprintf("%q can't be in a domain", c)
	}
	return fmt.Sprintf("%q in the local part must be in a quoted string: %%22...%%22", c)
}
