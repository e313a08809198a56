package gateway_test

import (
	"html"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/scheme/gopher/gophertest"
	"github.com/locus-url/locus/scheme/wais/waistest"
)

// offered is a view on a page. The current view has no link.
type offered struct{ name, link string }

// viewsOf returns the views on a page.
func viewsOf(t *testing.T, body string) (list []offered) {
	t.Helper()
	_, nav, ok := strings.Cut(body, `<nav class="views"`)
	if !ok {
		return nil
	}
	nav, _, _ = strings.Cut(nav, "</nav>")
	for item := range strings.SplitSeq(nav, "<li>") {
		item, _, ok := strings.Cut(item, "</li>")
		if !ok {
			continue
		}
		_, link, _ := strings.Cut(item, `<a href="`)
		link, _, _ = strings.Cut(link, `"`)
		_, name, _ := strings.Cut(item, ">")
		name, _, _ = strings.Cut(name, "<")
		list = append(list, offered{html.UnescapeString(name), html.UnescapeString(link)})
	}
	return list
}

// The page of a Gopher+ item in several languages links to the other languages.
func TestGopherViews(t *testing.T) {
	const english, german, spanish = "Good day.", "Guten Tag.", "Buenos dias."
	languages := []gophertest.View{
		{Type: "text/plain", Language: "En_US", Data: english + "\n"},
		{Type: "text/plain", Language: "De_DE", Data: german + "\n"},
		{Type: "text/plain", Language: "Es_ES", Data: spanish + "\n"},
	}
	s, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{
		{Name: "Welcome", Selector: "/a~b", Views: languages},
		{Name: "One language", Selector: "/one", Data: "One.\n"},
		{Name: "Find", Selector: "/find", Search: func(string) []gophertest.Item { return nil }},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w := start(t, loopbackSetup)
	of := func(item string) string { return "/gopher/" + s.Addr() + "/" + item }
	names := []string{"text/plain in En_US", "text/plain in De_DE", "text/plain in Es_ES"}
	for _, test := range []struct {
		path, language, want string
		current              int // index of the shown view; -1 if the server selected the view
	}{
		{of("0/a~b"), "", english, 0},
		{of("0/a~b"), "de-DE,de;q=0.9", german, 1},
		{of("0/a~b"), "fr", english, 0}, // a missing language must not hide other languages
		{of("0/a~b%09%09+"), "", english, -1},
		{of("0/a~b%09%09+text/plain%20De_DE"), "", german, 1},
		{of("0/a~b%09%09+text%2Fplain%20Es_ES"), "en", spanish, 2},
	} {
		a := w.get(test.path, "Accept-Language", test.language)
		got := viewsOf(t, a.body)
		if a.StatusCode != 200 || !strings.Contains(a.body, test.want) || len(got) != len(names) {
			t.Fatalf("%s in %q: %s, views %q: %s", test.path, test.language, a.Status, got, a.body)
		}
		for i, v := range got {
			if !strings.HasPrefix(v.name, names[i]) || (v.link == "") != (i == test.current) {
				t.Errorf("%s in %q: view %d is %q", test.path, test.language, i, v)
			}
			if v.link == "" {
				continue
			}
			if a := w.get(v.link); a.StatusCode != 200 || !strings.Contains(a.body, []string{english, german, spanish}[i]) {
				t.Errorf("%s leads to %s: %s", test.path, v.link, a.Status)
			}
		}
	}
	for _, path := range []string{of(""), of("0/one"), of("0/one%09%09+"), of("7/find%09words%09+"), of("1%09%09$"), of("0/a~b%09%09!")} {
		if a := w.get(path); a.StatusCode != 200 || viewsOf(t, a.body) != nil {
			t.Errorf("%s: %s, views %q", path, a.Status, viewsOf(t, a.body))
		}
	}
}

// A server without Gopher+ gets no request for views.
func TestPlainServer(t *testing.T) {
	s, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{{Name: "About", Selector: "/about", Data: "About.\n"}}}, &gophertest.Options{Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w := start(t, loopbackSetup)
	if a := w.get("/gopher/" + s.Addr() + "/0/about"); a.StatusCode != 200 || !strings.Contains(a.body, "About.") || viewsOf(t, a.body) != nil {
		t.Errorf("%s %s", a.Status, a.body)
	}
	// The first request comes from the access client, which selects the preferred view.
	if got, want := s.Log(), []string{"/about\t!\r\n", "/about\r\n"}; !slices.Equal(got, want) {
		t.Errorf("it was asked for %q, want %q", got, want)
	}
}

// A WAIS document links to its other types, in each class.
func TestWAISTypes(t *testing.T) {
	const text, page = "The text of a gopher.", "The page of a gopher."
	s, err := waistest.Start([]waistest.Database{{Name: "museum", Documents: []waistest.Document{
		{Headline: "A gopher", Path: "/animals/gopher", Types: []waistest.Typed{{Wtype: "TEXT", Data: []byte(text + "\n")}, {Wtype: "HTML", Data: []byte("<p>" + page + "</p>")}}},
		{Headline: "Another", Types: []waistest.Typed{{Wtype: "TEXT", Data: []byte("another gopher\n")}}},
	}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w := start(t, loopbackSetup)
	a := w.get("/wais/" + s.Addr() + "/museum?gopher")
	link := func(title string) string {
		t.Helper()
		before, _, ok := strings.Cut(a.body, ">"+title+"</a>")
		i := strings.LastIndex(before, `href="`)
		if !ok || i < 0 {
			t.Fatalf("no %s: %s", title, a.body)
		}
		to, _, _ := strings.Cut(before[i+len(`href="`):], `"`)
		return html.UnescapeString(to)
	}
	if got := viewsOf(t, w.get(link("Another")).body); got != nil {
		t.Errorf("a document of one type has views: %q", got)
	}
	a = w.get(link("A gopher"))
	got := viewsOf(t, a.body)
	if !strings.Contains(a.body, text) || len(got) != 2 || got[0] != (offered{"TEXT", ""}) || got[1].name != "HTML" {
		t.Fatalf("%q: %s", got, a.body)
	}
	if !strings.Contains(a.body, "<title>gopher") || !strings.Contains(a.body, `download="gopher"`) {
		t.Errorf("a document that is called \"gopher\" has the page %s", a.body)
	}
	a = w.get(got[1].link)
	if got = viewsOf(t, a.body); !strings.Contains(a.body, page) || len(got) != 2 || got[0].name != "TEXT" || got[1] != (offered{"HTML", ""}) {
		t.Fatalf("%q: %s", got, a.body)
	}
	if b := w.get(got[0].link); !strings.Contains(b.body, text) || len(viewsOf(t, b.body)) != 2 {
		t.Errorf("%s leads to %s", got[0].link, b.body)
	}
	if b := w.get(link("Source")); !strings.Contains(b.body, page) || len(viewsOf(t, b.body)) != 2 {
		t.Errorf("as plain text: %q", viewsOf(t, b.body))
	}
}

// Types in a request only produce links to the same document.
func TestForgedTypes(t *testing.T) {
	s, err := waistest.Start([]waistest.Database{{Name: "museum", Documents: []waistest.Document{
		{Headline: "A gopher", Types: []waistest.Typed{{Wtype: "TEXT", Data: []byte("a gopher\n")}}},
	}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w := start(t, loopbackSetup)
	document := "wais://" + s.Addr() + "/museum/TEXT/" + s.Wpath("museum", 0)
	types := func(names string) []offered {
		t.Helper()
		a := w.get("/?url=" + query(document) + "&types=" + query(names))
		if a.StatusCode != 200 || strings.Contains(a.body, "<b>") {
			t.Errorf("%.100q: %s", names, a.Status)
		}
		return viewsOf(t, a.body)
	}
	if got := types(strings.Repeat("T,", 1000)); got != nil {
		t.Errorf("%d views of a document", len(got))
	}
	got := types(`TEXT,,../x/?y#z,<b>"` + strings.Repeat(",T", 50))
	if len(got) != 32 || got[0] != (offered{"TEXT", ""}) || got[1].name != "../x/?y#z" {
		t.Fatalf("%d views: %.300q", len(got), got)
	}
	for _, v := range got[1:] {
		if !strings.HasPrefix(v.link, "/?") || !strings.Contains(v.link, "url="+query("wais://"+s.Addr()+"/museum/")) {
			t.Errorf("%q", v)
		}
	}
	if a := w.get("/?url=" + query("wais://"+s.Addr()+"/museum") + "&types=TEXT,HTML"); a.StatusCode != 200 || viewsOf(t, a.body) != nil {
		t.Errorf("a database: %s, %q", a.Status, viewsOf(t, a.body))
	}
}
