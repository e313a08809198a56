package mailto_test

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme/mailto"
)

// These regular expressions are the grammar of RFC 6068 section 2 and RFC 5322 in a simple,
// readable form. Before matching, the tests replace each non-ASCII letter with "x".
var (
	escapes   = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	dotAtom   = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~]+(?:\\.[A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~]+)*$")
	quoted    = regexp.MustCompile(`^"(?:[!#-\[\]-~]|\\[\t -~])*"$`)
	literal   = regexp.MustCompile(`^\[[!-Z^-~]*\]$`)
	qchars    = regexp.MustCompile(`^(?:[A-Za-z0-9\-._~!$'()*+,;:@]|%[0-9A-Fa-f]{2})*$`)
	needless  = regexp.MustCompile(`^[A-Za-z0-9\-._~!$'()*+:]$`)
	onlyOnce  = regexp.MustCompile(`^(?:bcc|cc|date|from|in-reply-to|message-id|references|reply-to|sender|subject)$`)
	loneBreak = regexp.MustCompile(`(?:^|[^\r])\n|\r(?:[^\n]|$)`)
)

func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf {
			return 'x'
		}
		return r
	}, text)
}

func isAddress(text string) bool {
	octets, err := url.PathUnescape(text)
	if err != nil || !utf8.ValidString(octets) || strings.ContainsAny(text, "/&;=") {
		return false
	}
	for at := range len(text) {
		if text[at] == '@' && isAddressAt(text, at) {
			return true
		}
	}
	return false
}

// isAddressAt reports whether text is an address. The argument offset is the position of the "@"
// that ends the local part.
func isAddressAt(text string, offset int) bool {
	local, _ := url.PathUnescape(text[:offset])
	domain, _ := url.PathUnescape(text[offset+1:])
	if !utf8.ValidString(local) || !utf8.ValidString(domain) {
		return false
	}
	if !dotAtom.MatchString(letters(local)) && !quoted.MatchString(letters(local)) {
		return false
	}
	if literal.MatchString(domain) {
		return true
	}
	for _, escape := range escapes.FindAllString(text[offset+1:], -1) {
		if c, _ := strconv.ParseUint(escape[1:], 16, 8); c < utf8.RuneSelf && needless.MatchString(string(rune(c))) {
			return false
		}
	}
	return dotAtom.MatchString(letters(domain))
}

func isMailto(text string) bool {
	text, _, _ = strings.Cut(text[len("mailto:"):], "#")
	to, hfields, more := strings.Cut(text, "?")
	if to != "" {
		for address := range strings.SplitSeq(to, ",") {
			if !isAddress(address) {
				return false
			}
		}
	}
	if !more {
		return true
	}
	seen := map[string]bool{}
	for hfield := range strings.SplitSeq(hfields, "&") {
		name, value, ok := strings.Cut(hfield, "=")
		if !ok || !qchars.MatchString(name) || !qchars.MatchString(value) {
			return false
		}
		name, _ = url.PathUnescape(name)
		value, _ = url.PathUnescape(value)
		name = strings.ToLower(name)
		if !utf8.ValidString(value) || seen[name] && onlyOnce.MatchString(name) || name == "body" && loneBreak.MatchString(value) {
			return false
		}
		seen[name] = true
	}
	return true
}

var currentInvariants = bnftest.NewCurrentInvariants(mailto.Scheme(), isMailto)

var currentSeeds = []string{
	"mailto:addr1@an.example,addr2@an.example?to=a@b&subject=caf%C3%A9", "mailto:%22%5C%5C%5C%22it's%5C%20ugly%5C%5C%5C%22%22@example.org",
	"mailto:user@%E7%B4%8D%E8%B1%86.example.org?body=a%0D%0Ab", "mailto:gorby%25kremvax@%5B1.2%5D?cc=b@c&body=d#e", "mailto:?to=A@B.c,d@e&x=%2c", "mailto:a@b",
}

// The test cases are the examples in RFC 6068, with their section numbers.
func TestCurrentExamples(t *testing.T) {
	currentInvariants.Examples(t, []bnftest.CurrentExample{
		{"2", "mailto:addr1@an.example,addr2@an.example", ""},
		{"2", "mailto:?to=addr1@an.example,addr2@an.example", ""},
		{"2", "mailto:addr1@an.example?to=addr2@an.example", "to@24!"}, // "NOT RECOMMENDED"
		{"6.1", "mailto:chris@example.com", ""},
		{"6.1", "mailto:infobot@example.com?subject=current-issue", ""},
		{"6.1", "mailto:infobot@example.com?body=send%20current-issue", ""},
		{"6.1", "mailto:infobot@example.com?body=send%20current-issue%0D%0Asend%20index", ""},
		{"6.1", "mailto:list@example.org?In-Reply-To=%3C3469A91.D10AF4C@example.com%3E", ""},
		{"6.1", "mailto:majordomo@example.com?body=subscribe%20bamboo-l", ""},
		{"6.1", "mailto:joe@example.com?cc=bob@example.com&body=hello", ""},
		{"6.1", "mailto:joe@example.com?cc=bob@example.com?body=hello", "hfield@41"}, // "WRONG!"
		{"6.1", "mailto:gorby%25kremvax@example.com", ""},
		{"6.1", "mailto:unlikely%3Faddress@example.com?blat=foop", "unsafe-field@38!"},
		{"6.1", "mailto:joe@an.example?cc=bob@an.example&body=hello", ""},
		{"6.1", "mailto:joe@an.example?cc=bob@an.example&amp;body=hello", "unsafe-field@40!"}, // as written in HTML
		{"6.1", "mailto:Mike%26family@example.org", ""},
		{"6.2", "mailto:%22not%40me%22@example.org", ""},
		{"6.2", "mailto:%22oh%5C%5Cno%22@example.org", ""},
		{"6.2", "mailto:%22%5C%5C%5C%22it's%5C%20ugly%5C%5C%5C%22%22@example.org", ""},
		{"6.3", "mailto:user@example.org?subject=caf%C3%A9", ""},
		{"6.3", "mailto:user@example.org?subject=%3D%3Futf-8%3FQ%3Fcaf%3DC3%3DA9%3F%3D", ""},
		{"6.3", "mailto:user@example.org?subject=%3D%3Fiso-8859-1%3FQ%3Fcaf%3DE9%3F%3D", ""},
		{"6.3", "mailto:user@example.org?subject=caf%C3%A9&body=caf%C3%A9", ""},
		{"6.3", "mailto:user@%E7%B4%8D%E8%B1%86.example.org?subject=Test&body=NATTO", "internationalized-domain@12!"},
		{"6.3", "mailto:user@xn--99zt52a.example.org?subject=Test&body=NATTO", ""},
	})
}

func TestCurrentAddresses(t *testing.T) {
	currentInvariants.Examples(t, []bnftest.CurrentExample{
		{"2", "mailto:", ""},
		{"5", "mailto:bill+ietf@example.org", ""},
		{"2 item 1", "mailto:a!$'*+-_~b@c", ""},
		{"2 item 1", "mailto:%22a:(),%22@c", "addr-spec@14 addr-spec@15"},
		{"2 item 1", "mailto:%22a:()%2C%22@c", ""},
		{"2 item 1", "mailto:a@%5B127.0.0.1%5D", ""},
		{"2 item 1", "mailto:a@%5BIPv6:::1%5D", ""},
		{"2 item 1", "mailto:a@%5B@%5D", ""},
		{"2 item 5", "mailto:%E7%B4%8D@example.org", ""},

		{"2", "mailto:joe", "addr-spec@10"},
		{"2", "mailto:@b", "addr-spec@7"},
		{"2", "mailto:a@", "addr-spec@8"},
		{"2", "mailto:a%40b", "addr-spec@8"},
		{"2", "mailto:a@b,", "addr-spec@11"},
		{"2", "mailto:a@b%2Cc@d", "addr-spec@8 addr-spec@10"},
		{"2", "mailto:a@b,%20c@d", "addr-spec@11"},
		{"2", "mailto:a@b,c@d,A@B,a@B", "duplicate-address@19!"},
		{"2", "mailto://joe@h", "slashes@7"},
		{"2", "mailto:/joe@h", "reserved-character@7"},
		{"2 item 1", "mailto:a&b;c=d@e", "reserved-character@8 addr-spec@10 reserved-character@12"},
		{"2 item 1", "mailto:a%b@c", "escape@8"},
		{"2 item 1", "mailto:[1]@[2]", "addr-spec@7 addr-spec@9 character@11 character@13"},
		{"2 item 2", "mailto:%22a%22.b@c", "addr-spec@7 addr-spec@11"},
		{"2 item 2", "mailto:%22a%01%22@c", "addr-spec@11"},
		{"2 item 3", "mailto:%22a%20b%22@c", "addr-spec@11"},
		{"2 item 3", "mailto:a%20(b)@c", "addr-spec@8 addr-spec@11 addr-spec@13"},
		{"2 item 3", "mailto:%3Cjoe@example.org%3E", "addr-spec@7 addr-spec@25"},
		{"2 item 4", "mailto:a@%62.c", "domain-escape@9"},
		{"2 item 4", "mailto:a@%FF.c", "utf-8@9 internationalized-domain@9!"},
		{"2 item 5", "mailto:caf%E9@c", "utf-8@10"},
		{"RFC 5322 3.2.3", "mailto:a..b@c.", "addr-spec@9 addr-spec@13"},
		{"RFC 5322 3.2.4", "mailto:%22a@b", "addr-spec@7"},
		{"RFC 5322 3.2.4", "mailto:%22@b", "addr-spec@7"},
		{"RFC 5322 3.2.4", "mailto:%22a%5C%22@b", "addr-spec@7"},
		{"RFC 5322 3.4.1", "mailto:a@%5B1", "addr-spec@9"},
		{"RFC 5322 3.4.1", "mailto:a@%5B1%5D2", "addr-spec@9 addr-spec@13"},
		{"7", "mailto:a%0D%0ABcc:b@c", "addr-spec@8 addr-spec@11 addr-spec@17"},
		{"2", "mailto:a@b#x", "fragment@10!"},
		{"2", "mailto:\u00fc@b", "character@7"},
	})
}

func TestCurrentFields(t *testing.T) {
	currentInvariants.Examples(t, []bnftest.CurrentExample{
		{"2", "mailto:?subject=", ""},
		{"2", "mailto:a@b?SUBJECT=!$'()*,;:@-._~%2B", ""},
		{"2", "mailto:a@b?body=%00", "control-character@16?"},
		{"2", "mailto:a@b?body=%09%07", ""},

		{"2", "mailto:a@b?", "hfield@11"},
		{"2", "mailto:a@b?subject", "hfield@11"},
		{"2", "mailto:a@b?subject=x&", "hfield@21"},
		{"2", "mailto:a@b?subject=x&&body=y", "hfield@21"},
		{"2", "mailto:a@b?subject=a=b/c", "reserved-character@20 reserved-character@22"},
		{"2", "mailto:a@b?subject=why?", "reserved-character@22"},
		{"2", "mailto:a@b??subject=x", "reserved-character@11 unsafe-field@11!"},
		{"2", "mailto:a@b?cc=c@d?bcc=e@f?body=g&x", "hfield@17 unsafe-field@18! hfield@25 hfield@33"},
		{"2", "mailto:a@b?=x", "hfname@11?"},
		{"RFC 5322 3.6.8", "mailto:a@b?x%3A=y", "hfname@12?"},
		{"RFC 5322 3.6.8", "mailto:a@b?x%0D%0ABcc=y", "hfname@12?"},
		{"RFC 5322 3.6.8", "mailto:a@b?x%C3%A9=y", "hfname@12?"},
		{"2", "mailto:a@b?subject=%E9", "utf-8@19"},
		{"2", "mailto:a@b?subject=x&Subject=y", "duplicate@21"},
		{"2", "mailto:a@b?body=x&body=y", "duplicate@18!"},
		{"2", "mailto:?to=a@b&to=c@d", "duplicate@15!"},
		{"3", "mailto:a@b?From=c@d&Content-Type=x&Resent-To=e@f", "ignored-field@11! ignored-field@20! ignored-field@35!"},
		{"4", "mailto:a@b?attach=%2Fetc%2Fpasswd", "unsafe-field@11!"},
		{"5", "mailto:a@b?body=a%0Ab%0D", "line-break@17 line-break@21"},
		{"5", "mailto:a@b?subject=Hello+World+x", "plus@24!"},
		{"5", "mailto:a@b?cc=a+b@c", ""},
		{"5", "mailto:a@b?subject=a%0D%0A%20b", "line-break@20!"},
		{"RFC 5322 2.2", "mailto:a@b?subject=a%0D%0ABcc:%20c@d", "line-break@20?"},
		{"RFC 5322 2.2", "mailto:a@b?subject=a%0Ab%0D", "line-break@20? line-break@24?"},
		{"RFC 5322 3.2.5", "mailto:a@b?subject=a%00%7F", "control-character@20? control-character@23?"},
		{"7", "mailto:a@b?bcc=c@d", "unsafe-field@11!"},
		{"2", "mailto:a@b?subject=%4", "escape@19"},
		{"2", "mailto:a@b?sub%4ject=x", "escape@14"},
	})
}

func TestCurrentEqual(t *testing.T) {
	currentInvariants.Equal(t, [][]string{
		{"mailto:addr1@an.example,addr2@an.example", "mailto:?to=addr1@an.example,addr2@an.example", "mailto:addr1@an.example?to=addr2@an.example", "MAILTO:addr1@AN.example?TO=&To=addr2@an.EXAMPLE"}, // section 2
		{"mailto:addr2@an.example,addr1@an.example"},
		{"mailto:Joe@example.org", "mailto:%4Aoe@Example.ORG", "mailto:Joe@example.org#x"},
		{"mailto:joe@example.org"},
		{"mailto:a!b@c", "mailto:a%21b@c"},
		{"mailto:a%26b@c", "mailto:a%26b@c"},
		{"mailto:%22not%40me%22@example.org", "mailto:%22not@me%22@example.org"},
		{"mailto:a@%5Bipv6:::1%5D", "mailto:a@%5bIPv6:::1%5d"},
		{"mailto:a@%5B%40%5D", "mailto:a@%5b@%5d"},
		{"mailto:a@%C3%BC.c", "mailto:a@%c3%bc.C"},
		{"mailto:a@b?subject=x+y!&body=1,2", "mailto:a@b?SUBJECT=x%2By%21&Body=1%2c2"},
		{"mailto:a@b?body=1,2&subject=x+y!"},
		{"mailto:a@b?subject=x%20y!&body=1,2"},
		{"mailto:a@b?subject=%26"},
		{"mailto:a@b?to=%22Joe%22%20%3Cjoe@example.org%3E"}, // text that is not an addr-spec must not change
		{"mailto:a@b,c@d", "mailto:?to=a@b%2Cc%40d"},
		{"mailto:?subject=a"},
		{"mailto:", "mailto:?to="},
	})
}

func TestCurrentRandom(t *testing.T) { currentInvariants.Random(t, 20_000, currentSeeds) }

// Checking many misplaced "?" must not take more than linear time.
func TestCurrentLong(t *testing.T) {
	for _, piece := range []string{"?a=", "&a=", ",a@b", "%00", "?", "=", "@", ".", "%22", "%5C"} {
		currentInvariants.Text(t, "mailto:a@b?c="+strings.Repeat(piece, 5_000))
		currentInvariants.Text(t, "mailto:"+strings.Repeat(piece, 5_000)+"@b")
	}
}

func FuzzCurrent(f *testing.F) { currentInvariants.Fuzz(f, currentSeeds) }
