package mailto

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/addrspec"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/profile/rfc3986"
)

// checkAddresses checks a list of addresses by RFC 6068 section 2. The argument offset is the
// position of the list in the URI.
//
//	to           = addr-spec *("," addr-spec )
//	addr-spec    = local-part "@" domain
//	local-part   = dot-atom-text / quoted-string
//	domain       = dot-atom-text / "[" *dtext-no-obs "]"
//	dtext-no-obs = %d33-90 / ; Printable US-ASCII
//	               %d94-126  ; characters not including
//	                         ; "[", "]", or "\"
func checkAddresses(f *bnf.Findings, offset int, list string) {
	if !strings.Contains(list, ",") {
		checkAddress(f, offset, list)
		return
	}
	seen := map[string]bool{}
	for text := range strings.SplitSeq(list, ",") {
		checkAddress(f, offset, text)
		plain := plainAddress(text)
		if seen[plain] && text != "" {
			f.Note("duplicate-address", "RFC 6068 3", offset, text, "write an address only once")
		}
		seen[plain] = true
		offset += len(text) + len(",")
	}
}

// checkAddress checks one addr-spec. The argument offset is the position of text in the URI.
func checkAddress(f *bnf.Findings, offset int, text string) {
	if local, domain, ok := strings.Cut(text, "@"); ok && bnf.IsWords(local) && bnf.IsWords(domain) {
		return
	}
	list, ok := bnf.Tokens(text, offset)
	if !ok {
		return // RFC 3986 already reports a violation
	}
	for _, t := range list {
		if t.Is('/') || t.Is('&') || t.Is('=') {
			reportReserved(f, t)
		}
	}
	if t, bad := bnf.NotUTF8(list); bad && t.Escaped {
		f.Add("utf-8", rfc6068, t.Offset, t.Text, "the escapes of an address are UTF-8: write the octets of the character in UTF-8")
	}
	local, _, ok := addrspec.SplitPlain(text)
	if !ok {
		if i := strings.LastIndex(text, "%40"); i >= 0 {
			f.Add("addr-spec", rfc6068, offset+i, "%40", `write "@" before the domain, without an escape`)
		} else {
			f.Add("addr-spec", rfc6068, offset+len(text), "", `write an address: local-part@domain`)
		}
		return
	}
	at := slices.IndexFunc(list, func(t bnf.Token) bool { return t.Offset == offset+len(local) })
	checkLocal(f, list[:at], list[at])
	checkDomain(f, list[at+1:], list[at])
}

// reportReserved adds a finding for a delimiter that must be escaped.
func reportReserved(f *bnf.Findings, t bnf.Token) {
	f.Add("reserved-character", rfc6068, t.Offset, t.Text, fmt.Sprintf("write %%%02X in an address", t.Octet))
}

func checkLocal(f *bnf.Findings, list []bnf.Token, at bnf.Token) {
	if len(list) > 0 && list[0].Octet == '"' {
		checkQuoted(f, list)
		return
	}
	checkDotAtom(f, list, at, `write a local part before "@"`, `%q in a local part must be in quotes: %%22...%%22`)
}

func checkDomain(f *bnf.Findings, list []bnf.Token, at bnf.Token) {
	if len(list) > 0 && list[0].Octet == '[' {
		checkLiteral(f, list)
		return
	}
	checkDotAtom(f, list, at, `write a domain after "@"`, "%q can't be in a domain")
	for _, t := range list {
		if t.Escaped && plainMailbox().Has(t.Octet) {
			f.Add("domain-escape", rfc6068, t.Offset, t.Text, "write it without an escape: "+string(t.Octet))
		}
	}
	for _, t := range list {
		if t.Octet >= utf8.RuneSelf {
			f.Note("internationalized-domain", rfc6068, t.Offset, t.Text, `write the "xn--" form of the domain: more programs read it`)
			return
		}
	}
}

// checkDotAtom checks the tokens of a dot-atom-text. The separator is the "@" next to the list. If
// the list is empty, the help text is emptyHelp. For an invalid octet, the help text is the format
// octetHelp.
func checkDotAtom(f *bnf.Findings, list []bnf.Token, separator bnf.Token, emptyHelp, octetHelp string) {
	if len(list) == 0 {
		f.Add("addr-spec", rfc6068, separator.Offset, separator.Text, emptyHelp)
	}
	for i, t := range list {
		switch {
		case t.Octet == '.' && (i == 0 || i == len(list)-1 || list[i-1].Octet == '.'):
			f.Add("addr-spec", rfc6068, t.Offset, t.Text, "write a word before and after each dot")
		case t.Octet == '.', octet.Is(t.Octet, octet.Atom), t.Octet >= utf8.RuneSelf:
		case t.Octet <= ' ' || t.Octet == 0x7F:
			f.Add("addr-spec", rfc6068, t.Offset, t.Text, "an address must not contain spaces or control characters")
		default:
			f.Add("addr-spec", rfc6068, t.Offset, t.Text, fmt.Sprintf(octetHelp, t.Octet))
		}
	}
}

// checkQuoted checks a quoted-string of RFC 5322 section 3.2.4. RFC 6068 forbids whitespace,
// except after a "\".
func checkQuoted(f *bnf.Findings, list []bnf.Token) {
	pair := false
	for i, t := range list[1:] {
		last := i == len(list)-2
		if t.Is(';') {
			reportReserved(f, t)
		}
		visible := t.Octet > ' ' && t.Octet != 0x7F
		switch {
		case pair && (visible || isBlank(t.Octet)) && !last:
		case t.Octet == '"' && !pair && last:
			return
		case t.Octet == '"' && !pair:
			f.Add("addr-spec", rfc6068, t.Offset, t.Text, `write %5C before a quote in quotes; nothing may follow the last quote`)
		case !visible:
			f.Add("addr-spec", rfc6068, t.Offset, t.Text, "quotes in an address must not contain control characters, and spaces only after %5C")
		}
		pair = t.Octet == '\\' && !pair
	}
	f.Add("addr-spec", rfc6068, list[0].Offset, list[0].Text, "write %22 at the end of a quoted string")
}

// checkLiteral checks a domain-literal, which is an address in brackets.
func checkLiteral(f *bnf.Findings, list []bnf.Token) {
	inner := list[1:]
	if last := len(inner) - 1; last >= 0 && inner[last].Octet == ']' {
		inner = inner[:last]
	} else {
		f.Add("addr-spec", rfc6068, list[0].Offset, list[0].Text, "write %5D at the end of a domain in brackets")
	}
	for _, t := range inner {
		if t.Is(';') {
			reportReserved(f, t)
		}
		if t.Octet <= ' ' || t.Octet >= 0x7F || strings.IndexByte(`[\]`, t.Octet) >= 0 {
			f.Add("addr-spec", rfc6068, t.Offset, t.Text, `a domain in brackets must not contain spaces, brackets or "\"`)
		}
	}
}

// plainMailbox returns the characters that need no escape in an address (RFC 6068). The function
// plainField returns such characters for a header field.
func plainMailbox() escape.Set { return escape.Alpha().Union(escape.Digit()).With("-._~!$'()*+:") }

func plainField() escape.Set { return plainMailbox().With(",;@") }

// plainAddress returns an addr-spec with only the necessary escapes, and the domain in
// lower case.
func plainAddress(text string) string {
	local, written, ok := addrspec.SplitPlain(text)
	if !ok {
		return escape.Encode(bnf.Decode(text), plainMailbox())
	}
	domain := []byte(bnf.Decode(written))
	for i, c := range domain {
		if isUpper(rune(c)) {
			domain[i] += 'a' - 'A'
		}
	}
	return escape.Encode(bnf.Decode(local), plainMailbox()) + "@" + escape.Encode(domain, plainMailbox())
}

// normalizeCurrent normalizes a URI by RFC 6068. It writes addresses and header fields with only
// the necessary escapes, and domains and field names in lower case. It moves the addresses in "to"
// fields before the "?". It removes the fragment, which section 2 requires programs to ignore.
func normalizeCurrent(u rfc3986.URI) rfc3986.URI {
	if _, ok := u.Host(); ok {
		return u
	}
	var to, fields []string
	for text := range strings.SplitSeq(u.Path(), ",") {
		if text != "" {
			to = append(to, plainAddress(text))
		}
	}
	query, _ := u.Query()
	for hfield := range strings.SplitSeq(query, "&") {
		hfname, hfvalue, ok := strings.Cut(hfield, "=")
		name := escape.Encode(strings.ToLower(bnf.Decode(hfname)), plainField())
		value := escape.Encode(bnf.Decode(hfvalue), plainField())
		switch {
		case !ok:
		case name == "to" && value == "":
		case name == "to" && areAddresses(value):
			for text := range strings.SplitSeq(value, ",") {
				to = append(to, plainAddress(text))
			}
		default:
			fields = append(fields, name+"="+value)
		}
	}
	text := "mailto:" + strings.Join(to, ",")
	if len(fields) > 0 {
		text += "?" + strings.Join(fields, "&")
	}
	return rfc3986.Parse(text)
}

// areAddresses reports whether text is a valid address list before the "?" (section 2).
func areAddresses(text string) bool {
	var f bnf.Findings
	checkAddresses(&f, 0, text)
	return locus.Conforms(f.List())
}
