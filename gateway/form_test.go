package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/gateway"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
	"github.com/locus-url/locus/submit"
)

// send submits a form as a browser does.
func (w *fixture) send(path string, values url.Values) answer {
	w.t.Helper()
	return w.exchange("POST", path, values.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html", "Origin", w.base, "Sec-Fetch-Site", "same-origin")
}

func forms(t *testing.T) *gophertest.Server {
	t.Helper()
	g, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{
		{Name: "Find", Selector: "/find", Search: func(words string) []gophertest.Item {
			if words == "nothing" {
				return nil
			}
			return []gophertest.Item{{Name: "Found " + words, Selector: "/found", Data: "x"}}
		}},
		{Name: "Book", Selector: "/book", Ask: []string{"Ask: Name", "Select: Again:1"}, Reply: gophertest.Echo},
		{Name: "Door", Selector: "/door", Ask: []string{"Ask: Name", "AskP: Password"}, Reply: gophertest.Echo},
		{Name: "Letterbox", Selector: "/file", Ask: []string{"AskF: File", "ChooseF: Upload"}, Reply: gophertest.Echo},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

// atForms is a gateway that allows form submissions to the port of g.
func atForms(t *testing.T, g *gophertest.Server) *fixture {
	s := loopbackSetup
	s.rules.Ports = []uint16{netip.MustParseAddrPort(g.Addr()).Port()}
	return start(t, s)
}

// A proxy client can submit a form without a cookie, because a cookie of the server's page
// would not be sent to the gateway.
func TestSubmitProxied(t *testing.T) {
	g := forms(t)
	w := atForms(t, g)
	find := "gopher://" + g.Addr() + "/7/find"
	page := w.proxied("GET", find, browser...)
	if page.Header.Get("Set-Cookie") != "" || !strings.Contains(page.body, `action="`+w.base+`/-/submit"`) {
		t.Fatalf("%s %v %s", page.Status, page.Header, page.body)
	}
	values := url.Values{"url": {field(t, page.body, "url")}, "token": {field(t, page.body, "token")}, "f0": {"old maps"}}
	send := func(v url.Values, fields ...string) int {
		t.Helper()
		return w.exchange("POST", "/-/submit", v.Encode(), append(fields, "Content-Type", "application/x-www-form-urlencoded")...).StatusCode
	}
	if got := send(values); got != 303 {
		t.Errorf("%d", got)
	}
	for name, fields := range map[string][]string{"site": {"Sec-Fetch-Site", "cross-site"}, "origin": {"Origin", "gopher://" + g.Addr()}} {
		if got := send(values, fields...); got != 403 {
			t.Errorf("from another %s: %d", name, got)
		}
	}
	// The token is valid only for this purpose and this gateway.
	if got := start(t, loopbackSetup).exchange("POST", "/-/submit", values.Encode(), "Content-Type", "application/x-www-form-urlencoded"); got.StatusCode != 403 {
		t.Errorf("another gateway: %s", got.Status)
	}
	letter := url.Values{"url": values["url"], "token": values["token"]}
	if a := w.exchange("POST", "/-/send", letter.Encode(), "Content-Type", "application/x-www-form-urlencoded"); a.StatusCode != 403 {
		t.Errorf("a letter: %s", a.Status)
	}
}

// Submitting a search or a form redirects to the resulting URL.
func TestSubmit(t *testing.T) {
	g := forms(t)
	w := atForms(t, g)
	search := w.get("/gopher/" + g.Addr() + "/7/find")
	a := w.send("/-/submit", url.Values{"url": {field(t, search.body, "url")}, "token": {field(t, search.body, "token")}, "f0": {"old maps"}})
	if a.StatusCode != 303 || !strings.Contains(a.Header.Get("Location"), "/gopher/"+g.Addr()+"/7/find%09old%20maps") {
		t.Fatalf("%s %v %s", a.Status, a.Header, a.body)
	}
	found := w.get(a.Header.Get("Location"))
	if !strings.Contains(found.body, "Found old maps") {
		t.Errorf("%s", found.body)
	}
	// Results repeat the search form, for another search of the same index.
	if !strings.Contains(found.body, `name="f0" type="search" value="old maps"`) || field(t, found.body, "url") != field(t, search.body, "url") {
		t.Errorf("no box with the words: %s", found.body)
	}
	// Pages for a search without results, or without words, also repeat the search form.
	nothing := w.get("/gopher/" + g.Addr() + "/7/find%09nothing")
	if !strings.Contains(nothing.body, `name="f0" type="search" value="nothing"`) || !strings.Contains(nothing.body, "No results for “nothing”.") {
		t.Errorf("%s", nothing.body)
	}
	empty := w.send("/-/submit", url.Values{"url": {field(t, search.body, "url")}, "token": {field(t, search.body, "token")}, "f0": {" "}})
	if empty.StatusCode != 422 || !strings.Contains(empty.body, "enter at least one word") || field(t, empty.body, "url") != field(t, search.body, "url") {
		t.Errorf("%s %s", empty.Status, empty.body)
	}

	form := w.get("/gopher/" + g.Addr() + "/0/book%09%09?")
	token := field(t, form.body, "token")
	values := url.Values{"url": {field(t, form.body, "url")}, "token": {token}, "f0": {"Ada <b>"}, "f1": {"1"}}
	a = w.send("/-/submit", values)
	if a.StatusCode != 303 {
		t.Fatalf("%s %s", a.Status, a.body)
	}
	if got := w.get(a.Header.Get("Location")); got.StatusCode != 200 || !strings.Contains(got.body, "Ada &lt;b&gt;") {
		t.Errorf("%s %s", got.Status, got.body)
	}
	// After an invalid answer, the page shows the form again.
	values["f0"] = []string{"two\nlines"}
	if a := w.send("/-/submit", values); a.StatusCode != 422 || !strings.Contains(a.body, "two") {
		t.Errorf("%s %s", a.Status, a.body)
	}

	for name, change := range map[string]func(url.Values){
		"no token":      func(v url.Values) { v.Del("token") },
		"another token": func(v url.Values) { v.Set("token", strings.Repeat("0", len(token))) },
	} {
		v := url.Values{"url": values["url"], "token": {token}, "f0": {"x"}}
		change(v)
		if a := w.send("/-/submit", v); a.StatusCode != 403 {
			t.Errorf("%s: %s", name, a.Status)
		}
	}
	// A token is valid only in its browser.
	other := start(t, loopbackSetup)
	other.get("/")
	if a := other.send("/-/submit", url.Values{"url": values["url"], "token": {token}, "f0": {"x"}}); a.StatusCode != 403 {
		t.Errorf("a token of another gateway: %s", a.Status)
	}
	w.http.Jar = nil
	if a := w.send("/-/submit", url.Values{"url": values["url"], "token": {token}, "f0": {"x"}}); a.StatusCode != 403 {
		t.Errorf("without the cookie: %s", a.Status)
	}
}

// Secret answers do not appear in URLs, pages or logs.
func TestSubmitSecret(t *testing.T) {
	g := forms(t)
	w := atForms(t, g)
	form := w.get("/gopher/" + g.Addr() + "/0/door%09%09?")
	a := w.send("/-/submit", url.Values{"url": {field(t, form.body, "url")}, "token": {field(t, form.body, "token")}, "f0": {"Ada"}, "f1": {"hunter2"}})
	// The test server echoes all answers. Only the user may see them.
	if a.StatusCode != 200 || a.Header.Get("Location") != "" || strings.Count(a.body, "hunter2") != 1 {
		t.Errorf("%s %v %s", a.Status, a.Header, a.body)
	}
	if strings.Contains(w.log.String(), "hunter2") {
		t.Errorf("%s", w.log.String())
	}
}

// A URL with a secret answer does not appear in links, redirects or file names of its page.
func TestSubmitSecretURL(t *testing.T) {
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/in/hunter2?hunter2", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<p>Welcome <a href="/out">out</a>`)
	}))
	defer far.Close()
	answer := func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		return &scheme.Object{URL: req.URL, Type: "text/plain", Name: "answer.txt", Size: -1, Body: io.NopCloser(strings.NewReader("Welcome"))}, nil
	}
	pages := opened{
		"object/hunter2": answer, "in/hunter2": answer, "menu/hunter2": menuOf("Welcome", nil, nil, nil),
		"moved/hunter2": func(context.Context, *scheme.Request) (scheme.Resource, error) {
			return &scheme.Redirect{To: []locus.URL{parse("x-page://h/in/hunter2")}}, nil
		},
	}
	answers := map[string]string{"object": "x-page://h/object/", "moved": "x-page://h/moved/", "menu": "x-page://h/menu/", "http": far.URL + "/?"}
	for name, at := range answers {
		form := &scheme.Form{URL: parse("x-page://h/" + name), Fields: []scheme.FormField{{Kind: scheme.FieldHidden, Prompt: "Password"}}, Submit: func(list []string) (locus.URL, error) {
			return locus.Parse(at + list[0])
		}}
		pages[name] = menuOf("", form, nil, nil)
	}
	for _, w := range []*fixture{startWith(t, pages), startStored(t, pages)} {
		for name := range answers {
			form := w.get("/x-page/h/" + name)
			a := w.send("/-/submit", url.Values{"url": {field(t, form.body, "url")}, "token": {field(t, form.body, "token")}, "f0": {"hunter2"}})
			before, talk, _ := strings.Cut(a.body, `aria-label="Requests and responses"`) // the user may see the exchange
			_, after, _ := strings.Cut(talk, "</ol>")
			if shown := fmt.Sprint(a.Header, before, after, w.log.String()); a.StatusCode != 200 || !strings.Contains(a.body, "Welcome") || strings.Contains(shown, "hunter2") {
				t.Errorf("%s: %s %s", name, a.Status, shown)
			}
			if (name == "object" || name == "moved") && !strings.Contains(a.body, `download="answer.txt"`) {
				t.Errorf("%s: the name is not the server's: %s", name, a.body)
			}
		}
	}
}

// A form can contain a file, up to a size limit.
func TestSubmitFile(t *testing.T) {
	g := forms(t)
	w := atForms(t, g)
	form := w.get("/gopher/" + g.Addr() + "/0/file%09%09?")
	if !strings.Contains(form.body, `enctype="multipart/form-data"`) {
		t.Fatal("the form has no file")
	}
	post := func(size int) answer {
		var b bytes.Buffer
		m := multipart.NewWriter(&b)
		m.WriteField("url", field(t, form.body, "url"))
		m.WriteField("token", field(t, form.body, "token"))
		part, err := m.CreateFormFile("f1", "a.txt")
		if err != nil {
			t.Fatal(err)
		}
		part.Write(bytes.Repeat([]byte("x"), size))
		m.Close()
		return w.exchange("POST", "/-/submit", b.String(), "Content-Type", m.FormDataContentType())
	}
	if a := post(100); a.StatusCode >= 400 && a.StatusCode != 422 {
		t.Errorf("%s %s", a.Status, a.body)
	}
	if a := post(1 << 20); a.StatusCode != 400 {
		t.Errorf("%s", a.Status)
	}
}

// mailSink records sent messages.
type mailSink struct {
	mu   sync.Mutex
	sent []string
	fail error
}

func (l *mailSink) send(_ context.Context, m *submit.Message) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var b strings.Builder
	m.WriteTo(&b)
	l.sent = append(l.sent, b.String())
	return "250 taken", l.fail
}

// A message is written, previewed and then sent. Only previewed messages are sent, from one
// sender, up to a limit.
func TestComposeMessage(t *testing.T) {
	box := &mailSink{}
	s := loopbackSetup
	s.gateway.Mail = &gateway.Mail{From: submit.Mailbox{Address: "keeper@gw.example"}, Relay: "smtp://relay.example", Send: box.send, PerHour: 2}
	w := start(t, s)
	page := w.get("/mailto:joe@host.example?subject=Hi%20there&bcc=spy@evil.example&from=evil@evil.example")
	if page.StatusCode != 200 || !strings.Contains(page.body, "joe@host.example") || !strings.Contains(page.body, "Hi there") || strings.Contains(page.body, `value="spy@`) {
		t.Fatalf("%s %s", page.Status, page.body)
	}
	values := url.Values{
		"url": {field(t, page.body, "url")}, "token": {field(t, page.body, "token")}, "from": {"evil@evil.example"},
		"to": {"joe@host.example"}, "subject": {"Hi\r\nBcc: spy@evil.example"}, "body": {"Hello\r\n.\r\nRCPT TO:<x@y>\r\n"}, "step": {"send"},
	}
	// The gateway has not shown a preview of the message yet.
	if a := w.send("/-/send", values); a.StatusCode != 200 || len(box.sent) != 0 || !strings.Contains(a.body, "keeper@gw.example") {
		t.Fatalf("%s %q %s", a.Status, box.sent, a.body)
	}
	a := w.send("/-/send", values)
	if a.StatusCode != 200 || len(box.sent) != 1 || !strings.Contains(a.body, "250 taken") {
		t.Fatalf("%s %q %s", a.Status, box.sent, a.body)
	}
	if m := box.sent[0]; !strings.Contains(m, "From: keeper@gw.example\r\n") || !strings.Contains(m, "To: joe@host.example\r\n") || strings.Contains(m, "\r\nBcc:") || strings.Contains(m, "evil@") {
		t.Errorf("%s", m)
	}
	// A previewed message is sent once. A changed message needs another preview.
	values.Set("step", "show")
	w.send("/-/send", values)
	values.Set("step", "send")
	values.Set("to", "other@host.example")
	if w.send("/-/send", values); len(box.sent) != 1 {
		t.Errorf("%q", box.sent)
	}
	if w.send("/-/send", values); len(box.sent) != 2 {
		t.Errorf("%q", box.sent)
	}
	w.send("/-/send", values)
	if a := w.send("/-/send", values); a.StatusCode != 429 || len(box.sent) != 2 {
		t.Errorf("one too many: %s %q", a.Status, box.sent)
	}
	var many []string
	for i := range 11 {
		many = append(many, fmt.Sprintf("p%d@host.example", i))
	}
	for name, set := range map[string][2]string{"many": {"to", strings.Join(many, ", ")}, "none": {"to", ""}, "no address": {"to", "x y"}, "too long": {"body", strings.Repeat("x", 70<<10)}} {
		v := url.Values{}
		for key, value := range values {
			v[key] = value
		}
		v.Set(set[0], set[1])
		if a := w.send("/-/send", v); a.StatusCode != 422 || len(box.sent) != 2 {
			t.Errorf("%s: %s", name, a.Status)
		}
	}
	values.Set("token", "x")
	if a := w.send("/-/send", values); a.StatusCode != 403 {
		t.Errorf("no token: %s", a.Status)
	}
}

// Without a relay, messages are not sent. If the relay fails, the page shows the error.
func TestMessageUnsent(t *testing.T) {
	w := start(t, loopbackSetup)
	page := w.get("/mailto:joe@host.example")
	values := url.Values{"url": {field(t, page.body, "url")}, "token": {field(t, page.body, "token")}, "to": {"joe@host.example"}, "step": {"send"}}
	if a := w.send("/-/send", values); a.StatusCode != http.StatusForbidden {
		t.Errorf("%s %s", a.Status, a.body)
	}
	box := &mailSink{fail: errors.New("the relay says <no>")}
	s := loopbackSetup
	s.gateway.Mail = &gateway.Mail{From: submit.Mailbox{Address: "keeper@gw.example"}, Send: box.send}
	w = start(t, s)
	page = w.get("/mailto:joe@host.example")
	values.Set("token", field(t, page.body, "token"))
	w.send("/-/send", values)
	if a := w.send("/-/send", values); a.StatusCode != 502 || !strings.Contains(a.body, "the relay says &lt;no&gt;") {
		t.Errorf("%s %s", a.Status, a.body)
	}
}
