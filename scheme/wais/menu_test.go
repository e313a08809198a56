package wais

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// found is what a search shows whose answer has these records.
func found(t *testing.T, accept string, records ...string) []scheme.Item {
	t.Helper()
	w := newWorld(t, newPeer(t, answering(packetOf(records...))), nil)
	w.req.Accept = accept
	return w.menu("db?words")
}

// Each type of a document is an item, the one that is wanted most first.
func TestTypes(t *testing.T) {
	const mole = "\x02\x02db\x03\x04mole"
	hit := hitOf(mole, "Mole", "TEXT", "GIF", "HTML", "X-ODD")
	for accept, want := range map[string]string{
		"":                              "TEXT 100,GIF -1,HTML -1,X-ODD -1",
		"image/*":                       "GIF -1,TEXT 100,HTML -1,X-ODD -1",
		"text/html, text/*;q=0.5":       "HTML -1,TEXT 100,GIF -1,X-ODD -1",
		"application/octet-stream, */*": "TEXT 100,GIF -1,HTML -1,X-ODD -1",
		"*/*;q=0.1, application/*":      "X-ODD -1,TEXT 100,GIF -1,HTML -1",
	} {
		var got []string
		for i, item := range found(t, accept, hit) {
			x, err := Parse(item.URL)
			if err != nil {
				t.Fatal(err)
			}
			alternative := item.Fields[len(item.Fields)-1].Name == "alternative"
			note := "score 5, 2 lines"
			if i > 0 {
				note = "the same document, as " + x.wtype
			}
			if id, _ := x.DocumentID(); id != mole || alternative != (i > 0) || item.Note != note || item.Title != "Mole" {
				t.Errorf("%q: %+v", accept, item)
			}
			got = append(got, fmt.Sprint(x.wtype, " ", item.Size))
		}
		if strings.Join(got, ",") != want {
			t.Errorf("%q: %q, want %q", accept, got, want)
		}
	}
	w := newWorld(t, newPeer(t, nil), nil)
	w.req.Accept = "text/;"
	if _, err := w.open("db?words"); !errors.As(err, new(*locus.SyntaxError)) {
		t.Error(err)
	}
}

// What can't be followed has no URL, and says why.
func TestItemURLs(t *testing.T) {
	for _, c := range []struct {
		id, headline, wtype string
		url, note           string
	}{
		{"\x03\x02id", "a", "TEXT", "wais://h/db/TEXT/3%3Did%3B", ""},
		{"\x03\x03a;b", "a", "TEXT", "wais://h/db/TEXT/%03%03a%3Bb", ""},          // a field that would end early
		{"\x03\x03a;/\x81", "a", "TEXT", "wais://h/db/TEXT/%03%03a%3B%2F%81", ""}, // an element of which nothing is there
		{"opaque %", "a", "TEXT", "wais://h/db/TEXT/opaque%20%25", ""},
		{"\x03\x80\x02id", "a", "TEXT", "wais://h/db/TEXT/%03%80%02id", ""}, // not as it would be written
		{"3=x;", "a", "TEXT", "", "no URL: its document-id reads as another"},
		{"\x03\x02id", "a", "TE XT", "", "no URL: "},
		{"\x03\x02id", "a", "T\xffT", "", "no URL: "},
		{"\x03\x02id", " gopher://h/1 ", "URL", "gopher://h/1", ""},
		{"\x03\x02id", "not a URL", "URL", "", "no URL: scheme: "},
	} {
		list := found(t, "", hitOf(c.id, c.headline, c.wtype))
		if len(list) != 1 {
			t.Fatalf("%+v", list)
		}
		item := list[0]
		if item.URL.String() != c.url || item.Title != c.headline || !strings.HasPrefix(item.Note, "score 5, 2 lines") || !strings.Contains(item.Note, c.note) {
			t.Errorf("%q: %+v", c.id, item)
		}
		if c.wtype == "URL" && (item.Kind != scheme.KindUnknown || item.Size != -1 || item.Type != "") {
			t.Errorf("%+v", item)
		}
		if strings.Contains(item.Note, "wais: ") {
			t.Error(item.Note)
		}
	}
}

func TestHitDates(t *testing.T) {
	for date, want := range map[string]string{
		"": "", "0": "", "940612": "1994-06-12", "19940612": "1994-06-12", "690101": "1969-01-01", "680101": "2068-01-01",
		"941312": "", "19941312": "", "June 1": "", "1994-6-1": "", "abcdef": "",
	} {
		item := found(t, "", group(150, group(116, "\x03\x01a"), group(122, date)))[0]
		got := ""
		if !item.ModTime.IsZero() {
			got = item.ModTime.Format("2006-01-02")
		}
		if got != want {
			t.Errorf("%q: %s", date, got)
		}
	}
}

// What a server does not say is not made up.
func TestSparseHit(t *testing.T) {
	item := found(t, "", group(154, group(116, "i")))[0]
	if got := fmt.Sprintf("%+v", item); got != "{URL:wais://h/db/TEXT/i Title:(no title) Kind:object Type:text/plain Size:-1 ModTime:0001-01-01 00:00:00 +0000 UTC Note: Fields:[{Name:wtype Value:TEXT} {Name:wtypes Value:[TEXT]}]}" {
		t.Error(got)
	}
	// Many hits of one document are many.
	if list := found(t, "", hitOf("i", "a", "TEXT"), hitOf("i", "a", "TEXT")); len(list) != 2 {
		t.Errorf("%+v", list)
	}
}

// Texts of a server stay as they are: they are made safe where they are shown.
func TestForeignTexts(t *testing.T) {
	list := found(t, "", hitOf("i", "\x1b[2J<script>\r\n", "TEXT"), diagnosticOf("S2", "\x1b]0;x\x07"))
	if list[0].Title != "\x1b[2J<script>\r\n" || list[1].Kind != scheme.KindError || !strings.Contains(list[1].Title, `"\x1b]0;x\a"`) {
		t.Errorf("%+v", list)
	}
}

func TestSearchErrors(t *testing.T) {
	for _, c := range []struct {
		answer []byte
		kind   error
		says   string
	}{
		{packetOf(diagnosticOf("T2", "")), scheme.ErrAuth, "access refused"},
		{packetOf(diagnosticOf("S5", "the"), diagnosticOf("S2", "")), scheme.ErrUnsupported, "only stop words"},
		{packetOf(diagnosticOf("??", "what")), scheme.ErrProtocol, "what"},
		{[]byte("HTTP/1.0 400 Bad Request\r\n"), scheme.ErrProtocol, "HTTP/1.0 4"},
		{packetOf("\x96"), scheme.ErrProtocol, ""},
		{append([]byte(testHeader(3)), 0, 1, 20), scheme.ErrProtocol, ""},
		{nil, scheme.ErrProtocol, "close the connection"},
	} {
		w := newWorld(t, newPeer(t, answering(c.answer)), nil)
		_, err := w.open("db?words")
		wantError(t, err, c.kind, c.says)
	}
	if list := found(t, ""); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	// An answer to another request.
	other := []byte("\x00\x0e\x17\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x01\x34")
	w := newWorld(t, newPeer(t, answering(append([]byte(testHeader(len(other))), other...))), nil)
	_, err := w.open("db/TEXT/3=id")
	wantError(t, err, scheme.ErrProtocol, `"4"`)
}

func TestDescribe(t *testing.T) {
	description := "(:source :ip-name \"evil.dom\" :description \"one\r\ntwo\n\n\" :cost 1.50 :cost-unit :dollars-per-minute)"
	const form = "Search db"
	sourceOnly := hitOf("s", "About", "WSRC")
	about := "object|application/x-wais-source|About|score 5, 2 lines\n"
	for _, c := range []struct {
		answers [][]byte
		want    string
	}{
		{[][]byte{packetOf(sourceOnly), packetOf(textOf(description))}, "info||one|\ninfo||two|\ninfo||Cost: 1.50 dollars-per-minute|\n" + about},
		{[][]byte{packetOf(hitOf("x", "Two", "TEXT", "WSRC")), packetOf(textOf("(:source)"))},
			"object|text/plain|Two|score 5, 2 lines\nobject|application/x-wais-source|Two|the same document, as WSRC\n"},
		{[][]byte{packetOf(sourceOnly), packetOf(textOf("nothing"))}, "error||source description: octet 0: protocol error: it begins with \"(:source\"|\n" + about},
		{[][]byte{packetOf(sourceOnly), packetOf(outOfRange)}, "error||out of range (SF): the server says \"Request out of range\"|\n" + about},
		{[][]byte{packetOf(sourceOnly), emptyPacket, emptyPacket, emptyPacket, emptyPacket, emptyPacket, emptyPacket},
			"error||" + strings.TrimPrefix(ErrEmpty.Error(), "wais: ") + "|\n" + about},
		{[][]byte{packetOf(sourceOnly)}, "error||after 0 octets"},
		{[][]byte{packetOf(hitOf("i", "a", "TEXT"))}, "object|text/plain|a|score 5, 2 lines\n"},
		{[][]byte{packetOf()}, ""},
		{[][]byte{packetOf(diagnosticOf("S5", ""))}, "error||only stop words (S5)|\n"},
		{[][]byte{emptyPacket}, "error||" + strings.TrimPrefix(ErrEmpty.Error(), "wais: ") + "|\n"},
	} {
		w := newWorld(t, newPeer(t, answering(c.answers...)), nil)
		res, err := w.open("db")
		if err != nil {
			t.Errorf("%q: %v", c.want, err)
			continue
		}
		got := lines(itemsOf(t, res))
		if got != c.want && !(strings.HasSuffix(c.want, "octets") && strings.HasPrefix(got, c.want)) {
			t.Errorf("%q\nwant %q", got, c.want)
		}
		for range res.(*scheme.Menu).Items {
			break // as whoever has seen enough does
		}
		if m := res.(*scheme.Menu); m.Title != "db" || m.Form == nil || m.Form.Title != form || m.URL.String() != "wais://h/db" {
			t.Errorf("%+v", m)
		}
		if q := w.peer.asked(t, 0).(*Query); q.Words != "" || q.Database != "db" || q.Max != 40 {
			t.Errorf("%+v", q)
		}
	}
	for kind, answer := range map[error][]byte{
		scheme.ErrAuth:     packetOf(diagnosticOf("T2", "")),
		scheme.ErrNotFound: packetOf(diagnosticOf("S1", "The following database is not available: db")),
		scheme.ErrProtocol: nil,
	} {
		w := newWorld(t, newPeer(t, answering(answer)), nil)
		_, err := w.open("db")
		wantError(t, err, kind)
	}
	// A description without end.
	long := newPeer(t, func(n int, request []byte) []byte {
		if n == 0 {
			return packetOf(sourceOnly)
		}
		return documentAnswer(strings.Repeat("x", 2*maxSource), 100000, request)
	})
	res, err := newWorld(t, long, &Options{Range: 90000}).open("db")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := lines(itemsOf(t, res)), fmt.Sprintf("error||too large: the document has more than %d octets|\n", maxSource)+about; got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
	// The empty name is that of the server's own database.
	w := newWorld(t, newPeer(t, answering(packetOf())), nil)
	if res, err := w.open(""); err != nil || res.(*scheme.Menu).Title != "h" {
		t.Error(err)
	}
}

func TestForm(t *testing.T) {
	p := newPeer(t, func(int, []byte) []byte { return packetOf(hitOf("i", "a", "TEXT")) })
	w := newWorld(t, p, nil)
	res, err := w.open("d%2Fb?c%2B%2B+%26")
	if err != nil {
		t.Fatal(err)
	}
	form := res.(*scheme.Menu).Form
	if got := res.(*scheme.Menu).Title; got != "c++ & in d/b" {
		t.Error(got)
	}
	if len(form.Fields) != 1 || form.Fields[0].Kind != scheme.FieldText || form.Defaults()[0] != "c++ &" {
		t.Errorf("%+v", form)
	}
	for words, want := range map[string]string{"c++ &": "wais://h/d%2Fb?c%2B%2B%20&", "a?b": "wais://h/d%2Fb?a%3Fb", "\xe9": "wais://h/d%2Fb?%E9"} {
		u, err := form.Submit([]string{words})
		if err != nil || u.String() != want {
			t.Errorf("%q: %v, %v", words, u, err)
		}
		if x, _ := Parse(u); err == nil {
			if got, _ := x.Words(); got != words {
				t.Errorf("%q: %q", words, got)
			}
		}
	}
	for _, answers := range [][]string{{""}, {"  "}, {"a\nb"}, {"\x00"}, nil, {"a", "b"}} {
		if u, err := form.Submit(answers); !errors.As(err, new(*scheme.AnswerError)) {
			t.Errorf("%q: %v, %v", answers, u, err)
		}
	}

	// With somebody to fill it in, the search is done at once.
	failing := errors.New("no")
	for _, c := range []struct {
		answers []string
		ok      bool
		err     error
		words   string
	}{
		{[]string{"two words"}, true, nil, "two words"},
		{nil, false, nil, ""},
		{nil, false, failing, ""},
		{[]string{""}, true, nil, ""},
	} {
		p := newPeer(t, func(int, []byte) []byte { return packetOf(hitOf("i", "a", "TEXT")) })
		w := newWorld(t, p, nil)
		w.req.Fill = func(_ context.Context, f *scheme.Form) ([]string, bool, error) {
			if requests, _ := p.sent(); len(requests) > 0 || f.Title != "Search db" {
				t.Errorf("%d requests before the form %q", len(requests), f.Title)
			}
			return c.answers, c.ok, c.err
		}
		res, err := w.open("db")
		switch {
		case c.err != nil:
			if !errors.Is(err, c.err) {
				t.Error(err)
			}
		case c.ok && c.words == "":
			if !errors.As(err, new(*scheme.AnswerError)) {
				t.Error(err)
			}
		case err != nil:
			t.Error(err)
		default:
			itemsOf(t, res)
			if q := p.asked(t, 0).(*Query); q.Words != c.words {
				t.Errorf("%+v", q)
			}
		}
		// A search and a document ask for nothing.
		if _, err := newWorldFilling(t).open("db?a"); err != nil {
			t.Error(err)
		}
	}
}

// newWorldFilling is one whose forms nobody may be asked to fill in.
func newWorldFilling(t *testing.T) *world {
	w := newWorld(t, newPeer(t, answering(packetOf())), nil)
	w.req.Fill = func(context.Context, *scheme.Form) ([]string, bool, error) {
		t.Error("a form")
		return nil, false, nil
	}
	return w
}

func TestLike(t *testing.T) {
	like := func(texts ...string) (list []locus.URL) {
		for _, text := range texts {
			list = append(list, locus.MustParse(text))
		}
		return list
	}
	p := newPeer(t, answering(packetOf()))
	w := newWorld(t, p, nil)
	w.req.Like = like("wais://h/db/TEXT/3=a;", "wais://other/x/GIF/206/1%3Db%3B", "wais://h/db/TEXT/opaque")
	w.menu("db?more")
	q := p.asked(t, 0).(*Query)
	if got := fmt.Sprintf("%q %v", q.Words, q.Examples); got != fmt.Sprintf("%q %v", "more", []Example{{ID: "\x03\x01a", Wtype: "TEXT"}, {ID: "206/1=b;", Wtype: "GIF"}, {ID: "opaque", Wtype: "TEXT"}}) {
		t.Error(got)
	}
	for path, list := range map[string][]locus.URL{
		"db?a": like("http://u:secret@h/"), "db?b": like("wais://h/db"), "db?c": like("wais://h/db/TEXT/3=a;", "wais://h/db?x"), "db?d": like("wais:a"),
		"db": like("wais://h/db/TEXT/3=a;"), "db/TEXT/3=a": like("wais://h/db/TEXT/3=a;"),
	} {
		p := newPeer(t, nil)
		w := newWorld(t, p, nil)
		w.req.Like = list
		_, err := w.open(path)
		wantError(t, err, scheme.ErrUnsupported, "like")
		if strings.Contains(err.Error(), "secret") {
			t.Error(err)
		}
		if _, n := p.sent(); n > 0 {
			t.Errorf("%s: %d connections", path, n)
		}
	}
}

// An example that can't be in a request is refused by what its URL has.
func TestLikeRefused(t *testing.T) {
	p := newPeer(t, nil)
	w := newWorld(t, p, nil)
	w.req.Like = []locus.URL{locus.MustParse("wais://h/db/TE%20XT/3=a;")}
	_, err := w.open("db?x")
	var e *locus.SyntaxError
	if !errors.As(err, &e) || e.Part != "wtype" || e.Input != w.req.Like[0].String() {
		t.Error(err)
	}
	if _, n := p.sent(); n > 0 {
		t.Errorf("%d connections", n)
	}
}

func TestMediaType(t *testing.T) {
	for wtype, want := range map[string]string{"TEXT": "text/plain", "HTML": "text/html", "WSRC": "application/x-wais-source", "GIF": "image/gif", "TIFF": "image/tiff",
		"PS": "application/postscript", "JPEG": "image/jpeg", "text": "application/octet-stream", "": "application/octet-stream", "WAIS_NEXT": "application/octet-stream"} {
		if got := MediaType(wtype); got != want {
			t.Errorf("%s: %s", wtype, got)
		}
	}
}
