package prospero

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
)

// mustQuote are the octets for which a token is quoted when it is sent.
const mustQuote = " \t\n\v\f\r/'+,"

// AppendToken appends a token to a request: as it is, or between apostrophes,
// with each apostrophe within it twice. Octets beyond US-ASCII stay as they are.
// A token with a NUL can't be sent; the error wraps [locus.ErrValue].
func AppendToken(dst []byte, token string) ([]byte, error) {
	if strings.IndexByte(token, 0) >= 0 {
		return dst, fmt.Errorf("%s: %w: a token that is sent has no NUL", locus.Quote(token), locus.ErrValue)
	}
	if token != "" && !strings.ContainsAny(token, mustQuote) {
		return append(dst, token...), nil
	}
	dst = append(dst, '\'')
	for {
		i := strings.IndexByte(token, '\'')
		if i < 0 {
			return append(append(dst, token...), '\''), nil
		}
		dst = append(append(dst, token[:i]...), "''"...)
		token = token[i+1:]
	}
}

// isWord reports whether a token is sent without quotes, as keywords are.
func isWord(token string) bool {
	return token != "" && !strings.ContainsAny(token, mustQuote+"\x00")
}

// cutLine returns the first line of a message without its end, and what follows.
// Inside quotes no octet ends a line. closed reports whether no quotes are open
// at the end of it; if they are, it is the rest of the message.
func cutLine(message string) (line, rest string, closed bool) {
	for i := 0; i < len(message); i++ {
		switch message[i] {
		case '\n', '\r':
			return message[:i], message[i+1:], true
		case '\'':
			// Two apostrophes inside quotes end them and begin them again.
			n := strings.IndexByte(message[i+1:], '\'')
			if n < 0 {
				return message, "", false
			}
			i += 1 + n
		}
	}
	return message, "", true
}

// cutRawLine is [cutLine] for text in which an apostrophe is one like any other
// character.
func cutRawLine(message string) (line, rest string) {
	if i := strings.IndexAny(message, "\r\n"); i >= 0 {
		return message[:i], message[i+1:]
	}
	return message, ""
}

func isBlank(o byte) bool { return o == ' ' || o == '\t' }

func trimBlanks(text string) string { return strings.TrimLeft(text, " \t") }

// cutToken returns the first token of a line, and what follows it: empty, or
// blanks and more. The line begins with neither blank nor its end, and its quotes
// are closed.
func cutToken(line string) (token, rest string) {
	i := 0
	for i < len(line) && !isBlank(line[i]) {
		if line[i] == '\'' {
			i += 1 + strings.IndexByte(line[i+1:], '\'')
		}
		i++
	}
	return unquote(line[:i]), line[i:]
}

// appendTokens appends the tokens of a line to list.
func appendTokens(list []string, line string) []string {
	for rest := trimBlanks(line); rest != ""; rest = trimBlanks(rest) {
		var token string
		token, rest = cutToken(rest)
		list = append(list, token)
	}
	return list
}

// appendRawTokens appends what is between the blanks of a line to list.
func appendRawTokens(list []string, line string) []string {
	for rest := trimBlanks(line); rest != ""; rest = trimBlanks(rest) {
		i := strings.IndexAny(rest, " \t")
		if i < 0 {
			i = len(rest)
		}
		list = append(list, rest[:i])
		rest = rest[i:]
	}
	return list
}

// unquote returns text without the apostrophes that begin and end quotes.
func unquote(text string) string {
	i := strings.IndexByte(text, '\'')
	if i < 0 {
		return text
	}
	if last := len(text) - 1; i == 0 && last > 0 && strings.IndexByte(text[1:], '\'') == last-1 {
		return text[1:last]
	}
	var b strings.Builder
	b.Grow(len(text))
	for quoted := false; i >= 0; i = strings.IndexByte(text, '\'') {
		b.WriteString(text[:i])
		text = text[i+1:]
		if quoted && strings.HasPrefix(text, "'") {
			b.WriteByte('\'')
			text = text[1:]
			continue
		}
		quoted = !quoted
	}
	b.WriteString(text)
	return b.String()
}
