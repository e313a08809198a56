package file

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
)

func TestVectors(t *testing.T) { bnftest.Vectors(t, "../../testdata/rfc1738-3.10.txt", Scheme(nil)) }

func TestParse(t *testing.T) {
	for _, c := range []struct {
		url, host string
		local     bool
		segments  []string
	}{
		{"file://vms.host.edu/disk$user/my/notes/note12345.txt", "vms.host.edu", false, []string{"disk$user", "my", "notes", "note12345.txt"}},
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
		{"file:/a%20b/c", "", true, []string{"a b", "c"}}, // RFC 8089 section 2
		{"FILE:/", "", true, []string{""}},
	} {
		invariants.Text(t, c.url)
		f := bnftest.MustParse(t, Parse, c.url)
		if f.Host() != c.host || f.Local() != c.local || !slices.Equal(f.Segments(), c.segments) {
			t.Errorf("%s: host %q (%v), segments %q", c.url, f.Host(), f.Local(), f.Segments())
		}
		made, err := Parts{Host: f.Host(), Segments: c.segments}.URL()
		invariants.Remade(t, f.URL(), made.URL(), err)
	}
}

func TestParseRefuses(t *testing.T) {
	invariants.Refuses(t, []bnftest.Refusal{
		{"file:", "x", "fileurl", locus.ErrForm},
		{"file:", "", "fileurl", locus.ErrForm},
		{"file://h", "", "fpath", locus.ErrForm},
		{"file://", "", "fpath", locus.ErrForm},
		{"file://h", "?x", "fpath", locus.ErrForm},
		{"file://", "u@h/x", "host", locus.ErrForm},
		{"file://", "u:secret@h/x", "host", locus.ErrForm},
		{"file://h", ":80/x", "host", locus.ErrForm},
		{"file://h", ":/x", "host", locus.ErrForm},
	})
	u := locus.MustParse("http://h/x")
	_, err := Parse(u)
	bnftest.Refused(t, u, err, "fileurl", 0, locus.ErrForm)
	_, _, err = canonical(u)
	bnftest.Refused(t, u, err, "fileurl", 0, locus.ErrForm)
}

// No error or finding may contain a password.
func TestPasswordHidden(t *testing.T) {
	u := locus.MustParse("file://u:secret@h/x")
	if _, err := Parse(u); err == nil || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
	for _, p := range []locus.Profile{locus.RFC1738, locus.RFC1630} {
		for _, v := range check(u, p) {
			if strings.Contains(v.String(), "secret") {
				t.Errorf("%v: %v", p, v)
			}
		}
	}
}

func TestParts(t *testing.T) {
	for _, c := range []struct {
		parts Parts
		url   string
	}{
		{Parts{}, "file:///"},
		{Parts{Host: "h"}, "file://h/"},
		{Parts{Segments: []string{"a b", "c/d", "e?f", "g;h", ""}}, "file:///a%20b/c%2Fd/e%3Ff/g%3Bh/"},
		{Parts{Segments: []string{"~\xff"}, Fragment: new("a b")}, "file:///%7E%FF#a%20b"},
	} {
		f, err := c.parts.URL()
		if err != nil || f.URL().String() != c.url {
			t.Errorf("%+v: %q, %v; want %q", c.parts, f.URL(), err, c.url)
		}
	}
	for _, bad := range []Parts{{Host: "h/x"}, {Host: "u@h"}, {Host: "h:1"}, {Host: "h#"}} {
		if f, err := bad.URL(); bnftest.Made(t, bad, err) {
			t.Errorf("%+v makes %q", bad, f.URL())
		}
	}
}

func TestFindings(t *testing.T) {
	invariants.Findings(t, locus.RFC1738, [][2]string{
		{"file:/x", "form@5 no-slashes@5!"},
		{"file:/~%00", "form@5 no-slashes@5! unsafe-character@6 nul@7?"},
		{"file:x", "form@5"},
		{"file://h", "missing-slash@8"},
		{"file://h?x", "missing-slash@8"},
		{"file://h:80/x", "no-port@8"},
		{"file://h:0/x", "no-port@8 port-zero@9?"},
		{"file://u@h/x", "no-user@7"},
		{"file:///a;b", "reserved-character@9"},
		{"file:///~a|", "unsafe-character@8 unsafe-character@10"},
		{"file:///a%00b", "nul@9?"},
		{"file:///a%2fb", "encoded-slash@9!"},
		{"FILE:///x", "scheme-case@0"},
		{"file://-h/x", "host@7"},
	})
	if list := check(locus.MustParse("file:/etc/motd"), locus.RFC1738); list[0].Help != "write file:///etc/motd" {
		t.Errorf("help: %v", list)
	}
}

func TestSpellings(t *testing.T) {
	invariants.Spellings(t, []bnftest.Spelling{
		{"file:///x", "file:///x", 0},
		{"file:/x", "file:///x", locus.FormFields},
		{"file:/%41#b", "file:///A#b", locus.FormFields | locus.NeedlessEscape},
		{"file://localhost/x", "file:///x", locus.Localhost},
		{"file://LOCALHOST/x", "file:///x", locus.Localhost},
		{"file://VMS.host.edu/x", "file://vms.host.edu/x", locus.HostCase},
		{"file:///a/./../b", "file:///a/./../b", 0},
		{"file:///%7e%41%2f%3b", "file:///%7EA%2F%3B", locus.EscapeCase | locus.NeedlessEscape},
		{"file:///~", "file:///%7E", locus.MissingEscape},
		{"file:///x#", "file:///x", locus.VoidFragment},
		{"file:///a;b", "file:///a;b", 0},
	})
}

func TestNoAllocations(t *testing.T) {
	texts := []string{"file://vms.host.edu/disk$user/my/notes/note12345.txt", "file:///usr/share/doc/a%20b"}
	invariants.Conforming(t, append(texts, "file:///etc/motd", "file://h/a?b", "file:///a%20b")...)
	for _, text := range texts {
		u := locus.MustParse(text)
		bnftest.NoAllocations(t, u, "Parse", func() { Parse(u) })
	}
	u := locus.MustParse("file:///usr/share/doc")
	bnftest.NoAllocations(t, u, "Canonical", func() { canonical(u) })
}

func TestName(t *testing.T) {
	for _, c := range []struct {
		url             string
		windows, rooted bool
		want            string // "!" and a word mean an error
		directory       bool
	}{
		{"file:///", false, false, "/", true},
		{"file:///a/b", false, false, "/a/b", false},
		{"file:///a/b/", false, false, "/a/b", true},
		{"file:////a", false, false, "//a", false},
		{"file:///a/../b", false, false, "/a/../b", false},
		{"file:///a%5Cb:c", false, false, `/a\b:c`, false},
		{"file:///a%2Fb", false, false, "!cannot contain", false},
		{"file:///a%00", false, false, "!NUL", false},
		{"file:///", false, true, ".", true},
		{"file:////etc/passwd", false, true, "etc/passwd", false},
		{"file:///a/b/", false, true, "a/b", true},
		{"file:///a/./b", false, true, "a/./b", false},
		{"file:///a/../b", false, true, "!root", false},
		{"file:///a/%2E%2e", false, true, "!root", false},
		{"file:///..%2Fetc", false, true, "!cannot contain", false},
		{"file:///C:/a/b", true, false, `C:\a\b`, false},
		{"file:///c:/a/", true, false, `c:\a`, true},
		{"file:///C:", true, false, `C:\`, false},
		{"file:///C:/", true, false, `C:\`, true},
		{"file:///", true, false, "!drive", false},
		{"file:////server/share/x", true, false, "!drive", false},
		{"file:///C%3A/x", true, false, `C:\x`, false},
		{"file:///x/y", true, false, "!drive", false},
		{"file:///C:/a%5Cb", true, false, "!cannot contain", false},
		{"file:///C:/a:stream", true, false, "!cannot contain", false},
		{"file:///C:/%5C%5Cserver", true, false, "!cannot contain", false},
		{"file:///a/b", true, true, `a\b`, false},
		{"file:///C:/b", true, true, "!cannot contain", false},
	} {
		name, directory, err := bnftest.MustParse(t, Parse, c.url).name(c.windows, c.rooted, "")
		if word, bad := strings.CutPrefix(c.want, "!"); bad {
			if err == nil || !strings.Contains(err.Error(), word) || !errors.Is(err, locus.ErrValue) {
				t.Errorf("%s: %q, %v; want %s", c.url, name, err, c.want)
			}
		} else if err != nil || name != c.want || directory != c.directory {
			t.Errorf("%s: %q (%v), %v; want %q", c.url, name, directory, err, c.want)
		}
	}
}
