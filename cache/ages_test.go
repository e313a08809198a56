package cache

import (
	"net/http"
	"testing"
	"time"

	"github.com/locus-url/locus"
)

// The lifetimes match the package documentation.
func TestAge(t *testing.T) {
	s := openStore(t, t.TempDir(), nil)
	const day = 24 * time.Hour
	for _, test := range []struct {
		url      string
		modified string // before a Date of 1 February 2000
		want     time.Duration
	}{
		{"ftp://h", "", 5 * time.Minute},
		{"ftp://h/", "", 5 * time.Minute},
		{"ftp://h/pub/", "", 5 * time.Minute},
		{"ftp://h/pub;type=d", "", 5 * time.Minute},
		{"ftps://h/pub;type=D", "", 5 * time.Minute},
		{"ftp://h/pub;TYPE=d", "", 5 * time.Minute},
		{"ftp://h/pub/;Type=a", "", 5 * time.Minute},
		{"ftp://h/pub;TYPE=i", "", time.Hour},
		{"gopher://h/%31/x", "", 5 * time.Minute},
		{"gopher://h/%37/x", "", time.Minute},
		{"gopher://h/%30x", "", time.Hour},
		{"ftp://h/pub", "", time.Hour},
		{"ftp://h/pub;type=i", "", time.Hour},
		{"ftp://h/pub", "Mon, 31 Jan 2000 23:59:00 GMT", 10 * time.Minute},
		{"ftp://h/pub", "Mon, 31 Jan 2000 00:00:00 GMT", 144 * time.Minute},
		{"ftp://h/pub", "Sat, 01 Jan 1994 00:00:00 GMT", day},
		{"ftp://h/pub", "Wed, 02 Feb 2000 00:00:00 GMT", 10 * time.Minute},
		{"ftp://h/pub", "once", time.Hour},
		{"gopher://h", "", 5 * time.Minute},
		{"gopher://h/1", "", 5 * time.Minute},
		{"gopher://h/1a", "", 5 * time.Minute},
		{"gophers://h/0a", "", time.Hour},
		{"gopher://h/0a", "Sat, 01 Jan 1994 00:00:00 GMT", day},
		{"gopher://h/9a%09%09+application/zip", "", time.Hour},
		{"gopher://h/0a%09%09!", "", 5 * time.Minute},
		{"gopher://h/1a%09%09$", "", 5 * time.Minute},
		{"gopher://h/7a", "", time.Minute},
		{"gopher://h/7a%09word", "", time.Minute},
		{"gopher://h/1a%09word", "", time.Minute},
		{"gopher://h/0cgi?word", "", time.Minute},
		{"gopher://h/2", "", time.Minute},
		{"gopher://h/0a%09%09?", "", 0},
		{"gopher://h/0a%09%09", "", 0},
		{"gopher://h/0a%09%09+%091%0D%0A+-1%0D%0Ax%0D%0A.", "", 0},
		{"gopher://h/8a", "", 0},
		{"gopher://h/Ta", "", 0},
		{"news:a@b", "", 7 * day},
		{"news:*", "", time.Minute},
		{"news:comp.lang", "", time.Minute},
		{"news://h/a@b", "", 7 * day},
		{"news://h/comp.lang", "", time.Minute},
		{"snews:a@b", "", 7 * day},
		{"nntp://h/comp.lang/7", "", day},
		{"nntp://h/comp.lang", "", time.Minute},
		{"nntp:comp.lang/7", "", day},
		{"nntp:comp.lang", "", time.Minute},
		{"nntps://h/comp.lang/7", "", day},
		{"wais://h/db", "", time.Hour},
		{"wais://h/db?word", "", time.Minute},
		{"wais://h/db/TEXT/1=2;", "", day},
		{"prospero://h//a", "", 5 * time.Minute},
		{"file:///a", "", 0}, {"mid:a@b", "", 0}, {"cid:a@b", "", 0}, {"mailto:a@b", "", 0}, {"telnet://h/", "", 0}, {"rlogin://h/", "", 0}, {"tn3270://h/", "", 0},
		{"x-any://h/", "", 0}, {"http://h/", "", 0}, {"https://h/", "", 0},
	} {
		h := http.Header{"Date": {"Tue, 01 Feb 2000 00:00:00 GMT"}}
		if test.modified != "" {
			h.Set("Last-Modified", test.modified)
		}
		if got := s.age(locus.MustParse(test.url), h); got != test.want {
			t.Errorf("%s, changed %q: %v, want %v", test.url, test.modified, got, test.want)
		}
	}
	if got := s.age(locus.MustParse("ftp://h/a"), http.Header{"Last-Modified": {"Sat, 01 Jan 1994 00:00:00 GMT"}}); got != time.Hour {
		t.Errorf("without a Date: %v", got)
	}
}

// Without Vary, the scheme determines which request fields the response depends on.
func TestVaryByScheme(t *testing.T) {
	s := openStore(t, t.TempDir(), nil)
	for url, want := range map[string]bool{
		"ftp://h/a": false, "ftp://h/a/": true, "ftps://h/a;type=d": true, "news:a@b": false, "news:a": true, "nntp://h/g/7": false, "nntp://h/g": true,
		"gopher://h/0a": true, "wais://h/db/TEXT/1": true, "wais://h/db?a": true, "prospero://h/a": true, "x-any://h/": true,
	} {
		if got := s.selectors(locus.MustParse(url), nil, &meta{header: http.Header{}}); (len(got) == 2) != want {
			t.Errorf("%s: %v", url, got)
		}
	}
}
