package message

import (
	"strings"

	"github.com/locus-url/locus/internal/charset"
)

// Address is a mailbox (RFC 5322 section 3.4).
type Address struct {
	Name string // decoded; empty: none
	Addr string // the addr-spec as written, UTF-8 in the manner of RFC 6532 included; it may be none at all
}

// String returns the address for people: Name <Addr>. It is not for a header.
func (a Address) String() string {
	if a.Name == "" || a.Addr == "" {
		return a.Name + a.Addr
	}
	return a.Name + " <" + a.Addr + ">"
}

// addresses reads a list of addresses and never fails: what is no address comes
// out as near to what was written as can be.
type addresses struct {
	list []Address

	phrase  []byte // what was read, with quoted strings taken out of their quotes
	written []byte // the same with the quotes
	comment []byte
	angle   []byte // between "<" and ">"
	inAngle bool   // there was a "<"

	noQuotes bool // a quoted string has no end: ">" counts everywhere
}

// parseAddresses reads mailboxes and groups; of a group, its members.
func parseAddresses(text string) []Address {
	var a addresses
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '"':
			i = a.quoted(text, i)
			continue
		case '(':
			i = a.inParentheses(text, i)
			continue
		case '<':
			end := a.closing(text, i+1)
			a.inAngle = true
			a.angle = append(a.angle[:0], text[i+1:end]...)
			i = end
		case ',', ';':
			a.finish()
		case ':':
			// The name of a group, or "mailto:", is no part of what follows.
			a.phrase, a.written = a.phrase[:0], a.written[:0]
		default:
			a.phrase = append(a.phrase, c)
			a.written = append(a.written, c)
		}
		i++
	}
	a.finish()
	return a.list
}

// closing returns where the ">" is that ends what begins at i, or the end of text. One
// in a quoted string is not the end if another follows.
func (a *addresses) closing(text string, i int) int {
	if !a.noQuotes {
		if end := closing(text, i, true); end >= 0 {
			return end
		}
		a.noQuotes = true
	}
	if end := closing(text, i, false); end >= 0 {
		return end
	}
	return len(text)
}

// quoted reads the quoted string at i and returns where it ends.
func (a *addresses) quoted(text string, i int) int {
	start := i
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		a.phrase = append(a.phrase, text[i])
	}
	i = min(i+1, len(text))
	a.written = append(a.written, text[start:i]...)
	return i
}

// inParentheses reads the comment at i, in which others may be, and returns where
// it ends.
func (a *addresses) inParentheses(text string, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c == '(':
			if depth++; depth == 1 {
				continue
			}
		case c == ')':
			if depth--; depth == 0 {
				return i + 1
			}
		case c == '\\' && i+1 < len(text):
			i++
		}
		a.comment = append(a.comment, text[i])
	}
	return i
}

// finish ends an address.
func (a *addresses) finish() {
	made := Address{Addr: withoutRoute(string(a.angle))}
	name := strings.TrimSpace(string(a.phrase))
	if !a.inAngle {
		made.Addr, name = strings.TrimSpace(string(a.written)), ""
	}
	if strings.IndexByte(made.Addr, '"') < 0 && strings.IndexByte(made.Addr, '@') >= 0 {
		made.Addr = squeeze(withoutComments(made.Addr))
	}
	if name == "" {
		name = string(a.comment)
	}
	made.Name = strings.TrimSpace(DecodeWords(name))
	made.Addr = oneLine(charset.Text(made.Addr))
	if made != (Address{}) {
		a.list = append(a.list, made)
	}
	*a = addresses{list: a.list, noQuotes: a.noQuotes, phrase: a.phrase[:0], written: a.written[:0], comment: a.comment[:0], angle: a.angle[:0]}
}

// withoutRoute takes off the route that RFC 5322 section 4.4 says to ignore.
func withoutRoute(addr string) string {
	if strings.HasPrefix(addr, "@") {
		if _, rest, ok := strings.Cut(addr, ":"); ok {
			return rest
		}
	}
	return addr
}

// squeeze returns text without blanks.
func squeeze(text string) string {
	if !strings.ContainsAny(text, " \t\r\n") {
		return text
	}
	return strings.Join(strings.Fields(text), "")
}
