package message

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
)

// ParseIDs returns the identifiers in text, without the "<" and ">" that are around
// them (RFC 5322 section 3.6.4). Whatever else is there, is left out. A line that was
// folded in the middle of an identifier left blanks in it, which are no part of it. Of
// a text without "<" all words are identifiers, if they look like some.
func ParseIDs(text string) []string {
	var list []string
	for {
		_, after, ok := strings.Cut(text, "<")
		if !ok {
			break
		}
		id, rest, ok := strings.Cut(after, ">")
		if !ok {
			break
		}
		// The last "<" is the one: those before it are junk.
		if id = squeeze(id[strings.LastIndexByte(id, '<')+1:]); id != "" {
			list = append(list, id)
		}
		text = rest
	}
	if list == nil {
		return bareIDs(text)
	}
	return list
}

// bareIDs returns identifiers that were written without "<" and ">": all words, if
// they look like that.
func bareIDs(text string) []string {
	words := strings.Fields(text)
	for _, word := range words {
		if at := strings.IndexByte(word, '@'); at <= 0 || at == len(word)-1 || strings.ContainsAny(word, `<>"(),;:`) {
			return nil
		}
	}
	return words
}

// firstID returns the identifier of a field that has one: Message-ID, Content-ID.
func firstID(text string) string {
	if list := ParseIDs(text); len(list) > 0 {
		return list[0]
	}
	return strings.Trim(text, "<> \t")
}

// Link returns the URL of the message with that identifier, which is without "<"
// and ">". scheme is "news" (RFC 1738 section 3.6) or "mid" ("Message-Id" in the URI
// draft; RFC 2392). The error is a [*locus.SyntaxError]: id is empty, too long, or
// one that no news URL can have, since it has no "@".
func Link(scheme, id string) (locus.URL, error) {
	at := strings.LastIndexByte(id, '@')
	if id == "" || scheme == "news" && at < 0 {
		return locus.URL{}, locus.NewSyntaxError(scheme+":"+id, len(scheme)+1, "addr-spec", errNoID)
	}
	// The "@" that splits is written as it is; "/", which splits a mid URL, and all
	// else that is reserved never is.
	text := escape.Encode(id[at+1:], escape.Unreserved())
	if at >= 0 {
		text = escape.Encode(id[:at], escape.Unreserved()) + "@" + text
	}
	return locus.Parts{Scheme: scheme, SchemePart: &text}.URL()
}

// Links returns the URLs of the messages with these identifiers, in order and each
// once. Those of which [Link] makes none are left out. For a thread, the identifiers
// are those of [Header.References] and [Header.InReplyTo].
func Links(scheme string, ids ...string) []locus.URL {
	var list []locus.URL
	seen := map[locus.URL]bool{}
	for _, id := range ids {
		if u, err := Link(scheme, id); err == nil && !seen[u] {
			seen[u] = true
			list = append(list, u)
		}
	}
	return list
}
