package browser

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// view is a way to look at a page.
type view struct {
	name, colours string
	width, height int64
}

var views = []view{{"light", "light", 1180, 820}, {"dark", "dark", 1180, 820}, {"phone", "light", 390, 844}}

// place is a page, and what is to be seen on it.
type place struct {
	name, url string
	want      string // an expression that is true there
}

func (w *world) places() []place {
	has := func(selector, text string) string {
		return fmt.Sprintf("[...document.querySelectorAll(%q)].some((e) => e.textContent.includes(%q))", selector, text)
	}
	return []place{
		{"menu", "gopher://" + w.gopher + "/", has(".menu .item a", "A room") + " && " + has(".menu .info", "__  __") + " && " + has(".menu .title", "<script>")},
		{"text", "gopher://" + w.gopher + "/0/" + "two", "document.querySelector('pre.text') !== null || document.querySelector('.views') !== null"},
		{"search", "gopher://" + w.gopher + "/7/Find%20something", has(".ask button", "Search")},
		{"form", "gopher://" + w.gopher + "/0/guestbook%09%09?", has(".ask label", "Your name")},
		{"picture", "gopher://" + w.gopher + "/I/picture.png", "document.querySelector('.picture img')?.naturalWidth === 320"},
		{"listing", "ftp://" + w.ftp + "/pub/", has(".listing td.name a", "README") + " && " + has(".listing .numeric", "3.0 MiB")},
		{"file", "ftp://" + w.ftp + "/pub/large.zip", has(".take a", "Save")},
		{"document", "ftp://" + w.ftp + "/pub/evil.html", has(".foreign h2", "A page") + " && " + has(".foreign a", "a link")},
		{"groups", "news://" + w.news + "/*", has(".groups td.name a", "local.talk")},
		{"group", "nntp://" + w.news + "/local.talk", has(".articles .depth-1", "<script>")},
		{"article", "nntp://" + w.news + "/local.talk/2", has(".letter .quote-1", "Where is it?") + " && " + has(".letter .signature", "Ada") + " && " + has(".said a", "gopher://")},
		{"database", "wais://" + w.wais + "/museum", has(".ask button", "Search")},
		{"results", "wais://" + w.wais + "/museum?protocols", has(".results a", "The first protocols") + " && document.querySelector('meter').value > 0"},
		{"failure", "gopher://" + w.gopher + "/0/nothing", has(".failure h2", "Not found")},
		{"refusal", "http://h/%zz", "document.querySelector('.refused mark').textContent === '%'"},
		{"within", "cid:a@example.net", "document.querySelector('.failure input[name=in]') !== null"},
		{"letter", "mailto:keeper@example.net?subject=Hello", "document.getElementById('letter-subject').value === 'Hello'"},
	}
}

// Each kind of page, in each way to look at it: what should be there is there, nothing
// that a server says is run, nothing goes wrong, nobody else is asked, and axe-core
// finds nothing serious.
func TestPages(t *testing.T) {
	w := newWorld(t)
	b := newTab(t, w.base)
	for _, p := range w.places() {
		t.Run(p.name, func(t *testing.T) {
			for _, v := range views {
				b.look(t, v.colours, v.width, v.height)
				b.open(t, p.url)
				b.await(t, p.want)
				if title := get(t, b, chromedp.Title()); title == "taken" {
					t.Errorf("a server's script ran: %s", title)
				}
				b.fits(t)
				b.accessible(t)
				switch p.name {
				case "failure", "refusal", "within":
					b.forgive("the server responded with a status of")
				case "document":
					b.forgive("404 (Not Found)") // a picture that is not there
				}
				b.quiet(t)
			}
		})
	}
	for _, path := range []string{"/", b.schemes(t)} {
		b.visit(t, path)
		b.accessible(t)
		b.fits(t)
		b.quiet(t)
	}
}

// schemes is the path of the page of schemes, as every page has it.
func (b *tab) schemes(t testing.TB) string {
	t.Helper()
	return eval[string](t, b, "document.querySelector('.bar-links a').getAttribute('href')")
}

// Every stop of the tour has a page that can be looked at.
func TestTour(t *testing.T) {
	w := newWorld(t)
	b := newTab(t, w.base)
	b.visit(t, "/")
	links := eval[[]string](t, b, "[...document.querySelectorAll('.card a')].map((a) => a.getAttribute('href'))")
	if want := len(w.museum.Stops()); len(links) < want-2 {
		t.Errorf("%d links on the first page, for %d stops", len(links), want)
	}
	for _, link := range links {
		if leftOut(link) {
			continue
		}
		b.visit(t, link)
		b.await(t, "document.readyState === 'complete'")
		b.fits(t)
		b.accessible(t)
		b.quiet(t)
	}
}

// leftOut reports whether a stop is none for this gateway: what means something in
// its message alone, and servers whose certificates only the tour's own client trusts.
func leftOut(link string) bool {
	for _, scheme := range []string{"cid", "https", "ftps", "gophers", "nntps"} {
		if strings.HasPrefix(link, "/"+scheme+"/") || strings.HasPrefix(link, "/"+scheme+":") {
			return true
		}
	}
	// The page of a name that is not there has the status 404, which Chrome reports as
	// an error.
	return strings.HasSuffix(link, ";key=other")
}

// A form of Gopher+ is filled in and sent, with nothing of it lost.
func TestForm(t *testing.T) {
	w := newWorld(t)
	b := newTab(t, w.base)
	b.open(t, "gopher://"+w.gopher+"/")
	b.do(t, chromedp.Click(".menu .kind-form + .title a"))
	b.await(t, "document.querySelector('.ask textarea') !== null")
	eval[string](t, b, "document.querySelector('.ask input[type=text]').value = ''")
	b.do(t,
		chromedp.SendKeys(".ask input[type=text]", "Grace & <b>"),
		chromedp.SendKeys(".ask textarea", "Lists.\nAll of them."),
		chromedp.Click(".ask input[type=radio][value=choice-1]"),
		chromedp.Click(".ask input[type=checkbox]"),
		chromedp.Click(".ask button[type=submit]"),
	)
	b.await(t, "document.querySelector('pre.text') !== null")
	got := b.text(t, "pre.text")
	for _, want := range []string{"[Grace & <b>]", "[Lists.]", "[All of them.]", "[files]", "[0]"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in the answer %q", want, got)
		}
	}
	b.quiet(t)
}

// The welcome of the museum can be read in each of its languages, and a document of
// WAIS in each of its types, by going from page to page.
func TestViews(t *testing.T) {
	w := newWorld(t)
	b := newTab(t, w.base)
	click := func(among, text string) {
		t.Helper()
		eval[bool](t, b, fmt.Sprintf("[...document.querySelectorAll(%q)].find((e) => e.textContent.includes(%q)).click() || true", among, text))
	}
	shows := func(among, text string) {
		t.Helper()
		b.await(t, fmt.Sprintf("[...document.querySelectorAll(%q)].some((e) => e.textContent.includes(%q))", among, text))
	}
	stop := func(scheme, end string) string {
		t.Helper()
		for _, s := range w.museum.Stops() {
			if s.Scheme == scheme && strings.HasSuffix(s.URL.String(), end) {
				return s.URL.String()
			}
		}
		t.Fatalf("no stop of %s ends in %s", scheme, end)
		return ""
	}
	b.open(t, stop("gopher", "/"))
	click(".menu a", "Welcome")
	shows("pre.text", "Welcome to the gopher room")
	click(".views a", "De_DE")
	shows(".views .current", "De_DE")
	shows("pre.text", "Willkommen")
	b.accessible(t)
	b.fits(t)
	click(".views a", "En_US")
	shows(".views .current", "En_US")
	shows("pre.text", "Welcome to the gopher room")

	b.open(t, stop("wais", "?database+server"))
	eval[bool](t, b, "[...document.querySelectorAll('.results a')].find((e) => e.getAttribute('href').includes('types=TEXT%2CHTML')).click() || true")
	shows(".views .current", "TEXT")
	click(".views a", "HTML")
	shows(".views .current", "HTML")
	b.await(t, "document.querySelector('.foreign') !== null")
	b.quiet(t)
}

// A search by WAIS, and a document from what it finds.
func TestSearch(t *testing.T) {
	w := newWorld(t)
	b := newTab(t, w.base)
	b.open(t, "wais://"+w.wais+"/museum")
	b.do(t, chromedp.SendKeys(".ask input[type=search]", "first protocols"+kb.Enter))
	// The best is first.
	b.await(t, "document.querySelector('.results li a')?.textContent === 'The first protocols'")
	b.do(t, chromedp.Click(".results li a"))
	b.await(t, "document.querySelector('pre.text') !== null")
	if text := b.text(t, "pre.text"); !strings.Contains(text, "of the first network") {
		t.Errorf("the document is %q", text)
	}
	b.quiet(t)
}

// A session by telnet, typed in the page: the login that the URL suggests at the
// press of a button, a command by the keyboard, a command of the protocol, and the
// end.
func TestTerminal(t *testing.T) {
	w := newWorld(t)
	b := newTab(t, w.base)
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	shows := func(text string) {
		t.Helper()
		b.await(t, fmt.Sprintf("document.querySelector('.xterm-rows').textContent.replaceAll('\\u00a0', ' ').includes(%q)", text))
	}
	heard := func(entry string) {
		t.Helper()
		if err := w.host.Wait(ctx, entry); err != nil {
			t.Fatalf("%s: %v: %q", entry, err, w.host.Log())
		}
	}
	b.open(t, "telnet://guest@"+w.telnet+"/")
	shows("The card catalogue")
	if got := b.text(t, ".session .state"); !strings.HasPrefix(got, "Connected") {
		t.Errorf("it says %q", got)
	}
	if log := fmt.Sprint(w.host.Log()); strings.Contains(log, "typed guest") {
		t.Error("the name is typed and nobody asked for it")
	}
	shows("ogin:")
	b.do(t, chromedp.Click(".session .advice button"))
	b.do(t, chromedp.KeyEvent(kb.Enter))
	heard("typed guest")
	shows("assword:")
	b.do(t, chromedp.KeyEvent("sesame"+kb.Enter))
	b.do(t, chromedp.KeyEvent("help"+kb.Enter))
	heard("typed help")
	b.accessible(t)
	b.fits(t)
	// The keyboard finds the way out.
	b.do(t, chromedp.Click(".session .connect"))
	b.await(t, "document.querySelector('.session').dataset.state === 'ended'")
	b.quiet(t)
}

// A session of tn3270 has the keys of its keyboard as buttons.
func TestScreen(t *testing.T) {
	w := newWorld(t)
	b := newTab(t, w.base)
	b.open(t, "tn3270://"+w.tn3270+"/")
	b.await(t, "document.querySelectorAll('.session .commands button').length > 0")
	b.await(t, "document.querySelector('.xterm-rows').textContent.trim() !== ''")
	b.accessible(t)
	b.quiet(t)
}

// Without JavaScript a search is a form that is sent, and a session says what it
// lacks.
func TestWithoutScripts(t *testing.T) {
	w := newWorld(t)
	b := newTab(t, w.base)
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.open(t, "gopher://"+w.gopher+"/7/Find%20something")
	b.do(t, chromedp.SendKeys(".ask input[type=search]", "old maps"+kb.Enter))
	b.await(t, "document.querySelector('.menu .item a')?.textContent === 'Found old maps'")
	b.open(t, "telnet://"+w.telnet+"/")
	b.await(t, "document.querySelector('.session .notice')?.textContent.includes('needs JavaScript')")
	if eval[bool](t, b, "[...document.querySelectorAll('.theme, .session-bar')].some((e) => !e.hidden)") {
		t.Error("there are buttons that do nothing")
	}
	b.quiet(t)
}

// What one types is explained as it is typed; the colours follow the system, and the
// button turns them round and remembers it.
func TestHome(t *testing.T) {
	w := newWorld(t)
	b := newTab(t, w.base)
	b.look(t, "light", 1180, 820)
	b.visit(t, "/")
	b.do(t, chromedp.SendKeys("#box", "gopher://gopher.example/7/find%09old%20maps"))
	b.await(t, "document.querySelector('#explained .hue-search code')?.textContent === 'old%20maps'")
	b.do(t, chromedp.SendKeys("#box", "~"))
	b.await(t, "document.querySelector('#explained .findings')?.textContent.includes('%7E')")
	b.fits(t)
	b.accessible(t)

	ground := "getComputedStyle(document.body).backgroundColor"
	light := eval[string](t, b, ground)
	b.look(t, "dark", 1180, 820)
	dark := eval[string](t, b, ground)
	if light == dark {
		t.Errorf("light and dark are both %s", dark)
	}
	b.do(t, chromedp.Click(".theme"))
	if got := eval[string](t, b, ground); got != light {
		t.Errorf("the button leaves %s", got)
	}
	b.visit(t, b.schemes(t))
	if got := eval[string](t, b, ground); got != light {
		t.Errorf("the next page has %s", got)
	}
	b.quiet(t)
}

// The keyboard walks through a list, and "/" goes to the box.
func TestKeys(t *testing.T) {
	w := newWorld(t)
	b := newTab(t, w.base)
	b.open(t, "gopher://"+w.gopher+"/")
	b.do(t, chromedp.KeyEvent("jj"))
	b.await(t, "document.activeElement.textContent === 'A room'")
	b.do(t, chromedp.KeyEvent("k"))
	b.await(t, "document.activeElement.textContent.includes('<script>')")
	b.do(t, chromedp.KeyEvent("3"))
	b.await(t, "document.activeElement.textContent === 'Find something'")
	b.do(t, chromedp.KeyEvent("/"))
	b.await(t, "document.activeElement.id === 'box'")
	b.quiet(t)
}

var pictures = flag.String("pictures", "", "write pictures of the main pages to this `folder`")

// exhibit is a stop of the tour that there is a picture of.
type exhibit struct {
	name, scheme string
	stop         func(u string) bool
	want         string // what is there when it can be taken
	views        []view
}

var (
	broad = view{"", "light", 960, 640}
	night = view{"-dark", "dark", 960, 640}
	hand  = view{"-phone", "light", 390, 720}
)

var exhibits = []exhibit{
	{"gopher", "gopher", func(u string) bool { return strings.HasSuffix(u, "/") }, "document.querySelector('.menu .item a') !== null", []view{broad, hand}},
	{"form", "gopher", func(u string) bool { return strings.HasSuffix(u, "%09%09?") }, "document.querySelector('.ask textarea') !== null", []view{broad}},
	{"ftp", "ftp", func(u string) bool { return strings.HasSuffix(u, "/") }, "document.querySelector('.listing td') !== null", []view{hand}},
	{"article", "news", func(u string) bool { return strings.Contains(u, "@") }, "document.querySelector('.letter .body') !== null", []view{broad}},
	{"group", "nntp", func(u string) bool { return strings.Count(u, "/") == 3 }, "document.querySelector('.articles li') !== null", []view{broad}},
	{"wais", "wais", func(u string) bool { return strings.Contains(u, "?") }, "document.querySelector('meter') !== null", []view{night}},
	{"prospero", "prospero", func(string) bool { return true }, "document.querySelector('main a') !== null", []view{hand}},
	{"telnet", "telnet", func(string) bool { return true }, "(document.querySelector('.xterm-rows')?.textContent.trim() || '') !== ''", []view{broad}},
}

// Pictures of the tour, for the README; without the flag they are taken and thrown
// away, so that they can be taken when somebody wants them.
func TestPictures(t *testing.T) {
	folder := *pictures
	if folder == "" {
		folder = t.TempDir()
	}
	w := newWorld(t)
	b := newTab(t, w.base)
	take := func(name string, v view) {
		t.Helper()
		b.look(t, v.colours, v.width, v.height)
		b.await(t, "document.fonts.status === 'loaded' && [...document.images].every((i) => i.complete)")
		if err := os.WriteFile(filepath.Join(folder, name+v.name+".png"), get(t, b, chromedp.CaptureScreenshot()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b.look(t, broad.colours, broad.width, broad.height)
	b.visit(t, "/")
	b.do(t, chromedp.SendKeys("#box", "gopher://gopher.example/7/find%09old%20maps"))
	b.await(t, "document.querySelector('#explained .hue-search') !== null")
	take("home", broad)
	take("home", night)
	for _, e := range exhibits {
		found := false
		for _, stop := range w.museum.Stops() {
			if found = stop.Scheme == e.scheme && e.stop(stop.URL.String()); found {
				for _, v := range e.views {
					b.look(t, v.colours, v.width, v.height)
					b.open(t, stop.URL.String())
					b.await(t, e.want)
					take(e.name, v)
				}
				break
			}
		}
		if !found {
			t.Errorf("no stop for %s", e.name)
		}
	}
	b.quiet(t)
}
