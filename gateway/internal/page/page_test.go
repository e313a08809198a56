package page

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"iter"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// testSite returns a site with all pages.
var testSite = Site{
	Page:    func(u locus.URL, s Show) string { return at("/", u, s) },
	Raw:     func(u locus.URL, s Show) string { return at("/raw", u, s) },
	Session: func(u locus.URL) string { return at("/session", u, Show{}) },
	Submit:  "/submit", Send: "/send", Explain: "/explain", Schemes: "/schemes", Assets: "/assets/",
}

func at(path string, u locus.URL, s Show) string {
	q := url.Values{"url": {u.String()}}
	for name, value := range map[string]string{"as": string(s.As), "sort": s.Sort, "part": s.Part} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if s.Items.Last != 0 {
		q.Set("last", itoa(s.Items.Last))
	}
	return path + "?" + q.Encode()
}

func newPrinter(t testing.TB) *Printer {
	t.Helper()
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	return New(registry, testSite)
}

var (
	parse = locus.MustParse
	aTime = time.Date(1994, 12, 1, 9, 30, 0, 0, time.UTC)
)

func items(list ...scheme.Item) iter.Seq2[scheme.Item, error] {
	return func(yield func(scheme.Item, error) bool) {
		for _, i := range list {
			if !yield(i, nil) {
				return
			}
		}
	}
}

// info returns an item that is a line of text.
func info(title string) scheme.Item {
	return scheme.Item{Title: title, Kind: scheme.KindInfo, Size: -1}
}

// printed returns the output of print.
func printed(t testing.TB, print func(w io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := print(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// tree parses a page.
func tree(t testing.TB, page string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// find returns the elements that match.
func find(root *html.Node, match func(*html.Node) bool) (list []*html.Node) {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && match(n) {
			list = append(list, n)
		}
	}
	return list
}

// class finds elements by a class.
func class(name string) func(*html.Node) bool {
	return func(n *html.Node) bool { return slices.Contains(strings.Fields(attr(n, "class")), name) }
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// textOf returns the text in an element.
func textOf(n *html.Node) string {
	var b strings.Builder
	for each := range n.Descendants() {
		if each.Type == html.TextNode {
			b.WriteString(each.Data)
		}
	}
	return b.String()
}

// harmless checks that a page complies with the policy. The page must contain only scripts,
// styles and URLs of the site, and no active content.
func harmless(t testing.TB, page string) {
	t.Helper()
	for _, n := range find(tree(t, page), func(*html.Node) bool { return true }) {
		switch n.Data {
		case "script":
			if !strings.HasPrefix(attr(n, "src"), "/assets/") || textOf(n) != "" {
				t.Fatalf("a script: %v %q", n.Attr, textOf(n))
			}
		case "style", "object", "embed", "base", "applet", "frame", "frameset", "math", "foreignobject":
			t.Fatalf("<%s> %v", n.Data, n.Attr)
		case "iframe":
			if !hasAttr(n, "sandbox") || attr(n, "sandbox") != "" {
				t.Fatalf("a frame that may do something: %v", n.Attr)
			}
		case "meta":
			if hasAttr(n, "http-equiv") {
				t.Fatalf("<meta> %v", n.Attr)
			}
		}
		for _, a := range n.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "srcdoc" || a.Key == "ping":
				t.Fatalf("<%s %s=%q>", n.Data, a.Key, a.Val)
			case a.Key == "href" || a.Key == "src" || a.Key == "action" || a.Key == "formaction" || a.Key == "poster":
				outside := attr(n, "rel") == "noreferrer noopener external" && (strings.HasPrefix(a.Val, "http://") || strings.HasPrefix(a.Val, "https://"))
				own := strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "//") && !strings.HasPrefix(a.Val, "/\\")
				if !own && !outside && !strings.HasPrefix(a.Val, "#") {
					t.Fatalf("<%s %s=%q>", n.Data, a.Key, a.Val)
				}
			}
		}
	}
}

func hasAttr(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// Each kind of error has its own heading.
func TestFailures(t *testing.T) {
	p := newPrinter(t)
	for _, kind := range []access.Kind{
		access.NotFound, access.Denied, access.Unreachable, access.Protocol, access.Auth, access.Unsupported,
		access.Syntax, access.Timeout, access.TooLarge, access.Interrupted,
	} {
		if _, ok := failures[string(kind)]; !ok {
			t.Errorf("no words for %s", kind)
		}
	}
	h := &Head{URL: parse("ftp://u:secret@h/a")}
	page := printed(t, func(w io.Writer) error {
		return p.Failure(w, h, "unreachable", scheme.Hint(errors.New("<b>\x1b[1m"), "look <i>elsewhere"))
	})
	harmless(t, page)
	for _, want := range []string{`&lt;b&gt;\x1b[1m`, "Look &lt;i&gt;elsewhere.", "Try again", "No connection"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(page, "secret") {
		t.Error("the password is shown")
	}
	// An invalid URL is shown with the position of the error.
	_, err := locus.Parse("http://h:x/<script>")
	page = printed(t, func(w io.Writer) error { return p.Failure(w, nil, "syntax", err) })
	if harmless(t, page); !strings.Contains(page, "http://h:<mark>*</mark>/&lt;script&gt;") {
		t.Errorf("the place is not marked: %s", page)
	}
}

func TestExplain(t *testing.T) {
	p := newPrinter(t)
	for _, row := range []struct {
		text string
		want []string
	}{
		{"HTTP://EXAMPLE.com/~x", []string{"unsafe-character", "http://example.com/%7Ex", "hpath", "HTTP (RFC 9110)"}},
		{"<URL:gopher://h/7a%09b%20c>", []string{"Conforms to RFC 1738.", "<strong>note: wrapper</strong> RFC 1738 appendix", "<dd>b c</dd>", "as written"}},
		{"ftp://joe:hidden@h/x", []string{"<code>joe</code>"}},
		{"http://h:9x/", []string{"<mark>*</mark>", "a port is decimal digits"}},
		{"ftp://joe:hid den@h/x", []string{"<mark>"}},
		{"", nil},
		{"nothing", []string{"no scheme"}},
		{"afs:x", []string{"not supported here"}},
		{"strange:x", []string{"unknown scheme"}},
	} {
		got := printed(t, func(w io.Writer) error { return p.Explain(w, row.text) })
		for _, want := range row.want {
			if !strings.Contains(got, want) {
				t.Errorf("%q: no %q in\n%s", row.text, want, got)
			}
		}
		if strings.Contains(got, "hid") {
			t.Errorf("%q: the password is in %s", row.text, got)
		}
	}
}

func TestAnswers(t *testing.T) {
	f := &scheme.Form{Fields: []scheme.FormField{
		{Kind: scheme.FieldNote, Prompt: "Read this"}, {Kind: scheme.FieldText}, {Kind: scheme.FieldLines}, {Kind: scheme.FieldCheck},
		{Kind: scheme.FieldCheck}, {Kind: scheme.FieldChoice, Choices: []string{"a", "b"}},
	}}
	got := Answers(f, url.Values{"f0": {"no"}, "f1": {"one"}, "f2": {"two\r\nlines"}, "f3": {"1"}, "f5": {"choice-1"}})
	if want := []string{"", "one", "two\nlines", "1", "0", "b"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := f.Check(got); err != nil {
		t.Error(err)
	}
	if HasFile(f) || !HasFile(&scheme.Form{Fields: []scheme.FormField{{Kind: scheme.FieldFile}}}) {
		t.Error("whether a file goes along")
	}
}

func TestClassOf(t *testing.T) {
	for mediaType, want := range map[string]Class{
		"text/html; charset=x": ClassDocument, "text/plain": ClassText, "Text/X-Odd": ClassText, "application/json": ClassText, "image/png": ClassImage,
		"image/tiff": ClassFile, "audio/x-wav": ClassSound, "audio/basic": ClassFile, "video/mp4": ClassVideo, "message/rfc822": ClassMessage,
		"application/zip": ClassFile, "": ClassFile, "image/svg+xml": ClassImage,
	} {
		got := ClassOf(mediaType)
		if _, known := kinds[got]; got != want || !known {
			t.Errorf("%q: %s, want %s", mediaType, got, want)
		}
	}
}

// The sprite has every icon that a page may use, and the files refer to no other site.
func TestAssets(t *testing.T) {
	sprite, err := Asset("icons.svg")
	if err != nil {
		t.Fatal(err)
	}
	icons := map[string]bool{}
	for d := xml.NewDecoder(bytes.NewReader(sprite)); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "symbol" {
			icons[e.Attr[0].Value] = true
		}
	}
	names := []string{"raw", "save", "outside", "contrast", "locus", "gopher"}
	for _, k := range []kind{
		kindHome, kindMenu, kindSearch, kindForm, kindSession, kindText, kindDocument, kindImage, kindSound, kindVideo, kindArchive, kindProgram, kindFile, kindPaper,
		kindComposed, kindArticle, kindRedirect, kindWarning, kindUnknown, kindAddress,
	} {
		names = append(names, k.Icon)
	}
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range registry.All() {
		names = append(names, cmp.Or(s.Display.Icon, "unknown"))
	}
	for _, name := range names {
		if !icons[name] {
			t.Errorf("no icon %q", name)
		}
	}
	for _, name := range []string{"page.css", "page.js", "theme.js", "terminal.js", "icons.svg", "favicon.svg", "xterm.js", "xterm.css", "LICENSE.xterm"} {
		data, err := Asset(name)
		if err != nil {
			t.Error(err)
		}
		for _, bad := range []string{"@import", "url(http", "url(//", "//# sourceMappingURL"} {
			if strings.Contains(string(data), bad) {
				t.Errorf("%s has %s", name, bad)
			}
		}
	}
	for _, name := range []string{"", ".", "none.css", "../printer.go", "/page.css"} {
		if _, err := Asset(name); err == nil {
			t.Errorf("there is an asset %q", name)
		}
	}
	if v := AssetsVersion(); len(v) != 12 || v != AssetsVersion() {
		t.Errorf("version %q", v)
	}
}

// Pages work on a site without optional pages.
func TestBareSite(t *testing.T) {
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	p := New(registry, Site{Assets: "/assets/"})
	page := printed(t, func(w io.Writer) error {
		return p.Menu(w, &Head{URL: parse("gopher://h/1")}, &scheme.Menu{
			Form:  &scheme.Form{Fields: []scheme.FormField{{Kind: scheme.FieldText, Prompt: "Words"}}},
			Items: items(scheme.Item{Title: "x", URL: parse("gopher://h/0x"), Kind: scheme.KindObject, Type: "text/plain", Size: -1}),
		})
	})
	if harmless(t, page); strings.Contains(page, "href=\"\"") || !strings.Contains(page, "does not accept form submissions") {
		t.Error(page)
	}
	for _, print := range []func(w io.Writer) error{
		func(w io.Writer) error { return p.Home(w, nil, nil) },
		func(w io.Writer) error { return p.Schemes(w, nil) },
		func(w io.Writer) error { return p.Terminal(w, &Head{URL: parse("telnet://h/")}) },
		func(w io.Writer) error { return p.Message(w, &Head{URL: parse("mailto:a@b")}, Message{}) },
	} {
		harmless(t, printed(t, print))
	}
}

// An invalid URL stays in the box, with a link to the suggested URL.
func TestFix(t *testing.T) {
	p := newPrinter(t)
	for text, want := range map[string]string{
		"www.example.com": "http://www.example.com", "//example.com/a": "http://example.com/a",
		"ftp.example.com/pub": "ftp://ftp.example.com/pub", "//GOPHER.example.com": "gopher://GOPHER.example.com",
		"http://h/100%": "http://h/100%25", "http://h/a b": "http://h/a%20b", "192.0.2.1/x": "http://192.0.2.1/x",
		"old maps": "", "": "", "/etc/hosts": "", "http://h:9999999/": "", "http://u:x@h:y@/": "", "<script>": "", "two words.example.com": "",
	} {
		_, err := locus.ParseWrapped(text)
		if err == nil {
			t.Errorf("%q is a URL", text)
			continue
		}
		page := printed(t, func(w io.Writer) error { return p.Failure(w, nil, "syntax", err) })
		harmless(t, page)
		_, rest, found := strings.Cut(page, `<a class="meant" `)
		_, rest, _ = strings.Cut(rest, ">")
		got, _, _ := strings.Cut(rest, "</a>")
		if html.UnescapeString(got) != want || found != (want != "") {
			t.Errorf("%q: %q is offered, want %q", text, got, want)
		}
		if _, rest, _ := strings.Cut(page, `id="box"`); !strings.Contains(rest, ` value="`+html.EscapeString(locus.Mask(text))+`"`) && !strings.ContainsAny(text, "\\<") {
			t.Errorf("%q: not in the box: %.400s", text, rest)
		}
		if !strings.Contains(page, "<title>Not a URL ·") || strings.Count(page, "Not a URL</h") != 1 {
			t.Errorf("%q: another title", text)
		}
	}
}

// A URL with an unknown scheme may lack its scheme or have a typo in it.
func TestFixScheme(t *testing.T) {
	p := newPrinter(t)
	for text, want := range map[string]string{
		"example.com:8080/a?b": "http://example.com:8080/a?b", "localhost:70": "http://localhost:70", "gohper://h/": "gopher://h/", "x-odd:a": "", "gopher://h/": "",
	} {
		page := printed(t, func(w io.Writer) error { return p.Failure(w, &Head{URL: parse(text)}, "unsupported", errors.New("no")) })
		if got := strings.Contains(page, `class="meant"`); got != (want != "") || want != "" && !strings.Contains(page, ">"+want+"</a>?") {
			t.Errorf("%q: %v, want %q", text, got, want)
		}
	}
}

// If a menu has no title, the title is the first text line that contains words. The menu
// still shows all lines.
func TestMenuTitle(t *testing.T) {
	p := newPrinter(t)
	link := anItem("a link", "gopher://h/0x", scheme.KindObject, "text/plain", -1)
	for _, c := range []struct {
		url   string
		items []scheme.Item
		want  string
	}{
		{"gopher://h/", []scheme.Item{info("== Welcome to the museum =="), link}, "Welcome to the museum"},
		{"gopher://h/", []scheme.Item{info("  __  /\\ "), info(""), info("The museum."), link}, "The museum"},
		{"gopher://h:7070/", []scheme.Item{info("|  \\/  |  a wall"), link, info("Not a title")}, "Menu at h:7070"},
		{"gopher://h/", []scheme.Item{link}, "Menu at h"},
		{"gopher://h/", []scheme.Item{info(strings.Repeat("long ", 30)), link}, "Menu at h"},
		{"gopher://h/", []scheme.Item{info("Only text")}, "Only text"},
		{"gopher://h/", nil, "Menu at h"},
		{"gopher://h/1/maps", []scheme.Item{info("Something else"), link}, "maps"},
		{"ftp://h/", []scheme.Item{anItem("pub", "ftp://h/pub/", scheme.KindMenu, "", -1)}, "Directory at h"},
		{"telnet://h/", nil, "Menu at h"},
	} {
		h := &Head{URL: parse(c.url)}
		page := printed(t, func(w io.Writer) error { return p.Menu(w, h, &scheme.Menu{Items: items(c.items...)}) })
		if !strings.Contains(page, "<title>"+c.want+" ·") {
			title, _, _ := strings.Cut(page, "</title>")
			t.Errorf("%s: %s, want %s", c.url, title[strings.Index(title, "<title>"):], c.want)
		}
		for _, i := range c.items {
			if !strings.Contains(page, html.EscapeString(i.Title)) {
				t.Errorf("%s: no %q", c.url, i.Title)
			}
		}
	}
}

// The title of search results contains the search words. The title of the list of
// newsgroups does not contain an IP address.
func TestOtherTitles(t *testing.T) {
	p := newPrinter(t)
	form := &scheme.Form{Fields: []scheme.FormField{{Kind: scheme.FieldText, Default: "old maps"}}}
	for want, print := range map[string]func(w io.Writer) error{
		"old maps in find": func(w io.Writer) error {
			return p.Menu(w, &Head{URL: parse("gopher://h/7/find%09old%20maps")}, &scheme.Menu{Form: form, Items: items()})
		},
		"Newsgroups at 192.0.2.1": func(w io.Writer) error {
			return p.Menu(w, &Head{URL: parse("news:*")}, &scheme.Menu{Title: "192.0.2.1", Items: items()})
		},
		"Session at h:2023": func(w io.Writer) error { return p.Terminal(w, &Head{URL: parse("telnet://u@h:2023/")}) },
		"No connection: h": func(w io.Writer) error {
			return p.Failure(w, &Head{URL: parse("gopher://h/")}, "unreachable", errors.New("no"))
		},
	} {
		if page := printed(t, print); !strings.Contains(page, "<title>"+want+" ·") {
			title, _, _ := strings.Cut(page, "</title>")
			t.Errorf("%s, want %s", title[strings.Index(title, "<title>"):], want)
		}
	}
}

// A directory has a row for its parent in every order. The root directory has no such row.
func TestParentRow(t *testing.T) {
	p := newPrinter(t)
	list := []scheme.Item{anItem("a", "ftp://h/pub/a", scheme.KindObject, "", 1), anItem("b", "ftp://h/pub/b", scheme.KindObject, "", 2)}
	for u, want := range map[string]bool{"ftp://h/pub/": true, "ftp://h/": false, "gopher://h/1/pub": false} {
		for _, order := range []string{"", "size", "-name"} {
			h := &Head{URL: parse(u), Show: Show{Sort: order}}
			page := printed(t, func(w io.Writer) error { return p.Menu(w, h, &scheme.Menu{Items: items(list...)}) })
			if got := strings.Contains(page, `<tr class="parent">`); got != want {
				t.Errorf("%s, sorted by %q: parent %v", u, order, got)
			}
			if want && strings.Index(page, "Parent directory") > strings.Index(page, ">a<") {
				t.Errorf("%s, sorted by %q: the parent is not first", u, order)
			}
		}
	}
}

// Directories are shown with columns even without sizes. Gopher menus are shown without
// columns even with sizes.
func TestColumnsByScheme(t *testing.T) {
	p := newPrinter(t)
	for u, table := range map[string]bool{"ftp://h/pub/a": true, "file:///a": true, "gopher://h/0a": false, "gemini://h/a": false, "http://h/a": true} {
		for _, size := range []int64{-1, 5} {
			page := printed(t, func(w io.Writer) error {
				return p.Menu(w, &Head{URL: parse("gopher://h/")}, &scheme.Menu{Items: items(anItem("a", u, scheme.KindObject, "", size))})
			})
			want := table && (size >= 0 || !strings.HasPrefix(u, "http"))
			if strings.Contains(page, `<table class="list listing">`) != want || strings.Contains(page, `<ul class="menu">`) == want {
				t.Errorf("%s of %d octets: a table %v", u, size, !want)
			}
		}
	}
}

// The font size of a terminal is at least 11 pixels. A narrow screen scrolls instead.
func TestTerminalLetters(t *testing.T) {
	for name, want := range map[string]*regexp.Regexp{
		"terminal.js": regexp.MustCompile(`(?s)const smallest = 11;.*const size = Math\.max\(smallest, .*fontSize: size,`),
		"page.css":    regexp.MustCompile(`(?m)^\.screen \{[^}]* overflow: auto; \}`),
	} {
		data, err := Asset(name)
		if err != nil || !want.Match(data) {
			t.Errorf("%s has no %s, %v", name, want, err)
		}
	}
}
