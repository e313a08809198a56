package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/octet"
)

// letter describes the meaning of a character outside US-ASCII in a bare URL.
type letter uint8

const (
	// ending is a character that ends a URL: punctuation, a quotation mark or a bracket of any
	// script, a space, a box drawing character, or invalid UTF-8.
	ending letter = iota
	// word is a letter, a mark or a digit of a script with spaces between words.
	word
	// ideograph is a letter of a script without spaces, such as Chinese, Japanese or Korean. A
	// host may contain ideographs. An ideograph is part of a path only if it can't belong to the
	// surrounding text.
	ideograph
	// joiner is ZWJ or ZWNJ, which belongs to the preceding character.
	joiner
	// inner is a dash, an apostrophe, a middle dot or a connector. Such a character belongs to a
	// word if the word continues after the character.
	inner
	// symbol is a sign or an emoji. A symbol belongs to a URL if more of the URL follows.
	symbol
)

// letterOf returns the meaning of the rune r, which must not be US-ASCII.
func letterOf(r rune) letter {
	switch {
	case r == utf8.RuneError:
		return ending
	case r == 0x200C || r == 0x200D:
		return joiner
	case r == middleDot:
		return inner
	case 0x2500 <= r && r <= 0x259F:
		return ending
	case isLetter(r):
		if isApart(r) {
			return word
		}
		return ideograph
	case isEastAsian(r):
		return ending
	case unicode.In(r, unicode.Pd, unicode.Pc), strings.ContainsRune(midWord, r):
		return inner
	case unicode.In(r, unicode.So, unicode.Sc, unicode.Sk, unicode.Sm):
		return symbol
	}
	return ending
}

// middleDot separates the words in a Japanese name.
const middleDot = '\u30FB'

// midWord contains the punctuation that may be between the letters of a word, and the Tibetan
// syllable mark. The punctuation is the classes MidLetter and MidNumLet in Unicode Standard Annex
// 29, without characters that also end a sentence.
const midWord = "\u00B7\u0387\u05F3\u05F4\u2019\u2027\u0F0B\u0F0C"

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) }

// isApart reports whether the letter r belongs to a script that puts spaces between words.
func isApart(r rune) bool {
	return r < 0x1100 || !isEastAsian(r) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo)
}

// isEastAsian reports whether r is in a Unicode block of East Asian punctuation, kana, or
// full-width and half-width forms.
func isEastAsian(r rune) bool { return 0x3000 <= r && r <= 0x30FF || 0xFF00 <= r && r <= 0xFFEF }

const (
	// maxFollow is the maximum number of bytes that the scanner examines after a dash or a symbol.
	maxFollow = 4 * maxName
	// maxBracket is the maximum distance at which the scanner searches for a closing bracket. At a
	// larger distance, the scanner assumes that the bracket closes.
	maxBracket = 512
	// maxHost is the length of the longest host and port (RFC 1123 section 2.1).
	maxHost = 255 + len(":65535")
	// maxQuote is the maximum distance between a quotation mark and the URL after it.
	maxQuote = 256
)

// characterSize returns the length of the character at the offset i, which must not be US-ASCII. If
// the character ends the URL, it returns 0. In a host, ideographs also count as letters. If the
// decision needs more text, characterSize sets r.v to the verdict needsMore.
func (r *run) characterSize(i int, host bool) int {
	if !r.final && !utf8.FullRuneInString(r.text[i:]) {
		r.v = needsMore
		return 0
	}
	c, n := utf8.DecodeRuneInString(r.text[i:])
	goes := false
	switch letterOf(c) {
	case word:
		goes = true
	case ideograph:
		goes = host || r.inPath(i, ideograph)
		r.foreign = r.foreign || host
	case joiner:
		before, _ := utf8.DecodeLastRuneInString(r.text[r.start:i])
		goes = isWordPart(before) || before >= utf8.RuneSelf && letterOf(before) == symbol
	case inner:
		goes = !host && i < r.sure || r.isWithinWord(i, n, host) && !(c == '\u2019' && r.openedByQuote())
		r.foreign = r.foreign || host && goes
	case symbol:
		goes = r.urlContinues(i, host) || !host && r.v != needsMore && r.inPath(i, symbol)
		r.foreign = r.foreign || host && goes
	case ending:
		goes = !host && r.continuesFileName(i, n)
	}
	if !goes || r.v == needsMore {
		return 0
	}
	return n
}

// isWordPart reports whether the rune r may be part of a word in a URL.
func isWordPart(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || octet.Is(byte(r), octet.Alpha|octet.Digit)
	}
	kind := letterOf(r)
	return kind == word || kind == joiner
}

// isWithinWord reports whether a character is between letters of a word. The character is at the
// offset i and has n bytes.
func (r *run) isWithinWord(i, n int, host bool) bool {
	if !r.hasBytes(i, maxFollow) {
		r.v = needsMore
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(r.text[r.start:i])
	after, _ := utf8.DecodeRuneInString(r.text[i+n:])
	return i+n < len(r.text) && isWordPart(before) && isPartAt(after, host) && !schemeAt(r.text, i+n)
}

func isPartAt(r rune, host bool) bool {
	return isWordPart(r) || host && r >= utf8.RuneSelf && letterOf(r) == ideograph
}

// urlContinues reports whether more of the URL follows the symbols at the offset i.
func (r *run) urlContinues(i int, host bool) bool {
	if !r.hasBytes(i, maxFollow) {
		r.v = needsMore
		return false
	}
	text := r.text[:min(len(r.text), i+maxFollow/2)]
	for i < len(text) {
		c, n := utf8.DecodeRuneInString(text[i:])
		kind := letterOf(c)
		if host && c == '.' && isSymbolAt(text, i+1) {
			i++
			continue
		}
		if c < utf8.RuneSelf || kind != symbol && kind != joiner && !unicode.IsMark(c) {
			break
		}
		i += n
	}
	joins, ends := "/%-=&+#", ".:?!,;"
	if host {
		joins, ends = "-", "."
	}
	switch {
	case i == len(text):
		return false
	case strings.IndexByte(joins, text[i]) >= 0:
		return true
	case strings.IndexByte(ends, text[i]) >= 0:
		i++
	}
	after, n := utf8.DecodeRuneInString(text[i:])
	return n > 0 && isPartAt(after, host) && !schemeAt(r.text, i)
}

// inPath reports whether the ideographs or symbols at the offset i are part of the path. Such
// characters belong to the path if they are in brackets, if they begin a word in the path, or if
// more of the path follows. Otherwise they belong to the surrounding text. The parameter kind is
// ideograph or symbol.
func (r *run) inPath(i int, kind letter) bool {
	if i >= r.sure {
		limit := min(len(r.text), r.start+locus.MaxLen+1)
		end := runEnd(r.text[:limit], i, kind)
		if !r.hasBytes(end, maxFollow) {
			r.v = needsMore
			return false
		}
		if schemeAt(r.text, end) || r.round+r.square+r.curly == 0 && !r.beginsWord(i, kind) && (kind == symbol || !pathAt(r.text, end)) {
			return false
		}
		r.sure = end
	}
	if kind == ideograph {
		r.ideograph = i + 1
	}
	return true
}

// runEnd returns the end of the sequence of ideographs or symbols at the offset i. The parameter
// kind selects the kind of characters.
func runEnd(text string, i int, kind letter) int {
	for i < len(text) {
		c, n := utf8.DecodeRuneInString(text[i:])
		of := letterOf(c)
		switch {
		case c < utf8.RuneSelf:
			return i
		case of == kind:
		case kind == ideograph && of == inner && isIdeographAt(text, i+n):
		case kind == symbol && (of == joiner || of == word && unicode.IsMark(c)):
		default:
			return i
		}
		i += n
	}
	return i
}

func isSymbolAt(text string, i int) bool {
	c, _ := utf8.DecodeRuneInString(text[i:])
	return c >= utf8.RuneSelf && letterOf(c) == symbol
}

func isIdeographAt(text string, i int) bool {
	c, _ := utf8.DecodeRuneInString(text[i:])
	return c >= utf8.RuneSelf && letterOf(c) == ideograph
}

// beginsWord reports whether the character at the offset i begins a word in the path. It also
// returns true if the character continues a word that contains ideographs.
func (r *run) beginsWord(i int, kind letter) bool {
	joint := i > r.path && strings.IndexByte("/-_(=#&+~@", r.text[i-1]) >= 0
	if kind == symbol {
		c, _ := utf8.DecodeRuneInString(r.text[i:])
		return joint && unicode.In(c, unicode.So, unicode.Sc)
	}
	return joint || r.ideograph > 0 && !strings.ContainsAny(r.text[r.ideograph:i], "/?#&=)")
}

// pathAt reports whether the text at the offset i, which follows ideographs, continues the path.
func pathAt(text string, i int) bool {
	switch {
	case i+1 >= len(text):
		return false
	case text[i] == '%':
		return octet.IsEscape(text, i)
	case text[i] == '.':
		return letterAt(text, i+1)
	case strings.IndexByte("/_-=&#+", text[i]) < 0:
		return false
	}
	c, _ := utf8.DecodeRuneInString(text[i+1:])
	if c < utf8.RuneSelf {
		return letterAt(text, i+1) || c == '%'
	}
	kind := letterOf(c)
	return kind == word || kind == ideograph || kind == symbol
}

// continuesFileName reports whether the punctuation at the offset i, which follows an ideograph, is
// part of a file name such as "自殺でも？.png". The punctuation character has n bytes.
func (r *run) continuesFileName(i, n int) bool {
	if r.ideograph == 0 || !r.hasBytes(i, n+len(".a")) {
		if r.ideograph > 0 {
			r.v = needsMore
		}
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(r.text[r.start:i])
	c, _ := utf8.DecodeRuneInString(r.text[i:])
	return letterOf(before) == ideograph && isEastAsian(c) && unicode.Is(unicode.Po, c) &&
		i+n < len(r.text) && strings.IndexByte("._-/=", r.text[i+n]) >= 0 && letterAt(r.text, i+n+1)
}

// schemeAt reports whether another URL, beginning with a scheme and "://", is at the offset i.
func schemeAt(text string, i int) bool {
	end := i
	for end < len(text) && end-i <= maxName && octet.Is(text[end], octet.Scheme) {
		end++
	}
	return end > i && strings.HasPrefix(text[end:], "://")
}

// openedByQuote reports whether the character before the URL is a typographic quotation mark.
func (r *run) openedByQuote() bool {
	before, _ := utf8.DecodeLastRuneInString(r.text[:r.start])
	return strings.ContainsRune("\u2018\u2019\u201A\u201B\u2039\u203A", before)
}

// isQuoted reports whether the URL is in a quotation that an apostrophe opens on the same line. It
// examines the last apostrophe before the URL that is not part of a word.
func (r *run) isQuoted() bool {
	if !r.quoteKnown {
		r.quoteKnown, r.inQuote = true, quotedAt(r.text, r.start)
	}
	return r.inQuote
}

func quotedAt(text string, start int) bool {
	for i := start - 1; i >= max(0, start-maxQuote) && text[i] != '\n'; i-- {
		if text[i] != '\'' {
			continue
		}
		wordBefore := i > 0 && (letterAt(text, i-1) || text[i-1] >= utf8.RuneSelf)
		if !wordBefore {
			return text[i+1] > ' '
		}
		if !letterAt(text, i+1) && text[i+1] < utf8.RuneSelf {
			return false
		}
	}
	return false
}

// isBalanced reports whether the bracket at the offset i closes in the URL.
func (r *run) isBalanced(i int, pair string) (ok, known bool) {
	if !r.hasBytes(i, maxBracket+utf8.UTFMax) {
		return false, false
	}
	open, apart := 0, false
	for k := i; k < len(r.text); k++ {
		switch c := r.text[k]; {
		case k-i >= maxBracket:
			return true, true
		case c == pair[0]:
			open++
		case c == pair[1]:
			if open--; open == 0 {
				return !apart || strings.IndexByte("_-=", r.text[i-1]) >= 0 || continuesURL(r.text[k+1:], true), true
			}
		case kinds[c]&ends != 0:
			return false, true
		case c >= utf8.RuneSelf:
			char, n := utf8.DecodeRuneInString(r.text[k:])
			switch letterOf(char) {
			case ending:
				return false, true
			case ideograph, symbol:
				// The brackets may contain a remark, which is not part of the URL.
				apart = true
			}
			k += n - 1
		}
	}
	return false, true
}

// foreignEnd returns the end of the host and port in text[host:end], which contains foreign
// characters: ideographs, symbols or dashes. If a dot follows the foreign characters, the whole
// host is a name in another script. Otherwise the host may end before the foreign characters,
// because no top-level domain mixes US-ASCII and other letters. The host does end before them if a
// complete name such as "example.com" or a port precedes them. In other cases, the end is unknown
// and ok is false.
func foreignEnd(text string, host, end int) (stop int, ok bool) {
	name := strings.TrimRight(text[host:end], ".:")
	first := strings.IndexFunc(name, isForeign)
	if first < 0 {
		return end, true
	}
	if colon := strings.IndexByte(name, ':'); colon >= 0 {
		if colon < first {
			return host + first, true
		}
		name = name[:colon]
	}
	dot := strings.LastIndexByte(name, '.')
	switch label := dot + 1; {
	case dot < 0:
		return end, false
	case label >= first:
		return end, true
	case octet.All(name[label:first])&octet.Alpha != 0 && first-label > 1,
		strings.Trim(name[:first], "0123456789.") == "" && isDotted(name[:first]) && strings.Count(name[:first], ".") == 3:
		return host + first, true
	}
	return end, false
}

func isForeign(r rune) bool {
	return r >= utf8.RuneSelf && letterOf(r) != word && letterOf(r) != joiner
}

// isDotted reports whether text is a complete host with an optional port. A complete host is a
// name with a dot, an IP address, or "localhost".
func isDotted(text string) bool {
	if len(text) > maxHost || text == "" {
		return false
	}
	if text[0] == '[' {
		return text[len(text)-1] == ']'
	}
	if hostEnd(text, 0, len(text)) < len(text) {
		return false
	}
	name, port, _ := strings.Cut(text, ":")
	if port != "" && octet.All(port)&octet.Digit == 0 {
		return false
	}
	return strings.Contains(strings.Trim(name, "."), ".") || strings.EqualFold(name, "localhost")
}
