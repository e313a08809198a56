package mid_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme/mid"
)

// addrSpec is a simple, readable regular expression for an RFC 822 addr-spec. It matches octets,
// and the tab is the only control character that it allows.
var addrSpec = func() *regexp.Regexp {
	const (
		atom       = `[!#$%&'*+\-/0-9=?A-Z^_` + "`" + `a-z{|}~]+`
		quotedPair = `\\[\t -~]`
		quoted     = `"(?:[\t !#-\[\]-~]|` + quotedPair + `)*"`
		literal    = `\[(?:[\t -Z^-~]|` + quotedPair + `)*\]`
		word       = `(?:` + atom + `|` + quoted + `)`
		subDomain  = `(?:` + atom + `|` + literal + `)`
	)
	return regexp.MustCompile(`^` + word + `(?:\.` + word + `)*@` + subDomain + `(?:\.` + subDomain + `)*$`)
}()

// isIdentifier reports whether text is a url-addr-spec by RFC 2392. It uses another algorithm than
// the package.
func isIdentifier(text string) bool {
	octets, err := url.PathUnescape(text)
	if err != nil || strings.ContainsAny(text, "/?") {
		return false
	}
	return addrSpec.MatchString(octets)
}

func isMID(text string) bool {
	text, _, _ = strings.Cut(text[len("mid:"):], "#")
	messageID, contentID, pair := strings.Cut(text, "/")
	return isIdentifier(messageID) && (!pair || isIdentifier(contentID))
}

func isCID(text string) bool {
	text, _, _ = strings.Cut(text[len("cid:"):], "#")
	return isIdentifier(text)
}

var (
	currentMID = bnftest.NewCurrentInvariants(mid.Schemes(nil)[0], isMID)
	currentCID = bnftest.NewCurrentInvariants(mid.Schemes(nil)[1], isCID)
)

var currentSeeds = []string{
	"mid:960830.1639@XIson.com/partA.960830.1639@XIson.com", "cid:foo4%25foo1@bar.net", "mid:%22a%20b%22@c", "cid:a%2Fb@%5B1.2%5D",
	"mid:a@b", "cid:a%40b@c",
}

// The test cases are the examples in RFC 2392 and similar texts.
func TestCurrentMID(t *testing.T) {
	currentMID.Examples(t, []bnftest.CurrentExample{
		{"2", "mid:960830.1639@XIson.com/partA.960830.1639@XIson.com", ""},
		{"2", "mid:950124.162336@XIson.com", ""},
		{"2, RFC 2111", "mid:foo4%25foo1@bar.net", ""},
		{"2", "mid:a%2Fb@c", ""},
		{"2", "mid:a%2Fb@c/d@e#f", ""},
		{"2", "MID:a%40b%40c", "addr-spec@5"},
		{"2", "mid:", "addr-spec@4"},
		{"2", "mid:a/b@c", "addr-spec@5"},
		{"2", "mid:a@b/", "addr-spec@8"},
		{"2", "mid:a@b/c@d/e", "slash@11"},
		{"2", "mid://a@b", "slashes@4"},
		{"2", "mid:a?b@c", "query@5"},
		{"2", "mid:a?b?c@d?e", "query@5"},
		{"2", "mid:<a@b>", "addr-spec@4 addr-spec@8"},
		{"2", "mid:%3Ca@b%3E", "addr-spec@4 addr-spec@10"},
		{"2", "mid:%22a", "addr-spec@8"},
		{"2", "mid:a%2", "escape@5"},
		{"2", "mid:a%0D%0AX:%20y@b", "addr-spec@5 addr-spec@8 addr-spec@12 addr-spec@13"},
		{"2", "mid:\xff@b", "addr-spec@4"},
	})
}

func TestCurrentCID(t *testing.T) {
	currentCID.Examples(t, []bnftest.CurrentExample{
		{"2", "cid:foo4%25foo1@bar.net", ""},
		{"2", "cid:foo4*foo1@bar.net", ""},
		{"2", "cid:foo4%foo1@bar.net", "escape@8"},
		{"2", "cid:a/b@c", "slash@5"},
		{"2", "cid:image1.png", "addr-spec@14"},
		{"2", "CID:", "addr-spec@4"},
	})
}

func TestCurrentEqual(t *testing.T) {
	currentMID.Equal(t, [][]string{
		{"mid:foo4%25foo1@bar.net", "MID:foo4%25foo1%40bar.net", "mid:%66oo4%25foo1@bar%2Enet"},
		{"mid:foo4%25foo1@BAR.net"},
		{"mid:a$b&c@d", "mid:a%24b%26c@d"},
		{"mid:%22a%40b%22@c", "mid:%22a@b%22@c"},
		{"mid:a%2Fb@c/d%2Fe@f", "mid:a%2fb@c/d%2fe@f"},
		{"mid:a@b#x"},
		{"mid:a@b"},
	})
	currentCID.Equal(t, [][]string{
		{"cid:foo4*foo1@bar.net", "cid:foo4%2Afoo1@bar.net"},
		{"cid:foo4%25foo1@bar.net"},
	})
}

func TestCurrentRandom(t *testing.T) {
	currentMID.Random(t, 20_000, currentSeeds)
	currentCID.Random(t, 20_000, currentSeeds)
}

func FuzzCurrent(f *testing.F) {
	for _, text := range currentSeeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		currentMID.Text(t, text)
		currentCID.Text(t, text)
	})
}
