package mailto

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/addrspec"
	"github.com/locus-url/locus/internal/bnf"
)

// Headers contains the addresses and header fields that a mailto URL proposes for a message (RFC
// 6068). A program must remove unsafe fields, and must show the message to the user before sending
// it (sections 4 and 7).
type Headers struct {
	To     []string // decoded addresses, including those of "to" fields
	Fields []Field  // the other fields in order; "body" is the text
}

// Field is a decoded header field. RFC 6068 requires that the decoded text be UTF-8.
type Field struct {
	Name  string // name as written, which is case-insensitive
	Value string
}

// Headers parses the URL by RFC 6068:
//
//	mailtoURI = "mailto:" [ to ] [ hfields ]
//	to        = addr-spec *("," addr-spec )
//	hfields   = "?" hfield *( "&" hfield )
//	hfield    = hfname "=" hfvalue
//
// Headers splits first and decodes each part once. It does not change "+". Addresses may contain
// UTF-8 (RFC 6532). Headers returns a [*locus.SyntaxError] if the syntax, an address or a field
// name is invalid, or if a value contains a control character. Only the field "body" may contain
// line ends and tabs.
func (m URL) Headers() (Headers, error) {
	text, offset := bnf.SchemePart(m.url)
	r := headerReader{url: m.url}
	to, hfields, more := strings.Cut(text, "?")
	if to != "" || !more {
		r.addresses(to, offset)
	}
	for offset += len(to) + 1; more && r.err == nil; {
		var hfield string
		hfield, hfields, more = strings.Cut(hfields, "&")
		r.hfield(hfield, offset)
		offset += len(hfield) + 1
	}
	if r.err != nil {
		return Headers{}, r.err
	}
	return r.headers, nil
}

// headerReader reads header fields and stops at the first error.
type headerReader struct {
	url     locus.URL
	headers Headers
	err     error
}

func (r *headerReader) fail(offset int, part string, kind error, help string) {
	if r.err == nil {
		r.err = r.url.Errorf(offset, part, "%w: %s", kind, help)
	}
}

func (r *headerReader) addresses(list string, offset int) {
	for text := range strings.SplitSeq(list, ",") {
		if faults := addrspec.FaultsUTF8(text); len(faults) > 0 {
			r.fail(offset+faults[0].Start, "addr-spec", locus.ErrValue, faults[0].Help)
		}
		r.headers.To = append(r.headers.To, bnf.Decode(text))
		offset += len(text) + 1
	}
}

func (r *headerReader) hfield(text string, offset int) {
	hfname, hfvalue, ok := strings.Cut(text, "=")
	if !ok {
		r.fail(offset, "hfield", locus.ErrForm, `write a header field as name=value`)
		return
	}
	name := bnf.Decode(hfname)
	if i := strings.IndexFunc(name, isNotInName); i >= 0 || name == "" {
		r.fail(offset+bnf.OctetOffset(hfname, max(i, 0)), "hfname", locus.ErrValue, `invalid header field name: use printable characters without spaces and ":"`)
		return
	}
	offset += len(hfname) + 1
	if strings.EqualFold(name, "to") {
		if hfvalue != "" {
			r.addresses(hfvalue, offset)
		}
		return
	}
	value := bnf.Decode(hfvalue)
	allowed := ""
	if strings.EqualFold(name, "body") {
		allowed = "\r\n\t"
	}
	for i := range len(value) {
		if c := value[i]; (c < ' ' || c == 0x7F) && strings.IndexByte(allowed, c) < 0 {
			r.fail(offset+bnf.OctetOffset(hfvalue, i), "hfvalue", locus.ErrValue, "a control character can't be in the value of a header field")
			return
		}
	}
	r.headers.Fields = append(r.headers.Fields, Field{Name: name, Value: value})
}

// isNotInName reports whether the character r is invalid in a field-name (RFC 822 section 3.2).
func isNotInName(r rune) bool { return r <= ' ' || r >= 0x7F || r == ':' }
