package verify

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
)

// traps is the server for testdata/traps.tsv. The first path segment selects the behavior of the
// server.
type traps struct {
	mu    sync.Mutex
	tries map[string]int // number of requests by path
}

const trapPage = `<!doctype html><title>page</title><p id=here>Some <b>words</b> and more<a name=named>n</a><div name=name-of-div>d</div>
<p id="a b"><p id="100%"><p id="b%3Ac"><p id=über><p id="🏛"><template><p id=in-template></template><p id=first id=second-id>
<!-- <p id=in-comment> --><svg><g id=in-svg /></svg><p id="entity&amp;copy"><noscript><p id=in-noscript></noscript>
`

func (s *traps) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kind, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	serve, ok := map[string]func(http.ResponseWriter, *http.Request, string){
		"": page, "ok": page, "page": page, "status": status, "head": s.head, "get": onlyHead, "head-get": status, "to": redirect,
		"chain": s.chain, "chain-missing": s.chain, "endless": s.chain, "loop": s.chain, "location": location, "refresh": refreshTrap,
		"cookie": cookie, "type": typed, "app": app, "charset": charsetTrap, "coding": coding, "raw": raw, "hang": hang, "flaky": s.flaky,
		"later": later, "auth": auth, "agent": agent, "accept": accept, "soft": soft,
	}[kind]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	serve(w, r, rest)
}

// pass counts the requests for a path, beginning at 1.
func (s *traps) pass(r *http.Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tries == nil {
		s.tries = map[string]int{}
	}
	s.tries[r.URL.Path]++
	return s.tries[r.URL.Path]
}

func html(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	io.WriteString(w, text)
}

func page(w http.ResponseWriter, _ *http.Request, _ string) { html(w, trapPage) }

func status(w http.ResponseWriter, _ *http.Request, rest string) {
	code, _ := strconv.Atoi(rest)
	w.WriteHeader(code)
}

// head returns wrong responses to HEAD requests.
func (s *traps) head(w http.ResponseWriter, r *http.Request, rest string) {
	if r.Method != http.MethodHead {
		page(w, r, rest)
		return
	}
	switch rest {
	case "close":
		writeReply(w, "")
	case "garbage":
		writeReply(w, "\x00\x01\x02\x03")
	case "body":
		writeReply(w, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\nbody")
	case "hang":
		hang(w, r, rest)
	case "pause":
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusServiceUnavailable)
	case "redirect-missing":
		to(w, http.StatusFound, "/missing")
	case "redirect-loop":
		to(w, http.StatusFound, r.URL.Path)
	case "redirect-refused":
		to(w, http.StatusFound, "http://quiet.example/")
	default:
		status(w, r, rest)
	}
}

func onlyHead(w http.ResponseWriter, r *http.Request, rest string) {
	if r.Method != http.MethodHead {
		status(w, r, rest)
	}
}

func to(w http.ResponseWriter, code int, location string) {
	w.Header().Set("Location", replaceHosts(location))
	w.WriteHeader(code)
}

func redirect(w http.ResponseWriter, _ *http.Request, rest string) {
	code, where, _ := strings.Cut(rest, "/")
	n, _ := strconv.Atoi(code)
	to(w, n, "/"+where)
}

// chain redirects as often as the path specifies, endlessly, or in a loop.
func (s *traps) chain(w http.ResponseWriter, r *http.Request, rest string) {
	kind, _, _ := strings.Cut(r.URL.Path[1:], "/")
	n, _ := strconv.Atoi(rest)
	switch {
	case kind == "endless":
		to(w, http.StatusFound, fmt.Sprint("/endless/", n+1))
	case kind == "loop":
		at, _ := strconv.Atoi(r.URL.RawQuery)
		to(w, http.StatusFound, fmt.Sprintf("/loop/%d?%d", n, (at+1)%n))
	case n > 0:
		to(w, http.StatusFound, fmt.Sprintf("/%s/%d", kind, n-1))
	case kind == "chain-missing":
		w.WriteHeader(http.StatusNotFound)
	}
}

func location(w http.ResponseWriter, r *http.Request, rest string) {
	if r.URL.RawQuery == "again" {
		return
	}
	where, ok := map[string]string{
		"relative": "../ok", "dots": "/a/./b/../../ok", "absolute-path": "/ok", "scheme-relative": "//other.example/ok", "query": "?again",
		"other-host": "http://other.example/ok", "other-port": "http://web.example:8080/ok", "spaces": "  /ok  ", "upper": "HTTP://WEB.EXAMPLE/ok",
		"dot": "http://web.example./ok", "tls": "https://good.example/ok", "other-host-missing": "http://other.example/missing",
		"refused": "http://quiet.example/", "no-host": "http://none.example/", "expired": "https://expired.example/ok", "empty": "",
		"invalid": "http://[", "port": "http://web.example:99999/", "javascript": "javascript:void(0)", "file": "file:///etc/passwd",
		"data": "data:text/plain,x", "fragment": "/page#here", "lost": "/page#lost",
	}[rest]
	if !ok {
		w.WriteHeader(http.StatusFound)
		return
	}
	to(w, http.StatusFound, where)
}

func refreshTrap(w http.ResponseWriter, r *http.Request, rest string) {
	value, _ := url.QueryUnescape(r.URL.RawQuery)
	switch rest {
	case "header":
		w.Header().Set("Refresh", value)
		html(w, trapPage)
	case "meta":
		html(w, `<meta http-equiv="refresh" content="`+value+`">`+trapPage)
	case "noscript":
		html(w, `<noscript><meta http-equiv="refresh" content="`+value+`"></noscript>`+trapPage)
	}
}

// cookie redirects until the client sends the cookies.
func cookie(w http.ResponseWriter, r *http.Request, rest string) {
	has := func(name string) bool { _, err := r.Cookie(name); return err == nil }
	again := func(cookie string) {
		w.Header().Add("Set-Cookie", cookie)
		to(w, http.StatusFound, r.URL.Path)
	}
	switch rest {
	case "same":
		if !has("a") {
			again("a=1")
		}
	case "two":
		if !has("a") {
			again("a=1")
		} else if !has("b") {
			again("b=1")
		}
	case "404":
		if !has("a") {
			w.Header().Add("Set-Cookie", "a=1; Path=/cookie")
			to(w, http.StatusFound, "/cookie/404b")
		}
	case "404b":
		if !has("a") {
			w.WriteHeader(http.StatusNotFound)
		}
	case "path":
		w.Header().Add("Set-Cookie", "elsewhere=1; Path=/b")
		to(w, http.StatusFound, "/cookie/without")
	case "foreign":
		w.Header().Add("Set-Cookie", "foreign=1; Domain="+strings.TrimPrefix(replaceHosts(".example"), "."))
		w.Header().Add("Set-Cookie", "elsewhere=1")
		to(w, http.StatusFound, "http://other.example/cookie/without")
	case "secure":
		w.Header().Add("Set-Cookie", "elsewhere=1; Secure")
		to(w, http.StatusFound, "/cookie/without")
	case "without":
		if has("elsewhere") || has("foreign") {
			w.WriteHeader(http.StatusNotFound)
		}
	case "never":
		again("a=1")
	case "missing":
		if !has("a") {
			again("a=1")
			return
		}
		w.WriteHeader(http.StatusNotFound)
	}
}

func typed(w http.ResponseWriter, _ *http.Request, rest string) { w.Header().Set("Content-Type", rest) }

func app(w http.ResponseWriter, _ *http.Request, _ string) {
	html(w, "<div id=root></div><script src=app.js></script>")
}

// charsetTrap serves a page with non-ASCII ids in a charset.
func charsetTrap(w http.ResponseWriter, _ *http.Request, rest string) {
	name, how, _ := strings.Cut(rest, "-")
	encoder, label, id := encoding.Encoding(charmap.ISO8859_1), "iso-8859-1", "über"
	switch name {
	case "sjis":
		encoder, label, id = japanese.ShiftJIS, "shift_jis", "日本"
	case "eucjp":
		encoder, label, id = japanese.EUCJP, "euc-jp", "日本"
	case "utf16":
		label, id = "utf-16le", "日本"
	}
	before, header := "", "text/html"
	switch {
	case how == "meta":
		before = "<meta charset=" + label + ">"
	case how == "http-equiv":
		before = `<meta http-equiv=Content-Type content="text/html; charset=` + label + `">`
	case how == "xml":
		before, header = `<?xml version="1.0" encoding="`+label+`"?>`, "application/xhtml+xml"
	case name != "undeclared" && rest != "utf16":
		header += "; charset=" + label
	}
	w.Header().Set("Content-Type", header)
	text := before + "<p id=\"" + id + "\">text</p>"
	if name == "utf16" {
		if how == "" {
			text = "\uFEFF" + text
		}
		for _, unit := range utf16.Encode([]rune(text)) {
			w.Write([]byte{byte(unit), byte(unit >> 8)})
		}
		return
	}
	text, _ = encoder.NewEncoder().String(text)
	io.WriteString(w, text)
}

func coding(w http.ResponseWriter, _ *http.Request, rest string) {
	var body bytes.Buffer
	name := rest
	switch rest {
	case "gzip", "x-gzip", "damaged":
		z := gzip.NewWriter(&body)
		io.WriteString(z, trapPage)
		z.Close()
		if rest == "damaged" {
			name = "gzip"
			body.Truncate(body.Len() / 2)
		}
	case "deflate":
		z := zlib.NewWriter(&body)
		io.WriteString(z, trapPage)
		z.Close()
	case "br":
		body.WriteString("\x0b\x02\x80brotli\x03")
	default:
		body.WriteString(trapPage)
	}
	w.Header().Set("Content-Encoding", name)
	w.Header().Set("Content-Type", "text/html")
	w.Write(body.Bytes())
}

// writeReply writes text, which need not be HTTP, and closes the connection.
func writeReply(w http.ResponseWriter, text string) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	io.WriteString(conn, text)
}

func raw(w http.ResponseWriter, r *http.Request, rest string) {
	const ok, page = "HTTP/1.1 200 OK\r\n", "Content-Type: text/html\r\n"
	if rest == "reset" {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.(*net.TCPConn).SetLinger(0)
			conn.Close()
		}
		return
	}
	const chunk = "13\r\n<p id=here>text</p>\r\n"
	texts := map[string]string{
		"ok": ok + "Content-Length: 0\r\n\r\n", "http10": "HTTP/1.0 200 OK\r\n\r\n", "no-length": ok + "\r\n", "no-reason": "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n",
		"bare-lf": "HTTP/1.1 200 OK\nContent-Length: 0\n\n", "lower": "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", "fold": ok + "X-A: b\r\n c\r\nContent-Length: 0\r\n\r\n",
		"continue": "HTTP/1.1 100 Continue\r\n\r\n" + ok + "Content-Length: 0\r\n\r\n", "hints": "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok + "Content-Length: 0\r\n\r\n",
		"latin1": "HTTP/1.1 200 D'acc\xf4rd\r\nContent-Length: 0\r\n\r\n", "chunked": ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"404-chunked": "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", "404-short": "HTTP/1.1 404 Not Found\r\nContent-Length: 99\r\n\r\nx",
		"close": "", "garbage": "\x00\xff\x00\xff\r\n\r\n", "ssh": "SSH-2.0-x\r\n", "smtp": "220 h.example ESMTP\r\n", "half": ok + "Content-Le",
		"http09": "<p>page</p>", "version": "HTTP/7.3 200 OK\r\n\r\n", "status-word": "HTTP/1.1 fine OK\r\n\r\n", "huge-header": ok + "X: " + strings.Repeat("x", 1<<20),
		"two-lengths": ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", "space-colon": ok + "Content-Length : 0\r\n\r\n",
		"short": ok + page + "Content-Length: 99\r\n\r\n<p>", "bad-chunk": ok + page + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", "cut-chunk": ok + page + "Transfer-Encoding: chunked\r\n\r\n99\r\n<p>",
		"ok-page": ok + page + "\r\n<p id=here>text</p>", "chunked-page": ok + page + "Transfer-Encoding: chunked\r\n\r\n" + chunk + "0\r\n\r\n",
	}
	if r.Method == http.MethodHead && strings.HasPrefix(rest, "404-") {
		writeReply(w, "HTTP/1.1 404 Not Found\r\n\r\n")
		return
	}
	writeReply(w, texts[rest])
}

func hang(_ http.ResponseWriter, r *http.Request, _ string) { <-r.Context().Done() }

// flaky fails for HEAD and for the first GET, and then succeeds.
func (s *traps) flaky(w http.ResponseWriter, r *http.Request, rest string) {
	switch {
	case rest != "404" && s.pass(r) > 2:
	case rest == "close":
		writeReply(w, "")
	default:
		status(w, r, rest)
	}
}

func later(w http.ResponseWriter, _ *http.Request, _ string) {
	w.Header().Set("Retry-After", "3600")
	w.WriteHeader(http.StatusServiceUnavailable)
}

func auth(w http.ResponseWriter, r *http.Request, rest string) {
	switch {
	case rest == "head" && r.Method == http.MethodGet:
		return
	case rest == "digest":
		w.Header().Set("WWW-Authenticate", `Digest realm="x", nonce="y"`)
	case rest != "none":
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
	}
	w.WriteHeader(http.StatusUnauthorized)
}

func agent(w http.ResponseWriter, r *http.Request, _ string) {
	if !strings.Contains(r.UserAgent(), "Mozilla") {
		w.WriteHeader(http.StatusNotFound)
	}
}

func accept(w http.ResponseWriter, r *http.Request, _ string) {
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		w.WriteHeader(http.StatusNotFound)
	}
}

func soft(w http.ResponseWriter, _ *http.Request, _ string) { html(w, "<h1>Page not found</h1>") }
