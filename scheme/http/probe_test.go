package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

func probe(r *scheme.Request) { r.Probe = true }

// A probe must send HEAD. It must send GET only if the response to HEAD does not describe the
// object.
func TestProbe(t *testing.T) {
	const ok = "200 OK\r\nContent-Length: 3\r\nContent-Type: text/html; charset=utf-8"
	for _, c := range []struct {
		name, head, get string // responses; if empty, the server closes the connection
		methods         string
		kind            error
	}{
		{name: "found", head: ok, methods: "HEAD"},
		{name: "elsewhere", head: "302 Found\r\nLocation: /b", methods: "HEAD"},
		{name: "gone", head: "410 Gone", get: "410 Gone", methods: "HEAD GET", kind: scheme.ErrNotFound},
		{name: "gone for HEAD only", head: "410 Gone", get: ok, methods: "HEAD GET"},
		{name: "too many", head: "429 Too Many Requests", get: "429 Too Many Requests", methods: "HEAD GET", kind: scheme.ErrProtocol},
		{name: "too many for HEAD only", head: "429 Too Many Requests", get: ok, methods: "HEAD GET"},
		{name: "unavailable for HEAD only", head: "503 Service Unavailable", get: ok, methods: "HEAD GET"},
		{name: "a pause", head: "429 Too Many Requests\r\nRetry-After: 1", methods: "HEAD", kind: scheme.ErrProtocol},
		{name: "login", head: "401 Unauthorized", get: "401 Unauthorized", methods: "HEAD GET", kind: scheme.ErrAuth},
		{name: "login for HEAD only", head: "401 Unauthorized", get: ok, methods: "HEAD GET"},
		{name: "no such method", head: "405 Method Not Allowed", get: ok, methods: "HEAD GET"},
		{name: "not implemented", head: "501 Not Implemented", get: ok, methods: "HEAD GET"},
		{name: "forbidden", head: "403 Forbidden", get: ok, methods: "HEAD GET"},
		{name: "found by GET alone", head: "404 Not Found", get: ok, methods: "HEAD GET"},
		{name: "not found", head: "404 Not Found", get: "404 Not Found", methods: "HEAD GET", kind: scheme.ErrNotFound},
		{name: "broken", head: "500 Oops", get: "500 Oops", methods: "HEAD GET", kind: scheme.ErrProtocol},
		{name: "no answer", get: ok, methods: "HEAD GET"},
		{name: "no answer at all", methods: "HEAD GET", kind: scheme.ErrProtocol},
		{name: "no HTTP", head: "-", get: ok, methods: "HEAD GET"},
	} {
		t.Run(c.name, func(t *testing.T) {
			base, requests := serveRaw(t, func(request string) string {
				answer, body := c.head, ""
				if strings.HasPrefix(request, "GET") {
					answer, body = c.get, "abc"
				}
				switch answer {
				case "":
					return ""
				case "-":
					return "220 mail.example ESMTP\r\n"
				}
				return "HTTP/1.1 " + answer + "\r\nConnection: close\r\n\r\n" + body
			})
			res, err := openURL(t, base+"/a", probe)
			var methods []string
			for _, r := range requests() {
				method, _, _ := strings.Cut(r, " ")
				methods = append(methods, method)
			}
			if got := strings.Join(methods, " "); got != c.methods || !errors.Is(err, c.kind) {
				t.Errorf("sent %s: %v; want %s: %v", got, err, c.methods, c.kind)
			}
			if err != nil {
				return
			}
			defer res.Close()
			if o, ok := res.(*scheme.Object); ok {
				text, err := io.ReadAll(o.Body)
				if len(text) > 0 || err != nil || o.Type != "text/html; charset=utf-8" || o.Size != 3 {
					t.Errorf("%q, %v: %+v", text, err, o)
				}
			}
		})
	}
}

// The client must reuse the connection after a probe.
func TestProbeKeepsConnection(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100000")
		io.WriteString(w, strings.Repeat("x", 100000))
	})
	c, d := newClient(t, nil), new(dialer)
	for range 3 {
		res, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse(base + "/"), Dial: d, Probe: true})
		if err != nil {
			t.Fatal(err)
		}
		res.Close()
	}
	if n := d.dialed.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

func TestRetryAfter(t *testing.T) {
	for _, c := range []struct {
		header string
		after  time.Duration
		ok     bool
	}{
		{"Retry-After: 120\r\n", 2 * time.Minute, true},
		{"Retry-After: 0\r\n", 0, true},
		{"Date: Fri, 20 Nov 2026 10:00:00 GMT\r\nRetry-After: Fri, 20 Nov 2026 10:00:30 GMT\r\n", 30 * time.Second, true},
		{"Date: Fri, 20 Nov 2026 10:00:00 GMT\r\nRetry-After: Fri, 20 Nov 2026 09:00:00 GMT\r\n", 0, true},
		{"Retry-After: Fri, 20 Nov 2020 10:00:30 GMT\r\n", 0, true},
		{"Retry-After: soon\r\n", 0, false},
		{"Retry-After: -1\r\n", 0, false},
		{"Retry-After: 99999999999999999999\r\n", 0, false},
		{"", 0, false},
	} {
		base, _ := serveRaw(t, respondWith("HTTP/1.1 429 Slow Down\r\n"+c.header+"Connection: close\r\n\r\n"))
		_, err := openURL(t, base+"/", probe)
		var later *scheme.RetryAfterError
		if !errors.As(err, &later) || later.After != c.after || strings.Contains(err.Error(), "(wait ") != c.ok {
			t.Errorf("%q: %v, %+v", c.header, err, later)
		}
	}
}

// An HTTP status must be classified as temporary only by the rules of HTTP, and not by the
// codes of other protocols.
func TestTemporary(t *testing.T) {
	const never, asked, always = 0, 1, 2
	for status, when := range map[int]int{
		400: never, 401: never, 403: asked, 404: never, 405: never, 408: always, 410: never, 413: asked, 421: never, 425: always, 426: never, 429: always,
		450: never, 451: never, 452: never, 500: always, 501: never, 502: always, 503: always, 504: always, 505: never, 511: never, 522: always, 530: never,
	} {
		for i, header := range []string{"Retry-After: 7\r\n", ""} {
			base, _ := serveRaw(t, respondWith(fmt.Sprintf("HTTP/1.1 %d No\r\n%sContent-Length: 0\r\nConnection: close\r\n\r\n", status, header)))
			_, err := openURL(t, base+"/", nil)
			later := (*scheme.RetryAfterError)(nil)
			if ok := errors.As(err, &later); err == nil || ok != (when > i) || ok && later.After != []time.Duration{7 * time.Second, 0}[i] {
				t.Errorf("%d %q: %v", status, header, err)
			}
		}
	}
}

// If a page requires a login, a probe must send only one more request, and must call Ask once.
func TestProbeLogin(t *testing.T) {
	for _, c := range []struct {
		name    string
		login   bool // whether Ask returns a login
		right   string
		methods string
		err     error
	}{
		{"no login", false, "", "HEAD GET", scheme.ErrAuth},
		{"right", true, "HEAD", "HEAD HEAD+", nil},
		{"right with GET", true, "GET", "HEAD HEAD+ GET+", nil},
		{"wrong", true, "", "HEAD HEAD+ GET+", scheme.ErrAuth},
	} {
		var sent []string
		base := serve(t, func(w http.ResponseWriter, r *http.Request) {
			method := r.Method
			if r.Header.Get("Authorization") != "" {
				method += "+"
			}
			if sent = append(sent, method); method != c.right+"+" {
				w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
				w.WriteHeader(http.StatusUnauthorized)
			}
		})
		declined := false
		res, err := openURL(t, base+"/a", func(r *scheme.Request) {
			probe(r)
			r.Ask = func(_ context.Context, q scheme.Question) (scheme.Credentials, bool, error) {
				if declined {
					t.Errorf("%s: asked again", c.name)
				}
				declined = !c.login || q.Attempt > 0
				return scheme.Credentials{User: "u", Password: "p"}, !declined, nil
			}
		})
		if err == nil {
			res.Close()
		}
		if got := strings.Join(sent, " "); got != c.methods || !errors.Is(err, c.err) {
			t.Errorf("%s: sent %s: %v; want %s: %v", c.name, got, err, c.methods, c.err)
		}
	}
}
