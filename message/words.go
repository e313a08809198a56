package message

import (
	"strings"

	"github.com/locus-url/locus/internal/charset"
)

// DecodeWords returns the text of a header field, or of a line of a news server's
// overview, as UTF-8 in one line: encoded words decoded (RFC 2047), octets beyond
// US-ASCII as UTF-8 if the text around the words is that (RFC 6532) and else as ISO
// Latin 1.
//
// It reads more than RFC 2047 allows, as programs write more: words within quotes or
// other text, blanks in a word of encoding Q, a character that is split between two
// words. A word of an unknown charset stays as it is written. A line end, which a
// word can hide, becomes a space; other control characters stay, and whoever writes
// to a terminal filters them.
func DecodeWords(text string) string {
	if isPlain(text) {
		return text
	}
	var d decoder
	for i := 0; i < len(text); {
		start := strings.Index(text[i:], "=?")
		if start < 0 {
			d.plain(text[i:])
			break
		}
		start += i
		w, end, ok := parseWord(text, start)
		if !ok {
			d.plain(text[i : start+len("=?")])
			i = start + len("=?")
			continue
		}
		d.plain(text[i:start])
		d.word(w)
		i = end
	}
	d.flush()
	return oneLine(d.b.String())
}

// oneLine returns text with each line end replaced by a space, so that no part of a field
// can look like a line of its own.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '\r', '\n', '\v', '\f', '\u0085', '\u2028', '\u2029':
			return ' '
		}
		return r
	}, text)
}

// isPlain reports whether text is US-ASCII without encoded words and line ends.
func isPlain(text string) bool {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= 0x80 || c == '?' && i > 0 && text[i-1] == '=' || c >= '\n' && c <= '\r' {
			return false
		}
	}
	return true
}

// word is an encoded word.
type word struct {
	charset string
	octets  string // decoded from Q or B
	written string // all of it
}

// parseWord reads the encoded word at start, where "=?" is.
func parseWord(text string, start int) (w word, end int, ok bool) {
	rest := text[start+len("=?"):]
	charsetEnd := strings.IndexByte(rest, '?')
	if charsetEnd <= 0 || strings.ContainsAny(rest[:charsetEnd], " \t\r\n\"=") || len(rest) < charsetEnd+3 || rest[charsetEnd+2] != '?' {
		return word{}, 0, false
	}
	// RFC 2231 section 5 puts a language behind the charset.
	w.charset, _, _ = strings.Cut(rest[:charsetEnd], "*")
	encoded := rest[charsetEnd+3:]
	encodedEnd := strings.IndexByte(encoded, '?')
	if encodedEnd < 0 || encodedEnd+1 >= len(encoded) || encoded[encodedEnd+1] != '=' {
		return word{}, 0, false
	}
	switch encoded = encoded[:encodedEnd]; rest[charsetEnd+1] {
	case 'Q', 'q':
		w.octets = decodeQ(encoded)
	case 'B', 'b':
		var b base64Decoder
		w.octets = string(b.end(b.decode(nil, []byte(encoded))))
	default:
		return word{}, 0, false
	}
	end = start + len("=?") + charsetEnd + 3 + encodedEnd + len("?=")
	w.written = text[start:end]
	return w, end, true
}

// decodeQ undoes the encoding of RFC 2047 section 4.2.
func decodeQ(text string) string {
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '_':
			b = append(b, ' ')
		case c == '=' && isHexPair(text[i+1:]):
			b = append(b, unhex(text[i+1])<<4|unhex(text[i+2]))
			i += 2
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

// decoder puts a decoded text together.
type decoder struct {
	b strings.Builder

	// The words read last, of one charset, whose octets may share a character.
	charset string
	octets  []byte
	written []byte
	pending bool
	// The blanks read behind them, which go if another word follows (section 6.2).
	blanks string
}

// plain takes text that is in no word.
func (d *decoder) plain(text string) {
	if d.pending && strings.Trim(text, " \t\r\n") == "" {
		d.blanks += text
		return
	}
	d.flush()
	d.b.WriteString(charset.Text(text))
}

func (d *decoder) word(w word) {
	// UTF-7 begins again in each word, even where a word does not shift back.
	if d.pending && (!strings.EqualFold(d.charset, w.charset) || charset.IsUTF7(d.charset)) {
		blanks := d.blanks
		d.blanks = ""
		known := charset.IsKnown(d.charset) && charset.IsKnown(w.charset)
		d.flush()
		if !known {
			// A word that stays as it is keeps its blanks, or it would be none.
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

// flush writes the words that were read.
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
