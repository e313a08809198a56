package whatwg

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus"
)

// Parse parses input like the basic URL parser (section 4.4). base is the base URL for a relative
// URL, and may be nil. If input is invalid, Parse returns a [*locus.SyntaxError], whose Part is
// the name of the fatal validation error. Parse reads an octet that is not valid UTF-8 as U+FFFD.
func Parse(input string, base *URL) (URL, error) {
	p := parser{input: input, base: base}
	err := p.parse()
	return p.url, err
}

// Check is like [Parse], but also returns all validation errors (section 1.1), including a
// failure. The field Rule of each violation is the error's name. The violations are in the
// order in which the parser finds them.
func Check(input string, base *URL) (URL, []locus.Violation, error) {
	p := parser{input: input, base: base, strict: true}
	err := p.parse()
	return p.url, p.list, err
}

// parser is the state of the basic URL parser.
type parser struct {
	input  string
	base   *URL
	url    URL
	strict bool // whether to collect validation errors
	list   []locus.Violation

	special bool
	text    string // the input without surrounding white space, tabs and line breaks
	start   int    // offset of text in the input
	offsets []int  // for each octet of text, its offset in the input; nil unless characters within text were removed
}

// offset converts an offset in p.text to an offset in the input.
func (p *parser) offset(i int) int {
	switch {
	case p.offsets == nil:
		return p.start + i
	case i < len(p.offsets):
		return p.offsets[i]
	}
	return len(p.input)
}

// hints maps the name of a validation error to advice for the user.
var hints = map[string]string{
	"domain-to-ASCII":                          "not a domain that IDNA allows",
	"domain-invalid-code-point":                "not allowed in a domain",
	"host-invalid-code-point":                  "not allowed in a host",
	"IPv4-empty-part":                          "an IPv4 address does not end with \".\"",
	"IPv4-too-many-parts":                      "an IPv4 address has four parts",
	"IPv4-non-numeric-part":                    "a part of an IPv4 address is a number",
	"IPv4-non-decimal-part":                    "write the IPv4 address in decimal numbers",
	"IPv4-out-of-range-part":                   "a part of an IPv4 address is 0 to 255",
	"IPv6-unclosed":                            "an IPv6 address ends with \"]\"",
	"IPv6-invalid-compression":                 "an IPv6 address does not begin with one \":\"",
	"IPv6-too-many-pieces":                     "an IPv6 address has eight pieces",
	"IPv6-multiple-compression":                "an IPv6 address has one \"::\"",
	"IPv6-invalid-code-point":                  "a piece of an IPv6 address is up to four hexadecimal digits",
	"IPv6-too-few-pieces":                      "an IPv6 address has eight pieces, or \"::\"",
	"IPv4-in-IPv6-too-many-pieces":             "an IPv4 address takes the place of the last two pieces",
	"IPv4-in-IPv6-invalid-code-point":          "an IPv4 address is four decimal numbers",
	"IPv4-in-IPv6-out-of-range-part":           "a part of an IPv4 address is 0 to 255",
	"IPv4-in-IPv6-too-few-parts":               "an IPv4 address has four parts",
	"invalid-URL-unit":                         "not a URL unit: write it as escapes, or leave it out",
	"special-scheme-missing-following-solidus": "write \"//\" after the scheme",
	"missing-scheme-non-relative-URL":          "write a scheme, or give a base URL",
	"invalid-reverse-solidus":                  "write \"/\"",
	"invalid-credentials":                      "leave out the credentials",
	"host-missing":                             "write a host",
	"port-out-of-range":                        "a port is 0 to 65535",
	"port-invalid":                             "a port is digits",
	"file-invalid-Windows-drive-letter":        "write \"file:///\" before the drive letter",
	"file-invalid-Windows-drive-letter-host":   "write \"file:///\" before the drive letter",
}

// recordError records the validation error called name about the size octets at offset i of text.
func (p *parser) recordError(name string, i, size int) {
	if p.strict {
		p.noteAt(name, p.offset(i), size)
	}
}

func (p *parser) noteAt(name string, offset, size int) {
	if !p.strict {
		return
	}
	section := "URL Standard 4.4"
	if strings.HasPrefix(name, "domain") || strings.HasPrefix(name, "host-i") || strings.HasPrefix(name, "IPv") {
		section = "URL Standard 3.5"
	}
	end := min(offset+size, len(p.input))
	p.list = append(p.list, locus.Violation{Rule: name, Section: section, Offset: offset, Text: p.input[offset:end], Help: hints[name]})
}

// fail records a validation error that is a failure.
func (p *parser) fail(name string, i int) error {
	offset := p.offset(i)
	p.noteAt(name, offset, 0)
	return p.failure(name, offset)
}

func (p *parser) failure(name string, offset int) error {
	p.url = URL{}
	return locus.NewSyntaxError(p.input, offset, name, fmt.Errorf("%w: %s", locus.ErrValue, hints[name]))
}

// trim implements steps 1 to 3 of the parser.
func (p *parser) trim() {
	end := len(p.input)
	for end > 0 && p.input[end-1] <= ' ' {
		end--
	}
	for p.start < end && p.input[p.start] <= ' ' {
		p.start++
	}
	if p.start > 0 {
		p.noteAt("invalid-URL-unit", 0, p.start)
	}
	if end < len(p.input) {
		p.noteAt("invalid-URL-unit", end, len(p.input)-end)
	}
	p.text = p.input[p.start:end]
	if strings.IndexByte(p.text, '\t') < 0 && strings.IndexByte(p.text, '\n') < 0 && strings.IndexByte(p.text, '\r') < 0 && utf8.ValidString(p.text) {
		return
	}
	kept := make([]byte, 0, len(p.text))
	p.offsets = make([]int, 0, len(p.text))
	for i, r := range p.text {
		if r == '\t' || r == '\n' || r == '\r' {
			p.noteAt("invalid-URL-unit", p.start+i, 1)
			continue
		}
		kept = utf8.AppendRune(kept, r) // an octet that is not valid UTF-8 becomes U+FFFD
		for len(p.offsets) < len(kept) {
			p.offsets = append(p.offsets, p.start+i)
		}
	}
	p.text = string(kept)
}

// parse implements the scheme start state, the scheme state and the no scheme state.
func (p *parser) parse() error {
	p.url.port = -1
	p.trim()
	s := p.text
	colon := 0
	for colon < len(s) && table[s[colon]]&schemeChar != 0 {
		colon++
	}
	if colon == 0 || colon == len(s) || s[colon] != ':' || table[s[0]]&alpha == 0 {
		return p.noScheme()
	}
	p.setScheme(lowerASCII(s[:colon]))
	rest := colon + 1
	slashes := strings.HasPrefix(s[rest:], "//")
	switch {
	case p.url.scheme == fileScheme:
		if !slashes {
			p.recordError("special-scheme-missing-following-solidus", rest, 0)
		}
		return p.parseFile(rest)
	case p.special && !slashes && p.base != nil && p.base.scheme == p.url.scheme:
		p.recordError("special-scheme-missing-following-solidus", rest, 0)
		return p.parseRelative(rest)
	case p.special:
		if !slashes {
			p.recordError("special-scheme-missing-following-solidus", rest, 0)
			return p.ignoreSlashes(rest)
		}
		return p.ignoreSlashes(rest + 2)
	case slashes:
		return p.parseAuthority(rest + 2)
	case strings.HasPrefix(s[rest:], "/"):
		return p.parsePath(rest, "")
	}
	return p.parseOpaquePath(rest)
}

func (p *parser) setScheme(scheme string) {
	p.url.scheme = scheme
	_, p.special = specialPort(scheme)
}

func (p *parser) noScheme() error {
	switch {
	case p.base == nil || p.base.opaque && !strings.HasPrefix(p.text, "#"):
		return p.fail("missing-scheme-non-relative-URL", 0)
	case p.base.opaque:
		p.url = *p.base
		p.url.hasFragment = false
		return p.parseEnd(0)
	}
	p.setScheme(p.base.scheme)
	if p.url.scheme == fileScheme {
		return p.parseFile(0)
	}
	return p.parseRelative(0)
}

// isSlash reports whether the octet at offset i is "/", or "\" in a special URL.
func (p *parser) isSlash(i int) bool {
	return i < len(p.text) && (p.text[i] == '/' || p.special && p.text[i] == '\\')
}

// noteSlash records a validation error if the octet at offset i is "\".
func (p *parser) noteSlash(i int) {
	if p.text[i] == '\\' {
		p.recordError("invalid-reverse-solidus", i, 1)
	}
}

// parseRelative implements the relative state and the relative slash state.
func (p *parser) parseRelative(i int) error {
	b := p.base
	if p.isSlash(i) {
		p.noteSlash(i)
		switch {
		case p.special && p.isSlash(i+1):
			p.noteSlash(i + 1)
			return p.ignoreSlashes(i + 2)
		case i+1 < len(p.text) && p.text[i+1] == '/':
			return p.parseAuthority(i + 2)
		}
		p.copyAuthority(b)
		return p.parsePath(i, "")
	}
	p.copyAuthority(b)
	return p.parseRelativePath(i)
}

// parseRelativePath merges the path that begins at offset i with the path of the base.
func (p *parser) parseRelativePath(i int) error {
	b := p.base
	p.url.path, p.url.query, p.url.hasQuery = b.path, b.query, b.hasQuery
	if i == len(p.text) || p.text[i] == '#' {
		return p.parseEnd(i)
	}
	p.url.query, p.url.hasQuery = "", false
	if p.text[i] == '?' {
		return p.parseEnd(i)
	}
	return p.parsePath(i, p.shorten(b.path))
}

func (p *parser) copyAuthority(b *URL) {
	p.url.username, p.url.password, p.url.host, p.url.hasHost, p.url.port = b.username, b.password, b.host, b.hasHost, b.port
}

// ignoreSlashes implements the special authority ignore slashes state.
func (p *parser) ignoreSlashes(i int) error {
	start := i
	for i < len(p.text) && (p.text[i] == '/' || p.text[i] == '\\') {
		i++
	}
	if i > start {
		p.recordError("special-scheme-missing-following-solidus", start, i-start)
	}
	return p.parseAuthority(i)
}

// parseAuthority implements the authority state, the host state and the port state.
func (p *parser) parseAuthority(i int) error {
	end := i
	for end < len(p.text) && table[p.text[end]]&endsAuthority == 0 && !p.isSlash(end) {
		end++
	}
	p.url.hasHost = true
	text := p.text[i:end]
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		p.recordError("invalid-credentials", i+at, 1)
		user, password, _ := strings.Cut(text[:at], ":")
		p.recordInvalidUnits(i, i+at)
		p.url.username, p.url.password = encode(user, userinfoSet), encode(password, userinfoSet)
		if i, text = i+at+1, text[at+1:]; text == "" {
			return p.fail("host-missing", i)
		}
	}
	host, port, hasPort := text, "", false
	inside := false
	for j := range len(text) {
		if c := text[j]; c == '[' {
			inside = true
		} else if c == ']' {
			inside = false
		} else if c == ':' && !inside {
			host, port, hasPort = text[:j], text[j+1:], true
			break
		}
	}
	if host == "" && (p.special || hasPort) {
		return p.fail("host-missing", i)
	}
	if err := p.setHost(host, i, !p.special); err != nil {
		return err
	}
	if hasPort {
		if err := p.setPort(port, i+len(host)+1); err != nil {
			return err
		}
	}
	return p.parsePathStart(end)
}

func (p *parser) setPort(text string, i int) error {
	for j := range len(text) {
		if table[text[j]]&digit == 0 {
			return p.fail("port-invalid", i+j)
		}
	}
	if text == "" {
		return nil
	}
	n, err := strconv.ParseUint(strings.TrimLeft(text[:len(text)-1], "0")+text[len(text)-1:], 10, 16)
	if err != nil {
		return p.fail("port-out-of-range", i)
	}
	if d, special := specialPort(p.url.scheme); !special || int32(n) != d {
		p.url.port = int32(n)
	}
	return nil
}

// parsePathStart implements the path start state.
func (p *parser) parsePathStart(i int) error {
	if p.special || i < len(p.text) && p.text[i] != '?' && p.text[i] != '#' {
		return p.parsePath(i, "")
	}
	return p.parseEnd(i)
}

// parseFile implements the file state, the file slash state and the file host state.
func (p *parser) parseFile(i int) error {
	p.url.hasHost = true
	fromBase := p.base != nil && p.base.scheme == fileScheme
	switch {
	case !p.isSlash(i) && !fromBase:
		return p.parsePath(i, "")
	case !p.isSlash(i):
		p.url.host = p.base.host
		if startsWithDrive(p.text[i:]) {
			p.recordError("file-invalid-Windows-drive-letter", i, 2)
			return p.parsePath(i, "")
		}
		return p.parseRelativePath(i)
	}
	p.noteSlash(i)
	if !p.isSlash(i + 1) {
		before := ""
		if fromBase {
			p.url.host = p.base.host
			if first := p.base.path; !startsWithDrive(p.text[i+1:]) && len(first) >= 3 && isDrive(first[1:3]) && first[2] == ':' && (len(first) == 3 || first[3] == '/') {
				before = first[:3]
			}
		}
		return p.parsePath(i, before)
	}
	p.noteSlash(i + 1)
	i += 2
	end := i
	for end < len(p.text) && table[p.text[end]]&endsAuthority == 0 && !p.isSlash(end) {
		end++
	}
	host := p.text[i:end]
	if len(host) == 2 && isDrive(host) {
		p.recordError("file-invalid-Windows-drive-letter-host", i, 2)
		return p.parsePath(i, "")
	}
	if host != "" {
		if err := p.setHost(host, i, false); err != nil {
			return err
		}
		if p.url.host == "localhost" {
			p.url.host = ""
		}
	}
	return p.parsePathStart(end)
}

// isDrive reports whether text is a Windows drive letter (section 4.4).
func isDrive(text string) bool {
	return len(text) == 2 && table[text[0]]&alpha != 0 && (text[1] == ':' || text[1] == '|')
}

func startsWithDrive(text string) bool {
	return len(text) >= 2 && isDrive(text[:2]) && (len(text) == 2 || strings.IndexByte(`/\?#`, text[2]) >= 0)
}

// shorten removes the last segment of a path (section 4.1).
func (p *parser) shorten(path string) string {
	if p.url.scheme == fileScheme && len(path) == 3 && isDrive(path[1:]) && path[2] == ':' {
		return path
	}
	return path[:max(strings.LastIndexByte(path, '/'), 0)]
}

// parsePath implements the path state. parsed is the path that was parsed so far.
func (p *parser) parsePath(i int, parsed string) error {
	end := i
	for end < len(p.text) && p.text[end] != '?' && p.text[end] != '#' {
		end++
	}
	text := p.text[i:end]
	p.recordInvalidUnits(i, end)
	if p.strict && p.special {
		for j := range len(text) {
			if text[j] == '\\' {
				p.recordError("invalid-reverse-solidus", i+j, 1)
			}
		}
	}
	if parsed == "" && p.isPlain(text) {
		p.url.path = text
		return p.parseEnd(end)
	}
	if p.isSlash(i) {
		text = text[1:]
	}
	out := make([]byte, 0, len(parsed)+len(text)+8)
	out = append(out, parsed...)
	for {
		n := 0
		for n < len(text) && text[n] != '/' && !(p.special && text[n] == '\\') {
			n++
		}
		segment, last := text[:n], n == len(text)
		switch countDots(segment) {
		case 2:
			out = out[:len(p.shorten(string(out)))]
			if last {
				out = append(out, '/')
			}
		case 1:
			if last {
				out = append(out, '/')
			}
		default:
			first := len(out) == 0
			out = append(out, '/')
			if p.url.scheme == fileScheme && first && isDrive(segment) {
				out = append(out, segment[0], ':')
			} else {
				out = appendEncoded(out, segment, pathSet)
			}
		}
		if last {
			break
		}
		text = text[n+1:]
	}
	p.url.path = string(out)
	return p.parseEnd(end)
}

// isPlain reports whether the parser does not change the path text.
func (p *parser) isPlain(text string) bool {
	if text == "" || text[0] != '/' || p.url.scheme == fileScheme {
		return false
	}
	for i := range len(text) {
		switch c := text[i]; {
		case table[c]&pathSet != 0, c == '\\' && p.special:
			return false
		case c == '/' && i+1 < len(text) && (text[i+1] == '.' || text[i+1] == '%'):
			return false
		}
	}
	return true
}

// countDots returns 1 for a single-dot URL path segment, and 2 for a double-dot URL path segment
// (section 4.1). For any other segment, countDots returns 0.
func countDots(segment string) int {
	n := 0
	for segment != "" {
		switch {
		case segment[0] == '.':
			segment = segment[1:]
		case len(segment) >= 3 && segment[0] == '%' && segment[1] == '2' && segment[2]|0x20 == 'e':
			segment = segment[3:]
		default:
			return 0
		}
		if n++; n > 2 {
			return 0
		}
	}
	return n
}

// parseOpaquePath implements the opaque path state.
func (p *parser) parseOpaquePath(i int) error {
	end := i
	for end < len(p.text) && p.text[end] != '?' && p.text[end] != '#' {
		end++
	}
	p.recordInvalidUnits(i, end)
	text := encode(p.text[i:end], controlSet)
	if end < len(p.text) && strings.HasSuffix(text, " ") {
		text = text[:len(text)-1] + "%20"
	}
	p.url.path, p.url.opaque = text, true
	return p.parseEnd(end)
}

// parseEnd implements the query state and the fragment state. The offset i must be the offset of
// "?" or "#", or the end of the text.
func (p *parser) parseEnd(i int) error {
	if i < len(p.text) && p.text[i] == '?' {
		end := len(p.text)
		if j := strings.IndexByte(p.text[i:], '#'); j >= 0 {
			end = i + j
		}
		set := querySet
		if p.special {
			set = specialQuerySet
		}
		p.recordInvalidUnits(i+1, end)
		p.url.query, p.url.hasQuery = encode(p.text[i+1:end], set), true
		i = end
	}
	p.url.fragment, p.url.hasFragment = "", false
	if i < len(p.text) {
		p.recordInvalidUnits(i+1, len(p.text))
		p.url.fragment, p.url.hasFragment = encode(p.text[i+1:], fragmentSet), true
	}
	return nil
}

// recordInvalidUnits records the characters between the offsets i and end that are not URL units
// (section 4.3).
func (p *parser) recordInvalidUnits(i, end int) {
	if !p.strict {
		return
	}
	for i < end {
		c := p.text[i]
		size := 1
		switch {
		case c >= utf8.RuneSelf:
			var r rune
			if r, size = utf8.DecodeRuneInString(p.text[i:end]); !isURLRune(r) {
				p.recordError("invalid-URL-unit", i, size)
			}
		case c == '%':
			if !isEscape(p.text[i:end]) {
				p.recordError("invalid-URL-unit", i, 1)
			}
		case table[c]&urlChar == 0 && !(c == '\\' && p.special):
			p.recordError("invalid-URL-unit", i, 1)
		}
		i += size
	}
}

// isURLRune reports whether a character that is not ASCII is a URL code point.
func isURLRune(r rune) bool {
	return r >= 0xA0 && r <= 0x10FFFD && !(r >= 0xFDD0 && r <= 0xFDEF) && r&0xFFFE != 0xFFFE
}
