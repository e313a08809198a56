package bnf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

// formatFindings formats findings as "rule@offset", with "?" after an impossible value, "~" after
// a suggestion and "!" after a note.
func formatFindings(list []locus.Violation) string {
	var b strings.Builder
	for _, v := range list {
		fmt.Fprintf(&b, " %s@%d%s", v.Rule, v.Offset, [...]string{"", "?", "~", "!"}[v.Kind])
	}
	return strings.TrimSpace(b.String())
}

func TestInternet(t *testing.T) {
	label := strings.Repeat("a", 64)
	for _, row := range []struct {
		text             string
		rfc1738, rfc1630 string
	}{
		{"ftp://h/", "", ""},
		{"ftp:h", "form@4", "form@4"},
		{"ftp:/h", "form@4", "form@4"},
		{"ftp:///", "empty-host@6", "empty-host@6"},
		{"ftp://u:p@h:8/", "", ""},
		{"ftp://u;?&=:p;?&=@h/", "", "character@7 character@8 character@9 character@10 character@13 character@14 character@15 character@16"},
		{"ftp://u~:p|:q@h/", "unsafe-character@7 unsafe-character@10 reserved-character@11", "unsafe-character@7 unsafe-character@10 character@11"},
		{"ftp://h:/", "empty-port@7", "empty-port@7"},
		{"ftp://h:0/", "port-zero@8?", "port-zero@8?"},
		{"ftp://h:00/", "port-zero@8?", "port-zero@8?"},
		{"ftp://h:007/", "", ""},
		{"ftp://h?q", "missing-slash@7", "missing-slash@7"},
		{"ftp://[::1]/", "ipv6-address@6", "ipv6-address@6"},
		{"ftp://1.2.3.4/", "", ""},
		{"ftp://256.2.3.4/", "address-octet@6?", "address-octet@6?"},
		{"ftp://1.2.3.0999/", "address-octet@12?", "address-octet@12?"},
		{"ftp://01.2.3.004/", "address-zeros@6! address-zeros@13!", "address-zeros@6! address-zeros@13!"},
		{"ftp://1.2.3/", "host@6", "host@6"},
		{"ftp://1.2.3.4.5/", "host@6", "host@6"},
		{"ftp://a.1/", "host@8", ""},
		{"ftp://3a.b/", "", "host@6"},
		{"ftp://-a.b-.c/", "host@6 host@9", "host@6"},
		// In the draft "." is an xalpha, so a dot may follow the first letter anywhere.
		{"ftp://a..b/", "host@8", ""},
		{"ftp://.a/", "host@6", "host@6"},
		{"ftp://a./", "host@7", ""},
		{"ftp://./", "host@6 host@6", "host@6"},
		{"ftp://,,,/", "host@6 host@7 host@8", "host@6"},
		{"ftp://%01%02/", "host@6 host@9", "host@6 host@6? host@9?"},
		{"ftp://a%01,b/", "host@7 host@10", "host@7?"},
		{"ftp://u:@h/", "", "empty@8"},
		{"ftp://:p@h/", "", "user@6"},
		{"ftp://a_b/", "host@7", ""},
		{"ftp://\xe9/", "not-us-ascii@6", "not-us-ascii@6"},
		{"ftp://h;a/", "missing-slash@7", "missing-slash@7"},
		{"ftp://" + label + ".a/", "long-label@6?", "long-label@6?"},
		{"ftp://" + strings.Repeat("a.", 127) + "a/", "long-host@6?", "long-host@6?"},
	} {
		u := locus.MustParse(row.text)
		for p, want := range map[locus.Profile]string{locus.RFC1738: row.rfc1738, locus.RFC1630: row.rfc1630} {
			f := bnf.Findings{URL: u, Profile: p}
			ok := f.Internet(bnf.Login{Section: "RFC 1738 3.2", User: true})
			list := f.List()
			if got := formatFindings(list); got != want {
				t.Errorf("%q, %v: %q, want %q", row.text, p, got, want)
			}
			if ok != strings.HasPrefix(row.text, "ftp://") {
				t.Errorf("%q: Internet says %v", row.text, ok)
			}
			for _, v := range list {
				if v.Section == "" || v.Help == "" || v.Text != "*" && !strings.HasPrefix(row.text[v.Offset:], v.Text) {
					t.Errorf("%q: %+v", row.text, v)
				}
			}
		}
		// Sound agrees with the findings, except for notes and the user.
		f := bnf.Findings{URL: u}
		f.Scheme()
		f.Internet(bnf.Login{User: true})
		if sound, want := bnf.Sound(u), locus.Conforms(f.List()); sound && !want {
			t.Errorf("%q: Sound says %v: %v", row.text, sound, f.List())
		}
	}
}

func TestLogin(t *testing.T) {
	for _, row := range []struct {
		text string
		rule bnf.Login
		want string
	}{
		{"http://u:p@h/", bnf.Login{}, "no-user@7"},
		{"http://@h/", bnf.Login{}, "no-user@7"},
		{"http://u:p@h/", bnf.Login{User: true}, ""},
		{"file:///", bnf.Login{NoHost: true}, ""},
		{"file://h_h/", bnf.Login{NoHost: true}, "host@8"},
		{"http://h?q", bnf.Login{NoSlash: true}, ""},
	} {
		f := bnf.Findings{URL: locus.MustParse(row.text)}
		f.Internet(row.rule)
		if got := formatFindings(f.List()); got != row.want {
			t.Errorf("%q, %+v: %q, want %q", row.text, row.rule, got, row.want)
		}
	}
	if bnf.SoundHostPort(locus.MustParse("http://u@h/")) || !bnf.SoundHostPort(locus.MustParse("http://h:8/")) {
		t.Error("SoundHostPort takes a user")
	}
}

func TestScheme(t *testing.T) {
	for text, want := range map[string]string{
		"http:x": "", "HTTP:x": "scheme-case@0", "1x:y": "scheme-letter@0!", "+X:y": "scheme-case@0 scheme-letter@0!", "x:y#a~": "unsafe-character@5", "x:#\xe9#": "not-us-ascii@3 unsafe-character@4",
	} {
		f := bnf.Findings{URL: locus.MustParse(text)}
		f.Scheme()
		if got := formatFindings(f.List()); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A finding about a password contains the offset, but no part of the password.
func TestFindingsHidePassword(t *testing.T) {
	u := locus.MustParse("ftp://user:Sec~ret@host/x")
	f := bnf.Findings{URL: u}
	f.Add("a", "s", 0, u.String(), "h")
	f.Add("b", "s", 6, "user:Sec~ret", "h")
	f.Add("c", "s", 11, "Sec~ret", "h")
	f.Add("d", "s", 14, "~ret@host", "h")
	f.Add("e", "s", 19, "host", "h")
	f.Chars("password", 11, "Sec~ret", octet.User)
	f.Error(u.Errorf(0, "ftpurl", "%w", locus.ErrForm), "s")
	f.Error(u.Errorf(12, "password", "%w", locus.ErrValue), "s")
	f.Error(fmt.Errorf("no syntax error"), "s")
	texts := map[string]string{"a": "ftp://user:", "b": "user:", "c": "*", "d": "*", "e": "host", "unsafe-character": "*", "form": "*"}
	list := f.List()
	if len(list) != 7 {
		t.Errorf("%v", list)
	}
	for _, v := range list {
		if v.Text != texts[v.Rule] || strings.Contains(v.Help, "%7E") {
			t.Errorf("%+v", v)
		}
	}
}

// An error at the offset of another finding is not a finding.
func TestError(t *testing.T) {
	u := locus.MustParse("x:abc")
	f := bnf.Findings{URL: u}
	f.Note("n", "s", 2, "a", "h")
	f.Error(u.Errorf(2, "part", "%w", locus.ErrForm), "s")
	f.Error(u.Errorf(2, "part", "%w", locus.ErrValue), "s")
	f.Error(u.Errorf(u.Len(), "part", "%w", locus.ErrForm), "s")
	if got, want := formatFindings(f.List()), "n@2! form@2 form@5"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestGroup(t *testing.T) {
	for text, want := range map[string]string{
		"": "group@2", "a": "", "comp.lang.c++_x-1": "", "3b": "group@2", "a/b": "character@3", "~": "unsafe-character@2", "a\xe9": "not-us-ascii@3", "+a": "group@2",
	} {
		f := bnf.Findings{URL: locus.MustParse("x:" + text)}
		f.Group(2, text)
		if got := formatFindings(f.List()); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if bnf.IsGroup(text) != (want == "") {
			t.Errorf("IsGroup(%q) = %v", text, bnf.IsGroup(text))
		}
	}
}

func TestOctet(t *testing.T) {
	const text = "a%2Fb%ff"
	var got []byte
	for i := 0; i < len(text); {
		if n := bnf.OctetOffset(text, len(got)); n != i {
			t.Errorf("octet %d is at %d, not %d", len(got), i, n)
		}
		o, size := bnf.Octet(text, i)
		got = append(got, o)
		i += size
	}
	if string(got) != "a/b\xff" {
		t.Errorf("%q", got)
	}
}
