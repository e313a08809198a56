package mailto

import (
	"fmt"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/current"
)

// inForce returns the rules of RFC 6068 section 2:
//
//	mailtoURI    = "mailto:" [ to ] [ hfields ]
//	to           = addr-spec *("," addr-spec )
//	hfields      = "?" hfield *( "&" hfield )
//	hfield       = hfname "=" hfvalue
//	hfname       = *qchar
//	hfvalue      = *qchar
//	qchar        = unreserved / pct-encoded / some-delims
//	some-delims  = "!" / "$" / "'" / "(" / ")" / "*"
//	             / "+" / "," / ";" / ":" / "@"
func inForce() scheme.CurrentStandard {
	return scheme.CurrentStandard{Name: "RFC 6068", Check: checkCurrent, Clean: isClean, Normalize: normalizeCurrent}
}

const rfc6068 = "RFC 6068 2"

func isClean(u rfc3986.URI) bool { return current.IsPath(u) && bnf.IsAddress(u.Path()) }

func checkCurrent(u rfc3986.URI) []locus.Violation {
	var f bnf.Findings
	name, _ := u.Scheme()
	if _, ok := u.Host(); ok {
		f.Add("slashes", rfc6068, len(name)+len(":"), "//", `leave out "//": an address follows "mailto:"`)
		return f.List()
	}
	if to := u.Path(); to != "" {
		checkAddresses(&f, u.PathOffset(), to)
	}
	if query, ok := u.Query(); ok {
		h := fieldChecker{Findings: &f, hasTo: u.Path() != "", previousNames: map[string]bool{}}
		h.checkFields(u.QueryOffset(), query)
	}
	if _, ok := u.Fragment(); ok {
		f.Note("fragment", rfc6068, u.FragmentOffset()-1, "#", `remove the fragment: it has no meaning here; write %23 for a "#" in a value`)
	}
	return f.List()
}

// fieldChecker checks the header fields of one URI.
type fieldChecker struct {
	*bnf.Findings
	hasTo         bool            // addresses precede the header fields
	previousNames map[string]bool // names of the previous fields in lower case
}

// checkFields checks the header fields in the text after "?". The argument offset is the position
// of text in the URI.
func (h fieldChecker) checkFields(offset int, text string) {
	for hfield := range strings.SplitSeq(text, "&") {
		end := offset + len(hfield) + len("&")
		for more := true; more; {
			var first string
			first, hfield, more = cutWrong(hfield)
			h.checkField(offset, first)
			if offset += len(first); more {
				h.Add("hfield", "RFC 6068 6.1", offset, "?", `write "&" between header fields, and %3F for a "?" in a value`)
				offset += len("?")
			}
		}
		offset = end
	}
}

// cutWrong splits text at a "?" between two "=". At this position the author probably meant "&",
// as in the wrong example in section 6.1.
func cutWrong(text string) (before, after string, found bool) {
	hfname, hfvalue, _ := strings.Cut(text, "=")
	value, after, _ := strings.Cut(hfvalue, "?")
	if !strings.Contains(after, "=") {
		return text, "", false
	}
	return text[:len(hfname)+len("=")+len(value)], after, true
}

// checkField checks one hfield. The argument offset is the position of text in the URI.
func (h fieldChecker) checkField(offset int, text string) {
	hfname, hfvalue, ok := strings.Cut(text, "=")
	if !ok {
		h.Add("hfield", rfc6068, offset, text, "write a header field as name=value")
		return
	}
	name := h.checkName(offset, hfname)
	if isPlainValue(hfvalue) {
		return
	}
	if list, ok := bnf.Tokens(hfvalue, offset+len(hfname)+len("=")); ok {
		h.checkReserved(list)
		h.checkValue(name, list)
	}
}

// isPlainValue reports whether an hfvalue needs no further checks. This is true if its escapes
// encode printable US-ASCII, and RFC 6068 allows its other characters, or the RFC 3986 checks
// report them.
func isPlainValue(text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '+' || c == '/' || c == '?' || c == '=':
			return false
		case c != '%':
		case !octet.IsEscape(text, i):
			return false
		default:
			if o := octet.Unescape(text, i); o < ' ' || o >= 0x7F {
				return false
			}
			i += len("00")
		}
	}
	return true
}

// checkName checks an hfname. The argument offset is the position of the hfname in the URI. The
// result is the name in lower case, or "" if the name is invalid.
func (h fieldChecker) checkName(offset int, hfname string) string {
	name := strings.ToLower(hfname)
	if !bnf.IsWords(hfname) {
		list, ok := bnf.Tokens(hfname, offset)
		if !ok {
			return "" // RFC 3986 already reports a violation
		}
		h.checkReserved(list)
		if !h.isName(offset, list) {
			return ""
		}
		name = strings.ToLower(bnf.Decode(hfname))
	}
	h.checkKnown(offset, hfname, name)
	return name
}

// checkReserved adds a finding for each character that needs an escape. RFC 6068 says: "Within
// 'mailto' URIs, the characters "?", "=", and "&" are reserved".
func (h fieldChecker) checkReserved(list []bnf.Token) {
	for _, t := range list {
		if t.Is('/') || t.Is('?') || t.Is('=') {
			h.Add("reserved-character", rfc6068, t.Offset, t.Text, fmt.Sprintf("write %%%02X in a header field", t.Octet))
		}
	}
}

// isName reports whether the tokens in list are a valid header field name. The argument offset is
// the position of the name in the URI.
func (h fieldChecker) isName(offset int, list []bnf.Token) bool {
	const section = "RFC 5322 3.6.8"
	i := slices.IndexFunc(list, func(t bnf.Token) bool { return isNotInName(rune(t.Octet)) })
	switch {
	case len(list) == 0:
		h.Impossible("hfname", section, offset, "", `write the name of a header field before "="`)
	case i >= 0:
		h.Impossible("hfname", section, list[i].Offset, list[i].Text, `the name of a header field has only printable characters, without spaces and ":"`)
	}
	return len(list) > 0 && i < 0
}

// checkKnown checks a field by the RFC 6068 rules for its name. The argument offset is the position
// of hfname in the URI, and name is hfname in lower case.
func (h fieldChecker) checkKnown(offset int, hfname, name string) {
	duplicate := h.previousNames[name]
	h.previousNames[name] = true
	switch {
	case duplicate && isOnce(name):
		h.Add("duplicate", rfc6068, offset, hfname, "a message has this header field only once")
	case duplicate:
		h.Note("duplicate", rfc6068, offset, hfname, "write a header field only once: programs differ in which they use")
	case name == "to" && h.hasTo:
		h.Note("to", rfc6068, offset, hfname, `write all addresses before "?": some programs ignore this field`)
	case isIgnored(name):
		h.Note("ignored-field", "RFC 6068 3", offset, hfname, "leave this header field out: a program must ignore it")
	case name == "bcc":
		h.Note("unsafe-field", "RFC 6068 7", offset, hfname, "everyone who sees the URI sees these addresses")
	case !isUsual(name):
		h.Note("unsafe-field", "RFC 6068 4", offset, hfname, "only subject, keywords and body are believed to be safe: a program may leave this header field out")
	}
}

// isOnce reports whether a message may contain at most one field with the given name
// (RFC 5322 section 3.6). RFC 6068 allows programs to join "to" fields.
func isOnce(name string) bool {
	switch name {
	case "bcc", "cc", "date", "from", "in-reply-to", "message-id", "references", "reply-to", "sender", "subject":
		return true
	}
	return false
}

// isIgnored reports whether section 3 requires programs to ignore the field. Such fields are
// "Originator fields like From and Date, fields related to routing (Apparently-To, Resent-*,
// etc.), trace fields, and MIME header fields".
func isIgnored(name string) bool {
	switch name {
	case "from", "sender", "date", "apparently-to", "return-path", "received", "mime-version":
		return true
	}
	return strings.HasPrefix(name, "resent-") || strings.HasPrefix(name, "content-")
}

// isUsual reports whether RFC 6068 describes a field as safe or uses the field in examples.
func isUsual(name string) bool {
	switch name {
	case "subject", "keywords", "body", "to", "cc", "in-reply-to":
		return true
	}
	return false
}

// checkValue checks the hfvalue of the field with the given name.
func (h fieldChecker) checkValue(name string, list []bnf.Token) {
	if t, bad := bnf.NotUTF8(list); bad && t.Escaped {
		h.Add("utf-8", rfc6068, t.Offset, t.Text, "the escapes of a header field are UTF-8: write the octets of the character in UTF-8")
	}
	plus := name != "subject" && name != "body" && name != "keywords"
	for i, t := range list {
		next := bnf.Token{}
		if i+1 < len(list) {
			next = list[i+1]
		}
		isLF := t.Octet == '\n' && (i == 0 || list[i-1].Octet != '\r')
		isCR := t.Octet == '\r' && next.Octet != '\n'
		switch {
		case t.Is('+') && !plus:
			plus = true
			h.Note("plus", "RFC 6068 5", t.Offset, "+", `"+" stays "+": write %20 for a space, and %2B for a "+"`)
		case name == "body" && (isLF || isCR):
			h.Add("line-break", "RFC 6068 5", t.Offset, t.Text, "write %0D%0A for a line break")
		case name == "body" && (t.Octet != 0 || !t.Escaped), t.Octet >= ' ' && t.Octet != 0x7F, t.Octet == '\t':
		case t.Octet == '\r' && next.Octet == '\n' && i+2 < len(list) && isBlank(list[i+2].Octet):
			h.Note("line-break", "RFC 6068 5", t.Offset, t.Text, "leave the line break out")
		case t.Octet == '\n' && !isLF:
		case t.Octet == '\r', t.Octet == '\n':
			h.Impossible("line-break", "RFC 5322 2.2", t.Offset, t.Text, "leave the line break out: it would begin another header field")
		default:
			h.Impossible("control-character", "RFC 5322 3.2.5", t.Offset, t.Text, "leave the control character out: no message can have it here")
		}
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }
