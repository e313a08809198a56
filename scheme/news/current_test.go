package news_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme/news"
)

// These regular expressions express the grammar of RFC 5538 appendix A and RFC 5536 section
// 3.1.3.
var (
	newsURL    = regexp.MustCompile(`^(?i:s?news):(?://[^/?#]*/)?([^?#]*)(?:#.*)?$`)
	newsgroups = regexp.MustCompile(`^(?:[A-Za-z0-9\-+_.*]|%[0-9A-Fa-f]{2})*$`)
	nntpURL    = regexp.MustCompile(`^(?i:nntps?)://(?:[^/?#]*@)?([^/?#]*)/((?:[A-Za-z0-9\-+_.]|%[0-9A-Fa-f]{2})+)(?:/[0-9]{1,16})?(?:#.*)?$`)
	wildcard   = regexp.MustCompile(`%(?i:2A|3F)`)
	msgIDCore  = regexp.MustCompile(`^` + dotAtomText + `@(?:` + dotAtomText + `|\[[!-=?-Z^-~]*\])$`)
)

const dotAtomText = "[A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~]+(?:\\.[A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~]+)*"

func isNews(text string) bool {
	m := newsURL.FindStringSubmatch(text)
	if m == nil || strings.Contains(m[1], "/") {
		return false
	}
	body := m[1]
	if at := strings.Count(body, "@"); at != 1 {
		return at == 0 && newsgroups.MatchString(body)
	}
	octets, err := url.PathUnescape(body)
	return err == nil && msgIDCore.MatchString(octets) && !strings.Contains(strings.SplitN(body, "@", 2)[0], "%40")
}

func isNNTP(text string) bool {
	m := nntpURL.FindStringSubmatch(text)
	// A wildmat-exact must not contain "*" or "?", and a port must follow a host.
	return m != nil && m[1] != "" && m[1][0] != ':' && !wildcard.MatchString(m[2])
}

var (
	rows        = news.Schemes(nil)
	currentNews = bnftest.NewCurrentInvariants(rows[0], isNews)
	currentNNTP = bnftest.NewCurrentInvariants(rows[2], isNNTP)
)

var currentNewsSeeds = []string{
	"news:example.group.*", "news://news.gmane.org/p0624081dc30b8699bf9b@%5B10.20.30.108%5D", "news://u@h:119/a+b.c-d", "news:a.b%25c$d@e.f",
	"news://wild.server.example/example.group.th%3Fse", "news:///a", "news:",
}

var currentNNTPSeeds = []string{
	"nntp://news.server.example/example.group.this/12345", "nntp://wild.server.example/example.group.n%2Fa/12345", "nntp://h:8/g", "nntp://u@[::1]/a.b/007",
}

// TestCurrentNews checks the examples of RFC 5538, and similar URLs.
func TestCurrentNews(t *testing.T) {
	currentNews.Examples(t, []bnftest.CurrentExample{
		{"3", "news://news.server.example/example.group.this", ""},
		{"4", "news://news.server.example/*", ""},
		{"4", "news://news.server.example/", ""},
		{"4", "news://wild.server.example/example.group.th%3Fse", ""},
		{"4", "news:example.group.*", ""},
		{"4", "news:example.group.this", ""},
		{"B", "news://news.gmane.org/gmane.ietf.tools", ""},
		{"B", "news://news.gmane.org/p0624081dc30b8699bf9b@%5B10.20.30.108%5D", ""},
		{"4", "news:", ""},
		{"4", "news:*#x", ""},
		{"4", "news:a%25b%2Fc%3Fd%23e@f", ""},
		{"4", "news:a!$&'*+-=^_~@b", "character@14"},
		{"4", "news:a@%5BIPv6:%3A%40();,\"%5D", "character@25"},
		{"7", "news://user:secret@h/*", "password@11!"},

		{"2.3", "news:a?b", "query@6"},
		{"2.3", "news:a?b?c@d", "query@6"},
		{"2.3", "news:.", "group@5?"},
		{"2.3", "news://h/..", "group@9?"},
		{"RFC 5536 3.1.4", "news:a..b", "group@7?"},
		{"RFC 5536 3.1.4", "news:a%2E.b", "group@9?"},
		{"4", "news:..*", ""},
		{"4", "news://h", "server@8"},
		{"4", "news://h?x", "query@8 server@8"},
		{"4", "news:/a", "group@5"},
		{"4", "news:comp.lang.go/17", "group@17"},
		{"4", "news:a~b", "group@6"},
		{"4", "news:a,b!c", "group@6 group@8"},
		{"RFC 3977 4.1", "news:a%2Cb%20c%0D%0A", "group@6? group-character@6! group@10? group@14? group@17?"},
		{"RFC 3977 4.1", "news:%FF", "group@5?"},
		{"6", "news:caf%C3%A9", "group-character@8!"},
		{"4", "news:caf\u00e9@b", "character@8"},
		{"4", "news:a%40b", "group-character@6!"},
		{"4", "news:a/b@c", "article@6"},
		{"4", "news:a@b@c", "message-id@8"},
		{"4", "news:a%40b@c", "message-id@6"},
		{"4", "news:<a@b>", "message-id@5 message-id@9"},
		{"4", "news:%3Ca@b%3E", "message-id@5 message-id@11"},
		{"RFC 5536 3.1.3", "news:%22a%22@b", "message-id@5 message-id@9"},
		{"RFC 5536 3.1.3", "news:a%20b@c", "message-id@6"},
		{"RFC 5536 3.1.3", "news:a%0D%0APOST@c", "message-id@6 message-id@9"},
		{"RFC 5536 3.1.3", "news:%C3%BC@c", "message-id@5 message-id@8"},
		{"RFC 5536 3.1.3", "news:@c", "message-id@5"},
		{"RFC 5536 3.1.3", "news:a@", "message-id@6"},
		{"RFC 5536 3.1.3", "news:.a@b..c.", "message-id@5 message-id@10 message-id@12"},
		{"RFC 5536 3.1.3", "news:a@%5Bb", "message-id@7"},
		{"RFC 5536 3.1.3", "news:a@%5B%5D", ""},
		{"RFC 5536 3.1.3", "news:a@%5Bb%5Dc", "message-id@7 message-id@11"},
		{"RFC 5536 3.1.3", "news:a@%5Bb@c%3E%5D", "message-id@11 message-id@13"},
		{"RFC 5536 3.1.3", "news:a@" + strings.Repeat("b", 247), "message-id@5?"},
		{"RFC 5536 3.1.3", "news:a@" + strings.Repeat("b", 246), ""},
		{"4", "news:a%2@b", "escape@6"},
	})
}

func TestCurrentNNTP(t *testing.T) {
	currentNNTP.Examples(t, []bnftest.CurrentExample{
		{"3", "nntp://news.server.example/example.group.this/12345", ""},
		{"3", "nntp://wild.server.example/example.group.n%2Fa/12345", "group-character@42!"},
		{"3", "nntp://news.server.example/example.group.this", ""},
		{"B", "nntp://news.gmane.org/gmane.ietf.tools/742", ""},
		{"RFC 3977 6", "nntp://h/g/0000000000000007", ""},

		{"3", "nntp:group/1", "server@5"},
		{"3", "nntp:", "server@5"},
		{"2.1", "nntp:///g", "server@7"},
		{"2.1", "nntp://u@:8/g", "server@9"},
		{"3", "nntp://h", "group@8"},
		{"3", "nntp://h/", "group@9"},
		{"3", "nntp://h//1", "group@9"},
		{"3", "nntp://h/*", "wildcard@9"},
		{"3", "nntp://h/a%3F", "wildcard@10"},
		{"3", "nntp://h/a@b", "group@10"},
		{"3", "nntp://h/g/", "article-number@11"},
		{"3", "nntp://h/g/x", "article-number@11"},
		{"3", "nntp://h/g/1/2", "article-number@11"},
		{"3", "nntp://h/g/-1", "article-number@11"},
		{"3", "nntp://h/g/12345678901234567", "article-number@11"},
		{"RFC 3977 6", "nntp://h/g/1234567890123456", "article-number@11?"},
		{"RFC 3977 6", "nntp://h/g/0", "article-number@11?"},
		{"RFC 3977 6", "nntp://h/g/2147483648", "article-number@11?"},
		{"RFC 3977 6", "nntp://h/g/2147483647", ""},
		{"2.3", "nntp://h/g?x", "query@10"},
		{"2.3", "nntp://h/./1", "group@9?"},
	})
}

func TestCurrentSNews(t *testing.T) {
	invariants := bnftest.NewCurrentInvariants(rows[1], isNews)
	invariants.Examples(t, []bnftest.CurrentExample{{"8.1", "snews://h/a", "deprecated@0!"}, {"8.1", "snews:a?b", "deprecated@0! query@7"}})
	invariants.Equal(t, [][]string{{"snews://h/*", "SNEWS://H:563/"}, {"snews://h:119/*"}})
}

func TestCurrentEqual(t *testing.T) {
	currentNews.Equal(t, [][]string{
		{"news://news.server.example/*", "news://news.server.example/", "NEWS://News.Server.Example:119/%2A"}, // section 4
		{"news:*", "news:", "news:///", "news:///*"},
		{"news:example.group.this", "news:///example.group.%74his"},
		{"news:Example.group.this"},
		{"news:a+b", "news:a%2Bb", "news:a%2bb"},
		{"news:a%7Eb", "news:a%7eb"}, // "~" is not a group-char
		{"news:a%2Fb"},
		{"news:th%3Fse", "news:th%3fse"},
		{"news:a~$b@c", "news:%61%7e%24b@c"},
		{"news:a~$b@C"},
		{"news:A~$b@c"},
		{"news:a@%5B1:2%5D", "news:a@%5b1%3A2%5d"},
		{"news:a%25b@c"},
		{"news://u@/x"},
	})
	currentNNTP.Equal(t, [][]string{
		{"nntp://h/g/7", "NNTP://H:119/g/007", "nntp://h/%67/7"},
		{"nntp://h:8/g/7"},
		{"nntp://h/G/7"},
		{"nntp://h/g"},
		{"nntp://h/n%2Fa", "nntp://h/n%2fa"},
		{"nntp://h/n%7Ea"},
	})
}

func TestCurrentRandom(t *testing.T) {
	currentNews.Random(t, 20_000, currentNewsSeeds)
	currentNNTP.Random(t, 20_000, currentNNTPSeeds)
}

func FuzzCurrent(f *testing.F) {
	for _, text := range append(currentNewsSeeds, currentNNTPSeeds...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		currentNews.Text(t, text)
		currentNNTP.Text(t, text)
	})
}
