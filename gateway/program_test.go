package gateway_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/cache"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
)

// These tests use the gateway as a proxy for schemes other than http and https.

// startWith starts a gateway that opens x-page URLs with the functions in o.
func startWith(t testing.TB, o opened) *fixture {
	t.Helper()
	s := loopbackSetup
	s.schemes = []scheme.Scheme{o.row()}
	return start(t, s)
}

// program requests u with HTTP/1.1. If the body is incomplete, it returns an error. The
// parameter fields contains header names and values in turns.
func (w *fixture) program(method, u string, fields ...string) (a answer, err error) {
	w.t.Helper()
	c, err := net.Dial("tcp", w.addr)
	if err != nil {
		w.t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: h\r\nConnection: close\r\n", method, u)
	for i := 0; i < len(fields); i += 2 {
		fmt.Fprintf(c, "%s: %s\r\n", fields[i], fields[i+1])
	}
	io.WriteString(c, "\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		w.t.Fatalf("%s: %v", u, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return answer{resp, string(body)}, err
}

// noted is a reader that records that it is closed.
type noted struct {
	io.Reader
	closed func()
	once   sync.Once
}

func (n *noted) Close() error {
	n.once.Do(n.closed)
	return nil
}

// The gateway opens exactly the URL in the request.
func TestProgramURL(t *testing.T) {
	var asked string
	note := scheme.OpenerFunc(func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		asked = req.URL.String()
		return &scheme.Object{URL: req.URL, Size: 0, Body: http.NoBody}, nil
	})
	s := loopbackSetup
	s.gateway.Files = func(locus.URL) bool { return true }
	s.rules.Files, s.rules.Ports = true, []uint16{70}
	s.row = func(row scheme.Scheme) scheme.Scheme {
		if row.Access.Opener != nil {
			row.Access.Opener = note
		}
		return row
	}
	w := start(t, s)
	for _, url := range []string{
		"gopher://h", "gopher://h/", "gopher://h/1", "gopher://h/11/docs", "gopher://h/1/docs/../x/./y",
		"gopher://h/7sel%09two%20words", "gopher://h/7sel%09word%09+", "gopher://h/0sel%09%09!+ABSTRACT%20+VIEWS", "gopher://h/0sel%09%09+application/postscript%20Es_ES", "gopher://h/1sel%09%09$+VIEWS",
		"gopher://h/0sel%09%09+%091%0D%0A+-1%0D%0Aans1%0D%0Aans2%0D%0A.%0D%0A", "gopher://h/0sel%09%09+%091%0d%0a+-1%0d%0aa%0d%0a.%0d%0a",
		"gopher://h/1sel?a=b&c=d", "gopher://h/7?%09x", "gopher://h/0a%2525b", "gopher://h/0a%2Fb", "gopher://h/0a%3Fb%23c", "gopher://h/0caf%E9",
		"gopher://h/;type", "gopher://h/%3Cmovie", "gopher://h/_raw;x,y", "gopher://h/hURL:http://x/?y",
		"ftp://h//etc/motd", "ftp://h/%2Fetc/motd", "ftp://h/a//b///", "ftp://h/etc;type=d", "ftp://h/a%3Bb;type=a", "ftp://h/;type=d", "ftp://h/~user/%7Euser",
		"ftp://user:pass%40word@h/a", "ftp://user@h/a", "ftp://user:@h/", "ftp://h/..", "ftp://h/%2E%2E/x",
		"news:comp.infosystems.www", "news:a.b%2Fc@h", "news:*", "nntp://h/g/1", "wais://h/d?s", "file:///a/b%20c", "file://localhost/a",
	} {
		asked = ""
		if a, err := w.program("GET", url); err != nil || a.StatusCode != 200 || asked != url {
			t.Errorf("%s: asked for %s: %s %q, %v", url, asked, a.Status, a.body, err)
		}
	}
}

func TestProgramRefused(t *testing.T) {
	w := startWith(t, nil)
	for url, want := range map[string]int{
		"http://h:99999/": 400, "ftp://user:secret@h:123456/": 400, "x-strange://h/": 501, "mailto:a@b": 501, "x-page://u:secret@h:25/": 403,
	} {
		if a, err := w.program("GET", url); err != nil || a.StatusCode != want || strings.Contains(a.body, "secret") {
			t.Errorf("%s: %s %q, %v", url, a.Status, a.body, err)
		}
	}
}

func TestProgramObject(t *testing.T) {
	modified := time.Date(1994, 12, 20, 12, 0, 0, 0, time.UTC)
	var open sync.WaitGroup // objects
	object := func(o scheme.Object) func(context.Context, *scheme.Request) (scheme.Resource, error) {
		return func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
			o := o
			o.URL = req.URL
			if req.Tag != "" && req.Tag != o.Tag || !req.ModTime.IsZero() && !req.ModTime.Equal(o.ModTime) || req.Offset > int64(len(digits)) {
				req.Offset = 0
			}
			o.Start = req.Offset
			o.Body = &noted{Reader: strings.NewReader(digits[o.Start:]), closed: open.Done}
			open.Add(1)
			return &o, nil
		}
	}
	w := startWith(t, opened{
		"all":     object(scheme.Object{Type: "text/plain; charset=us-ascii", Encoding: "gzip", Size: 10, ModTime: modified, Tag: `"v1"`}),
		"nothing": object(scheme.Object{Size: -1, Tag: "10-1994"}),
		"mail":    object(scheme.Object{Type: "message/rfc822", Size: 10}),
		"there": func(context.Context, *scheme.Request) (scheme.Resource, error) {
			return &scheme.Redirect{To: []locus.URL{parse("x-page://h/all#there")}}, nil
		},
	})
	type fields map[string]string
	for _, test := range []struct {
		path   string
		header []string
		status int
		want   string
		fields fields
	}{
		{"all", nil, 200, digits, fields{"Content-Type": "text/plain; charset=us-ascii", "Content-Encoding": "gzip", "Content-Length": "10", "Last-Modified": "Tue, 20 Dec 1994 12:00:00 GMT", "ETag": `"v1"`, "X-Content-Type-Options": "nosniff", "Content-Location": "", "Content-Range": ""}},
		{"nothing", nil, 200, digits, fields{"Content-Type": "application/octet-stream", "X-Content-Type-Options": "nosniff", "Last-Modified": "", "ETag": ""}},
		{"all", []string{"Range", "bytes=4-"}, 206, "456789", fields{"Content-Range": "bytes 4-9/10", "Content-Length": "6"}},
		{"all", []string{"Range", "bytes=9-"}, 206, "9", fields{"Content-Range": "bytes 9-9/10"}},
		// A browser that requests a range gets the bytes of a message, not a page.
		{"mail", append([]string{"Range", "bytes=1-3"}, browser...), 200, digits, nil},
		{"mail", append([]string{"Range", "bytes=0-"}, browser...), 200, digits, nil},
		{"mail", append([]string{"Range", "bytes=4-"}, browser...), 206, "456789", fields{"Content-Range": "bytes 4-9/10"}},
		{"all", []string{"Range", "bytes=0-"}, 200, digits, fields{"Content-Range": ""}},
		{"all", []string{"Range", "bytes=10-"}, 416, "the resource has only 10 bytes\n", fields{"Content-Range": "bytes */10"}},
		{"all", []string{"Range", "bytes=11-"}, 416, "the resource has only 10 bytes\n", fields{"Content-Range": "bytes */10"}},
		{"nothing", []string{"Range", "bytes=4-"}, 200, digits, fields{"Content-Range": ""}},
		{"all", []string{"Range", "bytes=4-", "If-Range", `"v1"`}, 206, "456789", nil},
		{"all", []string{"Range", "bytes=4-", "If-Range", `"v2"`}, 200, digits, nil},
		{"all", []string{"Range", "bytes=40-", "If-Range", `"v2"`}, 200, digits, nil},
		{"all", []string{"Range", "bytes=4-", "If-Range", `W/"v1"`}, 200, digits, nil},
		{"all", []string{"Range", "bytes=4-", "If-Range", "Tue, 20 Dec 1994 12:00:00 GMT"}, 206, "456789", nil},
		{"all", []string{"Range", "bytes=4-", "If-Range", "Tue, 20 Dec 1994 12:00:01 GMT"}, 200, digits, nil},
		{"all", []string{"Range", "bytes=4-5"}, 200, digits, nil},
		{"all", []string{"Range", "bytes=-4"}, 200, digits, nil},
		{"all", []string{"Range", "bytes=4-,6-"}, 200, digits, nil},
		{"all", []string{"Range", "lines=4-"}, 200, digits, nil},
		{"there", nil, 200, digits, fields{"Content-Location": "x-page://h/all"}},
	} {
		a, err := w.program("GET", "x-page://h/"+test.path, test.header...)
		open.Wait()
		if err != nil || a.StatusCode != test.status || a.body != test.want {
			t.Errorf("%s %q: %s, %q, %v", test.path, test.header, a.Status, a.body, err)
			continue
		}
		for name, want := range test.fields {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s %q: %s: %s, want %s", test.path, test.header, name, got, want)
			}
		}
	}
	// HEAD has the same header, and no body.
	for path, length := range map[string]string{"all": "10", "nothing": ""} {
		a, err := w.program("HEAD", "x-page://h/"+path, "Range", "bytes=4-")
		open.Wait()
		if err != nil || a.body != "" || a.StatusCode != 200 || a.Header.Get("Content-Length") != length {
			t.Errorf("HEAD %s: %s %v, %q, %v", path, a.Status, a.Header, a.body, err)
		}
	}
	if a, err := w.program("HEAD", "x-page://h/missing"); err != nil || a.body != "" || a.StatusCode != 404 {
		t.Errorf("HEAD missing: %s %q, %v", a.Status, a.body, err)
	}
}

func TestProgramMethods(t *testing.T) {
	w := startWith(t, nil)
	for _, method := range []string{"POST", "PUT", "DELETE", "get", "OPTIONS"} {
		a, err := w.program(method, "x-page://h/", "Content-Length", "0")
		if err != nil || a.StatusCode != 405 || a.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %s %v, %v", method, a.Status, a.Header, err)
		}
	}
}

func TestProgramFailures(t *testing.T) {
	refuse := func(err error) func(context.Context, *scheme.Request) (scheme.Resource, error) {
		return func(context.Context, *scheme.Request) (scheme.Resource, error) { return nil, err }
	}
	w := startWith(t, opened{
		"auth":  refuse(fmt.Errorf("x-page: %w: \x1b[2J", scheme.ErrAuth)),
		"cut":   refuse(fmt.Errorf("x-page: %w", scheme.ErrProtocol)),
		"large": refuse(scheme.ErrTooLarge),
	})
	for path, status := range map[string]int{"auth": 401, "missing": 404} {
		a, err := w.program("GET", "x-page://user:secret@h/"+path)
		if err != nil || a.StatusCode != status || a.Header.Get("Content-Type") != "text/plain; charset=utf-8" || int64(len(a.body)) != a.ContentLength {
			t.Fatalf("%s: %s %v, %q, %v", path, a.Status, a.Header, a.body, err)
		}
		if strings.Contains(a.body, "secret") || !strings.Contains(a.body, "x-page://user:***@h/"+path) || strings.Contains(a.body, "\x1b") {
			t.Errorf("%s: %s", path, a.body)
		}
	}
	for path, kind := range map[string]string{"cut": "protocol: ", "large": "too-large: "} {
		a, err := w.program("GET", "x-page://user:secret@h/"+path)
		if err != nil || a.StatusCode != 502 || !strings.HasPrefix(a.body, kind) || strings.Contains(a.body, "secret") {
			t.Errorf("%s: %s %q, %v", path, a.Status, a.body, err)
		}
	}
	for _, header := range []string{"Accept", "Accept-Language"} {
		a, err := w.program("GET", "x-page://h/missing", header, "text/html;q=2")
		if err != nil || a.StatusCode != 400 || !strings.Contains(a.body, header) {
			t.Errorf("%s: %s, %q, %v", header, a.Status, a.body, err)
		}
	}
}

func TestProgramAccept(t *testing.T) {
	var accept, language string
	w := startWith(t, opened{"x": func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		accept, language = req.Accept, req.AcceptLanguage
		return &scheme.Object{URL: req.URL, Body: http.NoBody}, nil
	}})
	for _, test := range []struct {
		header           []string
		accept, language string
	}{
		{nil, "text/plain, */*;q=0.9, application/gopher-menu;q=1.000", ""},
		{[]string{"Accept", "application/postscript", "Accept-Language", "es, en;q=0.5"}, "application/postscript", "es, en;q=0.5"},
		{[]string{"Accept", "application/json;q=0.5", "Accept", "image/gif"}, "application/json;q=0.5, image/gif, application/gopher-menu;q=0.500", ""},
		{[]string{"Accept", "text/*, */*;q=0.1"}, "text/*, */*;q=0.1, application/gopher-menu;q=1.000", ""},
		{[]string{"Accept", "*/*"}, "text/plain, */*;q=0.9, application/gopher-menu;q=1.000", ""},
	} {
		if a, err := w.program("GET", "x-page://h/x", test.header...); err != nil || a.StatusCode != 200 || accept != test.accept || language != test.language {
			t.Errorf("%q: %q, %q, %s, %v", test.header, accept, language, a.Status, err)
		}
	}
}

func TestProgramFTP(t *testing.T) {
	server, err := ftptest.Start(ftptest.Files{"home/pub/hello.txt": {Data: "Hello\n"}, "home/pub/big": {Size: 1 << 20}}, &ftptest.Options{User: "me", Password: "secret", Home: "home"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	w := start(t, loopbackSetup)
	root := "ftp://me:secret@" + server.Addr()
	if a, err := w.program("GET", root+"/pub/hello.txt"); err != nil || a.StatusCode != 200 || a.body != "Hello\n" || a.ContentLength != 6 || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/plain") || a.Header.Get("Last-Modified") != "Sat, 01 Jan 1994 00:00:00 GMT" {
		t.Errorf("%s %v %q, %v", a.Status, a.Header, a.body, err)
	}
	if a, err := w.program("GET", root+"/pub/big", "Range", "bytes=1048570-"); err != nil || a.StatusCode != 206 || len(a.body) != 6 || a.body[0] != ftptest.Octet(1048570) || a.Header.Get("Content-Range") != "bytes 1048570-1048575/1048576" {
		t.Errorf("%s %v %q, %v", a.Status, a.Header, a.body, err)
	}
	want := fmt.Sprintf("big\tftp://me@%[1]s/pub/big\nhello.txt\tftp://me@%[1]s/pub/hello.txt\n", server.Addr())
	if a, err := w.program("GET", root+"/pub/"); err != nil || a.StatusCode != 200 || a.body != want {
		t.Errorf("%s %q, %v", a.Status, a.body, err)
	}
	if a, err := w.program("GET", root+"/pub/none"); err != nil || a.StatusCode != 404 || strings.Contains(a.body, "secret") {
		t.Errorf("%s %q, %v", a.Status, a.body, err)
	}
	if a, err := w.program("GET", strings.Replace(root, "secret", "sesame", 1)+"/pub/"); err != nil || a.StatusCode != 401 || strings.Contains(a.body, "sesame") {
		t.Errorf("%s %q, %v", a.Status, a.body, err)
	}
	log := fmt.Sprint(server.Log())
	if !slices.Contains(strings.Fields(log), "me") || !strings.Contains(log, "REST 1048570") {
		t.Error(log)
	}
}

func TestProgramGopher(t *testing.T) {
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
	w := start(t, loopbackSetup)
	root := "gopher://" + server.Addr()
	for _, test := range []struct {
		path   string
		header []string
		kind   string // prefix of the media type
		want   string // text in the body
	}{
		{"/1", []string{"Accept", "application/json"}, "application/json", `{"url":"` + root + `/0/about%09%09+","title":"About","kind":"object"`},
		{"/1", nil, "text/plain", "Welcome <here>\t\nAbout\t" + root + "/0/about%09%09+\n"},
		{"/0/about", nil, "text/plain", "About\r\n"},
		{"/0/about", []string{"Accept", "application/postscript"}, "application/postscript", "%!PS"},
		{"/0/about", []string{"Accept-Language", "de"}, "text/plain", "\u00dcber\r\n"},
		{"/0/about%09%09+application/postscript", nil, "application/postscript", "%!PS"},
		{"/7/words%09two%20words", nil, "text/plain", "You said two words\t\n"},
		{"/7/words", []string{"Accept", "application/json"}, "application/json", `"prompt":"Words to search for"`},
	} {
		a, err := w.program("GET", root+test.path, test.header...)
		if kind := strings.ToLower(a.Header.Get("Content-Type")); err != nil || a.StatusCode != 200 || !strings.HasPrefix(kind, test.kind) || !strings.Contains(a.body, test.want) {
			t.Errorf("%s %q: %s, %s, %q, %v", test.path, test.header, a.Status, kind, a.body, err)
		}
	}
	// A response with a view that the server selected contains Content-Location. A response
	// with a requested view does not.
	for path, want := range map[string]string{
		"/0/about": root + "/0/about%09%09+Text/plain%20De_DE", "/0/about%09%09+Text/plain%20De_DE": "", "/7/words%09two": root + "/7/words%09two%09+application/gopher-menu",
	} {
		if a, err := w.program("GET", root+path, "Accept-Language", "de"); err != nil || a.Header.Get("Content-Location") != want {
			t.Errorf("%s: %v, %v, want the Content-Location %q", path, a.Header, err, want)
		}
	}
	if a, err := w.program("GET", root+"/0/about", "Accept", "image/gif"); err != nil || a.StatusCode != 404 || !strings.Contains(a.body, "application/postscript") {
		t.Errorf("%s, %q, %v", a.Status, a.body, err)
	}
}

// menuOf returns a function that opens a menu with the items, followed by the error err.
func menuOf(title string, form *scheme.Form, items []scheme.Item, err error) func(context.Context, *scheme.Request) (scheme.Resource, error) {
	return func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		return &scheme.Menu{URL: req.URL, Title: title, Form: form, Items: func(yield func(scheme.Item, error) bool) {
			for _, i := range items {
				if !yield(i, nil) {
					return
				}
			}
			if err != nil {
				yield(scheme.Item{}, err)
			}
		}}, nil
	}
}

// hostileItems returns a menu with items that servers should not send, but some servers do.
func hostileItems() []scheme.Item {
	date := time.Date(1994, 12, 20, 12, 0, 0, 0, time.FixedZone("", 3600))
	return []scheme.Item{
		{Title: "Welcome  here", Kind: scheme.KindInfo, Size: -1},
		{URL: parse("x-page://me:secret@h/a'b(c)?d&e;f"), Title: `<script>alert("1")</script>`, Kind: scheme.KindObject, Size: 7, ModTime: date, Type: "text/html", Note: "<b>"},
		{URL: parse("javascript:alert(1)"), Title: "click", Kind: scheme.KindUnknown, Size: -1},
		{URL: parse("data:text/html,x"), Title: "me", Kind: scheme.KindObject, Size: -1},
		{URL: parse("file:///etc/passwd"), Title: "passwords", Kind: scheme.KindObject, Size: -1},
		{URL: parse("mailto:a@b"), Title: "write", Kind: scheme.KindSession, Size: -1},
		{URL: parse("x-page://h/dir/"), Title: "\x1b[2Jcaf\xe9\u202e", Kind: scheme.KindMenu, Size: -1},
		{URL: parse("x-page://h/z"), Title: "caf\u00e9\u202etxt.exe\x07", Kind: scheme.KindMenu, Size: -1},
		{Title: "wrong\r\n<hr>", Kind: scheme.KindError, Size: -1},
	}
}

func TestProgramForm(t *testing.T) {
	form := &scheme.Form{URL: parse("x-page://h/f"), Title: "Who <you> are", Fields: []scheme.FormField{
		{Kind: scheme.FieldNote, Prompt: "Be <honest>"},
		{Kind: scheme.FieldText, Prompt: "Name", Default: "caf\xe9"},
		{Kind: scheme.FieldHidden, Prompt: "Password", Default: "sesame"},
		{Kind: scheme.FieldChoice, Prompt: "Colour", Choices: []string{"red", "<blue>"}},
	}}
	w := startWith(t, opened{"f": menuOf("", form, nil, nil)})
	a, err := w.program("GET", "x-page://h/f", "Accept", "application/json")
	const want = `{"url":"x-page://h/f","kind":"menu","form":{"title":"Who <you> are","fields":[` +
		`{"kind":"note","prompt":"Be <honest>","default":""},{"number":1,"kind":"text","prompt":"Name","default":"café"},` +
		`{"number":2,"kind":"hidden","prompt":"Password","default":""},{"number":3,"kind":"choice","prompt":"Colour","default":"","choices":["red","<blue>"]}]},"items":[]}` + "\n"
	if err != nil || a.body != want {
		t.Errorf("%s, %v", a.body, err)
	}
}

// A menu from the store has the same JSON.
func TestProgramJSON(t *testing.T) {
	s := loopbackSetup
	s.store = &cache.Options{}
	s.schemes = []scheme.Scheme{opened{
		"m": menuOf("caf\xe9", nil, hostileItems(), nil),
		"there": func(context.Context, *scheme.Request) (scheme.Resource, error) {
			return &scheme.Redirect{To: []locus.URL{parse("x-page://h/m#part")}}, nil
		},
	}.row()}
	w := start(t, s)
	for _, login := range []string{"me:secret@", ""} { // the store does not store a URL with a login
		a, err := w.program("GET", "x-page://"+login+"h/there", "Accept", "application/json")
		if err != nil || a.Header.Get("Content-Type") != "application/json" || strings.Contains(a.body, "secret") || strings.Count(a.body, "\n") != 1 {
			t.Fatalf("%v, %s, %v", a.Header, a.body, err)
		}
		var got struct {
			URL, Found, Kind, Title string
			Items                   []map[string]any
		}
		if err := json.Unmarshal([]byte(a.body), &got); err != nil {
			t.Fatal(err)
		}
		me := ""
		if login != "" {
			me = "me@"
		}
		if got.URL != "x-page://"+me+"h/there" || got.Found != "x-page://"+me+"h/m#part" || got.Kind != "menu" || got.Title != "café" || len(got.Items) != 9 {
			t.Errorf("%+v", got)
		}
		for i, want := range map[int]map[string]any{
			0: {"url": nil, "title": "Welcome  here", "kind": "info"},
			1: {"url": "x-page://me@h/a'b(c)?d&e;f", "title": `<script>alert("1")</script>`, "kind": "object", "size": 7.0, "modified": "1994-12-20T11:00:00Z", "mediaType": "text/html", "note": "<b>"},
			2: {"url": "javascript:alert(1)", "title": "click", "kind": "unknown"},
			6: {"url": "x-page://h/dir/", "title": "\x1b[2Jcafé\u00e2\u0080\u00ae", "kind": "menu", "charset": "iso-8859-1"},
		} {
			if fmt.Sprint(got.Items[i]) != fmt.Sprint(want) {
				t.Errorf("item %d: %q, want %q", i, got.Items[i], want)
			}
		}
		if login == "" {
			waitForStore(make([]byte, 1<<20))
			again, err := w.program("GET", "x-page://h/there", "Accept", "application/json")
			if err != nil || again.body != a.body || !strings.Contains(again.Header.Get("Cache-Status"), "; hit") {
				t.Errorf("%s %v %v", again.body, again.Header, err)
			}
		}
	}
}

func TestProgramText(t *testing.T) {
	w := startWith(t, opened{"m": menuOf("", nil, hostileItems()[5:], nil)})
	const want = "write\tmailto:a@b\n" + `\x1b[2Jcafé` + "\u00e2\\u0080\u00ae\tx-page://h/dir/\n" + `café\u202etxt.exe\x07` + "\tx-page://h/z\n" + `wrong\x0d\x0a<hr>` + "\t\n"
	a, err := w.program("GET", "x-page://h/m")
	if err != nil || a.Header.Get("Content-Type") != "text/plain; charset=utf-8" || a.body != want {
		t.Errorf("%v, %q, %v", a.Header, a.body, err)
	}
}

func TestProgramFormats(t *testing.T) {
	w := startWith(t, opened{"m": menuOf("", nil, nil, nil)})
	for accept, want := range map[string]string{
		"": "text/plain", "*/*": "text/plain", "text/*": "text/html", "application/*": "application/json", "text/plain": "text/plain", "application/json": "application/json",
		"text/html;q=0.5, application/json": "application/json", "text/plain;q=0.6, text/html;q=0.5": "text/plain", "text/html;q=0, */*;q=0.1": "application/json",
		"application/json;q=0.5, */*": "text/html", "application/json;q=0, text/plain;q=0, */*": "text/html", "text/*;q=0.5, application/json;q=0.2": "text/html",
		"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8": "text/html",
	} {
		a, err := w.program("GET", "x-page://h/m", "Accept", accept)
		if kind, _, _ := strings.Cut(a.Header.Get("Content-Type"), ";"); err != nil || a.StatusCode != 200 || kind != want {
			t.Errorf("%q: %s %s, %v", accept, a.Status, kind, err)
		}
	}
	// A range of a menu has the format of the menu.
	if a, err := w.program("GET", "x-page://h/m", "Accept", "text/html, application/json", "Range", "bytes=1-"); err != nil || a.StatusCode != 200 || a.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("a range of a menu: %s %v, %v", a.Status, a.Header, err)
	}
	if a, err := w.program("GET", "x-page://h/m", "Accept", "image/gif"); err != nil || a.StatusCode != 406 {
		t.Errorf("image/gif: %s, %v", a.Status, err)
	}
}

// An incomplete menu contains all items before the error. The JSON contains the error, and
// the connection is aborted.
func TestProgramBroken(t *testing.T) {
	cut := fmt.Errorf("x-page: %w: <cut> \x1b", scheme.ErrProtocol)
	for _, stored := range []bool{false, true} {
		s := loopbackSetup
		if stored {
			s.store = &cache.Options{}
		}
		s.schemes = []scheme.Scheme{opened{"m": menuOf("", nil, hostileItems()[:1], cut)}.row()}
		w := start(t, s)
		for accept, want := range map[string]string{
			"application/json": `"items":[{"url":null,"title":"Welcome  here","kind":"info"}],"error":{"kind":"protocol","message":"locus: read x-page://h/m: x-page: protocol error: <cut> \u001b"}}` + "\n",
			"text/plain":       "Welcome  here\t\n",
		} {
			for range 2 {
				a, err := w.program("GET", "x-page://h/m", "Accept", accept)
				if err == nil || a.StatusCode != 200 || !strings.HasSuffix(a.body, want) {
					t.Errorf("stored: %v, %s: %s, %v", stored, accept, a.body, err)
				}
			}
		}
	}
}

// The gateway closes a session and responds with an error.
func TestProgramSession(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	w := startWith(t, opened{"s": func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		return &scheme.Session{URL: req.URL, Conn: scheme.PlainTerminal(near)}, nil
	}})
	a, err := w.program("GET", "x-page://h/s")
	if err != nil || a.StatusCode != 501 {
		t.Errorf("%s, %v", a.Status, err)
	}
	if _, err := far.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the session is open: %v", err)
	}
}
