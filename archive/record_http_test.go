package archive_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/internal/servetest"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	web "github.com/locus-url/locus/scheme/http"
)

// webClient returns an HTTP client that records.
func webClient(t testing.TB, o *web.Options, limit int64) (*access.Client, *archive.Recorder, string) {
	t.Helper()
	opener := web.New(o)
	registry, err := scheme.NewRegistry(web.Scheme(opener), web.SecureScheme(opener))
	if err != nil {
		t.Fatal(err)
	}
	r, name := recorder(t, registry)
	rules, err := policy.New(policy.Rules{AllowPrivate: true, TypedPrivate: true, Passwords: true})
	if err != nil {
		t.Fatal(err)
	}
	c := access.New(registry, rules, &access.Options{Record: r.Record, Limit: limit})
	t.Cleanup(func() {
		opener.Close()
		c.Close()
	})
	return c, r, name
}

// A response is recorded exactly as transmitted: its header in order, and its chunks.
func TestRecordWire(t *testing.T) {
	answers := map[string]string{
		"/chunked": "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 Fine\r\nzeta: 1\r\nAlpha:2\r\nTransfer-Encoding: chunked\r\nTrailer: X-End\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nX-End: now\r\n\r\n",
		"/length":  "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Type: text/x\r\n\r\nfgh",
		"/none":    "HTTP/1.1 204 No Content\r\nX: y\r\n\r\n",
		"/missing": "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngone\r\n0\r\n\r\n",
		"/moved":   "HTTP/1.1 301 Moved\r\nLocation: /length\r\nContent-Length: 5\r\n\r\nmoved",
		"/late":    "HTTP/1.1 503 Later\r\nRetry-After: 5\r\nContent-Length: 2\r\n\r\nno",
	}
	address := wireServer(t, answers)
	c, r, name := webClient(t, nil, 0)
	for _, path := range []string{"/chunked", "/length", "/none", "/missing", "/moved", "/late", "/chunked"} {
		if res, err := c.Open(t.Context(), "http://"+address+path+"#fragment"); err == nil {
			if _, _, err := consume(res.Resource); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	closed(t, r)
	list := records(t, name)
	for path, want := range answers {
		_, final, _ := strings.Cut(want, "</x>\r\n\r\n")
		if final == "" {
			final = want
		}
		target := "http://" + address + path
		found := find(list, "response", target)
		if len(found) != 1 || found[0].text != final {
			t.Errorf("%s: %+v", path, found)
			continue
		}
		requests := find(list, "request", target)
		if len(requests) == 0 || !strings.HasPrefix(requests[0].text, "GET "+path+" HTTP/1.1\r\nHost: "+address+"\r\n") ||
			requests[0].Get("WARC-Concurrent-To") != found[0].Get("WARC-Record-ID") || found[0].Get("WARC-Concurrent-To") != requests[0].Get("WARC-Record-ID") {
			t.Errorf("%s: %+v", path, requests)
		}
		if found[0].Get("WARC-IP-Address") != "127.0.0.1" || found[0].Get("WARC-Truncated") != "" {
			t.Errorf("%s: %+v", path, found[0].Fields)
		}
	}
	if again := find(list, "revisit", "http://"+address+"/chunked"); len(again) != 1 || !strings.HasPrefix(again[0].text, "HTTP/1.1 200 Fine\r\nzeta: 1\r\n") || !strings.HasSuffix(again[0].text, "\r\n\r\n") {
		t.Errorf("%+v", again)
	}
	if again := find(list, "revisit", "http://"+address+"/length"); len(again) != 1 {
		t.Errorf("%+v", again)
	}
}

// wireServer starts a server that sends the given bytes for each path. "CUT" at the end closes
// the connection.
func wireServer(t testing.TB, answers map[string]string) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var group servetest.Group
	group.Serve(l, func(c net.Conn) func() {
		return func() {
			defer c.Close()
			for in := bufio.NewReader(c); ; {
				req, err := http.ReadRequest(in)
				if err != nil {
					return
				}
				text, whole := strings.CutSuffix(answers[req.URL.Path], "CUT")
				if io.WriteString(c, text); whole {
					return
				}
			}
		}
	})
	t.Cleanup(func() {
		l.Close()
		group.Close()
	})
	return l.Addr().String()
}

// A record of a response that is cut, too large or not read contains the reason.
func TestRecordWireTruncated(t *testing.T) {
	address := wireServer(t, map[string]string{
		"/cut":     "HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n0123456789CUT",
		"/large":   "HTTP/1.1 200 OK\r\nContent-Length: 30000\r\n\r\n" + strings.Repeat("x", 30000),
		"/chunks":  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7530\r\n" + strings.Repeat("x", 30000) + "\r\n0\r\n\r\n",
		"/nothing": "CUT",
		"/garbage": "SSH-2.0-x\r\n\r\nCUT",
	})
	c, r, name := webClient(t, nil, 1000)
	for _, path := range []string{"/cut", "/large", "/chunks", "/nothing", "/garbage"} {
		if res, err := c.Open(t.Context(), "http://"+address+path); err == nil {
			if _, _, err := consume(res.Resource); err == nil {
				t.Errorf("%s was read", path)
			}
		}
	}
	closed(t, r)
	list := records(t, name)
	for path, want := range map[string]string{"/cut": "disconnect", "/large": "length", "/chunks": "length", "/garbage": "disconnect"} {
		found := find(list, "response", "http://"+address+path)
		if path == "/garbage" && len(found) == 0 {
			continue // the whole response is in a conversation record
		}
		if len(found) != 1 || found[0].Get("WARC-Truncated") != want {
			t.Errorf("%s: %+v", path, found)
		}
	}
	talk := find(list, "metadata", "http://"+address+"/nothing")
	if len(talk) != 1 || !strings.Contains(talk[0].text, "GET /nothing HTTP/1.1\r\n") || !strings.Contains(talk[0].text, "\r\n! ") {
		t.Errorf("%+v", talk)
	}
}

// The recorder writes a HEAD request, and a request that is repeated with a login, as
// conversations, because there is no object.
func TestRecordRepeated(t *testing.T) {
	address := wireServer(t, map[string]string{"/": "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n", "/head": "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"})
	c, r, name := webClient(t, nil, 0)
	if _, err := c.Open(t.Context(), "http://u:secret99@"+address+"/"); err == nil {
		t.Error("opened")
	}
	res, err := c.Do(t.Context(), access.Request{URL: mustParse("http://" + address + "/head"), Probe: true})
	if err != nil {
		t.Fatal(err)
	}
	consume(res.Resource)
	closed(t, r)
	list := records(t, name)
	if talk := find(list, "metadata", "http://"+address+"/head"); len(talk) != 1 || !strings.Contains(talk[0].text, "HEAD /head HTTP/1.1\r\n") {
		t.Errorf("%+v", talk)
	}
	if len(find(list, "response", "http://"+address+"/head")) != 0 {
		t.Error("a HEAD is a response")
	}
	if responses := find(list, "response", "http://"+address+"/"); len(responses) != 1 || !strings.HasPrefix(responses[0].text, "HTTP/1.1 401") {
		t.Errorf("%+v", responses)
	}
	talk := 0
	for _, rec := range list {
		if rec.Type == "metadata" && strings.Contains(rec.text, "HTTP/1.1 401 No\r\n") {
			talk++
		}
	}
	if talk != 1 {
		t.Errorf("%d conversations", talk)
	}
}

// A "not modified" response is recorded as a conversation, because it is not a page.
func TestRecordNotModified(t *testing.T) {
	address := wireServer(t, map[string]string{"/": "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n"})
	c, r, name := webClient(t, nil, 0)
	if _, err := c.Open(t.Context(), "http://"+address+"/"); err == nil {
		t.Error("opened")
	}
	closed(t, r)
	list := records(t, name)
	if len(list) != 1 || list[0].Type != "metadata" || !strings.Contains(list[0].text, "HTTP/1.1 304 Not Modified\r\nETag") {
		t.Errorf("%+v", list)
	}
}

// While a client records, it uses HTTP/1.1 even with an HTTP/2 server.
func TestRecordHTTP2(t *testing.T) {
	site := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { fmt.Fprint(w, req.Proto) }))
	site.EnableHTTP2 = true
	site.StartTLS()
	defer site.Close()
	c, r, name := webClient(t, &web.Options{TLS: site.Client().Transport.(*http.Transport).TLSClientConfig}, 0)
	res, err := c.Open(t.Context(), site.URL+"/")
	if err != nil {
		t.Fatal(err)
	}
	if text, _, err := consume(res.Resource); text != "HTTP/1.1" || err != nil {
		t.Errorf("%q %v", text, err)
	}
	closed(t, r)
	if found := find(records(t, name), "response", site.URL+"/"); len(found) != 1 || !strings.HasSuffix(found[0].text, "\r\n\r\nHTTP/1.1") {
		t.Errorf("%+v", found)
	}
}
