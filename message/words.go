package message

import (
	"strings"

	"github.com/locus-url/locus/internal/charset"
)

// DecodeWords decodes a text from a header field or from a news server's overview to one line
// of UTF-8. DecodeWords decodes encoded words (RFC 2047). DecodeWords reads other text as
// UTF-8 (RFC 6532) if the text is valid UTF-8, and otherwise as ISO Latin 1.
//
// DecodeWords accepts common violations of RFC 2047: words inside quotes or other text, spaces
// in a word of encoding Q, and a character split between two words. DecodeWords does not
// decode a word in an unknown charset. DecodeWords replaces a line end, which a word can
// contain, with a space. The result may contain other control characters, which callers must
// remove before writing the text to a terminal.
func DecodeWords(text string) string {
	if isPlain(text) {
		return text
	}
	var d decoder
	for i := 0; i < len(text); {
		start := strings.Index(text[i:], "=?")
		if start < 0 {
			d.addPlain(text[i:])
			break
		}
		start += i
		w, end, ok := parseWord(text, start)
		if !ok {
			d.addPlain(text[i : start+len("=?")])
			i = start + len("=?")
			continue
		}
		d.addPlain(text[i:start])
		d.addWord(w)
		i = end
	}
	d.flush()
	return oneLine(d.b.String())
}

// oneLine returns text with each line end replaced by a space, so that no part of a header
// field can look like a separate line.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '\r', '\n', '\v', '\f', '\u0085', '\u2028', '\u2029':
			return ' '
		}
		return r
	}, text)
}

// isPlain reports whether text is US-ASCII without encoded words or line ends.
func isPlain(text string) bool {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= 0x80 || c == '?' && i > 0 && text[i-1] == '=' || c >= '\n' && c <= '\r' {
			return false
		}
	}
	return true
}

// encodedWord is an encoded word.
type encodedWord struct {
	charset string
	octets  string // bytes decoded from the encoding Q or B
	written string // the whole word
}

// parseWord reads the encoded word at start, which begins with "=?".
func parseWord(text string, start int) (w encodedWord, end int, ok bool) {
	rest := text[start+len("=?"):]
	charsetEnd := strings.IndexByte(rest, '?')
	if charsetEnd <= 0 || strings.ContainsAny(rest[:charsetEnd], " \t\r\n\"=") || len(rest) < charsetEnd+3 || rest[charsetEnd+2] != '?' {
		return encodedWord{}, 0, false
	}
	// RFC 2231 section 5 allows a language after the charset.
	w.charset, _, _ = strings.Cut(rest[:charsetEnd], "*")
	encoded := rest[charsetEnd+3:]
	encodedEnd := strings.IndexByte(encoded, '?')
	if encodedEnd < 0 || encodedEnd+1 >= len(encoded) || encoded[encodedEnd+1] != '=' {
		return encodedWord{}, 0, false
	}
	switch encoded = encoded[:encodedEnd]; rest[charsetEnd+1] {
	case 'Q', 'q':
		w.octets = string(appendUnescaped(nil, strings.ReplaceAll(encoded, "_", " "), '='))
	case 'B', 'b':
		var b base64Decoder
		w.octets = string(b.finish(b.decode(nil, []byte(encoded))))
	default:
		return encodedWord{}, 0, false
	}
	end = start + len("=?") + charsetEnd + 3 + encodedEnd + len("?=")
	w.written = text[start:end]
	return w, end, true
}

// decoder builds a decoded text.
type decoder struct {
	b strings.Builder

	// Consecutive encoded words that share a charset are decoded together, because a character
	// may be split between words.
	charset string
	octets  []byte
	written []byte
	pending bool
	// The spaces after an encoded word are dropped if another encoded word follows (section
	// 6.2).
	blanks string
}

// addPlain adds text that is not an encoded word.
func (d *decoder) addPlain(text string) {
	if d.pending && strings.Trim(text, " \t\r\n") == "" {
		d.blanks += text
		return
	}
	d.flush()
	d.b.WriteString(charset.Text(text))
}

func (d *decoder) addWord(w encodedWord) {
	// Each UTF-7 word starts in the initial state, even if the previous word does not shift back.
	if d.pending && (!strings.EqualFold(d.charset, w.charset) || charset.IsUTF7(d.charset)) {
		blanks := d.blanks
		d.blanks = ""
		known := charset.IsKnown(d.charset) && charset.IsKnown(w.charset)
		d.flush()
		if !known {
			// An encoded word that is not decoded needs the spaces around it.
			d.b.WriteString(blanks)
		}
	}
	if d.pending {
		d.written = append(d.written, d.blanks...)
	}
	d.charset, d.pending, d.blanks = w.charset, true, ""
	d.octets = append(d.octets, w.octets...)
	d.written = append(d.written, w.written...)
}

func (d *decoder) flush() {
	if !d.pending {
		return
	}
	text, ok := charset.Decode(d.charset, string(d.octets))
	if !ok {
		text = charset.Text(string(d.written))
	}
	d.b.WriteString(text)
	d.b.WriteString(d.blanks)
	d.pending, d.blanks = false, ""
	d.octets, d.written = d.octets[:0], d.written[:0]
}
