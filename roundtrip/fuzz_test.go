package roundtrip_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/roundtrip"
	"github.com/locus-url/locus/scheme"
)

// Whatever a server says, a page stays the page it is, and shows it.
func FuzzPage(f *testing.F) {
	f.Add("title", "note", "x-page://h/x")
	f.Add("</li><script>", "\"'", "javascript:alert(1)")
	f.Add("\x1b\xff\u202e", "\u2028", "x-page://u:pw@h/'\"")
	f.Add("", "{{.}}", "file:///x")
	var item scheme.Item
	a := accessClient(f, pages{"m": func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		return menu(item.Title, nil, []scheme.Item{item}, nil)(nil, req)
	}})
	f.Fuzz(func(t *testing.T, title, note, url string) {
		u, err := locus.Parse(url)
		if err != nil {
			u = locus.URL{}
		}
		item = scheme.Item{Title: title, Note: note, URL: u, Size: -1}
		_, page, err := get(t, &http.Client{Transport: roundtrip.New(a, nil)}, "x-page://h/m")
		if err != nil {
			t.Fatal(err)
		}
		// The page has 17 tags around the item, which has 2, a link 2, and what is
		// said besides 2.
		want := 2 * (17 + 2)
		isLink := u.Scheme() == "x-page" || u.Scheme() == "ftp" || u.Scheme() == "gopher" || u.Scheme() == "http" || u.Scheme() == "mailto"
		if isLink {
			want += 2 * 2
		}
		if note != "" || !u.IsZero() && !isLink {
			want += 2 * 2
		}
		if got := strings.Count(page, "<") + strings.Count(page, ">"); got != want {
			t.Errorf("%d of < and >, want %d: %s", got, want, page)
		}
		if strings.ContainsFunc(page, func(r rune) bool { return r != '\n' && !term.IsSafe(r) }) {
			t.Errorf("%q", page)
		}

		_, text, err := get(t, &http.Client{Transport: roundtrip.New(a, &roundtrip.Options{Menu: roundtrip.JSON})}, "x-page://h/m")
		if err != nil {
			t.Fatal(err)
		}
		var d struct {
			Title string
			Items []struct{ Title, Note string }
		}
		if err := json.Unmarshal([]byte(text), &d); err != nil || d.Title != charset.Text(title) || len(d.Items) != 1 || d.Items[0].Title != charset.Text(title) || d.Items[0].Note != charset.Text(note) {
			t.Errorf("%s: %+v, %v", text, d, err)
		}
		_, lines, err := get(t, &http.Client{Transport: roundtrip.New(a, &roundtrip.Options{Menu: roundtrip.Text})}, "x-page://h/m")
		if err != nil || strings.Count(lines, "\t") != 1 || strings.Count(lines, "\n") != 1 {
			t.Errorf("%q, %v", lines, err)
		}
	})
}

// A URL that a client accepts leads to a response or an error, and never to both.
func FuzzURL(f *testing.F) {
	for _, url := range []string{"x-page://h/m", "gopher://h/7a%09b", "news:a@b", "x-page:?", "x-page://u:p@/%", "ftp://h//a;type=x", "http://[::1]/", "file:////x"} {
		f.Add(url, "bytes=1-", `"x"`, "text/html")
	}
	tr := roundtrip.New(accessClient(f, pages{}), nil)
	f.Fuzz(func(t *testing.T, url, ranged, version, accept string) {
		req, err := http.NewRequest("GET", url, nil)
		if err != nil || req.URL.Scheme != "x-page" {
			return
		}
		req.Header = http.Header{"Range": {ranged}, "If-Range": {version}, "Accept": {accept}}
		resp, err := tr.RoundTrip(req)
		if (resp == nil) == (err == nil) {
			t.Fatalf("%q: %v, %v", url, resp, err)
		}
		if resp != nil {
			resp.Body.Close()
		}
	})
}
