package ftp

import (
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme"
)

func TestVectors(t *testing.T) { bnftest.Vectors(t, "../../testdata/rfc1738-3.2.txt", Scheme(nil)) }

func TestConforming(t *testing.T) {
	invariants.Conforming(t,
		"ftp://host.dom", "ftp://host.dom/", "ftp://host.dom//etc/motd", "ftp://host.dom/%2Fetc/motd;type=A", "ftp://host.dom/a%20b/;type=d",
		"ftp://u%40x:p%2Fw@host.dom:2121/a/b/c", "ftp://@host.dom/", "ftp://foo:@host.com/", "ftp://:@1.2.3.4/?x", "ftp://h/../%2E./x")
}

func TestFindings(t *testing.T) {
	invariants.Findings(t, locus.RFC1738, [][2]string{
		{"ftp://h/a;b;type=z", "reserved-character@9 typecode@11"},
		{"ftp://h/a;b;type=I", "reserved-character@9"},
		{"ftp://h/x;type=an", "typecode@15"},
		{"ftp://h/x~;type=d", "unsafe-character@9"},
		{"ftp://u:p%0A@h/%0d%0A/%00x", "value@9? value@15? value@22?"},
		{"ftp:///x", "empty-host@6"},
		{"ftp://h:/x", "empty-port@7"},
		{"ftp://h?x", "missing-slash@7"},
		{"ftp:x", "form@4"},
		{"Ftp://h/\xe9", "scheme-case@0 not-us-ascii@8"},
	})
	invariants.Findings(t, locus.RFC1630, [][2]string{
		{"ftp://h", "missing-slash@7"},
		{"ftp://h/a//b", "empty-segment@10"},
		{"ftp://h/a;type=AT", ""},
		{"ftp://h/a;type=E", ""},
		{"ftp://h/a;type=L36", ""},
		{"ftp://h/a;type=L", "typecode@9"},
		{"ftp://h/a;type=AX", "typecode@9"},
		{"ftp://h/a;type=d", "typecode@15"},
		{"ftp://h/a=b", "reserved-character@9"},
		{"ftp://h/a&b@c", ""},
	})
}

func TestFindingsHideThePassword(t *testing.T) {
	for _, v := range check(locus.MustParse("ftp://u:s%0Aecret~@h/"), locus.RFC1738) {
		if strings.ContainsAny(v.Text+v.Help, "~%") {
			t.Errorf("%+v", v)
		}
	}
}

func TestSpellings(t *testing.T) {
	invariants.Spellings(t, []bnftest.Spelling{
		{"ftp://h/a", "ftp://h/a", 0},
		{"ftp://h", "ftp://h/", locus.EmptyPath},
		{"ftp://h#", "ftp://h/", locus.EmptyPath | locus.VoidFragment},
		{"FTP://H:21/a;Type=I", "ftp://h/a;type=i", locus.SchemeCase | locus.HostCase | locus.DefaultPort | locus.Typecode},
		{"ftp://h/a;b", "ftp://h/a%3Bb", locus.MissingEscape},
		{"ftp://h/a%3bb/%2f%2E%2E", "ftp://h/a%3Bb/%2F..", locus.EscapeCase | locus.NeedlessEscape},
		{"ftp://h/a;%74ype=a", "ftp://h/a%3Btype=a", locus.MissingEscape | locus.NeedlessEscape},
		{"ftp://h/a/../b/./", "ftp://h/a/../b/./", 0},
		{"ftp://anonymous@h/", "ftp://anonymous@h/", 0},
		{"ftp://h/a?b%3Fc", "ftp://h/a?b%3Fc", 0},
	})
	u, change, err := SecureScheme(nil).Syntax.Canonical(locus.MustParse("ftps://h:990/a"))
	if err != nil || u.String() != "ftps://h/a" || change != locus.DefaultPort {
		t.Errorf("%q %q %v", u, change, err)
	}
}

func TestURL(t *testing.T) {
	u := mustParse(t, "ftp://al%40ice:p%2Fw@h/a%20b/%2F/;type=D#x")
	invariants.Text(t, u.URL().String())
	user, hasUser := u.User()
	password, hasPassword := u.Password()
	if user != "al@ice" || password != "p/w" || !hasUser || !hasPassword {
		t.Errorf("user %q %v, password %q %v", user, hasUser, password, hasPassword)
	}
	if !slices.Equal(u.CWD(), []string{"a b", "/"}) || u.Name() != "" || u.Typecode() != 'd' || u.Secure() {
		t.Errorf("cwd %q, name %q, typecode %c", u.CWD(), u.Name(), u.Typecode())
	}
	for _, c := range []struct {
		text          string
		user          bool
		password      bool
		typecode      byte
		draftTypecode string
	}{
		{"ftp://h/", false, false, 0, ""},
		{"ftp://@h/", true, false, 0, ""},
		{"ftps://:@h/x;type=a", true, true, 'a', ""},
		{"ftp://h/x;type=at", false, false, 0, "AT"},
	} {
		u, err := Parse(locus.MustParse(c.text))
		_, hasUser := u.User()
		_, hasPassword := u.Password()
		if err != nil || hasUser != c.user || hasPassword != c.password || u.Typecode() != c.typecode || u.DraftTypecode() != c.draftTypecode {
			t.Errorf("%s: %+v %v", c.text, u, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	invariants.Refuses(t, []bnftest.Refusal{
		{"ftp:", "h/x", "ftpurl", locus.ErrForm},
		{"ftps:", "x", "ftpurl", locus.ErrForm},
		{"ftp://h", "?x", "ftpurl", locus.ErrForm},
	})
	_, err := Parse(locus.MustParse("http://h/"))
	bnftest.Refused(t, "http://h/", err, "ftpurl", 0, locus.ErrForm)
}

func TestParts(t *testing.T) {
	for _, c := range []struct {
		parts Parts
		want  string
	}{
		{Parts{Host: "h"}, "ftp://h/"},
		{Parts{Host: "h", Port: 2121, CWD: []string{"", "etc"}, Name: "motd"}, "ftp://h:2121//etc/motd"},
		{Parts{Host: "h", CWD: []string{"/etc"}, Name: "a;b?c d\xff%", Typecode: 'a'}, "ftp://h/%2Fetc/a%3Bb%3Fc%20d%FF%25;type=a"},
		{Parts{Scheme: "ftps", Host: "h", User: new(""), Password: new("p:w"), CWD: []string{"a"}, Typecode: 'd'}, "ftps://:p%3Aw@h/a/;type=d"},
	} {
		u, err := c.parts.URL()
		if err != nil || u.URL().String() != c.want {
			t.Errorf("%+v: %q, %v; want %q", c.parts, u.URL(), err, c.want)
			continue
		}
		if !slices.Equal(u.CWD(), c.parts.CWD) || u.Name() != c.parts.Name || u.Typecode() != c.parts.Typecode {
			t.Errorf("%+v: read back as %q %q %c", c.parts, u.CWD(), u.Name(), u.Typecode())
		}
	}
	for _, p := range []Parts{
		{Host: "h", Name: "a\r\nDELE x"}, {Host: "h", CWD: []string{"a\x00"}}, {Host: "h", User: new("a\nb")}, {Host: "h", Typecode: 'z'},
		{Host: "h/x"}, {Host: "h", Password: new("p")}, {Scheme: "http", Host: "h"},
	} {
		if u, err := p.URL(); bnftest.Made(t, p, err) {
			t.Errorf("%+v: %q", p, u.URL())
		}
	}
}

func TestEntries(t *testing.T) {
	for _, c := range []struct {
		entry  scheme.Scheme
		name   string
		port   uint16
		status scheme.Status
	}{{Scheme(New(nil)), "ftp", 21, scheme.Standard}, {SecureScheme(New(nil)), "ftps", 990, scheme.Extension}} {
		if c.entry.Name != c.name || c.entry.Port != c.port || c.entry.Status != c.status || c.entry.Access.Opener == nil {
			t.Errorf("%+v", c.entry)
		}
	}
	if Scheme(nil).Access.Opener == nil {
		t.Error("no default client")
	}
}
