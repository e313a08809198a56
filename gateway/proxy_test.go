package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
)

// proxyClient uses w as the proxy for all requests.
func (w *fixture) proxyClient() *http.Client {
	to, err := url.Parse(w.base)
	if err != nil {
		w.t.Fatal(err)
	}
	transport := &http.Transport{Proxy: http.ProxyURL(to), DisableCompression: true}
	w.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// The proxy forwards end-to-end header fields unchanged and removes hop-by-hop fields.
func TestForward(t *testing.T) {
	asked := make(chan *http.Request, 1)
	bodies := make(chan string, 1)
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked <- r
		bodies <- string(body)
		w.Header().Set("Connection", "X-Secret")
		w.Header().Set("X-Secret", "of this hop")
		w.Header().Set("Keep-Alive", "timeout=5")
		w.Header().Set("Location", "/elsewhere")
		w.Header().Add("Set-Cookie", "a=b")
		w.Header().Add("Set-Cookie", "c=d")
		w.Header().Set("Locus-Kind", "menu")
		w.WriteHeader(http.StatusFound)
		io.WriteString(w, "moved")
	}))
	defer far.Close()
	w := start(t, loopbackSetup)
	for _, method := range []string{"GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"} {
		req, err := http.NewRequestWithContext(t.Context(), method, far.URL+"/a//b;c?d=e&f=%2F", strings.NewReader("a body of "+method))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Connection", "X-Hop")
		req.Header.Set("X-Hop", "1")
		req.Header.Set("X-End", "2")
		req.Header.Set("Proxy-Authorization", "Basic c2VjcmV0")
		req.Header.Set("Cookie", "k=v")
		resp, err := w.proxyClient().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		r, sent := <-asked, <-bodies
		h := r.Header
		if r.Method != method || r.RequestURI != "/a//b;c?d=e&f=%2F" || r.Host != strings.TrimPrefix(far.URL, "http://") || sent != "a body of "+method {
			t.Errorf("%s: asked for %s %s at %s with %q", method, r.Method, r.RequestURI, r.Host, sent)
		}
		if h.Get("X-Hop") != "" || h.Get("X-End") != "2" || h.Get("Proxy-Authorization") != "" || h.Get("Cookie") != "k=v" || !strings.HasPrefix(h.Get("Via"), "1.1 locus") || h.Get("X-Forwarded-For") != "" {
			t.Errorf("%s: sent %v", method, h)
		}
		h = resp.Header
		if resp.StatusCode != http.StatusFound || h.Get("Location") != "/elsewhere" || string(body) != "moved" || len(h.Values("Set-Cookie")) != 2 ||
			h.Get("X-Secret") != "" || h.Get("Keep-Alive") != "" || h.Get("Locus-Kind") != "" || !strings.HasPrefix(h.Get("Via"), "1.1 locus") {
			t.Errorf("%s: got %s %v %q", method, resp.Status, h, body)
		}
	}
}

// The proxy forwards informational responses (RFC 9110 section 15.2). The final response does not
// contain fields of these responses.
func TestForwardInterim(t *testing.T) {
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</a.css>; rel=preload")
		w.Header().Set("Connection", "X-Hop")
		w.Header().Set("X-Hop", "1")
		w.WriteHeader(http.StatusEarlyHints)
		clear(w.Header())
		w.WriteHeader(http.StatusProcessing)
		w.Header().Set("X-Final", "2")
		io.WriteString(w, "page")
	}))
	defer far.Close()
	w := start(t, loopbackSetup)
	var interim []string
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got1xxResponse: func(status int, header textproto.MIMEHeader) error {
		interim = append(interim, fmt.Sprint(status, " ", header.Get("Link"), header.Get("X-Hop")))
		return nil
	}})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, far.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := w.proxyClient().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if want := []string{"103 </a.css>; rel=preload", "102 "}; !slices.Equal(interim, want) {
		t.Errorf("informational responses %q, want %q", interim, want)
	}
	if string(body) != "page" || err != nil || resp.Header.Get("Link") != "" || resp.Header.Get("X-Final") != "2" {
		t.Errorf("final response %q, %v, %v", body, err, resp.Header)
	}
}

func TestForwardLoop(t *testing.T) {
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Header.Get("Via")) }))
	defer far.Close()
	w := start(t, loopbackSetup)
	via := w.proxied("GET", far.URL+"/").body
	if again := w.proxied("GET", far.URL+"/", "Via", via); again.StatusCode != http.StatusLoopDetected {
		t.Errorf("%s: %s", again.Status, again.body)
	}
	// Pages of the gateway itself do not cause a loop, either.
	for _, path := range []string{"/-/raw/http/", "/http/", "/api/get?url=http://"} {
		if a := w.get(path + w.addr + "/healthz"); !strings.Contains(a.body, "508") {
			t.Errorf("%s: %s %s", path, a.Status, a.body)
		}
	}
	if trace := w.proxied("TRACE", far.URL+"/"); trace.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("TRACE: %s", trace.Status)
	}
}

// Browsers also request the gateway's own pages through the proxy. The same checks apply.
func TestProxyOfItself(t *testing.T) {
	w := start(t, loopbackSetup)
	for u, want := range map[string]int{
		w.base + "/healthz": 200, w.base + "/?url=" + query("http://h:99999/"): 400, w.base: 200,
		strings.Replace(w.base, "127.0.0.1", "localhost", 1) + "/healthz": 200,
	} {
		a := w.proxied("GET", u, "Host", strings.TrimPrefix(strings.SplitAfterN(u+"/", "/", 4)[2], "//"))
		if a.StatusCode != want && a.StatusCode != 400 {
			t.Errorf("%s: %s %s", u, a.Status, a.body)
		}
	}
	if a := w.proxied("GET", w.base+"/healthz"); a.body != healthy {
		t.Errorf("%s %s", a.Status, a.body)
	}
}

// A proxy ignores the Host field of a request in absolute form (RFC 9112 section 3.2.2),
// and refuses a request with two Host fields.
func TestProxyIgnoresHost(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Host) }))
	defer origin.Close()
	w := start(t, loopbackSetup)
	want := strings.TrimPrefix(origin.URL, "http://")
	if a := w.proxied("GET", origin.URL+"/", "Host", "other.example"); a.StatusCode != 200 || a.body != want {
		t.Errorf("%s: the server got the host %q, not %q", a.Status, a.body, want)
	}
	for _, fields := range [][]string{{"Host", "a.example", "Host", "b.example"}, {"Host", "a b"}} {
		if a := w.proxied("GET", origin.URL+"/", fields...); a.StatusCode != 400 {
			t.Errorf("%q: %s", fields, a.Status)
		}
	}
}

func TestProxyForeign(t *testing.T) {
	g, err := gophertest.Start(gophertest.Item{Name: "The root", Items: []gophertest.Item{
		{Name: "A text", Selector: "/text", Data: "Hello\n"},
		{Name: "Find", Selector: "/find", Search: func(string) []gophertest.Item { return nil }},
	}}, &gophertest.Options{Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	f, err := ftptest.Start(ftptest.Files{"pub/a.txt": {Data: "0123456789"}, "pub/b c.txt": {Data: "x"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := start(t, loopbackSetup)

	root := "gopher://" + g.Addr() + "/"
	if a := w.proxied("GET", root); a.StatusCode != 200 || !strings.Contains(a.body, "A text\t"+root+"0/text\n") {
		t.Errorf("for a program: %s %q", a.Status, a.body)
	}
	a := w.proxied("GET", root, browser...)
	policy := a.Header.Get("Content-Security-Policy")
	if a.StatusCode != 200 || !strings.Contains(a.body, `href="`+w.base+"/gopher/"+g.Addr()+`/0/text"`) || strings.Contains(a.body, "Zgotmpl") ||
		!strings.Contains(policy, "style-src "+w.base) || strings.Contains(policy, "'self'") {
		t.Errorf("for a browser: %s %s %s", a.Status, policy, a.body)
	}
	if a := w.proxied("HEAD", root, browser...); a.StatusCode != 200 || a.body != "" {
		t.Errorf("HEAD: %s %q", a.Status, a.body)
	}
	if a := w.proxied("GET", root+"0/text", browser...); a.body != "Hello\r\n" || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/plain") {
		t.Errorf("a text: %v %q", a.Header, a.body)
	}
	if a := w.proxied("GET", root+"0/nothing"); a.StatusCode != 404 && a.StatusCode != 200 {
		t.Errorf("nothing: %s %q", a.Status, a.body)
	}
	file := "ftp://" + f.Addr() + "/pub/a.txt"
	if a := w.proxied("GET", file); a.body != "0123456789" || a.ContentLength != 10 || a.Header.Get("Last-Modified") == "" {
		t.Errorf("%s: %v %q", file, a.Header, a.body)
	}
	if a := w.proxied("HEAD", file); a.body != "" || a.Header.Get("Content-Length") != "10" {
		t.Errorf("HEAD %s: %v %q", file, a.Header, a.body)
	}
	if a := w.proxied("GET", file, "Range", "bytes=4-"); a.StatusCode != 206 || a.body != "456789" || a.Header.Get("Content-Range") != "bytes 4-9/10" {
		t.Errorf("a range: %s %v %q", a.Status, a.Header, a.body)
	}
	if a := w.proxied("POST", file, "Content-Length", "0"); a.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %s", a.Status)
	}
	if a := w.proxied("GET", "telnet://"+f.Addr()+"/", browser...); a.StatusCode != http.StatusSeeOther || !strings.HasPrefix(a.Header.Get("Location"), w.base+"/telnet/") {
		t.Errorf("telnet: %s %v", a.Status, a.Header)
	}
	for u, want := range map[string]int{
		"ftp://" + f.Addr() + "/none": 404, "x-none://h/": 501, "gopher://127.0.0.1:1/": 403, "gopher://h/0a%0D%0Ab": 400, "mailto:a@b.example": 501,
	} {
		if a := w.proxied("GET", u); a.StatusCode != want || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/plain") || a.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %s %v %s", u, a.Status, a.Header, a.body)
		}
		if a := w.proxied("GET", u, browser...); u[0] != 'm' && (a.StatusCode != want || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html")) {
			t.Errorf("%s, for a browser: %s %v", u, a.Status, a.Header)
		}
	}
}

func TestConnect(t *testing.T) {
	echo := listen(t, func(c net.Conn) { io.Copy(c, c) })
	_, port, err := net.SplitHostPort(echo)
	if err != nil {
		t.Fatal(err)
	}
	s := loopbackSetup
	var n uint16
	fmt.Sscan(port, &n)
	s.gateway.ConnectPorts = []uint16{n}
	w := start(t, s)

	c, err := net.Dial("tcp", w.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	// Data that arrives with the request belongs to the tunnel.
	fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\nearly ", echo, echo)
	r := bufio.NewReader(c)
	resp, err := http.ReadResponse(r, &http.Request{Method: "CONNECT"})
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("%v %v", resp, err)
	}
	// A tunnel passes any bytes, even if they are not HTTP.
	octets := "\x00\xff\nGET / HTTP/1.1\n\n" + strings.Repeat("x", 100_000)
	go func() {
		io.WriteString(c, octets)
		c.(*net.TCPConn).CloseWrite()
	}()
	got, err := io.ReadAll(r)
	if err != nil || string(got) != "early "+octets {
		t.Errorf("%d octets of %d, %v", len(got), len(octets), err)
	}

	for target, want := range map[string]string{
		w.addr: "403", "localhost:" + strings.Split(w.addr, ":")[1]: "403", "127.0.0.1:1": "403", "127.0.0.1": "400", "a b:443": "400", "127.0.0.1:99999": "400",
	} {
		if a := w.raw("CONNECT " + target + " HTTP/1.1\r\nHost: x\r\n\r\n"); !strings.HasPrefix(a, "HTTP/1.1 "+want) {
			t.Errorf("CONNECT %s: %.100q", target, a)
		}
	}
	// The policy applies to tunnels.
	s.rules = policy.Rules{TypedPrivate: true}
	if a := start(t, s).raw("CONNECT " + echo + " HTTP/1.1\r\nHost: x\r\n\r\n"); !strings.HasPrefix(a, "HTTP/1.1 403") {
		t.Errorf("a private address: %.100q", a)
	}
}

// Tunnels and terminals count as requests to their server.
func TestPerHost(t *testing.T) {
	echo := listen(t, func(c net.Conn) { io.Copy(c, c) })
	s := loopbackSetup
	var n uint16
	fmt.Sscan(strings.Split(echo, ":")[1], &n)
	s.gateway.ConnectPorts = []uint16{n}
	s.gateway.Limits.PerHost = 1
	w := start(t, s)
	c, err := net.Dial("tcp", w.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n", echo)
	r := bufio.NewReader(c)
	if resp, err := http.ReadResponse(r, &http.Request{Method: "CONNECT"}); err != nil || resp.StatusCode != 200 {
		t.Fatalf("%v %v", resp, err)
	}
	if a := w.raw("CONNECT " + echo + " HTTP/1.1\r\nHost: x\r\n\r\n"); !strings.HasPrefix(a, "HTTP/1.1 503") || !strings.Contains(a, "Retry-After: 1\r\n") {
		t.Errorf("another tunnel: %.200q", a)
	}
	// The limit does not depend on the port, or on how packages net/http and net/url write
	// a URL.
	for _, u := range []string{"http://127.0.0.1:9999/", "gopher://127.0.0.1/0a%3fb%7e", "/-/raw/gopher/127.0.0.1:9999/", "/api/get?url=ftp://127.0.0.1/"} {
		if a := w.raw("GET " + u + " HTTP/1.0\r\n\r\n"); !strings.HasPrefix(a, "HTTP/1.0 503") {
			t.Errorf("%s: %.200q", u, a)
		}
	}
	if a := w.raw("GET gopher://127.0.0.1:25/ HTTP/1.0\r\n\r\n"); !strings.HasPrefix(a, "HTTP/1.0 403") {
		t.Errorf("a URL that is denied: %.200q", a)
	}
	if screen, _, err := w.dial(t, "telnet://127.0.0.1/", w.base); err != nil {
		t.Error(err)
	} else {
		for screen.readMessage() {
		}
		if !strings.Contains(screen.value("error"), "too many requests to this server") {
			t.Errorf("a terminal: %s", screen.all())
		}
	}
	c.(*net.TCPConn).CloseWrite()
	io.Copy(io.Discard, r)
	for {
		// The test sees the end of the tunnel before the gateway counts it.
		if a := w.raw("GET http://127.0.0.1:1/ HTTP/1.0\r\n\r\n"); !strings.HasPrefix(a, "HTTP/1.0 503") {
			break
		}
	}
}

// A tunnel ends with the gateway.
func TestConnectShutdown(t *testing.T) {
	gone := make(chan struct{})
	far := listen(t, func(c net.Conn) {
		io.Copy(io.Discard, c)
		close(gone)
	})
	s := loopbackSetup
	var n uint16
	fmt.Sscan(strings.Split(far, ":")[1], &n)
	s.gateway.ConnectPorts = []uint16{n}
	var c net.Conn
	t.Run("", func(t *testing.T) {
		w := start(t, s)
		var err error
		if c, err = net.Dial("tcp", w.addr); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n", far)
		if _, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: "CONNECT"}); err != nil {
			t.Fatal(err)
		}
	})
	<-gone
	c.Close()
}

// The gateway forwards each byte immediately, without waiting for the next byte.
func TestStreaming(t *testing.T) {
	next := make(chan string)
	far := listen(t, func(c net.Conn) {
		r, err := http.ReadRequest(bufio.NewReader(c))
		if err != nil {
			return
		}
		if r.URL.Path == "/raw" {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n")
		}
		for text := range next {
			if text == "" {
				return
			}
			io.WriteString(c, text)
		}
	})
	w := start(t, loopbackSetup)
	for _, path := range []string{"http://" + far + "/raw", w.base + "/-/raw/http/" + far + "/raw"} {
		c, err := net.Dial("tcp", w.addr)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "GET %s HTTP/1.0\r\n\r\n", path)
		r := bufio.NewReader(c)
		next <- "1"
		resp, err := http.ReadResponse(r, nil)
		if err != nil || resp.StatusCode != 200 {
			t.Fatalf("%v %v", resp, err)
		}
		octet := make([]byte, 1)
		for _, text := range []string{"1", "2", "3"} {
			if _, err := io.ReadFull(resp.Body, octet); err != nil || string(octet) != text {
				t.Fatalf("%q, %v", octet, err)
			}
			next <- string(text[0] + 1)
		}
		next <- ""
		if rest, err := io.ReadAll(resp.Body); err != nil || string(rest) != "4" {
			t.Errorf("%q, %v", rest, err)
		}
		c.Close()
	}
	close(next)
}

// A client does not read an incomplete body as complete.
func TestIncompleteBody(t *testing.T) {
	far := listen(t, func(c net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
		}
	})
	w := start(t, loopbackSetup)
	resp, err := w.proxyClient().Get("http://" + far + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("%q is whole", body)
	}
}

// An endless body uses bounded memory, and ends when its reader leaves.
func TestEndless(t *testing.T) {
	gone := make(chan struct{})
	far := listen(t, func(c net.Conn) {
		defer close(gone)
		if _, err := http.ReadRequest(bufio.NewReader(c)); err != nil {
			return
		}
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
		for {
			if _, err := c.Write(bytes.Repeat([]byte("endless\n"), 1024)); err != nil {
				return
			}
		}
	})
	w := start(t, loopbackSetup)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", "http://"+far+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := w.proxyClient().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.CopyN(io.Discard, resp.Body, 4<<20); err != nil {
		t.Fatal(err)
	}
	cancel()
	<-gone
}
