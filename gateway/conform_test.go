package gateway_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// writtenURLs collects the URLs that the gateway writes, each with its first location.
type writtenURLs struct {
	registry *scheme.Registry
	found    map[locus.URL]string
	links    []locus.URL // in the order they were found
}

func (x *writtenURLs) add(text, where string) {
	u, err := locus.Parse(text)
	if err != nil || !x.registry.Known(u) {
		return
	}
	if _, ok := x.found[u]; !ok {
		x.found[u] = where
		x.links = append(x.links, u)
	}
}

// addText adds the URLs in a text.
func (x *writtenURLs) addText(text, where string) {
	for m := range extract.All(text, nil) {
		x.add(m.URL.String(), where)
	}
}

// addLink adds the URLs in the query and the path of a link to the gateway.
func (x *writtenURLs) addLink(link, where string) {
	x.add(link, where)
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "" || u.Host != "" {
		return
	}
	for _, value := range u.Query()["url"] {
		x.add(value, where)
	}
	name, rest, ok := strings.Cut(strings.TrimPrefix(link, "/"), "/")
	if ok && !strings.HasPrefix(name, "-") && !strings.ContainsAny(name, ":?#") {
		x.add(name+"://"+rest, where)
	}
}

// addPage adds the URLs in the attributes and the text of a page.
func (x *writtenURLs) addPage(t *testing.T, body, where string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "script" && n.Parent.Data != "style" {
			x.addText(n.Data, where)
		}
		for _, a := range n.Attr {
			switch a.Key {
			case "href", "src", "action":
				x.addLink(a.Val, where)
			case "value", "title", "data-url":
				x.add(a.Val, where)
			}
		}
	}
}

// addJSON adds the URLs in all strings of an API response.
func (x *writtenURLs) addJSON(v any, where string) {
	switch v := v.(type) {
	case string:
		x.add(v, where)
		x.addText(v, where)
	case []any:
		for _, each := range v {
			x.addJSON(each, where)
		}
	case map[string]any:
		for _, each := range v {
			x.addJSON(each, where)
		}
	}
}

// Every URL that the gateway writes on its pages and in its API conforms to RFC 1738. The
// test crawls all servers of the tour.
func TestEveryURLConforms(t *testing.T) {
	w, m := museum(t, loopbackSetup)
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	x := &writtenURLs{registry: registry, found: map[locus.URL]string{}}
	for _, stop := range m.Stops() {
		x.add(stop.URL.String(), "a stop")
	}
	pages, apis := map[string]int{}, map[string]int{}
	for i := 0; i < len(x.links); i++ {
		u := x.links[i]
		if u.Host() != "" && u.Host() != "127.0.0.1" || isTLS(u) || u.Scheme() == "cid" || strings.HasPrefix(u.String(), w.base) {
			continue
		}
		if page := w.get("/?url="+query(u.String()), browser...); page.StatusCode == http.StatusOK {
			pages[u.Scheme()]++
			x.addPage(t, page.body, "the page of "+u.String())
		}
		if s := u.Scheme(); s == "telnet" || s == "rlogin" || s == "tn3270" || s == "mailto" {
			continue
		}
		a := w.get("/api/get?url=" + query(u.String()))
		var v any
		if json.Unmarshal([]byte(a.body), &v) == nil {
			apis[u.Scheme()]++
			x.addJSON(v, "the answer of the API for "+u.String())
		} else if strings.HasPrefix(a.Header.Get("Content-Type"), "text/") {
			x.addText(a.body, "the octets of "+u.String())
		}
	}
	for u, where := range x.found {
		if list := registry.Check(u.WithoutFragment(), locus.RFC1738); !locus.Conforms(list) {
			t.Errorf("%s, on %s: %v", u, where, list)
		}
	}
	t.Logf("%d URLs on pages %v and in answers %v", len(x.found), pages, apis)
	for _, s := range []string{"ftp", "gopher", "news", "nntp", "wais", "prospero", "mid"} {
		if !slices.Contains(slices.Collect(maps.Keys(pages)), s) || !slices.Contains(slices.Collect(maps.Keys(apis)), s) {
			t.Errorf("nothing of %s was visited", s)
		}
	}
	if len(x.found) < 150 {
		t.Errorf("only %d URLs were found", len(x.found))
	}
}
