package message

import (
	"strings"

	"github.com/locus-url/locus/internal/charset"
)

// Address is a mailbox (RFC 5322 section 3.4).
type Address struct {
	Name string // the decoded display name or comment, or ""
	Addr string // the addr-spec as written, which may be invalid or contain UTF-8 (RFC 6532)
}

// String returns the address as "Name <Addr>" for display. The result is not valid in a header.
func (a Address) String() string {
	if a.Name == "" || a.Addr == "" {
		return a.Name + a.Addr
	}
	return a.Name + " <" + a.Addr + ">"
}

// addresses parses a list of addresses and never fails. For an invalid address, the parser
// returns a result that is close to the text.
type addresses struct {
	list []Address

	phrase  []byte // text of the current phrase, without the quotes of quoted strings
	written []byte // the same text with the quotes
	comment []byte
	angle   []byte // the text so far between "<" and ">"
	inAngle bool   // whether a "<" is open

	angles angleFinder
}

// parseAddresses reads mailboxes and the members of groups.
func parseAddresses(text string) []Address {
	var a addresses
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '"':
			i = a.readQuoted(text, i)
			continue
		case '(':
			i = a.inParentheses(text, i)
			continue
		case '<':
			end := a.angles.findEnd(text, i+1)
			if end < 0 {
				end = len(text)
			}
			a.inAngle = true
			a.angle = append(a.angle[:0], text[i+1:end]...)
			i = end
		case ',', ';':
			a.finish()
		case ':':
			// A group name or "mailto:" is not part of the address that follows.
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

// readQuoted reads the quoted string at offset i and returns the offset of its end.
func (a *addresses) readQuoted(text string, i int) int {
	end := endOfString(text, i)
	if end < 0 {
		end = len(text)
		a.phrase = appendUnquoted(a.phrase, text[i+1:])
	} else {
		a.phrase = appendUnquoted(a.phrase, text[i+1:end-1])
	}
	a.written = append(a.written, text[i:end]...)
	return end
}

func (a *addresses) inParentheses(text string, i int) int {
	end := endOfComment(text, i)
	if end < 0 {
		a.comment = appendUnquoted(a.comment, text[i+1:])
		return len(text)
	}
	a.comment = appendUnquoted(a.comment, text[i+1:end-1])
	return end
}

// appendUnquoted appends text without the "\" of quoted pairs.
func appendUnquoted(dst []byte, text string) []byte {
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		dst = append(dst, text[i])
	}
	return dst
}

func (a *addresses) finish() {
	made := Address{Addr: withoutRoute(string(a.angle))}
	name := strings.TrimSpace(string(a.phrase))
	if !a.inAngle {
		made.Addr, name = strings.TrimSpace(string(a.written)), ""
	}
	if strings.IndexByte(made.Addr, '"') < 0 && strings.IndexByte(made.Addr, '@') >= 0 {
		made.Addr = collapseSpace(withoutComments(made.Addr))
	}
	if name == "" {
		name = string(a.comment)
	}
	made.Name = strings.TrimSpace(DecodeWords(name))
	made.Addr = oneLine(charset.Text(made.Addr))
	if made != (Address{}) {
		a.list = append(a.list, made)
	}
	*a = addresses{list: a.list, angles: a.angles, phrase: a.phrase[:0], written: a.written[:0], comment: a.comment[:0], angle: a.angle[:0]}
}

// withoutRoute removes an obsolete route, which RFC 5322 section 4.4 requires parsers to
// ignore.
func withoutRoute(addr string) string {
	if strings.HasPrefix(addr, "@") {
		if _, rest, ok := strings.Cut(addr, ":"); ok {
			return rest
		}
	}
	return addr
}

func collapseSpace(text string) string {
	if !strings.ContainsAny(text, " \t\r\n") {
		return text
	}
	return strings.Join(strings.Fields(text), "")
}
