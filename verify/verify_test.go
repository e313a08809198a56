package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
)

// pages serves the pages that most tests request.
func pages(rw http.ResponseWriter, r *http.Request) {
	to := func(code int, location string) {
		rw.Header().Set("Location", location)
		rw.WriteHeader(code)
	}
	switch r.URL.Path {
	case "/ok", "/":
		io.WriteString(rw, "fine")
	case "/moved":
		to(301, "/ok")
	case "/for-now":
		to(302, "/ok")
	case "/a":
		to(301, "/b")
	case "/b":
		to(301, "/a")
	case "/far":
		to(302, fmt.Sprintf("/far?%s1", r.URL.RawQuery))
	case "/inside":
		to(302, "http://10.0.0.1/admin")
	case "/inside-name":
		to(302, "http://intranet.example/")
	case "/file":
		to(302, "file:///etc/passwd")
	case "/nowhere":
		to(302, "")
	case "/get-only":
		if r.Method != "GET" {
			rw.WriteHeader(405)
			return
		}
		io.WriteString(rw, "fine")
	case "/page":
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(rw, `<h1 id="one">One</h1><a name=two>Two</a><p>Some <b>plain</b> text`)
	case "/text":
		rw.Header().Set("Content-Type", "text/plain")
		io.WriteString(rw, "one")
	case "/move-to-two":
		to(301, "/page#two")
	case "/move-page":
		to(301, "/page")
	default:
		var code int
		if _, err := fmt.Sscanf(r.URL.Path, "/status/%d", &code); err == nil {
			rw.WriteHeader(code)
			return
		}
		rw.WriteHeader(404)
	}
}

func TestVerdicts(t *testing.T) {
	w := newFixture(t, policy.Rules{Files: true})
	w.serve("a.example", pages)
	w.o.Retry = 1
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "there.md"), []byte("# A Title\n\n## A Title\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	there := "file://" + filepath.ToSlash(dir) + "/there.md"
	for _, c := range []struct{ url, want, detail string }{
		{"http://a.example/ok", "alive", ""},
		{"http://a.example", "alive", ""},
		{"http://a.example/get-only", "alive", ""},
		{"http://a.example/moved", "moved -> http://a.example/ok for good", ""},
		{"http://a.example/for-now", "moved -> http://a.example/ok", ""},
		{"http://a.example/none", "dead 404", "Not Found"},
		{"http://a.example/status/410", "dead 410", "Gone"},
		{"http://a.example/status/400", "warning 400", ""},
		{"http://a.example/status/401", "warning 401", ""},
		{"http://a.example/status/403", "warning 403", ""},
		{"http://a.example/status/405", "warning 405", ""},
		{"http://a.example/status/418", "warning 418", ""},
		{"http://a.example/status/429", "warning 429", ""},
		{"http://a.example/status/500", "warning 500", ""},
		{"http://a.example/status/503", "warning 503", ""},
		{"http://a.example/status/999", "warning 999", ""},
		{"http://a.example/a", "warning", "redirect loop"},
		{"http://a.example/far", "warning -> http://a.example/far?111111111111111111111", "more than 20 redirects"},
		{"http://a.example/inside", "denied -> http://10.0.0.1/admin", "not a public address"},
		{"http://a.example/inside-name", "denied -> http://intranet.example/", "10.0.0.1"},
		{"http://a.example/file", "denied -> file:///etc/passwd", "only a local file"},
		{"http://a.example/nowhere", "warning", "without a Location"},
		{"http://none.example/", "dead", "no such host"},
		{"http://broken.example/", "warning", "no such host"},
		{"http://quiet.example/", "dead", "refused"},
		{"http://intranet.example/", "denied", "10.0.0.1"},
		{"http://127.0.0.1/", "ignored", "private network"},
		{"http://a.example:25/", "denied", "port 25"},
		{"http://u:secret@a.example/", "denied", "password"},
		{"http://a_b.example/", "malformed", ""},
		{"irc://a.example/x", "unsupported", ""},
		{"afs://a.example/x", "unsupported", ""},
		{"cid:a@b", "unsupported", ""},
		{"http://a.example/page#one", "alive", ""},
		{"http://a.example/page#two", "alive", ""},
		{"http://a.example/page#%6Fne", "alive", ""},
		{"http://a.example/page#top", "alive", ""},
		{"http://a.example/page#", "alive", ""},
		{"http://a.example/page#three", "fragment", "no such fragment"},
		{"http://a.example/page#One", "fragment", "no such fragment"},
		{"http://a.example/page#!/three", "alive", ""},
		{"http://a.example/page#:~:text=some%20plain", "alive", ""},
		{"http://a.example/page#one:~:text=One,text", "alive", ""},
		{"http://a.example/page#:~:text=no%20such%20words", "fragment", "or text"},
		{"http://a.example/text#three", "alive", ""},
		{"http://a.example/move-page#one", "moved -> http://a.example/page", ""},
		{"http://a.example/move-page#three", "fragment -> http://a.example/page", ""},
		{"http://a.example/move-to-two#three", "moved -> http://a.example/page#two for good", ""},
		{there, "alive", ""},
		{there + "#a-title-1", "alive", ""},
		{there + "#a-title-2", "fragment", ""},
		{"file:///nowhere/at/all", "dead", ""},
	} {
		got := w.run(textDoc("doc", "<URL:"+c.url+">"))
		if len(got) != 1 {
			t.Errorf("%s: %d results", c.url, len(got))
			continue
		}
		r := got[0]
		_, short, _ := strings.Cut(line(r), r.Link()+" ")
		if strings.HasPrefix(c.want, "fragment ->") {
			short = strings.TrimSuffix(short, " for good")
		}
		if strings.HasPrefix(c.want, "moved -> http://a.example/page") {
			short, c.want = strings.TrimSuffix(short, " for good"), strings.TrimSuffix(c.want, " for good")
		}
		if short != c.want || !strings.Contains(r.Detail, c.detail) || strings.Contains(r.Detail, "secret") {
			t.Errorf("%s: %s, %q; want %s, %q", c.url, short, r.Detail, c.want, c.detail)
		}
		if bad := r.IsBad(); bad != (r.Verdict == Dead || r.Verdict == Fragment || r.Verdict == Malformed) {
			t.Errorf("%s: bad %v", c.url, bad)
		}
	}
}

// A Gopher server reports a missing resource in a menu line or in a text.
func TestGopher(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	const excuse = "Error: File or directory not found! (null)\r\n____\r\n  Gophered by a server\r\n"
	s, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{
		{Name: "Text", Selector: "/text", Data: "On errors\nthat are not found\n"},
		{Name: "Excuse", Selector: "/excuse", Data: excuse},
		{Name: "Short", Selector: "/short", Data: "File not found\r\n"},
		{Name: "Long", Selector: "/long", Data: excuse + strings.Repeat("This is the manual of errors.\r\n", 40)},
		{Type: '9', Name: "Octets", Selector: "/octets", Data: excuse},
	}}, &gophertest.Options{Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w.names["g.example"], w.servers["1.1.1.99"] = "1.1.1.99", s.Addr()
	for _, c := range []struct{ path, want, detail string }{
		{"", "alive", ""},
		{"0/text", "alive", ""},
		{"0/excuse", "warning", `"Error: File or directory not found! (null)"`},
		{"0/short", "warning", `"File not found"`},
		{"0/long", "alive", ""},
		{"9/octets", "warning", `"Error: File or directory not found! (null)"`},
		{"0/none", "dead", "/none"},
		{"1/none", "dead", "/none"},
		{"9/none", "dead", "/none"},
		{"I/none", "dead", "/none"},
	} {
		got := w.run(textDoc("d", "<URL:gopher://g.example/"+c.path+">"))
		if len(got) != 1 || got[0].Verdict.String() != c.want || !strings.Contains(got[0].Detail, c.detail) {
			t.Errorf("%s: %+v; want %s, %q", c.path, got, c.want, c.detail)
		}
	}
}

// The Verifier requests each URL once, even if several links contain the URL with different
// fragments. It yields links in document order.
func TestEachURLIsRequestedOnce(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("a.example", pages)
	got := w.run(
		textDoc("one.md", "[a](http://a.example/page) [b](HTTP://A.example:80/page#one)\n<http://a.example/none>\n"),
		textDoc("two.txt", "http://a.example/page#three and http://a.example/none\nhttp://a.example/ok"),
	)
	w.want(got,
		"one.md:1 http://a.example/page alive",
		"one.md:1 HTTP://A.example:80/page#one alive",
		"one.md:2 http://a.example/none dead 404",
		"two.txt:1 http://a.example/page#three fragment",
		"two.txt:1 http://a.example/none dead 404",
		"two.txt:2 http://a.example/ok alive",
	)
	if got := strings.Join(w.requestedURLs(), ", "); got != "GET http://a.example/none, GET http://a.example/page, HEAD http://a.example/none, HEAD http://a.example/ok" {
		t.Errorf("asked %s", got)
	}
}

// A typesetter may have added the hyphen at the end of a line (RFC 1738 appendix).
func TestHyphens(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("a.example", pages)
	got := w.run(textDoc("d", "<URL:http://a.example/o-\nk> <URL:http://a.example/no-\nne> <URL:http://a.example/for-\nnow> <URL:http://a.example/pa-\nge#three>"))
	w.want(got,
		"d:1 http://a.example/ok alive",
		"d:2 http://a.example/no-ne dead 404",
		"d:3 http://a.example/for-now moved -> http://a.example/ok",
		"d:4 http://a.example/pa-ge#three dead 404",
	)
	if !strings.Contains(got[0].Detail, "hyphen") || got[1].Detail == "" {
		t.Errorf("%q, %q", got[0].Detail, got[1].Detail)
	}
	if asked := strings.Join(w.requestedURLs(), " "); strings.Contains(asked, "fornow") {
		t.Errorf("asked %s", asked)
	}
}

// The Verifier looks for a fragment of a directory in the directory's index file.
func TestIndexFiles(t *testing.T) {
	w := newFixture(t, policy.Rules{Files: true})
	dir := t.TempDir()
	for name, content := range map[string]string{
		"a.md":                "[](both/#html) [](both/#md) [](readme/#part) [](readme/#none) [](both#html) [](empty/#any) [](folder/#any) [](readme/)\n",
		"both/README.md":      "# MD\n",
		"both/index.html":     "<p id=html>",
		"readme/Readme.md":    "# Part\n",
		"readme/other.md":     "# None\n",
		"empty/other.md":      "",
		"folder/index.html/x": "",
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	base := "file://" + filepath.ToSlash(dir) + "/"
	var got []string
	for _, r := range w.run(Source{Name: "a.md", URL: locus.MustParse(base + "a.md"), Open: func(context.Context) (io.ReadCloser, error) {
		return os.Open(filepath.Join(dir, "a.md"))
	}}) {
		got = append(got, fmt.Sprint(strings.TrimPrefix(r.URL.String(), base), " ", r.Verdict))
	}
	want := []string{"both/#html alive", "both/#md fragment", "readme/#part alive", "readme/#none fragment", "both#html alive", "empty/#any alive", "folder/#any alive", "readme/ alive"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// An internationalized link is requested as its ASCII URL, or not at all.
func TestIRI(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("xn--example-v73f2ijk.example", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.EscapedPath() != "/%C3%A4" {
			rw.WriteHeader(http.StatusNotFound)
		}
	}))
	var got []string
	for _, r := range w.run(textDoc("d", "http://exampleこれは.example/ä http://exampleこれは.example/none http://xn--はじめよう.example/x")) {
		got = append(got, fmt.Sprintf("%s as %s %s", r.URL, r.Written, r.Verdict))
	}
	want := []string{
		"http://xn--example-v73f2ijk.example/%C3%A4 as http://exampleこれは.example/ä alive",
		"http://xn--example-v73f2ijk.example/none as http://exampleこれは.example/none dead",
		"http://xn--はじめよう.example/x as  malformed",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestRelativeReferences(t *testing.T) {
	w := newFixture(t, policy.Rules{Files: true})
	w.serve("a.example", pages)
	dir := t.TempDir()
	for name, content := range map[string]string{
		"docs/index.md": "[a](other.md) [b](other.md#part) [c](other.md#none) [d](#here) [e](../up.html?v=1#x) [f](none.md) [g](sub/) [h](a%20b.md) [i](<a b.md>) [j](http:none.md)\n\n# Here\n",
		"docs/other.md": "# Part\n",
		"docs/a b.md":   "",
		"docs/sub/x":    "",
		"up.html": `<p id=x><a href="/docs/index.md">up</a><img src=docs/none.png srcset="docs/other.md 2x"><a href="//a.example/ok">a</a><a href="//a.example:8080/">b</a><a href="//localhost/no/such/file">c</a>` +
			`<img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='1'/>"><a href="tel:+1 555 1234">d</a><a href="docs/no b">e</a><a href="http://h/a b">f</a>` +
			`<a href="{{ page.url }}">g</a><a href="http://a.example/{{.Name}}">h</a><a href="x/${name}.html">i</a><a href="{% url 'a' %}">j</a><a href="x/a}}">k</a>`,
		"based.html": `<base href="http://a.example/x/"><link rel=preconnect href="http://a.example/none"><a href="../ok">a</a><a href="none">b</a>`,
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	base := "file://" + filepath.ToSlash(dir) + "/"
	source := func(name string) Source {
		return Source{Name: name, URL: locus.MustParse(base + name), Root: locus.MustParse(base), Open: func(context.Context) (io.ReadCloser, error) {
			return os.Open(filepath.Join(dir, filepath.FromSlash(name)))
		}}
	}
	got := w.run(source("docs/index.md"), source("up.html"), source("based.html"), source("none.md"))
	if got[0].Written != "other.md" || got[1].Written != "other.md#part" {
		t.Errorf("written %q, %q", got[0].Written, got[1].Written)
	}
	var lines []string
	for _, r := range got {
		text := strings.ReplaceAll(r.URL.String(), base, "BASE/")
		if text == "" {
			text = r.Written
		}
		switch {
		case r.Err != nil:
			text = r.Document + " error"
		case r.Status != 0:
			text = fmt.Sprintf("%s:%d %s %s %d", r.Document, r.Line, text, r.Verdict, r.Status)
		default:
			text = fmt.Sprintf("%s:%d %s %s", r.Document, r.Line, text, r.Verdict)
		}
		lines = append(lines, text)
	}
	if key := got[2].Key(); key != "docs/index.md: other.md#none" {
		t.Errorf("key %q", key)
	}
	want := []string{
		"docs/index.md:1 BASE/docs/other.md alive",
		"docs/index.md:1 BASE/docs/other.md#part alive",
		"docs/index.md:1 BASE/docs/other.md#none fragment",
		"docs/index.md:1 BASE/docs/index.md#here alive",
		"docs/index.md:1 BASE/up.html#x alive",
		"docs/index.md:1 BASE/docs/none.md dead",
		"docs/index.md:1 BASE/docs/sub/ alive",
		"docs/index.md:1 BASE/docs/a%20b.md alive",
		"docs/index.md:1 BASE/docs/a%20b.md alive",
		"docs/index.md:1 http:none.md malformed",
		"up.html:1 BASE/docs/index.md alive",
		"up.html:1 BASE/docs/none.png dead",
		"up.html:1 BASE/docs/other.md alive",
		"up.html:1 //a.example/ok ignored",
		"up.html:1 //a.example:8080/ ignored",
		"up.html:1 file://localhost/no/such/file dead",
		"up.html:1 data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='1'/> warning",
		"up.html:1 tel:+1 555 1234 unsupported",
		"up.html:1 BASE/docs/no%20b dead",
		"up.html:1 http://h/a%20b ignored",
		"up.html:1 {{ page.url }} ignored",
		"up.html:1 http://a.example/{{.Name}} ignored",
		"up.html:1 x/${name}.html ignored",
		"up.html:1 {% url 'a' %} ignored",
		"up.html:1 BASE/x/a}} dead",
		"based.html:1 http://a.example/ok alive",
		"based.html:1 http://a.example/x/none dead 404",
		"none.md error",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	// In a document without a URL, relative references have no base.
	w.want(w.run(Source{Name: "-", Type: "text/markdown", Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("[a](b.md) [c](http://a.example/ok)")), nil
	}}), "-:1 b.md ignored", "-:1 http://a.example/ok alive")
}

// Permissions for typed URLs do not apply to links in files or pages.
func TestZones(t *testing.T) {
	w := newFixture(t, policy.Rules{TypedPrivate: true, Files: true})
	w.names["local.example"] = "127.0.0.1"
	w.serve("a.example", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		io.WriteString(rw, `<a href="http://local.example/ok">a</a><a href="file:///etc/hosts">b</a>`)
	})
	var asked atomic.Int32
	w.serve("local", func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ok" {
			asked.Add(1)
		}
		pages(rw, r)
	})
	w.servers["127.0.0.1"] = w.servers[w.names["local"]]
	got := w.run(textDoc("doc.txt", "http://local.example/ok"), sourceAt("http://local.example/ok"), sourceAt("http://a.example/"))
	w.want(got,
		"doc.txt:1 http://local.example/ok denied",
		":0 http://local.example/ok alive",
		":0 http://a.example/ alive",
		"http://a.example/:1 http://local.example/ok denied",
		"http://a.example/:1 file:///etc/hosts denied",
	)
	if asked.Load() != 1 {
		t.Errorf("asked %d times", asked.Load())
	}
}

func TestRulesAndBaseline(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("a.example", pages)
	w.o.Rules = &Rules{
		Ignore: []policy.Pattern{policy.MustParsePattern("http://a.example/status/5"), policy.MustParsePattern("mailto:")},
		Accept: []Accept{
			{URL: policy.MustParsePattern("http://a.example/*"), Status: []int{403}, Reason: "it wants a browser"},
			{URL: policy.MustParsePattern("*#gone"), Verdict: []Verdict{Fragment}},
		},
	}
	b, err := ParseBaseline("# old\nhttp://a.example/none\nhttp://a.example/ok\n\n")
	if err != nil {
		t.Fatal(err)
	}
	w.o.Baseline = b
	got := w.run(textDoc("d", "http://a.example/status/500 mailto:a@b.example http://a.example/status/403 http://a.example/page#gone http://a.example/page#other http://a.example/none http://a.example/none2 http://a.example/ok"))
	w.want(got,
		"d:1 http://a.example/status/500 ignored",
		"d:1 mailto:a@b.example ignored",
		"d:1 http://a.example/status/403 warning 403",
		"d:1 http://a.example/page#gone fragment",
		"d:1 http://a.example/page#other fragment",
		"d:1 http://a.example/none dead 404",
		"d:1 http://a.example/none2 dead 404",
		"d:1 http://a.example/ok alive",
	)
	var bad, accepted, known []int
	for i, r := range got {
		if r.IsBad() {
			bad = append(bad, i)
		}
		if r.Accepted {
			accepted = append(accepted, i)
		}
		if r.Known {
			known = append(known, i)
		}
	}
	if fmt.Sprint(bad, accepted, known) != "[4 6] [2 3] [5]" || got[2].Reason != "it wants a browser" {
		t.Errorf("bad %v, accepted %v, known %v", bad, accepted, known)
	}
	if slices.ContainsFunc(w.requestedURLs(), func(r string) bool { return strings.Contains(r, "500") }) {
		t.Error("what is ignored was asked for")
	}
}

// The Verifier requests archived copies only for dead links.
func TestArchive(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("a.example", pages)
	w.serve("archive.example", func(rw http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.RequestURI, "/none") {
			rw.WriteHeader(404)
		}
	})
	w.o.Archive = func(u locus.URL) locus.URL { return locus.MustParse("http://archive.example/web/" + u.String()) }
	got := w.run(textDoc("d", "http://a.example/none http://a.example/none2 http://a.example/ok http://a.example/page#x"))
	w.want(got, "d:1 http://a.example/none dead 404", "d:1 http://a.example/none2 dead 404", "d:1 http://a.example/ok alive", "d:1 http://a.example/page#x fragment")
	if a := got[0].Archive.String(); a != "http://archive.example/web/http://a.example/none" {
		t.Errorf("archive %q", a)
	}
	for _, r := range got[1:] {
		if !r.Archive.IsZero() {
			t.Errorf("%s: archive %s", line(r), r.Archive)
		}
	}
}
