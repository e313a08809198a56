package http

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/certtest"
	"github.com/locus-url/locus/scheme"
)

const cookieFile = "# Netscape HTTP Cookie File\n\n" +
	".example.com\tTRUE\t/\tFALSE\t0\tall\t1\n" +
	"example.com\tFALSE\t/deep\tFALSE\t4102444800\tdeep\t2\r\n" +
	"#HttpOnly_example.com\tFALSE\t/\tTRUE\t0\tsafe\t3\n" +
	"example.com\tFALSE\t/\tFALSE\t1\told\t4\n" +
	"other.example\tFALSE\t/\tFALSE\t0\tother\t\n"

func TestParseCookies(t *testing.T) {
	jar, err := ParseCookies(cookieFile)
	if err != nil {
		t.Fatal(err)
	}
	for u, want := range map[string]string{
		"http://example.com/":        "all=1",
		"http://example.com/deep/x":  "deep=2 all=1",
		"https://example.com/":       "all=1 safe=3",
		"http://www.example.com/":    "all=1",
		"http://example.com.evil/":   "",
		"http://notexample.com/":     "",
		"http://other.example:8080/": "other=",
		"http://sub.other.example/":  "",
	} {
		n, err := url.Parse(u)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range jar.Cookies(n) {
			got = append(got, c.Name+"="+c.Value)
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: %q, want %q", u, text, want)
		}
	}
}

// An error in a cookie file must contain the line number, but no cookie.
func TestBadCookies(t *testing.T) {
	for line, says := range map[string]string{
		"sesame": "7 fields",
		"h.example\tTRUE\t/\tFALSE\tsoon\tsesame\tsesame":   "the time",
		"h.example\tTRUE\tx\tFALSE\t0\tsesame\tsesame":      `"/"`,
		"h ex\tTRUE\t/\tFALSE\t0\tsesame\tsesame":           "the domain",
		"h.example\tTRUE\t/\tFALSE\t0\tses ame\tsesame":     "character",
		"h.example\tTRUE\t/\tFALSE\t0\ta\tsesame\x00sesame": "character",
	} {
		_, err := ParseCookies("# a comment\n" + line + "\n")
		if err == nil || !strings.Contains(err.Error(), "line 2: ") || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "same") {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// A server must not be able to fill the jar without limit.
func TestJarIsBounded(t *testing.T) {
	jar, err := ParseCookies("h.example\tFALSE\t/\tFALSE\t0\town\t1\n")
	if err != nil {
		t.Fatal(err)
	}
	u := &url.URL{Scheme: "http", Host: "h.example", Path: "/"}
	jar.SetCookies(u, []*http.Cookie{{Name: "long", Value: strings.Repeat("a", 4096)}, {Name: "short", Value: "1"}})
	for i := range 50 {
		var list []*http.Cookie
		for k := range 100 {
			list = append(list, &http.Cookie{Name: "n" + strconv.Itoa(i*100+k), Value: "1"})
		}
		jar.SetCookies(u, list)
	}
	got := jar.Cookies(u)
	if len(got) != 3001 || slices.ContainsFunc(got, func(c *http.Cookie) bool { return c.Name == "long" }) {
		t.Errorf("%d cookies", len(got))
	}
}

// The client must send the jar's cookies only to their host, and must store the cookies of a
// response in the jar.
func TestJar(t *testing.T) {
	var seen []string
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.URL.Path+" "+r.Header.Get("Cookie"))
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "9", Path: "/in"})
	})
	jar, err := ParseCookies("127.0.0.1\tFALSE\t/\tFALSE\t0\ta\tsesame\nelse.example\tTRUE\t/\tFALSE\t0\tb\tsesame\n")
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, &Options{Jar: jar})
	for _, path := range []string{"/", "/in/x"} {
		readOnce(t, c, base+path, new(dialer))
	}
	if want := []string{"/ a=sesame", "/in/x session=9; a=sesame"}; !slices.Equal(seen, want) {
		t.Errorf("%q, want %q", seen, want)
	}
}

// The client must send a client certificate only to the host for which it is configured.
func TestClientCertificate(t *testing.T) {
	own, err := certtest.New()
	if err != nil {
		t.Fatal(err)
	}
	known := x509.NewCertPool()
	known.AddCert(own.Leaf)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TLS.PeerCertificates) == 0 {
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	s.TLS = &tls.Config{ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: known}
	s.EnableHTTP2, s.Config.ErrorLog = true, discardLog
	s.StartTLS()
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	trust := &tls.Config{RootCAs: roots}
	for _, name := range []string{"127.0.0.1", "else.example"} {
		c := newClient(t, &Options{TLS: trust, Certificate: func(host string, port uint16) *tls.Certificate {
			if host == name && strings.HasSuffix(s.URL, ":"+strconv.Itoa(int(port))) {
				return &own
			}
			return nil
		}})
		r, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse(s.URL + "/"), Dial: new(dialer)})
		if err == nil {
			r.Close()
		}
		if shown := err == nil; shown != (name == "127.0.0.1") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParseCookies(f *testing.F) {
	f.Add(cookieFile)
	f.Add("#HttpOnly_\tTRUE\t/\tTRUE\t-1\ta\tb\n")
	f.Add("127.0.0.1\tTRUE\t/\tTRUE\t9223372036854775807\t\t\n")
	f.Add("a.example\tTRUE\t/\tFALSE\t0\ta\t\"b\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		jar, err := ParseCookies(text)
		if err != nil {
			return
		}
		for _, c := range jar.Cookies(&url.URL{Scheme: "https", Host: "a.example", Path: "/"}) {
			if strings.ContainsAny(c.Name+c.Value, "\r\n\x00;") {
				t.Errorf("%q", c)
			}
		}
	})
}

// A server may set cookies for its own domain, but not for a public suffix.
func TestCookiesOfPublicSuffix(t *testing.T) {
	for domain, want := range map[string]bool{"evil.co.uk": true, "co.uk": false, "uk": false} {
		jar, err := ParseCookies("")
		if err != nil {
			t.Fatal(err)
		}
		jar.SetCookies(&url.URL{Scheme: "http", Host: "www.evil.co.uk", Path: "/"}, []*http.Cookie{{Name: "a", Value: "1", Domain: domain}})
		for host, sent := range map[string]bool{"www.evil.co.uk": want, "evil.co.uk": want, "other.co.uk": false} {
			if got := len(jar.Cookies(&url.URL{Scheme: "http", Host: host, Path: "/"})) > 0; got != sent {
				t.Errorf("a cookie for %s is sent to %s: %v, want %v", domain, host, got, sent)
			}
		}
	}
}

// cookieChain implements [scheme.Cookies]. It returns all cookies that it has stored.
type cookieChain struct{ kept []string }

func (c *cookieChain) Header(locus.URL) string          { return strings.Join(c.kept, "; ") }
func (c *cookieChain) Set(_ locus.URL, fields []string) { c.kept = append(c.kept, fields...) }

// The client must send the cookies in Request.Cookies in addition to the cookies in
// Request.Header. If there is a jar, the client must send only the jar's cookies, because the
// jar contains the same cookies.
func TestCookiesOfChain(t *testing.T) {
	var seen []string
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Get("Cookie"))
		http.SetCookie(w, &http.Cookie{Name: fmt.Sprint("k", len(seen)), Value: "1"})
	})
	jar, err := ParseCookies("")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		jar    http.CookieJar
		header map[string][]string
		want   []string
	}{
		{nil, nil, []string{"", "k1=1"}},
		{nil, map[string][]string{"Cookie": {"own=x"}}, []string{"own=x", "own=x; k1=1"}},
		{jar, nil, []string{"", "k1=1"}},
	} {
		seen = nil
		client, cookies := newClient(t, &Options{Jar: c.jar}), new(cookieChain)
		for range 2 {
			res, err := client.Open(t.Context(), &scheme.Request{URL: locus.MustParse(base + "/"), Dial: new(dialer), Cookies: cookies, Header: c.header})
			if err != nil {
				t.Fatal(err)
			}
			res.Close()
		}
		if !slices.Equal(seen, c.want) || !slices.Equal(cookies.kept, []string{"k1=1", "k2=1"}) {
			t.Errorf("sent %q, kept %q; want %q", seen, cookies.kept, c.want)
		}
	}
}
