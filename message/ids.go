package message

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
)

// ParseIDs returns the identifiers in a References or In-Reply-To field, without "<" and ">"
// (RFC 5322 section 3.6.4). ParseIDs skips comments, quoted strings and words between the
// identifiers. ParseIDs removes spaces in an identifier, where a line was folded. If text
// contains no "<" and every word looks like an identifier, the words are the identifiers.
func ParseIDs(text string) []string {
	s := scanIDs(text)
	if s.ids != nil || s.cut != "" {
		return s.ids
	}
	for _, word := range s.words {
		if at := strings.IndexByte(word, '@'); at <= 0 || at == len(word)-1 || strings.ContainsAny(word, `<>"(),;:`) {
			return nil
		}
	}
	return s.words
}

// messageIDs returns the identifiers in a Message-ID or Content-ID field, without "<" and ">".
// A valid field contains one identifier. messageIDs reads the field like [ParseIDs], but also
// accepts a "<" without ">". If the field contains no "<", messageIDs returns the first word.
func messageIDs(text string) []string {
	s := scanIDs(text)
	switch {
	case s.ids != nil:
		return s.ids
	case s.cut != "":
		return []string{s.cut}
	case len(s.words) > 0:
		if word := strings.TrimRight(s.words[0], ">,;"); word != "" {
			return []string{word}
		}
	}
	return nil
}

// firstID returns the first result of messageIDs, or "" if there is none.
func firstID(text string) string {
	if list := messageIDs(text); len(list) > 0 {
		return list[0]
	}
	return ""
}

// idScanner splits a header field into identifiers.
type idScanner struct {
	text  string
	ids   []string // texts between "<" and ">"
	cut   string   // the word after a "<" without ">"
	words []string // words outside of "<" and ">"

	angles angleFinder
	// noComment and noString are set when the end of a comment or of a quoted string is
	// missing. The scanner then does not search for such an end again, so scanning takes
	// linear time.
	noComment, noString bool
}

func scanIDs(text string) idScanner {
	s := idScanner{text: text}
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case isSpace(c):
			i++
		case c == '(' && !s.noComment:
			end := endOfComment(text, i)
			if s.noComment = end < 0; s.noComment {
				end = i + 1
			}
			i = end
		case c == '"' && !s.noString && s.isPhrase(i):
			i = endOfString(text, i)
		case c == '<':
			i = s.readAngle(i + 1)
		default:
			i = s.readWord(i)
		}
	}
	return s
}

// isPhrase reports whether the quoted string at offset i is a phrase, and not the local part
// of an identifier.
func (s *idScanner) isPhrase(i int) bool {
	end := endOfString(s.text, i)
	s.noString = end < 0
	return end >= 0 && (end == len(s.text) || s.text[end] != '@')
}

// readWord reads the word at offset i and returns the offset of its end. A quoted string within
// the word may contain spaces.
func (s *idScanner) readWord(i int) (end int) {
	start := i
	for i < len(s.text) && !isSpace(s.text[i]) && s.text[i] != '<' && (s.text[i] != '(' || i == start) {
		if s.text[i] == '"' && !s.noString {
			if end := endOfString(s.text, i); end > 0 {
				i = end
				continue
			}
			s.noString = true
		}
		i++
	}
	if s.text[start] != '(' || i > start+1 {
		s.words = append(s.words, unfoldID(s.text[start:i]))
	}
	return i
}

// readAngle reads the text between the "<" before the offset i and the matching ">", and returns
// the offset after the ">". If the text contains another "<", the identifier begins after the
// last "<".
func (s *idScanner) readAngle(i int) int {
	end := s.angles.findEnd(s.text, i)
	if end < 0 {
		end = i
		for end < len(s.text) && !isSpace(s.text[end]) {
			end++
		}
		if s.cut == "" {
			s.cut = s.text[i:end]
		}
		return end
	}
	if id := unfoldID(s.text[i:end]); id != "" {
		s.ids = append(s.ids, id)
	}
	return end + 1
}

// unfoldID removes spaces from an identifier, except within quoted strings.
func unfoldID(text string) string {
	if !strings.ContainsAny(text, " \t\r\n<") {
		return text
	}
	id := make([]byte, 0, len(text))
	quoted := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && quoted && i+1 < len(text) && !isLineEnd(text[i+1]):
			id = append(id, c)
			i++
			c = text[i]
		case c == '"':
			quoted = !quoted
		case isLineEnd(c), isSpace(c) && !quoted:
			continue
		case c == '<' && !quoted:
			id = id[:0]
			continue
		}
		id = append(id, c)
	}
	return string(id)
}

// angleFinder finds the ">" for each "<" in a text. The fields record which characters do not
// occur in the rest of the text, so that all searches together take linear time.
type angleFinder struct{ noQuotes, noAngle bool }

// findEnd returns the offset of the ">" for the "<" before the offset i, or -1 if the ">" is
// missing. A ">" in a quoted string is skipped if another ">" follows.
func (a *angleFinder) findEnd(text string, i int) int {
	quoted := false
	for j := i; j < len(text) && !a.noQuotes; j++ {
		switch {
		case text[j] == '\\' && quoted:
			j++
		case text[j] == '"':
			quoted = !quoted
		case text[j] == '>' && !quoted:
			return j
		}
	}
	a.noQuotes = true
	if !a.noAngle {
		if n := strings.IndexByte(text[i:], '>'); n >= 0 {
			return i + n
		}
		a.noAngle = true
	}
	return -1
}

// endOfComment returns the offset after the comment at offset i (RFC 5322 section 3.2.2), or
// -1 if the comment is not closed.
func endOfComment(text string, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// endOfString returns the offset after the quoted string at offset i (RFC 5322 section 3.2.4),
// or -1 if the string is not closed.
func endOfString(text string, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

func isSpace(c byte) bool { return isBlank(c) || isLineEnd(c) }

func isLineEnd(c byte) bool { return c == '\n' || c == '\r' }

// messageURL returns the URL of the message with the identifier id, which must not include "<"
// and ">". The scheme must be "news" (RFC 1738 section 3.6) or "mid" ("Message-Id" in the URI
// draft; RFC 2392). messageURL returns a [*locus.SyntaxError] if id is empty or too long, or if
// the scheme is "news" and id contains no "@".
func messageURL(scheme, id string) (locus.URL, error) {
	at := strings.LastIndexByte(id, '@')
	if id == "" || scheme == "news" && at < 0 {
		return locus.URL{}, locus.NewSyntaxError(scheme+":"+id, len(scheme)+1, "addr-spec", errNoID)
	}
	// Of the reserved characters, only the "@" before the domain stays unescaped. An unescaped "/"
	// would split a mid URL.
	text := escape.Encode(id[at+1:], escape.Unreserved())
	if at >= 0 {
		text = escape.Encode(id[:at], escape.Unreserved()) + "@" + text
	}
	return locus.Parts{Scheme: scheme, SchemePart: &text}.URL()
}

// messageURLs returns the URLs of messages in the order of ids, without duplicates. Identifiers
// for which messageURL fails are skipped.
func messageURLs(scheme string, ids ...string) []locus.URL {
	var list []locus.URL
	seen := map[locus.URL]bool{}
	for _, id := range ids {
		if u, err := messageURL(scheme, id); err == nil && !seen[u] {
			seen[u] = true
			list = append(list, u)
		}
	}
	return list
}

// Thread returns the URLs of the messages to which this message refers, in order and without
// duplicates. Thread returns news URLs for a news article, and mid URLs for a mail message. A
// message with a Newsgroups field is an article. For other messages from a news server, the
// caller must set isArticle.
func (h Header) Thread(isArticle bool) []locus.URL {
	scheme := "mid"
	if isArticle || h.Get("Newsgroups") != "" {
		scheme = "news"
	}
	return messageURLs(scheme, append(h.References(), h.InReplyTo()...)...)
}
