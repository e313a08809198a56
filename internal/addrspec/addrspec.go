// Package addrspec parses addr-specs (RFC 822 section 6.1) in mailto, mid and cid URLs. In these
// URLs, addr-specs contain escapes (RFC 1738 section 2.2) but no "<" or ">".
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
// The package is stricter than RFC 822: it rejects spaces and comments between these elements. It
// also rejects control characters other than the tab, even in quotes.
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

// Fault is an error in an addr-spec.
type Fault struct {
	Start, End int    // offsets in the encoded text
	Octet      byte   // the invalid octet; 0 for NUL, or if the fault is not about one octet
	Help       string // description of the fault and the fix
}

// Split splits an addr-spec at the last "@" outside a domain literal. The "@" may be escaped. If
// there is no such "@", ok is false. Unless stated otherwise, each text argument of this package
// must be URL text in which all escapes are complete.
func Split(text string) (local, domain string, ok bool) { return split(text, len("%40")) }

// SplitPlain is like [Split], but ignores an escaped "@". It accepts malformed escapes.
func SplitPlain(text string) (local, domain string, ok bool) { return split(text, len("@")) }

// split splits text at its "@". The "@" may be an escape of at most size bytes.
func split(text string, size int) (local, domain string, ok bool) {
	at, literal := span{}, span{} // the last "@", and the last "@" before the last "["
	pair := false                 // the octet follows "\"
	for i := 0; i < len(text); {
		c, n := text[i], 1
		if c == '%' && octet.IsEscape(text, i) {
			c, n = octet.Unescape(text, i), len("%40")
		}
		switch {
		case c == '@' && n <= size:
			at = span{i, i + n}
		case c == '[' && !pair:
			literal = at
		case c == ']' && !pair && literal.end > 0:
			at, literal = literal, span{}
		}
		pair = c == '\\' && !pair
		i += n
	}
	if at.end == 0 {
		return text, "", false
	}
	return text[:at.start], text[at.end:], true
}

// span is a range of offsets in a text. The zero span means that the part is missing.
type span struct{ start, end int }

// Encode encodes an address as URL text. It escapes neither the "@" before the domain nor the
// characters in the set keep.
func Encode(octets string, keep escape.Set) string {
	text := escape.Encode(octets, keep)
	if local, domain, ok := Split(text); ok {
		return local + "@" + domain
	}
	return text
}

// Canonical returns the canonical form of the URL u and the changes that it made. The
// scheme-specific part of u must be case-sensitive.
func Canonical(u locus.URL) (locus.URL, locus.Change, error) {
	if bnf.Spelled(u, 0) && !u.Facts().Has(locus.Internet) {
		return u, 0, nil
	}
	var c bnf.Canon
	c.Begin(u)
	c.Path(u.SchemePart(), escape.Unreserved())
	return c.End()
}

// Faults returns the errors in text, usually in order of offset. If text is a valid addr-spec,
// Faults returns nil without allocation.
func Faults(text string) []Fault { return faults(text, false) }

func faults(text string, isUTF8 bool) []Fault {
	local, domain, ok := Split(text)
	if !ok {
		return []Fault{{Start: len(text), End: len(text), Help: `the "@" is missing: write local-part@domain`}}
	}
	s := scanner{text: text, isUTF8: isUTF8}
	start := s.skipRoute(len(local))
	s.readWords(start, len(local), '"', '"', "local part")
	s.readWords(len(text)-len(domain), len(text), '[', ']', "domain")
	return s.faults
}

// FaultsUTF8 is like [Faults], but follows RFC 6531 section 3.3, which allows UTF-8 in atoms and
// quotes. If text is not valid UTF-8, FaultsUTF8 returns one fault.
func FaultsUTF8(text string) []Fault {
	if !utf8.ValidString(bnf.Decode(text)) {
		return []Fault{{Start: 0, End: len(text), Help: "the address is not valid UTF-8"}}
	}
	return faults(text, true)
}

// Report adds a finding for each error in text. The parameter offset is the position of text in
// the URL. The findings say that the text matches the grammar of RFC 1738 section 5 but is not a
// valid address.
func Report(f *bnf.Findings, offset int, text string) {
	for _, fault := range Faults(text) {
		f.Impossible("addr-spec", "RFC 822 6.1", offset+fault.Start, text[fault.Start:fault.End], fault.Help)
	}
}

// Sound reports whether the URL u conforms to RFC 1738. It does not allocate for conforming URLs.
// The scheme-specific part of u must be one addr-spec.
func Sound(u locus.URL) bool {
	const clean = locus.SchemeLower | locus.PathXchar | locus.FragmentXchar
	facts := u.Facts()
	if !facts.Has(clean) || facts.Has(locus.Internet) {
		return false
	}
	text := u.SchemePart()
	return isPlain(text) || Faults(text) == nil
}

// isPlain reports whether text consists of atoms and dots around one "@". Nearly all addresses do.
func isPlain(text string) bool {
	at := strings.IndexByte(text, '@')
	return at > 0 && (isPlainAtom(text[:at]) || isAtoms(text[:at])) && (locus.IsHost(text[at+1:]) || isAtoms(text[at+1:]))
}

// isPlainAtom reports whether text is one atom without an escape.
func isPlainAtom(text string) bool {
	const plain = octet.Atom | octet.Literal
	return octet.All(text)&plain == plain
}

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
	isUTF8 bool // non-ASCII UTF-8 is allowed
	faults []Fault
}

func (s *scanner) fault(start, end int, c byte, help string) {
	s.faults = append(s.faults, Fault{Start: start, End: end, Octet: c, Help: help})
}

// skipRoute reports a route (RFC 822 section 6.1: "@one,@two:") before the local part. It returns
// the offset after the route.
func (s *scanner) skipRoute(end int) int {
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
			s.fault(0, i, 0, "remove the route before the address")
			return i
		}
	}
	return 0
}

// readWords reads the dot-separated words between the offsets i and end. A word is an atom, or
// text that is enclosed in the characters open and shut. The fault descriptions contain part, the
// name of the word sequence.
func (s *scanner) readWords(i, end int, open, shut byte, part string) {
	const (
		empty  = iota // no word has begun
		inAtom        // in an atom
		whole         // the word is a complete quoted string or domain literal
	)
	word := empty
	for i < end {
		c, size := bnf.Octet(s.text, i)
		next := i + size
		switch {
		case c == '.' && word == empty:
			s.fault(i, next, c, fmt.Sprintf("empty word before a dot in the %s", part))
		case c == '.':
			word = empty
		case c == open && word == empty:
			next = s.readQuoted(i, end, open, shut, part)
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
		// The loop has already reported the dot at the end.
	default:
		s.fault(end, end, 0, fmt.Sprintf("the %s is empty, or ends with a dot", part))
	}
}

// readQuoted reads the quoted string or domain literal that begins at the offset start. It
// returns the offset after the closing character.
func (s *scanner) readQuoted(start, end int, open, shut byte, part string) int {
	_, size := bnf.Octet(s.text, start)
	pair := false // the octet follows "\"
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
	s.fault(start, end, open, fmt.Sprintf("%q has no closing %q", open, shut))
	return end
}

func (s *scanner) isAtom(c byte) bool {
	return octet.Is(c, octet.Atom) || s.isUTF8 && c >= utf8.RuneSelf
}

// isQuotable reports whether c may occur in a quoted string, perhaps after "\".
func (s *scanner) isQuotable(c byte) bool {
	return c >= ' ' && c < 0x7F || c == '\t' || s.isUTF8 && c >= utf8.RuneSelf
}

func reason(c byte, part string, afterWord bool) string {
	switch {
	case c < ' ' && c != '\t' || c == 0x7F:
		return fmt.Sprintf("a control character (%02X hexadecimal) can't be in an address", c)
	case c == '<' || c == '>':
		return `write the address without "<" and ">"`
	case c == '(' || c == ')':
		return "write the address without a comment"
	case afterWord:
		return fmt.Sprintf("only a dot can follow the quotes in the %s", part)
	case c >= utf8.RuneSelf:
		return fmt.Sprintf("non-ASCII octet %02X hexadecimal: RFC 822 addresses are US-ASCII", c)
	case part == "domain":
		return fmt.Sprintf("%q can't be in a domain", c)
	}
	return fmt.Sprintf("%q in the local part must be in a quoted string: %%22...%%22", c)
}
