package gateway_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/html"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/cache"
	"github.com/locus-url/locus/gateway/internal/page"
	"github.com/locus-url/locus/internal/tour"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
	"github.com/locus-url/locus/scheme/mid"
	"github.com/locus-url/locus/scheme/news"
)

// museum returns a fixture with the servers of the tour.
func museum(t testing.TB, s setup) (*fixture, *tour.Demo) {
	t.Helper()
	m, err := tour.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	s.rules.Ports = m.Ports()
	s.schemes = append(news.Schemes(news.New(&news.Options{Server: m.News()})), mid.Schemes(mid.New(&mid.Options{Store: m.Mail()}))...)
	return start(t, s), m
}

// isTLS reports whether a stop uses a certificate that is not trusted here.
func isTLS(u locus.URL) bool {
	return slices.Contains([]string{"https", "ftps", "gophers", "nntps", "snews"}, u.Scheme())
}

// Every stop of the tour has a page in complete HTML that complies with its
// Content-Security-Policy.
func TestPages(t *testing.T) {
	w, m := museum(t, loopbackSetup)
	for _, stop := range m.Stops() {
		u := stop.URL
		if u.Scheme() == "cid" || u.Scheme() == "file" || isTLS(u) {
			continue
		}
		want := http.StatusOK
		if stop.Missing {
			want = http.StatusNotFound
		}
		for _, path := range []string{"/?url=" + query(u.String()), pathOf(u)} {
			a := w.get(path, browser...)
			h := a.Header
			if a.StatusCode == http.StatusSeeOther && u.Scheme() == "http" {
				continue
			}
			if a.StatusCode != want || h.Get("Content-Security-Policy") != page.Policy || h.Get("X-Content-Type-Options") != "nosniff" ||
				h.Get("Referrer-Policy") != "no-referrer" || !strings.HasPrefix(h.Get("Content-Type"), "text/html") {
				t.Errorf("%s: %s %v\n%s", path, a.Status, h, a.body)
			}
			if !strings.HasSuffix(a.body, "</html>\n") || strings.Contains(a.body, "Zgotmpl") {
				t.Errorf("%s: not whole:\n%s", path, a.body)
			}
			if head := w.exchange("HEAD", path, ""); head.StatusCode != want || head.body != "" {
				t.Errorf("HEAD %s: %s %q", path, head.Status, head.body)
			}
		}
		if s := u.Scheme(); s == "telnet" || s == "rlogin" || s == "tn3270" || s == "mailto" {
			continue
		}
		raw := w.get("/-/raw?url=" + query(u.String()))
		if p := raw.Header.Get("Content-Security-Policy"); raw.StatusCode != 303 && (raw.StatusCode != want || want == 200 && !strings.HasPrefix(p, "sandbox;") || raw.Header.Get("X-Content-Type-Options") != "nosniff") {
			t.Errorf("the octets of %s: %s %v", u, raw.Status, raw.Header)
		}
	}
}

// pathOf returns the path of a URL's page.
func pathOf(u locus.URL) string {
	if rest, ok := strings.CutPrefix(u.String(), u.Scheme()+"://"); ok {
		return "/" + u.Scheme() + "/" + rest
	}
	return "/" + u.String()
}

func TestOwnPages(t *testing.T) {
	w := start(t, loopbackSetup)
	home := w.get("/", browser...)
	if home.StatusCode != 200 || !strings.Contains(home.body, `name="url"`) {
		t.Errorf("%s %s", home.Status, home.body)
	}
	// All files that pages load exist and have the right type.
	doc, err := html.Parse(strings.NewReader(home.body))
	if err != nil {
		t.Fatal(err)
	}
	assets := 0
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			if path, _, _ := strings.Cut(a.Val, "#"); strings.HasPrefix(path, "/-/assets/") {
				assets++
				got := w.get(path)
				if got.StatusCode != 200 || !strings.Contains(got.Header.Get("Cache-Control"), "immutable") || got.Header.Get("X-Content-Type-Options") != "nosniff" {
					t.Errorf("%s: %s %v", path, got.Status, got.Header)
				}
			}
		}
	}
	if assets < 3 {
		t.Errorf("%d assets", assets)
	}
	if got := w.get("/favicon.ico"); strings.Contains(got.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("a path of every version: %v", got.Header)
	}
	for path, want := range map[string]int{
		"/healthz": 200, "/-/schemes": 200, "/-/explain?url=gopher://h/1": 200, "/-/lens": 200, "/-/lens?url=gopher://h/1": 200, "/favicon.ico": 200, "/robots.txt": 200,
		"/nothing": 404, "/-/nothing": 404, "/-/assets/": 404, "/-/assets/x/../../gateway.go": 404, "/-/assets/x/nothing.css": 404,
		"/?url=": 400, "/?url=no+url": 400, "/?url=%zz": 400, "/gopher/h:99999/": 400, "/x-none/h": 404, "/?url=x-none:h": 501, "/?url=javascript:alert(1)": 501,
		"/-/raw": 400, "/-/terminal?url=http://h/": 400, "/api/nothing": 404,
	} {
		if a := w.get(path); a.StatusCode != want {
			t.Errorf("%s: %s %s", path, a.Status, a.body)
		}
	}
	for _, path := range []string{"/", "/healthz", "/gopher/127.0.0.1:7070/"} {
		if a := w.exchange("POST", path, "x"); a.StatusCode != 405 || a.Header.Get("Allow") == "" {
			t.Errorf("POST %s: %s", path, a.Status)
		}
	}
	if a := w.get("/metrics"); !strings.Contains(a.body, `locus_gateway_requests_total{kind="page",scheme="",status="200"}`) || !strings.Contains(a.body, `locus_gateway_request_seconds_bucket{le="+Inf"}`) {
		t.Errorf("%s", a.body)
	}
}

// A page of another site can't read pages of the gateway by DNS rebinding, and can't make a
// browser send forms.
func TestStrangers(t *testing.T) {
	s := loopbackSetup
	s.gateway.Names = []string{"gw.example"}
	w := start(t, s)
	port := w.addr[strings.LastIndexByte(w.addr, ':'):]
	for host, want := range map[string]int{
		w.addr: 200, "localhost" + port: 200, "LOCALHOST": 200, "127.0.0.1": 200, "127.9.9.9": 200, "[::1]:80": 200, "gw.example": 200, "GW.example:80": 200,
		"evil.example": 421, "localhost.evil.example": 421, "gw.example.evil.example": 421, "127.0.0.1.evil.example": 421, "10.0.0.1": 421, "evil.example" + port: 421,
	} {
		for _, path := range []string{"/", "/api/schemes", "/metrics", "/healthz"} {
			if a := w.get(path, "Host", host); a.StatusCode != want {
				t.Errorf("%s at %s: %s", path, host, a.Status)
			}
		}
	}
	far := listen(t, func(c net.Conn) { bufio.NewReader(c).ReadString('\n') }) // sends nothing
	site := func(values ...string) []string {
		var fields []string
		for i, name := range []string{"Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest", "Origin"} {
			if i < len(values) && values[i] != "" {
				fields = append(fields, name, values[i])
			}
		}
		return fields
	}
	for _, test := range []struct {
		method, path string
		fields       []string
		want         int
	}{
		{"GET", "/", site("none", "navigate", "document"), 200},
		{"GET", "/", site("same-origin", "no-cors", "image"), 200},
		{"GET", "/", site("cross-site", "navigate", "document"), 200},
		{"GET", "/", site("cross-site", "navigate", "iframe"), 403},
		{"GET", "/", site("cross-site", "no-cors", "image"), 403},
		{"GET", "/-/raw?url=gopher://h/", site("same-site", "no-cors", "script"), 403},
		{"GET", "/-/raw/gopher/" + far + "/", site("same-origin", "no-cors", "script"), 403},
		{"GET", "/-/raw?url=gopher://" + far + "/", site("same-origin", "no-cors", "style"), 403},
		{"GET", "/-/raw/gopher/" + far + "/", site("same-origin", "same-origin", "serviceworker"), 403},
		{"GET", "/-/raw/gopher/" + far + "/", site("same-origin", "no-cors", "image"), 200},
		{"GET", "/-/raw/gopher/" + far + "/", site("none", "navigate", "document"), 200},
		{"GET", "/api/schemes", site("cross-site", "cors", "empty"), 403},
		{"GET", "/api/schemes", site("cross-site", "navigate", "document"), 403},
		{"GET", "/api/schemes", site("same-origin", "cors", "empty"), 200},
		{"POST", "/api/parse", site("cross-site", "cors", "empty"), 403},
		{"POST", "/api/parse", site("", "", "", "http://evil.example"), 403},
		{"POST", "/api/parse", site("", "", "", "null"), 403},
		{"POST", "/api/parse", site("", "", "", w.base), 200},
		{"POST", "/api/parse", nil, 200},
		{"POST", "/-/submit", site("cross-site", "navigate", "document"), 403},
		{"POST", "/-/send", site("", "", "", "http://evil.example"), 403},
	} {
		if a := w.exchange(test.method, test.path, "http://h/", test.fields...); a.StatusCode != test.want {
			t.Errorf("%s %s %v: %s", test.method, test.path, test.fields, a.Status)
		}
	}
	if a := w.get("/"); a.Header.Get("Access-Control-Allow-Origin") != "" || a.Header.Get("Cross-Origin-Resource-Policy") != "same-origin" {
		t.Errorf("%v", a.Header)
	}
}

// Permissions for typed URLs do not apply to clients of a gateway.
func TestDenied(t *testing.T) {
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "inside") }))
	defer far.Close()
	host := strings.TrimPrefix(far.URL, "http://")
	w := start(t, setup{rules: policy.Rules{TypedPrivate: true, Files: true}})
	for _, u := range []string{
		"http://" + host + "/", "http://localhost/", "gopher://" + host + "/", "ftp://" + host + "/", "nntp://" + host + "/g", "wais://" + host + "/d?s", "prospero://" + host + "//x",
		"telnet://" + host + "/", "http://10.0.0.1/", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://169.254.169.254/latest/meta-data/",
		"http://93.184.216.34:25/", "gopher://93.184.216.34:6379/0x", "http://93.184.216.34:0/", "http://2130706433/", "http://0x7f.1/",
		"file:///etc/passwd", "file://localhost/etc/passwd", "http://u:p@93.184.216.34/",
	} {
		for _, path := range []string{"/?url=" + query(u), "/-/raw?url=" + query(u), "/api/get?url=" + query(u)} {
			if a := w.get(path); a.StatusCode != 403 && a.StatusCode != 400 || strings.Contains(a.body, "inside") || strings.Contains(a.body, "root:") {
				t.Errorf("%s: %s %s", path, a.Status, a.body)
			}
		}
		if !strings.HasPrefix(u, "telnet:") {
			if a := w.proxied("GET", u); a.StatusCode != 403 && a.StatusCode != 400 || strings.Contains(a.body, "inside") {
				t.Errorf("%s by proxy: %s %s", u, a.Status, a.body)
			}
		}
	}
}

// A public server can't lead a client to a private address, neither by a redirect nor by
// DNS.
func TestInward(t *testing.T) {
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/in" {
			w.Header().Set("Location", "http://10.0.0.1/secret")
			w.WriteHeader(302)
		}
	}))
	defer far.Close()
	w := start(t, outside(setup{}, strings.TrimPrefix(far.URL, "http://")))
	if a := w.get("/http/public.example/"); a.StatusCode != 200 {
		t.Fatalf("%s %s", a.Status, a.body)
	}
	a := w.get("/http/public.example/in")
	if a.StatusCode != 303 || a.Header.Get("Location") != "/http/10.0.0.1/secret" {
		t.Fatalf("%s %v", a.Status, a.Header)
	}
	if a := w.get(a.Header.Get("Location")); a.StatusCode != 403 {
		t.Errorf("%s %s", a.Status, a.body)
	}
	for _, path := range []string{"/http/inward.example/", "/-/raw/http/inward.example/", "/api/get?url=" + query("http://inward.example/"), "/api/get?url=" + query("http://public.example/in"), "/gopher/inward.example/"} {
		if a := w.get(path); a.StatusCode != 403 {
			t.Errorf("%s: %s %s", path, a.Status, a.body)
		}
	}
	if a := w.proxied("GET", "http://inward.example/"); a.StatusCode != 403 {
		t.Errorf("by proxy: %s", a.Status)
	}
	if a := w.raw("CONNECT inward.example:443 HTTP/1.1\r\nHost: x\r\n\r\n"); !strings.HasPrefix(a, "HTTP/1.1 403") {
		t.Errorf("a tunnel: %.100q", a)
	}
}

// Allow and deny lists also apply to redirect targets and stored responses.
func TestLists(t *testing.T) {
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Cache-Control", "max-age=1000") }))
	defer far.Close()
	s := loopbackSetup
	var denies atomic.Bool
	denies.Store(true)
	s.access.Check = func(u locus.URL) error {
		if denies.Load() && strings.Contains(u.String(), "denied") {
			return &policy.DeniedError{Rule: "list", Subject: "x", Reason: "it is on the list"}
		}
		return nil
	}
	g, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{{Name: "x", Selector: "/denied", Data: "Hello\n"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	s.store = new(cache.Options)
	w := start(t, s)
	stored := "gopher://" + g.Addr() + "/0/denied"
	denies.Store(false)
	for _, u := range []string{stored, far.URL + "/denied"} {
		if a := w.proxied("GET", u); a.StatusCode != 200 {
			t.Errorf("%s: %s", u, a.Status)
		}
	}
	denies.Store(true)
	if a := w.proxied("GET", stored); a.StatusCode != 403 {
		t.Errorf("%s: %s", stored, a.Status)
	}
	for _, path := range []string{"/?url=", "/-/raw?url=", "/api/get?url="} {
		if a := w.get(path + query(stored)); a.StatusCode != 403 || strings.Contains(a.body, "Hello") {
			t.Errorf("%s: %s", path, a.Status)
		}
	}
	if a := w.get("/http/" + strings.TrimPrefix(far.URL, "http://") + "/"); a.StatusCode != 200 {
		t.Errorf("%s", a.Status)
	}
	if a := w.get("/http/" + strings.TrimPrefix(far.URL, "http://") + "/denied"); a.StatusCode != 403 {
		t.Errorf("%s", a.Status)
	}
	if a := w.proxied("GET", far.URL+"/denied"); a.StatusCode != 403 {
		t.Errorf("%s", a.Status)
	}
}

// Active content of a server is shown as text.
func TestHostileServers(t *testing.T) {
	const script = `<script>alert("1")</script>`
	g, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{
		{Line: "i" + script + "\x1b[2J\u202e\t\tnull\t0"},
		{Line: "0\"><img src=x onerror=alert(1)>\t/a\"onmouseover=\"x\t127.0.0.1\t70"},
		{Line: "hClick\tURL:javascript:alert(1)\t127.0.0.1\t70"},
		{Line: "hHere\tURL:http://h/?a=b&c\t127.0.0.1\t70"},
		{Line: "0" + script + "\t/x\tevil.example<b>\t70"},
	}}, &gophertest.Options{Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	f, err := ftptest.Start(ftptest.Files{
		"a.html":   {Data: "<title>t</title>" + script + `<p onclick="x()">text</p><iframe src="http://h/"></iframe><a href="javascript:x()">l</a>`},
		"a.svg":    {Data: `<svg xmlns="http://www.w3.org/2000/svg">` + script + `</svg>`},
		script:     {Data: "x"},
		"a\"b.txt": {Data: script},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := listen(t, func(c net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: locus=stolen\r\nRefresh: 0; url=http://evil.example/\r\nLink: <http://evil.example/>; rel=preload\r\n"+
				"Content-Security-Policy: default-src *\r\nAccess-Control-Allow-Origin: *\r\nClear-Site-Data: *\r\nLocus-Kind: menu\r\nService-Worker-Allowed: /\r\nConnection: close\r\n\r\n"+script)
		}
	})
	many := listen(t, func(c net.Conn) {
		req, err := http.ReadRequest(bufio.NewReader(c))
		switch {
		case err != nil:
		case req.URL.Path == "/secret":
			io.WriteString(c, "HTTP/1.1 302 Found\r\nLocation: ftp://me:hunter2@h.example/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		default:
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: Multipart/X-Mixed-Replace; boundary=b\r\nConnection: close\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n"+script+"\r\n--b--\r\n")
		}
	})
	w := start(t, loopbackSetup)
	if a := w.get("/-/raw/http/" + many + "/"); a.StatusCode != 200 || a.Header.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("%s %v", a.Status, a.Header)
	}
	for _, path := range []string{"/http/", "/-/raw/http/"} {
		if a := w.get(path + many + "/secret"); a.StatusCode != 403 || strings.Contains(a.body, "hunter2") || !strings.Contains(a.body, "must not contain a user name") {
			t.Errorf("%s %s", a.Status, a.body)
		}
	}
	for _, path := range []string{
		"/gopher/" + g.Addr() + "/", "/ftp/" + f.Addr() + "/", "/ftp/" + f.Addr() + "/a.html", "/ftp/" + f.Addr() + "/a%22b.txt", "/http/" + h + "/",
		"/ftp/" + f.Addr() + "/" + script, "/?url=" + query("gopher://h/0"+script), "/-/explain?url=" + query("x:"+script), "/-/lens?url=" + query("x:"+script), "/?url=" + query(script),
	} {
		a := w.get(path, browser...)
		if a.Header.Get("Content-Security-Policy") != page.Policy || strings.Contains(a.Header.Get("Set-Cookie"), "stolen") {
			t.Errorf("%s: %v", path, a.Header)
		}
		for _, foreign := range acting(t, a.body) {
			t.Errorf("%s: %s", path, foreign)
		}
	}
	for _, path := range []string{"/-/raw/ftp/" + f.Addr() + "/a.html", "/-/raw/ftp/" + f.Addr() + "/a.svg", "/-/raw/http/" + h + "/"} {
		a := w.get(path)
		h := a.Header
		if a.StatusCode != 200 || !strings.Contains(a.body, script) || !strings.HasPrefix(h.Get("Content-Security-Policy"), "sandbox; default-src 'none'") || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %s %v", path, a.Status, h)
		}
		for _, name := range []string{"Set-Cookie", "Refresh", "Link", "Access-Control-Allow-Origin", "Clear-Site-Data", "Locus-Kind", "Service-Worker-Allowed"} {
			if h.Get(name) != "" {
				t.Errorf("%s: %s: %s", path, name, h.Get(name))
			}
		}
	}
}

// acting returns the active content in a page that does not come from the gateway itself.
func acting(t *testing.T, body string) (list []string) {
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		own := false
		for _, a := range n.Attr {
			own = own || a.Key == "src" && strings.HasPrefix(a.Val, "/-/assets/")
			if strings.HasPrefix(a.Key, "on") || strings.HasPrefix(strings.TrimSpace(strings.ToLower(a.Val)), "javascript:") || a.Key == "style" {
				list = append(list, fmt.Sprintf("<%s %s=%q>", n.Data, a.Key, a.Val))
			}
		}
		switch n.Data {
		case "script":
			if !own {
				list = append(list, "<script>")
			}
		case "object", "embed", "base", "meta":
			for _, a := range n.Attr {
				if a.Key == "http-equiv" {
					list = append(list, "<meta http-equiv>")
				}
			}
			if n.Data != "meta" {
				list = append(list, "<"+n.Data+">")
			}
		}
	}
	if strings.ContainsAny(body, "\x1b\u202e") {
		list = append(list, "an octet that steers")
	}
	return list
}

// A body over the limit is cut, and the page reports that.
func TestTooLarge(t *testing.T) {
	f, err := ftptest.Start(ftptest.Files{"big.txt": {Size: 1 << 20}, "small.txt": {Data: "x"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := loopbackSetup
	s.access.Limit = 1000
	w := start(t, s)
	if a := w.get("/-/raw/ftp/" + f.Addr() + "/big.txt"); a.StatusCode != 502 || !strings.HasPrefix(a.body, "too-large") {
		t.Errorf("%s %.100s", a.Status, a.body)
	}
	if a := w.get("/-/raw/ftp/" + f.Addr() + "/small.txt"); a.body != "x" {
		t.Errorf("%s %.100s", a.Status, a.body)
	}
}

// If a limit is reached, the gateway responds that it is busy.
func TestLimits(t *testing.T) {
	inside, leave := make(chan struct{}), make(chan struct{})
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			inside <- struct{}{}
			<-leave
		}
	}))
	defer far.Close()
	u := "/-/raw/http/" + strings.TrimPrefix(far.URL, "http://")
	for name, limits := range map[string]struct {
		requests, perHost int
		other             string
	}{"requests": {1, 10, "/-/schemes"}, "perHost": {10, 1, u + "/"}} {
		t.Run(name, func(t *testing.T) {
			s := loopbackSetup
			s.gateway.Limits.Requests, s.gateway.Limits.PerHost = limits.requests, limits.perHost
			w := start(t, s)
			done := make(chan answer)
			go func() { done <- w.get(u + "/wait") }()
			<-inside
			if a := w.get(limits.other); a.StatusCode != 503 || a.Header.Get("Retry-After") == "" || !strings.HasPrefix(a.body, "busy") {
				t.Errorf("%s %s", a.Status, a.body)
			}
			leave <- struct{}{}
			if a := <-done; a.StatusCode != 200 {
				t.Errorf("%s", a.Status)
			}
			if a := w.get(limits.other); a.StatusCode != 200 {
				t.Errorf("then %s", a.Status)
			}
		})
	}
}

// Passwords do not appear in logs and pages.
func TestPasswords(t *testing.T) {
	f, err := ftptest.Start(ftptest.Files{"a.txt": {Data: "x"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := start(t, loopbackSetup)
	secret := "ftp://me:hunter2@" + f.Addr() + "/"
	for _, path := range []string{"/?url=" + query(secret+"a.txt"), "/?url=" + query(secret), "/-/raw?url=" + query(secret+"none"), "/?url=" + query(secret+"none"), "/ftp/me:hunter2@127.0.0.1:1/", "/api/get?url=" + query(secret+"a.txt"), "/ftp/me:hunter2@h:99999/"} {
		if a := w.get(path); strings.Contains(a.body, "hunter2") {
			t.Errorf("%s: %s", path, a.body)
		}
	}
	w.proxied("GET", secret+"a.txt")
	w.proxied("GET", "http://h/", "Authorization", "Basic hunter2", "Proxy-Authorization", "Basic hunter2")
	if text := w.log.String(); strings.Contains(text, "hunter2") || !strings.Contains(text, "me:***@") && !strings.Contains(text, "me@") {
		t.Errorf("%s", text)
	}
}

func TestParts(t *testing.T) {
	w, m := museum(t, loopbackSetup)
	for _, stop := range m.Stops() {
		if stop.Scheme != "mid" {
			continue
		}
		a := w.get("/?url=" + query(stop.URL.String()))
		for text := range strings.SplitSeq(a.body, `"`) {
			if strings.HasPrefix(text, "/-/raw?") && strings.Contains(text, "part=") {
				got := w.get(strings.ReplaceAll(text, "&amp;", "&"))
				if got.StatusCode != 200 || got.body == "" || !strings.HasPrefix(got.Header.Get("Content-Security-Policy"), "sandbox") {
					t.Errorf("%s: %s %v", text, got.Status, got.Header)
				}
			}
		}
		if none := w.get("/-/raw?part=99.9&url=" + query(stop.URL.String())); none.StatusCode != 404 && none.StatusCode != 502 {
			t.Errorf("%s: no such part: %s", stop.URL, none.Status)
		}
	}
}

// Each part of a message has a page. If the part is a message, its parts also have pages.
func TestPartPages(t *testing.T) {
	const letter = "From: a@example.net\nSubject: Outer\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n" +
		"--b\nContent-Type: text/plain\n\nA text.\n" +
		"--b\nContent-Type: text/html; name=\"<b>.html\"\nContent-Disposition: attachment\nContent-ID: <p%1@example.net>\n\n<h1>A page</h1><script>evil()</script>\n" +
		"--b\nContent-Type: message/rfc822\n\nFrom: b@example.net\nSubject: Inner\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=c\n\n" +
		"--c\nContent-Type: text/plain\n\nInner text.\n--c\nContent-Type: application/zip; name=deep.zip\n\nPK\n--c--\n--b--\n"
	f, err := ftptest.Start(ftptest.Files{"letter.eml": {Data: letter}, "a.txt": {Data: "no letter\n"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := start(t, loopbackSetup)
	u := "ftp://" + f.Addr() + "/letter.eml"
	page := func(more string, want ...string) answer {
		t.Helper()
		a := w.get("/?url="+query(u)+more, browser...)
		for _, text := range want {
			if !strings.Contains(a.body, text) {
				t.Errorf("%s: %s has no %q: %s", more, a.Status, text, a.body)
			}
		}
		if strings.Contains(a.body, "evil()") {
			t.Errorf("%s: %s", more, a.body)
		}
		return a
	}
	page("", "Outer</h1>", "part=2", "part=3.2", "Inner text.")
	page("&part=2", "&lt;b&gt;.html</h1>", "<h2>A page</h2>", "Complete message")
	page("&part=3", "Inner</h1>", "Inner text.", "part=3.2\"", "download=\"part-3\"")
	page("&part=3.2", "deep.zip</h1>", "part=3.2\" download=\"deep.zip\"")
	if a := page("&part=9", "no part with this name"); a.StatusCode != 404 {
		t.Errorf("%s", a.Status)
	}

	// The page of a cid URL contains a form for the URL of the message.
	cid := "/?url=" + query("cid:p%251@example.net")
	if a := w.get(cid, browser...); a.StatusCode != 501 || !strings.Contains(a.body, `name="in"`) || strings.Contains(a.body, "--in") || field(t, a.body, "url") != "cid:p%251@example.net" {
		t.Errorf("%s %s", a.Status, a.body)
	}
	if a := w.get(cid+"&in="+query("<URL:"+u+">"), browser...); a.StatusCode != 303 || a.Header.Get("Location") != "/?url="+query(u)+"&part=2" {
		t.Errorf("%s %s", a.Status, a.Header.Get("Location"))
	}
	for in, want := range map[string]int{"ftp://" + f.Addr() + "/a.txt": 501, "ftp://" + f.Addr() + "/none.eml": 404, "ftp://" + f.Addr() + "/": 501, "no URL": 400, "ftp://h:x/": 400, "file:///etc/passwd": 403} {
		if a := w.get(cid+"&in="+query(in), browser...); a.StatusCode != want || !strings.Contains(a.body, `name="in"`) && want != 400 {
			t.Errorf("%s: %s %s", in, a.Status, a.body)
		}
	}
	if a := w.get("/?url=cid:other@example.net&in="+query(u), browser...); a.StatusCode != 404 {
		t.Errorf("%s", a.Status)
	}
}

// The dialer of a URL checks the policy for the URL and for the dialed address.
func TestDialerForChecksAddresses(t *testing.T) {
	r, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.New(policy.Rules{TypedPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	c := access.New(r, p, nil)
	defer c.Close()
	if _, err := c.DialerFor(parse("http://127.0.0.1/"), nil); err != nil {
		t.Error(err)
	}
	if _, err := c.DialerFor(parse("http://127.0.0.1/"), &access.Result{LinkOrigin: policy.FromPublic}); access.KindOf(err) != access.Denied {
		t.Error(err)
	}
	way, err := c.DialerFor(parse("http://public.example/"), &access.Result{LinkOrigin: policy.FromPublic})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err := way.DialContext(ctx, "tcp", "127.0.0.1:80"); access.KindOf(err) != access.Denied {
		t.Error(err)
	}
}

// A page shows received content while the server is silent.
func TestPageStreaming(t *testing.T) {
	next := make(chan string)
	g := listen(t, func(c net.Conn) {
		// The gateway first requests attributes, which the server does not have.
		if line, _ := bufio.NewReader(c).ReadString('\n'); strings.Contains(line, "\t") {
			io.WriteString(c, "3What?\t\terror.host\t1\r\n.\r\n")
			return
		}
		for line := range next {
			io.WriteString(c, line)
		}
	})
	w := start(t, loopbackSetup)
	req, err := http.NewRequestWithContext(t.Context(), "GET", w.base+"/gopher/"+g+"/1/slow", nil)
	if err != nil {
		t.Fatal(err)
	}
	answers := make(chan *http.Response, 1)
	go func() {
		resp, err := w.http.Do(req)
		if err != nil {
			t.Error(err)
		}
		answers <- resp
	}()
	next <- "0First\t/first\t127.0.0.1\t70\r\n"
	next <- "0Second\t/second\t127.0.0.1\t70\r\n"
	resp := <-answers
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	var got strings.Builder
	p := make([]byte, 512)
	for !strings.Contains(got.String(), "First") {
		n, err := resp.Body.Read(p)
		if got.Write(p[:n]); err != nil {
			t.Fatalf("%v: %s", err, got.String())
		}
	}
	next <- ".\r\n"
	close(next)
	rest, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(rest), "</html>") {
		t.Errorf("%v: %s", err, rest)
	}
}

// A response with neither a resource nor a redirect is a protocol error.
func TestWebInvalidResponses(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		code, _ := strconv.Atoi(r.URL.Path[1:])
		w.Header().Set("Etag", `"v1"`)
		w.WriteHeader(code)
	}))
	defer web.Close()
	stored := loopbackSetup
	stored.store = new(cache.Options)
	for _, w := range []*fixture{start(t, loopbackSetup), start(t, stored)} {
		for code, want := range map[string]int{"300": 200, "301": 502, "302": 502, "303": 502, "304": 502, "307": 502, "308": 502} {
			for _, path := range []string{"/?url=", "/api/get?url="} {
				a := w.get(path + query(web.URL+"/"+code))
				if a.StatusCode != want || want == 502 && !strings.Contains(a.body, "protocol") {
					t.Errorf("%s%s: %s %s", path, code, a.Status, a.body)
				}
			}
		}
		if a := w.get("/-/raw?url="+query(web.URL+"/304"), "If-None-Match", `"v1"`); a.StatusCode != 304 {
			t.Errorf("with a condition: %s %s", a.Status, a.body)
		}
	}
}
