package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/locus-url/locus/gateway"
	"github.com/locus-url/locus/policy"
)

// Every response of the gateway itself has the security header fields, for every route and
// every error.
func TestSafetyHeaders(t *testing.T) {
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/missing":
			http.NotFound(w, r)
		case "/login":
			w.Header().Set("Location", "http://u:p@h.example/")
			w.WriteHeader(302)
		case "/on":
			w.Header().Set("Location", "/there")
			w.WriteHeader(302)
		default:
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Security-Policy", "default-src *")
			w.Header().Set("Access-Control-Allow-Origin", "*")
		}
	}))
	defer far.Close()
	host := strings.TrimPrefix(far.URL, "http://")
	s := setup{rules: policy.Rules{AllowPrivate: true}}
	s.gateway.Limits = gateway.Limits{}
	w := start(t, s)
	type request struct{ method, path string }
	list := []request{
		{"POST", "/"}, {"POST", "/healthz"}, {"PUT", "/-/submit"}, {"POST", "/-/submit"}, {"POST", "/-/send"}, {"POST", "/api/extract"}, {"POST", "/api/parse"}, {"HEAD", "/"}, {"HEAD", "/nothing"},
		{"DELETE", "/api/get"}, {"POST", "/http/" + host + "/"},
	}
	for _, path := range []string{
		"/", "/healthz", "/metrics", "/favicon.ico", "/robots.txt", "/-/schemes", "/-/lens", "/-/lens?url=http:/h", "/-/explain?url=gopher://h/1", "/-/nothing", "/nothing", "/x-none/h",
		"/-/assets/", "/-/assets/x/nothing.css", "/-/assets/x/page.css", "/-/assets/x/page.js", "/-/assets/x/icons.svg", "/-/assets/x/../../gateway.go",
		"/?url=", "/?url=no+url", "/?url=%zz", "/?url=javascript:alert(1)", "/?url=x-none:h", "/?url=" + query("http://h.example:25/"), "/?url=" + query("file:///etc/passwd"),
		"/?url=" + query("http://u:p@h.example/"), "/?url=" + query("telnet://"+host+"/"), "/?url=" + query("telnet://h.example:25/"), "/?url=mailto:a@h.example", "/?url=cid:a@h",
		"/?url=cid:a@h&in=" + query(far.URL), "/?url=" + query(far.URL+"/") + "&items=1-2", "/?url=" + query(far.URL+"/") + "&part=1", "/gopher/h:99999/",
		"/http/" + host + "/", "/http/" + host + "/missing", "/http/" + host + "/login", "/http/" + host + "/on", "/http/127.0.0.1:1/",
		"/-/raw", "/-/raw?url=", "/-/raw/http/" + host + "/", "/-/raw/http/" + host + "/missing", "/-/raw/http/" + host + "/login", "/-/raw/http/" + host + "/on", "/-/raw?url=file:///x",
		"/-/raw?url=" + query(far.URL+"/") + "&part=1", "/-/terminal?url=http://h/", "/-/terminal?url=" + query("telnet://"+host+"/"), "/-/submit", "/-/send",
		"/api/", "/api/nothing", "/api/openapi.json", "/api/schemes", "/api/parse?url=x:y", "/api/parse?url=x", "/api/parse", "/api/parse?url=%zz", "/api/check?url=x:y&rules=none", "/api/compare",
		"/api/resolve", "/api/extract", "/api/canonical?url=gopher://h", "/api/get?url=" + query(far.URL), "/api/get?url=" + query(far.URL+"/login"), "/api/get?url=file:///x", "/api/get?url=", "/api/get",
	} {
		list = append(list, request{"GET", path})
	}
	for _, kind := range [][]string{{}, browser, {"Host", "evil.example"}, append([]string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors"}, browser...)} {
		for _, q := range list {
			a := w.exchange(q.method, q.path, "", kind...)
			h := a.Header
			csp := h.Get("Content-Security-Policy")
			if !strings.HasPrefix(strings.TrimPrefix(csp, "sandbox; "), "default-src 'none'") || !strings.Contains(csp, "frame-ancestors") || strings.Contains(csp, "*") ||
				h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" || h.Get("Cross-Origin-Resource-Policy") != "same-origin" ||
				h.Get("Cache-Control") == "" || h.Get("Access-Control-Allow-Origin") != "" || len(h.Values("Content-Security-Policy")) != 1 {
				t.Errorf("%s %s, %v: %s %v", q.method, q.path, kind, a.Status, h)
			}
			if strings.HasPrefix(h.Get("Content-Type"), "text/html") && !strings.HasPrefix(q.path, "/-/raw") && h.Get("Cross-Origin-Opener-Policy") != "same-origin" {
				t.Errorf("%s %s: %v", q.method, q.path, h)
			}
		}
	}
	// These are responses of the proxy itself.
	for _, u := range []string{"http://h.example:25/", "gopher://h.example:25/", "telnet://h.example/", "mailto:a@h.example", far.URL + "/login", "http://127.0.0.1:1/"} {
		for _, kind := range [][]string{{}, browser} {
			a := w.proxied("GET", u, kind...)
			csp := a.Header.Get("Content-Security-Policy")
			if !strings.HasPrefix(csp, "default-src 'none'") || a.Header.Get("X-Content-Type-Options") != "nosniff" || a.Header.Get("Referrer-Policy") != "no-referrer" {
				t.Errorf("%s, %v: %s %v", u, kind, a.Status, a.Header)
			}
		}
	}
	for _, head := range []string{"CONNECT h.example:25 HTTP/1.1\r\nHost: h.example:25\r\n\r\n", "CONNECT x HTTP/1.1\r\nHost: x\r\n\r\n", "TRACE " + far.URL + "/ HTTP/1.0\r\n\r\n"} {
		if a := w.raw(head); !strings.Contains(a, "Content-Security-Policy: default-src 'none'") || !strings.Contains(a, "X-Content-Type-Options: nosniff") {
			t.Errorf("%q: %s", head, a)
		}
	}
	// Responses of servers are forwarded unchanged.
	if a := w.proxied("GET", far.URL+"/"); a.Header.Get("Content-Security-Policy") != "default-src *" || a.Header.Get("Referrer-Policy") != "" {
		t.Errorf("%v", a.Header)
	}
}
