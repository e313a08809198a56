package mid

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/addrspec"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/current"
)

// inForce returns the rules of RFC 2392 section 2:
//
//	content-id    = url-addr-spec
//	message-id    = url-addr-spec
//	url-addr-spec = addr-spec  ; URL encoding of RFC 822 addr-spec
//	cid-url       = "cid" ":" content-id
//	mid-url       = "mid" ":" message-id [ "/" content-id ]
//
// Two URLs are equivalent only if all octets of their decoded identifiers are equal. Case matters,
// even in the domain.
func inForce() scheme.CurrentStandard {
	return scheme.CurrentStandard{Name: "RFC 2392", Check: checkCurrent, Clean: isClean, Normalize: normalizeCurrent}
}

const rfc2392 = "RFC 2392 2"

func isClean(u rfc3986.URI) bool { return current.IsPath(u) && bnf.IsAddress(u.Path()) }

func checkCurrent(u rfc3986.URI) []locus.Violation {
	var f bnf.Findings
	name, _ := u.Scheme()
	if _, ok := u.Host(); ok {
		f.Add("slashes", rfc2392, len(name)+1, "//", `leave out "//": an identifier follows the ":"`)
		return f.List()
	}
	// RFC 2392 defines no query, so a "?" belongs to the identifier.
	start, end := u.PathOffset(), u.QueryOffset()
	if text, ok := u.Query(); ok {
		f.Add("query", rfc2392, end-1, "?", `write %3F for a "?" of an identifier`)
		end += len(text)
	}
	text := u.String()[start:end]
	if messageID, contentID, pair := strings.Cut(text, "/"); pair && strings.EqualFold(name, "mid") {
		checkIdentifier(&f, start, messageID)
		start, text = start+len(messageID)+len("/"), contentID
	}
	checkIdentifier(&f, start, text)
	return f.List()
}

// checkIdentifier checks a url-addr-spec. The argument offset is the position of text in the URI.
func checkIdentifier(f *bnf.Findings, offset int, text string) {
	for i := range len(text) {
		if text[i] == '/' {
			f.Add("slash", rfc2392, offset+i, "/", `write %2F for a "/" of an identifier`)
		}
	}
	if _, err := escape.Decode(text); err != nil {
		return // RFC 3986 already reports a violation
	}
	for _, fault := range addrspec.Faults(text) {
		f.Add("addr-spec", rfc2392, offset+fault.Start, text[fault.Start:fault.End], fault.Help)
	}
}

// normalizeCurrent writes each identifier with only the necessary escapes.
func normalizeCurrent(u rfc3986.URI) rfc3986.URI {
	text, path := u.String(), u.Path()
	identifiers := strings.Split(path, "/")
	for i, id := range identifiers {
		identifiers[i] = addrspec.Encode(bnf.Decode(id), plainSet())
	}
	start := u.PathOffset()
	return rfc3986.Parse(text[:start] + strings.Join(identifiers, "/") + text[start+len(path):])
}

// plainSet returns the characters of a path segment (RFC 3986 section 3.3) except "@".
func plainSet() escape.Set { return escape.Unreserved().With("~&;=:") }
