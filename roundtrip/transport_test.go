package roundtrip_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/mirror"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/roundtrip"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/file"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/gopher"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
	schemehttp "github.com/locus-url/locus/scheme/http"
	"github.com/locus-url/locus/scheme/mailto"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var parse = locus.MustParse

// pages open URLs of the scheme x-page, by what follows the host. Nothing is
// dialled for them.
type pages map[string]func(ctx context.Context, req *scheme.Request) (scheme.Resource, error)

func (p pages) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	path, _ := req.URL.Path()
	if open, ok := p[path]; ok {
		return open(ctx, req)
	}
	return nil, fmt.Errorf("x-page: %w", scheme.ErrNotFound)
}

// closing notes that something is closed.
type closing struct {
	io.Reader
	closed func()
	once   sync.Once
}

func (c *closing) Close() error {
	c.once.Do(c.closed)
	return nil
}

// accessClient returns a client for p, ftp, gopher, http and files.
func accessClient(t testing.TB, p pages) *access.Client {
	t.Helper()
	row := scheme.Generic("x-page", scheme.Experimental)
	row.Opener = p
	ftpClient, httpClient := ftp.New(nil), schemehttp.New(nil)
	registry, err := scheme.NewRegistry(row, ftp.Scheme(ftpClient), gopher.Scheme(gopher.New(nil)), schemehttp.Scheme(httpClient), file.Scheme(file.New(nil)), mailto.Scheme())
	if err != nil {
		t.Fatal(err)
	}
	rules, err := policy.New(policy.Rules{TypedPrivate: true, Files: true, Passwords: true})
	if err != nil {
		t.Fatal(err)
	}
	c := access.New(registry, rules, nil)
	t.Cleanup(func() {
		ftpClient.Close()
		httpClient.Close()
		c.Close()
	})
	return c
}

func client(t testing.TB, p pages) *http.Client {
	return &http.Client{Transport: roundtrip.New(accessClient(t, p), nil)}
}

// get asks for url with header fields.
func get(t testing.TB, c *http.Client, url string, header ...string) (*http.Response, string, error) {
	t.Helper()
	return do(t, c, "GET", url, header...)
}

func do(t testing.TB, c *http.Client, method, url string, header ...string) (*http.Response, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	resp, err := c.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

// The URL that is opened is the one that was written.
func TestURL(t *testing.T) {
	var asked string
	note := scheme.OpenerFunc(func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		asked = req.URL.String()
		return &scheme.Object{URL: req.URL, Size: 0, Body: io.NopCloser(strings.NewReader(""))}, nil
	})
	var rows []scheme.Scheme
	for _, name := range []string{"ftp", "gopher", "http", "news", "mid", "file", "wais", "nntp", "x-y"} {
		row := scheme.Generic(name, scheme.Standard)
		if name == "file" {
			row.Traits = scheme.Local | scheme.Files
		}
		row.Opener, row.Port = note, 1
		rows = append(rows, row)
	}
	registry, err := scheme.NewRegistry(rows...)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := policy.New(policy.Rules{Passwords: true, Files: true, Ports: []uint16{70}})
	if err != nil {
		t.Fatal(err)
	}
	a := access.New(registry, rules, nil)
	defer a.Close()
	c := &http.Client{Transport: roundtrip.New(a, nil)}
	for _, url := range []string{
		"gopher://h", "gopher://h/", "gopher://h/1", "gopher://h/11/docs", "gopher://h/1/docs/../x/./y",
		"gopher://h/7sel%09two%20words", "gopher://h/7sel%09word%09+", "gopher://h/0sel%09%09!+ABSTRACT%20+VIEWS", "gopher://h/0sel%09%09+application/postscript%20Es_ES", "gopher://h/1sel%09%09$+VIEWS",
		"gopher://h/0sel%09%09+%091%0D%0A+-1%0D%0Aans1%0D%0Aans2%0D%0A.%0D%0A", "gopher://h/0sel%09%09+%091%0d%0a+-1%0d%0aa%0d%0a.%0d%0a",
		"gopher://h/1sel?a=b&c=d", "gopher://h/7sel?", "gopher://h/7?%09x", "gopher://h/0a%2525b", "gopher://h/0a%2Fb", "gopher://h/0a%3Fb%23c", "gopher://h/0caf%E9",
		"gopher://h/;type", "gopher://h/%3Cmovie", "gopher://h/_raw;x,y", "gopher://h/hURL:http://x/?y",
		"ftp://h//etc/motd", "ftp://h/%2Fetc/motd", "ftp://h/a//b///", "ftp://h/etc;type=d", "ftp://h/a%3Bb;type=a", "ftp://h/;type=d", "ftp://h/~user/%7Euser",
		"ftp://user:pass%40word@h/a", "ftp://user@h/a", "ftp://:pw@h/", "ftp://user:@h/", "ftp://a%3Ab@h:2121/", "ftp://h/..", "ftp://h/%2E%2E/x",
		"http://h", "http://h/?", "http://h/a?b%20c+d#e", "http://h/%7e?%7E", "http://h/a%2fb", "http://H/", "http://h:8080/",
		"news:comp.infosystems.www", "news:a.b%2Fc@h", "news:*", "mid:a@b", "nntp://h/g/1", "wais://h/d?s", "x-y:%41?b", "file:///a/b%20c", "file://localhost/a",
	} {
		asked = ""
		if _, _, err := get(t, c, url); err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		want, _, _ := strings.Cut(url, "#") // never sent
		if asked != want {
			t.Errorf("%s: asked for %s", url, asked)
		}
	}
}

func TestRefused(t *testing.T) {
	c := client(t, nil)
	for _, url := range []string{"http://h:99999/", "x:", "relative", "ftp://user:secret@h:123456/", "x-strange://h/", "mailto:a@b", "//h/x", "x-page://u:secret@h:25/"} {
		_, _, err := get(t, c, url)
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := roundtrip.New(accessClient(t, nil), nil).RoundTrip(new(http.Request)); err == nil {
		t.Error("no URL, and no error")
	}
	var about *access.Error
	if _, _, err := get(t, c, "mailto:a@b"); !errors.As(err, &about) || access.KindOf(err) != access.Unsupported {
		t.Errorf("%v", err)
	}
}

// A request that follows a redirect obeys the rules of referrals. Nothing is dialled.
func TestRedirectIsAReferral(t *testing.T) {
	transport := roundtrip.New(accessClient(t, nil), nil)
	answer := func(url string, before *http.Response) *http.Response {
		req, err := http.NewRequest("GET", url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Response = before
		return &http.Response{Request: req}
	}
	first := answer("http://pub.example/", nil)
	long := first
	for range 20 {
		long = answer("http://pub.example/", long)
	}
	for _, c := range []struct {
		from      *http.Response
		url, rule string
	}{
		{first, "gopher://pub.example:7000/0FLUSHALL", "referral"},
		{first, "ftp://u:p@pub.example/x", "login"},
		{first, "file:///etc/passwd", "file"},
		{first, "mailto:a@b.example", "session"},
		{first, "http://printer/", "private"},
		{first, "gopher://pub.example/0a%0D%0Ab", "data"},
		{long, "http://pub.example/", "hops"},
	} {
		req := answer(c.url, c.from).Request
		_, err := transport.RoundTrip(req.WithContext(t.Context()))
		if denied := (*policy.DeniedError)(nil); !errors.As(err, &denied) || denied.Rule != c.rule {
			t.Errorf("%s: %v, want a denial by %q", c.url, err, c.rule)
		}
	}
}

func TestObject(t *testing.T) {
	modified := time.Date(1994, 12, 20, 12, 0, 0, 0, time.UTC)
	closed := 0
	object := func(o scheme.Object, data string) func(context.Context, *scheme.Request) (scheme.Resource, error) {
		return func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
			o := o
			o.URL = req.URL
			if req.Tag != "" && req.Tag != o.Tag || !req.ModTime.IsZero() && !req.ModTime.Equal(o.ModTime) || req.Offset > int64(len(data)) {
				req.Offset = 0
			}
			o.Start = req.Offset
			o.Body = &closing{Reader: strings.NewReader(data[o.Start:]), closed: func() { closed++ }}
			return &o, nil
		}
	}
	c := client(t, pages{
		"all":     object(scheme.Object{Type: "text/plain; charset=us-ascii", Encoding: "gzip", Size: 10, ModTime: modified, Tag: `"v1"`}, "0123456789"),
		"nothing": object(scheme.Object{Size: -1, Tag: "10-1994"}, "0123456789"),
		"there": func(context.Context, *scheme.Request) (scheme.Resource, error) {
			return &scheme.Referral{To: []locus.URL{parse("x-page://h/all#there")}}, nil
		},
	})
	type fields map[string]string
	for _, test := range []struct {
		path   string
		header []string
		status int
		length int64
		want   string
		fields fields
	}{
		{"all", nil, 200, 10, "0123456789", fields{"Content-Type": "text/plain; charset=us-ascii", "Content-Encoding": "gzip", "Content-Length": "10", "Last-Modified": "Tue, 20 Dec 1994 12:00:00 GMT", "ETag": `"v1"`, "X-Content-Type-Options": "", "Content-Location": "", "Content-Range": ""}},
		{"nothing", nil, 200, -1, "0123456789", fields{"Content-Type": "application/octet-stream", "X-Content-Type-Options": "nosniff", "Content-Length": "", "Last-Modified": "", "ETag": ""}},
		{"all", []string{"Range", "bytes=4-"}, 206, 6, "456789", fields{"Content-Range": "bytes 4-9/10", "Content-Length": "6"}},
		{"all", []string{"Range", "bytes=9-"}, 206, 1, "9", fields{"Content-Range": "bytes 9-9/10"}},
		{"all", []string{"Range", "bytes=0-"}, 200, 10, "0123456789", fields{"Content-Range": ""}},
		{"all", []string{"Range", "bytes=10-"}, 416, 20, "there are 10 octets\n", fields{"Content-Range": "bytes */10"}},
		{"all", []string{"Range", "bytes=11-"}, 416, 20, "there are 10 octets\n", fields{"Content-Range": "bytes */10"}},
		{"nothing", []string{"Range", "bytes=4-"}, 200, -1, "0123456789", fields{"Content-Range": ""}},
		{"all", []string{"Range", "bytes=4-", "If-Range", `"v1"`}, 206, 6, "456789", nil},
		{"all", []string{"Range", "bytes=4-", "If-Range", `"v2"`}, 200, 10, "0123456789", nil},
		{"all", []string{"Range", "bytes=40-", "If-Range", `"v2"`}, 200, 10, "0123456789", nil},
		{"all", []string{"Range", "bytes=4-", "If-Range", `W/"v1"`}, 200, 10, "0123456789", nil},
		{"all", []string{"Range", "bytes=4-", "If-Range", "Tue, 20 Dec 1994 12:00:00 GMT"}, 206, 6, "456789", nil},
		{"all", []string{"Range", "bytes=4-", "If-Range", "Tue, 20 Dec 1994 12:00:01 GMT"}, 200, 10, "0123456789", nil},
		{"all", []string{"Range", "bytes=4-5"}, 200, 10, "0123456789", nil},
		{"all", []string{"Range", "bytes=-4"}, 200, 10, "0123456789", nil},
		{"all", []string{"Range", "bytes=4-,6-"}, 200, 10, "0123456789", nil},
		{"all", []string{"Range", "lines=4-"}, 200, 10, "0123456789", nil},
		{"there", nil, 200, 10, "0123456789", fields{"Content-Location": "x-page://h/all"}},
	} {
		closed = 0
		resp, body, err := get(t, c, "x-page://h/"+test.path, test.header...)
		if err != nil || resp.StatusCode != test.status || resp.ContentLength != test.length || body != test.want {
			t.Errorf("%s %q: %v, %q, %v", test.path, test.header, resp, body, err)
			continue
		}
		for name, want := range test.fields {
			if got := resp.Header.Get(name); got != want {
				t.Errorf("%s %q: %s: %s, want %s", test.path, test.header, name, got, want)
			}
		}
		if resp.Status != fmt.Sprintf("%d %s", test.status, http.StatusText(test.status)) || closed == 0 {
			t.Errorf("%s: %s, closed %d times", test.path, resp.Status, closed)
		}
		if to := resp.Request.URL.String(); test.path == "there" && to != "x-page://h/all" || test.path != "there" && to != "x-page://h/"+test.path {
			t.Errorf("%s: the request was for %s", test.path, to)
		}
	}
	// HEAD has the same header, and no body.
	for path, length := range map[string]int64{"all": 10, "nothing": -1, "missing": 0} {
		closed = 0
		resp, body, err := do(t, c, "HEAD", "x-page://h/"+path, "Range", "bytes=4-")
		if err != nil || body != "" || resp.Body == nil || path != "missing" && (resp.StatusCode != 200 || resp.ContentLength != length || closed != 1) {
			t.Errorf("HEAD %s: %v, %q, %v", path, resp, body, err)
		}
	}
}

func TestMethods(t *testing.T) {
	c := client(t, nil)
	for _, method := range []string{"POST", "PUT", "DELETE", "get", "OPTIONS"} {
		closed := false
		req, err := http.NewRequest(method, "x-page://h/", &closing{Reader: strings.NewReader("body"), closed: func() { closed = true }})
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 405 || resp.Header.Get("Allow") != "GET, HEAD" || !closed {
			t.Errorf("%s: %v, closed: %v", method, resp, closed)
		}
	}
}

// The rules of http.RoundTripper.
func TestRoundTripper(t *testing.T) {
	tr := roundtrip.New(accessClient(t, pages{"x": func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		return &scheme.Object{URL: req.URL, Size: 0, Body: http.NoBody}, nil
	}}), nil)
	for _, url := range []string{"x-page://h/x", "x-page://h/missing", "x-strange:x"} {
		closed := false
		req, err := http.NewRequest("", url, &closing{Reader: strings.NewReader("body"), closed: func() { closed = true }})
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", "text/plain")
		before := req.Clone(t.Context())
		resp, err := tr.RoundTrip(req)
		if !closed {
			t.Errorf("%s: the body is not closed", url)
		}
		if req.URL.String() != before.URL.String() || len(req.Header) != 1 || req.Host != before.Host || req.Method != before.Method {
			t.Errorf("%s: the request has changed", url)
		}
		if (resp == nil) == (err == nil) {
			t.Fatalf("%s: %v, %v", url, resp, err)
		}
		if resp != nil && (resp.Request != req || resp.Body == nil || resp.Header == nil) {
			t.Errorf("%s: %v", url, resp)
		}
	}
}

func TestFailures(t *testing.T) {
	refuse := func(err error) func(context.Context, *scheme.Request) (scheme.Resource, error) {
		return func(context.Context, *scheme.Request) (scheme.Resource, error) { return nil, err }
	}
	c := client(t, pages{
		"auth":  refuse(fmt.Errorf("x-page: %w: \x1b[2J", scheme.ErrAuth)),
		"cut":   refuse(fmt.Errorf("x-page: %w", scheme.ErrProtocol)),
		"large": refuse(scheme.ErrTooLarge),
	})
	for path, status := range map[string]int{"auth": 401, "missing": 404} {
		resp, body, err := get(t, c, "x-page://user:secret@h/"+path)
		if err != nil || resp.StatusCode != status || resp.Header.Get("Content-Type") != "text/plain; charset=utf-8" || int64(len(body)) != resp.ContentLength {
			t.Fatalf("%s: %v, %q, %v", path, resp, body, err)
		}
		if strings.Contains(body, "secret") || !strings.Contains(body, "x-page://user:***@h/"+path) || strings.Contains(body, "\x1b") {
			t.Errorf("%s: %s", path, body)
		}
	}
	for path, want := range map[string]access.Kind{"cut": access.Protocol, "large": access.TooLarge} {
		_, _, err := get(t, c, "x-page://user:secret@h/"+path)
		var about *access.Error
		if !errors.As(err, &about) || access.KindOf(err) != want || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, header := range []string{"Accept", "Accept-Language"} {
		resp, body, err := get(t, c, "x-page://h/missing", header, "text/html;q=2")
		if err != nil || resp.StatusCode != 400 || !strings.Contains(body, header) {
			t.Errorf("%s: %v, %q, %v", header, resp, body, err)
		}
	}
	if _, _, err := get(t, c, "x-page://h:25/"); access.KindOf(err) != access.Denied {
		t.Errorf("%v", err)
	}
}

func TestAcceptGoesOn(t *testing.T) {
	var accept, language string
	c := client(t, pages{"x": func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		accept, language = req.Accept, req.AcceptLanguage
		return &scheme.Object{URL: req.URL, Body: http.NoBody}, nil
	}})
	for _, test := range []struct {
		header           []string
		accept, language string
	}{
		{nil, "", ""},
		{[]string{"Accept", "application/postscript", "Accept-Language", "es, en;q=0.5"}, "application/postscript", "es, en;q=0.5"},
		{[]string{"Accept", "application/json;q=0.5", "Accept", "image/gif"}, "application/json;q=0.5, image/gif, application/gopher-menu;q=0.500", ""},
		{[]string{"Accept", "text/html, */*;q=0.1"}, "text/html, */*;q=0.1, application/gopher-menu;q=1.000", ""},
		{[]string{"Accept", "*/*"}, "*/*", ""},
		{[]string{"Accept", ""}, "", ""},
	} {
		if _, _, err := get(t, c, "x-page://h/x", test.header...); err != nil || accept != test.accept || language != test.language {
			t.Errorf("%q: %q, %q, %v", test.header, accept, language, err)
		}
	}
}

func TestFTP(t *testing.T) {
	server, err := ftptest.Start(ftptest.Files{"home/pub/hello.txt": {Data: "Hello\n"}, "home/pub/big": {Size: 1 << 20}}, &ftptest.Options{User: "me", Password: "secret", Home: "home"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	transport := new(http.Transport)
	defer transport.CloseIdleConnections()
	transport.RegisterProtocol("ftp", roundtrip.New(accessClient(t, nil), nil))
	c := &http.Client{Transport: transport}
	root := "ftp://me:secret@" + server.Addr()

	resp, body, err := get(t, c, root+"/pub/hello.txt")
	if err != nil || resp.StatusCode != 200 || body != "Hello\n" || resp.ContentLength != 6 || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") || resp.Header.Get("Last-Modified") != "Sat, 01 Jan 1994 00:00:00 GMT" {
		t.Errorf("%v, %q, %v", resp, body, err)
	}
	resp, body, err = get(t, c, root+"/pub/big", "Range", "bytes=1048570-")
	if err != nil || resp.StatusCode != 206 || len(body) != 6 || body[0] != ftptest.Octet(1048570) || resp.Header.Get("Content-Range") != "bytes 1048570-1048575/1048576" {
		t.Errorf("%v, %q, %v", resp, body, err)
	}
	resp, body, err = get(t, c, root+"/pub/", "Accept", "text/plain")
	want := fmt.Sprintf("big\tftp://me@%[1]s/pub/big\nhello.txt\tftp://me@%[1]s/pub/hello.txt\n", server.Addr())
	if err != nil || resp.StatusCode != 200 || body != want {
		t.Errorf("%v, %q, %v", resp, body, err)
	}
	if resp, body, err = get(t, c, root+"/pub/none"); err != nil || resp.StatusCode != 404 || strings.Contains(body, "secret") {
		t.Errorf("%v, %q, %v", resp, body, err)
	}
	if resp, body, err = get(t, c, strings.Replace(root, "secret", "sesame", 1)+"/pub/"); err != nil || resp.StatusCode != 401 || strings.Contains(body, "sesame") {
		t.Errorf("%v, %q, %v", resp, body, err)
	}
	log := fmt.Sprint(server.Log())
	if !slices.Contains(strings.Fields(log), "me") || !strings.Contains(log, "REST 1048570") {
		t.Error(log)
	}
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a b.txt"), []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := client(t, nil)
	root := "file:///" + strings.TrimPrefix(filepath.ToSlash(dir), "/")
	resp, body, err := get(t, c, root+"/a%20b.txt")
	if err != nil || resp.StatusCode != 200 || body != "text" {
		t.Errorf("%v, %q, %v", resp, body, err)
	}
	resp, body, err = get(t, c, root+"/")
	if err != nil || !strings.Contains(body, `<a href="`+root+`/a%20b.txt">a b.txt</a>`) {
		t.Errorf("%v, %q, %v", resp, body, err)
	}
}

func TestHTTP(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/here?x", http.StatusFound)
		case "/here":
			w.Header().Set("ETag", `"v1"`)
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, r.URL.RawQuery)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	c := client(t, nil)
	resp, body, err := get(t, c, server.URL+"/moved")
	if err != nil || resp.StatusCode != 200 || body != "x" || resp.Header.Get("Content-Location") != server.URL+"/here?x" || resp.Request.URL.String() != server.URL+"/here?x" || resp.Header.Get("ETag") != `"v1"` {
		t.Errorf("%v, %q, %v", resp, body, err)
	}
	if resp, _, err := get(t, c, server.URL+"/none"); err != nil || resp.StatusCode != 404 {
		t.Errorf("%v, %v", resp, err)
	}
}

func TestGopher(t *testing.T) {
	server, err := gophertest.Start(gophertest.Item{Name: "Hole", Items: []gophertest.Item{
		{Type: 'i', Name: "Welcome <here>"},
		{Name: "About", Selector: "/about", Views: []gophertest.View{
			{Type: "Text/plain", Language: "En_US", Data: "About\n"}, {Type: "application/postscript", Data: "%!PS"}, {Type: "Text/plain", Language: "De_DE", Data: "\u00dcber\n"}}},
		{Name: "Words", Selector: "/words", Search: func(words string) []gophertest.Item {
			return []gophertest.Item{{Type: 'i', Name: "You said " + words}}
		}},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	c := client(t, nil)
	root := "gopher://" + server.Addr()
	for _, test := range []struct {
		path   string
		header []string
		kind   string // begin of the media type
		want   string // in the body
	}{
		{"", nil, "text/html", `<li>Welcome &lt;here&gt;</li>`},
		{"/1", []string{"Accept", "text/html"}, "text/html", `<a href="` + root + `/0/about%09%09+">About</a>`},
		{"/1", []string{"Accept", "application/json"}, "application/json", `{"url":"` + root + `/0/about%09%09+","title":"About","kind":"object"`},
		{"/1", []string{"Accept", "text/plain"}, "text/plain", "Welcome <here>\t\nAbout\t" + root + "/0/about%09%09+\n"},
		{"/0/about", nil, "text/plain", "About\r\n"},
		{"/0/about", []string{"Accept", "application/postscript"}, "application/postscript", "%!PS"},
		{"/0/about", []string{"Accept-Language", "de"}, "text/plain", "\u00dcber\r\n"},
		{"/0/about%09%09+application/postscript", nil, "application/postscript", "%!PS"},
		{"/7/words%09two%20words", []string{"Accept", "text/plain"}, "text/plain", "You said two words\t\n"},
		{"/7/words", nil, "text/html", "<li>Words to search for (text)</li>"},
	} {
		resp, body, err := get(t, c, root+test.path, test.header...)
		if err != nil {
			t.Errorf("%s %q: %v", test.path, test.header, err)
			continue
		}
		if kind := strings.ToLower(resp.Header.Get("Content-Type")); resp.StatusCode != 200 || !strings.HasPrefix(kind, test.kind) || !strings.Contains(body, test.want) {
			t.Errorf("%s %q: %s, %s, %q", test.path, test.header, resp.Status, kind, body)
		}
	}
	// The view that was chosen says where it is; one that was asked for is there.
	for path, want := range map[string]string{
		"/0/about": root + "/0/about%09%09+Text/plain%20De_DE", "/0/about%09%09+Text/plain%20De_DE": "", "/7/words%09two": root + "/7/words%09two%09+application/gopher-menu",
	} {
		if resp, _, err := get(t, c, root+path, "Accept-Language", "de"); err != nil || resp.Header.Get("Content-Location") != want {
			t.Errorf("%s: %v, %v, want the Content-Location %q", path, resp, err, want)
		}
	}
	if resp, body, err := get(t, c, root+"/0/about", "Accept", "image/gif"); err != nil || resp.StatusCode != 404 || !strings.Contains(body, "application/postscript") {
		t.Errorf("%v, %q, %v", resp, body, err)
	}
}

// A tree of menus, served as files over HTTP, got like any other URL.
func TestFileServer(t *testing.T) {
	server, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{
		{Name: "docs", Items: []gophertest.Item{{Name: "about.txt", Data: "About\n"}, {Type: 'h', Name: "index.html", Data: "<h1>Index</h1>"}}},
		{Type: '9', Name: "octets", Data: strings.Repeat("\x00\xff", 100_000)},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	a := accessClient(t, nil)
	tree, err := mirror.NewFS(t.Context(), a, parse("gopher://"+server.Addr()), nil)
	if err != nil {
		t.Fatal(err)
	}
	files := httptest.NewServer(http.FileServer(http.FS(tree)))
	defer files.Close()
	c := &http.Client{Transport: roundtrip.New(a, nil)}
	for path, want := range map[string]string{"/docs/about.txt": "About\r\n", "/docs/": "<h1>Index</h1>\r\n", "/octets": strings.Repeat("\x00\xff", 100_000), "/": "docs/"} {
		resp, body, err := get(t, c, files.URL+path)
		if err != nil || resp.StatusCode != 200 || body != want && !(path == "/" && strings.Contains(body, want)) {
			t.Errorf("%s: %v, %d octets, %v", path, resp, len(body), err)
		}
	}
	resp, body, err := get(t, c, files.URL+"/octets", "Range", "bytes=199999-")
	if err != nil || resp.StatusCode != 206 || body != "\xff" {
		t.Errorf("%v, %q, %v", resp, body, err)
	}
}
