package verify_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/locus-url/locus/internal/certtest"
	verifycommand "github.com/locus-url/locus/internal/command/verify"
)

// recordingServer is a server that records the requests, and redirects to the URL in the query.
type recordingServer struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string // "METHOD /path secrets"
}

func startAsked(t *testing.T) *recordingServer {
	t.Helper()
	a := new(recordingServer)
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := r.Header
		a.mu.Lock()
		a.seen = append(a.seen, strings.TrimSpace(fmt.Sprint(r.Method, " ", r.URL.Path, " ", strings.TrimSpace(h.Get("Authorization")+" "+h.Get("X-Key")+" "+h.Get("Cookie")))))
		a.mu.Unlock()
		switch {
		case r.URL.RawQuery != "":
			http.Redirect(w, r, r.URL.RawQuery, http.StatusFound)
		case strings.HasPrefix(r.URL.Path, "/login") && h.Get("Authorization") == "":
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
		case strings.HasPrefix(r.URL.Path, "/none"), strings.HasPrefix(r.URL.Path, "/repos/o/none"):
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(a.Close)
	return a
}

func (a *recordingServer) take() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := a.seen
	a.seen = nil
	slices.Sort(list)
	return list
}

func (a *recordingServer) host() string { return strings.TrimPrefix(a.URL, "http://") }

func writeIn(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const (
	secretValue  = "Xq7Zw9Vk" // value of each secret in the tests
	secretPart   = "Zw9"
	secretBase64 = "dTpYcTdadzlWaw==" // u:Xq7Zw9Vk
)

// Secrets in flags, the environment, rules and cookies reach only their host, and no output shows
// a secret.
func TestVerifySecrets(t *testing.T) {
	own, other := startAsked(t), startAsked(t)
	dir := t.TempDir()
	doc := writeIn(t, dir, "doc.txt", fmt.Sprintf("%[1]s/a %[1]s/none %[1]s/?%[2]s/from-own %[2]s/x %[2]s/?%[1]s/from-other\n%[1]s/login\n", own.URL, other.URL))
	cookies := writeIn(t, dir, "cookies", fmt.Sprintf("elsewhere.example\tFALSE\t/\tFALSE\t0\ta\t%s\n", secretValue))
	rules := writeIn(t, dir, "rules.toml", fmt.Sprintf("[[host]]\nurl = \"%s\"\nbearer = \"env:TOKEN\"\nheaders = { X-Key = \"$KEY\" }\n", own.host()))
	basic := writeIn(t, dir, "basic.toml", fmt.Sprintf("[[host]]\nurl = \"%s\"\nbasic = \"env:LOGIN\"\n", own.host()))
	value := writeIn(t, dir, "value", secretValue+"\n")
	lines := writeIn(t, dir, "lines", own.host()+": X-Key: "+secretValue+"\n")
	env := map[string]string{"TOKEN": secretValue, "KEY": secretValue, "LOGIN": "u:" + secretValue, "HOME": dir}
	for _, row := range []struct {
		args []string
		want string // secrets that the host receives with each request
	}{
		{[]string{"--header", own.host() + ": X-Key: $KEY"}, secretValue},
		{[]string{"--header", own.host() + ": X-Key: ${KEY}"}, secretValue},
		{[]string{"--header", own.host() + ": X-Key: env:KEY"}, secretValue},
		{[]string{"--header", own.host() + ": X-Key: @" + value}, secretValue},
		{[]string{"--header", "@" + lines}, secretValue},
		{[]string{"--header", own.host() + ": Authorization: Bearer $TOKEN"}, "Bearer " + secretValue},
		{[]string{"--header", own.host() + ": Cookie: s=" + secretValue}, "s=" + secretValue},
		{[]string{"--rules", rules}, "Bearer " + secretValue + " " + secretValue},
		{[]string{"--rules", basic}, "Basic " + secretBase64},
	} {
		for _, format := range verifycommand.FormatNames() {
			out, errOut, status := runVerify(t, t.Context(), env, append([]string{"--no-cache", "--allow-private", "--all", "--rate", "0", "--cookies", cookies, "--format", format, doc}, row.args...)...)
			if status != 1 || strings.Contains(out+errOut, secretPart) || strings.Contains(out+errOut, secretBase64) {
				t.Fatalf("%q as %s: status %d\n%s%s, want status 1, no %q in out + errOut and no %q in out + errOut", row.args, format, status, out, errOut, secretPart, secretBase64)
			}
			mine := own.take()
			for _, path := range []string{"HEAD /a", "HEAD /none", "GET /none", "HEAD /", "HEAD /from-other"} {
				if !slices.Contains(mine, path+" "+row.want) {
					t.Fatalf("%q: %q has no %q", row.args, mine, path+" "+row.want)
				}
			}
			if got, want := other.take(), []string{"HEAD /", "HEAD /from-own", "HEAD /x"}; !slices.Equal(got, want) {
				t.Fatalf("%q: another host got %q", row.args, got)
			}
		}
	}
}

// The client sends a login from netrc only after a server requests authentication.
func TestVerifyNetrc(t *testing.T) {
	s := startAsked(t)
	dir := t.TempDir()
	writeIn(t, dir, ".netrc", "machine 127.0.0.1 login u password "+secretValue+"\n")
	doc := writeIn(t, dir, "doc.txt", s.URL+"/a "+s.URL+"/login\n")
	out, errOut, status := runVerify(t, t.Context(), map[string]string{"HOME": dir}, "--no-cache", "--allow-private", "--all", "--rate", "0", doc)
	want := []string{"HEAD /a", "HEAD /login", "HEAD /login Basic " + secretBase64}
	if got := s.take(); status != 0 || !slices.Equal(got, want) || strings.Contains(out+errOut, secretPart) {
		t.Errorf("take() = status %d, %q\n%s%s, want status 0, %q and no %q in out + errOut", status, got, out, errOut, want, secretPart)
	}
}

// The client sends cookies as the fields in the cookie file specify.
func TestVerifyCookies(t *testing.T) {
	s := startAsked(t)
	dir := t.TempDir()
	cookies := writeIn(t, dir, "c", "# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/in\tFALSE\t0\ta\t"+secretValue+"\n")
	doc := writeIn(t, dir, "doc.txt", s.URL+"/in/x "+s.URL+"/out\n")
	out, errOut, status := runVerify(t, t.Context(), nil, "--allow-private", "--all", "--cookies", cookies, doc)
	if got, want := s.take(), []string{"HEAD /in/x a=" + secretValue, "HEAD /out"}; status != 0 || !slices.Equal(got, want) || strings.Contains(out+errOut, secretPart) {
		t.Errorf("runVerify(--allow-private, --all, --cookies, %q, %q) = status %d, %q\n%s%s, want status 0, %q and no %q in out + errOut", cookies, doc, status, got, out, errOut, want, secretPart)
	}
}

// Invalid request settings cause status 2, and the messages show no secret.
func TestVerifyAskMistakes(t *testing.T) {
	dir := t.TempDir()
	doc := writeIn(t, dir, "doc.txt", "x")
	bad := writeIn(t, dir, "cookies", "h.example\t"+secretValue+"\n")
	for _, row := range []struct {
		says string
		args []string
	}{
		{`environment variable "NO_KEY" is not set`, []string{"--header", "h.example: X: $NO_KEY"}},
		{`environment variable "NO_KEY" is not set`, []string{"--header", "h.example: X: env:NO_KEY"}},
		{"no such file", []string{"--header", "h.example: X: @" + dir + "/none"}},
		{"control character", []string{"--header", "h.example: X: " + secretValue + "\r\nY: 1"}},
		{"Host is set by the client", []string{"--header", "h.example: Host: " + secretValue}},
		{"offset 0: write", []string{"--header", "h./.example.: X: " + secretValue}},
		{"all hosts", []string{"--header", "Authorization: " + secretValue}},
		{"line 1: a cookie needs 7 fields", []string{"--cookies", bad}},
		{"no such file", []string{"--cookies", dir + "/none"}},
		{"without a host, each host", []string{"--cert", "client.pem"}},
		{"there is no --cert", []string{"--key", "h.example: key.pem"}},
		{"is not a host", []string{"--cert", "http://h.example/x: client.pem"}},
		{"no such file", []string{"--cert", "h.example: " + dir + "/none.pem"}},
		{"is not a status code", []string{"--accept", "4xx"}},
		{"ends before it begins", []string{"--accept", "300..200"}},
		{"choose head or get", []string{"--method", "POST"}},
		{"can't be negative", []string{"--tls-days", "-1"}},
		{"omit both to allow all addresses", []string{"-4", "-6"}},
	} {
		out, errOut, status := runVerify(t, t.Context(), nil, append(row.args, doc)...)
		if status != 2 || !strings.Contains(errOut, row.says) || strings.Contains(out+errOut, secretPart) {
			t.Errorf("%q: status %d, %s, want status 2, %q in errOut and no %q in out + errOut", row.args, status, errOut, row.says, secretPart)
		}
	}
}

// A rules file that no flag names can't use secrets, because the author of the documents may have
// written the file.
func TestVerifyRulesOfOthers(t *testing.T) {
	s := startAsked(t)
	dir := t.TempDir()
	t.Chdir(dir)
	doc := writeIn(t, dir, "doc.txt", s.URL+"/a\n")
	rules := writeIn(t, dir, ".locus-verify.toml", "[[host]]\nurl = \"127.0.0.1\"\nbearer = \"env:TOKEN\"\n")
	env := map[string]string{"TOKEN": secretValue}
	if _, errOut, status := runVerify(t, t.Context(), env, "--allow-private", doc); status != 2 || !strings.Contains(errOut, "only if --rules names the file") || len(s.take()) > 0 {
		t.Errorf("runVerify(--allow-private, %q) = status %d, %s, want status 2, %q in errOut and no s.take()", doc, status, errOut, "only if --rules names the file")
	}
	if _, errOut, status := runVerify(t, t.Context(), env, "--allow-private", "--rules", rules, doc); status != 0 || !slices.Equal(s.take(), []string{"HEAD /a Bearer " + secretValue}) {
		t.Errorf("runVerify(--allow-private, --rules, %q, %q) = status %d, %s, want status 0 and s.take() %q", rules, doc, status, errOut, []string{"HEAD /a Bearer " + secretValue})
	}
	writeIn(t, dir, ".locus-verify.toml", "[[host]]\nurl = \"127.0.0.1\"\nrate = 5.0\n")
	if _, errOut, status := runVerify(t, t.Context(), env, "--allow-private", doc); status != 0 {
		t.Errorf("runVerify(--allow-private, %q) = status %d, %s, want status 0", doc, status, errOut)
	}
}

// With GITHUB_TOKEN, the API confirms links to GitHub, and the client sends the token to no other
// host.
func TestVerifyGitHubToken(t *testing.T) {
	api, other := startAsked(t), startAsked(t)
	dir := t.TempDir()
	doc := writeIn(t, dir, "doc.txt", "https://github.com/o/r https://github.com/o/r/issues/1 "+other.URL+"/x\n")
	config := writeIn(t, dir, "config.toml", "[verify]\ngithub = \""+api.URL+"/\"\n")
	env := map[string]string{"GITHUB_TOKEN": secretValue}
	out, errOut, status := runVerify(t, t.Context(), env, "--config", config, "--allow-private", "--json", doc)
	if status != 0 || strings.Count(out, `"alive"`) != 3 || strings.Contains(out+errOut, secretPart) {
		t.Errorf("runVerify(--config, %q, --allow-private, --json, %q) = status %d\n%s%s, want status 0 and no %q in out + errOut", config, doc, status, out, errOut, secretPart)
	}
	if got, want := api.take(), []string{"HEAD /repos/o/r Bearer " + secretValue, "HEAD /repos/o/r/issues/1 Bearer " + secretValue}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := other.take(); !slices.Equal(got, []string{"HEAD /x"}) {
		t.Errorf("take() = %q, want %q", got, []string{"HEAD /x"})
	}
	config = writeIn(t, dir, "config.toml", "[verify]\ngithub = \"http://api.example/\"\n")
	if _, errOut, status := runVerify(t, t.Context(), env, "--config", config, doc); status != 2 || !strings.Contains(errOut, "only over TLS") {
		t.Errorf("runVerify(--config, %q, %q) = status %d, %s, want status 2 and %q in errOut", config, doc, status, errOut, "only over TLS")
	}
}

// The client sends the certificate of --cert to the given host.
func TestVerifyClientCertificate(t *testing.T) {
	c, err := certtest.New()
	if err != nil {
		t.Fatal(err)
	}
	key, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	locus, err := exec.LookPath("locus")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile := writeIn(t, dir, "c.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]})))
	keyFile := writeIn(t, dir, "k.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})))
	known := x509.NewCertPool()
	known.AddCert(c.Leaf)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TLS.PeerCertificates) == 0 {
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	s.TLS = &tls.Config{ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: known, Certificates: []tls.Certificate{c}}
	s.StartTLS()
	defer s.Close()
	host := strings.TrimPrefix(s.URL, "https://")
	doc := writeIn(t, dir, "doc.txt", s.URL+"/\n")
	rules := writeIn(t, dir, "rules.toml", "[[host]]\nurl = \""+host+"\"\ncert = \"c.pem\"\nkey = \"k.pem\"\n")
	for _, row := range []struct {
		want string
		args []string
	}{
		{"warning", nil},
		{"alive", []string{"--cert", host + ": " + certFile, "--key", host + ": " + keyFile}},
		{"alive", []string{"--rules", rules}},
		{"warning", []string{"--cert", "else.example: " + certFile, "--key", "else.example: " + keyFile}},
	} {
		cmd := append([]string{"verify", "--no-cache", "--allow-private", "--json", doc}, row.args...)
		p := exec.Command(locus, cmd...)
		p.Env = append(os.Environ(), "SSL_CERT_FILE="+certFile)
		// The exit status depends on the link.
		if out, _ := p.CombinedOutput(); !strings.Contains(string(out), `"verdict":"`+row.want+`"`) {
			t.Errorf("%q: %s, want %q in out", row.args, out, `"verdict":"`+row.want+`"`)
		}
	}
}
