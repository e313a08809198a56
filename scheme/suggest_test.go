package scheme_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

func TestSuggest(t *testing.T) {
	r := mustRegistry(t, schemeWithPort("ftp", 21), schemeWithPort("gopher", 70), schemeWithPort("http", 80), schemeWithPort("https", 443), schemeWithPort("mailto", 0), schemeWithPort("news", 0), schemeWithPort("urn", 0), schemeWithPort("file", 0))
	for text, want := range map[string]string{
		"htp://example.com":     "http://example.com",
		"HTP://h/a#b":           "http://h/a#b",
		"hhtp://h/":             "http://h/",
		"hptt://h/":             "", // distance two, but only four letters long
		"thtp://h/":             "http://h/",
		"htttp://h/":            "http://h/",
		"ttp://h/":              "http://h/",
		"htps://h/":             "https://h/",
		"htpps://h/":            "https://h/",
		"http-s://h/":           "https://h/",
		"fpt://h/":              "ftp://h/",
		"goper://h/":            "gopher://h/",
		"ogphre://h/":           "gopher://h/", // two exchanges
		"gopehrx://h/":          "gopher://h/",
		"mialto:a@b":            "mailto:a@b",
		"maillto:a@b":           "mailto:a@b",
		"nwes:a.b":              "news:a.b",
		"ur:a":                  "urn:a",
		"C:/Users/joe":          "file:///C:/Users/joe",
		"c:/a":                  "file:///c:/a",
		"ftp://h/":              "",
		"sftp://h/":             "", // registered by IANA
		"irc://h/":              "",
		"sms:1":                 "",
		"hxxp://h/":             "",
		"rtp://h/":              "ftp://h/",
		"x-http://h/":           "",
		"x-htp:a":               "",
		"magic://a/b":           "",
		"javascript:void(0)":    "",
		"c:a":                   "",
		"htp://u:Secret@h/":     "http://u:Secret@h/",
		"URL:ftp://u:Secret@h/": "ftp://u:Secret@h/",
		"url:a":                 "",
		"D:/u:Secret@h/":        "file:///D:/u:Secret%40h/",
	} {
		got, why := r.Suggest(locus.MustParse(text))
		if got.String() != want || (why == "") != (want == "") || strings.Contains(why, "Secret") {
			t.Errorf("%q: %q (%s), want %q", text, got.String(), why, want)
		}
	}
	if got, why := r.Suggest(locus.URL{}); !got.IsZero() || why != "" {
		t.Errorf("the zero URL: %q", got)
	}
	if got, _ := new(scheme.Registry).Suggest(locus.MustParse("htp://h/")); !got.IsZero() {
		t.Errorf("of no schemes: %q", got)
	}
	// Suggest must not return a URL that exceeds the maximum length.
	if got, _ := r.Suggest(locus.MustParse("htp:" + strings.Repeat("a", locus.MaxLen-4))); !got.IsZero() {
		t.Errorf("too long: %d octets", got.Len())
	}
}

// A name that IANA registers must not be reported as a typo, even if the registry does not
// contain the scheme.
func TestRegisteredNamesAreNotTypos(t *testing.T) {
	var list []scheme.Scheme
	for _, name := range []string{"ftp", "http", "news", "wais", "mid", "cid", "telnet", "tn3270", "gopher", "nntp", "file"} {
		list = append(list, schemeWithPort(name, 0))
	}
	r := mustRegistry(t, list...)
	n := 0
	for name := range scheme.Names() {
		n++
		if got, _ := r.Suggest(locus.MustParse(name + ":a")); !got.IsZero() {
			t.Errorf("%q: %q", name, got)
		}
	}
	if n < 350 {
		t.Errorf("%d names", n)
	}
}

func TestNameStatus(t *testing.T) {
	for name, want := range map[string]string{
		"aaa": "permanent", "http": "permanent", "sftp": "provisional", "irc": "provisional", "sms": "permanent", "wais": "historical",
		"z39.50": "historical", "coap+tcp": "permanent", "javascript": "unregistered", "jdbc": "unregistered", "z39.50s": "permanent",
		"": "", "#": "", "htp": "", "permanent": "", "HTTP": "", "aa": "", "http permanent\nhttps": "", "URI": "",
	} {
		if got := scheme.NameStatus(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	var names []string
	for name, status := range scheme.Names() {
		names = append(names, name)
		if !locus.IsScheme(name) || !slices.Contains([]string{"permanent", "provisional", "historical", "unregistered"}, status) || scheme.NameStatus(name) != status {
			t.Errorf("%q: %q", name, status)
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Error("the names are not in order, or not unique")
	}
	for range scheme.Names() {
		break // may stop early
	}
}
