package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/gateway"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme/all"
)

// archivedRecord returns a WARC record.
func archivedRecord(kind, u, date, media, body string) string {
	return fmt.Sprintf("WARC/1.1\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Date: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", kind, u, date, media, len(body), body)
}

func archivedPage(u, date, body string) string {
	return archivedRecord("response", u, date, "application/http; msgtype=response", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"+body)
}

// evil is active content with header fields that would give it more rights.
const evil = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>`

func evilRecord(name, media string) string {
	return archivedRecord("response", "http://evil.example/"+name, "2001-01-01T00:00:00Z", "application/http; msgtype=response", "HTTP/1.1 200 OK\r\nContent-Type: "+media+
		"\r\nSet-Cookie: a=b\r\nAccess-Control-Allow-Origin: *\r\nContent-Security-Policy: default-src *\r\nX-Content-Type-Options: none\r\n\r\n"+evil)
}

const oldMenu = "iKept\t\t\t\r\n0About\t/about\tg.example\t70\r\n7Find\t/find\tg.example\t70\r\n.\r\n"

// archivedGateway starts a gateway that serves an archive. If the gateway dials a server,
// the test fails.
func archivedGateway(t *testing.T, live bool) *httptest.Server {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.warc")
	text := archivedPage("http://h.example/", "2001-01-01T00:00:00Z", "<script>alert(1)</script><a href=/next onclick=x()>one</a>") +
		archivedPage("http://h.example/", "2002-01-01T00:00:00Z", "<a href=/next>two</a><img src=i.png>") +
		archivedPage("http://h.example/", "2003-01-01T00:00:00Z", "three") +
		archivedPage("http://h.example/next", "2001-01-01T00:00:05Z", "next one") + archivedPage("http://h.example/next", "2003-01-01T00:00:00Z", "next three") +
		archivedRecord("response", "http://h.example/moved", "2001-01-01T00:00:00Z", "application/http; msgtype=response", "HTTP/1.1 302 Found\r\nLocation: /sub/page\r\n\r\n") +
		archivedPage("http://h.example/sub/page", "2001-01-01T00:00:00Z", "<a href=other>x</a>") +
		archivedRecord("response", "http://h.example/gone", "2001-01-01T00:00:00Z", "application/http; msgtype=response", "HTTP/1.1 404 Not Found\r\n\r\n") +
		archivedRecord("resource", "gopher://g.example/", "2001-01-01T00:00:00Z", "application/octet-stream", oldMenu) +
		archivedRecord("resource", "gopher://g.example/0/about", "2001-01-01T00:00:00Z", "text/plain", "about it") +
		evilRecord("a.svg", "image/svg+xml") + evilRecord("a.js", "text/javascript") + evilRecord("a.html", "text/html") +
		archivedPage("http://127.0.0.2/", "2001-01-01T00:00:00Z", "not this machine") +
		archivedRecord("resource", "file:///etc/motd", "2001-01-01T00:00:00Z", "text/plain", "kept file")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	store, err := archive.Open(t.Context(), registry, []string{name}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.New(policy.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	c := access.New(registry, p, &access.Options{Archive: store, Live: live, Dial: func(_ context.Context, _, address string) (net.Conn, error) {
		t.Errorf("dials %s", address)
		return nil, errors.New("no network")
	}})
	g, err := gateway.New(c, &gateway.Options{Archive: store, Live: live})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(g)
	t.Cleanup(func() {
		s.Close()
		g.Close()
		c.Close()
		store.Close()
	})
	return s
}

// ask requests a path without following redirects. The parameter fields contains header
// names and values in turns.
func ask(t *testing.T, s *httptest.Server, path string, fields ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(fields); i += 2 {
		req.Header.Set(fields[i], fields[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// wantParts tests that a page contains each given part. It must not contain a part with the
// prefix "!".
func wantParts(t *testing.T, what, page string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if text, isAbsent := strings.CutPrefix(part, "!"); strings.Contains(page, text) == isAbsent {
			_, main, _ := strings.Cut(page, "<main")
			t.Errorf("%s: %s in %.1500s", what, part, main)
		}
	}
}

func TestArchivedPages(t *testing.T) {
	s := archivedGateway(t, false)
	resp, body := ask(t, s, "/http/h.example/")
	if resp.StatusCode != 200 || resp.Header.Get("Memento-Datetime") != "Wed, 01 Jan 2003 00:00:00 GMT" || resp.Header.Get("Vary") != "Accept-Datetime" {
		t.Error(resp.Status, resp.Header)
	}
	wantParts(t, "last", body, "three", "Archived <time", `title="2002-01-01">Earlier`, ">First</a>", "3 times", "!Later")
	resp, body = ask(t, s, "/?url=http://h.example/&at=2001")
	if resp.Header.Get("Memento-Datetime") != "Mon, 01 Jan 2001 00:00:00 GMT" {
		t.Error(resp.Header)
	}
	// Links select the same time, and scripts are removed.
	wantParts(t, "first", body, ">one</a>", ">Later</a>", ">Last</a>", "!Earlier", "url=http%3A%2F%2Fh.example%2Fnext&amp;at=20010101000000", "!alert(1)", "!onclick")
	_, body = ask(t, s, "/?url=http://h.example/next&at=20010101000000")
	wantParts(t, "next", body, "next one")
	// The target of an archived redirect is the base of links.
	_, body = ask(t, s, "/?url=http://h.example/moved&at=2001")
	wantParts(t, "moved", body, "h.example%2Fsub%2Fother")
	_, body = ask(t, s, "/gopher/g.example/")
	wantParts(t, "menu", body, `href="/gopher/g.example/0/about"`, "Archived <time", "once")
	_, body = ask(t, s, "/gopher/g.example/0/about")
	wantParts(t, "text", body, "about it")
	_, body = ask(t, s, "/gopher/g.example/7/find")
	wantParts(t, "search", body, "Words to search for", "!Archived <time")
	_, body = ask(t, s, "/file//etc/motd")
	wantParts(t, "file", body, "kept file")
	for path, want := range map[string]int{"/http/h.example/none": 404, "/http/h.example/gone": 404, "/file//etc/passwd": 404, "/telnet/h.example/": 404, "/?url=http://h.example/&at=x": 400, "/-/timemap?url=http://x.example/": 404, "/-/kept?url=http://x.example/": 404, "/-/kept?url=:": 400} {
		if resp, body := ask(t, s, path); resp.StatusCode != want {
			t.Errorf("%s: %s, %s", path, resp.Status, body)
		}
	}
}

func TestArchivedRaw(t *testing.T) {
	s := archivedGateway(t, false)
	for path, want := range map[string]string{
		"/-/raw/gopher/g.example/0/about":                  "about it",
		"/-/raw/http/h.example/":                           "three",
		"/-/raw?url=http://h.example/&at=20020101000000":   "<a href=/next>two</a><img src=i.png>",
		"/-/raw?url=http%3A%2F%2Fh.example%2Fnext&at=1999": "next one",
	} {
		resp, body := ask(t, s, path)
		if resp.StatusCode != 200 || body != want || !strings.Contains(resp.Header.Get("Content-Security-Policy"), "sandbox") || resp.Header.Get("Memento-Datetime") == "" {
			t.Errorf("%s: %s, %q, %v", path, resp.Status, body, resp.Header)
		}
	}
	// Active content is sent in a sandbox, as without an archive.
	for _, path := range []string{"a.svg", "a.js", "a.html"} {
		resp, body := ask(t, s, "/-/raw/http/evil.example/"+path)
		if h := resp.Header; body != evil || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cross-Origin-Resource-Policy") != "same-origin" ||
			h.Get("Content-Security-Policy") != "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'; frame-ancestors 'self'" || h.Get("Set-Cookie") != "" || h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %q, %v", path, body, h)
		}
		if resp, body := ask(t, s, "/-/raw/http/evil.example/"+path, "Sec-Fetch-Dest", "script"); resp.StatusCode != http.StatusForbidden || strings.Contains(body, "alert") {
			t.Errorf("%s as a script: %s", path, resp.Status)
		}
		_, body = ask(t, s, "/http/evil.example/"+path)
		wantParts(t, path, body, "!<script>alert", "!<svg xmlns")
	}
	// For a private host, only archived resources are available.
	for path, want := range map[string]string{"/-/raw/http/127.0.0.2/": "not this machine", "/-/raw/file//etc/motd": "kept file"} {
		if _, body := ask(t, s, path); body != want {
			t.Errorf("%s: %q", path, body)
		}
	}
	if resp, _ := ask(t, s, "/-/raw/file//etc/passwd"); resp.StatusCode != http.StatusNotFound {
		t.Error(resp.Status)
	}
}

// The answers to a form select the archived resource for the time of the form's page.
func TestArchivedForm(t *testing.T) {
	s := archivedGateway(t, false)
	resp, body := ask(t, s, "/?url=gopher://g.example/7/find&at=2001")
	wantParts(t, "form", body, `action="/-/submit?at=20010101000000"`)
	_, rest, _ := strings.Cut(body, `name="token" value="`)
	token, _, _ := strings.Cut(rest, `"`)
	for at, want := range map[string]string{
		"?at=20010101000000": "/?url=gopher%3A%2F%2Fg.example%2F7%2Ffind%2509words&at=20010101000000", "": "/gopher/g.example/7/find%09words",
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/-/submit"+at, strings.NewReader(url.Values{"url": {"gopher://g.example/7/find"}, "token": {token}, "f0": {"words"}}.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for _, c := range resp.Cookies() {
			req.AddCookie(c)
		}
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := resp.Header.Get("Location"); got != want {
			t.Errorf("%q: %s %s", at, resp.Status, got)
		}
	}
}

// The negotiation of RFC 7089.
func TestMemento(t *testing.T) {
	s := archivedGateway(t, false)
	resp, _ := ask(t, s, "/http/h.example/", "Accept-Datetime", "Fri, 01 Feb 2002 00:00:00 GMT")
	memento := s.URL + "/?url=http%3A%2F%2Fh.example%2F&at=20020101000000"
	if resp.StatusCode != http.StatusFound || resp.Header.Get("Location") != memento || resp.Header.Get("Vary") != "Accept-Datetime" || resp.Header.Get("Memento-Datetime") != "" {
		t.Error(resp.Status, resp.Header)
	}
	resp, body := ask(t, s, strings.TrimPrefix(memento, s.URL))
	wantParts(t, "memento", body, ">two</a>")
	at := func(stamp string) string { return "<" + s.URL + "/?url=http%3A%2F%2Fh.example%2F&at=" + stamp + ">" }
	want := `<http://h.example/>; rel="original", <` + s.URL + `/http/h.example/>; rel="timegate", <` + s.URL + `/-/timemap?url=http%3A%2F%2Fh.example%2F>; rel="timemap"; type="application/link-format", ` +
		at("20010101000000") + `; rel="first prev memento"; datetime="Mon, 01 Jan 2001 00:00:00 GMT", ` +
		at("20020101000000") + `; rel="memento"; datetime="Tue, 01 Jan 2002 00:00:00 GMT", ` +
		at("20030101000000") + `; rel="next last memento"; datetime="Wed, 01 Jan 2003 00:00:00 GMT"`
	if got := resp.Header.Get("Link"); got != want || resp.Header.Get("Vary") != "" {
		t.Errorf("%s\nwant %s", got, want)
	}
	resp, _ = ask(t, s, "/-/raw/http/h.example/", "Accept-Datetime", "Fri, 01 Feb 1980 00:00:00 GMT")
	if resp.Header.Get("Location") != s.URL+"/-/raw?url=http%3A%2F%2Fh.example%2F&at=20010101000000" {
		t.Error(resp.Status, resp.Header)
	}
	if resp, _ := ask(t, s, "/http/h.example/", "Accept-Datetime", "yesterday"); resp.StatusCode != http.StatusBadRequest {
		t.Error(resp.Status)
	}
	resp, body = ask(t, s, "/-/timemap?url=http%3A%2F%2Fh.example%2F")
	want = `<http://h.example/>; rel="original",
<` + s.URL + `/-/timemap?url=http%3A%2F%2Fh.example%2F>; rel="self"; type="application/link-format"; from="Mon, 01 Jan 2001 00:00:00 GMT"; until="Wed, 01 Jan 2003 00:00:00 GMT",
<` + s.URL + `/http/h.example/>; rel="timegate",
` + at("20010101000000") + `; rel="first memento"; datetime="Mon, 01 Jan 2001 00:00:00 GMT",
` + at("20020101000000") + `; rel="memento"; datetime="Tue, 01 Jan 2002 00:00:00 GMT",
` + at("20030101000000") + `; rel="last memento"; datetime="Wed, 01 Jan 2003 00:00:00 GMT"
`
	if body != want || resp.Header.Get("Content-Type") != "application/link-format" {
		t.Errorf("%s\nwant %s", body, want)
	}
}

func TestArchivedIndex(t *testing.T) {
	s := archivedGateway(t, false)
	_, body := ask(t, s, "/")
	wantParts(t, "hosts", body, `href="/-/kept?host=g.example"`, `href="/-/kept?host=h.example"`, "(URLs without a host)", "!rel=\"next\"")
	_, examples, _ := strings.Cut(body, `<ul class="begin">`)
	examples, _, _ = strings.Cut(examples, "</ul>")
	wantParts(t, "examples", examples, `href="/file//etc/motd">file:///etc/motd</a>`, `href="/http/evil.example/a.html">http://evil.example/a.html</a>`, `href="/gopher/g.example/0/about">gopher://g.example/0/about</a>`, "!<script")
	_, body = ask(t, s, "/-/kept?after=g.example")
	wantParts(t, "later hosts", body, "h.example", `!<ul class="begin">`)
	_, body = ask(t, s, "/-/kept?host=h.example")
	wantParts(t, "URLs", body, `href="/http/h.example/"`, "3 times, last", "404", `href="/http/h.example/moved"`, "!g.example")
	_, body = ask(t, s, "/-/kept?host=")
	wantParts(t, "no host", body, "file:///etc/motd")
	_, body = ask(t, s, "/-/kept?url=http://h.example/")
	wantParts(t, "times", body, "at=20010101000000", "at=20020101000000", "at=20030101000000")
	_, body = ask(t, s, "/-/kept?host=%3Cscript%3E")
	wantParts(t, "hostile", body, "!<script>", "No entries.")
}

// A browser that uses the gateway as its proxy sees the archive, and can't open tunnels.
func TestArchivedProxy(t *testing.T) {
	s := archivedGateway(t, false)
	proxy, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{Proxy: http.ProxyURL(proxy)}
	defer transport.CloseIdleConnections()
	for stamp, want := range map[string]string{"": "three", "Mon, 01 Jan 2002 00:00:00 GMT": "<a href=/next>two</a><img src=i.png>"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://h.example/", nil)
		if err != nil {
			t.Fatal(err)
		}
		if stamp != "" {
			req.Header.Set("Accept-Datetime", stamp)
		}
		resp, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(body) != want || err != nil {
			t.Errorf("%s: %s, %q, %v", stamp, resp.Status, body, err)
		}
		// The URL is its own TimeGate. A script in the response can't access the browser's
		// data for the original server.
		kept := map[string]string{"": "Wed, 01 Jan 2003 00:00:00 GMT"}[stamp]
		if kept == "" {
			kept = "Tue, 01 Jan 2002 00:00:00 GMT"
		}
		h := resp.Header
		if h.Get("Memento-Datetime") != kept || h.Get("Vary") != "Accept-Datetime" || h.Get("Link") != "<http://h.example/>; rel=\"original timegate\", <"+s.URL+"/-/timemap?url=http%3A%2F%2Fh.example%2F>; rel=\"timemap\"; type=\"application/link-format\"" ||
			!strings.HasPrefix(h.Get("Content-Security-Policy"), "sandbox") || strings.Contains(h.Get("Content-Security-Policy"), "allow-same-origin") || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "no-store" {
			t.Error(h)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://h.example/", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept-Datetime", "yesterday")
	if resp, err := transport.RoundTrip(req); err != nil || resp.StatusCode != http.StatusBadRequest {
		t.Errorf("%+v, %v", resp, err)
	}
	if _, err := (&http.Client{Transport: transport}).Get("https://h.example/"); err == nil {
		t.Error("a tunnel")
	}
}

// With Live, the policy applies to URLs that are not archived.
func TestArchivedLive(t *testing.T) {
	s := archivedGateway(t, true)
	_, body := ask(t, s, "/http/h.example/")
	wantParts(t, "kept", body, "three")
	if resp, body := ask(t, s, "/http/127.0.0.1/"); resp.StatusCode != http.StatusForbidden || strings.Contains(body, "Archived <time") {
		t.Errorf("%s, %s", resp.Status, body)
	}
}
