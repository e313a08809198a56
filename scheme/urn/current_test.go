package urn_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme/urn"
)

// These regular expressions are the grammar of RFC 8141 section 2 in a simple, readable form.
// According to the prose of the RFC, the first "?=" ends an r-component, and the NSS is UTF-8.
var (
	namestring = regexp.MustCompile(`^(?i:urn):([^:?#]*):([^?#]*)(\?[^#]*)?(?:#.*)?$`)
	nid        = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,30}[A-Za-z0-9]$`)
	nss        = regexp.MustCompile(`^` + pchar + `(?:` + pchar + `|/)*$`)
	component  = regexp.MustCompile(`^` + pchar + `(?:` + pchar + `|[/?])*$`)
)

const pchar = `(?:[A-Za-z0-9\-._~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})`

func isURN(text string) bool {
	m := namestring.FindStringSubmatch(text)
	if m == nil || !nid.MatchString(m[1]) || !nss.MatchString(m[2]) {
		return false
	}
	if name, err := url.PathUnescape(m[2]); err != nil || !utf8.ValidString(name) {
		return false
	}
	rest := m[3]
	if r, ok := strings.CutPrefix(rest, "?+"); ok {
		r, q, hasQ := strings.Cut(r, "?=")
		return component.MatchString(r) && (!hasQ || component.MatchString(q))
	}
	q, hasQ := strings.CutPrefix(rest, "?=")
	return rest == "" || hasQ && component.MatchString(q)
}

var current = bnftest.NewCurrentInvariants(urn.Scheme(), isURN)

var currentSeeds = []string{
	"urn:example:a123,z456?+abc?=xyz#789", "URN:EXAMPLE:a123%2cz456", "urn:example:weather?=op=map&lat=39.56", "urn:urn-7:x", "urn:example:%D0%B0123,z456",
	"urn:de:x/y", "urn:example:1/406/47452/2", "urn:x-a:b", "urn:xn--a:b",
}

// The test cases are the examples in RFC 8141 and similar texts.
func TestCurrent(t *testing.T) {
	current.Examples(t, []bnftest.CurrentExample{
		{"2.2", "urn:example:1/406/47452/2", ""},
		{"2.3.1", "urn:example:foo-bar-baz-qux?+CCResolve:cc=uk", "r-component@27!"},
		{"2.3.2", "urn:example:weather?=op=map&lat=39.56&lon=-104.85&datetime=1969-07-21T02:56:15Z", ""},
		{"2.3.3", "urn:example:foo-bar-baz-qux#somepart", ""},
		{"5.2", "urn:urn-7:a", ""},
		{"4.4", "urn:xmpp:a", ""},
		{"2", "urn:example:a?+b?=c#d", "r-component@13!"},
		{"2", "urn:example:a?=b?+c?=d?", ""},
		{"2", "urn:example:%C3%A9~'()", ""},
		{"2", "urn:01234567890123456789012345678901:a", ""},

		{"2", "urn:example:a?b", "query@13"},
		{"2", "urn:example:a?", "query@13"},
		{"2", "urn:example:a?+", "r-component@13"},
		{"2", "urn:example:a?+?=b", "r-component@13"},
		{"2", "urn:example:a?=", "q-component@13"},
		{"2", "urn:example:a?=/b", "q-component@15"},
		{"2", "urn:example:a?+?b", "r-component@13! r-component@15"},
		{"2", "urn:example:a?+b?=?", "r-component@13! q-component@18"},
		{"2", "urn:", "nid@4"},
		{"2", "urn:example", "nid@4"},
		{"2", "urn:/iana/dns/ch/cern/cn/techdoc/94/1642-3", "nid@4"},
		{"2", "urn:example:", "nss@12"},
		{"2", "urn:example:/a", "nss@12"},
		{"2", "urn://www.example.com", "slashes@4"},
		{"2", "urn::a", "nid@4"},
		{"2", "urn:a:b", "nid@4"},
		{"2", "urn:012345678901234567890123456789012:a", "nid@4"},
		{"2", "urn:-ab:c", "nid@4"},
		{"B.1", "urn:ab-:c", "nid@4"},
		{"2.1", "urn:a_b:c", "nid@5"},
		{"2.1", "urn:%69sbn:0", "nid@4"},
		{"2.1", "urn:\u00e9x:c", "nid@4"},
		{"2", "urn:example:a b", "character@13"},
		{"2", "urn:example:abc12%3", "escape@17"},
		{"2.2", "urn:example:a%C3%E9b", "utf-8@13"},

		{"RFC 2141 2.1", "urn:URN:a", "namespace@4?"},
		{"5.1", "urn:urn-a:b", "namespace@4?"},
		{"5.2", "urn:urn-07:b", "namespace@4?"},
		{"5.2", "urn:urn-0:b", "namespace@4?"},
		{"5.1", "urn:X-mine:b", "namespace@4?"},
		{"5.1", "urn:ch:b", "namespace@4!"},
		{"5.1", "urn:CH-a:b", "namespace@4!"},
		{"5.1", "urn:xn--a:b", "namespace@4!"},
		{"5.1", "urn:c1-a:b", ""},
	})
}

// The test cases are the groups of URNs in section 3.2. In the fifth group, no two URNs are
// equivalent.
func TestEquivalence(t *testing.T) {
	current.Equal(t, [][]string{
		{
			"urn:example:a123,z456", "URN:example:a123,z456", "urn:EXAMPLE:a123,z456",
			"urn:example:a123,z456?+abc", "urn:example:a123,z456?=xyz", "urn:example:a123,z456#789",
		},
		{"urn:example:a123,z456/foo"},
		{"urn:example:a123,z456/bar"},
		{"urn:example:a123,z456/baz"},
		{"urn:example:a123%2Cz456", "URN:EXAMPLE:a123%2cz456"},
		{"urn:example:A123,z456"},
		{"urn:example:a123,Z456"},
		{"urn:example:%D0%B0123,z456"},
		// Section 3.1: "Percent-encoded characters MUST NOT be decoded".
		{"urn:example:%61123,z456"},
		{"urn:example:a/../b"},
		{"urn:example:b"},
	})
}

func TestCurrentRandom(t *testing.T) { current.Random(t, 20_000, currentSeeds) }

func FuzzCurrent(f *testing.F) { current.Fuzz(f, currentSeeds) }
