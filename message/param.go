package message

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/locus-url/locus/internal/charset"
)

// maxParams is the maximum number of parameters in a field, including pieces of parameters.
const maxParams = 100

// parseParams reads a value and its parameters, as in Content-Type (RFC 2045 section 5.1) and
// Content-Disposition (RFC 2183). parseParams returns the value and the names in lower case.
// parseParams accepts unquoted spaces, comments and repeated parameters. For a repeated
// parameter, parseParams returns the first value. parseParams joins and decodes the pieces of
// a parameter (RFC 2231).
func parseParams(text string) (value string, params map[string]string) {
	p := paramReader{text: text}
	value = strings.ToLower(p.readToken(";"))
	var list []param
	for p.skipSemicolon() && len(list) < maxParams {
		if name := p.readToken(";="); name != "" {
			list = append(list, param{strings.ToLower(name), p.readValue()})
		}
	}
	return value, joinParams(list)
}

type param struct{ name, value string }

type paramReader struct {
	text string
	i    int
}

// skipSemicolon skips a ";" and reports whether anything follows.
func (p *paramReader) skipSemicolon() bool {
	for p.i < len(p.text) && strings.IndexByte("; \t\r\n=", p.text[p.i]) >= 0 {
		p.i++
	}
	return p.i < len(p.text)
}

// readToken returns the text up to the first character in delimiters. Comments and surrounding
// spaces are omitted.
func (p *paramReader) readToken(delimiters string) string {
	start, depth := p.i, 0
	end := -1 // start of a comment
	for ; p.i < len(p.text); p.i++ {
		c := p.text[p.i]
		switch {
		case c == '\\' && depth > 0:
			p.i++
		case c == '(':
			depth++
			if end < 0 {
				end = p.i
			}
		case c == ')' && depth > 0:
			depth--
		case depth == 0 && strings.IndexByte(delimiters, c) >= 0:
			return p.cut(start, end)
		}
	}
	p.i = min(p.i, len(p.text))
	return p.cut(start, end)
}

func (p *paramReader) cut(start, end int) string {
	if end < 0 {
		end = p.i
	}
	return strings.Trim(p.text[start:end], " \t\r\n")
}

// readValue returns the value after "=", without quotes.
func (p *paramReader) readValue() string {
	if p.i == len(p.text) || p.text[p.i] != '=' {
		return ""
	}
	p.i++
	for p.i < len(p.text) && isBlank(p.text[p.i]) {
		p.i++
	}
	if p.i == len(p.text) || p.text[p.i] != '"' {
		return p.readPlainValue()
	}
	var b []byte
	for p.i++; p.i < len(p.text) && p.text[p.i] != '"'; p.i++ {
		// Unescape only quotes and "\", because file names may contain an unescaped "\".
		if p.text[p.i] == '\\' && p.i+1 < len(p.text) && strings.IndexByte(`"\`, p.text[p.i+1]) >= 0 {
			p.i++
		}
		b = append(b, p.text[p.i])
	}
	p.i = min(p.i+1, len(p.text))
	return string(b)
}

// readPlainValue returns an unquoted value. The value may contain spaces, which are invalid but
// common in file names.
func (p *paramReader) readPlainValue() string {
	start := p.i
	if i := strings.IndexByte(p.text[p.i:], ';'); i >= 0 {
		p.i += i
	} else {
		p.i = len(p.text)
	}
	value := p.text[start:p.i]
	if i := strings.Index(value, " ("); i >= 0 {
		value = value[:i]
	}
	return strings.Trim(value, " \t\r\n")
}

// piece is a piece of a parameter (RFC 2231 section 3).
type piece struct {
	text    string
	escaped bool
	present bool
}

// joinParams joins the pieces of parameters (RFC 2231 sections 3 and 4).
func joinParams(list []param) map[string]string {
	params := map[string]string{}
	pieces := map[string][]piece{}
	for _, p := range list {
		name, escaped := strings.CutSuffix(p.name, "*")
		base, number, numbered := strings.Cut(name, "*")
		n, err := strconv.ParseUint(number, 10, 8)
		switch {
		case base == "" || numbered && (err != nil || n >= maxParams):
			continue
		case !numbered && !escaped:
			if _, ok := params[name]; !ok {
				params[name] = p.value
			}
			continue
		}
		all := pieces[base]
		for len(all) <= int(n) {
			all = append(all, piece{})
		}
		if !all[n].present {
			all[n] = piece{p.value, escaped, true}
		}
		pieces[base] = all
	}
	for name, all := range pieces {
		// Prefer the value with a charset.
		if all[0].present {
			params[name] = joinPieces(all)
		}
	}
	return params
}

// joinPieces returns the joined text of the pieces. joinPieces stops before the first missing
// piece.
func joinPieces(pieces []piece) string {
	var octets []byte
	name := ""
	for i, p := range pieces {
		if !p.present {
			break
		}
		if i == 0 && p.escaped {
			if before, rest, ok := strings.Cut(p.text, "'"); ok {
				name = before
				_, p.text, _ = strings.Cut(rest, "'") // skip the language
			}
		}
		if p.escaped {
			octets = appendUnescaped(octets, p.text, '%')
		} else {
			octets = append(octets, p.text...)
		}
	}
	text, _ := charset.Decode(name, string(octets))
	return text
}

// appendUnescaped appends text with its escapes decoded. An escape is escapeByte and two
// hexadecimal digits. Any other occurrence of escapeByte stays unchanged.
func appendUnescaped(dst []byte, text string, escapeByte byte) []byte {
	for i := 0; i < len(text); i++ {
		if text[i] == escapeByte && isHexPair(text[i+1:]) {
			dst = append(dst, unhex(text[i+1])<<4|unhex(text[i+2]))
			i += 2
		} else {
			dst = append(dst, text[i])
		}
	}
	return dst
}

// isHidden reports whether r is invisible, or changes how the text around it is shown.
func isHidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' || r == '\ufeff'
}

// longestName is the maximum length of a file name in bytes.
const longestName = 255

// displayName converts a file name from a message for display. The result is the decoded name
// without directories, in which "_" replaces each hidden character.
func displayName(name string) string {
	name = DecodeWords(name)
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if isHidden(r) {
			return '_'
		}
		return r
	}, name))
	if name == "." || name == ".." {
		return ""
	}
	if len(name) > longestName {
		name = strings.ToValidUTF8(name[:longestName], "")
	}
	return name
}
