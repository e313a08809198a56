package browse

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// fixture returns a library that contains a page of each kind.
func fixture() *library {
	file := item("ftp://h.example/pub/readme.txt", "readme.txt", scheme.KindObject)
	file.Size, file.ModTime, file.Type = 1738, time.Date(1994, 12, 20, 13, 5, 0, 0, time.UTC), "text/plain"
	return &library{open: map[string]func() scheme.Resource{
		"gopher://h.example/1/": menu("Museum", item("", "Welcome to the museum", scheme.KindInfo), item("gopher://h.example/0/about", "About this server", scheme.KindObject),
			item("gopher://h.example/1/more", "More rooms", scheme.KindMenu), item("gopher://h.example/7/find", "Search", scheme.KindSearch),
			item("telnet://h.example/", "The library", scheme.KindSession), item("mailto:curator@h.example", "Write to the curator", scheme.KindUnknown),
			item("ftp://h.example/pub/", "Files", scheme.KindMenu), item("http://h.example/", "The web", scheme.KindObject),
			item("gopher://h.example/0/%E5%9B%B3", "図書館の本 and more", scheme.KindObject), item("gopher://h.example/9/bin", "Data", scheme.KindObject)),
		"gopher://h.example/0/about":     object("text/plain", "About\n=====\nSee <URL:http://h.example/> and ftp://h.example/pub/readme.txt for more.\n"+strings.Repeat("A line of text.\n", 60)+"The end.\n"),
		"gopher://h.example/1/more":      menu("More"),
		"gopher://h.example/9/bin":       object("application/octet-stream", "\x00\x01\x02"),
		"gopher://h.example/0/%E5%9B%B3": object("text/plain; charset=utf-8", strings.Repeat("図書館の本", 30)+"\n"),
		"gopher://h.example/7/find": func() scheme.Resource {
			u := locus.MustParse("gopher://h.example/7/find")
			return scheme.NewForm(u, "Find a book", scheme.FormField{Kind: scheme.FieldText, Prompt: "Words"}, func(answer string) (locus.URL, error) {
				return locus.Parse("gopher://h.example/7/find%09" + answer)
			}).Menu()
		},
		"gopher://h.example/7/find%09cats": menu("Found", item("gopher://h.example/0/about", "Cats", scheme.KindObject)),
		"telnet://h.example/":              func() scheme.Resource { return &scheme.Session{URL: locus.MustParse("telnet://h.example/"), Conn: nil} },
		"ftp://h.example/pub/":             menu("", file, item("ftp://h.example/pub/old/", "old", scheme.KindMenu)),
		"ftp://h.example/pub/readme.txt":   object("text/plain", "Read me.\n"),
		"http://h.example/": object("text/html", `<title>A page</title><body><h1 id=top>Heading</h1><p>Some <a href="/a.html">first link</a> and <a href="#end">the end</a>.</p>
<ul><li>One<li><a href="gopher://h.example/1/">Two</a></ul><script>alert(1)</script><pre>a   b
c</pre>`+strings.Repeat("<p>Filler.</p>", 40)+`<h2 id="end">End</h2><p>Last.`),
		"news:1@h.example": object("message/rfc822", "From: a@h.example\nSubject: Two parts\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\nHello.\n--x\nContent-Type: text/html; name=b.html\n\n<p>Bold\n--x--\n"),
		"data:bad": func() scheme.Resource {
			return menu("Broken", item("gopher://h.example/0/about", "One", scheme.KindObject))()
		},
	}}
}

func TestGoldenScreens(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 20}} {
		name := func(s string) string { return fmt.Sprintf("%s-%dx%d", s, size[0], size[1]) }
		b := newTester(t, fixture(), "gopher://h.example/1/", size[0], size[1])
		b.golden(name("menu"))
		b.keys("1 enter").golden(name("text"))
		b.keys("b 6 enter").golden(name("directory"))
		b.keys("b 7 enter").golden(name("html"))
		b.keys("b 8 enter").golden(name("wide"))
		b.keys("b 9 enter").golden(name("binary"))
		b.keys("b 3 enter").golden(name("form"))
		b.keys("esc ?").golden(name("keys"))
		b.keys("b =").golden(name("parts"))
		b.keys("b g ctrl+u").typing("gopher://h.example/0/missing").golden(name("missing"))
		b.keys("c").golden(name("conversation"))
		b.keys("B").golden(name("home"))
		b.keys("g ctrl+u").typing("example.com/x").golden(name("mistake"))
	}
}

// For a text without a scheme, the browser proposes the URL that the user probably meant, and
// Enter opens the URL. A narrow screen shows the whole proposal.
func TestMistypedURL(t *testing.T) {
	for _, c := range []struct{ typed, prompt string }{
		{"h.example/x", "Go to: http://h.example/x"},
		{"h.example", "Go to: http://h.example/"},
		{"localhost:8080", "Go to: http://localhost:8080/"},
		{"joe@h.example", "Go to: mailto:joe@h.example"},
		{"nothing", ""},
		{"joe:s3cret@h.example/", ""},
		{"http://a b/", ""},
	} {
		b := newTester(t, fixture(), "gopher://h.example/1/", 40, 20)
		b.keys("g ctrl+u").typing(c.typed)
		screen := b.screen()
		if c.prompt == "" {
			if b.m.prompt != nil || !strings.Contains(screen, "Not a URL: ") && b.m.message != "" || strings.Contains(screen, "s3cret") {
				t.Errorf("%s:\n%s, want b.m.prompt nil and no %q in screen", c.typed, screen, "s3cret")
			}
			continue
		}
		if !strings.Contains(screen, "\nNot a URL. Press Enter to open:\n"+c.prompt+"\n") {
			t.Errorf("%s:\n%s, want %q in screen", c.typed, screen, "\nNot a URL. Press Enter to open:\n"+c.prompt+"\n")
		}
		if b.keys("enter"); b.m.prompt != nil {
			t.Errorf("%s: Enter asks again", c.typed)
		}
	}
	b := newTester(t, fixture(), "gopher://h.example/1/", 40, 20)
	b.keys("g ctrl+u").typing("h.example/x").keys("enter")
	if asked := b.library.asked; asked[len(asked)-1].URL.String() != "http://h.example/x" {
		t.Errorf("it opens %s", asked[len(asked)-1].URL)
	}
}

// The last line names the keys for help and quit, even on a narrow screen.
func TestShortHelp(t *testing.T) {
	for width, want := range map[int]string{
		80: "Enter open  b back  g go  / find  a bookmark  ? keys  q quit",
		59: "Enter open  b back  g go  / find  ? keys  q quit",
		40: "Enter open  b back  g go  ? keys  q quit",
		39: "Enter open  b back  ? keys  q quit",
		20: "? keys  q quit",
		14: "? keys  q quit",
		0:  "",
	} {
		if got := shortHelp(width); got != want {
			t.Errorf("%d columns: %q, want %q", width, got, want)
		}
	}
}

func TestLinksByNumberArrowsAndLetters(t *testing.T) {
	b := newTester(t, fixture(), "gopher://h.example/1/", 80, 24)
	if got := b.underCursor(); got != "About this server" {
		t.Errorf("the cursor is on %q", got)
	}
	b.keys("down")
	if got := b.underCursor(); got != "More rooms/" {
		t.Errorf("the cursor is on %q", got)
	}
	b.keys("right").wants("More", "(empty)")
	b.keys("left").wants("Museum")
	if got := b.underCursor(); got != "More rooms/" {
		t.Errorf("back: the cursor is on %q", got)
	}
	b.keys("w").wants("(empty)")
	b.keys("b 9 9").wants("Link 99")
	b.keys("enter").wants("No link 99; the last one is 9")
	b.keys("1 2 backspace enter").wants("About")
	b.keys("b f").wants("a)", "s)")
	b.keys("h").wants("ftp://h.example/pub/readme.txt", "1.7 KiB", "1994-12-20 13:05")
	b.keys("b tab shift+tab")
	b.keys("f esc").wants("Museum")
}

// The title of an article, newsgroup or search result follows its number. Each item shows its size
// and time, if they are known. Text lines show neither.
func TestColumns(t *testing.T) {
	with := func(url, title string, kind scheme.ItemKind, fields ...scheme.Field) scheme.Item {
		i := item(url, title, kind)
		i.Fields = fields
		return i
	}
	article := with("news:7@h.example", "An article", scheme.KindObject, scheme.Field{Name: "number", Value: 7}, scheme.Field{Name: "messageId", Value: "7@h.example"})
	article.ModTime = time.Date(1994, 12, 20, 13, 5, 0, 0, time.UTC)
	group := with("news:alt.example", "A group", scheme.KindMenu, scheme.Field{Name: "count", Value: 12})
	hit := with("wais://h.example/db/TEXT/1", "A hit", scheme.KindObject, scheme.Field{Name: "score", Value: 640}, scheme.Field{Name: "lines", Value: 3})
	hit.Size = 2048
	line := with("gopher://h.example/0/x", "A line", scheme.KindObject, scheme.Field{Name: "count", Value: 12})
	line.Size = 2048
	for first, want := range map[string]string{
		"news:alt.example":      " 1        7            1994-12-20 13:...An article",
		"news:*":                " 1       12  A group/",
		"wais://h.example/db?x": " 1      640   2.0 KiB                ...A hit",
		"gopher://h.example/1/": " 1 A line",
	} {
		l := &library{open: map[string]func() scheme.Resource{"news:alt.example": menu("", article), "news:*": menu("", group), "wais://h.example/db?x": menu("", hit), "gopher://h.example/1/": menu("", line)}}
		newTester(t, l, first, 80, 24).wants(want)
	}
}

func TestHTML(t *testing.T) {
	for source, want := range map[string]string{
		"<p>one<p> two \n words <div>three<div></div>": "one\n\ntwo words\nthree",
		"a<br>b<hr>c":                                          "a\nb\n----\nc",
		"<ul><li>a<ul><li>b</ul><li>c</ul>d":                   "* a\n  * b\n* c\nd",
		"a<ol><li>b</ol><dl><dt>c<dd>d</dl>e":                  "a\n\n* b\n\nc\n  d\n\ne",
		"<table><tr><td>a<td>b<tr><th>c</table>d":              "a | b\nc\n\nd",
		"<blockquote>a<blockquote>b</blockquote></blockquote>": "> a\n\n> > b",
		"<p>x<pre>\na\tb\n  c\r\n\n<b>d</b>\n</pre>e":          "x\n\na       b\n  c\n\nd\n\ne",
		"a<script>b</script><style>c</style><select><option>d</select><textarea>e</textarea><svg><text>f</text></svg><object> g</object><iframe>h</iframe><template>i</template>": "a g",
		"a&nbsp;&lt;b&gt; <xmp><c></xmp><img alt=' an\n image '><img alt=' '><img src=x>":                                                                                         "a <b> <c>[an image]",
		"a <a href=/b>b c</a> d<a>e</a>":                                  "a [1]b c de",
		"<base href=http://other.example/x/><p>a<a href=y> b </a>c":       "a[1] b c",
		"<frameset><frame src=/a><noframes>b":                             " 1 frame: http://h.example/a\nb",
		"<p><a href='http://[/'>a</a> <a href=''>b</a><embed src=/c>d":    "a b\n 1 embed: http://h.example/c\nd",
		"<h1>a</h1>b<title> the\n title </title><h2><a href=x>c</a></h2>": "a\n\nb\n\n[1]c",
		"a<br><br><br>b<center>c</center>d&nbsp; e<p>&nbsp;":              "a\n\nb\nc\nd  e",
		"a<pre>b\n\n\n\nc</pre>":                                          "a\n\nb\n\nc",
		"<p> \n <div>":                                                    "(empty)",
	} {
		l := fixture()
		l.open["http://h.example/"] = object("text/html", source)
		b := newTester(t, l, "http://h.example/", 80, 24)
		if got := strings.TrimRight(strings.Join(strings.Split(b.screen(), "\n")[1:22], "\n"), "\n"); got != want {
			t.Errorf("%s:\n%q, want\n%q", source, got, want)
		}
	}
	l := fixture()
	l.open["http://h.example/"] = object("text/html", "<base href=http://h.example/pub/><title> the\n title </title><svg><title>none</title></svg><a href=../1>first</a>"+strings.Repeat("<p>Filler.", 40)+"<p id=here>Here.<p>"+strings.Repeat("<p>Filler.", 40))
	b := newTester(t, l, "http://h.example/#here", 80, 24)
	if got := strings.Split(b.screen(), "\n")[:3]; !strings.HasPrefix(got[0], "the title ") || !strings.Contains(strings.Join(got, "\n"), "\nHere.") {
		t.Errorf("%q, want %q at the start of got[0] and %q", got, "the title ", "\nHere.")
	}
}

func TestQuit(t *testing.T) {
	b := newTester(t, fixture(), "gopher://h.example/1/", 80, 24)
	if b.keys("q"); !b.quit || b.m.status != 0 {
		t.Errorf("q: quit %t, status %d", b.quit, b.m.status)
	}
	b = newTester(t, fixture(), "gopher://h.example/1/", 80, 24)
	if b.keys("ctrl+c"); !b.quit || b.m.status != 130 {
		t.Errorf("Ctrl-C: quit %t, status %d", b.quit, b.m.status)
	}
}

// A followed link has the origin of its page. A typed URL has the origin Typed.
func TestOrigins(t *testing.T) {
	b := newTester(t, fixture(), "gopher://h.example/1/", 80, 24)
	b.keys("1 enter 2 enter g").typing("ftp://h.example/pub/")
	b.keys("u H enter")
	want := []string{"", "gopher://h.example/1/", "gopher://h.example/0/about", "", "", ""}
	for i, req := range b.library.asked {
		from := ""
		if req.From != nil {
			from = req.From.URL.String()
			if req.From.LinkOrigin != policy.FromPrivate {
				t.Errorf("request %d: origin %v", i, req.From.LinkOrigin)
			}
		}
		if i >= len(want) || from != want[i] {
			t.Errorf("request %d, for %s, comes from %q", i, req.URL, from)
		}
	}
}

func TestSearchForm(t *testing.T) {
	b := newTester(t, fixture(), "gopher://h.example/1/", 80, 24)
	b.keys("3 enter").wants("Words: ")
	b.typing("cats").wants("Found", "Cats")
	if from := b.library.asked[2].From; from == nil || from.URL.String() != "gopher://h.example/1/" {
		t.Errorf("the answers come from %v", from)
	}
	// Back shows the form again, which prompts only after a key.
	b.keys("b").wants("Find a book", "Words: [cats]", "Submit")
}

func TestHiddenAnswer(t *testing.T) {
	l := fixture()
	l.open["gopher://h.example/1/form"] = func() scheme.Resource {
		f := &scheme.Form{URL: locus.MustParse("gopher://h.example/1/form"), Fields: []scheme.FormField{
			{Kind: scheme.FieldNote, Prompt: "Say who you are."},
			{Kind: scheme.FieldText, Prompt: "Name", Default: "me"}, {Kind: scheme.FieldHidden, Prompt: "Secret"},
			{Kind: scheme.FieldChoice, Prompt: "Color", Choices: []string{"red", "blue"}}, {Kind: scheme.FieldCheck, Prompt: "Sure"},
			{Kind: scheme.FieldLines, Prompt: "Text"},
		}}
		f.Submit = func(answers []string) (locus.URL, error) {
			if err := f.Check(answers); err != nil {
				return locus.URL{}, err
			}
			return locus.Parse("gopher://h.example/1/" + strings.ReplaceAll(strings.Join(answers[1:], "+"), "\n", "%0A"))
		}
		return f.Menu()
	}
	l.open["gopher://h.example/1/me+xyzzy+blue+1+a%0Ab"] = menu("Sent")
	b := newTester(t, l, "gopher://h.example/1/form", 80, 24)
	b.wants("Say who you are.", "Name: [me]", "Color: [red]", "Sure: [no]")
	b.keys("2 enter").wants("not encrypted")
	b.keys("x y z z y").wants("Secret: *****")
	b.keys("enter").wants("Secret: [*****]")
	b.keys("3 enter").wants("Choices", "red", "blue")
	b.keys("2 enter").wants("Color: [blue]")
	b.keys("4 enter 5 enter a ctrl+j b enter 6 enter").wants("Sent", "(empty)", "hidden answer")
	for _, keys := range []string{"=", "b c", "b H", "b Y", "G", "esc a"} {
		b.keys(keys)
		if screen := b.screen(); strings.Contains(screen, "xyzzy") {
			t.Errorf("%s shows the hidden answer:\n%s", keys, screen)
		}
	}
	if b.clip != "" {
		t.Errorf("the hidden answer is in the clipboard: %q", b.clip)
	}
}

func TestSessionsAndMessages(t *testing.T) {
	b := newTester(t, fixture(), "gopher://h.example/1/", 80, 24)
	b.keys("4 enter 5 enter").wants("Museum")
	b.keys("g").typing("telnet://h.example/")
	if got := strings.Join(b.sessions, ", "); got != "telnet://h.example/ safe=true, telnet://h.example/ safe=false" {
		t.Errorf("sessions: %s", got)
	}
	if len(b.letters) != 1 || b.letters[0].String() != "mailto:curator@h.example" {
		t.Errorf("messages: %v", b.letters)
	}
}

func TestFindInPage(t *testing.T) {
	b := newTester(t, fixture(), "gopher://h.example/0/about", 80, 24)
	b.keys("/").typing("THE END")
	if got := b.underCursor(); got != "The end." {
		t.Errorf("the cursor is on %q:\n%s", got, b.screen())
	}
	b.keys("/").typing("see <")
	if got := b.underCursor(); !strings.HasPrefix(got, "[1]http://h.example/") && !strings.HasPrefix(got, "See <") {
		t.Errorf("the cursor is on %q", got)
	}
	b.keys("/").typing("text.")
	b.keys("n n N")
	b.keys("/").typing("nowhere").wants("Not found: nowhere")
}

func TestSourcePartsAndYank(t *testing.T) {
	b := newTester(t, fixture(), "http://h.example/", 80, 24)
	b.keys("\\").wants("<title>A page</title>", "<script>alert(1)</script>")
	b.keys("b = ").wants("scheme", "host", "h.example", "origin")
	b.keys("b y")
	if b.clip != "http://h.example/a.html" {
		t.Errorf("the clipboard has %q", b.clip)
	}
	b.keys("Y o O")
	if b.clip != "http://h.example/" || fmt.Sprint(b.outside) != "[http://h.example/a.html http://h.example/]" {
		t.Errorf("the clipboard has %q; opened outside: %v", b.clip, b.outside)
	}
}

func TestFragments(t *testing.T) {
	b := newTester(t, fixture(), "http://h.example/", 80, 24)
	n := len(b.library.asked)
	b.keys("2 enter").wants("End", "Last.")
	if len(b.library.asked) != n {
		t.Error("a fragment of the same page is opened again")
	}
	b = newTester(t, fixture(), "http://h.example/#end", 80, 24)
	b.wants("Last.")
}

func TestPartsOfMessages(t *testing.T) {
	b := newTester(t, fixture(), "news:1@h.example", 80, 24)
	b.wants("Two parts", "Hello.", "2 text/html b.html")
	e := b.m.current()
	b.m.choose(e, len(e.page.links)-1)
	b.keys("enter").wants("Part 2", "Bold")
	b.keys("b").wants("Hello.")
}

func TestTabs(t *testing.T) {
	b := newTester(t, fixture(), "gopher://h.example/1/", 80, 24)
	b.keys("1 t").wants("*2 about", "About\n=====")
	b.keys("[").wants("*1 Museum", "Welcome")
	b.keys("] x").wants("Welcome")
	b.keys("x").wants("This is the last tab")
}

func TestMouse(t *testing.T) {
	b := newTester(t, fixture(), "gopher://h.example/1/", 80, 24)
	b.send(tea.MouseClickMsg{X: 2, Y: 3, Button: tea.MouseLeft})
	b.wants("(empty)")
	b.send(tea.MouseClickMsg{X: 0, Y: 0, Button: tea.MouseRight})
	b.send(tea.MouseClickMsg{X: 10, Y: 2, Button: tea.MouseLeft})
	b.wants("About\n=====")
	b.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	if b.m.current().top != 3 {
		t.Errorf("the wheel scrolls to line %d", b.m.current().top)
	}
	b.send(tea.MouseClickMsg{X: 70, Y: 20, Button: tea.MouseLeft}) // no link
	b.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	b.send(tea.MouseClickMsg{X: 12, Y: 3, Button: tea.MouseMiddle})
	b.wants("*2 ", "A page"[:0])
	b.send(tea.MouseClickMsg{X: 1, Y: 0, Button: tea.MouseLeft})
	b.wants("*1 about")
}

func TestResizeKeepsThePlace(t *testing.T) {
	b := newTester(t, fixture(), "http://h.example/", 80, 24)
	b.keys("end")
	b.wants("Last.")
	for _, size := range [][2]int{{40, 20}, {20, 5}, {3, 2}, {1, 1}, {200, 20}, {80, 24}} {
		b.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		b.screen()
	}
	b.wants("Last.")
}

func TestNoColor(t *testing.T) {
	b := newTester(t, fixture(), "gopher://h.example/1/", 80, 24)
	if !strings.Contains(b.m.View().Content, "\x1b[36m") {
		t.Error("links have no colour")
	}
	b.m.colors = false
	if content := b.m.View().Content; strings.Contains(content, "\x1b[3") || !strings.Contains(content, "\x1b[7m") {
		t.Errorf("without colours: %q", content)
	}
}

// hostile is text that a server may send to attack a terminal.
const hostile = "a\x1b]0;evil\x07b\x1b[2Jc\x9b31md\u202ee\r\nf\x00g\x1b]52;c;ZXZpbA==\x07\x1bP1$r\x1b\\\u200bh"

func TestHostileTexts(t *testing.T) {
	l := fixture()
	l.open["gopher://h.example/1/evil"] = func() scheme.Resource {
		i := item("gopher://h.example/0/%1B%5B2J", hostile, scheme.KindObject)
		i.Note = hostile
		m := menu(hostile, i, item("", hostile, scheme.KindInfo), item("", strings.Repeat("x", 100_000), scheme.KindError))().(*scheme.Menu)
		m.Note = hostile
		m.Form = &scheme.Form{Title: hostile, Fields: []scheme.FormField{{Kind: scheme.FieldText, Prompt: hostile, Default: "x"}, {Kind: scheme.FieldChoice, Prompt: hostile, Choices: []string{hostile}}}}
		return m
	}
	l.open["gopher://h.example/0/%1B%5B2J"] = object("text/plain; charset="+hostile, hostile)
	l.open["http://evil.example/"] = object("text/html", "<title>"+hostile+"</title><a href='http://h.example/"+hostile+"'>"+hostile+"</a><pre>"+hostile+"</pre><img alt='"+hostile+"'>")
	l.open["news:2@h.example"] = object("message/rfc822", "Subject: "+hostile+"\n\n"+hostile)
	for _, url := range []string{"gopher://h.example/1/evil", "gopher://h.example/0/%1B%5B2J", "http://evil.example/", "news:2@h.example", "gopher://h.example/0/%1B%5D52"} {
		for _, width := range []int{80, 40, 7} {
			b := newTester(t, l, url, width, 24)
			b.screen()
			for _, keys := range []string{"end", "=", "b c", "b \\", "b H", "b a", "B", "b 1 enter", "b f", "esc t"} {
				b.keys(keys)
				b.screen()
				if title := b.m.View().WindowTitle; strings.ContainsAny(title, "\x1b\x07\n\u009b") {
					t.Errorf("title %q", title)
				}
			}
		}
	}
}

func TestBookmarks(t *testing.T) {
	b := newTester(t, fixture(), "gopher://h.example/1/", 80, 24)
	b.keys("a").wants("Bookmarked: Museum")
	b.keys("a").wants("Already bookmarked")
	b.keys("2 enter a B").wants("Museum", "More")
	b.keys("2 enter").wants("(empty)")
	if req := b.library.asked[len(b.library.asked)-1]; req.From != nil {
		t.Error("a bookmark counts as a link")
	}
	b.keys("b 1 D n enter").wants("Museum")
	b.keys("1 D y enter").wants("Deleted")
	if screen := b.screen(); strings.Contains(screen, "Museum") {
		t.Errorf("the bookmark is still there:\n%s", screen)
	}
}

func TestPasswordsAreNotShown(t *testing.T) {
	l := fixture()
	l.open["ftp://me:sesame@h.example/x"] = object("text/plain", "x\n")
	b := newTester(t, l, "ftp://me:sesame@h.example/x", 80, 24)
	for _, keys := range []string{"", "=", "b c", "b H", "b a", "B", "b Y", "G"} {
		b.keys(keys)
		if screen := b.screen() + b.clip + b.m.View().WindowTitle; strings.Contains(screen, "sesame") {
			t.Errorf("%q shows the password:\n%s", keys, screen)
		}
	}
}

// slow is a body that returns a few bytes, and then ends when its context is cancelled.
type slow struct {
	io.Reader
	begun func()
	wait  chan struct{}
}

func (s slow) Read(p []byte) (int, error) {
	if n, err := s.Reader.Read(p); err == nil {
		return n, nil
	}
	s.begun()
	<-s.wait
	return 0, io.ErrUnexpectedEOF
}
func (s slow) Close() error { return nil }

// After a stop, the browser shows the part that arrived.
func TestStop(t *testing.T) {
	l := fixture()
	begun, wait := make(chan struct{}), make(chan struct{})
	l.open["gopher://h.example/0/slow"] = func() scheme.Resource {
		return &scheme.Object{Type: "text/plain", Size: -1, Body: slow{strings.NewReader("The first line.\n"), sync.OnceFunc(func() { close(begun) }), wait}}
	}
	b := newTester(t, l, "gopher://h.example/1/", 80, 24)
	b.m.typed("gopher://h.example/0/slow")
	done := make(chan tea.Msg, 1)
	cmd := b.m.commands()
	go func() { done <- firstMsg(cmd) }()
	<-begun
	b.keys("esc").wants("Stopped")
	close(wait)
	b.send(<-done)
	b.wants("The first line.", "Incomplete")
}

// firstMsg runs the first command of a batch.
func firstMsg(c tea.Cmd) tea.Msg {
	msg := c()
	if batch, ok := msg.(tea.BatchMsg); ok {
		return batch[0]()
	}
	return msg
}
