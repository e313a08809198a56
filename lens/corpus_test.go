package lens

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/locus-url/locus/scheme/all"
)

// newLens returns a lens with the parsers of this process and more.
func newLens(t testing.TB, more ...Parser) *Lens {
	t.Helper()
	r, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	return New(r, slices.Concat(Standards(r), InProcess(r), more)...)
}

func lookAtCorpus(t testing.TB, l *Lens) []Report {
	t.Helper()
	var urls []string
	for _, e := range Corpus() {
		urls = append(urls, e.URL)
	}
	reports, err := l.Compare(context.Background(), urls)
	if err != nil {
		t.Fatal(err)
	}
	return reports
}

func TestCorpusIsRead(t *testing.T) {
	list, err := parseCorpus(corpusText)
	if err != nil {
		t.Fatal(err)
	}
	classes, urls := map[string]int{}, map[string]bool{}
	for _, e := range list {
		classes[e.Class]++
		if urls[e.URL] {
			t.Errorf("%q is there twice", e.URL)
		}
		urls[e.URL] = true
		if again, err := parseEntry(e.format()); err != nil || again != e {
			t.Errorf("%+v is written as %q, which is %+v, %v", e, e.format(), again, err)
		}
	}
	for _, class := range Classes() {
		if classes[class] < 5 {
			t.Errorf("class %s has %d entries", class, classes[class])
		}
	}
	Corpus()[0].URL = "changed"
	if Corpus()[0].URL == "changed" {
		t.Error("a caller can change the corpus")
	}
}

func TestCorpusLineIsRefused(t *testing.T) {
	for _, row := range []struct{ line, want string }{
		{"host\tRFC 1\t\"http://a/\"", "3 fields instead of 4"},
		{"host\tRFC 1\thttp://a/\tA sentence.", "not a Go string"},
		{"host\tRFC 1\t'h'\tA sentence.", "not a Go string"},
		{"host\tRFC 1\t\"\\q\"\tA sentence.", "not a Go string"},
		{"host\tRFC 1\t\"http://ü/\"\tA sentence.", "outside US-ASCII"},
		{"hosts\tRFC 1\t\"http://a/\"\tA sentence.", `unknown class "hosts"`},
		{"host\t\t\"http://a/\"\tA sentence.", "no source"},
		{"host\tRFC 1\t\"http://a/\"\tNo sentence", "full stop"},
		{"host\tRFC 1\t\"" + strings.Repeat("a", maxEntry+1) + "\"\tA sentence.", "at most 4096"},
	} {
		_, err := parseCorpus("# comment\n\n" + row.line + "\n")
		if err == nil || !strings.Contains(err.Error(), row.want) || !strings.HasPrefix(err.Error(), "corpus line 3: ") {
			t.Errorf("%.60q: %v, want %q", row.line, err, row.want)
		}
	}
}

// The corpus must contain each class of the study of 2022 and each required trick.
func TestCorpusHasTheKnownTricks(t *testing.T) {
	for _, row := range []struct {
		trick string
		is    func(e Entry) bool
	}{
		{"scheme confusion", bySource("scheme confusion")},
		{"slashes confusion", bySource("slashes confusion")},
		{"backslash confusion", bySource("backslash confusion")},
		{"URL encoded data", bySource("URL encoded confusion")},
		{"scheme mixup", bySource("scheme mixup")},
		{"A New Era of SSRF", bySource("Orange Tsai")},
		{"backslash-at", has(`\@`)}, {"tab", has("\t")}, {"line feed", has("\n")}, {"CR LF", has("\r\n")}, {"NUL", has("\x00")},
		{"fullwidth", hasRune('\uff01', '\uff5e')}, {"enclosed alphanumerics", hasRune('\u2460', '\u24ff')}, {"ideographic full stop", has("\u3002")},
		{"hexadecimal IPv4", has("0x")}, {"octal IPv4", has("/0")}, {"IPv4 as a number", has("2130706433")}, {"short IPv4", has("127.1")},
		{"mapped IPv4", has("[::ffff:")}, {"zone id", has("%25")}, {"one slash", hasPrefix("http:/a.")}, {"three slashes", hasPrefix("///a.")}, {"two ports", has(":80:81")},
		{"two at signs", has("@a.example@b.test")}, {"#@", has("#@")}, {"?@", has("?@")}, {";", has(";")},
		{"%2F", has("%2F")}, {"%40", has("%40")}, {"%23", has("%23")}, {"%5C", has("%5C")}, {"%00", has("%00")},
		{"trailing dot", has("example./")}, {"empty host", hasPrefix("http:///")}, {"empty port", has("example:/")}, {"port overflow", has(":65536")}, {"leading zero of a port", has(":080")}, {"plus in a port", has(":+80")},
		{"Unicode in the scheme", has("\uff48ttp")}, {"soft hyphen", has("\u00ad")}, {"sharp s or final sigma", func(e Entry) bool { return strings.ContainsAny(e.URL, "\u00df\u03c2") }}, {"punycode error", has("xn--")},
		{"file host", hasPrefix("file://a.example")}, {"drive letter", hasPrefix("file:///C:")}, {"javascript", hasPrefix("javascript:")}, {"nested", hasPrefix("URL:http:")}, {"view-source", hasPrefix("view-source:")}, {"jar", hasPrefix("jar:")},
		{"%2e%2e", has("%2e%2e")}, {`..\`, has(`..\`)}, {"..;", has("..;")}, {"IPv6 without brackets", has("/::1")}, {"brackets in userinfo", has("]@")}, {"long label", has(strings.Repeat("a", 64))}, {"credentials", has("user:pw@")},
	} {
		if !slices.ContainsFunc(Corpus(), row.is) {
			t.Errorf("the corpus has no %s", row.trick)
		}
	}
}

func bySource(text string) func(Entry) bool {
	return func(e Entry) bool { return strings.Contains(e.Source, text) }
}
func has(text string) func(Entry) bool {
	return func(e Entry) bool { return strings.Contains(e.URL, text) }
}
func hasPrefix(text string) func(Entry) bool {
	return func(e Entry) bool { return strings.HasPrefix(e.URL, text) }
}
func hasRune(from, to rune) func(Entry) bool {
	return func(e Entry) bool {
		return strings.ContainsFunc(e.URL, func(r rune) bool { return from <= r && r <= to })
	}
}

// No parser may read an entry as a host that may exist.
func TestCorpusHostsAreReserved(t *testing.T) {
	for _, r := range lookAtCorpus(t, newLens(t)) {
		for _, a := range r.Results {
			if host := value(a.Host); !isReserved(host) {
				t.Errorf("%q: the host of %s is %q", r.Input, a.Name, host)
			}
		}
	}
}

// isReserved reports whether host is a name or an address for documentation or loopback, or
// a name that cannot be registered.
func isReserved(host string) bool {
	host = strings.ToLower(norm.NFKC.String(unescape(host)))
	host = strings.Trim(host, "[].")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback() || isDocumentation(ip.Unmap().WithZone(""))
	}
	for _, sep := range []string{"/", `\`, "@", "#", "?", ":", "\u3002"} {
		if i := strings.LastIndex(host, sep); i >= 0 {
			host = host[i+len(sep):]
		}
	}
	name := host[strings.LastIndexByte(host, '.')+1:]
	if !strings.Contains(host, ".") || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") != "" {
		return true // a single label, or no top-level domain
	}
	return slices.Contains([]string{"example", "test", "invalid", "localhost"}, name)
}

func isDocumentation(ip netip.Addr) bool {
	for _, net := range []string{"192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "fe80::/10", "64:ff9b::/96", "0.0.0.0/32", "::/96", "1::/16"} {
		if netip.MustParsePrefix(net).Contains(ip) {
			return true
		}
	}
	return false
}

// Even the parsers of this process must distinguish many entries. internal/dev/peers
// counts them with programs.
func TestCorpusHasManyBehaviors(t *testing.T) {
	l := newLens(t)
	seen := map[string]bool{}
	for i, r := range lookAtCorpus(t, l) {
		seen[l.Behavior(Corpus()[i], r)] = true
	}
	if len(seen) < 180 {
		t.Errorf("%d behaviors", len(seen))
	}
}

func FuzzParseCorpus(f *testing.F) {
	for _, e := range Corpus()[:20] {
		f.Add(e.format())
	}
	f.Add("# a comment\n\nhost\tRFC 1\t\"http://a\\x00/\"\tA sentence.")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseCorpus(text)
		if err != nil {
			return
		}
		for _, e := range list {
			if again, err := parseEntry(e.format()); err != nil || again != e {
				t.Errorf("%+v is written as %q, which is %+v, %v", e, e.format(), again, err)
			}
		}
	})
}
