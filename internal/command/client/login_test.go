package client

import (
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/scheme"
)

func TestFindNetrc(t *testing.T) {
	const text = `# a remark: machine no.example login no password no
machine ftp.example.org login fred password s3cret
machine FTP.Example.NET
	login "two words"
	password "a \"quote\" and \\"
machine many.example login one password 1
machine many.example login two password 2 account x
machine nopass.example login only
macdef init
machine macro.example login no password no

machine after.example login a password b
default login anonymous password me@example.org
machine late.example login x password y
`
	tests := []struct {
		host, user string
		want       scheme.Credentials
		ok         bool
	}{
		{"ftp.example.org", "", scheme.Credentials{User: "fred", Password: "s3cret"}, true},
		{"FTP.example.org", "fred", scheme.Credentials{User: "fred", Password: "s3cret"}, true},
		{"ftp.example.org", "joe", scheme.Credentials{}, false},
		{"ftp.example.net", "", scheme.Credentials{User: "two words", Password: `a "quote" and \`}, true},
		{"many.example", "two", scheme.Credentials{User: "two", Password: "2"}, true},
		{"many.example", "", scheme.Credentials{User: "one", Password: "1"}, true},
		{"after.example", "", scheme.Credentials{User: "a", Password: "b"}, true},
		{"no.example", "", scheme.Credentials{User: "anonymous", Password: "me@example.org"}, true},
		{"macro.example", "", scheme.Credentials{User: "anonymous", Password: "me@example.org"}, true},
		{"nopass.example", "only", scheme.Credentials{}, false},
		{"late.example", "", scheme.Credentials{User: "anonymous", Password: "me@example.org"}, true},
		{"late.example", "x", scheme.Credentials{User: "x", Password: "y"}, true},
	}
	for _, test := range tests {
		c, ok, err := findNetrc(strings.NewReader(text), wanted{host: test.host, user: test.user})
		if c != test.want || ok != test.ok || err != nil {
			t.Errorf("%s, %q: %+v %v %v, want %+v", test.host, test.user, c, ok, err, test.want)
		}
	}
	if _, _, err := findNetrc(strings.NewReader(`machine x password "no end`), wanted{host: "x"}); err == nil {
		t.Error("a quote without end is no error")
	}
}

// A netrc entry applies to a host and, if the entry names a port, only to this port. After a
// redirect, an entry without a port does not apply to another port.
func TestFindNetrcPort(t *testing.T) {
	const text = `machine h port 2121 login a password port
machine h:8080 login b password colon
machine h login c password any
machine other.example:21 login d password d
default login anonymous password x
`
	for _, test := range []struct {
		w    wanted
		want string
	}{
		{wanted{host: "h", port: 2121}, "port"}, {wanted{host: "H", port: 2121, exact: true}, "port"},
		{wanted{host: "h", port: 8080}, "colon"}, {wanted{host: "h", port: 8080, exact: true}, "colon"},
		{wanted{host: "h", port: 80}, "any"}, {wanted{host: "h", port: 80, exact: true}, ""},
		{wanted{host: "other.example", port: 21}, "d"}, {wanted{host: "other.example", port: 22}, "x"}, {wanted{host: "other.example", port: 22, exact: true}, ""},
	} {
		if c, _, err := findNetrc(strings.NewReader(text), test.w); c.Password != test.want || err != nil {
			t.Errorf("%+v: %q, %v, want c.Password %q and no error", test.w, c.Password, err, test.want)
		}
	}
}

func FuzzFindNetrc(f *testing.F) {
	for _, seed := range []string{"", "machine", "machine h login u password p", "default password \"p\\\"", "macdef x\n\nmachine h", "#", "machine h password \""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, ok, err := findNetrc(strings.NewReader(text), wanted{host: "h"})
		if ok && (err != nil || c.Password == "") || !ok && c != (scheme.Credentials{}) {
			t.Errorf("%+v, %v, %v, want a password if found, and nothing otherwise", c, ok, err)
		}
	})
}

// Concurrent transfers prompt for a login only once.
func TestLoginRemembered(t *testing.T) {
	l := NewLogin(&base.App{Getenv: func(string) string { return "" }})
	q := scheme.Question{URL: locus.MustParse("ftp://FTP.example.org/a"), Realm: "r"}
	want := scheme.Credentials{User: "u", Password: "p"}
	l.answers[server{"ftp", "ftp.example.org", 0, "", "r"}] = want
	if c, ok, err := l.Ask(t.Context(), q); c != want || !ok || err != nil {
		t.Errorf("Ask() = %+v %v %v, want c %+v, ok true and no error", c, ok, err, want)
	}
	q.Attempt = 1
	if _, ok, _ := l.Ask(t.Context(), q); ok {
		t.Error("an answer that was refused is given again")
	}
}

func TestQuestion(t *testing.T) {
	q := scheme.Question{URL: locus.MustParse("http://u:s3cret@h/x"), Realm: "a\x1b[2J", Attempt: 1}
	if got, want := loginQuestion(q), "The login was rejected. http://h requires a login for \"a\\\\x1b[2J\".\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
