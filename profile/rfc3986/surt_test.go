package rfc3986

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The first examples come from Heritrix (SURTTest) and from the Internet Archive's package
// surt, with scheme and trailing comma added. Package surt also normalizes.
func TestSURT(t *testing.T) {
	for text, want := range map[string]string{
		"http://www.archive.org":                                  "http://(org,archive,www,)",
		"http://www.archive.org/movies/movies.php":                "http://(org,archive,www,)/movies/movies.php",
		"http://www.archive.org:8080/movies/movies.php":           "http://(org,archive,www,:8080)/movies/movies.php",
		"http://user:pass@www.archive.org/movies/movies.php":      "http://(org,archive,www,@user:pass)/movies/movies.php",
		"http://user:pass@www.archive.org:8080/movies/movies.php": "http://(org,archive,www,:8080@user:pass)/movies/movies.php",
		"http://www.archive.org/movies/movies.php#top":            "http://(org,archive,www,)/movies/movies.php#top",
		"http://www.example.com/foo@bar":                          "http://(com,example,www,)/foo@bar",
		"http://127.2.34.5/foo":                                   "http://(127.2.34.5)/foo",
		"ftp://www.example.com/":                                  "ftp://(com,example,www,)/",
		"https://www.example.com/":                                "https://(com,example,www,)/",
		"whois://whois.isoc.org.il/shaveh.co.il":                  "whois://(il,org,isoc,whois,)/shaveh.co.il",
		"mailto:foo@example.com":                                  "mailto:foo@example.com",
		"dns:archive.org":                                         "dns:archive.org",
		"warcinfo:foo.warc.gz":                                    "warcinfo:foo.warc.gz",
		"filedesc:/foo.arc.gz":                                    "filedesc:/foo.arc.gz",
		"file:///etc/hosts":                                       "file:///etc/hosts",
		"http://[2001:db8::1]:80/?q":                              "http://([2001:db8::1]:80)/?q",
		"http://127.0.0.1:8080?q":                                 "http://(127.0.0.1:8080)?q",
		"http://@h:/":                                             "http://(h,:@)/",
		"http://a.example./":                                      "http://(,example,a,)/",
		"http://A.Example/%7e":                                    "http://(Example,A,)/%7e",
		"http://a,b.c/":                                           "http://(c,a.b,)/",
		"http://u)(@h/":                                           "http://(h,@u)()/",
		"//h.example/x":                                           "//(example,h,)/x",
		"":                                                        "",
	} {
		u := Parse(text)
		if got := u.SURT(); got != want || unSURT(got) != text {
			t.Errorf("%s: %s, want %s; back: %s", text, got, want, unSURT(got))
		}
	}
}

// unSURT converts the result of SURT back to the URI, for URIs that conform.
func unSURT(text string) string {
	before, rest, ok := strings.Cut(text, "//(")
	if !ok || strings.ContainsAny(before, "/?#") {
		return text
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	inner, ok := strings.CutSuffix(rest[:end], ")")
	if !ok {
		return text
	}
	hostport, userinfo, at := strings.Cut(inner, "@")
	i := strings.IndexByte(hostport, ':')
	if j := strings.IndexByte(hostport, ']'); j >= 0 {
		i = len(hostport)
		if j+1 < len(hostport) {
			i = j + 1
		}
	}
	host, port := hostport, ""
	if i >= 0 {
		host, port = hostport[:i], hostport[i:]
	}
	if reversed, ok := strings.CutSuffix(host, ","); ok {
		labels := strings.Split(reversed, ",")
		slices.Reverse(labels)
		for i := range labels {
			labels[i] = strings.ReplaceAll(labels[i], ".", ",")
		}
		host = strings.Join(labels, ".")
	}
	if at {
		userinfo += "@"
	}
	return fmt.Sprint(before, "//", userinfo, host, port, rest[end:])
}

func checkSURT(t *testing.T, u URI) {
	t.Helper()
	if got := unSURT(u.SURT()); got != u.String() {
		t.Errorf("%q: its SURT is %q, which is read back as %q", u.String(), u.SURT(), got)
	}
}
