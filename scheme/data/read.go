package data

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
)

// content is the decoded text after "data:".
type content struct {
	mediaType  string // type and subtype in lower case, such as "text/plain"
	parameters []Parameter
	base64     bool
	octets     string
}

// Parameter is a decoded media type parameter.
type Parameter struct {
	Name  string // name in lower case
	Value string
}

// fault is an error in a URL, for which Parse rejects the URL.
type fault struct {
	offset, size int // position of the invalid text
	part         string
	err          error // locus.ErrForm or locus.ErrValue
	help         string
}

// reader parses the text after "data:".
type reader struct {
	content content
	faults  []fault
	quoted  int // offset of a parameter value that is a quoted-string; 0 if no value is
}

func (r *reader) fault(part string, offset, size int, err error, help string, args ...any) {
	r.faults = append(r.faults, fault{offset, size, part, err, fmt.Sprintf(help, args...)})
}

// parse parses the parameter text. It leaves malformed escapes unchanged.
func (r *reader) parse(text string) {
	head, data, ok := strings.Cut(text, ",")
	if !ok {
		r.fault("dataurl", len(text), 0, locus.ErrForm, `write "," before the data`)
		return
	}
	offset := len(head) + len(",")
	if i := len(head) - len(base64Mark); i >= 0 && strings.EqualFold(head[i:], base64Mark) {
		r.content.base64, head = true, head[:i]
	}
	r.mediaType(head)
	r.content.octets = decode(data)
	if r.content.base64 {
		r.decodeBase64(data, offset)
	}
}

const base64Mark = ";base64"

func decode(text string) string {
	if octets, err := escape.Decode(text); err == nil {
		return octets
	}
	return text
}

// Defaults (section 2).
const (
	plainText = "text/plain"
	usASCII   = "US-ASCII"
)

func (r *reader) mediaType(head string) {
	name, parameters, some := strings.Cut(head, ";")
	r.content.mediaType = plainText
	if name != "" {
		kind, subtype, ok := strings.Cut(name, "/")
		kind, subtype = decode(kind), decode(subtype)
		switch {
		case !ok:
			r.fault("mediatype", 0, len(name), locus.ErrForm, `a media type is a type, "/" and a subtype, as in text/html`)
		case !isToken(kind) || !isToken(subtype):
			r.fault("mediatype", 0, len(name), locus.ErrValue, "a media type is letters, digits and hyphens, as in image/svg+xml")
		}
		r.content.mediaType = strings.ToLower(kind + "/" + subtype)
	} else if !some {
		r.content.parameters = []Parameter{{"charset", usASCII}}
	}
	for offset := len(name) + len(";"); some; {
		var text string
		text, parameters, some = strings.Cut(parameters, ";")
		r.parameter(text, offset)
		offset += len(text) + len(";")
	}
}

func (r *reader) parameter(text string, offset int) {
	name, value, ok := strings.Cut(text, "=")
	p := Parameter{strings.ToLower(decode(name)), decode(value)}
	switch {
	case !ok && strings.EqualFold(text, base64Mark[1:]):
		r.fault("mediatype", offset, len(text), locus.ErrForm, `write ";base64" after the parameters, before the ","`)
	case !ok:
		r.fault("parameter", offset, len(text), locus.ErrForm, `a parameter is a name, "=" and a value`)
	case !isToken(p.Name):
		r.fault("attribute", offset, len(name), locus.ErrValue, "a parameter's name is letters, digits and hyphens")
	case slices.ContainsFunc(r.content.parameters, func(q Parameter) bool { return q.Name == p.Name }):
		r.fault("attribute", offset, len(name), locus.ErrValue, "duplicate parameter: remove one")
	}
	if ok {
		p.Value = r.parseValue(value, offset+len(name)+len("="))
	}
	r.content.parameters = append(r.content.parameters, p)
}

// parseValue decodes the parameter value in text, which begins at offset. Section 3 says:
// "parameter values should use the URL Escaped encoding instead of quoted string if the parameter
// values contain any "tspecial"".
func (r *reader) parseValue(text string, offset int) string {
	plain := decode(text)
	quoted := strings.HasPrefix(plain, `"`)
	switch unquoted, ok := unquote(plain); {
	case strings.IndexFunc(plain, func(c rune) bool { return c < ' ' || c > '~' }) >= 0 || plain == "":
		r.fault("value", offset, len(text), locus.ErrValue, "a parameter has a value of printable US-ASCII characters")
	case quoted && !ok:
		r.fault("value", offset, len(text), locus.ErrValue, "a value that begins with %%22 is a quoted string: it ends with %%22, and a quote in it is %%5C%%22")
	case quoted:
		if quote(unquoted) == unquoted {
			r.quoted = offset
		}
		return unquoted
	}
	for i := range len(text) {
		if !quoted && strings.IndexByte(tspecials, text[i]) >= 0 {
			r.fault("value", offset+i, 1, locus.ErrForm, "write %%%02X in a value", text[i])
		}
	}
	return plain
}

// unquote returns the text of a quoted-string (RFC 822 section 3.3). If the argument is not a
// quoted-string, ok is false.
func unquote(quoted string) (text string, ok bool) {
	var b strings.Builder
	for i := 1; i < len(quoted); i++ {
		switch quoted[i] {
		case '"':
			return b.String(), i == len(quoted)-1
		case '\\':
			if i++; i == len(quoted) {
				return "", false
			}
		}
		b.WriteByte(quoted[i])
	}
	return "", false
}

// quote returns the parameter value in quotes if the value is empty or begins with a quote.
// Otherwise it returns the value unchanged.
func quote(value string) string {
	if value != "" && value[0] != '"' {
		return value
	}
	return `"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(value) + `"`
}

// tspecials are the special characters of RFC 2045 section 5.1.
const tspecials = `()<>@,;:\"/[]?=`

// isToken reports whether text is a token of RFC 2045 section 5.1.
func isToken(text string) bool {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] >= 0x7F || strings.IndexByte(tspecials, text[i]) >= 0 {
			return false
		}
	}
	return text != ""
}

// decodeBase64 decodes the base64 in r.content.octets, which is text without its escapes. The
// argument offset is the position of text in the URL.
func (r *reader) decodeBase64(text string, offset int) {
	code := r.content.octets
	where := func(n int) int { return offset + encodedOffset(text, n) }
	for i := range len(code) {
		if !isBase64(code[i]) && code[i] != '=' {
			r.fault("data", where(i), 0, locus.ErrValue, "%s", notBase64(code[i]))
			return
		}
	}
	digits := strings.TrimRight(code, "=")
	missing, written := (4-len(digits)%4)%4, len(code)-len(digits)
	switch i := strings.IndexByte(digits, '='); {
	case i >= 0:
		r.fault("data", where(i), 0, locus.ErrValue, `"=" ends base64, but more data follows`)
	case missing == 3:
		r.fault("data", where(len(digits)), 0, locus.ErrValue, "the base64 is cut off: one character or three are missing")
	case written == 0 && missing > 0:
		r.fault("data", where(len(code)), 0, locus.ErrValue, "write %s at the end: base64 has groups of four characters", strings.Repeat("=", missing))
	case written > 0 && written != missing:
		r.fault("data", where(len(digits)), 0, locus.ErrValue, "base64 of this length ends in %s", cmp.Or(strings.Repeat("=", missing), `no "="`))
	default:
		octets, _ := base64.RawStdEncoding.DecodeString(digits) // the checks above rule out an error
		r.content.octets = string(octets)
	}
}

// encodedOffset returns the offset in the encoded text that belongs to octet n of the decoded text.
func encodedOffset(text string, n int) int {
	if decode(text) == text {
		return n
	}
	i := 0
	for ; n > 0; n-- {
		if text[i] == '%' {
			i += 2
		}
		i++
	}
	return i
}

func isBase64(c byte) bool {
	return 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '/'
}

// notBase64 returns the reason why the character c is invalid in base64.
func notBase64(c byte) string {
	switch c {
	case ' ', '\t', '\n', '\r', '\f':
		return "leave out white space"
	case '-':
		return `write "+" for "-": "-" belongs to base64 for URLs and filenames (RFC 4648 section 5)`
	case '_':
		return `write "/" for "_": "_" belongs to base64 for URLs and filenames (RFC 4648 section 5)`
	}
	return locus.Quote(string([]byte{c})) + " is not a character of base64"
}
