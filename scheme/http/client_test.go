package http

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/agent"
	"github.com/locus-url/locus/scheme"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// dialer dials the loopback address for every hostname, and counts connections.
type dialer struct {
	dialed atomic.Int64
	to     string // address to dial instead of every address; empty means the requested address
}

func (d *dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	d.dialed.Add(1)
	if d.to != "" {
		address = d.to
	}
	var nd net.Dialer
	return nd.DialContext(ctx, network, address)
}

// serve starts a server, and returns the URL of the server without the final "/".
func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// serveRaw starts a server that reads a request header, sends the result of script unchanged,
// and closes the connection. It returns the URL of the server, and a function that returns the
// received requests.
func serveRaw(t *testing.T, script func(request string) string) (base string, requests func() []string) {
	t.Helper()
	var listen net.ListenConfig
	l, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var got []string
	var wg sync.WaitGroup
	talk := func(conn net.Conn) {
		defer conn.Close()
		in := bufio.NewReader(conn)
		var request strings.Builder
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			request.WriteString(line)
			if line == "\r\n" {
				break
			}
		}
		mu.Lock()
		got = append(got, request.String())
		mu.Unlock()
		_, _ = io.WriteString(conn, script(request.String()))
	}
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { talk(conn) })
		}
	})
	t.Cleanup(func() { l.Close(); wg.Wait() })
	return "http://" + l.Addr().String(), func() []string {
		mu.Lock()
		defer mu.Unlock()
		return got
	}
}

// respondWith returns a script for serveRaw that sends a fixed response.
func respondWith(lines ...string) func(string) string {
	return func(string) string { return strings.Join(lines, "\r\n") }
}

func newClient(t *testing.T, o *Options) *Client {
	t.Helper()
	c := New(o)
	t.Cleanup(func() { c.Close() })
	return c
}

// openURL opens a URL with a new client and a new dialer.
func openURL(t *testing.T, url string, change func(*scheme.Request)) (scheme.Resource, error) {
	t.Helper()
	req := &scheme.Request{URL: locus.MustParse(url), Dial: new(dialer)}
	if change != nil {
		change(req)
	}
	r, err := newClient(t, nil).Open(t.Context(), req)
	if err == nil {
		t.Cleanup(func() { r.Close() })
	}
	return r, err
}

func getObject(t *testing.T, url string, change func(*scheme.Request)) *scheme.Object {
	t.Helper()
	r, err := openURL(t, url, change)
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	o, ok := r.(*scheme.Object)
	if !ok {
		t.Fatalf("%s: a %T", url, r)
	}
	return o
}

func TestObject(t *testing.T) {
	modified := time.Date(1994, 12, 20, 10, 0, 0, 0, time.UTC)
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=us-ascii")
		w.Header().Set("Last-Modified", modified.Format(http.TimeFormat))
		w.Header().Set("ETag", `"v1"`)
		w.Header().Set("Content-Disposition", `attachment; filename="../../etc/motd"`)
		io.WriteString(w, "hello")
	})
	u := base + "/x?y#z"
	o := getObject(t, u, nil)
	if o.URL.String() != u || o.Type != "text/plain; charset=us-ascii" || o.Size != 5 || o.Start != 0 || !o.ModTime.Equal(modified) || o.Tag != `"v1"` || o.Name != "../../etc/motd" || o.Encoding != "" {
		t.Errorf("%+v", o)
	}
	if text, err := io.ReadAll(o.Body); string(text) != "hello" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if n, err := o.Body.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("after the end: %d, %v", n, err)
	}
}

func TestWeakTagIgnored(t *testing.T) {
	for tag, want := range map[string]string{`W/"v1"`: "", `"v1"`: `"v1"`, `v1`: "", `"`: "", `""`: `""`, `"a"b"`: "", `"a b"`: ""} {
		base := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("ETag", tag) })
		if o := getObject(t, base, nil); o.Tag != want {
			t.Errorf("%s: %q", tag, o.Tag)
		}
	}
}

func TestRequestTarget(t *testing.T) {
	base, requests := serveRaw(t, respondWith("HTTP/1.1 204 No Content", "Connection: close", "", ""))
	host := strings.TrimPrefix(base, "http://")
	for _, c := range []struct{ path, want string }{
		{"", "/"},
		{"/", "/"},
		{"?q", "/?q"},
		{"/?", "/?"},
		{"//x//", "//x//"},
		{"//evil.example/x", "//evil.example/x"},
		{"/a/../b/./c", "/a/../b/./c"},
		{"/%2e%2E/%2f%2F", "/%2e%2E/%2f%2F"},
		{"/~me;a=b:c@d&e!$'()*+,", "/~me;a=b:c@d&e!$'()*+,"},
		{"/x?a/b?c=%2B+d", "/x?a/b?c=%2B+d"},
		{"/a|b{}\\^[]`\"<>", "/a%7Cb%7B%7D%5C%5E%5B%5D%60%22%3C%3E"},
		{"/caf\xc3\xa9?\xe9|", "/caf%C3%A9?%E9%7C"},
		{"/x#frag?ment", "/x"},
		{"/%0d%0aX:%20y", "/%0d%0aX:%20y"},
		{"/*", "/*"},
	} {
		n := len(requests())
		getObject(t, base+c.path, nil)
		request := requests()[n]
		line, rest, _ := strings.Cut(request, "\r\n")
		if line != "GET "+c.want+" HTTP/1.1" {
			t.Errorf("%s: sent %q", c.path, line)
		}
		want := "Host: " + host + "\r\nUser-Agent: " + agent.Name() + "\r\nAccept: */*\r\nAccept-Encoding: gzip\r\n\r\n"
		if rest != want {
			t.Errorf("%s: sent %q", c.path, rest)
		}
	}
}

func TestHostSentUnchanged(t *testing.T) {
	base, requests := serveRaw(t, respondWith("HTTP/1.1 204 No Content", "Connection: close", "", ""))
	address := strings.TrimPrefix(base, "http://")
	for url, want := range map[string]string{
		"http://WWW.Example.ORG/":    "WWW.Example.ORG",
		"http://h:80/":               "h",
		"http://h:8080/":             "h:8080",
		"http://h:0080/":             "h",
		"http://h:/":                 "h",
		"http://10.0.0.1/@evil":      "10.0.0.1",
		"http://[::1]/":              "[::1]",
		"http://[::ffff:1.2.3.4]:1/": "[::ffff:1.2.3.4]:1",
	} {
		n := len(requests())
		getObject(t, url, func(r *scheme.Request) { r.Dial = &dialer{to: address} })
		if !strings.Contains(requests()[n], "\r\nHost: "+want+"\r\n") {
			t.Errorf("%s: sent %q", url, requests()[n])
		}
	}
}

func TestRejectedBeforeDialing(t *testing.T) {
	d := new(dialer)
	c := newClient(t, nil)
	for _, url := range []string{
		"http://a_b/", "http://h;x/", "http://256.1.1.1/", "http://010.1.1.1/", "http://1.2.3/", "http://-h/", "http://%31/", "http://\xe9/", "http://h:0/",
		"http://u%3Av:p@127.0.0.1/", "http://u%0D%0A@127.0.0.1/", "http:x", "http:///x", "http://127.0.0.1?a@b/",
	} {
		_, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse(url), Dial: d})
		var syntax *locus.SyntaxError
		if !errors.As(err, &syntax) || !strings.HasPrefix(err.Error(), "http: ") {
			t.Errorf("%s: %v", url, err)
		}
	}
	if n := d.dialed.Load(); n != 0 {
		t.Errorf("dialed %d times", n)
	}
	if _, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse("http://h/")}); !errors.Is(err, scheme.ErrUnsupported) {
		t.Errorf("without a dialer: %v", err)
	}
}

func TestStatus(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var code int
		fmt.Sscanf(r.URL.Path, "/%d", &code)
		if after := r.URL.RawQuery; after != "" {
			w.Header().Set("Retry-After", strings.ReplaceAll(after, "+", " "))
		}
		w.WriteHeader(code)
		if code != 204 && code != 304 {
			io.WriteString(w, "a page for people")
		}
	})
	for _, c := range []struct {
		path string
		want error
		text string
	}{
		{"200", nil, ""}, {"201", nil, ""}, {"203", nil, ""}, {"204", nil, ""},
		{"206", scheme.ErrProtocol, "a part"},
		{"300", scheme.ErrProtocol, "without a Location"}, {"301", scheme.ErrProtocol, "without a Location"}, {"307", scheme.ErrProtocol, "without a Location"},
		{"304", scheme.ErrProtocol, "304"}, {"305", scheme.ErrProtocol, "305"}, {"306", scheme.ErrProtocol, "306"},
		{"400", scheme.ErrProtocol, `400 "Bad Request"`},
		{"401", scheme.ErrAuth, "401"}, {"403", scheme.ErrAuth, `403 "Forbidden"`}, {"407", scheme.ErrAuth, "407"},
		{"404", scheme.ErrNotFound, `404 "Not Found"`}, {"410", os.ErrNotExist, "410"},
		{"416", scheme.ErrProtocol, "416"},
		{"429?7", scheme.ErrProtocol, "wait 7s before"},
		{"503?Tue,+20+Dec+1994+10:00:00+GMT", scheme.ErrProtocol, "until 1994-12-20T10:00:00Z"},
		{"503?soon", scheme.ErrProtocol, `503 "Service Unavailable"`},
		{"599", scheme.ErrProtocol, "599"},
	} {
		r, err := openURL(t, base+"/"+c.path, nil)
		if !errors.Is(err, c.want) || c.want != nil && !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, %v", c.path, r, err)
		}
		var status *textproto.Error
		if c.want != nil && !strings.HasPrefix(c.path, "3") && c.path != "206" && !errors.As(err, &status) {
			t.Errorf("%s: no textproto.Error in %v", c.path, err)
		}
	}
}

func TestStatusTextIsMadeSafe(t *testing.T) {
	base, _ := serveRaw(t, respondWith("HTTP/1.1 500 \x1b[31mred", "Content-Length: 0", "", ""))
	_, err := openURL(t, base, nil)
	if !errors.Is(err, scheme.ErrProtocol) || strings.Contains(err.Error(), "\x1b") || !strings.Contains(err.Error(), "red") {
		t.Errorf("%q", err)
	}
}

func TestRedirects(t *testing.T) {
	var location string
	var code int
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Location"] = []string{location}
		w.WriteHeader(code)
	})
	at := base + "/a/b/c?q#f"
	for _, c := range []struct{ location, want string }{
		{"http://other.example/x", "http://other.example/x"},
		{"ftp://h/x;type=a", "ftp://h/x;type=a"},
		{"file:///etc/passwd", "file:///etc/passwd"},
		{"gopher://h:70/1", "gopher://h:70/1"},
		{"mailto:a@b", "mailto:a@b"},
		{"//other.example/x", "http://other.example/x"},
		{"/x/../y/%2f~", base + "/y/%2f~"},
		{"x", base + "/a/b/x"},
		{"../x?y#z", base + "/a/x?y#z"},
		{"../../../../x", base + "/x"},
		{".", base + "/a/b/"},
		{"?y", base + "/a/b/c?y"},
		{"#z", base + "/a/b/c?q#z"},
		{"/caf\xc3\xa9", base + "/caf\xc3\xa9"},
		{"", ""},
		{"http://h/a b", ""},
		{"/a b", ""},
		{"http://h\\@evil/", ""},
		{"//u@v@h/", ""},
		{"/%zz", ""},
	} {
		location = c.location
		for code = range map[int]bool{300: true, 301: true, 302: true, 303: true, 307: true, 308: true} {
			r, err := openURL(t, at, nil)
			if c.want == "" {
				if !errors.Is(err, scheme.ErrProtocol) {
					t.Errorf("%d %q: %v, %v", code, c.location, r, err)
				}
				continue
			}
			referral, ok := r.(*scheme.Redirect)
			if err != nil || !ok {
				t.Errorf("%d %q: %v, %v", code, c.location, r, err)
				continue
			}
			if len(referral.To) != 1 || referral.To[0].String() != c.want || referral.URL.String() != at || referral.Permanent != (code == 301 || code == 308) {
				t.Errorf("%d %q: %v", code, c.location, referral)
			}
		}
	}
}

func TestCookiesNotReturned(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Cookie")+r.Header.Get("Referer") != "" {
			t.Errorf("sent %v", r.Header)
		}
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
	})
	c := newClient(t, nil)
	d := new(dialer)
	for range 3 {
		r, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse(base), Dial: d})
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, r.(*scheme.Object).Body)
		r.Close()
	}
	if n := d.dialed.Load(); n != 1 {
		t.Errorf("%d connections for three requests one after another", n)
	}
}

func TestDamagedBodies(t *testing.T) {
	const ok = "HTTP/1.1 200 OK"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, strings.Repeat("hello ", 100))
	z.Close()
	zipped := packed.String()
	for _, c := range []struct {
		name, answer, text string
	}{
		{"short", ok + "\r\nContent-Length: 10\r\n\r\n12345", "got 5 of 10 bytes"},
		{"nothing", ok + "\r\nContent-Length: 10\r\n\r\n", "got 0 of 10 bytes"},
		{"long", ok + "\r\nContent-Length: 5\r\n\r\n1234567", "more than the 5 bytes"},
		{"something for nothing", ok + "\r\nContent-Length: 0\r\n\r\nx", "more than the 0 bytes"},
		{"chunk cut", ok + "\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n123", "got 3 of an unknown number of bytes"},
		{"last chunk missing", ok + "\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n123\r\n", "got 3 of an unknown number"},
		{"no chunk", ok + "\r\nTransfer-Encoding: chunked\r\n\r\nhello", "unknown number"},
		{"trailer missing", ok + "\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3\r\n123\r\n0\r\n\r\n", `"X-Sum"`},
		{"gzip cut by its length", ok + "\r\nContent-Encoding: gzip\r\nContent-Length: 20\r\n\r\n" + zipped[:20], "damaged"},
		{"gzip cut by the connection", ok + "\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n" + zipped[:20], "got 20 of 100"},
		{"gzip with a wrong sum", ok + "\r\nContent-Encoding: gzip\r\n\r\n" + zipped[:len(zipped)-6] + "\x00" + zipped[len(zipped)-5:], "damaged"},
		{"gzip and no gzip", ok + "\r\nContent-Encoding: gzip\r\n\r\nhello, world", "damaged"},
		{"gzip and then something", ok + "\r\nContent-Encoding: gzip\r\n\r\n" + zipped + "hello, world", "damaged"},
	} {
		base, _ := serveRaw(t, respondWith(c.answer))
		o := getObject(t, base, nil)
		text, err := io.ReadAll(o.Body)
		if !errors.Is(err, scheme.ErrProtocol) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %q, %v", c.name, text, err)
		}
		if _, again := o.Body.Read(make([]byte, 1)); again == nil || again == io.EOF {
			t.Errorf("%s: read again: %v", c.name, again)
		}
	}
}

func TestCompleteBodies(t *testing.T) {
	for _, c := range []struct{ name, answer, want string }{
		{"length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello"},
		{"to the end of the connection", "HTTP/1.0 200 OK\r\n\r\nhello", "hello"},
		{"bare line feeds", "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", "hello"},
		{"chunks and a trailer", "HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n", "hello"},
		{"after an interim answer", "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello"},
		{"gzip of nothing", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n", ""},
		{"chunked and a length", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "hello"},
		{"a long header line", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("Content-Length: 1 ", 100) + "\r\nContent-Length: 5\r\n\r\nhello", "hello"},
	} {
		base, _ := serveRaw(t, respondWith(c.answer))
		o := getObject(t, base, nil)
		if text, err := io.ReadAll(o.Body); string(text) != c.want || err != nil {
			t.Errorf("%s: %q, %v", c.name, text, err)
		}
	}
}

// If the client does not decode a content coding, the object must name the coding, even if the
// client did not request it.
func TestUnknownCoding(t *testing.T) {
	for _, c := range []struct {
		coding, want string
		raw          bool
	}{
		{"br", "br", false}, {"Zstd", "zstd", false}, {"gzip, br", "gzip, br", false}, {"deflate", "deflate", false}, {"gzip", "gzip", true}, {"identity", "", false},
	} {
		base, _ := serveRaw(t, respondWith("HTTP/1.1 200 OK\r\nAccept-Ranges: bytes\r\nContent-Encoding: "+c.coding+"\r\nContent-Length: 5\r\n\r\nhello"))
		client := newClient(t, &Options{Raw: c.raw})
		res, err := client.Open(t.Context(), &scheme.Request{URL: locus.MustParse(base), Dial: new(dialer)})
		if err != nil {
			t.Fatal(err)
		}
		o := res.(*scheme.Object)
		text, err := io.ReadAll(o.Body)
		o.Close()
		if o.Encoding != c.want || string(text) != "hello" || err != nil || o.Size != 5 || !o.Resumable {
			t.Errorf("%s: %+v, %q, %v", c.coding, o, text, err)
		}
		if want := "content coding " + locus.Quote(c.want); (c.want != "") != strings.Contains(o.Note, want) {
			t.Errorf("%s: note %q", c.coding, o.Note)
		}
	}
}

func TestResumable(t *testing.T) {
	for header, want := range map[string]bool{
		"": false, "Accept-Ranges: bytes\r\n": true, "Accept-Ranges: none\r\n": false, "accept-ranges: x, Bytes\r\n": true,
		"Accept-Ranges: bytes\r\nContent-Encoding: gzip\r\n": false,
	} {
		base, _ := serveRaw(t, respondWith("HTTP/1.1 200 OK\r\n"+header+"Content-Length: 0\r\n\r\n"))
		o := getObject(t, base, nil)
		o.Close()
		if o.Resumable != want {
			t.Errorf("%q: %v", header, o.Resumable)
		}
	}
}

func TestEmptyResponses(t *testing.T) {
	for _, c := range []struct{ name, answer, text string }{
		{"SMTP", "220 mail.example.org ESMTP \x1b[31mhello\r\n", "does not speak HTTP"},
		{"HTTP/0.9", "<html>hello</html>", "does not speak HTTP"},
		{"SSH", "SSH-2.0-OpenSSH_9.2\r\n", "does not speak HTTP"},
		{"nothing", "", "without a response"},
		{"half a header", "HTTP/1.1 200 OK\r\nContent-Le", ""},
		{"bad header", "HTTP/1.1 200 OK\r\nno colon \x1b[31m\r\n\r\n", ""},
		{"switching protocols", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "101"},
		{"endless header", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: "+strings.Repeat("x", 1000)+"\r\n", maxHeader/1000+50), "the header has more than 262144 bytes"},
		{"HTTP/2 without its frames", "HTTP/2.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", "HTTP/2.0"},
		{"HTTP/3", "HTTP/3.0 404 Not Found\r\nContent-Length: 0\r\n\r\n", "HTTP/3.0"},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx", ""},
	} {
		base, _ := serveRaw(t, respondWith(c.answer))
		r, err := openURL(t, base, nil)
		if !errors.Is(err, scheme.ErrProtocol) || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: %v, %q", c.name, r, err)
		}
	}
}

// If the server sends a banner before the request, the client must reject the banner as an
// invalid response.
func TestBannerBeforeTheRequest(t *testing.T) {
	var listen net.ListenConfig
	l, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			io.WriteString(conn, "220 mail.example.org ESMTP\r\n")
			io.Copy(io.Discard, conn)
			conn.Close()
		}
	}()
	_, err = openURL(t, "http://"+l.Addr().String()+"/", nil)
	if !errors.Is(err, scheme.ErrProtocol) || !strings.Contains(err.Error(), "does not speak HTTP") {
		t.Error(err)
	}
}

func TestLimit(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/chunked" {
			w.(http.Flusher).Flush()
		}
		io.WriteString(w, "0123456789")
	})
	limit := func(n int64) func(*scheme.Request) { return func(r *scheme.Request) { r.Limit = n } }
	if _, err := openURL(t, base, limit(9)); !errors.Is(err, scheme.ErrTooLarge) {
		t.Errorf("announced: %v", err)
	}
	o := getObject(t, base+"/chunked", limit(9))
	if text, err := io.ReadAll(o.Body); !errors.Is(err, scheme.ErrTooLarge) || string(text) != "012345678" || o.Size != -1 {
		t.Errorf("not announced: %q, %v", text, err)
	}
	for _, path := range []string{"/", "/chunked"} {
		if text, err := io.ReadAll(getObject(t, base+path, limit(10)).Body); err != nil || len(text) != 10 {
			t.Errorf("%s: as many as the limit: %q, %v", path, text, err)
		}
	}
}

func TestCompression(t *testing.T) {
	const text = "hello, hello, hello, hello"
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/br" {
			w.Header().Set("Content-Encoding", "BR")
			io.WriteString(w, "whatever")
			return
		}
		if r.Header.Get("Accept-Encoding") != "gzip" && r.URL.Path != "/always" {
			io.WriteString(w, text)
			return
		}
		w.Header().Set("Content-Encoding", r.URL.RawQuery)
		z := gzip.NewWriter(w)
		defer z.Close()
		io.WriteString(z, text)
	})
	for _, coding := range []string{"gzip", "x-gzip", "GZIP"} {
		o := getObject(t, base+"/?"+coding, nil)
		if got, err := io.ReadAll(o.Body); string(got) != text || err != nil || o.Size != -1 || o.Encoding != "" {
			t.Errorf("%s: %q, %v, %+v", coding, got, err, o)
		}
	}
	if o := getObject(t, base+"/br", nil); o.Encoding != "br" || o.Size != 8 {
		t.Errorf("a coding that was not asked for: %+v", o)
	}
	limited := getObject(t, base+"/?gzip", func(r *scheme.Request) { r.Limit = 5 })
	if got, err := io.ReadAll(limited.Body); !errors.Is(err, scheme.ErrTooLarge) || string(got) != text[:5] {
		t.Errorf("a limit holds for what is unpacked: %q, %v", got, err)
	}
	c := newClient(t, &Options{Raw: true})
	for path, coding := range map[string]string{"/?gzip": "", "/always?gzip": "gzip"} {
		r, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse(base + path), Dial: new(dialer)})
		if err != nil {
			t.Fatal(err)
		}
		if o := r.(*scheme.Object); o.Encoding != coding || o.Size < 1 {
			t.Errorf("raw %s: %+v", path, o)
		}
		r.Close()
	}
}

// Reading a large body must need constant memory.
func TestStreaming(t *testing.T) {
	const size = 64 << 20
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(size))
		block := make([]byte, 64<<10)
		for range size / len(block) {
			w.Write(block)
		}
	})
	o := getObject(t, base, nil)
	buf := make([]byte, 32<<10)
	allocs := testing.AllocsPerRun(100, func() {
		if _, err := o.Body.Read(buf); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 5 { // the server in the same process also allocates memory
		t.Errorf("%v allocations a read", allocs)
	}
	n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{o.Body}, buf)
	if err != nil || n > size || n < size-101*int64(len(buf)) {
		t.Errorf("%d octets, %v", n, err)
	}
}

func TestCancel(t *testing.T) {
	stop := make(chan struct{})
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			w.Header().Set("Content-Length", "10")
			io.WriteString(w, "12345")
			w.(http.Flusher).Flush()
		}
		<-stop
	})
	defer close(stop)
	c := newClient(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := c.Open(ctx, &scheme.Request{URL: locus.MustParse(base + "/body"), Dial: new(dialer)})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	body := r.(*scheme.Object).Body
	if _, err := io.ReadFull(body, make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := body.Read(make([]byte, 5)); !errors.Is(err, context.Canceled) || errors.Is(err, scheme.ErrProtocol) || !strings.Contains(err.Error(), "got 5 of 10") {
		t.Errorf("body: %v", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := c.Open(ctx, &scheme.Request{URL: locus.MustParse(base + "/"), Dial: new(dialer)}); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, scheme.ErrProtocol) {
		t.Errorf("open: %v", err)
	}
}

// failingDialer is a dialer that fails.
type failingDialer struct{ err error }

func (r *failingDialer) DialContext(context.Context, string, string) (net.Conn, error) {
	return nil, r.err
}

func TestDialErrorUnchanged(t *testing.T) {
	denied := errors.New("policy: denied")
	for _, url := range []string{"http://h/", "https://h/"} {
		_, err := openURL(t, url, func(r *scheme.Request) { r.Dial = &failingDialer{denied} })
		if !errors.Is(err, denied) || errors.Is(err, scheme.ErrProtocol) || err.Error() != "http: policy: denied" {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// hangingDialer is a dialer that never connects.
type hangingDialer struct{ ended chan error }

func (w *hangingDialer) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	<-ctx.Done()
	w.ended <- ctx.Err()
	return nil, ctx.Err()
}

func TestCancelWhileDialing(t *testing.T) {
	for _, url := range []string{"http://h/", "https://h/"} {
		w := &hangingDialer{make(chan error, 1)}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		_, err := newClient(t, nil).Open(ctx, &scheme.Request{URL: locus.MustParse(url), Dial: w})
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", url, err)
		}
		<-w.ended
	}
}

func TestCancelWhileTLSBegins(t *testing.T) {
	var listen net.ListenConfig
	l, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			ended <- err
			return
		}
		_, err = conn.Read(make([]byte, 1)) // the beginning of the client's TLS handshake
		cancel()
		_, _ = io.Copy(io.Discard, conn) // wait until the client disconnects
		conn.Close()
		ended <- err
	}()
	_, err = newClient(t, nil).Open(ctx, &scheme.Request{URL: locus.MustParse("https://" + l.Addr().String()), Dial: new(dialer)})
	if !errors.Is(err, context.Canceled) || errors.Is(err, scheme.ErrUnreachable) {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A broken connection must cause an error. The regular end of a connection must not.
func TestBrokenConnection(t *testing.T) {
	var listen net.ListenConfig
	l, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	read := make(chan bool)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = conn.Read(make([]byte, 4096))
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123")
		<-read
		_ = conn.(*net.TCPConn).SetLinger(0) // makes Close reset the connection
		conn.Close()
	}()
	o := getObject(t, "http://"+l.Addr().String(), nil)
	if _, err := io.ReadFull(o.Body, make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	close(read)
	if _, err := o.Body.Read(make([]byte, 1)); !errors.Is(err, scheme.ErrProtocol) || !errors.Is(err, syscall.ECONNRESET) || !strings.Contains(err.Error(), "got 3 of 10") {
		t.Error(err)
	}
}

// The client must send Accept and Accept-Language unchanged, and must reject a value that
// would add another header field.
func TestAccept(t *testing.T) {
	var got http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got = r.Header }))
	defer server.Close()
	c := New(nil)
	defer c.Close()
	req := &scheme.Request{URL: locus.MustParse(server.URL + "/"), Dial: new(net.Dialer), Accept: "text/html, */*;q=0.1", AcceptLanguage: "de, en;q=0.5"}
	res, err := c.Open(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	res.Close()
	if got.Get("Accept") != req.Accept || got.Get("Accept-Language") != req.AcceptLanguage {
		t.Errorf("%q", got)
	}
	got = nil
	req.Accept = "text/html\r\nX-Other: 1"
	if _, err := c.Open(t.Context(), req); err == nil || got != nil {
		t.Errorf("sent %q, %v", got, err)
	}
}

// countingDialer counts connections.
type countingDialer struct{ n atomic.Int32 }

func (d *countingDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	d.n.Add(1)
	return new(net.Dialer).DialContext(ctx, network, address)
}

// With Options.Single, the client must call the dialer for each request, including the GET
// after a HEAD.
func TestSingleConnections(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	})
	for single, want := range map[bool]int32{false: 1, true: 4} {
		d, c := new(countingDialer), newClient(t, &Options{Single: single})
		for range 2 {
			r, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse(base + "/"), Dial: d, Probe: true})
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
		}
		if got := d.n.Load(); got != want {
			t.Errorf("single %v: %d connections, want %d", single, got, want)
		}
	}
}
