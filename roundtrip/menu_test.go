package roundtrip_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/roundtrip"
	"github.com/locus-url/locus/scheme"
)

// menu gives items, and err behind them.
func menu(title string, form *scheme.Form, items []scheme.Item, err error) func(context.Context, *scheme.Request) (scheme.Resource, error) {
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

// hostile is a menu of what servers should not send, and some do.
func hostile() []scheme.Item {
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

func TestHTML(t *testing.T) {
	c := client(t, pages{"m": menu("A & <B>\u202e", nil, hostile(), nil)})
	resp, body, err := get(t, c, "x-page://me:secret@h/m")
	if err != nil {
		t.Fatal(err)
	}
	const want = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>A &amp; &lt;B&gt;\u202e</title>
<style>li { white-space: pre-wrap }</style>
</head>
<body>
<h1>A &amp; &lt;B&gt;\u202e</h1>
<ul>
<li>Welcome  here</li>
<li><a href="x-page://me@h/a%27b%28c%29?d&amp;e;f">&lt;script&gt;alert(&#34;1&#34;)&lt;/script&gt;</a> <small>(object, text/html, 7 octets, 1994-12-20 11:00, &lt;b&gt;)</small></li>
<li>click <small>(javascript:alert(1))</small></li>
<li>me <small>(object, data:text/html,x)</small></li>
<li>passwords <small>(object, file:///etc/passwd)</small></li>
<li><a href="mailto:a@b">write</a> <small>(session)</small></li>
`
	rest, ok := strings.CutPrefix(body, want)
	if !ok {
		t.Errorf("%s", body)
	}
	const tail = `<li><a href="x-page://h/dir/">\x1b[2Jcafé` + "\u00e2\\u0080\u00ae" + `</a> <small>(menu)</small></li>
<li><a href="x-page://h/z">café\u202etxt.exe\x07</a> <small>(menu)</small></li>
<li>wrong\x0d\x0a&lt;hr&gt; <small>(error)</small></li>
</ul>
</body>
</html>
`
	if rest != tail {
		t.Errorf("%s", rest)
	}
	for name, want := range map[string]string{"Content-Type": "text/html; charset=utf-8", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'", "Content-Length": ""} {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if resp.ContentLength != -1 || strings.Contains(body, "secret") {
		t.Errorf("%d", resp.ContentLength)
	}
}

func form() *scheme.Form {
	return &scheme.Form{URL: parse("x-page://h/f"), Title: "Who <you> are", Fields: []scheme.FormField{
		{Kind: scheme.FieldNote, Prompt: "Be <honest>"},
		{Kind: scheme.FieldText, Prompt: "Name", Default: "caf\xe9"},
		{Kind: scheme.FieldHidden, Prompt: "Password", Default: "sesame"},
		{Kind: scheme.FieldChoice, Prompt: "Colour", Choices: []string{"red", "<blue>"}},
	}}
}

func TestForm(t *testing.T) {
	c := client(t, pages{"f": menu("", form(), nil, nil)})
	_, body, err := get(t, c, "x-page://h/f")
	const want = `<h1>x-page://h/f</h1>
<h2>Who &lt;you&gt; are</h2>
<ul>
<li>Be &lt;honest&gt;</li>
<li>Name (text; café)</li>
<li>Password (hidden)</li>
<li>Colour (choice: red, &lt;blue&gt;)</li>
</ul>
<ul>
</ul>
</body>
</html>
`
	if err != nil || !strings.HasSuffix(body, want) {
		t.Errorf("%s, %v", body, err)
	}
	_, body, err = get(t, c, "x-page://h/f", "Accept", "application/json")
	const wantJSON = `{"url":"x-page://h/f","kind":"menu","form":{"title":"Who <you> are","fields":[` +
		`{"kind":"note","prompt":"Be <honest>","default":""},{"number":1,"kind":"text","prompt":"Name","default":"café"},` +
		`{"number":2,"kind":"hidden","prompt":"Password","default":""},{"number":3,"kind":"choice","prompt":"Colour","default":"","choices":["red","<blue>"]}]},"items":[]}` + "\n"
	if err != nil || body != wantJSON {
		t.Errorf("%s, %v", body, err)
	}
}

func TestJSON(t *testing.T) {
	c := client(t, pages{
		"m": menu("caf\xe9", nil, hostile(), nil),
		"there": func(context.Context, *scheme.Request) (scheme.Resource, error) {
			return &scheme.Referral{To: []locus.URL{parse("x-page://h/m")}}, nil
		},
	})
	resp, body, err := get(t, c, "x-page://me:secret@h/there#part", "Accept", "application/json")
	if err != nil || resp.Header.Get("Content-Type") != "application/json" || strings.Contains(body, "secret") || strings.Count(body, "\n") != 1 {
		t.Fatalf("%v, %s, %v", resp, body, err)
	}
	var got struct {
		URL, Found, Kind, Title string
		Items                   []map[string]any
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	if got.URL != "x-page://me@h/there#part" || got.Found != "x-page://me@h/m#part" || got.Kind != "menu" || got.Title != "café" || len(got.Items) != 9 {
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
}

func TestText(t *testing.T) {
	c := client(t, pages{"m": menu("", nil, hostile()[5:], nil)})
	resp, body, err := get(t, c, "x-page://h/m", "Accept", "text/plain")
	const want = "write\tmailto:a@b\n" + `\x1b[2Jcafé` + "\u00e2\\u0080\u00ae\tx-page://h/dir/\n" + `café\u202etxt.exe\x07` + "\tx-page://h/z\n" + `wrong\x0d\x0a<hr>` + "\t\n"
	if err != nil || resp.Header.Get("Content-Type") != "text/plain; charset=utf-8" || body != want {
		t.Errorf("%v, %q, %v", resp, body, err)
	}
}

func TestFormats(t *testing.T) {
	a := accessClient(t, pages{"m": menu("", nil, nil, nil)})
	for _, test := range []struct {
		menu   roundtrip.Format
		accept string
		want   string
	}{
		{roundtrip.HTML, "", "text/html"}, {roundtrip.JSON, "", "application/json"}, {roundtrip.Text, "", "text/plain"}, {99, "", "text/html"},
		{roundtrip.HTML, "*/*", "text/html"}, {roundtrip.JSON, "*/*", "application/json"}, {roundtrip.JSON, "text/*", "text/html"},
		{roundtrip.HTML, "text/html;q=0.5, application/json", "application/json"}, {roundtrip.HTML, "text/plain;q=0.6, text/html;q=0.5", "text/plain"},
		{roundtrip.HTML, "text/html;q=0, */*;q=0.1", "application/json"}, {roundtrip.Text, "image/gif", "text/plain"},
		{roundtrip.HTML, "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8", "text/html"},
	} {
		c := &http.Client{Transport: roundtrip.New(a, &roundtrip.Options{Menu: test.menu})}
		resp, _, err := get(t, c, "x-page://h/m", "Accept", test.accept)
		if err != nil {
			t.Fatal(err)
		}
		if kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";"); kind != test.want {
			t.Errorf("%d %q: %s", test.menu, test.accept, kind)
		}
	}
}

// What came before a menu broke off is there, the page says what happened, and so
// does the error.
func TestBroken(t *testing.T) {
	cut := fmt.Errorf("x-page: %w: <cut> \x1b", scheme.ErrProtocol)
	c := client(t, pages{"m": menu("", nil, hostile()[:1], cut)})
	for accept, want := range map[string]string{
		"text/html":        "<li>Welcome  here</li>\n</ul>\n<p><strong>The menu breaks off here: locus: read x-page://h/m: x-page: protocol error: &lt;cut&gt; \\x1b</strong></p>\n</body>\n</html>\n",
		"application/json": `"items":[{"url":null,"title":"Welcome  here","kind":"info"}],"error":{"kind":"protocol","message":"locus: read x-page://h/m: x-page: protocol error: <cut> \u001b"}}` + "\n",
		"text/plain":       "Welcome  here\t\n",
	} {
		resp, body, err := get(t, c, "x-page://h/m", "Accept", accept)
		var about *access.Error
		if !errors.Is(err, scheme.ErrProtocol) || !errors.As(err, &about) || resp.StatusCode != 200 || !strings.HasSuffix(body, want) {
			t.Errorf("%s: %s, %v", accept, body, err)
		}
	}
}

// slow is a menu whose items come one by one, as they are sent, and which is closed
// by who waits.
func slow(items chan scheme.Item, closed chan struct{}) func(context.Context, *scheme.Request) (scheme.Resource, error) {
	return func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		return &scheme.Menu{URL: req.URL, Closer: &closing{closed: func() { close(closed) }}, Items: func(yield func(scheme.Item, error) bool) {
			for {
				select {
				case i, ok := <-items:
					if !ok || !yield(i, nil) {
						return
					}
				case <-closed:
					yield(scheme.Item{}, errors.New("x-page: closed"))
					return
				}
			}
		}}, nil
	}
}

// A page is written as its items come.
func TestStreaming(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		items, closed := make(chan scheme.Item), make(chan struct{})
		c := client(t, pages{"m": slow(items, closed)})
		req, err := http.NewRequestWithContext(t.Context(), "GET", "x-page://h/m", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", "text/plain")
		resp, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		buffer := make([]byte, 1000)
		for i := range 3 {
			title := fmt.Sprint("item ", i)
			go func() { items <- scheme.Item{Title: title} }()
			if n, err := resp.Body.Read(buffer); string(buffer[:n]) != title+"\t\n" || err != nil {
				t.Errorf("%q, %v", buffer[:n], err)
			}
		}
		// Close ends a Read that waits.
		done := make(chan error)
		go func() {
			_, err := resp.Body.Read(buffer)
			done <- err
		}()
		synctest.Wait()
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
		if err := <-done; err == nil || err == io.EOF {
			t.Errorf("Read while it is closed: %v", err)
		}
		if _, err := resp.Body.Read(buffer); !errors.Is(err, http.ErrBodyReadAfterClose) {
			t.Errorf("Read after Close: %v", err)
		}
	})
}

// The end of the request's context ends the page.
func TestContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		items, closed := make(chan scheme.Item), make(chan struct{})
		c := client(t, pages{"m": slow(items, closed)})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, "GET", "x-page://h/m", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.ReadAll(resp.Body); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
}

// A page that is not read is closed, too.
func TestCloseUnread(t *testing.T) {
	for _, method := range []string{"GET", "HEAD"} {
		closed := make(chan struct{})
		c := client(t, pages{"m": slow(nil, closed)})
		req, err := http.NewRequestWithContext(t.Context(), method, "x-page://h/m", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.Do(req)
		if err != nil || resp.ContentLength != -1 {
			t.Fatal(resp, err)
		}
		if method == "HEAD" {
			<-closed
		}
		resp.Body.Close()
		<-closed
	}
}

// A session is closed again and an error.
func TestSession(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	c := client(t, pages{"s": func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		return &scheme.Session{URL: req.URL, Conn: scheme.PlainTerminal(near)}, nil
	}})
	_, _, err := get(t, c, "x-page://h/s")
	if access.KindOf(err) != access.Unsupported {
		t.Errorf("%v", err)
	}
	if _, err := far.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the session is open: %v", err)
	}
}

// However long a menu is, one item of it is held.
func TestMemory(t *testing.T) {
	const many = 100_000
	c := client(t, pages{"m": func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		return &scheme.Menu{URL: req.URL, Items: func(yield func(scheme.Item, error) bool) {
			for range many {
				if !yield(scheme.Item{URL: req.URL, Title: "an item", Kind: scheme.KindMenu, Size: -1}, nil) {
					return
				}
			}
		}}, nil
	}})
	req, err := http.NewRequestWithContext(t.Context(), "GET", "x-page://h/m", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/plain")
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	buffer, total := make([]byte, 32<<10), 0
	for {
		n, err := resp.Body.Read(buffer)
		if n > 100 {
			t.Fatalf("%d octets at once: they were held", n)
		}
		total += n
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := many * len("an item\tx-page://h/m\n"); total != want {
		t.Errorf("%d octets, want %d", total, want)
	}
}
