package http

import "strings"

// challenge is an authentication scheme that a server offers.
type challenge struct{ scheme, realm string }

// parseChallenges parses the values of WWW-Authenticate. Each value may contain several
// challenges. A challenge consists of the name of an authentication scheme and parameters (RFC
// 9110 section 11.6.1).
func parseChallenges(values []string) []challenge {
	var list []challenge
	for _, value := range values {
		for _, item := range listItems(value) {
			word, rest, _ := strings.Cut(item, " ")
			rest = strings.TrimSpace(rest)
			if word != "" && !strings.Contains(word, "=") && !strings.HasPrefix(rest, "=") {
				list = append(list, challenge{scheme: word})
				item = rest
			}
			name, text, _ := strings.Cut(item, "=")
			if len(list) > 0 && strings.EqualFold(strings.TrimSpace(name), "realm") {
				realm := unquote(strings.TrimSpace(text))
				list[len(list)-1].realm = realm[:min(len(realm), maxText)]
			}
		}
	}
	return list
}

// listItems splits value at the commas outside quoted strings.
func listItems(value string) []string {
	var items []string
	start, quoted := 0, false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			items = append(items, strings.TrimSpace(value[start:i]))
			start = i + 1
		}
	}
	return append(items, strings.TrimSpace(value[start:]))
}

// unquote decodes a quoted string. It returns a token unchanged.
func unquote(text string) string {
	if text == "" || text[0] != '"' {
		return text
	}
	var b strings.Builder
	for i := 1; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
