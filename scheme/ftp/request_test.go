package ftp

import (
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
)

// mustParse parses a text as an ftp URL. If the text is invalid, the test fails.
func mustParse(t testing.TB, text string) URL {
	t.Helper()
	return bnftest.MustParse(t, Parse, text)
}

func TestPlan(t *testing.T) {
	for _, c := range []struct{ url, multi, single, none string }{
		// These URLs are the examples in RFC 1738 section 3.2.2.
		{"ftp://myname@host.dom/%2Fetc/motd", "CWD /etc|TYPE I|RETR motd", "CWD /etc|TYPE I|RETR motd", "TYPE I|RETR /etc/motd"},
		{"ftp://myname@host.dom/etc/motd", "CWD etc|TYPE I|RETR motd", "CWD etc|TYPE I|RETR motd", "TYPE I|RETR etc/motd"},
		{"ftp://myname@host.dom//etc/motd", "CWD |CWD etc|TYPE I|RETR motd", "CWD /etc|TYPE I|RETR motd", "TYPE I|RETR /etc/motd"},

		{"ftp://h", "LIST", "LIST", "LIST"},
		{"ftp://h/", "LIST", "LIST", "LIST"},
		{"ftp://h//", "CWD |LIST", "CWD /|LIST", "LIST /"},
		{"ftp://h/a/b/", "CWD a|CWD b|LIST", "CWD a/b|LIST", "LIST a/b"},
		{"ftp://h/%2F/", "CWD /|LIST", "CWD /|LIST", "LIST /"},
		{"ftp://h/a", "TYPE I|RETR a", "TYPE I|RETR a", "TYPE I|RETR a"},
		{"ftp://h//a", "CWD |TYPE I|RETR a", "CWD /|TYPE I|RETR a", "TYPE I|RETR /a"},
		{"ftp://h/a/../b/./c", "CWD a|CWD ..|CWD b|CWD .|TYPE I|RETR c", "CWD a/../b/.|TYPE I|RETR c", "TYPE I|RETR a/../b/./c"},
		{"ftp://h/a%2Fb/c", "CWD a/b|TYPE I|RETR c", "CWD a/b|TYPE I|RETR c", "TYPE I|RETR a/b/c"},

		{"ftp://h/etc;type=d", "NLST etc", "NLST etc", "NLST etc"},
		{"ftp://h/;type=d", "NLST", "NLST", "NLST"},
		{"ftp://h/a/b;type=D", "CWD a|NLST b", "CWD a|NLST b", "NLST a/b"},
		{"ftp://h/a/;type=d", "CWD a|NLST", "CWD a|NLST", "NLST a"},
		{"ftp://h/x;type=a", "TYPE A|RETR x", "TYPE A|RETR x", "TYPE A|RETR x"},
		{"ftp://h/x;TYPE=I", "TYPE I|RETR x", "TYPE I|RETR x", "TYPE I|RETR x"},
		{"ftp://h/x;type=AN", "TYPE A N|RETR x", "TYPE A N|RETR x", "TYPE A N|RETR x"},
		{"ftp://h/x;type=e", "TYPE E|RETR x", "TYPE E|RETR x", "TYPE E|RETR x"},
		{"ftp://h/x;type=L36", "TYPE L 36|RETR x", "TYPE L 36|RETR x", "TYPE L 36|RETR x"},
		{"ftp://h/a/;type=i", "CWD a|TYPE I|RETR ", "CWD a|TYPE I|RETR ", "TYPE I|RETR a/"},
		{"ftp://h/x;type=z", "TYPE I|RETR x;type=z", "TYPE I|RETR x;type=z", "TYPE I|RETR x;type=z"},
		{"ftp://h/notes.txt", "TYPE I|RETR notes.txt", "TYPE I|RETR notes.txt", "TYPE I|RETR notes.txt"},

		{"ftp://h/b%20c.txt", "TYPE I|RETR b c.txt", "TYPE I|RETR b c.txt", "TYPE I|RETR b c.txt"},
		{"ftp://h/%20lead", "TYPE I|RETR  lead", "TYPE I|RETR  lead", "TYPE I|RETR  lead"},
		{"ftp://h/a%3Btype=a%23%25%E9%FF", "TYPE I|RETR a;type=a#%\xe9\xff", "TYPE I|RETR a;type=a#%\xe9\xff", "TYPE I|RETR a;type=a#%\xe9\xff"},
		{"ftp://h/%252Fetc", "TYPE I|RETR %2Fetc", "TYPE I|RETR %2Fetc", "TYPE I|RETR %2Fetc"},
		{"ftp://h/x#frag", "TYPE I|RETR x", "TYPE I|RETR x", "TYPE I|RETR x"},
	} {
		for m, want := range map[CWDMode]string{CWDMulti: c.multi, CWDSingle: c.single, CWDNone: c.none} {
			p, err := mustParse(t, c.url).plan(m)
			if got := strings.Join(p.commands(), "|"); got != want || err != nil {
				t.Errorf("%s, %v: %q, %v; want %q", c.url, m, got, err, want)
			}
		}
	}
}

func TestPlanRefuses(t *testing.T) {
	for _, c := range []struct {
		url, part string
		offset    int
	}{
		{"ftp://u:p@h/a%0d%0aDELE%20x", "fsegment", 13},
		{"ftp://a%0d%0aNOOP@h/", "user", 7},
		{"ftp://u:p%0Aq@h/", "password", 9},
		{"ftp://h/a%00b/x", "fsegment", 9},
		{"ftp://h/x%0D;type=d", "fsegment", 9},
	} {
		_, err := mustParse(t, c.url).plan(CWDMulti)
		bnftest.Refused(t, c.url, err, c.part, c.offset, locus.ErrValue)
	}
	// The client must send octets with similar values unchanged.
	if p, err := mustParse(t, "ftp://h/%01%09%0B%0C%1B%7F").plan(CWDMulti); err != nil || p.name != "\x01\t\v\f\x1b\x7f" {
		t.Errorf("%q, %v", p.name, err)
	}
}

func TestCWDMode(t *testing.T) {
	for _, name := range []string{"multi", "single", "none"} {
		if m, err := ParseCWDMode(name); err != nil || m.String() != name {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
	if _, err := ParseCWDMode("all"); err == nil || !strings.Contains(err.Error(), "single") {
		t.Errorf("%v", err)
	}
}

// The plan of a URL that is built from Parts must contain the same parts.
func TestPlanOfParts(t *testing.T) {
	u, err := Parts{Host: "h", CWD: []string{"", "/etc", "a;b", ".."}, Name: "x;type=d"}.URL()
	if err != nil {
		t.Fatal(err)
	}
	p, err := u.plan(CWDMulti)
	if want := []string{"CWD ", "CWD /etc", "CWD a;b", "CWD ..", "TYPE I", "RETR x;type=d"}; err != nil || !slices.Equal(p.commands(), want) {
		t.Errorf("%q, %v", p.commands(), err)
	}
}
