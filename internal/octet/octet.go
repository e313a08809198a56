// Package octet provides the table of character classes for all parsers in this module. The
// package contains the "Miscellaneous definitions" of RFC 1738 section 5, and other sets that
// the schemes' productions use. Each set is a bit.
//
// A test for several sets needs one load and one bitwise AND. The bitwise AND of the classes
// of all octets in a text shows which sets contain every octet. [locus.Parse] computes its
// Facts in this way.
//
// Only this package may contain code for a specific processor. Such code must
// have a benchmark that justifies it, and a fuzz test against the portable code.
package octet

// Class is the class of an octet. Each bit means that a set of characters contains the octet.
// If a set of RFC 1738 allows escapes, the corresponding set contains "%". Callers must check the two digits
// after the "%".
type Class uint32

const (
	Alpha      Class = 1 << iota // alpha
	Upper                        // hialpha
	Digit                        // digit
	Hex                          // hex
	Scheme                       // scheme, and upper-case letters
	Label                        // alphadigit | "-": the characters of domain labels
	Group                        // characters of a newsgroup name after the first letter
	Unreserved                   // unreserved: alpha, digit, safe, extra
	// Fsegment, Hsegment, Uchar and Xchar have the same order as in locus.Facts.
	Fsegment // fsegment, psegment, and the "/" between them
	Hsegment // hsegment, and the "/" between them
	Uchar    // uchar: unreserved | escape
	Xchar    // xchar: unreserved | reserved | escape
	User     // user, password: uchar ; ? & =
	Search   // search: uchar ; : @ & =
	Field    // fieldname, fieldvalue: uchar ? : @ &
	Article  // article before the "@": uchar ; / ? : & =
	Xalpha   // xalpha and + of the URI draft: alpha digit $ - _ @ . & + ! * ' ( ) , and escape
	Atom     // atom of RFC 822: any graphic character except the specials
	Unsafe   // national and punctuation except "%", which must be encoded (section 2.2)
	High     // octets from 80 to FF hexadecimal, which are not US-ASCII
	ASCII    // all octets outside High
	Control  // 00 to 1F, 7F, and space, which never occur in a URL
	Literal  // all octets except "%"
	Stop     // "#", control characters and space, which end a path
	Go       // all octets outside Stop
	Generic  // characters in a path, query or fragment of RFC 3986
	NoQuery  // all octets except "?"
)

const (
	digits   = "0123456789"
	lower    = "abcdefghijklmnopqrstuvwxyz"
	upper    = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	safe     = "$-_.+"
	extra    = "!*'(),"
	reserved = ";/?:@&="
	plain    = lower + upper + digits + safe + extra
)

// table holds the class of every octet. The table is never modified.
var table = makeTable()

// Of returns the class of the octet c.
func Of(c byte) Class { return table[c] }

// Is reports whether any set in k contains the octet c.
func Is(c byte, k Class) bool { return table[c]&k != 0 }

func makeTable() (t [256]Class) {
	for _, set := range []struct {
		class  Class
		octets string
	}{
		{Alpha, lower + upper},
		{Upper, upper},
		{Digit, digits},
		{Hex, digits + "abcdefABCDEF"},
		{Scheme, lower + upper + digits + "+-."},
		{Label, lower + upper + digits + "-"},
		{Group, lower + upper + digits + "-.+_"},
		{Unreserved, plain},
		{Uchar, plain + "%"},
		{User, plain + "%;?&="},
		{Fsegment, plain + "%?:@&=/"},
		{Hsegment, plain + "%;:@&=/"},
		{Search, plain + "%;:@&="},
		{Field, plain + "%?:@&"},
		{Article, plain + "%;/?:&="},
		{Xchar, plain + "%" + reserved},
		{Xalpha, plain + "%@&"},
		{Generic, plain + "%~" + reserved},
		{Atom, lower + upper + digits + "!#$%&'*+-/=?^_`{|}~"},
		{Unsafe, "{}|\\^~[]`<>#\""},
		{Stop, "#"},
	} {
		for i := 0; i < len(set.octets); i++ {
			t[set.octets[i]] |= set.class
		}
	}
	for c := range t {
		switch {
		case c <= ' ' || c == 0x7F:
			t[c] = Control | Stop
		case c >= 0x80:
			t[c] = High
		}
		if t[c]&Stop == 0 {
			t[c] |= Go
		}
		if c < 0x80 {
			t[c] |= ASCII
		}
		if c != '%' {
			t[c] |= Literal
		}
		if c != '?' {
			t[c] |= NoQuery
		}
	}
	return t
}

// All returns the bitwise AND of the classes of all octets in text. The result consists of the
// sets that contain every octet. For an empty text, All returns all sets.
func All[T ~string | ~[]byte](text T) Class {
	all := ^Class(0)
	if len(text) < 8 {
		for i := 0; i < len(text); i++ {
			all &= table[text[i]]
		}
		return all
	}
	// Eight independent loads cost less than eight branches. Reading some of the last eight
	// octets twice does not change the result.
	for i, last := 0, len(text)-8; ; i = min(i+8, last) {
		b := text[i : i+8]
		all &= table[b[0]] & table[b[1]] & table[b[2]] & table[b[3]] &
			table[b[4]] & table[b[5]] & table[b[6]] & table[b[7]]
		if i == last {
			return all
		}
	}
}

// Run searches s from offset i for an octet in the set [Stop]. end is the offset of that octet,
// or the length of s if no such octet exists. common is the bitwise AND of the classes of the
// octets between i and end.
func Run(s string, i int) (end int, common Class) {
	common = ^Class(0)
	if len(s)-i >= 8 {
		// Read eight octets at a time, as in All.
		for last := len(s) - 8; ; i = min(i+8, last) {
			b := s[i : i+8]
			eight := table[b[0]] & table[b[1]] & table[b[2]] & table[b[3]] &
				table[b[4]] & table[b[5]] & table[b[6]] & table[b[7]]
			if eight&Go == 0 {
				break
			}
			common &= eight
			if i == last {
				return len(s), common
			}
		}
	}
	for ; i < len(s); i++ {
		class := table[s[i]]
		if class&Go == 0 {
			break
		}
		common &= class
	}
	return i, common
}

// ToLower returns text with US-ASCII letters in lower case. ToLower is used to compare hosts
// and HTML names. strings.ToLower would read other octets as UTF-8.
func ToLower(text string) string {
	if !HasUpper(text) {
		return text
	}
	b := []byte(text)
	for i, c := range b {
		if Is(c, Upper) {
			b[i] |= 0x20
		}
	}
	return View(b)
}

// IsEscape reports whether two hexadecimal digits follow the octet at offset i.
func IsEscape(text string, i int) bool {
	return i+2 < len(text) && Is(text[i+1], Hex) && Is(text[i+2], Hex)
}

// IsUpperEscape reports whether two hexadecimal digits without lower-case letters follow the
// octet at offset i.
func IsUpperEscape(text string, i int) bool {
	const kind = Digit | Upper
	return IsEscape(text, i) && Is(text[i+1], kind) && Is(text[i+2], kind)
}

// Unescape returns the octet that the escape at offset i encodes.
func Unescape(text string, i int) byte { return Unhex(text[i+1])<<4 | Unhex(text[i+2]) }

// Unhex returns the value of the hexadecimal digit c. For any other octet, the result is
// undefined.
func Unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}

// UpperHex contains the hexadecimal digits that this module writes in escapes. RFC 1738
// section 2.2 also permits lower-case digits.
const UpperHex = "0123456789ABCDEF"
