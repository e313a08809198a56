package gopher

import (
	"errors"
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

func TestRequest(t *testing.T) {
	const form = "+\t1\r\n+-1\r\nans1\r\nans2\r\n.\r\n"
	for _, test := range []struct{ url, want, literal string }{
		{"gopher://h", "\r\n", ""},
		{"gopher://h/", "\r\n", ""},
		{"gopher://h/1", "\r\n", ""},
		{"gopher://h/1/", "/\r\n", ""},
		{"gopher://h/0a%20b", "a b\r\n", ""},
		{"gopher://h/00/about.txt", "0/about.txt\r\n", ""},
		{"gopher://h/7sel%09two%20words", "sel\ttwo words\r\n", ""},
		{"gopher://h/7sel%09two+words", "sel\ttwo+words\r\n", ""},
		{"gopher://h/7sel%09", "sel\t\r\n", ""},
		{"gopher://h/7sel?word%09", "sel?word\t\r\n", ""},
		{"gopher://h/0a%2525b", "a%25b\r\n", ""},
		{"gopher://h/0a//b/../c/./d", "a//b/../c/./d\r\n", ""},
		{"gopher://h/0caf%C3%A9", "caf\xc3\xa9\r\n", ""},
		{"gopher://h/0a#frag", "a\r\n", ""},
		{"gopher://user:pw@h/0a", "a\r\n", ""},
		{"gopher://h/0sel%09%09+", "sel\t+\r\n", "sel\t\t+\r\n"},
		{"gopher://h/0sel%09%09!", "sel\t!\r\n", "sel\t\t!\r\n"},
		{"gopher://h/0sel%09%09!+ABSTRACT%20+VIEWS", "sel\t!+ABSTRACT +VIEWS\r\n", "sel\t\t!+ABSTRACT +VIEWS\r\n"},
		{"gopher://h/1sel%09%09$", "sel\t$\r\n", "sel\t\t$\r\n"},
		{"gopher://h/1sel%09%09$+VIEWS", "sel\t$+VIEWS\r\n", "sel\t\t$+VIEWS\r\n"},
		{"gopher://h/0sel%09%09+application/postscript%20Es_ES", "sel\t+application/postscript Es_ES\r\n", "sel\t\t+application/postscript Es_ES\r\n"},
		{"gopher://h/7sel%09word%09+", "sel\tword\t+\r\n", ""},
		{"gopher://h/0sel%09word%09+", "sel\tword\t+\r\n", ""},
		{"gopher://h/7sel%09%09!", "sel\t\t!\r\n", ""},
		{"gopher://h/0sel%09%09?", "sel\t!\r\n", "sel\t\t!\r\n"},
		{"gopher://h/7sel%09%09?", "sel\t\t!\r\n", ""},
		// This is not a Gopher+ command. After a single TAB, servers would interpret it as a
		// search.
		{"gopher://h/0sel%09%09word", "sel\t\tword\r\n", ""},
		{"gopher://h/0sel%09%09?x", "sel\t\t?x\r\n", ""},
		{"gopher://h/0sel%09%09", "sel\t\t\r\n", ""},
		// This request contains a filled-in form, after which no CR LF follows (RFC 1738
		// section 3.4.9).
		{"gopher://h/0sel%09%09+%091%0D%0A+-1%0D%0Aans1%0D%0Aans2%0D%0A.%0D%0A", "sel\t" + form, ""},
		{"gopher://h/0sel%09%09+%091%0D%0A+-1%0D%0Aans1%0D%0Aans2%0D%0A.", "sel\t" + form, ""},
		{"gopher://h/7sel%09%09+%091%0D%0A+-1%0D%0Aans1%0D%0Aans2%0D%0A.%0D%0A", "sel\t\t" + form, ""},
		{"gopher://h/0sel%09%09+text/plain%20De_DE%091%0D%0A+-1%0D%0A.%0D%0A", "sel\t+text/plain De_DE\t1\r\n+-1\r\n.\r\n", ""},
		{"gopher://h/0sel%09%09+%091%0D%0A+-1%0D%0A%0D%0Aa%09b%0D%0A.%0D%0A", "sel\t+\t1\r\n+-1\r\n\r\na\tb\r\n.\r\n", ""},
		{"gopher://h/0sel%09%09+%091%0D%0A+5%0D%0Aa%0Db%00.", "sel\t+\t1\r\n+5\r\na\rb\x00.", ""},
		{"gopher://h/0sel%09%09+%091%0D%0A+0%0D%0A", "sel\t+\t1\r\n+0\r\n", ""},
		{"gopher://h/0sel%09%09+%091%0D%0A+-2%0D%0Aa%0Ab", "sel\t+\t1\r\n+-2\r\na\nb", ""},
		{"gopher://h/0sel%09%09+%091%0D%0A+15%0D%0A%091%0D%0A+-1%0D%0Aabcd%0D%0A", "sel\t+\t1\r\n+15\r\n\t1\r\n+-1\r\nabcd\r\n", ""},
		// These requests fetch the attributes of items that no Gopher request can fetch.
		{"gopher://h/8login%09%09!", "login\t!\r\n", "login\t\t!\r\n"},
		{"gopher://h/hURL:http://x/%09%09!", "URL:http://x/\t!\r\n", "URL:http://x/\t\t!\r\n"},
		{"gopher://h/h/page.html", "/page.html\r\n", ""},
	} {
		g := parse(t, test.url)
		if got, err := g.AppendRequest([]byte("before")); string(got) != "before"+test.want || err != nil {
			t.Errorf("%s: sends %q, %v; want %q", test.url, got, err, test.want)
		}
		if test.literal == "" {
			test.literal = test.want
		}
		if got, err := g.appendRequest(nil, true); string(got) != test.literal || err != nil {
			t.Errorf("%s: literally sends %q, %v; want %q", test.url, got, err, test.literal)
		}
	}
}

func TestRequestRefuses(t *testing.T) {
	for _, test := range []struct{ before, at, part string }{
		{"gopher://h/0a", "%0D%0AHELO", "selector"},
		{"gopher://h/0a", "%0a", "selector"},
		{"gopher://h/0%C3%A9", "%00b", "selector"},
		{"gopher://h/%30", "%0D", "selector"},
		{"gopher://h/7a%09b", "%0D%0A", "search"},
		{"gopher://h/7%E9%09%E9", "%00%09!", "search"},
		{"gopher://h/0a%09%09+", "%0D%0Ab", "gopher+_string"},
		{"gopher://h/0a%09%09+v", "%00", "gopher+_string"},
		{"gopher://h/0a%09%09+", "%09", "gopher+_string"},
		{"gopher://h/0a%09%09+", "%090%0D%0A", "gopher+_string"},
		{"gopher://h/0a%09%09", "%091%0D%0A+-1%0D%0A.%0D%0A", "gopher+_string"},
		{"gopher://h/0a%09%09!", "%091%0D%0A+-1%0D%0A.%0D%0A", "gopher+_string"},
		{"gopher://h/0a%09%09+", "%091%0A+-1%0D%0A.%0D%0A", "gopher+_string"},
		{"gopher://h/0a%09%09+%091%0D%0A", "", "gopher+_string"},
		{"gopher://h/0a%09%09+%091%0D%0A", "+-3%0D%0A", "gopher+_string"},
		{"gopher://h/0a%09%09+%091%0D%0A", "-1%0D%0A.%0D%0A", "gopher+_string"},
		{"gopher://h/0a%09%09+%091%0D%0A", "++1%0D%0A.", "gopher+_string"},
		{"gopher://h/0a%09%09+%091%0D%0A", "+3%0D%0A.%0D%0A..", "gopher+_string"},
		{"gopher://h/0a%09%09+%091%0D%0A", "+9999999999999999999999%0D%0A", "gopher+_string"},
		{"gopher://h/0a%09%09+%091%0D%0A+-1%0D%0A", "", "gopher+_string"},
		{"gopher://h/0a%09%09+%091%0D%0A+-1%0D%0Aa%0D%0A", "", "gopher+_string"},
		{"gopher://h/0a%09%09+%091%0D%0A+-1%0D%0Aa", "%0Db%0D%0A.%0D%0A", "gopher+_string"},
		{"gopher://h/0a%09%09+%091%0D%0A+-1%0D%0Aa", "%0Ab%0D%0A.%0D%0A", "gopher+_string"},
		{"gopher://h/0a%09%09+%091%0D%0A+-1%0D%0A", "%00%0D%0A.%0D%0A", "gopher+_string"},
		{"gopher://h/0a%09%09+%091%0D%0A+-1%0D%0A.%0D%0A", "QUIT%0D%0A", "gopher+_string"},
		{"gopher://h/0a%09%09+%091%0D%0A+-1%0D%0A.%0D%0A", "%0D%0A", "gopher+_string"},
	} {
		text := test.before + test.at
		g := parse(t, text)
		got, err := g.AppendRequest([]byte("before"))
		var e *locus.SyntaxError
		if string(got) != "before" || !errors.As(err, &e) || !errors.Is(err, locus.ErrValue) || e.Offset != len(test.before) || e.Part != test.part {
			t.Errorf("%s: sends %q, %v; want %s at %d", text, got, err, test.part, len(test.before))
		}
		list := check(g.URL(), locus.RFC1738)
		if len(list) == 0 || list[0].Offset != len(test.before) || list[0].Kind != locus.Impossible {
			t.Errorf("%s: findings %v", text, list)
		}
	}
}

func TestNoRequest(t *testing.T) {
	for _, test := range []struct{ url, to, why string }{
		{"gopher://h/7sel", "", "%09"},
		{"gopher://h/2", "", "phone book"},
		{"gopher://h:105/2%09smith", "", "phone book"},
		{"gopher://h/8login", "telnet://login@h", "session"},
		{"gopher://h:2323/8", "telnet://h:2323", "session"},
		{"gopher://h/8a%3Ab%40c", "telnet://a%3Ab%40c@h", "session"},
		{"gopher://h/T", "tn3270://h", "session"},
		{"gopher://h/hURL:http://x/", "http://x/", "another URL"},
		{"gopher://h/h/url:ftp://x/a%2520b", "ftp://x/a%20b", "another URL"},
	} {
		g := parse(t, test.url)
		got, err := g.AppendRequest(nil)
		if got != nil || !errors.Is(err, ErrNoRequest) || !strings.Contains(err.Error(), test.why) {
			t.Errorf("%s: sends %q, %v", test.url, got, err)
		}
		to, ok, err := g.Redirect()
		if to.String() != test.to || ok != (test.to != "") || err != nil {
			t.Errorf("%s: leads to %q %v %v; want %q", test.url, to, ok, err, test.to)
		}
	}
	for _, url := range []string{"gopher://h/hURL:", "gopher://h/hURL:a%20b", "gopher://h/hURL:http://x/%0D%0A", "gopher://h/8-froot", "gopher://h/8a%1B", "gopher://h/T-x"} {
		_, ok, err := parse(t, url).Redirect()
		var e *locus.SyntaxError
		if ok || !errors.As(err, &e) || e.Part != "selector" || e.Offset != len("gopher://h/h") {
			t.Errorf("%s: %v %v", url, ok, err)
		}
	}
	for _, url := range []string{"gopher://h/hURL", "gopher://h/0URL:http://x/", "gopher://h/h//URL:http://x/", "gopher://h/8a%09%09!"} {
		if to, ok, err := parse(t, url).Redirect(); ok || err != nil {
			t.Errorf("%s: leads to %q, %v", url, to, err)
		}
	}
}
