package get_test

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
	"github.com/locus-url/locus/cmd/locus/internal/commandtest"
	"github.com/locus-url/locus/internal/command/base"
)

// If a server redirects to another port on the same host, the client does not send the netrc login
// of the host. It sends the login only if netrc names this port.
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
		commandtest.Run(t, func(a *base.App) {
			a.Getenv = func(key string) string { return map[string]string{"NETRC": name, "HOME": dir}[key] }
		}, append(test.args, "--allow-private")...)
		if got := strings.Join(seen, " "); got != test.want {
			t.Errorf("%v with %q: the other port got %q, want %q", test.args, test.entry, got, test.want)
		}
	}
	name := filepath.Join(dir, "netrc")
	if err := os.WriteFile(name, []byte("machine "+u.Host()+" login fred password s3cret"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := func(a *base.App) { a.Getenv = func(key string) string { return map[string]string{"NETRC": name}[key] } }
	if got := commandtest.Run(t, env, "get", "--allow-private", hops.URL+"/same"); got.Out != "s3cret" {
		t.Errorf("after a redirect to the same port: %+v", got)
	}
	// The client does not use a netrc file that other users can read or change.
	for _, mode := range []os.FileMode{0o644, 0o640, 0o620, 0o602} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		got := commandtest.Run(t, env, "get", "--allow-private", thief.URL+"/", thief.URL+"/x")
		if runtime.GOOS == "windows" {
			continue
		}
		if got.Status != base.StatusAccess || strings.Count(got.Err, "chmod 600") != 1 {
			t.Errorf("mode %o: %+v", mode, got)
		}
	}
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
	write := func(text string) func(*base.App) {
		name := filepath.Join(t.TempDir(), "netrc")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return func(a *base.App) {
			a.Getenv = func(key string) string { return map[string]string{"NETRC": name}[key] }
		}
	}
	if got := runGet(t, write("machine "+host+" login fred password s3cret"), server.URL); got.Out != "come in" || got.Status != 0 {
		t.Errorf("runGet(%q) = %+v, want out %q and status 0", server.URL, got, "come in")
	}
	// Without a terminal, the command does not prompt.
	got := runGet(t, write("machine "+host+" login fred password wrong"), "-v", server.URL)
	if got.Out != "" || got.Status != base.StatusAccess {
		t.Errorf("runGet(-v, %q) = %+v, want no out and status %d", server.URL, got, base.StatusAccess)
	}
	if all := got.Out + got.Err; strings.Contains(all, "wrong") || strings.Contains(all, "s3cret") || strings.Contains(all, "ZnJlZDp") {
		t.Errorf("a password is shown: %s", all)
	}
}
