package page

import (
	"bytes"
	"errors"
	"iter"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// testSite has every page.
var testSite = Site{
	Page:    func(u locus.URL, s Show) string { return at("/", u, s) },
	Raw:     func(u locus.URL, s Show) string { return at("/raw", u, s) },
	Session: func(u locus.URL) string { return at("/session", u, Show{}) },
	Submit:  "/submit", Send: "/send", Explain: "/explain", Schemes: "/schemes", Assets: "/assets/",
}

func at(path string, u locus.URL, s Show) string {
	q := url.Values{"url": {u.String()}}
	if s.As != "" {
		q.Set("as", string(s.As))
	}
	if s.Sort != "" {
		q.Set("sort", s.Sort)
	}
	if s.Part != "" {
		q.Set("part", s.Part)
	}
	return path + "?" + q.Encode()
}

func newPrinter(t testing.TB) *Printer {
	t.Helper()
	registry, err := all.Registry(nil)
	if err != nil {
		t.Fatal(err)
	}
	return New(registry, testSite)
}

var aTime = time.Date(1994, 12, 1, 9, 30, 0, 0, time.UTC)

func items(list ...scheme.Item) iter.Seq2[scheme.Item, error] {
	return func(yield func(scheme.Item, error) bool) {
		for _, i := range list {
			if !yield(i, nil) {
				return
			}
		}
	}
}

func TestSmoke(t *testing.T) {
	p := newPrinter(t)
	var b bytes.Buffer
	h := &Head{URL: locus.MustParse("gopher://h/1/a"), Size: -1}
	err := p.Menu(&b, h, &scheme.Menu{URL: h.URL, Items: items(scheme.Item{Title: "x", Kind: scheme.KindInfo, Size: -1}, scheme.Item{Title: "Text", URL: locus.MustParse("gopher://h/0/t"), Kind: scheme.KindObject, Type: "text/plain", Size: -1})})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Text(&b, h, strings.NewReader("see <URL:http://h/a> or gopher://x/ now\n")); err != nil {
		t.Fatal(err)
	}
	if err := p.Failure(&b, h, "denied", errors.New("x")); err != nil {
		t.Fatal(err)
	}
	if err := p.Home(&b, nil, nil); err != nil {
		t.Fatal(err)
	}
	t.Log(b.String())
}
