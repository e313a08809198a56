package urn

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/current"
)

func inForce() scheme.CurrentStandard {
	return scheme.CurrentStandard{Name: "RFC 8141", Check: checkCurrent, Clean: isClean, Normalize: normalizeCurrent, AsWritten: true}
}

// isClean reports whether the URI u is an assigned name without escapes, whose namespace consists
// of 3 to 32 letters and digits. It returns false for namespaces with a "-", because section 5
// defines additional rules for them.
func isClean(u rfc3986.URI) bool {
	if _, authority := u.Host(); authority || current.HasQuery(u) {
		return false
	}
	nid, nss, _ := strings.Cut(u.Path(), ":")
	if len(nid) < 3 || len(nid) > 32 || nss == "" || nss[0] == '/' || strings.IndexByte(nss, '%') >= 0 {
		return false
	}
	return octet.All(nid)&octet.Label != 0 && strings.IndexByte(nid, '-') < 0 && (len(nid) > 3 || !strings.EqualFold(nid, "urn"))
}

func checkCurrent(u rfc3986.URI) []locus.Violation {
	var f bnf.Findings
	name, _ := u.Scheme()
	if _, ok := u.Host(); ok {
		f.Add("slashes", "RFC 8141 2", len(name)+len(":"), "//", `leave out "//": a namespace follows "urn:"`)
		return f.List()
	}
	c := split(u)
	if c.nid.ok {
		checkNID(&f, c.nid)
		checkNSS(&f, c.nss)
	} else {
		f.Add("nid", "RFC 8141 2", c.nss.offset, c.nss.text, `write a namespace and ":" before the name: urn:example:name`)
	}
	checkComponent(&f, "r-component", "?+", c.r)
	checkComponent(&f, "q-component", "?=", c.q)
	if c.r.text != "" {
		f.Note("r-component", "RFC 8141 2.3.1", c.r.offset-len("?+"), "?+", "leave the r-component out: no standard gives it a meaning yet")
	}
	if c.other.ok {
		f.Add("query", "RFC 8141 2", c.other.offset-len("?"), "?", `write "?=" before a query for the resource, "?+" before one for the resolver, or %3F for a "?" of the name`)
	}
	return f.List()
}

func checkNID(f *bnf.Findings, nid component) {
	text, offset := nid.text, nid.offset
	if i := strings.IndexFunc(text, notInNID); i >= 0 {
		_, size := utf8.DecodeRuneInString(text[i:])
		f.Add("nid", "RFC 8141 2.1", offset+i, text[i:i+size], `a namespace has only letters, digits and "-"`)
		return
	}
	switch {
	case len(text) < 2 || len(text) > 32:
		f.Add("nid", "RFC 8141 2", offset, text, "a namespace has 2 to 32 characters")
	case text[0] == '-' || text[len(text)-1] == '-':
		f.Add("nid", "RFC 8141 2", offset, text, "a namespace begins and ends with a letter or digit")
	default:
		checkNamespace(f, offset, text)
	}
}

func notInNID(r rune) bool {
	return r != '-' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
}

// informal is an InformalNamespaceName (section 5.2) in lower case.
var informal = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^urn-[1-9][0-9]*$`) })

// isCountryLike reports whether section 5.1 reserves the NID in the argument name for a country
// code. The NID must be in lower case.
func isCountryLike(name string) bool {
	return isLower(name[0]) && isLower(name[1]) && (len(name) == 2 || name[2] == '-')
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

// checkNamespace checks a grammatical NID. The argument offset is the position of the NID in the
// URI.
func checkNamespace(f *bnf.Findings, offset int, text string) {
	name := strings.ToLower(text)
	switch {
	case name == "urn":
		f.Impossible("namespace", "RFC 2141 2.1", offset, text, `no namespace is called "urn": write "urn:" once`)
	case strings.HasPrefix(name, "urn-") && !informal().MatchString(name):
		f.Impossible("namespace", "RFC 8141 5.2", offset, text, `after "urn-" an informal namespace has a number that begins with 1 to 9`)
	case strings.HasPrefix(name, "x-"):
		f.Impossible("namespace", "RFC 8141 appendix C", offset, text, `experimental namespaces were abolished: use the namespace "example"`)
	case isCountryLike(name):
		f.Note("namespace", "RFC 8141 5.1", offset, text, "names that begin like a country code are reserved: no such namespace is registered")
	}
}

func checkNSS(f *bnf.Findings, nss component) {
	switch {
	case nss.text == "":
		f.Add("nss", "RFC 8141 2", nss.offset, "", "write a name after the namespace")
	case nss.text[0] == '/':
		f.Add("nss", "RFC 8141 2", nss.offset, "/", `a name does not begin with "/": write %2F`)
	}
	if !strings.Contains(nss.text, "%") {
		return
	}
	list, _ := bnf.Tokens(nss.text, nss.offset) // if splitting fails, the RFC 3986 checks report a violation
	if t, bad := bnf.NotUTF8(list); bad {
		f.Add("utf-8", "RFC 8141 2.2", t.Offset, t.Text, "the escapes of a name are UTF-8: write the octets of the character in UTF-8")
	}
}

// checkComponent checks an r-component or a q-component. The argument mark is the text that
// precedes the component.
//
//	pchar *( pchar / "/" / "?" )
func checkComponent(f *bnf.Findings, rule, mark string, c component) {
	switch {
	case !c.ok:
	case c.text == "":
		f.Add(rule, "RFC 8141 2", c.offset-len(mark), mark, "write something after it, or leave it out")
	case c.text[0] == '/' || c.text[0] == '?':
		f.Add(rule, "RFC 8141 2", c.offset, c.text[:1], `it does not begin with "/" or "?": write `+escape.Encode(c.text[:1], escape.Set{}))
	}
}

// normalizeCurrent returns the assigned-name, with its case normalized by section 3.1.
func normalizeCurrent(u rfc3986.URI) rfc3986.URI {
	c := split(u)
	if !c.nid.ok {
		return u
	}
	return rfc3986.Parse("urn:" + strings.ToLower(c.nid.text) + ":" + upperEscapes(c.nss.text))
}

// upperEscapes converts the hexadecimal digits of the escapes in text to upper case.
func upperEscapes(text string) string {
	b := []byte(text)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:], strings.ToUpper(text[i+1:i+3]))
			i += 2
		}
	}
	return string(b)
}
