package submit

import (
	"encoding/base64"
	"io"
	"mime"
	"mime/quotedprintable"
	"strings"
	"unicode/utf8"
)

const (
	// foldAt is the preferred length of a line, and maxLine is the maximum length, without CR
	// LF (RFC 5322 section 2.1.1).
	foldAt, maxLine = 78, 998
	// maxWord is a word length that fits on a line of any header field.
	maxWord = 900
)

// fold returns the lines of a header field. Lines are broken only at single spaces, so that
// unfolding restores value.
func fold(name, value string) string {
	var b strings.Builder
	b.WriteString(name + ":")
	column := b.Len()
	list := strings.Split(value, " ")
	for i, word := range list {
		if i > 0 && word != "" && list[i-1] != "" && column+1+len(word) > foldAt {
			b.WriteString("\r\n")
			column = 0
		}
		b.WriteString(" " + word)
		column += 1 + len(word)
	}
	b.WriteString("\r\n")
	return b.String()
}

// encodeWords encodes text for an unstructured header field. If the field can't contain text
// unchanged, encodeWords returns encoded-words (RFC 2047).
func encodeWords(text string) string {
	if isPlain(text) {
		return text
	}
	return encodedWords(text)
}

// quoteName returns name as a quoted-string, unless it consists of atoms.
func quoteName(name string) string {
	special := strings.IndexFunc(name, func(r rune) bool { return strings.ContainsRune(`()<>[]:;@\,."`, r) || r < ' ' })
	if special < 0 && strings.TrimSpace(name) == name {
		return name
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
}

// isPlain reports whether text is printable US-ASCII, does not look like encoded-words, and
// does not change when it is folded and unfolded.
func isPlain(text string) bool {
	for word := range strings.SplitSeq(text, " ") {
		if len(word) > maxWord || strings.ContainsFunc(word, func(r rune) bool { return r < ' ' || r >= 0x7F }) {
			return false
		}
	}
	return !strings.Contains(text, "=?") && !strings.Contains(text, "  ") && strings.TrimSpace(text) == text
}

// encodedWords returns text as encoded-words. encodedWords uses the Q encoding if most of the
// text stays readable, and base64 otherwise.
func encodedWords(text string) string {
	if isMostlyReadable(text) {
		return mime.QEncoding.Encode("utf-8", text)
	}
	const longest = 45 // bytes of text per encoded-word; they take 72 of the 75 characters that RFC 2047 allows
	var list []string
	for text != "" {
		n := min(longest, len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n--
		}
		list = append(list, "=?utf-8?b?"+base64.StdEncoding.EncodeToString([]byte(text[:n]))+"?=")
		text = text[n:]
	}
	return strings.Join(list, " ")
}

// isMostlyReadable reports whether at least two thirds of text stay readable in the Q
// encoding, and all other octets are outside US-ASCII.
func isMostlyReadable(text string) bool {
	others := 0 // number of octets outside US-ASCII
	for _, r := range text {
		switch {
		case r >= utf8.RuneSelf:
			others += utf8.RuneLen(r)
		case !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(" !*+-/", r)):
			// RFC 2047 section 5 (rule 3) requires an escape for this character.
			return false
		}
	}
	return others > 0 && others <= len(text)/3
}

func lines(text string) string {
	text = strings.NewReplacer("\r\n", "\r\n", "\r", "\r\n", "\n", "\r\n").Replace(text)
	if text != "" && !strings.HasSuffix(text, "\r\n") {
		text += "\r\n"
	}
	return text
}

func textEncoding(text string) string {
	for line := range strings.SplitSeq(text, "\r\n") {
		if len(line) > maxLine || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' && r != '\t' || r >= 0x7F }) {
			return "quoted-printable"
		}
	}
	return "7bit"
}

func writeText(w io.Writer, text, encoding string) error {
	if encoding == "7bit" {
		_, err := io.WriteString(w, text)
		return err
	}
	q := quotedprintable.NewWriter(w)
	if _, err := io.WriteString(q, text); err != nil {
		return err
	}
	return q.Close()
}

// writeBase64 writes content in lines of base64 (RFC 2045 section 6.8).
func writeBase64(w io.Writer, content []byte) error {
	const octets = 57 // octets in a line of 76 characters
	line := make([]byte, 0, 78)
	for len(content) > 0 {
		n := min(octets, len(content))
		line = append(base64.StdEncoding.AppendEncode(line[:0], content[:n]), "\r\n"...)
		if _, err := w.Write(line); err != nil {
			return err
		}
		content = content[n:]
	}
	return nil
}
