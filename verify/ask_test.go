package verify

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	web "github.com/locus-url/locus/scheme/http"

	"github.com/locus-url/locus/scheme/all"
)

func TestParseStatuses(t *testing.T) {
	for text, want := range map[string][]Statuses{
		"403":                  {{403, 403}},
		"200..299, 403":        {{200, 299}, {403, 403}},
		"200..=299,100-103":    {{200, 299}, {100, 103}},
		"":                     nil,
		"40":                   nil,
		"4xx":                  nil,
		"300..200":             nil,
		"200..":                nil,
		"1000":                 nil,
		"-403":                 nil,
		"+40":                  nil,
		"200...299":            nil,
		"99999999999999999999": nil,
	} {
		got, err := ParseStatuses(text)
		if (err == nil) != (want != nil) || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func FuzzParseStatuses(f *testing.F) {
	f.Add("200..299,403")
	f.Add("100-103")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ParseStatuses(text)
		for _, r := range list {
			if err != nil || r.First < 100 || r.First > r.Last || r.Last > 999 {
				t.Errorf("%q: %v, %v", text, list, err)
			}
		}
	})
}

// Accepted statuses count as alive, and the Verifier sends no GET after such a status for HEAD.
// The store contains the original status.
func TestAccept(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("a.example", func(rw http.ResponseWriter, r *http.Request) {
		code := 0
		fmt.Sscan(r.URL.Path[1:], &code)
		rw.WriteHeader(code)
	})
	w.o.HTTP.Accept = []Statuses{{403, 404}, {500, 599}}
	w.o.Store = openTestStore(t, t.TempDir()+"/s")
	defer closeStore(t, w.o.Store)
	doc := textDoc("d", "http://a.example/403 http://a.example/404 http://a.example/503 http://a.example/410 http://a.example/429")
	w.want(w.run(doc), "d:1 http://a.example/403 alive 403", "d:1 http://a.example/404 alive 404", "d:1 http://a.example/503 alive 503",
		"d:1 http://a.example/410 dead 410", "d:1 http://a.example/429 warning 429")
	if n := strings.Count(strings.Join(w.requestedURLs(), " "), "/503"); n != 2 {
		t.Errorf("503 was requested %d times", n)
	}
	w.o.HTTP.Accept = nil
	w.want(w.run(doc)[:2], "d:1 http://a.example/403 warning 403", "d:1 http://a.example/404 dead 404")
}

// HEAD comes first, unless the options select GET.
func TestMethod(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("a.example", func(http.ResponseWriter, *http.Request) {})
	w.run(textDoc("d", "http://a.example/head"))
	w.o.HTTP.Get = true
	w.run(textDoc("d", "http://a.example/get"))
	if got, want := w.requestedURLs(), []string{"GET http://a.example/get", "HEAD http://a.example/head"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The limits in a rule apply only to the host of the rule.
func TestHostRules(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	var mu sync.Mutex
	active, most := map[string]int{}, map[string]int{}
	both := make(chan struct{})
	serve := func(name string) {
		w.serve(name, func(_ http.ResponseWriter, r *http.Request) {
			mu.Lock()
			active[name]++
			most[name] = max(most[name], active[name])
			if name == "b.example" && active[name] == 2 {
				close(both)
			}
			mu.Unlock()
			if name == "b.example" {
				<-both
			}
			mu.Lock()
			active[name]--
			mu.Unlock()
		})
	}
	serve("a.example")
	serve("b.example")
	w.serve("slow.example", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	rules, err := ParseRules(`
[[host]]
url = "a.example"
parallel = 1
rate = 100.0
[[host]]
url = "slow.example"
timeout = "50ms"
`)
	if err != nil {
		t.Fatal(err)
	}
	w.o.Rules, w.o.PerHost, w.o.Retry = rules, 2, access.None
	got := w.run(textDoc("d", "http://a.example/1 http://a.example/2 http://a.example/3 http://b.example/1 http://b.example/2 http://slow.example/"))
	w.want(got[5:], "d:1 http://slow.example/ warning")
	if most["a.example"] != 1 || most["b.example"] != 2 {
		t.Errorf("requests at once: %v", most)
	}
	if !strings.Contains(got[5].Detail, "time") && !strings.Contains(got[5].Detail, "deadline") {
		t.Errorf("%q", got[5].Detail)
	}
}

func TestBadHostRules(t *testing.T) {
	for text, says := range map[string]string{
		"[[host]]\nrate = 1.0":                                   "host number 1: no url",
		"[[host]]\nurl = \"h\"\nparallel = -1":                   "negative",
		"[[host]]\nurl = \"h\"\ntimeout = \"5\"":                 "invalid duration",
		"[[host]]\nurl = \"h\"\nkey = \"k\"":                     "key needs cert: set both",
		"[[host]]\nurl = \"h\"\nbearer = \"a\"\nbasic = \"b:c\"": "one of them",
		"[[host]]\nurl = \"h\"\nbasik = \"sesame\"":              "unknown key",
		"[[host]]\nurl = \"http://u:sesame@h/\"\nbearer = \"x\"": "password",
	} {
		if _, err := ParseRules(text); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// testCertificate returns a self-signed certificate for a host.
func testCertificate(t *testing.T, host string, from, to time.Duration) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: time.Now().Add(from), NotAfter: time.Now().Add(to), BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// secureFixture starts a TLS server for each name and certificate, and trusts all certificates
// except one.
func secureFixture(t *testing.T, certificates map[string]tls.Certificate, mistrust string, h http.HandlerFunc) *fixture {
	w := newFixture(t, policy.Rules{})
	roots := x509.NewCertPool()
	for name, c := range certificates {
		s := httptest.NewUnstartedServer(h)
		s.TLS = &tls.Config{Certificates: []tls.Certificate{c}}
		s.EnableHTTP2, s.Config.ErrorLog = true, log.New(io.Discard, "", 0)
		s.StartTLS()
		t.Cleanup(s.Close)
		address := fmt.Sprintf("1.1.1.%d", len(w.names))
		w.names[name], w.servers[address] = address, s.Listener.Addr().String()
		w.expose(s, address)
		if name != mistrust {
			roots.AddCert(c.Leaf)
			w.trusted = append(w.trusted, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Leaf.Raw})...)
		}
	}
	w.o.HTTP.Certificates = new(Certificates)
	opener := web.New(&web.Options{TLS: &tls.Config{RootCAs: roots, VerifyConnection: w.o.HTTP.Certificates.Record}})
	t.Cleanup(func() { opener.Close() })
	registry, err := all.Registry(web.Scheme(opener), web.SecureScheme(opener))
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.New(policy.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	w.client = access.New(registry, p, &access.Options{Lookup: w.lookup, Dial: w.dial})
	t.Cleanup(func() { w.client.Close() })
	return w
}

// TLS problems have their own verdict, with a description of the problem.
func TestTLSProblems(t *testing.T) {
	const day = 24 * time.Hour
	var mu sync.Mutex
	versions := map[string]int{}
	w := secureFixture(t, map[string]tls.Certificate{
		"good.example":    testCertificate(t, "good.example", -day, 400*day),
		"soon.example":    testCertificate(t, "soon.example", -day, 5*day+time.Hour),
		"expired.example": testCertificate(t, "expired.example", -20*day, -10*day-time.Hour),
		"early.example":   testCertificate(t, "early.example", 10*day, 20*day),
		"wrong.example":   testCertificate(t, "right.example", -day, day),
		"self.example":    testCertificate(t, "self.example", -day, day),
	}, "self.example", func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		versions[r.Host] = r.ProtoMajor
		mu.Unlock()
	})
	w.serve("plain.example", func(http.ResponseWriter, *http.Request) {})
	w.o.HTTP.Expiring = 30 * day
	names := []string{"good", "soon", "expired", "early", "wrong", "self", "plain"}
	var text strings.Builder
	for _, name := range names {
		fmt.Fprintf(&text, "https://%s.example/\n", name)
	}
	got := w.run(textDoc("d", text.String()))
	for i, want := range []struct {
		verdict Verdict
		says    string
	}{
		{Alive, ""}, {Warning, "the certificate of soon.example expires in 5 days, on "},
		{TLS, "the certificate expired 10 days ago, on "}, {TLS, "the certificate is not valid before "},
		{TLS, `the certificate is for "right.example", not for "wrong.example"`}, {TLS, "the certificate is self-signed"},
		{TLS, "the server does not speak TLS at this port"},
	} {
		if r := got[i]; r.Verdict != want.verdict || !strings.HasPrefix(r.Detail, want.says) || r.IsBad() != (want.verdict == TLS) || r.Tries != 1 {
			t.Errorf("%s: %v %q, want %v %q", names[i], r.Verdict, r.Detail, want.verdict, want.says)
		}
	}
	if versions["good.example"] != 2 {
		t.Errorf("HTTP/%d, and the server offers HTTP/2", versions["good.example"])
	}
	w.o.HTTP.Expiring = 0
	if r := w.run(textDoc("d", "https://soon.example/"))[0]; r.Verdict != Alive {
		t.Errorf("%+v", r)
	}
}

func TestCertificatesAreEmpty(t *testing.T) {
	var none *Certificates
	if _, ok := none.expiry("h"); ok {
		t.Error("nil has a certificate")
	}
	c := new(Certificates)
	if err := c.Record(tls.ConnectionState{ServerName: "h"}); err != nil || len(c.end) != 0 {
		t.Errorf("%v, %v", c.end, err)
	}
}

func TestGitHubAPI(t *testing.T) {
	base := locus.MustParse("https://api.github.com/")
	for path, want := range map[string]string{
		"o/r":                        "repos/o/r",
		"o/r/":                       "repos/o/r",
		"o/r.git":                    "repos/o/r",
		"o/r/blob/main/a%20b/c.md":   "repos/o/r/contents/a%20b/c.md?ref=main",
		"o/r/tree/v1/dir":            "repos/o/r/contents/dir?ref=v1",
		"o/r/tree/v1":                "repos/o/r/commits/v1",
		"o/r/commit/abc":             "repos/o/r/commits/abc",
		"o/r/issues/12":              "repos/o/r/issues/12",
		"o/r/pull/12":                "repos/o/r/pulls/12",
		"o/r/pull/12/files":          "repos/o/r/pulls/12",
		"o/r/releases":               "repos/o/r/releases?per_page=1",
		"o/r/releases/tag/v1":        "repos/o/r/releases/tags/v1",
		"o":                          "",
		"":                           "",
		"o/r/wiki":                   "",
		"o/r/issues":                 "",
		"o/r/issues/new":             "",
		"o/r/blob/main":              "",
		"o/r/blob/main/../x":         "",
		"o/r?tab=readme":             "",
		"orgs/o/people":              "",
		"features/actions":           "",
		"o/r/releases/download/v1/x": "",
		"o//r":                       "",
	} {
		got, ok := githubAPI(base, locus.MustParse("https://github.com/"+path))
		text := strings.TrimPrefix(got.String(), base.String())
		if text != want || ok != (want != "") {
			t.Errorf("%s: %q %v, want %q", path, text, ok, want)
		}
	}
	for _, u := range []string{"https://github.com:8443/o/r", "https://gist.github.com/o/r", "https://github.com.evil.example/o/r"} {
		if got, ok := githubAPI(base, locus.MustParse(u)); ok {
			t.Errorf("%s: %s", u, got)
		}
	}
	if got, ok := githubAPI(base, locus.MustParse("https://WWW.GitHub.com/o/r")); !ok || got.String() != "https://api.github.com/repos/o/r" {
		t.Errorf("%s", got)
	}
}

// The GitHub API confirms links. For other links, the page determines the outcome. If the API
// refuses a request, it gets no more requests.
func TestGitHub(t *testing.T) {
	w := newFixture(t, policy.Rules{TypedPrivate: true})
	w.serve("github.com", func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/o/moved":
			http.Redirect(rw, r, "/o/new", http.StatusMovedPermanently)
		case "/o/gone", "/o/r/blob/main/none":
			rw.WriteHeader(http.StatusNotFound)
		}
	})
	refuse := false
	w.serve("api.example", func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case refuse:
			rw.Header().Set("X-RateLimit-Remaining", "0")
			rw.WriteHeader(http.StatusForbidden)
		case r.URL.Path == "/repos/o/moved":
			http.Redirect(rw, r, "/repositories/1", http.StatusMovedPermanently)
		case r.URL.Path != "/repos/o/private" && r.URL.Path != "/repos/o/r/issues/1":
			rw.WriteHeader(http.StatusNotFound)
		}
	})
	w.o.HTTP.GitHub = locus.MustParse("http://api.example/")
	w.o.PerHost = 1
	doc := "http://github.com/o/private http://github.com/o/r/issues/1 http://github.com/o/moved http://github.com/o/gone http://github.com/o/unseen http://github.com/about"
	w.want(w.run(textDoc("d", doc)), "d:1 http://github.com/o/private alive", "d:1 http://github.com/o/r/issues/1 alive",
		"d:1 http://github.com/o/moved moved -> http://github.com/o/new for good", "d:1 http://github.com/o/gone dead 404",
		"d:1 http://github.com/o/unseen alive", "d:1 http://github.com/about alive")
	for _, r := range w.requestedURLs() {
		if strings.Contains(r, "github.com/o/private") || strings.Contains(r, "github.com/o/r/issues") {
			t.Errorf("%s: the API had confirmed it", r)
		}
	}
	w.requests, refuse = nil, true
	w.want(w.run(textDoc("d", "http://github.com/o/a http://github.com/o/b http://github.com/o/gone")), "d:1 http://github.com/o/a alive", "d:1 http://github.com/o/b alive", "d:1 http://github.com/o/gone dead 404")
	if n := strings.Count(strings.Join(w.requestedURLs(), "\n"), "api.example/repos/o/a"); n == 0 || strings.Contains(strings.Join(w.requestedURLs(), "\n"), "api.example/repos/o/b") {
		t.Errorf("%q", w.requestedURLs())
	}
}

// The client sends the header fields for a host only to that host, even after redirects.
func TestSecretsStayWithTheirHost(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	var mu sync.Mutex
	seen := map[string]string{}
	handle := func(rw http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen[r.Host+r.URL.Path] = r.Header.Get("Authorization") + r.Header.Get("X-Key") + r.Header.Get("Cookie")
		mu.Unlock()
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(rw, r, to, http.StatusFound)
		}
	}
	w.serve("own.example", handle)
	w.serve("else.example", handle)
	p, _ := policy.New(policy.Rules{})
	c := access.New(w.client.Registry(), p, &access.Options{Lookup: w.lookup, Dial: w.dial, HeaderFor: func(u locus.URL) http.Header {
		if u.Host() == "own.example" {
			return http.Header{"Authorization": {"Bearer sesame"}, "X-Key": {"sesame"}, "Cookie": {"a=sesame"}}
		}
		return nil
	}})
	defer c.Close()
	w.client = c
	w.run(textDoc("d", "http://own.example/a http://own.example/b?to=http://else.example/c http://else.example/d"))
	for path, want := range map[string]bool{"own.example/a": true, "own.example/b": true, "else.example/c": false, "else.example/d": false} {
		if text, asked := seen[path]; !asked || strings.Contains(text, "sesame") != want {
			t.Errorf("%s: %v %q", path, asked, text)
		}
	}
}

// For each page path, the API URL is below the base URL of the API.
func FuzzGitHubAPI(f *testing.F) {
	f.Add("o/r/blob/main/a%20b/c.md")
	f.Add("o/r/tree/v1?x=//evil.example/")
	f.Add("../..//o\\r/issues/1")
	f.Fuzz(func(t *testing.T, path string) {
		u, err := locus.Parse("https://github.com/" + path)
		if err != nil {
			return
		}
		base := locus.MustParse("https://api.github.com/")
		if api, ok := githubAPI(base, u); ok && (api.Host() != base.Host() || !strings.HasPrefix(api.String(), base.String()+"repos/") || strings.Contains(api.String(), "/../")) {
			t.Errorf("%q: %s", path, api)
		}
	})
}
