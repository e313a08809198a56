package wais

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// localWpath returns the wpath of a document with the given local id. The captured server, on
// which the document is, identifies databases by file paths.
func localWpath(wtype, database, id string) string {
	escaped := strings.NewReplacer(" ", "%20", "/", "%2F", ":", "%3A", ";", "%3B", "=", "%3D", "\x00", "%00")
	return wtype + "/" + escaped.Replace(fmt.Sprintf("1=localhost:8210;2=/wais/%s;3=%s;4=localhost:8210;5=/wais/%s;6=%s;7=\x00;", database, id, database, id))
}

// draftPaths returns the path of a document in FieldsForm and in LengthForm.
func draftPaths(local string) string {
	return strings.NewReplacer("%2F", "/", "%3B", ";", "%3D", "=").Replace(local)
}

var (
	lamp    = localWpath("TEXT", "coast", "0 206 /wais/harbour/lamp.txt")
	chart   = localWpath("GIF", "coast", "0 2705 /wais/harbour/chart.gif")
	almanac = localWpath("TEXT", "coast", "0 138937 /wais/harbour/almanac.txt")
)

// These constants are items in the format of [lines].
const (
	noHits = "info||Search produced no result. Here's the Catalog for database: coast|\n" +
		"object|text/plain|Catalogue|not a hit, 69 lines\n"
	fiveHits = "object|text/plain|latin.txt   /wais/harbour/|score 502, 4 lines\n" +
		"object|text/plain|pilot.txt   /wais/harbour/|score 397, 7 lines\n" +
		"object|text/html|index.html|score 195, 2 lines\n" +
		"object|text/plain|nonl.txt   /wais/harbour/|score 167, 3 lines\n" +
		"object|text/plain|mole.TEXT   /wais/harbour/|score 164, 4 lines\n" +
		"object|image/gif|mole.TEXT   /wais/harbour/|the same document, as GIF\n"
	infoHit    = "object|application/x-wais-source|coast.src|score 150, 19 lines\n"
	lampHit    = "object|text/plain|lamp.txt   /wais/harbour/|score 586, 5 lines\n"
	sourceHit  = "object|application/x-wais-source|Information on database: coast|score 1000, 20 lines\n"
	catalogHit = "object|text/plain|Catalog for database: coast|score 1000, 69 lines\n"
	madeHit    = "object|text/plain|a headline|score 500, 1 line\n"
)

// replays lists captures of other programs with freeWAIS-sf 2.2.10, and handmade responses. A
// peer sends the responses to the client.
var replays = []struct {
	name   string
	paths  string // paths of the URLs to open, in order
	o      Options
	offset int64
	like   string // path of an example document
	// sent is the expected result of comparing the client's requests with the captured
	// requests, with one word for each request. The result is "same" if they are identical,
	// "more" if the client sends more requests, and "other" if they differ. It is "end" if
	// only the ends of ranges differ, because other programs use the length of the document.
	sent string
	skip int    // number of responses to requests that the client does not send
	tail string // response to later requests
	doc  bool   // the result must be the contents of name.doc
	want string // items in the format of lines
	kind error
	says string
}{
	{name: "describe-database", paths: "coast", o: Options{Range: 427}, sent: "same same more", tail: "retrieve-at-end",
		want: "info||Server created with freeWAIS-sf 2.2.10 on Nov 20 20:18:10 2026 by root@localhost|\n" +
			"info||The files of type Text used in the index were:|\n" +
			"info||   /wais/harbour/mole.TEXT|\n" +
			"info||Maintainer: root@localhost|\n" +
			"info||Cost: free|\n" + sourceHit + catalogHit},
	{name: "init-rejected", paths: "coast?lantern", skip: 1, sent: "same", want: lampHit},
	{name: "init-unknown-element", paths: "coast?lantern", skip: 1, sent: "same", want: lampHit},
	{name: "lynx-retrieve", paths: "coast/" + strings.Replace(draftPaths(lamp), "/", "/206/", 1), o: Options{Range: 206}, sent: "same more", tail: "retrieve-at-end", doc: true},
	{name: "lynx-retrieve-gif", paths: "coast/" + draftPaths(chart), o: Options{Range: 2705}, sent: "same more", tail: "retrieve-at-end", doc: true},
	{name: "lynx-retrieve-two-fields", paths: "coast/TEXT/206/2=/wais/coast;3=0%20206%20/wais/harbour/lamp.txt;", o: Options{Range: 206}, sent: "same more", tail: "retrieve-at-end", doc: true},
	{name: "lynx-search", paths: "coast?lantern+mole", o: Options{Max: 200}, sent: "same",
		want: "object|text/plain|mole.TEXT   /wais/harbour/|score 928, 4 lines\n" +
			"object|image/gif|mole.TEXT   /wais/harbour/|the same document, as GIF\n" +
			"object|text/plain|lamp.txt   /wais/harbour/|score 586, 5 lines\n"},
	{name: "present-apdu", paths: "coast?lantern", sent: "other", kind: ErrEmpty, says: "could not respond"},
	{name: "present-apdu", paths: "coast?lantern", skip: 1, sent: "same", want: lampHit},
	{name: "retrieve-at-end", paths: "coast/" + lamp, offset: 206, o: Options{Range: 94}, sent: "same"},
	{name: "retrieve-bad-docid", paths: "coast/TEXT/9=abc;", o: Options{Range: 10}, sent: "same", kind: scheme.ErrNotFound, says: "Missing DocID in request"},
	{name: "retrieve-bad-local-id", paths: "coast/" + localWpath("TEXT", "coast", "xyzzy"), o: Options{Range: 10}, sent: "same", kind: scheme.ErrNotFound},
	{name: "retrieve-catalogue", paths: "coast/TEXT/2=coast;3=0%200%20/wais/coast.cat;7=%00;", o: Options{Range: 32}, sent: "same more", tail: "retrieve-at-end", doc: true},
	{name: "retrieve-crlf", paths: "coast/" + localWpath("TEXT", "coast", "0 99 /wais/harbour/crlf.txt"), o: Options{Range: 99}, sent: "same more", tail: "retrieve-at-end", doc: true},
	{name: "retrieve-empty-range", paths: "coast/" + lamp, offset: 10, sent: "end"},
	{name: "retrieve-far-past-end", paths: "coast/" + lamp, offset: 500, o: Options{Range: 100}, sent: "same more", tail: "retrieve-far-past-end", kind: scheme.ErrNotFound},
	{name: "retrieve-gif", paths: "coast/" + chart, sent: "end", doc: true},
	{name: "retrieve-gif-chunks", paths: "coast/" + chart, o: Options{Range: 1000}, sent: "same same end", doc: true},
	{name: "retrieve-html", paths: "coast/" + localWpath("HTML", "coast", "0 165 /wais/harbour/index.html"), o: Options{Range: 165}, sent: "same more", tail: "retrieve-at-end", doc: true},
	{name: "retrieve-latin1", paths: "coast/" + localWpath("TEXT", "coast", "0 119 /wais/harbour/latin.txt"), o: Options{Range: 119}, sent: "same more", tail: "retrieve-at-end", doc: true},
	{name: "retrieve-local-id-only", paths: "coast/TEXT/3=0%20206%20/wais/harbour/lamp.txt;", o: Options{Range: 206}, sent: "same", kind: scheme.ErrProtocol, says: "close the connection"},
	{name: "retrieve-long-waissearch", paths: "coast?almanac coast/" + almanac, skip: 1,
		sent: "same same same same same same same same same same same same same same end", doc: true,
		want: "object|text/plain|almanac.txt   /wais/harbour/|score 47, 3602 lines\n"},
	{name: "retrieve-missing-database", paths: "nosuch/" + lamp, o: Options{Range: 206}, sent: "same", kind: scheme.ErrProtocol, says: "close the connection"},
	{name: "retrieve-missing-file", paths: "coast/" + localWpath("TEXT", "coast", "0 20 /wais/harbour/absent.txt"), o: Options{Range: 10}, sent: "same", kind: scheme.ErrNotFound},
	{name: "retrieve-multitype", paths: "coast/" + localWpath("GIF", "coast", "0 101 /wais/harbour/mole.TEXT"), o: Options{Range: 300}, sent: "same same", doc: true},
	{name: "retrieve-part-of-file", paths: "coast/" + localWpath("TEXT", "coast", "44 85 /wais/harbour/berths.lst"), sent: "end", doc: true},
	{name: "retrieve-past-end", paths: "coast/" + lamp, offset: 100, o: Options{Range: 300}, sent: "same", doc: true},
	{name: "retrieve-range", paths: "coast/" + lamp, offset: 10, o: Options{Range: 30}, sent: "same more", tail: "retrieve-at-end", doc: true},
	{name: "retrieve-small-buffer", paths: "coast/" + almanac, o: Options{Range: 2000}, skip: 1, sent: "same end", doc: true},
	{name: "retrieve-too-large", paths: "coast/" + almanac, o: Options{Range: 138937}, sent: "same more", tail: "retrieve-at-end"},
	{name: "retrieve-wrong-type", paths: "coast/" + strings.Replace(lamp, "TEXT", "HTML", 1), o: Options{Range: 206}, sent: "same more", tail: "retrieve-at-end", doc: true},
	{name: "search-buffer-200", paths: "coast?harbour+buoy", skip: 1, sent: "same"},
	{name: "search-empty-words", paths: "coast?", sent: "same", want: sourceHit + catalogHit},
	{name: "search-feedback", paths: "coast?buoy", like: "coast/" + lamp, sent: "same",
		want: "object|text/plain|lamp.txt   /wais/harbour/|score 13077, 5 lines\n" +
			"object|text/plain|mole.TEXT   /wais/harbour/|score 1538, 4 lines\n" +
			"object|image/gif|mole.TEXT   /wais/harbour/|the same document, as GIF\n" +
			"object|text/plain|pilot.txt   /wais/harbour/|score 940, 7 lines\n" +
			"object|text/plain|nonl.txt   /wais/harbour/|score 939, 3 lines\n" +
			"object|text/plain|latin.txt   /wais/harbour/|score 904, 4 lines\n" +
			"object|text/html|index.html|score 690, 2 lines\n" +
			"object|text/plain|crlf.txt   /wais/harbour/|score 513, 4 lines\n" +
			"object|text/plain|almanac.txt   /wais/harbour/|score 80, 3602 lines\n" +
			"object|text/plain|berth 0: the Albatross lies here, 10 metres|score 73, 1 line\n" +
			"object|text/plain|berth 1: the Petrel lies here, 13 metres|score 73, 1 line\n" +
			"object|text/plain|berth 2: the Cormorant lies here, 16 metres|score 73, 1 line\n" +
			"object|text/plain|berth 3: the Skua lies here, 19 metres|score 73, 1 line\n" +
			"object|text/plain|berth 4: the Puffin lies here, 22 metres|score 73, 1 line\n" +
			"object|text/plain|berth 5: the Fulmar lies here, 25 metres|score 73, 1 line\n"},
	{name: "search-feedback-no-words", paths: "coast?", like: "coast/" + lamp, sent: "same", kind: scheme.ErrProtocol, says: `(S1): the server says "query syntax error: "`},
	{name: "search-header-version-1", paths: "coast?lantern", sent: "other", want: lampHit},
	{name: "search-header-version-3", paths: "coast?lantern", sent: "other", kind: scheme.ErrProtocol, says: "close the connection"},
	{name: "search-hits", paths: "coast?harbour+buoy", sent: "same",
		want: fiveHits + "object|text/plain|crlf.txt   /wais/harbour/|score 161, 4 lines\n" +
			"object|text/plain|lamp.txt   /wais/harbour/|score 155, 5 lines\n" +
			"object|text/plain|almanac.txt   /wais/harbour/|score 44, 3602 lines\n"},
	{name: "search-limit", paths: "coast?metres", o: Options{Max: 2}, sent: "same",
		want: "object|text/plain|berth 0: the Albatross lies here, 10 metres|score 335, 1 line\n" +
			"object|text/plain|berth 1: the Petrel lies here, 13 metres|score 335, 1 line\n" +
			"info||There may be more hits: only 2 were requested.|\n"},
	{name: "search-missing-database", paths: "nosuch?harbour", sent: "same", kind: scheme.ErrNotFound},
	{name: "search-missing-database", paths: "nosuch", sent: "other", kind: scheme.ErrNotFound},
	{name: "search-no-database", paths: "?harbour", sent: "same more", tail: "retrieve-at-end",
		want: infoHit + "info||No link to the database of coast.src: source description: octet 0: protocol error: it must begin with \"(:source\"|\n"},
	{name: "search-no-hits", paths: "coast?zeppelin", sent: "same", want: noHits},
	{name: "search-question-mark", paths: "coast?%3F", sent: "same",
		want: sourceHit + catalogHit + "error||permanent system error (S1): the server says \"query syntax error: ?\"|\n"},
	{name: "search-small-buffer", paths: "coast?harbour+buoy", skip: 1, sent: "same", want: fiveHits},
	{name: "search-syntax-error", paths: "coast?((", sent: "same", kind: scheme.ErrProtocol, says: `(S1): the server says "query syntax error: (("`},
	{name: "search-types", paths: "coast?mole", sent: "same",
		want: "object|text/plain|mole.TEXT   /wais/harbour/|score 928, 4 lines\nobject|image/gif|mole.TEXT   /wais/harbour/|the same document, as GIF\n"},
	{name: "session-info", paths: "INFO?mole", skip: 1, o: Options{Range: 427}, sent: "same same more", tail: "retrieve-at-end",
		want: infoHit + "search||coast|the database that coast.src describes\n"},
	{name: "session-info", paths: "INFO/" + localWpath("WSRC", "INFO", "0 427 /wais/coast.src"), o: Options{Range: 427}, skip: 2, sent: "same more", tail: "retrieve-at-end", doc: true},
	{name: "session-waisq-search", paths: "%2Fwais%2Fcoast?lantern+", skip: 1, sent: "same", want: lampHit},
	{name: "session-waissearch", paths: "coast?lantern coast/" + lamp, skip: 1, o: Options{Range: 206}, sent: "same same more", tail: "retrieve-at-end", doc: true, want: lampHit},

	{name: "made-empty-packet", paths: "coast?x", kind: ErrEmpty, says: "could not respond"},
	{name: "made-huge-length", paths: "coast?x", kind: scheme.ErrTooLarge, says: "9999999999"},
	{name: "made-length-not-a-number", paths: "coast?x", kind: scheme.ErrProtocol, says: "00000x0010"},
	{name: "made-length-overrun", paths: "coast?x", kind: scheme.ErrProtocol},
	{name: "made-noise-before-packet", paths: "coast?x", want: madeHit},
	{name: "made-number-negative", paths: "coast?x", want: "object|text/plain|h|\n"},
	{name: "made-padded-integers", paths: "coast?x", want: madeHit},
	{name: "made-short-header", paths: "coast?x", want: "object|text/plain|0 10 /x/y|score 500, 1 line\n"},
	{name: "made-text-without-id", paths: "coast/" + lamp, want: "hello\n"},
	{name: "made-truncated-packet", paths: "coast?x", kind: scheme.ErrProtocol, says: "unexpected EOF"},
	{name: "made-unknown-tags", paths: "coast?x", want: madeHit + "object|text/plain|second|score 500, 1 line\n"},
}

// notReplayed lists captures that contain requests that the client never sends, and the
// reason. Other tests parse the responses in these captures.
var notReplayed = map[string]string{
	"init":                    "the client sends no Init",
	"init-too-large":          "as init",
	"pipelined":               "two requests at once: the client sends one at a time",
	"two-apdus-in-one-packet": "a packet has one APDU",
	"retrieve-lines":          "the client requests octets, whose end is reported",
	"retrieve-lines-past-end": "as retrieve-lines",
	"retrieve-paragraph":      "as retrieve-lines",
	"retrieve-negative-start": "a range begins with 0 or later",
	"retrieve-no-range":       "a retrieval has a range",
	"retrieve-no-type":        "a retrieval has a type",
	"retrieve-next":           "WAIS_NEXT is not a type of a document",
	"search-feedback-bytes":   "no URL has a part of a document",
	"search-zero-wanted":      "a search through a URL wants documents",
}

func TestReplays(t *testing.T) {
	left := wireNames(t, ".s2c")
	for _, c := range replays {
		left = slices.DeleteFunc(left, func(name string) bool { return name == c.name })
		t.Run(c.name, func(t *testing.T) {
			octets := readWire(t, c.name+".s2c")
			answers := splitCapture(octets)[c.skip:]
			p := newPeer(t, func(n int, _ []byte) []byte {
				switch {
				case n < len(answers):
					return answers[n]
				case c.tail != "":
					return capturedPackets(t, c.tail+".s2c")[0]
				}
				return nil
			})
			w := newFixture(t, p, &c.o)
			w.req.Offset = c.offset
			if c.like != "" {
				w.req.Like = []locus.URL{locus.MustParse("wais://h/" + c.like)}
			}
			got, err := "", error(nil)
			for path := range strings.SplitSeq(c.paths, " ") {
				var res scheme.Resource
				if res, err = w.openPath(path); err != nil {
					break
				}
				if _, ok := res.(*scheme.Menu); ok {
					got += lines(itemsOf(w, res))
					continue
				}
				var text string
				text, err = readAll(res, nil)
				got += text
			}
			want := c.want
			if c.doc {
				want += string(readWire(t, c.name+".doc"))
			}
			if got != want {
				t.Errorf("%.2000s\nwant %.2000s", got, want)
			}
			if c.kind != nil {
				wantError(t, err, c.kind, c.says)
			} else if err != nil {
				t.Error(err)
			}
			if !strings.HasPrefix(c.name, "made-") {
				theirs := capturedPackets(t, c.name+".c2s")[c.skip:]
				if sent := compareSent(t, p, theirs); sent != c.sent {
					t.Errorf("sent %s, want %s", sent, c.sent)
				}
			}
			if _, n := p.received(); n != 1 {
				t.Errorf("%d connections", n)
			}
		})
	}
	for _, name := range left {
		if notReplayed[name] == "" {
			t.Errorf("%s is not replayed", name)
		}
		for _, packet := range splitCapture(readWire(t, name+".s2c")) {
			var r searchReply
			if apdu, err := readPacket(bytes.NewReader(packet), nil, defaultResponse); err != nil {
				wantError(t, err, ErrEmpty)
			} else if err := r.parse(apdu); err != nil && !strings.HasPrefix(name, "init") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if len(left) != len(notReplayed) {
		t.Errorf("not replayed are %v", left)
	}
}

// splitCapture splits a capture into packets. An incomplete packet at the end counts as a
// packet.
func splitCapture(octets []byte) (list [][]byte) {
	for len(octets) > 0 {
		packet, rest := cutPacket(octets)
		if packet == nil {
			return append(list, rest)
		}
		list = append(list, packet)
		octets = rest
	}
	return list
}

// compareSent compares the requests that p received with the captured requests.
func compareSent(t *testing.T, p *peer, theirs [][]byte) string {
	t.Helper()
	var list []string
	requests, _ := p.received()
	for i, request := range requests {
		verdict := "more"
		if i < len(theirs) {
			verdict = compareRequest(t, request, theirs[i])
		}
		list = append(list, verdict)
	}
	return strings.Join(list, " ")
}

func compareRequest(t *testing.T, ours, theirs []byte) string {
	t.Helper()
	if bytes.Equal(ours, theirs) {
		return "same"
	}
	a, ok := slowRequest(ours)
	if !ok {
		t.Fatalf("sent %q", ours)
	}
	b, _ := slowRequest(theirs)
	x, xOK := a.(*retrieval)
	y, yOK := b.(*retrieval)
	if xOK && yOK {
		end := *x
		if end.End = y.End; end == *y {
			return "end"
		}
	}
	return "other"
}

// TestHitsCaptured checks that the client requests each captured hit with the original
// document-id.
func TestHitsCaptured(t *testing.T) {
	for _, name := range []string{"search-hits", "search-no-hits", "search-empty-words", "search-feedback"} {
		want := parsedReply(t, name, 0)
		w := newFixture(t, newPeer(t, respondInOrder(capturedPackets(t, name+".s2c")...)), nil)
		var items []scheme.Item
		for _, item := range w.menu("%2Fwais?x") {
			if !item.URL.IsZero() {
				items = append(items, item)
			}
		}
		for _, hit := range want.Hits {
			for i, wtype := range hit.Wtypes {
				item := items[0]
				items = items[1:]
				x, err := Parse(item.URL)
				id, _ := x.DocumentID()
				if err != nil || id != hit.ID || x.wtype != wtype || x.database != "/wais" || x.form != EscapedForm || check(item.URL, locus.RFC1738) != nil || item.URL.Host() != "h" {
					t.Errorf("%s: %v, %v", name, item.URL, err)
				}
				if i == 0 && item.Size != hit.Length {
					t.Errorf("%s: %+v", name, item)
				}
			}
		}
		if len(items) > 0 {
			t.Errorf("%s: %+v", name, items)
		}
	}
	// The URL is the same as in lynx, except for the length and the escapes of RFC 1738.
	w := newFixture(t, newPeer(t, respondInOrder(capturedPackets(t, "session-waissearch.s2c")[1])), nil)
	item := w.menu("coast?lantern")[0]
	if got, want := item.URL.String(), "wais://h/coast/"+lamp; got != want {
		t.Errorf("%.2000s\nwant %.2000s", got, want)
	}
	if got := fmt.Sprint(item.Fields); got != "[{score 586} {lines 5} {wtype TEXT} {wtypes [TEXT]} {source /wais/coast} {date 0}]" || item.Size != 206 || !item.ModTime.IsZero() {
		t.Errorf("%s, %+v", got, item)
	}
}
