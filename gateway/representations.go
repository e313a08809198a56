package gateway

import (
	"context"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/gateway/internal/page"
	"github.com/locus-url/locus/scheme"
)

const (
	// maxViews is the maximum number of views on a page.
	maxViews = 32
	// viewsTime is the time limit for a request for the list of views.
	viewsTime = 3 * time.Second
)

// offer adds the list of views to the page if the resource is available in several views.
func (v *view) offer() {
	u := v.head.URL
	var views []page.View
	switch u.Scheme() {
	case "wais":
		views = typesOf(u, v.head.Show.Types)
	case "gopher", "gophers":
		if !v.head.Found.IsZero() {
			u = v.head.Found // the selected view
		}
		if all, ok := attributesOf(u); ok {
			views = v.requestViews(all, u)
		}
	}
	if len(views) > 1 {
		v.head.Views = views
	}
}

// attributesOf returns the URL of the Gopher+ attributes of the item at u. The result ok is false
// unless u is a Gopher+ view (RFC 1738 section 3.4.7), because a server without Gopher+ would
// misread a request for attributes. The result is also false for searches and form submissions,
// because they are expensive for the server.
func attributesOf(u locus.URL) (attributes locus.URL, ok bool) {
	item, plus := cutPlus(u)
	if !strings.HasPrefix(plus, "+") || strings.Contains(plus, "%09") || strings.HasPrefix(item, "7") {
		return locus.URL{}, false
	}
	attributes, err := withPath(u, item+"!")
	return attributes, err == nil
}

// withPath returns u with the given path and without a fragment.
func withPath(u locus.URL, path string) (locus.URL, error) {
	p := u.WithoutFragment().Parts()
	p.Path = &path
	return p.URL()
}

// cutPlus splits the path of u before the Gopher+ string. The result plus is that string, which may
// be empty.
func cutPlus(u locus.URL) (prefix, plus string) {
	const tab = "%09"
	path, _ := u.Path()
	selector, rest, _ := strings.Cut(path, tab)
	search, plus, _ := strings.Cut(rest, tab)
	return selector + tab + search + tab, plus
}

// requestViews requests the attributes of an item at the URL attributes, and returns the views of
// the item. The URL current is the URL of the view that the page shows. If the request fails,
// requestViews returns nil.
func (v *view) requestViews(attributes, current locus.URL) (views []page.View) {
	ctx, cancel := context.WithTimeout(v.r.Context(), viewsTime)
	defer cancel()
	res, _, err := v.gateway.fetch(ctx, v.request(attributes))
	if err != nil {
		return nil
	}
	defer res.Close()
	m, ok := res.(*scheme.Menu)
	if !ok {
		return nil
	}
	_, shown := cutPlus(current)
	for i, err := range m.Items {
		if err != nil || len(views) == maxViews {
			break
		}
		// Skip the item itself, and lines that describe no view.
		_, plus := cutPlus(i.URL)
		if len(plus) < 2 || plus[0] != '+' {
			continue
		}
		one := page.View{URL: i.URL, Type: i.Type, Size: i.Size, Current: sameOctets(plus, shown)}
		// On a page, a menu with attributes looks like the same menu.
		if strings.EqualFold(one.Type, "application/gopher+-menu") {
			continue
		}
		if _, language, ok := strings.Cut(i.Title, " "); ok {
			one.Language = language
		}
		views = append(views, one)
	}
	return views
}

// sameOctets reports whether two encoded texts decode to the same bytes.
func sameOctets(a, b string) bool {
	x, errX := escape.AppendDecode(nil, a)
	y, errY := escape.AppendDecode(nil, b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// typesOf returns the types of a WAIS document as views. The list types comes from the search
// results.
func typesOf(u locus.URL, types string) (views []page.View) {
	path, _ := u.Path()
	database, rest, _ := strings.Cut(path, "/")
	wtype, wpath, ok := strings.Cut(rest, "/")
	if !ok || types == "" {
		return nil
	}
	for name := range strings.SplitSeq(types, ",") {
		encoded := string(escape.AppendEncode(nil, name, escape.Unreserved()))
		to, err := withPath(u, database+"/"+encoded+"/"+wpath)
		if name == "" || err != nil || len(views) == maxViews {
			continue
		}
		views = append(views, page.View{URL: to, Type: name, Size: -1, Current: encoded == wtype})
	}
	return views
}

// withAnyLanguage adds "*" to a browser's Accept-Language value, because a page in another language
// is better than no page.
func withAnyLanguage(languages string) string {
	if languages == "" || strings.Contains(languages, "*") {
		return languages
	}
	return languages + ", *;q=0.001"
}
