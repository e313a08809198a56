package page

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/net/html"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
)

// hostile lists texts with markup and control characters.
var hostile = []string{
	"<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'-alert(1)-'", "</title></pre></table><svg onload=alert(1)>",
	"\x1b]0;x\x07\x1b[31m\u202e\u2066", "javascript:alert(1)", "{{.Token}}", "\x00\xff\xfe", "&lt;b&#62;", "]]>--><!--", "\r\n\r\n<b>", strings.Repeat("<", 300),
	"</textarea><b>", "` onclick=`", "\u2028\u2029",
}

// All text from a server is escaped, wherever a page contains it.
func TestHostile(t *testing.T) {
	p := newPrinter(t)
	for _, text := range hostile {
		u := parse("gopher://h/1x")
		h := Head{URL: u, Title: text, Sent: func() []Line { return []Line{{true, text}, {false, text}} }, Views: []View{{URL: u, Type: text, Language: text}}, Token: "t"}
		object := func() *scheme.Object {
			return &scheme.Object{Type: text, Encoding: text, Name: text, Note: text, Size: 1, Body: io.NopCloser(strings.NewReader(text))}
		}
		item := scheme.Item{URL: u, Title: text, Kind: scheme.KindObject, Type: text, Size: 1, Note: text, Fields: fields("from", text)}
		listed, grouped, counted, scored := item, item, item, item
		listed.URL = parse("ftp://h/x")
		grouped.Fields = fields("number", 3, "messageId", text, "references", []string{text})
		counted.Fields = fields("count", 3)
		scored.Fields = fields("score", 3)
		form := &scheme.Form{URL: u, Title: text}
		for _, k := range []scheme.FieldKind{scheme.FieldNote, scheme.FieldText, scheme.FieldHidden, scheme.FieldLines, scheme.FieldChoice, scheme.FieldCheck, scheme.FieldSaveAs, scheme.FieldFile} {
			form.Fields = append(form.Fields, scheme.FormField{Kind: k, Prompt: text, Default: text, Choices: []string{text}})
		}
		for name, print := range map[string]func(w io.Writer) error{
			"menu": func(w io.Writer) error {
				return p.Menu(w, &h, &scheme.Menu{Title: text, Form: form, Items: items(info(text), item)})
			},
			"listing": func(w io.Writer) error {
				return p.Menu(w, &h, &scheme.Menu{Items: items(info(text), listed, info(text))})
			},
			"articles": func(w io.Writer) error { return p.Menu(w, &h, &scheme.Menu{Items: items(grouped, info(text))}) },
			"groups":   func(w io.Writer) error { return p.Menu(w, &h, &scheme.Menu{Items: items(counted, info(text))}) },
			"results":  func(w io.Writer) error { return p.Menu(w, &h, &scheme.Menu{Items: items(scored, info(text))}) },
			"form":     func(w io.Writer) error { return p.Form(w, &h, form, nil, errors.New(text)) },
			"text":     func(w io.Writer) error { return p.textPage(w, &h, object()) },
			"document": func(w io.Writer) error { return p.documentPage(w, &h, object()) },
			"image":    func(w io.Writer) error { return p.embedPage(w, &h, object(), ClassImage) },
			"file":     func(w io.Writer) error { return p.embedPage(w, &h, object(), ClassFile) },
			"message": func(w io.Writer) error {
				return p.Object(w, &Head{URL: u}, &scheme.Object{Type: "message/rfc822", Body: io.NopCloser(strings.NewReader("Subject: x\r\nFrom: " + text + "\r\n\r\n" + text))})
			},
			"letter": func(w io.Writer) error {
				return p.Message(w, &h, Message{From: text, To: text, Cc: text, Subject: text, Body: text, Relay: text, LeftOut: []string{text}, Problem: errors.New(text)})
			},
			"preview":  func(w io.Writer) error { return p.Message(w, &h, Message{From: text, Preview: text, Relay: text}) },
			"sent":     func(w io.Writer) error { return p.Message(w, &h, Message{Sent: text, Relay: text}) },
			"failure":  func(w io.Writer) error { return p.Failure(w, &h, text, scheme.Hint(errors.New(text), text)) },
			"home":     func(w io.Writer) error { return p.Home(w, &h, []Section{{text, text, []scheme.Item{item}}}) },
			"terminal": func(w io.Writer) error { return p.Terminal(w, &h) },
			"explain":  func(w io.Writer) error { return p.Explain(w, text) },
		} {
			page := printed(t, print)
			harmless(t, page)
			if name == "preview" {
				// The form contains the hidden values of the tested page.
				page = textOf(tree(t, page))
			}
			for _, r := range "\x1b\u202e\u2066\x00\x07\r\u2028" {
				if strings.ContainsRune(page, r) {
					t.Errorf("%s: %q is in the page for %q", name, r, text)
				}
			}
		}
	}
}

// maxFuzzed is the maximum length of fuzz inputs in bytes. Each input becomes a complete
// page, which x/net/html parses again. Longer inputs would be too slow.
const maxFuzzed = 1 << 10

func short(text string) string { return text[:min(len(text), maxFuzzed)] }

// FuzzText checks that the page contains exactly the input text.
func FuzzText(f *testing.F) {
	for _, seed := range append(hostile, "see <URL:http://h/a>, gopher://x/1 and mailto:a@b.c", "a: b <c d>", "http://h/a\r\nb", "\xc3", "caf\xe9 \xc3\xa9 http://h/") {
		f.Add(seed, uint8(3))
	}
	p := newPrinter(f)
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		text = short(text)
		h := &Head{URL: parse("gopher://h/0x")}
		page := printed(t, func(w io.Writer) error { return p.textPage(w, h, object("text/plain", -1, text)) })
		harmless(t, page)
		pre := find(tree(t, page), class("text"))
		if len(pre) != 1 {
			t.Fatalf("%d texts", len(pre))
		}
		whole, err := io.ReadAll(inUTF8(strings.NewReader(text), ""))
		if err != nil {
			t.Fatal(err)
		}
		want := strings.ReplaceAll(strings.ReplaceAll(string(whole), "\r\n", "\n"), "\r", "\n")
		if got := textOf(pre[0]); got != term.SafeLines(want) {
			t.Errorf("the text is %q, want %q", got, term.SafeLines(want))
		}
		var links, found []string
		for _, n := range find(pre[0], func(n *html.Node) bool { return n.Data == "a" }) {
			links = append(links, attr(n, "href"))
		}
		for m := range extract.All(string(whole), &extract.Options{Schemes: linkedBy(p)}) {
			// Wrapped URLs may have schemes without a page.
			if link := linkFor(p, &m); link != "" {
				found = append(found, link)
			}
		}
		if strings.Join(links, "\n") != strings.Join(found, "\n") {
			t.Errorf("links %q, want %q", links, found)
		}
		// The result does not depend on the sizes of reads.
		again := printed(t, func(w io.Writer) error {
			return p.textPage(w, h, objectOf("text/plain", &pieces{strings.NewReader(text), int(size)%7 + 1}))
		})
		if again != page {
			t.Errorf("in pieces:\n%q\nas a whole:\n%q", again, page)
		}
	})
}

// linkFor returns the link for a match in a text.
func linkFor(p *Printer, m *extract.Match) string { return (&page{Printer: p}).linkTo(m) }

// linkedBy returns the schemes of URLs that become links.
func linkedBy(p *Printer) *extract.Schemes { return (&page{Printer: p}).linkedSchemes() }

// pieces is a reader that returns a few bytes at a time.
type pieces struct {
	r io.Reader
	n int
}

func (p *pieces) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), p.n)]) }

func FuzzMenu(f *testing.F) {
	for i, seed := range hostile {
		f.Add(seed, hostile[(i+1)%len(hostile)], "gopher://h/1"+asURL(seed), uint8(i))
	}
	f.Add("Title", "note", "javascript:alert(1)", uint8(1))
	f.Add("Title", "note", "http://h/?\"><b>", uint8(2))
	p := newPrinter(f)
	kinds := []scheme.ItemKind{scheme.KindObject, scheme.KindMenu, scheme.KindSearch, scheme.KindForm, scheme.KindSession, scheme.KindInfo, scheme.KindError, scheme.KindUnknown, ""}
	f.Fuzz(func(t *testing.T, title, note, link string, n uint8) {
		title, note, link = short(title), short(note), short(link)
		u, _ := locus.Parse(link)
		item := scheme.Item{URL: u, Title: title, Note: note, Type: note, Kind: kinds[int(n)%len(kinds)], Size: int64(n) - 1}
		switch n % 5 {
		case 1:
			item.Fields = fields("number", int(n), "messageId", title, "references", []string{note})
		case 2:
			item.Fields = fields("count", int(n))
		case 3:
			item.Fields = fields("score", int(n))
		}
		h := &Head{URL: parse("gopher://h/1"), Title: title}
		page := printed(t, func(w io.Writer) error { return p.Menu(w, h, &scheme.Menu{Items: items(item, info(note))}) })
		harmless(t, page)
		if text := textOf(tree(t, page)); !strings.Contains(text, safeText(title)) || !strings.Contains(text, safeText(note)) {
			t.Errorf("%q or %q is not on the page:\n%s", title, note, text)
		}
		// A URL that cannot be accessed is not a link.
		if _, ok := p.registry.Lookup(u.Scheme()); !ok && !u.IsZero() && strings.Contains(page, at("/", u.WithoutPassword(), Show{})) {
			t.Errorf("%q is a link", link)
		}
	})
}

// asURL escapes text for a URL.
func asURL(text string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' || r == '%' {
			return '_'
		}
		return r
	}, text)
}

func FuzzDocument(f *testing.F) {
	for _, seed := range append(hostile, aDocument, "<a href='http://h/\"'>x", "<p></article></main></body><b>", "<table><a href=//x><tr>", "<img src=cid:x><base href=ftp://h/>", "<svg><style><img src=x onerror=1>", "<noscript><p title=\"</noscript><img src=x onerror=1>\">") {
		f.Add(seed)
	}
	p := newPrinter(f)
	f.Fuzz(func(t *testing.T, text string) {
		text = short(text)
		h := &Head{URL: parse("http://h/a/b")}
		page := printed(t, func(w io.Writer) error { return p.documentPage(w, h, object("text/html; charset=utf-8", -1, text)) })
		harmless(t, page)
		root := tree(t, page)
		// The text can't end the element that contains it.
		if n := len(find(root, class("foot"))); n != 1 {
			t.Errorf("%d feet", n)
		}
		article := find(root, class("foreign"))
		if len(article) != 1 || len(find(article[0], class("below"))) != 0 {
			t.Errorf("the document is not closed: %s", page)
		}
		for _, n := range find(article[0], func(n *html.Node) bool { return true }) {
			switch n.Data {
			case "form", "input", "button", "select", "textarea", "script", "style", "iframe", "object", "svg", "math", "link", "meta", "audio", "video", "main", "h1", "body":
				t.Errorf("<%s> is in it", n.Data)
			}
		}
	})
}

func FuzzMessage(f *testing.F) {
	f.Add(crlf(anArticle))
	f.Add(crlf(aMessage))
	for _, seed := range hostile {
		f.Add("Subject: " + seed + "\r\nContent-Type: text/html\r\n\r\n" + seed)
	}
	p := newPrinter(f)
	f.Fuzz(func(t *testing.T, text string) {
		text = short(text)
		if m, err := message.Read(strings.NewReader(text), nil); m == nil || err != nil {
			return
		}
		harmless(t, printed(t, func(w io.Writer) error {
			return p.messagePage(w, &Head{URL: parse("mid:1@h")}, object("", -1, text))
		}))
	})
}

// A list of many items needs no more memory than a short list. The page writes each item
// before it requests the next item.
func TestMenuStreams(t *testing.T) {
	p := newPrinter(t)
	w := &counter{}
	const many = 20_000
	item := anItem("A line of a menu", "gopher://h/0/a", scheme.KindObject, "text/plain", -1)
	var most uint64
	seen := 0
	list := func(yield func(scheme.Item, error) bool) {
		for i := range many {
			if i > 0 && w.pieces <= seen {
				t.Fatalf("item %d is asked for before item %d is there", i, i-1)
			}
			seen = w.pieces
			if i%(many/10) == 0 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				if i == 0 {
					most = m.HeapAlloc + 4<<20
				}
				if m.HeapAlloc > most {
					t.Fatalf("%d octets at item %d, of %d", m.HeapAlloc, i, most)
				}
			}
			if !yield(item, nil) {
				return
			}
		}
	}
	if err := p.Menu(w, &Head{URL: parse("gopher://h/1")}, &scheme.Menu{Items: list}); err != nil {
		t.Fatal(err)
	}
	if w.octets < many*100 {
		t.Errorf("%d octets", w.octets)
	}
}

// counter counts written bytes.
type counter struct {
	pieces int
	octets int
}

func (c *counter) Write(p []byte) (int, error) {
	c.pieces++
	c.octets += len(p)
	return len(p), nil
}

// Received text is on the page before the reader blocks.
func TestTextStreams(t *testing.T) {
	p := newPrinter(t)
	var b bytes.Buffer
	r, w := io.Pipe()
	waits := &hookReader{r: r, hook: func() {
		if !strings.Contains(b.String(), "The first line is there, ") {
			t.Errorf("nothing of the first line is there when the second is waited for: %s", b.String())
		}
	}, after: len("The first line is there, see http://h/")}
	go func() {
		io.WriteString(w, "The first line is there, see http://h/")
		io.WriteString(w, "a now.\nThe end.")
		w.Close()
	}()
	if err := p.textPage(&b, &Head{URL: parse("gopher://h/0x")}, objectOf("", waits)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), ">http://h/a</a> now.\nThe end.") {
		t.Error(b.String())
	}
}

// hookReader is a reader that calls hook when the caller reads beyond the given number of
// bytes.
type hookReader struct {
	r     io.Reader
	hook  func()
	after int
	n     int
}

func (w *hookReader) Read(p []byte) (int, error) {
	if w.n == w.after {
		w.hook()
	}
	n, err := w.r.Read(p)
	w.n += n
	return n, err
}

// A long text that does not end a URL does not stay in memory, and the page finds URLs
// after that text.
func TestLongText(t *testing.T) {
	p := newPrinter(t)
	w := &tail{}
	text := io.MultiReader(strings.NewReader("<"), io.LimitReader(endless("x:y "), 8<<20), strings.NewReader(" http://h/end."))
	if err := p.textPage(w, &Head{URL: parse("gopher://h/0x")}, objectOf("", text)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(w.octets), ">http://h/end</a>.") {
		t.Errorf("%q", w.octets)
	}
}

// endless is a reader that repeats a text.
type endless string

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n+len(e) <= len(p) {
		n += copy(p[n:], e)
	}
	if n == 0 {
		n = copy(p, e)
	}
	return n, nil
}

// tail stores the last written bytes.
type tail struct{ octets []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.octets = append(t.octets, p...)
	if most := 4096; len(t.octets) > most {
		t.octets = t.octets[len(t.octets)-most:]
	}
	return len(p), nil
}

// counted counts read bytes.
type counted struct {
	io.Reader
	n int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

// A document larger than maxDocument is shown in a frame, and the rest is not read.
func TestLargeDocument(t *testing.T) {
	p := newPrinter(t)
	for size, drawn := range map[int]bool{maxDocument: true, maxDocument + 1: false, 2 * maxDocument: false} {
		text := &counted{Reader: io.MultiReader(strings.NewReader("<p>here"), io.LimitReader(endless(" "), int64(size-len("<p>here"))))}
		got := printed(t, func(w io.Writer) error {
			return p.documentPage(w, &Head{URL: parse("http://h/x")}, objectOf("text/html", text))
		})
		if strings.Contains(got, "here") != drawn || strings.Contains(got, "<iframe") == drawn {
			t.Errorf("%d octets: drawn %v, framed %v", size, strings.Contains(got, "here"), strings.Contains(got, "<iframe"))
		}
		if text.n > maxDocument+4096 {
			t.Errorf("%d of %d octets are read", text.n, size)
		}
	}
}

// A document deeper than maxNested is not shown.
func TestDeepDocument(t *testing.T) {
	p := newPrinter(t)
	for depth, drawn := range map[int]bool{maxNested - 1: true, maxNested: false, 500: false, 100_000: false} {
		got := printed(t, func(w io.Writer) error {
			return p.documentPage(w, &Head{URL: parse("http://h/x")}, objectOf("text/html", strings.NewReader(strings.Repeat("<div>", depth)+"here")))
		})
		if strings.Contains(got, "here") != drawn || strings.Contains(got, "nested too deeply") == drawn {
			t.Errorf("%d deep: drawn %v", depth, strings.Contains(got, "here"))
		}
	}
}

// The page reads a message up to maxMessage bytes. If HTML in the message is larger than
// maxDocument, the page contains a link instead.
func TestLargeMessage(t *testing.T) {
	p := newPrinter(t)
	const head = "Subject: about it\r\nContent-Type: application/octet-stream\r\n\r\n"
	for size, cut := range map[int]bool{maxMessage: false, maxMessage + 1: true} {
		text := &counted{Reader: io.MultiReader(strings.NewReader(head), io.LimitReader(endless(strings.Repeat("x", 76)+"\r\n"), int64(size-len(head))))}
		var b bytes.Buffer
		err := p.messagePage(&b, &Head{URL: parse("news:a@h")}, objectOf("message/rfc822", text))
		if errors.Is(err, message.ErrLimit) != cut || !strings.Contains(b.String(), "about it") || strings.Contains(b.String(), "more than 16777216") != cut {
			t.Errorf("%d octets: %v", size, err)
		}
		if text.n > maxMessage+4096 {
			t.Errorf("%d of %d octets are read", text.n, size)
		}
	}
	const html = "Subject: about it\r\nContent-Type: text/html\r\n\r\n<p>here"
	for size, drawn := range map[int]bool{maxDocument: true, maxDocument + 1: false} {
		got := printed(t, func(w io.Writer) error {
			return p.messagePage(w, &Head{URL: parse("news:a@h")}, objectOf("message/rfc822", strings.NewReader(html+strings.Repeat(" ", size-len("<p>here")))))
		})
		if strings.Contains(got, ">here") != drawn {
			t.Errorf("%d octets of HTML: drawn %v", size, !drawn)
		}
	}
}

// An incomplete page shows the error after the received content, and the method returns the
// error.
func TestBroken(t *testing.T) {
	p := newPrinter(t)
	gone := errors.New("the <connection> is gone")
	h := &Head{URL: parse("gopher://h/1")}
	for name, print := range map[string]func(w io.Writer) error{
		"menu": func(w io.Writer) error {
			return p.Menu(w, h, &scheme.Menu{Items: func(yield func(scheme.Item, error) bool) {
				_ = yield(anItem("before it", "gopher://h/0", scheme.KindObject, "text/plain", -1), nil) && yield(scheme.Item{}, gone)
			}})
		},
		"text": func(w io.Writer) error {
			return p.textPage(w, h, objectOf("", io.MultiReader(strings.NewReader("before it"), iotest.ErrReader(gone))))
		},
		"document": func(w io.Writer) error {
			return p.documentPage(w, h, objectOf("", io.MultiReader(strings.NewReader("<p>before it"+strings.Repeat(" ", 2000)), iotest.ErrReader(gone))))
		},
	} {
		var b bytes.Buffer
		if err := print(&b); !errors.Is(err, gone) {
			t.Errorf("%s: %v", name, err)
		}
		for _, want := range []string{"before it", "the &lt;connection&gt; is gone", "</html>"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no %q", name, want)
			}
		}
		harmless(t, b.String())
		// After the writer has failed, nothing more is read.
		if err := print(failing{}); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

var errFull = errors.New("full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestOrder(t *testing.T) {
	p := newPrinter(t)
	file := func(name string, kind scheme.ItemKind, size int64, day int) scheme.Item {
		i := anItem(name, "ftp://h/"+name, kind, "", size)
		i.ModTime = aTime.AddDate(0, 0, day)
		return i
	}
	list := []scheme.Item{file("b", scheme.KindObject, 3, 1), file("C", scheme.KindMenu, -1, 3), file("a", scheme.KindObject, 1, 2)}
	threaded := []scheme.Item{
		article(1, "one", "x", "1@h"), article(2, "two", "y", "2@h"), article(3, "re one", "z", "3@h", "0@h", "1@h"),
		article(4, "re re one", "a", "4@h", "1@h", "3@h"), article(5, "itself", "b", "5@h", "5@h", "6@h"), article(6, "later", "c", "6@h", "5@h"),
	}
	with := func(name, field string, n int) scheme.Item {
		i := file(name, scheme.KindMenu, int64(n), n)
		i.Fields = fields(field, n)
		return i
	}
	groups := []scheme.Item{with("b", "count", 2), with("C", "count", 10), with("a", "count", 3)}
	results := []scheme.Item{with("b", "score", 2), with("C", "score", 10), with("a", "score", 3)}
	for _, row := range []struct {
		items []scheme.Item
		sort  string
		want  string
	}{
		{groups, "", "b C a"}, {groups, "count", "b a C"}, {groups, "-count", "C a b"}, {groups, "name", "a b C"}, {groups, "size", "b C a"}, {groups, "score", "b C a"},
		{results, "", "b C a"}, {results, "-score", "C a b"}, {results, "size", "b a C"}, {results, "-date", "C a b"}, {results, "name", "a b C"}, {results, "kind", "b C a"}, {results, "count", "b C a"},
		{threaded, "size", "one two re one re re one itself later"}, {threaded, "date", "one two re one re re one itself later"}, {threaded, "-", "one re one re re one two itself later"},
		{threaded, "nonsense", "one re one re re one two itself later"}, {list, "-", "b C a"}, {list, "from", "b C a"}, {list, "number", "b C a"}, {list, "too many", "b C a"},
		{list, "", "b C a"}, {list, "name", "C a b"}, {list, "-name", "b a C"}, {list, "size", "C a b"}, {list, "-size", "b a C"},
		{list, "date", "b a C"}, {list, "-date", "C a b"}, {list, "kind", "a b C"}, {list, "nonsense", "b C a"}, {list, "thread", "b C a"},
		{threaded, "", "one re one re re one two itself later"}, {threaded, "-thread", "itself later two one re one re re one"},
		{threaded, "-number", "later itself re re one re one two one"}, {threaded, "from", "re re one itself later one two re one"},
	} {
		page := printed(t, func(w io.Writer) error {
			return p.Menu(w, &Head{URL: parse("ftp://h/"), Show: Show{Sort: row.sort}}, &scheme.Menu{Items: items(row.items...)})
		})
		var got []string
		for _, n := range find(tree(t, page), class("title")) {
			if links := find(n, func(n *html.Node) bool { return n.Data == "a" }); len(links) == 1 {
				got = append(got, textOf(links[0]))
			}
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%q: %q, want %q", row.sort, strings.Join(got, " "), row.want)
		}
	}
	// A list that is too long to sort is complete, in its original order.
	w := &tail{}
	many := func(yield func(scheme.Item, error) bool) {
		for range maxSorted + 2 {
			if !yield(list[0], nil) {
				return
			}
		}
	}
	if err := p.Menu(w, &Head{URL: parse("ftp://h/"), Show: Show{Sort: "size"}}, &scheme.Menu{Items: many}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(w.octets), "too long to sort") {
		t.Errorf("%s", w.octets)
	}
}
