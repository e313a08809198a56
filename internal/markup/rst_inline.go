package markup

import (
	"strings"
)

// rstMarks contains the bytes that begin an inline element in reStructuredText. The table must not
// be modified.
var rstMarks = [256]bool{'\\': true, '`': true}

// rstInlines reads the inline elements in a paragraph once, from left to right.
type rstInlines struct {
	*rst
	s   string // source up to the end of the paragraph
	run int
	// literalAt is the offset at which the last search found the end of a literal, which is
	// text in "``". The field quoteAt is the offset at which the last search found the end of
	// text in "`". A later search may skip the text before this offset.
	literalAt, quoteAt int
}

// inline yields the pieces of the paragraph between the offsets start and end.
func (r *rst) inline(start, end int) {
	if start >= end || r.done {
		return
	}
	l := rstInlines{rst: r, s: r.text[:end], run: start, literalAt: -1, quoteAt: -1}
	for i := start; i < end && !r.done; {
		switch {
		case !rstMarks[l.s[i]]:
			i++
		case l.s[i] == '\\':
			i += 2
		default:
			i = l.readQuoted(start, i)
		}
	}
	l.flush(end)
}

func (l *rstInlines) flush(end int) {
	l.emit(Piece{Kind: Prose, Start: l.run, End: end})
	l.run = max(l.run, end)
}

// readQuoted reads the inline element that begins with the "`" at the offset i. The paragraph
// begins at the offset start.
func (l *rstInlines) readQuoted(start, i int) int {
	s := l.s
	if strings.HasPrefix(s[i:], "``") {
		next := i + fenceSize(s[i:], '`')
		if next-i > 2 || !l.mayOpen(start, i) || next == len(s) || IsSpace(s[next]) {
			return next
		}
		end := l.literalEnd(next)
		if end < 0 {
			return next
		}
		l.flush(i)
		l.emit(Piece{Kind: Code, Start: next, End: end})
		l.run = end + 2
		return l.run
	}
	role, before := l.roleBefore(start, i)
	if !l.mayOpen(start, before) || i+1 == len(s) || IsSpace(s[i+1]) {
		return i + 1
	}
	end := l.quoteEnd(i + 2)
	if end < 0 {
		return i + 1
	}
	after, reference, next := quoteSuffix(s, end)
	if role == "" {
		role = after
	}
	l.flush(before)
	l.emitQuotation(role, reference, i+1, end)
	l.run = next
	return next
}

// mayOpen reports whether an inline element may begin at the offset i. The answer depends on the
// preceding character.
func (l *rstInlines) mayOpen(start, i int) bool {
	return i == start || IsSpace(l.s[i-1]) || l.s[i-1] >= 0x80 || strings.IndexByte(`-/:"'(<[{_`, l.s[i-1]) >= 0
}

// closesInline reports whether an inline element may end at the offset i. The answer depends on
// the character at this offset.
func closesInline(s string, i int) bool {
	return i == len(s) || IsSpace(s[i]) || s[i] >= 0x80 || strings.IndexByte(`\-/:.,;!?"')>]}`, s[i]) >= 0
}

// literalEnd returns the offset of the two backquotes that end the literal at the offset i. If the
// literal has no end, literalEnd returns -1.
func (l *rstInlines) literalEnd(i int) int {
	for end := max(i+1, l.literalAt); end < len(l.s); end++ {
		n := strings.Index(l.s[end:], "``")
		if n < 0 {
			break
		}
		end += n
		if size := fenceSize(l.s[end:], '`'); size > 2 {
			end += size - 2
		}
		if !IsSpace(l.s[end-1]) && closesInline(l.s, end+2) {
			l.literalAt = end
			return end
		}
	}
	l.literalAt = len(l.s)
	return -1
}

// quoteEnd returns the offset of the "`" that ends a quoted text. The second byte of the text is
// at the offset i. If the text has no end, quoteEnd returns -1.
func (l *rstInlines) quoteEnd(i int) int {
	for end := max(i, l.quoteAt); end < len(l.s); end++ {
		n := strings.IndexByte(l.s[end:], '`')
		if n < 0 {
			break
		}
		end += n
		if IsSpace(l.s[end-1]) || l.s[end-1] == '\\' {
			continue
		}
		if _, _, next := quoteSuffix(l.s, end); closesInline(l.s, next) {
			l.quoteAt = end
			return end
		}
	}
	l.quoteAt = len(l.s)
	return -1
}

// maxRole is the maximum size of the name of a role.
const maxRole = 64

// quoteSuffix returns the suffix after the "`" at the offset i. The suffix is a role, or a
// reference mark ("_" or "__").
func quoteSuffix(s string, i int) (role string, reference bool, next int) {
	next = i + 1
	if next < len(s) && s[next] == ':' {
		near := s[next+1 : min(len(s), next+1+maxRole)]
		if end := strings.IndexByte(near, ':'); end > 0 && isSimpleName(near[:end]) {
			return near[:end], false, next + 1 + end + 1
		}
	}
	for n := 0; n < 2 && next < len(s) && s[next] == '_'; n++ {
		reference = true
		next++
	}
	return "", reference, next
}

// inlineTarget is used as the role of an inline target, which is a text that is also a reference
// name.
const inlineTarget = "_"

// roleBefore returns the role before the "`" at the offset i, and the offset of the role.
func (l *rstInlines) roleBefore(start, i int) (role string, roleStart int) {
	switch {
	case i == start || l.run >= i:
		return "", i
	case l.s[i-1] == '_' && (i-1 == start || IsSpace(l.s[i-2]) || strings.IndexByte(`-/:"'(<[{`, l.s[i-2]) >= 0):
		return inlineTarget, i - 1
	case l.s[i-1] != ':':
		return "", i
	}
	near := l.s[max(l.run, i-1-maxRole) : i-1]
	colon := strings.LastIndexAny(near, " \t\n`")
	at := strings.IndexByte(near[colon+1:], ':')
	if at < 0 {
		return "", i
	}
	role = near[colon+1+at+1:]
	if !isSimpleName(role) {
		return "", i
	}
	return role, i - 1 - len(role) - 1
}

// emitQuotation yields the quoted text between the offsets start and end.
func (l *rstInlines) emitQuotation(role string, reference bool, start, end int) {
	switch role {
	case "":
	case inlineTarget:
		if l.names != nil {
			l.names.add(l.s[start:end])
		}
		l.emit(Piece{Kind: Prose, Start: start, End: end})
		return
	case "doc", "download":
		l.emitNamed(Role, start, end)
		return
	case "ref", "numref", "std:ref", "std:doc":
		kind := Label
		if role == "std:doc" {
			kind = Role
		}
		l.emitNamed(kind, start, end)
		return
	default:
		l.emit(Piece{Kind: Code, Start: start, End: end})
		return
	}
	at, ok := embeddedStart(l.s[start:end])
	switch {
	case !reference:
		l.emit(Piece{Kind: Code, Start: start, End: end})
	case ok && !isEmbeddedAlias(l.s[start+at:end-1]):
		l.emitURI(Link, start+at, end-1)
	}
}

// isEmbeddedAlias reports whether the text between "<" and ">" is the name of a target.
func isEmbeddedAlias(text string) bool {
	return strings.HasSuffix(text, "_") && !strings.HasSuffix(text, `\_`) && !strings.Contains(text, "://")
}

// emitNamed yields the name of a document or a label in a role. The role contains "name" or "text
// <name>". If the role begins with "!", it contains only text.
func (l *rstInlines) emitNamed(kind PieceKind, start, end int) {
	if l.s[start] == '!' {
		return
	}
	if at, ok := embeddedStart(l.s[start:end]); ok {
		start, end = start+at, end-1
	}
	p := Piece{Kind: kind, Start: start, End: end}
	if text := strings.Join(strings.Fields(l.s[start:end]), " "); text != l.s[start:end] {
		p.Text = text
	}
	l.emit(p)
}

// embeddedStart returns the offset of the destination in "text <destination>".
func embeddedStart(text string) (at int, ok bool) {
	if !strings.HasSuffix(text, ">") || strings.HasSuffix(text, `\>`) {
		return 0, false
	}
	at = strings.LastIndexByte(text, '<') + 1
	return at, at > 0 && at < len(text)-1 && (at == 1 || IsSpace(text[at-2])) && !IsSpace(text[at])
}
