package robots

import (
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/temoto/robotstxt"

	"github.com/locus-url/locus"
)

func allows(text, path string) bool {
	return Parse([]byte(text)).Allows(locus.MustParse("http://h.example" + path))
}

// The rows are the examples in RFC 9309 sections 2.2.2, 2.2.3 and 5, and rules from real files.
func TestRules(t *testing.T) {
	const all = "User-agent: *\n"
	for _, c := range []struct {
		text, path string
		want       bool
	}{
		{all + "Disallow: /a\n", "/a/b", false},
		{all + "Disallow: /a\n", "/ab", false},
		{all + "Disallow: /a\n", "/b/a", true},
		{all + "Disallow: a\n", "/ab", false},
		{all + "Disallow:\n", "/a", true},
		{all + "Disallow: /\nAllow: /$\n", "/", true},
		{all + "Disallow: /\nAllow: /$\n", "/a", false},
		{all + "Disallow: /a$\n", "/b/a", true},
		{all + "Disallow: /a$\n", "/a", false},
		{all + "Disallow: /a$b\n", "/a$bc", false},
		{all + "Disallow: /*.gif$\n", "/x/y.gif", false},
		{all + "Disallow: /*.gif$\n", "/x/y.gif?z", true},
		{all + "Disallow: /*a*b\n", "/xbxaxb", false},
		{all + "Disallow: /*a*b$\n", "/xaxbxc", true},
		{all + "Disallow: *\n", "/a", false},
		{all + "Disallow: /a***b\n", "/axxb", false},
		// The longest rule takes precedence. If rules have the same length, "Allow" does.
		{all + "Disallow: /a/\nAllow: /a/b\n", "/a/bc", true},
		{all + "Allow: /a/\nDisallow: /a/b\n", "/a/bc", false},
		{all + "Disallow: /page\nAllow: /page\n", "/page", true},
		{all + "Allow: /page\nDisallow: /*.htm\n", "/page.htm", false},
		{all + "Allow: /example/page/\nDisallow: /example/page/disallowed.gif\n", "/example/page/disallowed.gif", false},
		{all + "Allow: /\nDisallow: /*\n", "/a", false},
		{all + "Allow: /a*\nDisallow: /*a\n", "/a", true},
		{all + "Disallow: /\n", "/robots.txt", true},
		{all + "Disallow: /\n", "/robots.txt?a", false},
		// Escapes.
		{all + "Disallow: /foo/bar?baz=quz\n", "/foo/bar?baz=quz", false},
		{all + "Disallow: /foo/bar?baz=https%3a%2F%2Ffoo.bar\n", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", false},
		{all + "Disallow: /foo/bar/\u30c4\n", "/foo/bar/%E3%83%84", false},
		{all + "Disallow: /foo/bar/%62%61%7A\n", "/foo/bar/baz", false},
		{all + "Disallow: /path/file-with-a-%2A.html\n", "/path/file-with-a-*.html", false},
		{all + "Disallow: /path/file-with-a-%2A.html\n", "/path/file-with-a-x.html", true},
		{all + "Disallow: /path/foo-%24\n", "/path/foo-$", false},
		{all + "Disallow: /path/foo-%24\n", "/path/foo-", true},
		// Groups.
		{"User-agent: other\nDisallow: /\n", "/a", true},
		{"User-agent: other\nUser-agent: Locus/2.0\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n", "/a", false},
		{"User-agent: other\nUser-agent: LOCUS\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n", "/b", true},
		{"User-agent: locus\nDisallow: /a\nUser-agent: x\nDisallow: /b\nUser-agent: locus\nDisallow: /c\n", "/c", false},
		{"User-agent: locus\nDisallow: /a\nUser-agent: x\nDisallow: /b\nUser-agent: locus\nDisallow: /c\n", "/b", true},
		{"User-agent: locust\nDisallow: /\n", "/a", true},
		{"User-agent: loc\nDisallow: /\n", "/a", true},
		{"User-agent: *\nSitemap: http://h.example/\nUser-agent: locus\nDisallow: /\n", "/a", false},
		{"User-agent: locus\nCrawl-delay: 1\nother: x\n\nUser-agent: x\nDisallow: /\n", "/a", false},
		// An invalid line does not affect other lines.
		{"Disallow: /b\n" + all + "Disallow: /a\n", "/a", false},
		{"Disallow: /b\n" + all + "Disallow: /a\n", "/b", true},
		{all + "Crawl-delay: soon\nDisallow: /a\n", "/a", false},
		{"<html>\n" + all + "nonsense\nDisallow: /a # comment\n", "/a", false},
		{"\uFEFF" + all + "disallow : /a\r\nALLOW:/b\r", "/a", false},
		{"User-agent: *\rDisallow: /a\r", "/a", false},
	} {
		if got := allows(c.text, c.path); got != c.want {
			t.Errorf("%q: %s is allowed: %v", c.text, c.path, got)
		}
	}
	for value, want := range map[string]time.Duration{
		"1": time.Second, "0.5": time.Second / 2, "1e300": maxDelay, "+Inf": maxDelay, "-1": 0, "NaN": 0, "x": 0, "": 0, "0": 0,
	} {
		if got := Parse([]byte("User-agent: *\nCrawl-delay: " + value + "\n")).Delay(); got != want {
			t.Errorf("Crawl-delay %q: %v, want %v", value, got, want)
		}
	}
}

// A robots.txt of the maximum size needs little memory, and a comparison with a URL needs little
// time, because the number of rules with wildcards is limited.
func TestHostile(t *testing.T) {
	const all = "User-agent: *\n"
	path := "/" + strings.Repeat("ab", 30<<10)
	for _, line := range []string{
		"Disallow: /*aa\n", "Disallow: /*$\n", "Allow: /*aba*$\n", "Disallow: /a\n", "Disallow: /" + strings.Repeat("*a", 200) + "c\n", "Disallow: /" + strings.Repeat("*", 200) + "c$\n",
		"User-agent: b\nDisallow: /*\n", "Sitemap: http://h/\n", "Crawl-delay: 1e9\n", "Disallow: /%E3\n", strings.Repeat("Disallow: /*a", 1<<15) + "\n",
	} {
		text := []byte(all + strings.Repeat(line, maxSize/len(line)+1))
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		r := Parse(text)
		runtime.GC()
		runtime.ReadMemStats(&after)
		if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > 8*maxSize {
			t.Errorf("%.20q: holds %d KiB", line, held>>10)
		}
		if len(r.group.wild) > maxWild {
			t.Errorf("%.20q: %d wildcards", line, len(r.group.wild))
		}
		for range 10 { // with a regular expression for each rule, one comparison took a minute
			r.Allows(locus.MustParse("http://h.example" + path))
		}
		if r.Delay() > maxDelay {
			t.Errorf("%.20q: a pause of %v", line, r.Delay())
		}
	}
	// Beyond the limit, more paths are disallowed, not fewer.
	for what, want := range map[string]bool{"Disallow: /x*y": false, "Disallow: /xx$": false, "Allow: /*x": true} {
		text := all + "Disallow: /xyz\n" + strings.Repeat("Disallow: /*q$\n", maxWild) + what + "\n"
		if got := allows(text, "/xxz"); got != want {
			t.Errorf("%s after the limit: allowed: %v", what, got)
		}
		if allows(text, "/xyz") {
			t.Errorf("%s after the limit allows what is disallowed", what)
		}
	}
}

// A line that is truncated at the maximum size is ignored.
func TestTruncatedLineIsIgnored(t *testing.T) {
	start := "User-agent: *\nDisallow: /\n#"
	text := start + strings.Repeat("x", maxSize-len(start)-len("\nAllow: /")) + "\nAllow: /a\n"
	if allows(text, "/b") || !allows("User-agent: *\nDisallow: /\nAllow: /", "/b") {
		t.Error("half of a line allows everything")
	}
	Parse([]byte(strings.Repeat("x", maxSize))) // no line at all
}

// slowMatches is a simple implementation of matches.
func slowMatches(pattern, path string) bool {
	pattern, whole := strings.CutSuffix(pattern, "$")
	var pieces []string
	for piece := range strings.SplitSeq(pattern, "*") {
		pieces = append(pieces, regexp.QuoteMeta(piece))
	}
	text := "(?s)^" + strings.Join(pieces, ".*")
	if whole {
		text += "$"
	}
	return regexp.MustCompile(text).MatchString(path)
}

func FuzzMatches(f *testing.F) {
	for _, seed := range [][2]string{{"/a", "/ab"}, {"/*a*b", "/xaxb"}, {"/*ab$", "/abab"}, {"/a*a$", "/a"}, {"*$", ""}, {"/**", "/"}, {"/*aa$", "/aaa"}, {"$", "$"}, {"\xcd", "\xb9"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if len(pattern) > 200 || len(path) > 1000 || !utf8.ValidString(pattern) || !utf8.ValidString(path) {
			return // regular expressions match characters, not bytes
		}
		if got, want := matches(pattern, path), slowMatches(pattern, path); got != want {
			t.Errorf("matches(%q, %q) = %v", pattern, path, got)
		}
	})
}

// Parse accepts every text. A comment on each line does not change the rules.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"User-agent: *\nDisallow: /a\n", "User-agent: locus\rAllow: /*b$\r\nCrawl-delay: 2\nSitemap: x\n", "\uFEFFuseragent:*\ndisallow:%zz%2", "disallow: /"} {
		f.Add(seed, "/a%2fb?c*$")
		f.Add(seed, "%%41a%")
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		r, again := parseFile(text), parseFile(strings.NewReplacer("\n", " # x\n", "\r", " # x\r").Replace(text))
		if r.group().isAllowed(path) != again.group().isAllowed(path) || fmt.Sprint(r.sitemaps) != fmt.Sprint(again.sitemaps) {
			t.Errorf("%q means something else with comments", text)
		}
		if d := r.group().delay; d < 0 || d > maxDelay {
			t.Errorf("%q: a pause of %v", text, d)
		}
		for _, isPattern := range []bool{true, false} {
			if once := normalize(path, isPattern); normalize(once, isPattern) != once {
				t.Errorf("normal(%q, %v) is not the normal spelling", path, isPattern)
			}
		}
	})
}

// For unambiguous files, the results equal those of another parser.
func TestOtherReader(t *testing.T) {
	for _, text := range []string{
		"User-agent: *\nDisallow: /a\nAllow: /a/b\n", "User-agent: *\nDisallow: /\nAllow: /c\n", "User-agent: locus\nDisallow: /b\n\nUser-agent: *\nDisallow: /\n",
		"User-agent: x\nUser-agent: locus\nDisallow: /a\n", "User-agent: x\nDisallow: /\n", "User-agent: *\nAllow: /a\nDisallow: /a/b\nDisallow: /c\n",
	} {
		other, err := robotstxt.FromString(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/", "/a", "/a/", "/a/b", "/a/b/c", "/b", "/c?d", "/x"} {
			if got, want := allows(text, path), other.TestAgent(path, agent); got != want {
				t.Errorf("%q: %s is allowed: %v", text, path, got)
			}
		}
	}
}
