package prosperotest

import "strings"

// special lists the octets that the original server quotes in a token.
const special = " \t\n\v\f\r/'+,"

// appendToken appends a token with the same quotes as the original server. The quotes start at the
// first octet that needs quotes, and end at the end of the token.
func appendToken(dst []byte, token string) []byte {
	if token == "" {
		return append(dst, "''"...)
	}
	i := strings.IndexAny(token, special)
	if i < 0 {
		return append(dst, token...)
	}
	dst = append(dst, token[:i]...)
	dst = append(dst, '\'')
	for ; i < len(token); i++ {
		if token[i] == '\'' {
			dst = append(dst, '\'')
		}
		dst = append(dst, token[i])
	}
	return append(dst, '\'')
}

func appendTokens(dst []byte, tokens ...string) []byte {
	for i, t := range tokens {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = appendToken(dst, t)
	}
	return dst
}

// cutLine splits message after its first line. If the message ends while quotes are open, ok is
// false.
func cutLine(message string) (line, rest string, ok bool) {
	quoted := false
	for i := range len(message) {
		switch message[i] {
		case '\'':
			quoted = !quoted
		case '\n':
			if !quoted {
				return message[:i], message[i+1:], true
			}
		}
	}
	return message, "", !quoted
}

// split returns the tokens of a line. If the line has no tokens, or a carriage return
// outside quotes makes it empty, ok is false.
func split(line string) (tokens []string, ok bool) {
	var token []byte
	inToken, quoted := false, false
	end := func() {
		if inToken {
			tokens = append(tokens, string(token))
		}
		token, inToken = nil, false
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'' && quoted && i+1 < len(line) && line[i+1] == '\'':
			token = append(token, c)
			i++
		case c == '\'':
			inToken, quoted = true, !quoted
		case quoted:
			token = append(token, c)
		case c == '\r':
			return nil, false
		case c == ' ' || c == '\t':
			end()
		default:
			inToken, token = true, append(token, c)
		}
	}
	end()
	return tokens, len(tokens) > 0
}
