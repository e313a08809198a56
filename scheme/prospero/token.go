package prospero

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
)

// mustQuote lists the octets that require quotes around a token in a request.
const mustQuote = " \t\n\v\f\r/'+,"

// appendToken appends a token to a request. If the token needs quotes, appendToken writes it
// between apostrophes and doubles each apostrophe in the token. It does not change non-ASCII
// octets. If the token contains a NUL, which a request cannot contain, the error wraps
// [locus.ErrValue].
func appendToken(dst []byte, token string) ([]byte, error) {
	if strings.IndexByte(token, 0) >= 0 {
		return dst, fmt.Errorf("%s: %w: a token can't contain NUL", locus.Quote(token), locus.ErrValue)
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

// isWord reports whether a token needs no quotes.
func isWord(token string) bool {
	return token != "" && !strings.ContainsAny(token, mustQuote+"\x00")
}

// cutLine splits message after its first line and removes the line end. Quoted text may contain
// line ends. If quotes are still open at the end of message, isClosed is false and line is the
// whole message.
func cutLine(message string) (line, rest string, isClosed bool) {
	for i := 0; i < len(message); i++ {
		switch message[i] {
		case '\n', '\r':
			return message[:i], message[i+1:], true
		case '\'':
			// Two apostrophes inside quotes end the quotes and begin them again.
			n := strings.IndexByte(message[i+1:], '\'')
			if n < 0 {
				return message, "", false
			}
			i += 1 + n
		}
	}
	return message, "", true
}

// cutRawLine is like [cutLine], but treats an apostrophe as an ordinary character.
func cutRawLine(message string) (line, rest string) {
	if i := strings.IndexAny(message, "\r\n"); i >= 0 {
		return message[:i], message[i+1:]
	}
	return message, ""
}

func isBlank(r rune) bool { return r == ' ' || r == '\t' }

func trimBlanks(text string) string { return strings.TrimLeft(text, " \t") }

// cutToken splits a line after its first token. The remaining text rest is empty or begins with a
// space. The line must begin with a token and must not contain open quotes.
func cutToken(line string) (token, rest string) {
	i := 0
	for i < len(line) && !isBlank(rune(line[i])) {
		if line[i] == '\'' {
			i += 1 + strings.IndexByte(line[i+1:], '\'')
		}
		i++
	}
	return unquote(line[:i]), line[i:]
}

func appendTokens(list []string, line string) []string {
	for rest := trimBlanks(line); rest != ""; rest = trimBlanks(rest) {
		var token string
		token, rest = cutToken(rest)
		list = append(list, token)
	}
	return list
}

// unquote removes the apostrophes that enclose quoted text.
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
