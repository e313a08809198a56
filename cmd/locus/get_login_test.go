package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/locus-url/locus"
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

// An entry belongs to a host and, if it names one, to a port; one without a port is
// not carried to another by a redirect.
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
			t.Errorf("%+v: %q, %v", test.w, c.Password, err)
		}
	}
}

// A server that redirects to another port of its machine does not get the login that
// netrc has for the machine; it does if netrc names that port.
func TestNetrcRedirect(t *testing.T) {
	var seen []string
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, ok := r.BasicAuth(); ok {
			seen = append(seen, password)
			io.WriteString(w, "in")
			return
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer thief.Close()
	hops := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/same" {
			http.Redirect(w, r, "/again", http.StatusFound)
			return
		}
		if _, password, ok := r.BasicAuth(); ok && r.URL.Path == "/again" {
			io.WriteString(w, password)
			return
		} else if r.URL.Path == "/again" {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		http.Redirect(w, r, thief.URL+"/", http.StatusFound)
	}))
	defer hops.Close()
	u := locus.MustParse(thief.URL)
	port, _ := u.PortText()
	dir := t.TempDir()
	for _, test := range []struct {
		args  []string
		entry string
		want  string
	}{
		{[]string{"get", hops.URL + "/"}, "machine " + u.Host() + " login fred password s3cret", ""},
		{[]string{"open", hops.URL + "/"}, "machine " + u.Host() + " login fred password s3cret", ""},
		{[]string{"verify", "--retry", "0", "--rate", "0", "--no-cache", hops.URL + "/"}, "machine " + u.Host() + " login fred password s3cret", ""},
		{[]string{"get", hops.URL + "/"}, "default login fred password s3cret", ""},
		{[]string{"get", hops.URL + "/"}, "machine " + u.Host() + ":" + port + " login fred password s3cret", "s3cret"},
		{[]string{"get", thief.URL + "/"}, "machine " + u.Host() + " login fred password s3cret", "s3cret"},
	} {
		name := filepath.Join(dir, "netrc")
		if err := os.WriteFile(name, []byte(test.entry), 0o600); err != nil {
			t.Fatal(err)
		}
		seen = nil
		run(t, func(a *app) {
			a.env = func(key string) string { return map[string]string{"NETRC": name, "HOME": dir}[key] }
		}, append(test.args, "--allow-private")...)
		if got := strings.Join(seen, " "); got != test.want {
			t.Errorf("%v with %q: the other port got %q, want %q", test.args, test.entry, got, test.want)
		}
	}
	name := filepath.Join(dir, "netrc")
	if err := os.WriteFile(name, []byte("machine "+u.Host()+" login fred password s3cret"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := func(a *app) { a.env = func(key string) string { return map[string]string{"NETRC": name}[key] } }
	if got := run(t, env, "get", "--allow-private", hops.URL+"/same"); got.out != "s3cret" {
		t.Errorf("after a redirect to the same port: %+v", got)
	}
	// A file that others can read or change is not used.
	for _, mode := range []os.FileMode{0o644, 0o640, 0o620, 0o602} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		got := run(t, env, "get", "--allow-private", thief.URL+"/", thief.URL+"/x")
		if runtime.GOOS == "windows" {
			continue
		}
		if got.status != statusAccess || strings.Count(got.err, "chmod 600") != 1 {
			t.Errorf("mode %o: %+v", mode, got)
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
			t.Errorf("%+v, %v, %v", c, ok, err)
		}
	})
}

func TestNetrc(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "fred" || password != "s3cret" {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		io.WriteString(w, "come in")
	}))
	defer server.Close()
	host := locus.MustParse(server.URL).Host()
	write := func(text string) func(*app) {
		name := filepath.Join(t.TempDir(), "netrc")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return func(a *app) {
			a.env = func(key string) string { return map[string]string{"NETRC": name}[key] }
		}
	}
	if got := get(t, write("machine "+host+" login fred password s3cret"), server.URL); got.out != "come in" || got.status != 0 {
		t.Errorf("%+v", got)
	}
	// Nobody is asked where nobody looks.
	got := get(t, write("machine "+host+" login fred password wrong"), "-v", server.URL)
	if got.out != "" || got.status != statusAccess {
		t.Errorf("%+v", got)
	}
	if all := got.out + got.err; strings.Contains(all, "wrong") || strings.Contains(all, "s3cret") || strings.Contains(all, "ZnJlZDp") {
		t.Errorf("a password is shown: %s", all)
	}
}

// An answer is asked for once, not by each of several transfers.
func TestLoginRemembered(t *testing.T) {
	l := newLogin(&app{env: func(string) string { return "" }})
	q := scheme.Question{URL: locus.MustParse("ftp://FTP.example.org/a"), Realm: "r"}
	want := scheme.Credentials{User: "u", Password: "p"}
	l.answers[server{"ftp", "ftp.example.org", 0, "", "r"}] = want
	if c, ok, err := l.ask(t.Context(), q); c != want || !ok || err != nil {
		t.Errorf("%+v %v %v", c, ok, err)
	}
	q.Attempt = 1
	if _, ok, _ := l.ask(t.Context(), q); ok {
		t.Error("an answer that was refused is given again")
	}
}

func TestQuestion(t *testing.T) {
	q := scheme.Question{URL: locus.MustParse("http://u:s3cret@h/x"), Realm: "a\x1b[2J", Attempt: 1}
	if got, want := loginQuestion(q), "That was refused. http://h wants a login for \"a\\\\x1b[2J\".\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
