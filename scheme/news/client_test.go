package news_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/certtest"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/news"
	"github.com/locus-url/locus/scheme/news/newstest"
	"github.com/locus-url/locus/scheme/schemetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// dialer connects to every address, and counts the connections.
type dialer struct {
	net.Dialer
	dialed atomic.Int32
	pieces bool // connections deliver one byte at a time
}

func (d *dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	d.dialed.Add(1)
	c, err := d.Dialer.DialContext(ctx, network, address)
	if d.pieces && err == nil {
		c = piecesConn{c}
	}
	return c, err
}

type piecesConn struct{ net.Conn }

func (c piecesConn) Read(p []byte) (int, error) { return c.Conn.Read(p[:1]) }

// fixture holds a server and a client for one test.
type fixture struct {
	*testing.T
	server *newstest.Server
	addr   string
	client *news.Client
	dial   *dialer
	req    scheme.Request // default fields of each request

	noSource bool // do not set Request.Source, which would repeat commands

	mu    sync.Mutex
	trace []string
}

func start(t *testing.T, groups newstest.Groups, so *newstest.Options, co *news.Options) *fixture {
	t.Helper()
	s, err := newstest.Start(groups, so)
	if err != nil {
		t.Fatal(err)
	}
	c := news.New(co)
	t.Cleanup(func() {
		c.Close()
		s.Close()
	})
	return &fixture{T: t, server: s, addr: s.Addr(), client: c, dial: new(dialer)}
}

func (w *fixture) request(text string) *scheme.Request {
	req := w.req
	req.URL = locus.MustParse(text)
	req.Dial, req.Source = w.dial, req.Items == scheme.ItemRange{} && !w.noSource
	req.Trace = func(sent bool, line string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.trace = append(w.trace, map[bool]string{true: "> ", false: "< "}[sent]+line)
	}
	return &req
}

func (w *fixture) open(path string) (scheme.Resource, error) {
	return w.client.Open(context.Background(), w.request("nntp://"+w.addr+path))
}

// readAll reads an object to its end.
func readAll(res scheme.Resource, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer res.Close()
	b, err := io.ReadAll(res.(*scheme.Object).Body)
	return string(b), err
}

func (w *fixture) wantArticle(path, want string) {
	w.Helper()
	if got, err := readAll(w.open(path)); got != want || err != nil {
		w.Errorf("%s: %.80q, %v; want %.80q", path, got, err, want)
	}
}

// readItems reads a menu to its end.
func readItems(res scheme.Resource, err error) (list []scheme.Item, _ error) {
	if err != nil {
		return nil, err
	}
	defer res.Close()
	m := res.(*scheme.Menu)
	for it, err := range m.Items {
		if err != nil {
			return list, err
		}
		list = append(list, it)
	}
	if m.Source == nil {
		return list, nil
	}
	var s scheme.Scheme
	for _, row := range news.Schemes(news.New(&news.Options{Server: locus.MustParse("nntp://127.0.0.1")})) {
		if row.Name == m.URL.Scheme() {
			s = row
		}
	}
	return list, schemetest.CheckArchived(s, m, list)
}

// titles joins the titles of the items.
func titles(list []scheme.Item) string {
	var b []string
	for _, it := range list {
		b = append(b, it.Title)
	}
	return strings.Join(b, "|")
}

func (w *fixture) wantTitles(path, want string) {
	w.Helper()
	list, err := readItems(w.open(path))
	if got := titles(list); got != want || err != nil {
		w.Errorf("%s: %q, %v; want %q", path, got, err, want)
	}
}

// received returns the commands that the server received over connection n.
func (w *fixture) received(n int) string {
	log := w.server.Log()
	if n >= len(log) {
		return ""
	}
	return strings.Join(slices.DeleteFunc(log[n], func(text string) bool { return text == "QUIT" }), "|")
}

func (w *fixture) wantSent(n int, want string) {
	w.Helper()
	if got := w.received(n); got != want {
		w.Errorf("connection %d: sent %q\nwant %q", n, got, want)
	}
}

// wantError checks that err wraps kind, and that its message contains the words.
func wantError(t *testing.T, err, kind error, words ...string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("%v; want %v", err, kind)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%v; lacks %q", err, word)
		}
	}
}

// article returns the text of an article with the given header fields and body.
func article(id, subject, body string) string {
	return "From: Alice <alice@local.test>\r\nSubject: " + subject + "\r\nDate: Fri, 20 Nov 2026 10:00:00 +0000\r\nMessage-ID: <" + id + ">\r\n\r\n" + body
}

// fewGroup is a newsgroup with five article numbers, one of which has no article.
var fewGroup = newstest.Group{Description: "A few articles", First: 7, Articles: []string{
	article("a@x", "First", "Hello.\r\n.dot\r\n..two\r\n.\r\nend\r\n"),
	article("b@x", "=?utf-8?q?caf=C3=A9?=", "x\r\n"),
	"",
	article("c@x", "Third\r\nReferences: <a@x>\r\n <b@x>", "x\r\n"),
	article("d@x", "Fourth", ""),
}}

var groups = newstest.Groups{"a.few": fewGroup, "a.void": {}, "b.private": {Articles: fewGroup.Articles, Status: "m"}}

// hello is the first command that the client sends to a server.
const hello = "CAPABILITIES|"

// Opening an nntp URL must return the article with the number in the URL (RFC 1738 section
// 3.7).
func TestArticle(t *testing.T) {
	w := start(t, groups, nil, nil)
	res, err := w.open("/a.few/7")
	if err != nil {
		t.Fatal(err)
	}
	o := res.(*scheme.Object)
	if o.Type != "message/rfc822" || o.Name != "a@x" || o.Size != -1 || !o.ModTime.Equal(time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)) || o.URL.String() != "nntp://"+w.addr+"/a.few/7" {
		t.Errorf("%+v", o)
	}
	if got, err := readAll(res, nil); got != fewGroup.Articles[0] || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	w.wantArticle("/a.few/0011", fewGroup.Articles[4])
	w.wantSent(0, hello+"GROUP a.few|ARTICLE 7|ARTICLE 11")
	for path, words := range map[string]string{"/a.few/9": "423", "/no.such/1": `411 no group no.such`, "/a.few/4711": "ARTICLE 4711"} {
		_, err := w.open(path)
		wantError(t, err, scheme.ErrNotFound, words)
	}
	if len(w.server.Log()) != 1 {
		t.Errorf("%d connections; one has served all before", len(w.server.Log()))
	}
}

func TestGroup(t *testing.T) {
	for _, c := range []struct {
		name string
		so   newstest.Options
		sent string
	}{
		{"OVER", newstest.Options{}, hello + "GROUP a.few|LIST OVERVIEW.FMT|OVER 7-11"},
		{"XOVER", newstest.Options{Unknown: []string{"OVER", "LIST OVERVIEW.FMT"}}, hello + "GROUP a.few|LIST OVERVIEW.FMT|OVER 7-11|XOVER 7-11"},
		{"HDR", newstest.Options{Unknown: []string{"OVER", "XOVER"}}, hello + "GROUP a.few|LIST OVERVIEW.FMT|OVER 7-11|XOVER 7-11|HDR Message-ID 7-11|HDR Subject 7-11|HDR From 7-11|HDR Date 7-11|HDR References 7-11"},
		{"XHDR", newstest.Options{Unknown: []string{"OVER", "XOVER", "HDR"}}, hello + "GROUP a.few|LIST OVERVIEW.FMT|OVER 7-11|XOVER 7-11|HDR Message-ID 7-11|XHDR Message-ID 7-11|XHDR Subject 7-11|XHDR From 7-11|XHDR Date 7-11|XHDR References 7-11"},
		{"HEAD", newstest.Options{Unknown: []string{"OVER", "XOVER", "HDR", "XHDR"}}, hello + "GROUP a.few|LIST OVERVIEW.FMT|OVER 7-11|XOVER 7-11|HDR Message-ID 7-11|XHDR Message-ID 7-11|LISTGROUP|HEAD 7|HEAD 8|HEAD 10|HEAD 11"},
		{"RFC 977", newstest.Options{RFC977: true}, hello + "MODE READER|GROUP a.few|LIST OVERVIEW.FMT|OVER 7-11|XOVER 7-11|HDR Message-ID 7-11|XHDR Message-ID 7-11|LISTGROUP|HEAD 7|HEAD 8|HEAD 9|HEAD 10|HEAD 11"},
		{"another order", newstest.Options{Overview: []string{"Xref:full", "Message-ID:", "Date:full", "Subject:", "Lines:", "From:", "References:full", "Bytes:"}}, hello + "GROUP a.few|LIST OVERVIEW.FMT|OVER 7-11"},
		{"pieces", newstest.Options{}, hello + "GROUP a.few|LIST OVERVIEW.FMT|OVER 7-11"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := start(t, groups, &c.so, nil)
			w.dial.pieces = c.name == "pieces"
			list, err := readItems(w.open("/a.few"))
			if got := titles(list); got != "First|café|Third|Fourth" || err != nil {
				t.Fatalf("%q, %v", got, err)
			}
			it := list[2]
			if it.URL.String() != "nntp://"+w.addr+"/a.few/10" || it.Kind != scheme.KindObject || it.Type != "message/rfc822" ||
				it.Note != "Alice <alice@local.test>" || !it.ModTime.Equal(time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)) {
				t.Errorf("%+v", it)
			}
			if size := int64(len(fewGroup.Articles[3])); it.Size != size && !strings.Contains(c.sent, "HDR") {
				t.Errorf("size %d, want %d", it.Size, size)
			}
			if got := fmt.Sprint(it.Fields); got != "[{number 10} {from Alice <alice@local.test>} {messageId c@x} {references [a@x b@x]}]" {
				t.Error(got)
			}
			w.wantSent(0, c.sent)
			w.noSource = true
			// The client must send a command that the server does not support only once.
			w.wantTitles("/a.few", "First|café|Third|Fourth")
			switch c.name {
			case "XOVER":
				w.wantSent(0, c.sent+"|GROUP a.few|XOVER 7-11")
			case "XHDR":
				w.wantSent(0, c.sent+"|GROUP a.few|XHDR Message-ID 7-11|XHDR Subject 7-11|XHDR From 7-11|XHDR Date 7-11|XHDR References 7-11")
			case "HEAD":
				w.wantSent(0, c.sent+"|GROUP a.few|LISTGROUP|HEAD 7|HEAD 8|HEAD 10|HEAD 11")
			}
			w.wantTitles("/a.void", "")
		})
	}
}

func TestItems(t *testing.T) {
	many := newstest.Group{First: 101}
	for i := range 2500 {
		many.Articles = append(many.Articles, article(fmt.Sprint(i, "@x"), fmt.Sprint("s", 101+i), ""))
	}
	w := start(t, newstest.Groups{"g": many}, nil, nil)
	for _, c := range []struct {
		r           scheme.ItemRange
		note        string
		count       int
		first, last string
	}{
		{scheme.ItemRange{}, "not listed: 101-1600", 1000, "s1601", "s2600"},
		{scheme.ItemRange{Newest: 3}, "not listed: 101-2597", 3, "s2598", "s2600"},
		{scheme.ItemRange{Newest: 2500}, "", 2500, "s101", "s2600"},
		{scheme.ItemRange{Newest: 1 << 62}, "", 2500, "s101", "s2600"},
		{scheme.ItemRange{First: 1}, "", 2500, "s101", "s2600"},
		{scheme.ItemRange{First: 2600}, "not listed: 101-2599", 1, "s2600", "s2600"},
		{scheme.ItemRange{Last: 102}, "not listed: 103-2600", 2, "s101", "s102"},
		{scheme.ItemRange{First: 200, Last: 300, Newest: 10}, "not listed: 101-290 and 301-2600", 10, "s291", "s300"},
		{scheme.ItemRange{First: 9999}, "not listed: 101-2600", 0, "", ""},
		{scheme.ItemRange{Last: 100}, "not listed: 101-2600", 0, "", ""},
		{scheme.ItemRange{First: 102, Last: 101}, "not listed: 101-2600", 0, "", ""},
	} {
		w.req.Items = c.r
		list, err := readItems(w.open("/g"))
		if err != nil {
			t.Fatal(err)
		}
		note := ""
		if len(list) > 0 && list[0].Kind == scheme.KindInfo {
			note, list = list[0].Title, list[1:]
		}
		if note != c.note || len(list) != c.count {
			t.Errorf("%+v: %q and %d items", c.r, note, len(list))
		} else if c.count > 0 && (list[0].Title != c.first || list[c.count-1].Title != c.last) {
			t.Errorf("%+v: %q to %q", c.r, list[0].Title, list[c.count-1].Title)
		}
	}
	if len(w.server.Log()) != 1 {
		t.Errorf("%d connections", len(w.server.Log()))
	}

	small := start(t, newstest.Groups{"g": many}, nil, &news.Options{Limits: news.Limits{Items: 5}})
	small.req.Items.First = 1
	small.wantTitles("/g", "not listed: 101-2595|s2596|s2597|s2598|s2599|s2600")
}

func TestGroups(t *testing.T) {
	for _, so := range []newstest.Options{{}, {Unknown: []string{"LIST ACTIVE"}}, {RFC977: true}, {Transit: true}} {
		w := start(t, groups, &so, nil)
		m, err := w.client.Open(t.Context(), w.request("news://u@"+w.addr))
		if err != nil {
			t.Fatal(err)
		}
		list, err := readItems(m, nil)
		if got := titles(list); got != "a.few|a.void|b.private" || err != nil {
			t.Fatalf("%q, %v", got, err)
		}
		want := "a.few menu news://u@" + w.addr + "/a.few A few articles [{count 5} {low 7} {high 11} {status y}]"
		if so.RFC977 {
			want = strings.Replace(want, "A few articles", "", 1)
		}
		it := list[0]
		if got := fmt.Sprintf("%s %s %v %s %v", it.Title, it.Kind, it.URL, it.Note, it.Fields); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
		if menu := m.(*scheme.Menu); menu.URL.String() != "news://u@"+w.addr || menu.Title != "127.0.0.1" || list[2].Fields[3].Value != "m" || list[1].Fields[0].Value != 0 {
			t.Errorf("%+v %+v", m, list)
		}
	}
}

// The client must request news URLs, for articles and newsgroups, from the server in the
// options (RFC 1738 section 3.6).
func TestMessageID(t *testing.T) {
	w := startDefaultServer(t)
	res, err := w.client.Open(t.Context(), w.request("news:c@x"))
	if err != nil {
		t.Fatal(err)
	}
	o := res.(*scheme.Object)
	if got, err := readAll(o, nil); got != fewGroup.Articles[3] || err != nil || o.Name != "c@x" || o.URL.String() != "news:c@x" {
		t.Errorf("%q, %v, %+v", got, err, o)
	}
	_, err = w.client.Open(t.Context(), w.request("news:e@x"))
	wantError(t, err, scheme.ErrNotFound, `ARTICLE <e@x>`, "430")
	for _, id := range []string{"a%20b@x", "a%0D%0APOST@x", "%3Ca@x%3E", "a@x%3E", "a%00@x", "a%7f@x", "a%09@x", strings.Repeat("a", 510) + "@x"} {
		_, err := w.client.Open(t.Context(), w.request("news:"+id))
		wantError(t, err, locus.ErrValue)
	}
	if m, err := w.client.Open(t.Context(), w.request("news:a.few")); err != nil {
		t.Error(err)
	} else if list, err := readItems(m, nil); len(list) != 4 || err != nil || m.(*scheme.Menu).URL.String() != "news:a.few" || list[0].URL.String() != "news:a@x" {
		t.Errorf("%v, %v", list, err)
	}
	_, err = w.client.Open(t.Context(), w.request("news:a%0Ab"))
	wantError(t, err, locus.ErrValue)
	w.wantSent(0, hello+"ARTICLE <c@x>|ARTICLE <e@x>|GROUP a.few|LIST OVERVIEW.FMT|OVER 7-11")
}

// startDefaultServer starts a server, and sets it as the server in the client's options.
func startDefaultServer(t *testing.T) *fixture {
	w := start(t, groups, nil, nil)
	w.client = news.New(&news.Options{Server: locus.MustParse("nntp://" + w.addr)})
	t.Cleanup(func() { w.client.Close() })
	return w
}

// The client must also use the server in the options for the draft's syntax of nntp URLs,
// which names no server.
func TestServerOption(t *testing.T) {
	w := start(t, groups, nil, nil)
	_, err := w.client.Open(t.Context(), w.request("nntp:a.few/7"))
	wantError(t, err, scheme.ErrUnsupported, "no news server is known")
	for _, text := range []string{"http://h/", "news:a", "nntp:a.few"} {
		c := news.New(&news.Options{Server: locus.MustParse(text)})
		_, err := c.Open(t.Context(), w.request("nntp:a.few/7"))
		wantError(t, err, locus.ErrValue, "invalid news server")
	}
	c := news.New(&news.Options{Server: locus.MustParse("nntp://" + w.addr)})
	defer c.Close()
	if got, err := readAll(c.Open(t.Context(), w.request("nntp:a.few/7"))); got != fewGroup.Articles[0] || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	list, err := readItems(c.Open(t.Context(), w.request("nntp:a.few")))
	if err != nil || len(list) != 4 || list[0].URL.String() != "nntp:a.few/7" {
		t.Errorf("%v, %v", list, err)
	}
	if got, err := readAll(c.Get(t.Context(), w.dial, mustParse("nntp:a.few/7"))); got != fewGroup.Articles[0] || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func mustParse(text string) news.URL {
	n, err := news.Parse(locus.MustParse(text))
	if err != nil {
		panic(err)
	}
	return n
}

// If a URL contains an encoded line end, the text after it would be another command. The
// client must reject the URL before it dials.
func TestRejectedBeforeDialing(t *testing.T) {
	w := start(t, groups, nil, nil)
	for _, text := range []string{
		"//h/g%0d%0aPOST/1", "//h/g%0d%0aPOST", "//h/g%0A", "//h/%00", "//h/g%20h/1", "//h/g%09h", "//h/g%7Fh", "//u%0D%0APOST@h/g/1", "//u:p%0AQUIT@h/g/1", "//u:%00@h/g",
		"//h/" + strings.Repeat("g", 510) + "/1", ":g%0d%0aPOST/1",
	} {
		_, err := w.client.Open(t.Context(), w.request("nntp:"+text))
		wantError(t, err, locus.ErrValue)
		if syntax := (*locus.SyntaxError)(nil); !errors.As(err, &syntax) {
			t.Errorf("%s: %v is not a syntax error", text, err)
		}
	}
	if w.dial.dialed.Load() != 0 {
		t.Error("a server was dialed")
	}
	var syntax *locus.SyntaxError
	_, err := w.client.Open(t.Context(), w.request("nntp://h/a%2Bb%0D%0APOST/1"))
	if !errors.As(err, &syntax) || syntax.Offset != 14 || syntax.Part != "group" {
		t.Errorf("%v", err)
	}
	if _, err := w.client.Open(t.Context(), &scheme.Request{URL: locus.MustParse("nntp://h/g")}); !errors.Is(err, scheme.ErrUnsupported) {
		t.Errorf("without a dialer: %v", err)
	}
}

func TestModeReader(t *testing.T) {
	w := start(t, groups, &newstest.Options{Transit: true}, nil)
	w.wantArticle("/a.few/7", fewGroup.Articles[0])
	w.wantSent(0, hello+"MODE READER|GROUP a.few|ARTICLE 7")

	// A server may require MODE READER only in the reply to a command.
	w = start(t, groups, &newstest.Options{Transit: true, Fault: newstest.Fault{Replies: map[string]string{"CAPABILITIES": "101 \r\nVERSION 2\r\n.\r\n"}}}, nil)
	w.wantArticle("/a.few/7", fewGroup.Articles[0])
	w.wantSent(0, hello+"GROUP a.few|MODE READER|GROUP a.few|ARTICLE 7")

	// The client must return an error after the second 401.
	w = start(t, groups, &newstest.Options{Fault: newstest.Fault{Replies: map[string]string{"GROUP": "401 MODE-READER\r\n"}}}, nil)
	_, err := w.open("/a.few/7")
	wantError(t, err, scheme.ErrUnsupported, "401")
	w.wantSent(0, hello+"GROUP a.few|MODE READER|GROUP a.few")

	w = start(t, groups, &newstest.Options{Transit: true, Fault: newstest.Fault{Replies: map[string]string{"MODE": "502 no readers\r\n"}}}, nil)
	_, err = w.open("/a.few/7")
	wantError(t, err, scheme.ErrAuth, "no readers")
}

func TestGreetings(t *testing.T) {
	for greeting, kind := range map[string]error{
		"502 no permission": scheme.ErrAuth, "400 come back tomorrow": scheme.ErrUnreachable, "480 who are you?": scheme.ErrAuth,
		"220 ftp.local.test": scheme.ErrProtocol, "hello": scheme.ErrProtocol, "2000 x": scheme.ErrProtocol, "2x0": scheme.ErrProtocol, "99": scheme.ErrProtocol,
	} {
		w := start(t, groups, &newstest.Options{Greeting: greeting}, nil)
		_, err := w.open("/a.few/7")
		wantError(t, err, kind, greeting[:2])
		w.wantSent(0, "")
	}
	w := start(t, groups, &newstest.Options{Greeting: "201"}, nil)
	w.wantArticle("/a.few/7", fewGroup.Articles[0])
}

// asker implements Request.Ask: it returns the given answers, and records the questions.
type asker struct {
	answers   []scheme.Credentials
	questions []scheme.Question
}

func (a *asker) ask(_ context.Context, q scheme.Question) (scheme.Credentials, bool, error) {
	a.questions = append(a.questions, q)
	if len(a.questions) > len(a.answers) {
		return scheme.Credentials{}, false, nil
	}
	return a.answers[len(a.questions)-1], true, nil
}

var alice = scheme.Credentials{User: "alice", Password: "s3 cret"}

func (w *fixture) wantNoPassword() {
	w.Helper()
	for _, line := range w.trace {
		if strings.Contains(line, "s3 cret") || strings.Contains(line, "s3%20cret") {
			w.Errorf("trace: %q", line)
		}
	}
}

// The client must send a login without TLS only if the options allow it.
func TestNoClearLogin(t *testing.T) {
	w := start(t, groups, &newstest.Options{User: alice.User, Password: alice.Password, Private: []string{"b.private"}}, nil)
	a := &asker{answers: []scheme.Credentials{alice}}
	w.req.Ask = a.ask
	_, err := w.open("/b.private/1")
	wantError(t, err, scheme.ErrAuth, "no TLS", "nntps")
	if hint := (*scheme.HintError)(nil); !errors.As(err, &hint) || len(a.questions) != 0 {
		t.Errorf("%v, asked %v", err, a.questions)
	}
	w.wantArticle("/a.few/7", fewGroup.Articles[0]) // this group needs no login
	w.wantSent(0, hello+"GROUP b.private|GROUP a.few|ARTICLE 7")
}

func TestClearLogin(t *testing.T) {
	w := start(t, groups, &newstest.Options{User: alice.User, Password: alice.Password, Private: []string{"b.private"}}, &news.Options{ClearLogin: true})
	a := &asker{answers: []scheme.Credentials{{User: "alice", Password: "wrong"}, alice, alice, {User: "bob"}}}
	w.req.Ask = a.ask
	w.wantArticle("/b.private/1", fewGroup.Articles[0])
	w.wantSent(0, hello+"GROUP b.private|AUTHINFO USER alice|AUTHINFO PASS wrong|AUTHINFO USER alice|AUTHINFO PASS s3 cret|CAPABILITIES|GROUP b.private|ARTICLE 1")
	if len(a.questions) != 2 || a.questions[0].Attempt != 0 || a.questions[1].Attempt != 1 || a.questions[0].Realm != "a login is needed for b.private" || a.questions[0].URL.Host() != "127.0.0.1" {
		t.Errorf("%+v", a.questions)
	}
	// The client must reuse the connection only if Ask returns the same login.
	w.wantArticle("/b.private/1", fewGroup.Articles[0])
	if len(w.server.Log()) != 1 || len(a.questions) != 3 {
		t.Errorf("%d connections, %d questions", len(w.server.Log()), len(a.questions))
	}
	_, err := w.open("/b.private/1")
	wantError(t, err, scheme.ErrAuth, "none was given")
	w.wantSent(1, hello+"GROUP b.private|AUTHINFO USER bob|AUTHINFO PASS ")
	// If Ask is nil, the client must not reuse a connection with a login from Ask.
	w.req.Ask = nil
	w.wantArticle("/a.few/7", fewGroup.Articles[0])
	if len(w.server.Log()) != 2 {
		t.Errorf("%d connections", len(w.server.Log()))
	}
	w.wantNoPassword()
	if !slices.Contains(w.trace, "> AUTHINFO PASS ***") {
		t.Errorf("%q", w.trace)
	}
}

func TestLoginOfURL(t *testing.T) {
	so := &newstest.Options{User: alice.User, Password: alice.Password, Private: []string{"*"}, Barred: []string{"b.private"}}
	w := start(t, groups, so, &news.Options{ClearLogin: true})
	open := func(login, path string) (string, error) {
		return readAll(w.client.Open(t.Context(), w.request("nntp://"+login+w.addr+path)))
	}
	if got, err := open("alice:s3%20cret@", "/a.few/7"); got != fewGroup.Articles[0] || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	_, err := open("alice:s3%20cret@", "/b.private/1")
	wantError(t, err, scheme.ErrAuth, "does not permit")
	_, err = open("alice:wrong@", "/a.few/7")
	wantError(t, err, scheme.ErrAuth, "481", "refused this user and password")
	_, err = open("alice@", "/a.few/7")
	wantError(t, err, scheme.ErrAuth, "none was given")
	if strings.Contains(fmt.Sprint(err), "s3") {
		t.Error(err)
	}
	a := &asker{answers: []scheme.Credentials{{Password: alice.Password}}}
	w.req.Ask = a.ask
	if got, err := open("alice@", "/a.few/7"); got != fewGroup.Articles[0] || err != nil || a.questions[0].User != "alice" {
		t.Errorf("%q, %v, %+v", got, err, a.questions)
	}
	// The client must call Ask at most three times, and reject a password with a line end.
	a = &asker{answers: make([]scheme.Credentials, 9)}
	w.req.Ask = a.ask
	_, err = open("", "/a.few/7")
	wantError(t, err, scheme.ErrAuth, "481")
	if len(a.questions) != 3 {
		t.Errorf("asked %d times", len(a.questions))
	}
	a = &asker{answers: []scheme.Credentials{{User: "a\r\nPOST", Password: "x"}}}
	w.req.Ask = a.ask
	if _, err = open("", "/a.few/7"); err == nil || !strings.Contains(err.Error(), "CR at offset") {
		t.Error(err)
	}
	for n := range w.server.Log() {
		if strings.Contains(w.received(n), "POST") {
			t.Error(w.received(n))
		}
	}
	w.req.Ask = func(context.Context, scheme.Question) (scheme.Credentials, bool, error) {
		return scheme.Credentials{}, false, io.ErrClosedPipe
	}
	_, err = open("", "/a.few/7")
	wantError(t, err, io.ErrClosedPipe)
	w.wantNoPassword()
}

func TestStartTLS(t *testing.T) {
	server, client, err := certtest.Pair()
	if err != nil {
		t.Fatal(err)
	}
	for _, transit := range []bool{false, true} {
		so := &newstest.Options{User: alice.User, Password: alice.Password, Private: []string{"b.private"}, TLS: server, NeedTLS: true, Transit: transit}
		w := start(t, groups, so, &news.Options{TLSConfig: client})
		a := &asker{answers: []scheme.Credentials{alice, alice}}
		w.req.Ask = a.ask
		w.wantArticle("/b.private/1", fewGroup.Articles[0])
		w.wantTitles("/a.void", "")
		mode := map[bool]string{true: "CAPABILITIES|MODE READER|", false: "CAPABILITIES|"}[transit]
		again := map[bool]string{true: "CAPABILITIES|", false: ""}[transit]
		w.wantSent(0, mode+"GROUP b.private|"+again+"STARTTLS|"+mode+"AUTHINFO USER alice|AUTHINFO PASS s3 cret|CAPABILITIES|GROUP b.private|ARTICLE 1|GROUP a.void")
		w.wantNoPassword()
	}
	so := &newstest.Options{User: alice.User, Password: alice.Password, Private: []string{"b.private"}, TLS: server}

	// An untrusted certificate must cause an error, and the client must not continue without
	// TLS.
	w := start(t, groups, so, &news.Options{ClearLogin: true})
	_, err = readAll(w.client.Open(t.Context(), w.request("nntp://alice:s3%20cret@"+w.addr+"/b.private/1")))
	wantError(t, err, scheme.ErrProtocol, "certificate")
	w.wantSent(0, hello+"GROUP b.private|STARTTLS")

	// With TLSOff, the client must not use TLS.
	w = start(t, groups, so, &news.Options{ClearLogin: true, StartTLS: news.TLSOff})
	if _, err = readAll(w.client.Open(t.Context(), w.request("nntp://alice:s3%20cret@"+w.addr+"/b.private/1"))); err != nil {
		t.Error(err)
	}

	// With TLSRequire, the client must use TLS.
	w = start(t, groups, so, &news.Options{TLSConfig: client, StartTLS: news.TLSRequire})
	w.wantArticle("/a.few/7", fewGroup.Articles[0])
	w.wantSent(0, hello+"STARTTLS|CAPABILITIES|GROUP a.few|ARTICLE 7")
	w = start(t, groups, nil, &news.Options{TLSConfig: client, StartTLS: news.TLSRequire})
	_, err = w.open("/a.few/7")
	wantError(t, err, scheme.ErrUnsupported, "nntps")

	// The client must reject unencrypted data that follows reply 382.
	w = start(t, groups, &newstest.Options{TLS: server, Fault: newstest.Fault{Replies: map[string]string{"STARTTLS": "382 continue\r\n211 1 1 1 evil\r\n"}}}, &news.Options{TLSConfig: client, StartTLS: news.TLSRequire})
	_, err = w.open("/a.few/7")
	wantError(t, err, scheme.ErrProtocol, "unencrypted")

	// The client must start TLS if the reply to any command requires TLS.
	w = start(t, groups, &newstest.Options{TLS: server, Fault: newstest.Fault{Replies: map[string]string{"GROUP": "483 TLS first\r\n"}}}, &news.Options{TLSConfig: client})
	_, err = w.open("/a.few/7")
	wantError(t, err, scheme.ErrAuth, "nntps")
	w.wantSent(0, hello+"GROUP a.few|STARTTLS|CAPABILITIES|GROUP a.few")
}

func TestSecure(t *testing.T) {
	server, client, err := certtest.Pair()
	if err != nil {
		t.Fatal(err)
	}
	so := &newstest.Options{User: alice.User, Password: alice.Password, Private: []string{"*"}, TLS: server, Implicit: true}
	w := start(t, groups, so, &news.Options{TLSConfig: client})
	list, err := readItems(w.client.Open(t.Context(), w.request("nntps://alice:s3%20cret@"+w.addr+"/a.few")))
	if err != nil || len(list) != 4 || list[0].URL.String() != "nntps://alice:s3%20cret@"+w.addr+"/a.few/7" {
		t.Errorf("%v, %v", list, err)
	}
	w.wantSent(0, hello+"GROUP a.few|AUTHINFO USER alice|AUTHINFO PASS s3 cret|CAPABILITIES|GROUP a.few|LIST OVERVIEW.FMT|OVER 7-11")
}

func TestPool(t *testing.T) {
	w := start(t, groups, nil, nil)
	for range 3 {
		w.wantArticle("/a.few/7", fewGroup.Articles[0])
	}
	w.wantSent(0, hello+"GROUP a.few|ARTICLE 7|ARTICLE 7|ARTICLE 7")
	// The client must replace a closed connection.
	w.server.HangUp()
	w.wantArticle("/a.few/7", fewGroup.Articles[0])
	// The client must not reuse a connection with unread data.
	res, err := w.open("/a.few")
	if err != nil {
		t.Fatal(err)
	}
	for range res.(*scheme.Menu).Items {
		break
	}
	res.Close()
	w.wantArticle("/a.few/7", fewGroup.Articles[0])
	// The client must not reuse a connection of another dialer.
	w.dial = new(dialer)
	w.wantArticle("/a.few/7", fewGroup.Articles[0])
	if got := len(w.server.Log()); got != 4 {
		t.Errorf("%d connections, want 4", got)
	}
	// Two concurrent requests must use two connections.
	one, err := w.open("/a.few")
	if err != nil {
		t.Fatal(err)
	}
	two, err := w.open("/a.few")
	if err != nil {
		t.Fatal(err)
	}
	for _, res := range []scheme.Resource{one, two} {
		if list, err := readItems(res, nil); len(list) != 4 || err != nil {
			t.Errorf("%v, %v", list, err)
		}
	}
	// A closed client must not keep idle connections.
	w.client.Close()
	before := len(w.server.Log())
	w.wantArticle("/a.few/7", fewGroup.Articles[0])
	w.wantArticle("/a.few/7", fewGroup.Articles[0])
	if got := len(w.server.Log()); got != before+2 {
		t.Errorf("%d connections more, want 2", got-before)
	}
}

// The client must find new articles even if the group is already selected.
func TestSelectedBefore(t *testing.T) {
	w := start(t, groups, nil, nil)
	w.wantArticle("/a.few/7", fewGroup.Articles[0])
	_, err := w.open("/a.few/12")
	wantError(t, err, scheme.ErrNotFound, "423")
	w.wantSent(0, hello+"GROUP a.few|ARTICLE 7|ARTICLE 12|GROUP a.few|ARTICLE 12")
}

// A server may announce that it closes an idle connection.
func TestIdleClosed(t *testing.T) {
	w := start(t, groups, &newstest.Options{Fault: newstest.Fault{Replies: map[string]string{"STAT": "400 too long idle\r\n"}}}, nil)
	w.wantArticle("/a.few/7", fewGroup.Articles[0])
	w.req.Probe = true
	_, err := w.open("/a.few/7")
	wantError(t, err, scheme.ErrUnreachable, "too long idle")
	if got := len(w.server.Log()); got != 2 {
		t.Errorf("%d connections; a stale one is replaced once", got)
	}
}
