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

// searchItems performs a search with a response that contains the given records, and returns the
// items.
func searchItems(t *testing.T, accept string, records ...string) []scheme.Item {
	t.Helper()
	w := newFixture(t, newPeer(t, respondInOrder(packetOf(records...))), nil)
	w.req.Accept = accept
	return w.menu("db?words")
}

// A menu must contain an item for each type of a document, the preferred type first.
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
		for i, item := range searchItems(t, accept, hit) {
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
	w := newFixture(t, newPeer(t, nil), nil)
	w.req.Accept = "text/;"
	if _, err := w.openPath("db?words"); !errors.As(err, new(*locus.SyntaxError)) {
		t.Error(err)
	}
}

// An item that cannot be opened must have no URL, and a note must explain why.
func TestItemURLs(t *testing.T) {
	for _, c := range []struct {
		id, headline, wtype string
		url, note           string
	}{
		{"\x03\x02id", "a", "TEXT", "wais://h/db/TEXT/3%3Did%3B", ""},
		{"\x03\x03a;b", "a", "TEXT", "wais://h/db/TEXT/%03%03a%3Bb", ""},          // a ";" would end the field early
		{"\x03\x03a;/\x81", "a", "TEXT", "wais://h/db/TEXT/%03%03a%3B%2F%81", ""}, // the last element has no length
		{"opaque %", "a", "TEXT", "wais://h/db/TEXT/opaque%20%25", ""},
		{"\x03\x80\x02id", "a", "TEXT", "wais://h/db/TEXT/%03%80%02id", ""}, // not in the shortest encoding
		{"3=x;", "a", "TEXT", "", "no link: a URL can't express its document-id"},
		{"\x03\x02id", "a", "TE XT", "", "no link: "},
		{"\x03\x02id", "a", "T\xffT", "", "no link: "},
		{"\x03\x02id", " gopher://h/1 ", "URL", "gopher://h/1", ""},
		{"\x03\x02id", "not a URL", "URL", "", "no link: a control character or space must be encoded"},
	} {
		list := searchItems(t, "", hitOf(c.id, c.headline, c.wtype))
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
		item := searchItems(t, "", group(150, group(116, "\x03\x01a"), group(122, date)))[0]
		got := ""
		if !item.ModTime.IsZero() {
			got = item.ModTime.Format("2006-01-02")
		}
		if got != want {
			t.Errorf("%q: %s", date, got)
		}
	}
}

// The client must not invent values that the server does not send.
func TestSparseHit(t *testing.T) {
	item := searchItems(t, "", group(154, group(116, "i")))[0]
	if got := fmt.Sprintf("%+v", item); got != "{URL:wais://h/db/TEXT/i Title:(no title) Kind:object Type:text/plain Size:-1 ModTime:0001-01-01 00:00:00 +0000 UTC Note: Fields:[{Name:wtype Value:TEXT} {Name:wtypes Value:[TEXT]}]}" {
		t.Error(got)
	}
	// Two hits for the same document must remain two items.
	if list := searchItems(t, "", hitOf("i", "a", "TEXT"), hitOf("i", "a", "TEXT")); len(list) != 2 {
		t.Errorf("%+v", list)
	}
}

// The client must not change texts from the server, because the code that displays them makes
// them safe.
func TestForeignTexts(t *testing.T) {
	list := searchItems(t, "", hitOf("i", "\x1b[2J<script>\r\n", "TEXT"), diagnosticOf("S2", "\x1b]0;x\x07"))
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
		w := newFixture(t, newPeer(t, respondInOrder(c.answer)), nil)
		_, err := w.openPath("db?words")
		wantError(t, err, c.kind, c.says)
	}
	if list := searchItems(t, ""); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	// This is the response to another request.
	other := []byte("\x00\x0e\x17\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x01\x34")
	w := newFixture(t, newPeer(t, respondInOrder(append([]byte(testHeader(len(other))), other...))), nil)
	_, err := w.openPath("db/TEXT/3=id")
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
		{[][]byte{packetOf(sourceOnly), packetOf(textOf("nothing"))}, "error||source description: octet 0: protocol error: it must begin with \"(:source\"|\n" + about},
		{[][]byte{packetOf(sourceOnly), packetOf(outOfRange)}, "error||out of range (SF): the server says \"Request out of range\"|\n" + about},
		{[][]byte{packetOf(sourceOnly), emptyPacket, emptyPacket, emptyPacket, emptyPacket, emptyPacket, emptyPacket},
			"error||" + strings.TrimPrefix(ErrEmpty.Error(), "wais: ") + "|\n" + about},
		{[][]byte{packetOf(sourceOnly)}, "error||after 0 bytes"},
		{[][]byte{packetOf(hitOf("i", "a", "TEXT"))}, "object|text/plain|a|score 5, 2 lines\n"},
		{[][]byte{packetOf()}, ""},
		{[][]byte{packetOf(diagnosticOf("S5", ""))}, "error||only stop words (S5)|\n"},
		{[][]byte{emptyPacket}, "error||" + strings.TrimPrefix(ErrEmpty.Error(), "wais: ") + "|\n"},
	} {
		w := newFixture(t, newPeer(t, respondInOrder(c.answers...)), nil)
		res, err := w.openPath("db")
		if err != nil {
			t.Errorf("%q: %v", c.want, err)
			continue
		}
		got := lines(itemsOf(w, res))
		if got != c.want && !(strings.HasSuffix(c.want, "bytes") && strings.HasPrefix(got, c.want)) {
			t.Errorf("%q\nwant %q", got, c.want)
		}
		for range res.(*scheme.Menu).Items {
			break // stop iterating early
		}
		if m := res.(*scheme.Menu); m.Title != "db" || m.Form == nil || m.Form.Title != form || m.URL.String() != "wais://h/db" {
			t.Errorf("%+v", m)
		}
		if q := w.peer.decodedRequest(t, 0).(*query); q.Words != "" || q.Database != "db" || q.Max != 40 {
			t.Errorf("%+v", q)
		}
	}
	for kind, answer := range map[error][]byte{
		scheme.ErrAuth:     packetOf(diagnosticOf("T2", "")),
		scheme.ErrNotFound: packetOf(diagnosticOf("S1", "The following database is not available: db")),
		scheme.ErrProtocol: nil,
	} {
		w := newFixture(t, newPeer(t, respondInOrder(answer)), nil)
		_, err := w.openPath("db")
		wantError(t, err, kind)
	}
	// This server sends an endless description.
	long := newPeer(t, func(n int, request []byte) []byte {
		if n == 0 {
			return packetOf(sourceOnly)
		}
		return documentAnswer(strings.Repeat("x", 2*maxSource), 100000, request)
	})
	res, err := newFixture(t, long, &Options{Range: 90000}).openPath("db")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := lines(itemsOf(t, res)), fmt.Sprintf("error||too large: the document has more than %d bytes|\n", maxSource)+about; got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
	// An empty name selects the server's default database.
	w := newFixture(t, newPeer(t, respondInOrder(packetOf())), nil)
	if res, err := w.openPath(""); err != nil || res.(*scheme.Menu).Title != "h" {
		t.Error(err)
	}
}

func TestForm(t *testing.T) {
	p := newPeer(t, func(int, []byte) []byte { return packetOf(hitOf("i", "a", "TEXT")) })
	w := newFixture(t, p, nil)
	res, err := w.openPath("d%2Fb?c%2B%2B+%26")
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

	// If Fill returns answers, Open must search at once.
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
		w := newFixture(t, p, nil)
		w.req.Fill = func(_ context.Context, f *scheme.Form) ([]string, bool, error) {
			if requests, _ := p.received(); len(requests) > 0 || f.Title != "Search db" {
				t.Errorf("%d requests before the form %q", len(requests), f.Title)
			}
			return c.answers, c.ok, c.err
		}
		res, err := w.openPath("db")
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
			itemsOf(w, res)
			if q := p.decodedRequest(t, 0).(*query); q.Words != c.words {
				t.Errorf("%+v", q)
			}
		}
		// Opening a search or a document must not call Fill.
		if _, err := newFixtureFilling(t).openPath("db?a"); err != nil {
			t.Error(err)
		}
	}
}

// newFixtureFilling returns a fixture that fails the test if the client calls Fill.
func newFixtureFilling(t *testing.T) *fixture {
	w := newFixture(t, newPeer(t, respondInOrder(packetOf())), nil)
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
	p := newPeer(t, respondInOrder(packetOf()))
	w := newFixture(t, p, nil)
	w.req.Like = like("wais://h/db/TEXT/3=a;", "wais://other/x/GIF/206/1%3Db%3B", "wais://h/db/TEXT/opaque")
	w.menu("db?more")
	q := p.decodedRequest(t, 0).(*query)
	if got := fmt.Sprintf("%q %v", q.Words, q.Examples); got != fmt.Sprintf("%q %v", "more", []example{{ID: "\x03\x01a", Wtype: "TEXT"}, {ID: "206/1=b;", Wtype: "GIF"}, {ID: "opaque", Wtype: "TEXT"}}) {
		t.Error(got)
	}
	for path, list := range map[string][]locus.URL{
		"db?a": like("http://u:secret@h/"), "db?b": like("wais://h/db"), "db?c": like("wais://h/db/TEXT/3=a;", "wais://h/db?x"), "db?d": like("wais:a"),
		"db": like("wais://h/db/TEXT/3=a;"), "db/TEXT/3=a": like("wais://h/db/TEXT/3=a;"),
	} {
		p := newPeer(t, nil)
		w := newFixture(t, p, nil)
		w.req.Like = list
		_, err := w.openPath(path)
		wantError(t, err, scheme.ErrUnsupported, "like")
		if strings.Contains(err.Error(), "secret") {
			t.Error(err)
		}
		if _, n := p.received(); n > 0 {
			t.Errorf("%s: %d connections", path, n)
		}
	}
}

// The client must reject an invalid example URL, and the error must describe the fault.
func TestLikeRefused(t *testing.T) {
	p := newPeer(t, nil)
	w := newFixture(t, p, nil)
	w.req.Like = []locus.URL{locus.MustParse("wais://h/db/TE%20XT/3=a;")}
	_, err := w.openPath("db?x")
	var e *locus.SyntaxError
	if !errors.As(err, &e) || e.Part != "wtype" || e.Input != w.req.Like[0].String() {
		t.Error(err)
	}
	if _, n := p.received(); n > 0 {
		t.Errorf("%d connections", n)
	}
}

func TestMediaType(t *testing.T) {
	for wtype, want := range map[string]string{"TEXT": "text/plain", "HTML": "text/html", "WSRC": "application/x-wais-source", "GIF": "image/gif", "TIFF": "image/tiff",
		"PS": "application/postscript", "JPEG": "image/jpeg", "text": "application/octet-stream", "": "application/octet-stream", "WAIS_NEXT": "application/octet-stream"} {
		if got := mediaTypeOf(wtype); got != want {
			t.Errorf("%s: %s", wtype, got)
		}
	}
}

// If a response contains hits, a diagnostic must become an item. If it contains none, Open
// must return the diagnostic as the error.
func TestDiagnosticsAmongHits(t *testing.T) {
	trouble := diagnosticOf("S1", "query syntax error: ((")
	catalogue := group(150, group(116, "\x03\x01c"), group(118, "\x00"), group(123, "Catalogue for db"))
	list := searchItems(t, "", hitOf("i", "a", "TEXT"), catalogue, trouble)
	if last := list[len(list)-1]; last.Kind != scheme.KindError || !strings.Contains(last.Title, "query syntax error") {
		t.Errorf("%+v", list)
	}
	for _, records := range []string{trouble, catalogue + trouble} {
		w := newFixture(t, newPeer(t, respondInOrder(packetOf(records))), nil)
		_, err := w.openPath("db?((")
		wantError(t, err, scheme.ErrProtocol, "query syntax error")
	}
	// Documents with score 0 must not cause an error if the response contains no diagnostic.
	if list := searchItems(t, "", catalogue); len(list) != 2 {
		t.Errorf("%+v", list)
	}
}

// The client must detect a missing database, although freeWAIS sends an empty response to a
// search without words.
func TestMissingDatabase(t *testing.T) {
	missing := packetOf(diagnosticOf("S1", "The following database is not available: /wais/db"))
	p := newPeer(t, respondInOrder(packetOf(), missing))
	_, err := newFixture(t, p, nil).openPath("db")
	wantError(t, err, scheme.ErrNotFound, "no such database (S1)")
	if q := p.decodedRequest(t, 1).(*query); q.Words != "?" || q.Database != "db" {
		t.Errorf("%+v", q)
	}
	if _, connections := p.received(); connections != 1 {
		t.Errorf("%d connections", connections)
	}
	for _, answer := range [][]byte{packetOf(diagnosticOf("S1", "query syntax error: ?")), packetOf(), emptyPacket, packetOf(hitOf("i", "a", "TEXT")), nil} {
		w := newFixture(t, newPeer(t, respondInOrder(packetOf(), answer)), nil)
		if list := w.menu("db"); len(list) != 0 {
			t.Errorf("%q: %+v", answer, list)
		}
	}
}

// Request.Items must select hits by rank.
func TestItems(t *testing.T) {
	all := ""
	for n := range 60 {
		all += hitOf("i", fmt.Sprintf("h%d", n+1), "TEXT")
	}
	for _, c := range []struct {
		items       scheme.ItemRange
		max         int // maximum in the request
		first, last string
		count       int
	}{
		{scheme.ItemRange{}, 40, "h1", "There may be more hits: only 40 were requested.", 61},
		{scheme.ItemRange{Newest: 60}, 60, "h1", "There may be more hits: only 60 were requested.", 61},
		{scheme.ItemRange{Newest: 100}, 100, "h1", "h60", 60},
		{scheme.ItemRange{Last: 200}, 200, "h1", "h60", 60},
		{scheme.ItemRange{First: 41}, 80, "h41", "h60", 20},
		{scheme.ItemRange{First: 11, Last: 60}, 60, "h11", "There may be more hits: only 60 were requested.", 51},
		{scheme.ItemRange{First: 11, Newest: 5}, 15, "h11", "There may be more hits: only 15 were requested.", 51},
		{scheme.ItemRange{First: 11, Last: 90, Newest: 85}, 90, "h11", "h60", 50},
		{scheme.ItemRange{First: 100}, 139, "There are only 60 hits.", "There are only 60 hits.", 1},
		{scheme.ItemRange{Last: 1 << 62}, 10_000, "h1", "h60", 60},
		{scheme.ItemRange{First: 9_999}, 10_000, "There are only 60 hits.", "There are only 60 hits.", 1},
	} {
		w := newFixture(t, newPeer(t, respondInOrder(packetOf(all))), nil)
		w.req.Items = c.items
		list := w.menu("db?words")
		if q := w.peer.decodedRequest(t, 0).(*query); q.Max != c.max {
			t.Errorf("%+v: asked for %d, want %d", c.items, q.Max, c.max)
		}
		if len(list) != c.count || list[0].Title != c.first || list[len(list)-1].Title != c.last {
			t.Errorf("%+v: %d items, %q to %q", c.items, len(list), list[0].Title, list[len(list)-1].Title)
		}
	}
	w := newFixture(t, newPeer(t, respondInOrder()), nil)
	w.req.Items = scheme.ItemRange{First: 10_001}
	_, err := w.openPath("db?words")
	wantError(t, err, scheme.ErrTooLarge, "hits from 10001 were requested, but only 10000 can be")
}

// A link to the database must follow each source description.
func TestSourceLinks(t *testing.T) {
	source := hitOf("s", "coast.src", "WSRC")
	for description, want := range map[string]string{
		`(:source :ip-name "wais.example.org" :tcp-port 8210 :database-name "/wais/coast")`: "wais://wais.example.org:8210/%2Fwais%2Fcoast",
		`(:source :ip-name "wais.example.org" :tcp-port 210 :database-name "coast")`:        "wais://wais.example.org/coast",
		`(:source :ip-address "192.0.2.7" :database-name "coast")`:                          "wais://192.0.2.7/coast",
		`(:source :database-name "coast")`:                                                  "wais://h:2100/coast",
		`(:source :ip-name "h/x" :database-name "coast")`:                                   "",
		`(:source :ip-name "a b" :database-name "coast")`:                                   "",
		`nothing`: "",
		"(:source :description \"" + strings.Repeat("x", maxLinkedSource) + "\")": "",
	} {
		p := newPeer(t, func(n int, request []byte) []byte {
			if n == 0 {
				return packetOf(source + hitOf("i", "after", "TEXT"))
			}
			return documentAnswer(description, 100000, request)
		})
		w := newFixture(t, p, nil)
		w.req.URL = locus.MustParse("wais://h:2100/INFO?coast")
		res, err := w.client.Open(t.Context(), &w.req)
		if err != nil {
			t.Fatal(err)
		}
		list := itemsOf(w, res)
		if len(list) != 3 || list[0].Kind != scheme.KindObject || list[2].Title != "after" {
			t.Fatalf("%s: %+v", description, list)
		}
		link := list[1]
		if link.URL.String() != want || want != "" && (link.Kind != scheme.KindSearch || link.Note != "the database that coast.src describes") ||
			want == "" && (link.Kind != scheme.KindInfo || !strings.HasPrefix(link.Title, "No link to the database of coast.src: ")) {
			t.Errorf("%.100s: %+v", description, link)
		}
		if want != "" && check(link.URL, locus.RFC1738) != nil {
			t.Errorf("%s: %v", link.URL, check(link.URL, locus.RFC1738))
		}
		if _, connections := p.received(); connections > 2 {
			t.Errorf("%d connections", connections)
		}
	}
}

// The client must limit the number of descriptions that it fetches, and must fetch none after
// an error.
func TestSourceLinksEnd(t *testing.T) {
	many := strings.Repeat(hitOf("s", "a.src", "WSRC"), 50)
	for _, c := range []struct {
		gone int // the server closes the connection after this request
		want int // expected number of requests
	}{{1000, 1 + maxSources}, {3, 1 + 3 + 1}} {
		p := newPeer(t, func(n int, request []byte) []byte {
			switch {
			case n == 0:
				return packetOf(many)
			case n > c.gone:
				return nil
			}
			return documentAnswer(`(:source :database-name "a")`, 100000, request)
		})
		list := newFixture(t, p, &Options{Max: 60}).menu("INFO?a")
		if requests, _ := p.received(); len(requests) > c.want+1 || len(list) < 50 {
			t.Errorf("%d requests and %d items", len(requests), len(list))
		}
	}
}

// If the server rejects a document-id that is escaped twice, the client must decode it a
// second time.
func TestEscapedTwice(t *testing.T) {
	const id = "\x02\x05coast\x03\x03a/b"
	for wpath, first := range map[string]string{
		"2%3Dcoast%3B3%3Da%252Fb%3B":       "\x02\x05coast\x03\x05a%2Fb",
		"2%253Dcoast%253B3%253Da%252Fb":    "2%3Dcoast%3B3%3Da%2Fb",
		"2=coast;3=a%252Fb;":               "\x02\x05coast\x03\x05a%2Fb",
		"206%2F2%3Dcoast%3B3%3Da%252Fb%3B": "206/2=coast;3=a%2Fb;",
		"206/2=coast;3=a%252Fb;":           "\x02\x05coast\x03\x05a%2Fb",
		"%2502%2505coast%2503%2503a%252Fb": "%02%05coast%03%03a%2Fb",
		"2%3dcoast%3b3%3da%252fb%3b":       "\x02\x05coast\x03\x05a%2fb",
	} {
		for _, refusal := range [][]byte{packetOf(outOfRange), emptyPacket, nil} {
			p := newPeer(t, func(_ int, request []byte) []byte {
				if r, ok := slowRequest(request); ok && string(r.(*retrieval).ID) == id {
					return packetOf(textOf("found") + outOfRange)
				}
				return refusal
			})
			w := newFixture(t, p, nil)
			res, err := w.openPath("db/TEXT/" + wpath)
			if err != nil {
				t.Errorf("%s: %v", wpath, err)
				continue
			}
			if note := res.(*scheme.Object).Note; !strings.Contains(note, "escaped twice") {
				t.Errorf("%s: %q", wpath, note)
			}
			if text, err := readAll(res, nil); text != "found" || err != nil {
				t.Errorf("%s: %q, %v", wpath, text, err)
			}
			if r := p.decodedRequest(t, 0).(*retrieval); string(r.ID) != first {
				t.Errorf("%s: asked for %q first, want %q", wpath, r.ID, first)
			}
		}
	}
	// The client must request a document-id that is escaped once only once.
	for _, wpath := range []string{"2=coast;3=a;", "2%3Dcoast%3B", "%02%05coast", "a%25b", "100%2525", "2=coast;3=%2541;"} {
		p := newPeer(t, func(int, []byte) []byte { return packetOf(outOfRange) })
		_, err := newFixture(t, p, nil).openPath("db/TEXT/" + wpath)
		wantError(t, err, scheme.ErrNotFound, "Request out of range")
		want := 1
		if strings.HasSuffix(wpath, "%2541;") {
			want = 2
		}
		if requests, _ := p.received(); len(requests) != want {
			t.Errorf("%s: %d requests", wpath, len(requests))
		}
	}
	// The client must not send a second request after other errors.
	p := newPeer(t, func(int, []byte) []byte { return packetOf(diagnosticOf("T2", "")) })
	_, err := newFixture(t, p, nil).openPath("db/TEXT/2=coast;3=a%252Fb;")
	wantError(t, err, scheme.ErrAuth, "")
	if requests, _ := p.received(); len(requests) != 1 {
		t.Errorf("%d requests", len(requests))
	}
}

// The URL of a document must determine the type, whatever types the request prefers. The note
// must report this.
func TestTypeFromURL(t *testing.T) {
	for accept, note := range map[string]string{
		"":                          "",
		"text/plain":                "",
		"text/*":                    "",
		"image/gif, */*;q=0.1":      "",
		"image/gif":                 "the URL specifies the type TEXT, which is text/plain: the preference image/gif has no effect",
		"image/gif, text/plain;q=0": "the URL specifies the type TEXT, which is text/plain: the preference image/gif, text/plain;q=0 has no effect",
	} {
		w := newFixture(t, documentPeer(t, "text", 100000), nil)
		w.req.Accept = accept
		res, err := w.openPath("db/TEXT/3=a;")
		if err != nil {
			t.Fatal(err)
		}
		if got := res.(*scheme.Object).Note; got != note {
			t.Errorf("%s: %q, want %q", accept, got, note)
		}
		res.Close()
	}
}
