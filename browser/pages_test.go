package browser

import (
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// view is a color scheme and a window size.
type view struct {
	name, colours string
	width, height int64
}

var views = []view{{"light", "light", 1280, 900}, {"dark", "dark", 1280, 900}, {"phone", "light", 390, 844}, {"phone-dark", "dark", 390, 844}}

// sample is a page with its expected content.
type sample struct {
	name, url string
	want      string // JavaScript expression that is true on the page
}

func (w *fixture) samples() []sample {
	has := func(selector, text string) string {
		return fmt.Sprintf("[...document.querySelectorAll(%q)].some((e) => e.textContent.includes(%q))", selector, text)
	}
	return []sample{
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
		{"nothing", "gopher://" + w.gopher + "/7/Find%20something%09zebra", has(".notice", "No results for “zebra”") + " && document.querySelector('.ask input[type=search]').value === 'zebra'"},
		{"fix", "www.example.com", "document.querySelector('.fix a').textContent === 'http://www.example.com' && document.getElementById('box').value === 'www.example.com' && document.title.startsWith('Not a URL')"},
		{"refusal", "http://h/%zz", "document.querySelector('.refused mark').textContent === '%'"},
		{"within", "cid:a@example.net", "document.querySelector('.failure input[name=in]') !== null"},
		{"letter", "mailto:keeper@example.net?subject=Hello", "document.getElementById('letter-subject').value === 'Hello'"},
	}
}

// In each view, each kind of page shows its content, runs no script of a server, causes no errors,
// sends no request to another host, and passes axe-core.
func TestPages(t *testing.T) {
	w := newFixture(t)
	b := newTab(t, w.base)
	for _, p := range w.samples() {
		t.Run(p.name, func(t *testing.T) {
			for _, v := range views {
				b.setView(t, v.colours, v.width, v.height)
				b.open(t, p.url)
				b.await(t, p.want)
				if title := get(t, b, chromedp.Title()); title == "taken" {
					t.Errorf("a server's script ran: %s", title)
				}
				b.checkWidth(t)
				b.checkAccessible(t)
				switch p.name {
				case "failure", "fix", "refusal", "within":
					b.ignoreFault("the server responded with a status of")
				case "document":
					b.ignoreFault("404 (Not Found)") // the picture is missing on purpose
				}
				b.checkClean(t)
			}
		})
	}
	for _, path := range []string{"/", b.schemes(t), lensPath, lensPath + "?url=" + url.QueryEscape(`http://u:pw@evil.example\@<b>.example/0x7f.1?`+strings.Repeat("long", 200)), lensPath + "?url=x"} {
		for _, v := range views {
			b.setView(t, v.colours, v.width, v.height)
			b.visit(t, path)
			b.checkAccessible(t)
			b.checkWidth(t)
			b.checkClean(t)
		}
	}
}

// schemes returns the path of the page that lists the schemes. Every page links to this page.
func (b *tab) schemes(t testing.TB) string {
	t.Helper()
	return eval[string](t, b, "document.querySelector('.bar-links a').getAttribute('href')")
}

// Every stop of the tour has a page.
func TestTour(t *testing.T) {
	w := newFixture(t)
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
		b.checkWidth(t)
		b.checkAccessible(t)
		b.checkClean(t)
	}
}

// leftOut reports whether this gateway can't show a stop of the tour. Such stops are message
// parts, and servers with a certificate that only the client of the tour trusts.
func leftOut(link string) bool {
	for _, scheme := range []string{"cid", "https", "ftps", "gophers", "nntps"} {
		if strings.HasPrefix(link, "/"+scheme+"/") || strings.HasPrefix(link, "/"+scheme+":") {
			return true
		}
	}
	// Chrome reports the status 404 of the missing resource as an error.
	return strings.HasSuffix(link, ";key=other")
}

// Every answer to a Gopher+ form reaches the server.
func TestForm(t *testing.T) {
	w := newFixture(t)
	b := newTab(t, w.base)
	b.open(t, "gopher://"+w.gopher+"/")
	b.run(t, chromedp.Click(".menu .kind-form + .title a"))
	b.await(t, "document.querySelector('.ask textarea') !== null")
	eval[string](t, b, "document.querySelector('.ask input[type=text]').value = ''")
	b.run(t,
		chromedp.SendKeys(".ask input[type=text]", "Grace & <b>"),
		chromedp.SendKeys(".ask textarea", "Lists.\nAll of them."),
		chromedp.Click(".ask input[type=radio][value=choice-1]"),
		chromedp.Click(".ask input[type=checkbox]"),
		chromedp.Click(".ask button[type=submit]"),
	)
	b.await(t, "document.querySelector('pre.text') !== null && document.readyState === 'complete'")
	got := b.text(t, "pre.text")
	for _, want := range []string{"[Grace & <b>]", "[Lists.]", "[All of them.]", "[files]", "[0]"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in the answer %q", want, got)
		}
	}
	b.checkClean(t)
}

// Pages link to the other languages of a Gopher+ text, and to the other types of a WAIS
// document.
func TestViews(t *testing.T) {
	w := newFixture(t)
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
	b.checkAccessible(t)
	b.checkWidth(t)
	click(".views a", "En_US")
	shows(".views .current", "En_US")
	shows("pre.text", "Welcome to the gopher room")

	b.open(t, stop("wais", "?database+server"))
	eval[bool](t, b, "[...document.querySelectorAll('.results a')].find((e) => e.getAttribute('href').includes('types=TEXT%2CHTML')).click() || true")
	shows(".views .current", "TEXT")
	click(".views a", "HTML")
	shows(".views .current", "HTML")
	b.await(t, "document.querySelector('.foreign') !== null")
	b.checkClean(t)
}

// WAIS search results link to documents.
func TestSearch(t *testing.T) {
	w := newFixture(t)
	b := newTab(t, w.base)
	b.open(t, "wais://"+w.wais+"/museum")
	b.run(t, chromedp.SendKeys(".ask input[type=search]", "first protocols"+kb.Enter))
	// The best result is first.
	b.await(t, "document.querySelector('.results li a')?.textContent === 'The first protocols'")
	b.run(t, chromedp.Click(".results li a"))
	b.await(t, "document.querySelector('pre.text') !== null")
	if text := b.text(t, "pre.text"); !strings.Contains(text, "of the first network") {
		t.Errorf("the document is %q", text)
	}
	b.checkClean(t)
}

// A telnet session works in the page: the login button, a typed command, a telnet command,
// and the end.
func TestTerminal(t *testing.T) {
	w := newFixture(t)
	b := newTab(t, w.base)
	ctx, cancel := context.WithTimeout(b.ctx, testTimeout)
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
	b.run(t, chromedp.Click(".session .advice button"))
	b.run(t, chromedp.KeyEvent(kb.Enter))
	heard("typed guest")
	shows("assword:")
	b.run(t, chromedp.KeyEvent("sesame"+kb.Enter))
	b.run(t, chromedp.KeyEvent("help"+kb.Enter))
	heard("typed help")
	b.checkAccessible(t)
	b.checkWidth(t)
	// The keyboard reaches the button that ends the session.
	b.run(t, chromedp.Click(".session .connect"))
	b.await(t, "document.querySelector('.session').dataset.state === 'ended'")
	b.checkClean(t)
}

// A tn3270 session has buttons for the keys of its keyboard.
func TestScreen(t *testing.T) {
	w := newFixture(t)
	b := newTab(t, w.base)
	b.open(t, "tn3270://"+w.tn3270+"/")
	b.await(t, "document.querySelectorAll('.session .commands button').length > 0")
	b.await(t, "document.querySelector('.xterm-rows').textContent.trim() !== ''")
	labels := eval[string](t, b, "[...document.querySelectorAll('.session > .keys button')].map((k) => k.textContent).join(' ')")
	if want := "Enter Clear Tab Reset PF1 PF2 PF3 PF4 PF5 PF6 PF7 PF8 PF9 PF10 PF11 PF12"; labels != want {
		t.Errorf("keys %s, want %s", labels, want)
	}
	if more := b.text(t, ".more-keys .keys"); !strings.Contains(more, "PA1") || !strings.Contains(more, "PF24") {
		t.Errorf("more keys: %s", more)
	}
	for _, v := range views {
		b.setView(t, v.colours, v.width, v.height)
		b.checkAccessible(t)
		b.checkWidth(t)
	}
	b.setView(t, "light", 390, 820)
	b.open(t, "tn3270://"+w.tn3270+"/")
	b.checkLetters(t)
	// PF3 ends the session, also with the keyboard.
	b.run(t, chromedp.Focus(".session > .keys button:nth-child(7)"), chromedp.KeyEvent(" "))
	b.await(t, "document.querySelector('.session').dataset.state === 'ended'")
	b.checkClean(t)
}

// checkLetters fails the test if the terminal font is smaller than 11 pixels, or if the user can't
// scroll to columns outside the screen.
func (b *tab) checkLetters(t testing.TB) {
	t.Helper()
	b.await(t, "document.querySelector('.xterm-rows').textContent.trim() !== ''")
	if size := eval[float64](t, b, "parseFloat(getComputedStyle(document.querySelector('.xterm-rows')).fontSize)"); size < 11 {
		t.Errorf("the letters have %v pixels", size)
	}
	if !eval[bool](t, b, `(() => {
		const screen = document.querySelector(".screen"), drawn = document.querySelector(".xterm-screen");
		screen.scrollLeft = screen.scrollWidth;
		return drawn.getBoundingClientRect().right <= screen.getBoundingClientRect().right;
	})()`) {
		t.Error("the last column can't be scrolled to")
	}
	b.checkWidth(t)
	b.checkAccessible(t)
}

// The terminal's font is readable on a phone.
func TestTerminalLetters(t *testing.T) {
	w := newFixture(t)
	b := newTab(t, w.base)
	b.setView(t, "light", 390, 820)
	b.open(t, "telnet://"+w.telnet+"/")
	b.checkLetters(t)
	b.checkClean(t)
}

// A key button types its key, and commands have readable labels.
func TestTerminalKeys(t *testing.T) {
	w := newFixture(t)
	s := newLine(t)
	b := newTab(t, w.base)
	b.setView(t, "light", 390, 844)
	b.open(t, "telnet://"+s.l.Addr().String()+"/")
	s.accept()
	s.say("\xff\xfb\x01ready")
	s.expect("\xff\xfd\x01")
	b.row(t, "ready")
	press := func(label string) {
		t.Helper()
		eval[bool](t, b, fmt.Sprintf("[...document.querySelectorAll('.session .keys button')].find((k) => k.textContent === %q).click() === undefined", label))
	}
	press("↑")
	s.expect("\x1b[A")
	press("Ctrl+C")
	s.expect("\x03")
	press("Enter")
	s.expect("\r\n")
	press("Are you there?")
	s.expect("\xff\xf6")
	b.checkAccessible(t)
	b.checkWidth(t)
	b.checkClean(t)
}

// A user can sort a directory and open its parent with the keyboard only, and without
// scripts.
func TestDirectory(t *testing.T) {
	w := newFixture(t)
	for _, scripts := range []bool{true, false} {
		b := newTab(t, w.base)
		if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !scripts}); err != nil {
			t.Fatal(err)
		}
		b.open(t, "ftp://"+w.ftp+"/pub/")
		names := "[...document.querySelectorAll('.listing tbody .title')].map((e) => e.textContent).join(' ')"
		focus := func(want string) {
			t.Helper()
			for range 40 {
				b.run(t, chromedp.KeyEvent(kb.Tab))
				if eval[string](t, b, "document.activeElement.textContent") == want {
					return
				}
			}
			t.Fatalf("the keyboard does not reach %q", want)
		}
		focus("Size")
		b.run(t, chromedp.KeyEvent(kb.Enter))
		b.await(t, "document.querySelector('th[aria-sort=ascending]')?.textContent === 'Size'")
		if got := eval[string](t, b, names); !strings.HasPrefix(got, "Parent directory ") || !strings.HasSuffix(got, " README evil.html picture.png large.zip") {
			t.Errorf("by size: %s", got)
		}
		focus("Size")
		b.run(t, chromedp.KeyEvent(kb.Enter))
		b.await(t, "document.querySelector('th[aria-sort=descending]')?.textContent === 'Size'")
		focus("Parent directory")
		b.run(t, chromedp.KeyEvent(kb.Enter))
		b.await(t, "document.querySelector('.listing .title')?.textContent === 'pub'")
		b.checkClean(t)
	}
}

// If another server serves the gateway below a path prefix, styles, scripts, forms and terminals
// work.
func TestPrefix(t *testing.T) {
	w := newFixture(t)
	b := newTab(t, w.below(t))
	at := func(u string) { b.visit(t, "/old/?url="+url.QueryEscape(u)) }
	b.visit(t, "/old/")
	b.run(t, chromedp.SendKeys("#box", "gopher://gopher.example/7/find%09old%20maps"))
	b.await(t, "document.querySelector('#explained .hue-search') !== null && getComputedStyle(document.querySelector('.cards')).display === 'grid'")
	at("gopher://" + w.gopher + "/7/Find%20something")
	b.run(t, chromedp.SendKeys(".ask input[type=search]", "old maps"+kb.Enter))
	b.await(t, "document.querySelector('.menu .item a')?.textContent === 'Found old maps' && location.pathname.startsWith('/old/gopher/')")
	at("gopher://" + w.gopher + "/I/picture.png")
	b.await(t, "document.querySelector('.picture img')?.naturalWidth === 320")
	at("telnet://" + w.telnet + "/")
	b.await(t, "document.querySelector('.xterm-rows')?.textContent.includes('The card catalogue')")
	b.run(t, chromedp.Click(".session .connect"))
	b.await(t, "document.querySelector('.session').dataset.state === 'ended'")
	b.checkAccessible(t)
	b.checkClean(t)
}

// With the keyboard only, a user can skip the bar, open a URL without a scheme, and follow
// the suggestion.
func TestKeyboard(t *testing.T) {
	w := newFixture(t)
	b := newTab(t, w.base)
	for _, v := range views {
		b.setView(t, v.colours, v.width, v.height)
		b.open(t, "gopher://"+w.gopher+"/")
		b.run(t, chromedp.KeyEvent(kb.Tab))
		b.await(t, "document.activeElement.className === 'skip'")
		b.run(t, chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Tab))
		b.await(t, "document.activeElement.closest('main') !== null")
		b.visit(t, "/")
		b.await(t, "document.activeElement.id === 'box'")
		b.run(t, chromedp.KeyEvent("ftp.example.com/a b"+kb.Enter))
		b.await(t, "document.querySelector('.fix a')?.textContent === 'ftp://ftp.example.com/a%20b'")
		for range 20 {
			b.run(t, chromedp.KeyEvent(kb.Tab))
			if eval[bool](t, b, "document.activeElement.matches('.fix a')") {
				break
			}
		}
		if outline := eval[string](t, b, "getComputedStyle(document.activeElement).outlineStyle"); outline == "none" {
			t.Error("the focus does not show")
		}
		b.await(t, "document.activeElement.matches('.fix a')")
		b.ignoreFault("the server responded with a status of")
		b.checkClean(t)
	}
}

// Without JavaScript, a search is an ordinary form, and the page of a session says that it
// requires JavaScript.
func TestWithoutScripts(t *testing.T) {
	w := newFixture(t)
	b := newTab(t, w.base)
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.open(t, "gopher://"+w.gopher+"/7/Find%20something")
	b.run(t, chromedp.SendKeys(".ask input[type=search]", "old maps"+kb.Enter))
	b.await(t, "document.querySelector('.menu .item a')?.textContent === 'Found old maps'")
	b.open(t, "telnet://"+w.telnet+"/")
	b.await(t, "document.querySelector('.session .notice')?.textContent.includes('require JavaScript')")
	if eval[bool](t, b, "[...document.querySelectorAll('.theme, .session-bar')].some((e) => !e.hidden)") {
		t.Error("there are buttons that do nothing")
	}
	b.checkClean(t)
}

// The page explains a URL while the user types it. The colors follow the system until the
// user selects others with the button.
func TestHomePage(t *testing.T) {
	w := newFixture(t)
	b := newTab(t, w.base)
	b.setView(t, "light", 1180, 820)
	b.visit(t, "/")
	b.run(t, chromedp.SendKeys("#box", "gopher://gopher.example/7/find%09old%20maps"))
	b.await(t, "document.querySelector('#explained .hue-search code')?.textContent === 'old%20maps'")
	b.run(t, chromedp.SendKeys("#box", "~"))
	b.await(t, "document.querySelector('#explained .findings')?.textContent.includes('%7E')")
	b.checkWidth(t)
	b.checkAccessible(t)

	ground := "getComputedStyle(document.body).backgroundColor"
	light := eval[string](t, b, ground)
	b.setView(t, "dark", 1180, 820)
	dark := eval[string](t, b, ground)
	if light == dark {
		t.Errorf("light and dark are both %s", dark)
	}
	b.run(t, chromedp.Click(".theme"))
	if got := eval[string](t, b, ground); got != light {
		t.Errorf("after the button the colours are %s", got)
	}
	b.visit(t, b.schemes(t))
	if got := eval[string](t, b, ground); got != light {
		t.Errorf("the next page has %s", got)
	}
	b.checkClean(t)
}

const lensPath = "/-/lens"

// The lens page shows how all parsers read a typed URL. Its link opens the same page, and
// the page sends no request to other hosts.
func TestLens(t *testing.T) {
	w := newFixture(t)
	b := newTab(t, w.base)
	for _, width := range []int64{1280, 390} {
		b.setView(t, "light", width, 820)
		b.visit(t, "/")
		b.run(t, chromedp.Click(".bar-links a[href='"+lensPath+"']"))
		b.await(t, "document.querySelector('#lens-url') !== null")
		b.checkAccessible(t)
		b.run(t, chromedp.Click("ul.begin a"))
		b.await(t, "document.querySelector('.notice.bad')?.textContent.includes('127.0.0.1 port 80')")
		b.visit(t, lensPath)
		b.run(t, chromedp.SendKeys("#lens-url", "http://0x7f.1/\n"))
		b.await(t, "document.querySelector('.notice.bad')?.textContent.includes('127.0.0.1 port 80')")
		b.checkAccessible(t)
		b.checkWidth(t)
		table := "document.querySelector('.lens table').textContent"
		before := eval[string](t, b, table)
		if !strings.Contains(before, "whatwg") || !strings.Contains(before, "net/url") {
			t.Errorf("the readers are %q", before)
		}
		b.visit(t, eval[string](t, b, "document.querySelector('.share').getAttribute('href')"))
		if after := eval[string](t, b, table); after != before {
			t.Errorf("the shared page has\n%s\nnot\n%s", after, before)
		}
		b.checkClean(t)
	}
}

// Keys select the items of a list, and "/" focuses the URL box.
func TestKeys(t *testing.T) {
	w := newFixture(t)
	b := newTab(t, w.base)
	b.open(t, "gopher://"+w.gopher+"/")
	b.run(t, chromedp.KeyEvent("jj"))
	b.await(t, "document.activeElement.textContent === 'A room'")
	b.run(t, chromedp.KeyEvent("k"))
	b.await(t, "document.activeElement.textContent.includes('<script>')")
	b.run(t, chromedp.KeyEvent("3"))
	b.await(t, "document.activeElement.textContent === 'Find something'")
	b.run(t, chromedp.KeyEvent("/"))
	b.await(t, "document.activeElement.id === 'box'")
	b.checkClean(t)
}

var pictures = flag.String("pictures", "", "write pictures of the main pages to this `folder`")

// exhibit is a stop of the tour that a picture in the README shows.
type exhibit struct {
	name, scheme string
	stop         func(u string) bool
	want         string // JavaScript expression that is true when the page is ready
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
	{"tn3270", "tn3270", func(string) bool { return true }, "(document.querySelector('.xterm-rows')?.textContent.trim() || '') !== '' && document.querySelector('.keys button') !== null", []view{hand}},
}

// TestPictures takes the pictures for the README. Without the flag -pictures, it only tests that
// it can take them.
func TestPictures(t *testing.T) {
	folder := *pictures
	if folder == "" {
		folder = t.TempDir()
	}
	w := newFixture(t)
	b := newTab(t, w.base)
	take := func(name string, v view) {
		t.Helper()
		b.setView(t, v.colours, v.width, v.height)
		b.await(t, "document.fonts.status === 'loaded' && [...document.images].every((i) => i.complete)")
		if err := os.WriteFile(filepath.Join(folder, name+v.name+".png"), get(t, b, chromedp.CaptureScreenshot()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b.setView(t, broad.colours, broad.width, broad.height)
	b.visit(t, "/")
	b.run(t, chromedp.SendKeys("#box", "gopher://gopher.example/7/find%09old%20maps"))
	b.await(t, "document.querySelector('#explained .hue-search') !== null")
	take("home", broad)
	take("home", night)
	for _, e := range exhibits {
		found := false
		for _, stop := range w.museum.Stops() {
			if found = stop.Scheme == e.scheme && e.stop(stop.URL.String()); found {
				for _, v := range e.views {
					b.setView(t, v.colours, v.width, v.height)
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
	b.checkClean(t)
}
