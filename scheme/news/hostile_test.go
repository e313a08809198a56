package news_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/news"
	"github.com/locus-url/locus/scheme/news/newstest"
)

// The octets of an article must arrive unchanged, including NUL, bare CR and LF, 8-bit octets
// and dots.
func TestArticleOctets(t *testing.T) {
	odd := article("odd@x", "odd", "\x00nul\r\nbare\rcr\nlf\n.dot behind lf\r\n.\r\n..\r\n.\rx\r\n\r\r\n\r\n\xe9\xff\r\n.")
	long := article("long@x", strings.Repeat("x", 10<<20), "end\r\n")
	w := start(t, newstest.Groups{"g": {Articles: []string{odd, long, article("e@x", "e", "")}}}, nil, nil)
	w.wantArticle("/g/1", odd+"\r\n") // the last line of a block ends with CR LF
	w.wantArticle("/g/2", long)
	w.wantArticle("/g/3", article("e@x", "e", ""))
	if got := len(w.server.Log()); got != 1 {
		t.Errorf("%d connections", got)
	}
}

// The client must skip the part of a head that exceeds the limit, and must not store it.
func TestLongHead(t *testing.T) {
	long := "Subject: before\r\nX: " + strings.Repeat("x", 10<<20) + "\r\nFrom: behind\r\n\r\n"
	groups := newstest.Groups{"g": {Articles: []string{long, article("b@x", "second", "")}}}
	w := start(t, groups, &newstest.Options{Unknown: []string{"OVER", "XOVER", "HDR", "XHDR"}}, nil)
	w.wantTitles("/g", "before|second")
	w = start(t, groups, &newstest.Options{Unknown: []string{"OVER", "XOVER", "HDR", "XHDR"}}, &news.Options{Limits: news.Limits{Octets: 1 << 20}})
	_, err := readItems(w.open("/g"))
	wantError(t, err, scheme.ErrTooLarge)
}

// The client must look for a date in the first 32 KiB of an article, and must still return the
// complete article.
func TestLongHeadOfArticle(t *testing.T) {
	for size, dated := range map[int]bool{30 << 10: true, 64 << 10: false, 1 << 20: false} {
		text := "X: " + strings.Repeat("x", size) + "\r\n" + article("a@x", "s", "body\r\n")
		w := start(t, newstest.Groups{"g": {Articles: []string{text}}}, nil, nil)
		res, err := w.open("/g/1")
		if err != nil {
			t.Fatal(err)
		}
		if o := res.(*scheme.Object); o.ModTime.IsZero() == dated {
			t.Errorf("%d octets before the date: %v", size, o.ModTime)
		}
		if got, err := readAll(res, nil); got != text || err != nil {
			t.Errorf("%d of %d octets, %v", len(got), len(text), err)
		}
	}
}

func TestLimit(t *testing.T) {
	w := start(t, groups, nil, nil)
	w.req.Limit = int64(len(fewGroup.Articles[0]))
	w.wantArticle("/a.few/7", fewGroup.Articles[0])
	w.req.Limit--
	got, err := readAll(w.open("/a.few/7"))
	wantError(t, err, scheme.ErrTooLarge)
	if got != fewGroup.Articles[0][:w.req.Limit] {
		t.Errorf("%q", got)
	}
}

// If the server disconnects, the client must return the items and bytes that have arrived, and
// then an error.
func TestServerDisconnects(t *testing.T) {
	for _, so := range []newstest.Options{
		{Fault: newstest.Fault{Drop: "OVER", DropLines: 2}},
		{Fault: newstest.Fault{Drop: "XOVER", DropLines: 2}, Unknown: []string{"OVER"}},
	} {
		w := start(t, groups, &so, nil)
		list, err := readItems(w.open("/a.few"))
		wantError(t, err, scheme.ErrProtocol, "news: ", "OVER")
		wantError(t, err, io.ErrUnexpectedEOF)
		if got := titles(list); got != "First|café" {
			t.Errorf("%q", got)
		}
	}
	for lines := range 11 {
		w := start(t, groups, &newstest.Options{Fault: newstest.Fault{Drop: "ARTICLE", DropLines: lines}}, nil)
		got, err := readAll(w.open("/a.few/7"))
		want := strings.Join(strings.SplitAfter(fewGroup.Articles[0], "\r\n")[:min(lines, 10)], "")
		wantError(t, err, scheme.ErrProtocol, "ARTICLE")
		wantError(t, err, io.ErrUnexpectedEOF)
		if got != want {
			t.Errorf("%d lines: %q, want %q", lines, got, want)
		}
	}
	for _, verb := range []string{"CAPABILITIES", "GROUP", "ARTICLE"} {
		w := start(t, groups, &newstest.Options{Fault: newstest.Fault{Replies: map[string]string{verb: ""}}}, nil)
		_, err := w.open("/a.few/7")
		wantError(t, err, scheme.ErrProtocol, "closed the connection")
		wantError(t, err, io.ErrUnexpectedEOF)
	}
	w := start(t, groups, &newstest.Options{Unknown: []string{"OVER", "XOVER", "HDR", "XHDR"}, Fault: newstest.Fault{Drop: "HEAD", DropLines: 1}}, nil)
	list, err := readItems(w.open("/a.few"))
	wantError(t, err, scheme.ErrProtocol, "HEAD")
	if len(list) != 0 {
		t.Errorf("%v", list)
	}
}

// Reading an endless reply must fail, and must use bounded memory.
func TestEndless(t *testing.T) {
	for _, c := range []struct {
		path string
		f    newstest.Fault
		kind error
		says string
	}{
		{"/a.few", newstest.Fault{Endless: "OVER", EndlessText: "7\tsubject\tfrom\r\n"}, scheme.ErrTooLarge, "more items than were requested"},
		{"/a.few", newstest.Fault{Endless: "OVER", EndlessText: "x"}, scheme.ErrProtocol, "line too long"},
		{"/a.few/7", newstest.Fault{Endless: "CAPABILITIES", EndlessText: "X\r\n"}, scheme.ErrTooLarge, "too much"},
		{"/a.few/7", newstest.Fault{Replies: map[string]string{"GROUP": strings.Repeat("2", 100_000)}}, scheme.ErrProtocol, "line"},
		{"/a.few", newstest.Fault{Endless: "LIST", EndlessText: "X:\r\n"}, scheme.ErrTooLarge, "too much"},
	} {
		w := start(t, groups, &newstest.Options{Fault: c.f}, nil)
		res, err := w.open(c.path)
		if err == nil {
			_, err = readItems(res, nil)
		}
		wantError(t, err, c.kind, c.says)
	}
	w := start(t, groups, &newstest.Options{Fault: newstest.Fault{Endless: "ARTICLE", EndlessText: "x"}}, nil)
	res, err := w.open("/a.few/7")
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if n, err := io.CopyN(io.Discard, res.(*scheme.Object).Body, 16<<20); n != 16<<20 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 4<<20 {
		t.Errorf("%d octets allocated", got)
	}
	res.Close()
	if _, err := io.Copy(io.Discard, res.(*scheme.Object).Body); err == nil {
		t.Error("reads on after Close")
	}
	w = start(t, groups, &newstest.Options{Fault: newstest.Fault{Endless: "LIST", EndlessText: "a.group 1 1 y\r\n"}}, &news.Options{Limits: news.Limits{Items: 1000, Octets: 1 << 20}})
	_, err = readItems(w.groups())
	wantError(t, err, scheme.ErrTooLarge)
}

func (w *fixture) groups() (scheme.Resource, error) {
	return w.client.Open(w.Context(), w.request("news://"+w.addr))
}

// An invalid line in a list must become an item of kind error, and the client must continue
// with the next line.
func TestBadLines(t *testing.T) {
	w := start(t, groups, &newstest.Options{Fault: newstest.Fault{Replies: map[string]string{
		"OVER":            "224 \r\nx\ty\r\n\r\n8\r\n-9\tx\r\n10\ts\tf\td\tno id\tr\tmany\t\textra\t\t\r\n.\r\n",
		"LIST NEWSGROUPS": "503 none\r\n",
		"LIST ACTIVE":     "215 \r\n\r\nonly.name\r\na b c d\r\nsp%ce 2 1\r\n..dot 0 1 y\r\n.\r\n",
	}}}, nil)
	list, err := readItems(w.open("/a.few"))
	if err != nil || len(list) != 5 {
		t.Fatalf("%+v, %v", list, err)
	}
	if list[0].Kind != scheme.KindError || list[0].Title != "x\ty" || !list[0].URL.IsZero() || !strings.Contains(list[0].Note, "does not begin with an article number") {
		t.Errorf("%+v", list[0])
	}
	if it := list[2]; it.Kind != scheme.KindObject || it.Title != "" || it.Size != -1 || !strings.HasSuffix(it.URL.String(), "/a.few/8") {
		t.Errorf("%+v", it)
	}
	if it := list[4]; it.Title != "s" || it.Size != -1 || !it.ModTime.IsZero() || it.Fields[2].Value != "no id" {
		t.Errorf("%+v", it)
	}
	list, err = readItems(w.groups())
	if got := titles(list); got != "|only.name|a b c d|sp%ce|.dot" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	if list[3].URL.String() != "news://"+w.addr+"/sp%25ce" || list[4].Fields[0].Value != 0 || list[2].Kind != scheme.KindError {
		t.Errorf("%+v", list)
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		verb, reply string
		kind        error
	}{
		{"GROUP", "411 no such group", scheme.ErrNotFound}, {"ARTICLE", "412 no group", scheme.ErrNotFound}, {"ARTICLE", "420 no article", scheme.ErrNotFound},
		{"ARTICLE", "423 no such number", scheme.ErrNotFound}, {"ARTICLE", "430 no such article", scheme.ErrNotFound}, {"ARTICLE", "502 not for you", scheme.ErrAuth},
		{"GROUP", "481 no", scheme.ErrAuth}, {"GROUP", "483 weak", scheme.ErrAuth}, {"GROUP", "503 fault", scheme.ErrProtocol}, {"GROUP", "403 broken", scheme.ErrProtocol},
		{"GROUP", "400 down", scheme.ErrUnreachable}, {"GROUP", "500 what?", scheme.ErrUnsupported}, {"GROUP", "501 syntax", scheme.ErrUnsupported},
		{"GROUP", "211 none", scheme.ErrProtocol}, {"GROUP", "211 1 -1 5 x", scheme.ErrProtocol}, {"ARTICLE", "220\r\n.", nil}, {"ARTICLE", "222 0 <x> body", scheme.ErrProtocol},
	} {
		w := start(t, groups, &newstest.Options{Fault: newstest.Fault{Replies: map[string]string{c.verb: c.reply + "\r\n"}}}, nil)
		res, err := w.open("/a.few/7")
		if c.kind != nil {
			wantError(t, err, c.kind)
		} else if err != nil {
			t.Errorf("%s: %v", c.reply, err)
		} else {
			res.Close()
		}
	}
	w := start(t, groups, &newstest.Options{Fault: newstest.Fault{Replies: map[string]string{"ARTICLE": "430 \x1b[2J\xff\r\n"}}}, nil)
	_, err := w.open("/a.few/7")
	wantError(t, err, scheme.ErrNotFound, `430 \x1b[2J\xff`)
	w = start(t, groups, &newstest.Options{Fault: newstest.Fault{Replies: map[string]string{"OVER": "502 not for you\r\n"}}}, nil)
	_, err = w.open("/a.few")
	wantError(t, err, scheme.ErrAuth, "OVER 7-11")
	w = start(t, groups, &newstest.Options{Fault: newstest.Fault{Replies: map[string]string{"LIST ACTIVE": "502 not for you\r\n"}}}, nil)
	_, err = w.groups()
	wantError(t, err, scheme.ErrAuth, "LIST ACTIVE")
}

// The server may report any low and high numbers for an empty group.
func TestEmptyGroup(t *testing.T) {
	for _, reply := range []string{"211 0 0 0 a.few", "211 0 5 4 a.few", "211 0 1 1000 a.few", "211 3 9 8 a.few"} {
		w := start(t, groups, &newstest.Options{Fault: newstest.Fault{Replies: map[string]string{"GROUP": reply + "\r\n"}}}, nil)
		w.wantTitles("/a.few", "")
		w.wantSent(0, hello+"GROUP a.few")
	}
	w := start(t, groups, &newstest.Options{Fault: newstest.Fault{Replies: map[string]string{"OVER": "423 nothing there\r\n"}}}, nil)
	w.wantTitles("/a.few", "")
}

// The client must not read a second reply to a command as the reply to the next command.
func TestExtraReply(t *testing.T) {
	w := start(t, groups, &newstest.Options{Fault: newstest.Fault{Replies: map[string]string{"ARTICLE": "220 0 <a@x>\r\nx\r\n.\r\n211 evil\r\n"}}}, nil)
	w.wantArticle("/a.few/7", "x\r\n")
	w.wantArticle("/a.few/7", "x\r\n")
	if got := len(w.server.Log()); got != 2 {
		t.Errorf("%d connections, want 2", got)
	}
}

// When the context ends, the client must stop waiting for the server.
func TestSilence(t *testing.T) {
	for _, silent := range []string{"CAPABILITIES", "GROUP", "ARTICLE"} {
		w := start(t, groups, &newstest.Options{Fault: newstest.Fault{Silent: silent}}, nil)
		ctx, cancel := context.WithCancelCause(t.Context())
		req := w.request("nntp://" + w.addr + "/a.few/7")
		trace := req.Trace
		why := errors.New("enough of that")
		req.Trace = func(sent bool, line string) {
			if trace(sent, line); sent && strings.HasPrefix(line, silent) {
				cancel(why)
			}
		}
		_, err := w.client.Open(ctx, req)
		wantError(t, err, why)
	}
	w := start(t, groups, &newstest.Options{Fault: newstest.Fault{Replies: map[string]string{"OVER": "224 \r\n7\tone\r\n"}}}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	list, err := func() ([]scheme.Item, error) {
		res, err := w.client.Open(ctx, w.request("nntp://"+w.addr+"/a.few"))
		if err != nil {
			return nil, err
		}
		var list []scheme.Item
		for it, err := range res.(*scheme.Menu).Items {
			if err != nil {
				return list, err
			}
			list = append(list, it)
			cancel()
		}
		return list, nil
	}()
	wantError(t, err, context.Canceled)
	if len(list) != 1 {
		t.Errorf("%v", list)
	}
	if _, err := w.client.Open(ctx, w.request("nntp://"+w.addr+"/a.few")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// pipeDialer connects to a peer in the same synctest bubble.
type pipeDialer struct{ peer func(net.Conn) }

func (d pipeDialer) DialContext(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	go d.peer(far)
	return near, nil
}

// The client must close an idle connection with QUIT.
func TestIdleTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quit := make(chan bool, 1)
		d := &pipeDialer{peer: func(c net.Conn) {
			defer c.Close()
			fmt.Fprint(c, "200 \r\n")
			for lines := bufio.NewScanner(c); lines.Scan(); {
				switch lines.Text() {
				case "GROUP g":
					fmt.Fprint(c, "211 0 0 0 g\r\n")
				case "QUIT":
					quit <- true
				default:
					fmt.Fprint(c, "500 \r\n")
				}
			}
		}}
		c := news.New(&news.Options{})
		if list, err := readItems(c.Get(t.Context(), d, mustParse("nntp://h/g"))); len(list) != 0 || err != nil {
			t.Fatalf("%v, %v", list, err)
		}
		<-quit // returns half a minute later, in synthetic time
	})
}

// The client must ignore invalid or unexpected lines in a reply to HDR.
func TestInvalidHDRLines(t *testing.T) {
	replies := func(text string) newstest.Options {
		return newstest.Options{Unknown: []string{"OVER", "XOVER"}, Fault: newstest.Fault{Replies: map[string]string{"HDR MESSAGE-ID": text}}}
	}
	for _, c := range []struct {
		text, titles string
		is           error
	}{
		{"225 ok\r\nx\r\n\r\n7\r\n-1 <a@b>\r\n99999999999999999999 <a@b>\r\n12 <l@x>\r\n6 <k@x>\r\n8 <b@x>\r\n.\r\n", "First|café|Third|Fourth", nil},
		{"423 nothing\r\n", "", nil},
		{"480 login\r\n", "", scheme.ErrAuth},
		{"225 ok\r\n7 <a@b>\r\n", "", scheme.ErrProtocol},
	} {
		so := replies(c.text)
		if c.is != nil && strings.HasPrefix(c.text, "225") {
			so.Fault.Drop, so.Fault.DropLines = "HDR", 1
			so.Fault.Replies = nil
		}
		w := start(t, groups, &so, nil)
		list, err := readItems(w.open("/a.few"))
		if c.is != nil {
			wantError(t, err, c.is)
		} else if got := titles(list); got != c.titles || err != nil {
			t.Errorf("%q: %q, %v", c.text, got, err)
		}
	}
}

// An HDR command must request only a few hundred articles.
func TestFieldWindows(t *testing.T) {
	var many newstest.Group
	for i := range 1234 {
		many.Articles = append(many.Articles, fmt.Sprintf("From: a@b\r\nSubject: no. %d\r\nMessage-ID: <%d@x>\r\n\r\ntext\r\n", i, i))
	}
	so := &newstest.Options{Unknown: []string{"OVER", "XOVER"}}
	w := start(t, newstest.Groups{"a.many": many}, so, nil)
	list, err := readItems(w.open("/a.many"))
	if err != nil || len(list) != 1001 || list[1].Title != "no. 234" || list[1000].Title != "no. 1233" {
		t.Fatalf("%d items, %v", len(list), err)
	}
	asked := 0
	for _, command := range w.server.Log()[0] {
		if strings.HasPrefix(command, "HDR Subject ") {
			asked++
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times for subjects", asked)
	}
	so.Fault = newstest.Fault{Replies: map[string]string{"HDR SUBJECT": "225 ok\r\n" + strings.Repeat("234 "+strings.Repeat("x", 60<<10)+"\r\n", 300) + ".\r\n"}}
	w = start(t, newstest.Groups{"a.many": many}, so, nil)
	_, err = readItems(w.open("/a.many"))
	wantError(t, err, scheme.ErrTooLarge)
}

// Reading after Close must return fs.ErrClosed, and not a protocol error.
func TestClosed(t *testing.T) {
	long := "Message-ID: <x@y>\r\n\r\n" + strings.Repeat(strings.Repeat("x", 78)+"\r\n", 100_000)
	w := start(t, newstest.Groups{"a.few": {Articles: []string{long}}}, nil, nil)
	for _, path := range []string{"/a.few/1", "/a.few"} {
		r, err := w.open(path)
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		switch r := r.(type) {
		case *scheme.Object:
			_, err = io.Copy(io.Discard, r.Body)
		case *scheme.Menu:
			for _, err = range r.Items {
			}
		}
		// A whole list may have arrived before Close.
		if !errors.Is(err, fs.ErrClosed) && (path != "/a.few" || err != nil) || errors.Is(err, scheme.ErrProtocol) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
