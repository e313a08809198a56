package file

import (
	"bufio"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

func TestExampleOfSection310(t *testing.T) {
	f, err := os.Open("../../testdata/rfc1738-3.10.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		text, _, ok := strings.Cut(lines.Text(), "\t")
		if !ok {
			continue
		}
		n++
		for _, p := range []locus.Profile{locus.RFC1738, locus.RFC1630} {
			if list := Check(locus.MustParse(text), p); list != nil {
				t.Errorf("%s, %v: %v", text, p, list)
			}
		}
	}
	if n == 0 {
		t.Error("no vectors")
	}
	u := locus.MustParse("file://vms.host.edu/disk$user/my/notes/note12345.txt")
	x, err := Parse(u)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"disk$user", "my", "notes", "note12345.txt"}; x.Host() != "vms.host.edu" || !slices.Equal(x.Segments(), want) || x.Local() {
		t.Errorf("host %q, segments %q", x.Host(), x.Segments())
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		url, host string
		local     bool
		segments  []string
	}{
		{"file:///", "", true, []string{""}},
		{"file://localhost/", "localhost", true, []string{""}},
		{"FILE://LocalHost/x", "LocalHost", true, []string{"x"}},
		{"file:///a/b", "", true, []string{"a", "b"}},
		{"file:///a/", "", true, []string{"a", ""}},
		{"file:////a", "", true, []string{"", "a"}},
		{"file:///a%2Fb/%2525/%00", "", true, []string{"a/b", "%25", "\x00"}},
		{"file:///a?b=c;d", "", true, []string{"a?b=c;d"}},
		{"file:///./../x#frag", "", true, []string{".", "..", "x"}},
		{"file://h/C:/x", "h", false, []string{"C:", "x"}},
		{"file:///+", "", true, []string{"+"}},
	} {
		u := locus.MustParse(c.url)
		f, err := Parse(u)
		if err != nil {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		if f.Host() != c.host || f.Local() != c.local || !slices.Equal(f.Segments(), c.segments) {
			t.Errorf("%s: host %q (%v), segments %q", c.url, f.Host(), f.Local(), f.Segments())
		}
		if again, err := Parse(f.URL()); again != f || err != nil {
			t.Errorf("%s: Parse(URL()) is %v, %v", c.url, again, err)
		}
		parts, err := Parts{Host: f.Host(), Segments: c.segments}.URL()
		if err != nil || !slices.Equal(parts.Segments(), c.segments) {
			t.Errorf("%s: made again: %q, %v", c.url, parts.URL(), err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct {
		url    string
		offset int
		part   string
	}{
		{"file:/x", 5, "fileurl"},
		{"file:x", 5, "fileurl"},
		{"file:", 5, "fileurl"},
		{"file://h", 8, "fpath"},
		{"file://", 7, "fpath"},
		{"file://h?x", 8, "fpath"},
		{"file://u@h/x", 7, "host"},
		{"file://u:secret@h/x", 7, "host"},
		{"file://h:80/x", 8, "host"},
		{"file://h:/x", 8, "host"},
		{"http://h/x", 0, "fileurl"},
	} {
		u := locus.MustParse(c.url)
		_, err := Parse(u)
		var syntax *locus.SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset != c.offset || syntax.Part != c.part || !errors.Is(err, locus.ErrForm) {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		if _, _, err := Canonical(u); err == nil {
			t.Errorf("%s: Canonical takes it", c.url)
		}
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the password is in the error: %v", c.url, err)
		}
		if u.Scheme() != "file" {
			continue
		}
		for _, p := range []locus.Profile{locus.RFC1738, locus.RFC1630} {
			list := Check(u, p)
			if locus.Conforms(list) {
				t.Errorf("%s, %v: no violation", c.url, p)
			}
			for _, v := range list {
				if strings.Contains(v.String(), "secret") {
					t.Errorf("%s: the password is in a finding: %v", c.url, v)
				}
			}
		}
	}
}

func TestParts(t *testing.T) {
	fragment := "a b"
	for _, c := range []struct {
		parts Parts
		url   string
	}{
		{Parts{}, "file:///"},
		{Parts{Host: "h"}, "file://h/"},
		{Parts{Segments: []string{"a b", "c/d", "e?f", "g;h", ""}}, "file:///a%20b/c%2Fd/e%3Ff/g%3Bh/"},
		{Parts{Segments: []string{"~\xff"}, Fragment: &fragment}, "file:///%7E%FF#a%20b"},
	} {
		f, err := c.parts.URL()
		if err != nil || f.URL().String() != c.url {
			t.Errorf("%+v: %q, %v; want %q", c.parts, f.URL(), err, c.url)
		}
	}
	for _, bad := range []Parts{{Host: "h/x"}, {Host: "u@h"}, {Host: "h:1"}, {Host: "h#"}} {
		if f, err := bad.URL(); err == nil {
			t.Errorf("%+v makes %q", bad, f.URL())
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct{ url, want string }{
		{"file:///etc/motd", ""},
		{"file://h/a?b", ""},
		{"file:///a%20b", ""},
		{"file:/x", "form@5"},
		{"file:x", "form@5"},
		{"file://h", "missing-slash@8"},
		{"file://h?x", "missing-slash@8"},
		{"file://h:80/x", "no-port@8"},
		{"file://h:0/x", "no-port@8 port-zero@9"},
		{"file://u@h/x", "no-user@7"},
		{"file:///a;b", "reserved-character@9"},
		{"file:///~a|", "unsafe-character@8 unsafe-character@10"},
		{"file:///a%00b", "nul@9"},
		{"file:///a%2fb", "encoded-slash@9"},
		{"FILE:///x", "scheme-case@0"},
		{"file://-h/x", "host@7"},
	} {
		var got []string
		for _, v := range Check(locus.MustParse(c.url), locus.RFC1738) {
			got = append(got, v.Rule+"@"+strconv.Itoa(v.Offset))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", c.url, s, c.want)
		}
	}
	if list := Check(locus.MustParse("file:/etc/motd"), locus.RFC1738); list[0].Help != "write file:///etc/motd" {
		t.Errorf("help: %v", list)
	}
}

func TestCanonical(t *testing.T) {
	for _, c := range []struct {
		url, want string
		change    locus.Change
	}{
		{"file:///x", "file:///x", 0},
		{"file://localhost/x", "file:///x", locus.Localhost},
		{"file://LOCALHOST/x", "file:///x", locus.Localhost},
		{"file://VMS.host.edu/x", "file://vms.host.edu/x", locus.HostCase},
		{"file:///a/./../b", "file:///a/./../b", 0},
		{"file:///%7e%41%2f%3b", "file:///%7EA%2F%3B", locus.EscapeCase | locus.NeedlessEscape},
		{"file:///~", "file:///%7E", locus.MissingEscape},
		{"file:///x#", "file:///x", locus.VoidFragment},
		{"file:///a;b", "file:///a;b", 0},
	} {
		got, change, err := Canonical(locus.MustParse(c.url))
		if err != nil || got.String() != c.want || change != c.change {
			t.Errorf("%s: %v (%v), %v; want %s (%v)", c.url, got, change, err, c.want, c.change)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	for _, text := range []string{"file://vms.host.edu/disk$user/my/notes/note12345.txt", "file:///usr/share/doc/a%20b"} {
		u := locus.MustParse(text)
		if n := testing.AllocsPerRun(100, func() { Check(u, locus.RFC1738) }); n != 0 {
			t.Errorf("Check(%s): %v allocations", text, n)
		}
		if n := testing.AllocsPerRun(100, func() { Parse(u) }); n != 0 {
			t.Errorf("Parse(%s): %v allocations", text, n)
		}
	}
	u := locus.MustParse("file:///usr/share/doc")
	if n := testing.AllocsPerRun(100, func() { Canonical(u) }); n != 0 {
		t.Errorf("Canonical(%s): %v allocations", u, n)
	}
}

func TestName(t *testing.T) {
	for _, c := range []struct {
		url             string
		windows, rooted bool
		want            string // "!" and a word: refused
		directory       bool
	}{
		{"file:///", false, false, "/", true},
		{"file:///a/b", false, false, "/a/b", false},
		{"file:///a/b/", false, false, "/a/b", true},
		{"file:////a", false, false, "//a", false},
		{"file:///a/../b", false, false, "/a/../b", false},
		{"file:///a%5Cb:c", false, false, `/a\b:c`, false},
		{"file:///a%2Fb", false, false, "!holds", false},
		{"file:///a%00", false, false, "!NUL", false},
		{"file:///", false, true, ".", true},
		{"file:////etc/passwd", false, true, "etc/passwd", false},
		{"file:///a/b/", false, true, "a/b", true},
		{"file:///a/./b", false, true, "a/./b", false},
		{"file:///a/../b", false, true, "!root", false},
		{"file:///a/%2E%2e", false, true, "!root", false},
		{"file:///..%2Fetc", false, true, "!holds", false},
		{"file:///C:/a/b", true, false, `C:\a\b`, false},
		{"file:///c:/a/", true, false, `c:\a`, true},
		{"file:///C:", true, false, `C:\`, false},
		{"file:///C:/", true, false, `C:\`, true},
		{"file:///", true, false, "!drive", false},
		{"file:////server/share/x", true, false, "!drive", false},
		{"file:///C%3A/x", true, false, `C:\x`, false},
		{"file:///x/y", true, false, "!drive", false},
		{"file:///C:/a%5Cb", true, false, "!holds", false},
		{"file:///C:/a:stream", true, false, "!holds", false},
		{"file:///C:/%5C%5Cserver", true, false, "!holds", false},
		{"file:///a/b", true, true, `a\b`, false},
		{"file:///C:/b", true, true, "!holds", false},
	} {
		f, err := Parse(locus.MustParse(c.url))
		if err != nil {
			t.Fatal(err)
		}
		name, directory, err := f.name(c.windows, c.rooted)
		if word, bad := strings.CutPrefix(c.want, "!"); bad {
			if err == nil || !strings.Contains(err.Error(), word) || !errors.Is(err, locus.ErrValue) {
				t.Errorf("%s: %q, %v; want %s", c.url, name, err, c.want)
			}
		} else if err != nil || name != c.want || directory != c.directory {
			t.Errorf("%s: %q (%v), %v; want %q", c.url, name, directory, err, c.want)
		}
	}
}
