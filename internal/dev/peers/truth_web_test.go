package peers

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// truthWeb serves the pages of testdata/truth.tsv by path.
type truthWeb struct {
	docs, web, tls, expired, closed string // host:port of the servers

	mu    sync.Mutex
	tries map[string]int // by client and URL
}

const truthAnchors = `<!doctype html><html><head><title id="x-title">in-title</title><script>var s = '<p id="in-script">';</script></head><body>
<!-- <p id="in-comment"> --><p id="plain">The <b>quick</b> brown fox jumps over the lazy dog. id="in-text"</p>
<a name="named">n</a><div name="named-div">d</div><p id='single'>s</p><p id=bare>b</p><p id="UPPER">U</p><P ID="shout">S</P>
<p id="über">ü</p><p id="a&amp;b">ab</p><p id="a b">ab</p><svg><g id="in-svg"/></svg><p id="1">1</p><p id="a.b:c">abc</p>
<p data-id="data-id">d</p><p title='id="in-value"'>v</p><p id="twice">1</p><p id="twice">2</p><noscript><p id="in-noscript">n</p></noscript>
<table><tr><td id="in-table">t</td></tr></table><p id="user-content-x">x</p>
`

const truthMarkdown = "# A heading\n\ntext\n\n## A heading\n\n## Café\n\n<a name=\"own-name\"></a>\n"

func (t *truthWeb) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, rest := r.URL.Path, ""
	if i := strings.IndexByte(path[1:], '/'); i >= 0 {
		path, rest = path[:i+1], path[i+2:]
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	number, _ := strconv.Atoi(rest)
	switch path {
	case "/ok", "/ok;v=1", "/x", "/a b", "/üñï", "/日本", "/100%", "/it's(a)*test!$,~", "/a:b@c&d=e+f", "/", "/app.js":
		if r.URL.RawPath == "/dir%2Fdeep%2Fpage.html" {
			break
		}
		io.WriteString(w, `<p id="other">ok</p>`)
		return
	case "/one":
		if r.URL.EscapedPath() == "/one%2Ftwo" {
			io.WriteString(w, "ok")
			return
		}
	case "/dir":
		if (rest == "" || rest == "deep/page.html") && !strings.Contains(r.URL.EscapedPath(), "%2F") {
			io.WriteString(w, "ok")
			return
		}
	case "/status":
		if number == 401 {
			h.Set("WWW-Authenticate", `Basic realm="x"`)
		}
		w.WriteHeader(number)
		return
	case "/head", "/get", "/head-and-get", "/flaky", "/slow", "/mute", "/busy", "/login", "/soft":
		t.moody(w, r, path, rest)
		return
	case "/to", "/chain", "/loop", "/redirect":
		t.redirect(w, r, path, rest)
		return
	case "/type", "/wrong-type", "/huge", "/empty", "/gzip", "/coding", "/chunked", "/hints", "/anchors", "/notes.md", "/app", "/refresh", "/xhtml":
		t.object(w, r, path, rest)
		return
	}
	if strings.HasPrefix(r.URL.Path, "//double") {
		io.WriteString(w, "ok")
		return
	}
	w.WriteHeader(http.StatusNotFound)
	io.WriteString(w, "not found")
}

// hangUp closes the connection without a response.
func hangUp(w http.ResponseWriter) {
	if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
		c.Close()
	}
}

// moody sends responses that depend on the method or the attempt. Some responses are late, and
// some requests get no response.
func (t *truthWeb) moody(w http.ResponseWriter, r *http.Request, path, rest string) {
	isHead := r.Method == http.MethodHead
	kind, count, _ := strings.Cut(rest, "/")
	status, _ := strconv.Atoi(kind)
	switch path {
	case "/head":
		switch {
		case !isHead:
			io.WriteString(w, "ok")
		case kind == "close":
			hangUp(w)
		case kind == "body":
			if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
				io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody")
				c.Close()
			}
		case kind == "length":
			w.Header().Set("Content-Length", "1000000")
		default:
			w.WriteHeader(status)
		}
	case "/get":
		if !isHead {
			w.WriteHeader(status)
		}
	case "/head-and-get":
		w.WriteHeader(status)
	case "/flaky":
		most, _ := strconv.Atoi(count)
		t.mu.Lock()
		key := r.UserAgent() + " " + r.RequestURI
		t.tries[key]++
		again := t.tries[key] <= most
		t.mu.Unlock()
		switch {
		case !again:
			io.WriteString(w, "ok")
		case kind == "close":
			hangUp(w)
		default:
			if status == 429 {
				w.Header().Set("Retry-After", "1")
			}
			w.WriteHeader(status)
		}
	case "/slow":
		late := time.NewTimer(time.Duration(status) * time.Millisecond)
		defer late.Stop()
		select {
		case <-late.C:
			io.WriteString(w, "ok")
		case <-r.Context().Done():
		}
	case "/mute":
		<-r.Context().Done()
	case "/busy":
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
	case "/login":
		if user, password, _ := r.BasicAuth(); user != "user" || password != "open" {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
		}
	case "/soft":
		io.WriteString(w, "<h1>Sorry</h1><p>This page was not found.")
	}
}

func (t *truthWeb) redirect(w http.ResponseWriter, r *http.Request, path, rest string) {
	kind, to, _ := strings.Cut(rest, "/")
	number, _ := strconv.Atoi(kind)
	go302 := func(to string) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	}
	switch path {
	case "/to":
		w.Header().Set("Location", "http://"+t.web+"/"+to)
		w.WriteHeader(number)
	case "/chain":
		if number <= 1 {
			go302("/ok?end")
			return
		}
		go302(fmt.Sprint("/chain/", number-1))
	case "/loop":
		switch {
		case kind == "self":
			go302("/loop/self")
		case kind == "three":
			n, _ := strconv.Atoi(to)
			go302(fmt.Sprint("/loop/three/", n%3+1))
		case kind == "two":
			go302("/loop")
		default:
			go302("/loop/two")
		}
	case "/redirect":
		switch kind {
		case "cookie":
			http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1"})
		case "query":
			if r.URL.RawQuery != "" {
				return
			}
		case "none":
			w.WriteHeader(http.StatusFound)
			return
		}
		go302(map[string]string{
			"bad": "http://[", "file": "file:///etc/passwd", "relative": "../ok?relative", "dots": "./../dir/./../ok?dots", "query": "?page",
			"scheme-relative": "//" + t.web + "/ok?scheme", "docs": "http://" + t.docs + "/docs/page.html?redirect", "closed": "http://" + t.closed + "/x",
			"fragment": "/anchors?f#plain", "lost": "/anchors?l#nowhere", "tls": "https://" + t.tls + "/ok?redirect", "expired": "https://" + t.expired + "/ok",
			"cookie": "/ok?cookie",
		}[kind])
	}
}

func (t *truthWeb) object(w http.ResponseWriter, r *http.Request, path, rest string) {
	h := w.Header()
	switch path {
	case "/type":
		h["Content-Type"] = nil
		if rest != "" {
			h.Set("Content-Type", rest)
		}
		io.WriteString(w, "some text\n")
	case "/wrong-type":
		h.Set("Content-Type", "image/png")
		io.WriteString(w, "<p>a page")
	case "/huge":
		if r.Method == http.MethodHead {
			return
		}
		line := bytes.Repeat([]byte("x"), 64<<10)
		for r.Context().Err() == nil {
			if _, err := w.Write(line); err != nil {
				return
			}
		}
	case "/empty":
		h.Set("Content-Length", "0")
	case "/gzip":
		h.Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, "<p>packed")
		z.Close()
	case "/coding":
		h.Set("Content-Encoding", "x-own")
		io.WriteString(w, "?")
	case "/chunked":
		for range 3 {
			io.WriteString(w, "<p>chunk")
			w.(http.Flusher).Flush()
		}
	case "/hints":
		h.Set("Link", "</app.js>; rel=preload; as=script")
		w.WriteHeader(http.StatusEarlyHints)
		io.WriteString(w, "ok")
	case "/anchors":
		io.WriteString(w, truthAnchors)
		io.WriteString(w, strings.Repeat("<p>far</p>\n", 100_000))
		io.WriteString(w, `<p id="far">far</p>`)
	case "/notes.md":
		h.Set("Content-Type", "text/markdown; charset=utf-8")
		io.WriteString(w, truthMarkdown)
	case "/app":
		io.WriteString(w, `<!doctype html><title>App</title><div id="root"></div><script src="/app.js"></script>`)
	case "/refresh":
		io.WriteString(w, `<meta http-equiv="refresh" content="0; url=/anchors"><p>This page has moved, and the browser follows by itself.`)
	case "/xhtml":
		h.Set("Content-Type", "application/xhtml+xml")
		io.WriteString(w, `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><p id="inside">x</p></body></html>`)
	}
}

// startWeb starts an HTTP server and returns its host and port. The function configure may change
// the server before it starts.
func startWeb(t *testing.T, h http.Handler, configure func(*httptest.Server)) string {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	if configure != nil {
		configure(s)
	} else {
		s.Start()
	}
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.Listener.Addr().String()
}

// rawAnswers maps paths to responses that violate HTTP.
var rawAnswers = map[string]string{
	"garbage":  "\x00\x01\x02\xff\xfe noise \r\n\r\n",
	"ssh":      "SSH-2.0-OpenSSH_9.2\r\n",
	"half":     "HTTP/1.1 200 OK\r\nContent-Le",
	"header":   "HTTP/1.1 200 OK\r\n" + strings.Repeat("X-Filler: "+strings.Repeat("x", 1000)+"\r\n", 2000),
	"zero":     "<p>a page of 1991",
	"version":  "HTTP/7.3 200 OK\r\n\r\n",
	"status":   "HTTP/1.1 two hundred\r\n\r\n",
	"reason":   "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok",
	"bare":     "HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
	"case":     "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-type: text/plain\r\n\r\nok",
	"fold":     "HTTP/1.1 200 OK\r\nX-Long: a\r\n b\r\nContent-Length: 2\r\n\r\nok",
	"continue": "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
	"short":    "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nok",
	"long":     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok and more",
	"http10":   "HTTP/1.0 200 OK\r\n\r\nok",
	"latin":    "HTTP/1.1 200 Gr\xfc\xdfe\r\nContent-Length: 2\r\n\r\nok",
}

// startRaw starts a server that answers with rawAnswers, and sends some of these responses to HEAD
// requests as well.
func startRaw(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	var open sync.WaitGroup
	open.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			open.Go(func() {
				defer c.Close()
				answerRaw(c.(*net.TCPConn), ended)
			})
		}
	})
	t.Cleanup(func() { close(ended); l.Close(); open.Wait() })
	return l.Addr().String()
}

func answerRaw(c *net.TCPConn, ended <-chan struct{}) {
	c.SetDeadline(time.Now().Add(30 * time.Second))
	request := make([]byte, 4096)
	n, err := c.Read(request)
	if err != nil {
		return
	}
	fields := strings.Fields(string(request[:n]))
	if len(fields) < 2 {
		return
	}
	switch path := strings.TrimPrefix(fields[1], "/"); path {
	case "close":
	case "reset":
		c.SetLinger(0)
	case "drip":
		for range 30 {
			if _, err := io.WriteString(c, "H"); err != nil {
				return
			}
			select {
			case <-ended:
				return
			case <-time.After(time.Second):
			}
		}
	default:
		text := rawAnswers[path]
		if header, _, ok := strings.Cut(text, "\r\n\r\nok"); ok && fields[0] == http.MethodHead {
			text = header + "\r\n\r\n"
		}
		io.WriteString(c, text)
	}
}
