package telnet_test

import (
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme/telnet"
)

func TestSection3_8(t *testing.T) {
	bnftest.Vectors(t, "../../testdata/rfc1738-3.8.txt", telnet.Schemes(nil)[0])
}

func TestParse(t *testing.T) {
	invariants(telnet.Schemes(nil)[0]).Fields(t, [][2]string{
		{"telnet://user:password@host.dom:23/", `user="user" password="password"`},
		{"telnet://user@host.dom", `user="user" password=<nil>`},
		{"telnet://host.dom/", `user=<nil> password=<nil>`},
		{"telnet://@h", `user="" password=<nil>`},
		{"telnet://foo:@h", `user="foo" password=""`},
		{"telnet://:pw@h", `user="" password="pw"`},
		{"telnet://a%40b%3a:c%2525@h", `user="a@b:" password="c%25"`},
	})
	invariants(telnet.Schemes(nil)[1]).Fields(t, [][2]string{{"rlogin://a%0D@h", `user="a\r" password=<nil>`}})
	invariants(telnet.Schemes(nil)[2]).Fields(t, [][2]string{{"TN3270://h/x#f", `user=<nil> password=<nil>`}})
}

func TestParseRefuses(t *testing.T) {
	invariants(telnet.Schemes(nil)[0]).Refuses(t, []bnftest.Refusal{
		{"telnet:", "host.dom", "login", locus.ErrForm},
		{"telnet:", "", "login", locus.ErrForm},
		{"telnet://", "/", "host", locus.ErrForm},
		{"telnet://user@", "/", "host", locus.ErrForm},
		{"telnet://h", "?x", "telneturl", locus.ErrForm},
		{"", "ssh://h/", "scheme", locus.ErrForm},
	})
}

// TestAdvice checks that Advice rejects user names that a program could read as an option, or a
// terminal as a command.
func TestAdvice(t *testing.T) {
	for _, row := range []struct {
		text, user string
		offset     int // offset of the expected error; -1 if Advice must return the name
	}{
		{"telnet://user:pw@h", "user", -1},
		{"telnet://h", "", -1},
		{"telnet://:pw@h", "", -1},
		{"telnet://a%20b%2Dc%7E@h", "a b-c~", -1},
		{"telnet://%A0%FE@h", "\xa0\xfe", -1},
		{"telnet://a-f@h", "a-f", -1},
		{"telnet://-froot@h", "", 9},
		{"telnet://%2Dfroot@h", "", 9},
		{"rlogin://%2d@h", "", 9},
		{"telnet://a%0D%0Ab@h", "", 10},
		{"telnet://%00@h", "", 9},
		{"telnet://a%1B%5B2J@h", "", 10},
		{"telnet://a%7F@h", "", 10},
		{"telnet://a%80@h", "", 10},
		{"telnet://a%9F@h", "", 10},
		{"telnet://a%FF%F4@h", "", 10},
	} {
		x := bnftest.MustParse(t, telnet.Parse, row.text)
		user, err := x.Advice()
		if row.offset < 0 {
			if user != row.user || err != nil {
				t.Errorf("%q: %q, %v", row.text, user, err)
			}
			continue
		}
		bnftest.Refused(t, row.text, err, "user", row.offset, locus.ErrValue)
		if user != "" {
			t.Errorf("%q: %q beside an error", row.text, user)
		}
	}
}

// TestPasswordHidden checks that errors and findings do not contain the password.
func TestPasswordHidden(t *testing.T) {
	x := bnftest.MustParse(t, telnet.Parse, "telnet://-f:s3cret@h/")
	if _, err := x.Advice(); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Error(err)
	}
	for _, v := range telnet.Schemes(nil)[0].Syntax.Check(locus.MustParse("telnet://-f:s3cret~|@h/x"), locus.RFC1738) {
		if strings.Contains(v.String(), "s3cret") {
			t.Error(v)
		}
	}
}

func TestParts(t *testing.T) {
	text := func(s string) *string { return &s }
	for _, row := range []struct {
		parts telnet.Parts
		want  string // empty if URL must return an error
	}{
		{telnet.Parts{Host: "host.dom"}, "telnet://host.dom/"},
		{telnet.Parts{Scheme: "rlogin", User: text("a@b"), Host: "h", Port: 514}, "rlogin://a%40b@h:514/"},
		{telnet.Parts{Scheme: "tn3270", User: text(""), Password: text("p:/%"), Host: "h"}, "tn3270://:p%3A%2F%25@h/"},
		{telnet.Parts{}, ""},
		{telnet.Parts{Host: "h", Password: text("x")}, ""},
		{telnet.Parts{Host: "h/x"}, ""},
		{telnet.Parts{Scheme: "http", Host: "h"}, ""},
	} {
		x, err := row.parts.URL()
		if x.URL().String() != row.want || (err == nil) != (row.want != "") {
			t.Errorf("%+v: %q, %v", row.parts, x.URL(), err)
		}
		if err != nil {
			continue
		}
		user, ok := x.User()
		if ok != (row.parts.User != nil) || ok && user != *row.parts.User {
			t.Errorf("%+v: user %q, %v", row.parts, user, ok)
		}
		password, ok := x.Password()
		if ok != (row.parts.Password != nil) || ok && password != *row.parts.Password {
			t.Errorf("%+v: password %q, %v", row.parts, password, ok)
		}
	}
}

func TestPorts(t *testing.T) {
	for i, port := range []uint16{23, 513, 23} {
		if s := all()[i].Scheme; s.Port != port {
			t.Errorf("%s: port %d", s.Name, s.Port)
		}
	}
}
