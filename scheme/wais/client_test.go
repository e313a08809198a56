package wais

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/schemetest"
	"github.com/locus-url/locus/scheme/wais/waistest"
)

// peer is an in-process server, and a dialer that connects to it. The function answer returns
// the response to request n, counted from 0. If answer returns nil, the peer closes the
// connection.
type peer struct {
	answer func(n int, request []byte) []byte

	mu       sync.Mutex
	requests [][]byte
	dialed   []string
	running  sync.WaitGroup
}

func newPeer(t testing.TB, answer func(n int, request []byte) []byte) *peer {
	p := &peer{answer: answer}
	t.Cleanup(p.running.Wait)
	return p
}

func (p *peer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if network != "tcp" || ctx.Err() != nil {
		return nil, fmt.Errorf("%s: %w", network, ctx.Err())
	}
	p.mu.Lock()
	p.dialed = append(p.dialed, address)
	p.mu.Unlock()
	near, far := net.Pipe()
	p.running.Go(func() {
		defer far.Close()
		for p.serve(far) {
		}
	})
	return near, nil
}

// serve responds to one request. It reports whether the connection stays open.
func (p *peer) serve(c net.Conn) bool {
	request, err := readRequest(c)
	if err != nil {
		return false
	}
	p.mu.Lock()
	n := len(p.requests)
	p.requests = append(p.requests, request)
	p.mu.Unlock()
	reply := p.answer(n, request)
	if len(reply) == 0 {
		return false
	}
	_, err = c.Write(reply)
	_, rest := cutPacket(reply)
	return err == nil && len(rest) == 0 // a truncated response ends the connection
}

// cutPacket splits off the first packet. If data contains no whole packet, packet is nil and
// remaining is data.
func cutPacket(data []byte) (packet, remaining []byte) {
	if len(data) < headerSize {
		return nil, data
	}
	n, err := strconv.Atoi(string(data[:lengthSize]))
	if err != nil || n < 0 || n > len(data)-headerSize {
		return nil, data
	}
	return data[:headerSize+n], data[headerSize+n:]
}

func readRequest(c io.Reader) ([]byte, error) {
	request := make([]byte, headerSize)
	if _, err := io.ReadFull(c, request); err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(string(request[:lengthSize]))
	if err != nil {
		return nil, err
	}
	request = append(request, make([]byte, n)...)
	_, err = io.ReadFull(c, request[headerSize:])
	return request, err
}

// received returns the received requests and the number of connections.
func (p *peer) received() (requests [][]byte, connections int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests), len(p.dialed)
}

// decodedRequest returns the decoded request n.
func (p *peer) decodedRequest(t testing.TB, n int) any {
	t.Helper()
	requests, _ := p.received()
	if len(requests) <= n {
		t.Fatalf("%d requests", len(requests))
	}
	request, ok := slowRequest(requests[n])
	if !ok {
		t.Fatalf("request %d is %q", n, requests[n])
	}
	return request
}

// respondInOrder returns a function for peer.answer. The function returns each of the given
// responses once, and then nil.
func respondInOrder(list ...[]byte) func(int, []byte) []byte {
	return func(n int, _ []byte) []byte {
		if n >= len(list) {
			return nil
		}
		return list[n]
	}
}

// packetOf returns a response packet with the given records.
func packetOf(records ...string) []byte {
	apdu := testReply(strings.Join(records, ""))
	return append([]byte(testHeader(len(apdu))), apdu...)
}

// emptyPacket is the response of a server that cannot process a request.
var emptyPacket = []byte(testHeader(0))

// diagnosticOf returns a diagnostic record.
func diagnosticOf(code, text string) string {
	n := len(code) + len(text) + 1
	return string([]byte{28, byte(n >> 8), byte(n)}) + code + text + "\x00\x1d"
}

var outOfRange = diagnosticOf("SF", "Request out of range")

func textOf(octets string) string { return group(153, group(127, octets)) }

// hitOf returns a hit record for a document with the given types.
func hitOf(id, headline string, wtypes ...string) string {
	types := ""
	for _, wtype := range wtypes {
		types += group(133, wtype)
	}
	return group(150, group(116, id), group(118, "\x05"), group(120, "\x64"), group(131, "\x02"), group(132, types), group(123, headline))
}

// documentPeer returns a peer that serves the same octets for any document. Like freeWAIS, it
// limits the size of a response. The limit is maxOctets.
func documentPeer(t testing.TB, octets string, maxOctets int) *peer {
	return newPeer(t, func(_ int, request []byte) []byte { return documentAnswer(octets, maxOctets, request) })
}

func documentAnswer(octets string, maxOctets int, request []byte) []byte {
	r, ok := slowRequest(request)
	q, isRetrieval := r.(*retrieval)
	if !ok || !isRetrieval {
		return emptyPacket
	}
	end := min(q.End, int64(len(octets)))
	records := ""
	if q.Start <= end {
		records = textOf(octets[q.Start:end])
	}
	if end < q.End {
		records += outOfRange
	}
	if reply := packetOf(records); len(reply)-headerSize <= maxOctets {
		return reply
	}
	return emptyPacket
}

// fixture holds a client, and a request that tests can change.
type fixture struct {
	testing.TB
	peer   *peer
	client *Client
	req    scheme.Request
	trace  []string
}

func newFixture(t testing.TB, p *peer, o *Options) *fixture {
	w := &fixture{TB: t, peer: p, client: New(o)}
	t.Cleanup(func() { w.client.Close() })
	w.req.Dial = p
	w.req.Trace = func(sent bool, line string) {
		way := "< "
		if sent {
			way = "> "
		}
		w.trace = append(w.trace, way+line)
	}
	return w
}

// openPath opens the URL with the given path on the host h.
func (w *fixture) openPath(path string) (scheme.Resource, error) {
	req := w.req
	req.URL = locus.MustParse("wais://h/" + path)
	req.Source = req.Accept == "" && req.Items == (scheme.ItemRange{})
	return w.client.Open(w.Context(), &req)
}

func (w *fixture) menu(path string) []scheme.Item {
	w.Helper()
	res, err := w.openPath(path)
	if err != nil {
		w.Fatal(path, err)
	}
	return itemsOf(w, res)
}

func itemsOf(t testing.TB, res scheme.Resource) (list []scheme.Item) {
	t.Helper()
	m, ok := res.(*scheme.Menu)
	if !ok {
		t.Fatalf("a %T", res)
	}
	for item, err := range m.Items {
		if err != nil {
			t.Error(err)
		}
		list = append(list, item)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if w, ok := t.(*fixture); ok && m.Source != nil {
		schemetest.SameArchived(t, Scheme(w.client), m, list)
	}
	return list
}

// lines describes items as text. Each line contains the kind, type, title and note of an item.
func lines(list []scheme.Item) string {
	var b strings.Builder
	for _, item := range list {
		fmt.Fprintf(&b, "%s|%s|%s|%s\n", item.Kind, item.Type, item.Title, item.Note)
	}
	return b.String()
}

func readAll(res scheme.Resource, err error) (string, error) {
	if err != nil {
		return "", err
	}
	o := res.(*scheme.Object)
	octets, err := io.ReadAll(o.Body)
	if closing := o.Close(); err == nil {
		err = closing
	}
	return string(octets), err
}

func wantError(t testing.TB, err, kind error, says ...string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("%v, want %v", err, kind)
		return
	}
	for _, text := range says {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %q in it", err, text)
		}
	}
	if !strings.HasPrefix(err.Error(), "wais: ") && !errors.As(err, new(*locus.SyntaxError)) || strings.Contains(err.Error()[1:], "wais: wais: ") {
		t.Errorf("%v: whose error is it?", err)
	}
}

// A document must be complete for any combination of range size, server buffer and read size.
func TestDocument(t *testing.T) {
	octets := string(bytes.Repeat([]byte("\x00\r\n\xff Lamp\n."), 2000))
	for _, size := range []int{0, 1, 499, 500, 999, 5000, 19999, 20000} {
		octets := octets[:size]
		for _, o := range []Options{{}, {Range: 500}, {Range: 1000}, {Range: 19999}, {Range: 20000}, {Range: 90000}} {
			for _, room := range []int{600, 100000} {
				w := newFixture(t, documentPeer(t, octets, room), &o)
				res, err := w.openPath("db/TEXT/3=id;")
				got, err := readAll(res, err)
				if got != octets || err != nil {
					t.Fatalf("%d octets, range %d, room %d: %d octets, %v", size, o.Range, room, len(got), err)
				}
				object := res.(*scheme.Object)
				if object.Type != "text/plain" || object.Name != "id" || object.Start != 0 || object.Size != -1 && object.Size != int64(size) {
					t.Errorf("%+v", object)
				}
				if _, n := w.peer.received(); n != 1 {
					t.Errorf("%d connections", n)
				}
			}
		}
	}
}

// The client must request a range only when the caller reads from it.
func TestRangesOnDemand(t *testing.T) {
	w := newFixture(t, documentPeer(t, strings.Repeat("x", 5000), 100000), &Options{Range: 1000})
	res, err := w.openPath("db/GIF/1%3Dh%3B3%3Did%3B")
	if err != nil {
		t.Fatal(err)
	}
	if want := (&retrieval{Database: "db", ID: "\x01\x01h\x03\x02id", Wtype: "GIF", End: 1000, ReferenceID: "3"}); *w.peer.decodedRequest(t, 0).(*retrieval) != *want {
		t.Errorf("%+v", w.peer.decodedRequest(t, 0))
	}
	body := res.(*scheme.Object).Body
	if n, err := body.Read(nil); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	io.CopyN(io.Discard, body, 1000)
	if requests, _ := w.peer.received(); len(requests) != 1 {
		t.Errorf("%d requests", len(requests))
	}
	io.CopyN(io.Discard, body, 1)
	if requests, _ := w.peer.received(); len(requests) != 2 {
		t.Errorf("%d requests", len(requests))
	}
	// No response is pending, so the client must reuse the connection.
	if err := res.Close(); err != nil {
		t.Error(err)
	}
	if _, err := body.Read(make([]byte, 1)); !errors.Is(err, errClosed) {
		t.Error(err)
	}
	if _, err := readAll(w.openPath("db/GIF/3=id")); err != nil {
		t.Error(err)
	}
	if _, n := w.peer.received(); n != 1 {
		t.Errorf("%d connections", n)
	}
	if got, want := w.trace[0], `> retrieve GIF 0 to 1000 of "\x01\x01h\x03\x02id" in "db"`; got != want {
		t.Error(got)
	}
	if got, want := w.trace[1], "< a text of 1000 octets"; got != want {
		t.Error(got)
	}
}

func TestOffset(t *testing.T) {
	const octets = "0123456789"
	for _, c := range []struct {
		offset, start int64
		want          string
	}{{0, 0, octets}, {-1, 0, octets}, {4, 4, "456789"}, {9, 9, "9"}, {10, 10, ""}, {11, 0, octets}, {1 << 40, 0, octets}} {
		w := newFixture(t, documentPeer(t, octets, 100000), nil)
		w.req.Offset = c.offset
		res, err := w.openPath("db/TEXT/3=id")
		got, err := readAll(res, err)
		if got != c.want || err != nil {
			t.Errorf("from %d: %q, %v", c.offset, got, err)
			continue
		}
		if o := res.(*scheme.Object); o.Start != c.start || o.Size != 10 {
			t.Errorf("from %d: %+v", c.offset, o)
		}
	}
}

// If the offset is too large for a valid range, the client must return an error.
func TestOffsetTooLarge(t *testing.T) {
	w := newFixture(t, documentPeer(t, "x", 1000), nil)
	w.req.Offset = math.MaxInt64 - 1
	_, err := w.openPath("db/TEXT/3=id")
	wantError(t, err, locus.ErrValue, "invalid range")
}

func TestLimits(t *testing.T) {
	octets := strings.Repeat("x", 5000)
	for limit, kind := range map[int64]error{5001: nil, 5000: nil, 4999: scheme.ErrTooLarge, 1000: scheme.ErrTooLarge, 1: scheme.ErrTooLarge} {
		w := newFixture(t, documentPeer(t, octets, 100000), &Options{Range: 1000, Limits: Limits{Octets: limit}})
		got, err := readAll(w.openPath("db/TEXT/3=id"))
		if !errors.Is(err, kind) || len(got) != int(min(limit, 5000)) {
			t.Errorf("Limits.Octets %d: %d octets, %v", limit, len(got), err)
		}
		w = newFixture(t, documentPeer(t, octets, 100000), nil)
		w.req.Limit = limit
		got, err = readAll(w.openPath("db/TEXT/3=id"))
		if !errors.Is(err, kind) || len(got) != int(min(limit, 5000)) {
			t.Errorf("Limit %d: %d octets, %v", limit, len(got), err)
		}
	}
	w := newFixture(t, documentPeer(t, octets, 100000), &Options{Limits: Limits{Response: 500}})
	_, err := w.openPath("db/TEXT/3=id")
	wantError(t, err, scheme.ErrTooLarge)
}

// The client must distinguish complete documents from truncated documents.
func TestCompleteAndTruncatedDocuments(t *testing.T) {
	full := strings.Repeat("x", 500)
	locked := diagnosticOf("SV", "later")
	for _, c := range []struct {
		answers [][]byte
		size    int
		kind    error
		says    string
	}{
		{[][]byte{packetOf(textOf("short"))}, 5, nil, ""},
		{[][]byte{packetOf(textOf("short"), outOfRange)}, 5, nil, ""},
		{[][]byte{packetOf(textOf(""))}, 0, nil, ""},
		{[][]byte{packetOf(textOf(full)), packetOf(outOfRange)}, 500, nil, ""},
		{[][]byte{packetOf(textOf(full)), packetOf(textOf(""))}, 500, nil, ""},
		{[][]byte{packetOf(textOf(full), outOfRange), packetOf(textOf(""), outOfRange)}, 500, nil, ""},
		{[][]byte{packetOf(textOf(full + "more than asked for")), packetOf(textOf("y"))}, 501, nil, ""},
		{[][]byte{packetOf(outOfRange)}, -1, scheme.ErrNotFound, "out of range"},
		{[][]byte{packetOf()}, -1, scheme.ErrProtocol, "neither a text nor"},
		{[][]byte{packetOf(locked)}, -1, scheme.ErrUnreachable, "locked"},
		{[][]byte{packetOf(locked, outOfRange)}, -1, scheme.ErrUnreachable, "locked"},
		{[][]byte{packetOf(textOf("a"), textOf("b"))}, -1, scheme.ErrProtocol, "2 texts"},
		{[][]byte{emptyPacket}, -1, ErrEmpty, ""},
		{[][]byte{packetOf(textOf("part"), locked)}, 4, scheme.ErrUnreachable, "locked"},
		{[][]byte{packetOf(textOf(full)), packetOf()}, 500, scheme.ErrProtocol, "neither a text nor"},
		{[][]byte{packetOf(textOf(full)), packetOf(locked)}, 500, scheme.ErrUnreachable, "locked"},
		{[][]byte{packetOf(textOf(full)), emptyPacket}, 500, ErrEmpty, ""},
		{[][]byte{packetOf(textOf(full))}, 500, io.EOF, "close the connection"},
		{[][]byte{packetOf(textOf(full)), packetOf(textOf("y"))[:40]}, 500, io.ErrUnexpectedEOF, "in a packet"},
		{nil, -1, scheme.ErrProtocol, "database or document does not exist"},
	} {
		w := newFixture(t, newPeer(t, respondInOrder(c.answers...)), &Options{Range: 500})
		res, err := w.openPath("db/TEXT/3=id")
		opened := err == nil
		got, err := readAll(res, err)
		if opened != (c.size >= 0) || len(got) != max(c.size, 0) {
			t.Errorf("%.60q: %d octets", c.answers, len(got))
		}
		if c.kind == nil {
			if err != nil {
				t.Errorf("%.60q: %v", c.answers, err)
			}
			continue
		}
		wantError(t, err, c.kind, c.says)
	}
}

// The client must be able to fetch each search result by its URL, over one connection.
func TestSearchAndFetch(t *testing.T) {
	texts := map[string]string{"TEXT": "The lamp is lit at dusk.\n", "HTML": "<p>The lamp is lit at dusk.", "GIF": "GIF87a\x00\xff"}
	server, err := waistest.Start([]waistest.Database{{Name: "coast", Description: "All of the coast.", Maintainer: "keeper@h", Documents: []waistest.Document{
		{Headline: "The lamp", Path: "lamp of 1994.txt", Date: "940612", Types: []waistest.Typed{
			{Wtype: "TEXT", Data: []byte(texts["TEXT"])}, {Wtype: "HTML", Data: []byte(texts["HTML"])}, {Wtype: "GIF", Data: []byte(texts["GIF"])},
		}},
	}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	dialed := 0
	c := New(nil)
	defer c.Close()
	req := scheme.Request{Dial: &countingDialer{n: &dialed}}
	open := func(u locus.URL) (scheme.Resource, error) {
		req.URL = u
		return c.Open(t.Context(), &req)
	}
	base := "wais://" + server.Addr() + "/"
	res, err := open(locus.MustParse(base + "coast?dusk"))
	if err != nil {
		t.Fatal(err)
	}
	items := itemsOf(t, res)
	if len(items) != 3 {
		t.Fatalf("%+v", items)
	}
	for i, wtype := range []string{"TEXT", "HTML", "GIF"} {
		item := items[i]
		res, err := open(item.URL)
		got, err := readAll(res, err)
		if got != texts[wtype] || err != nil || item.Title != "The lamp" || item.ModTime.Format(time.DateOnly) != "1994-06-12" || item.Size >= 0 && item.Size != int64(len(got)) {
			t.Errorf("%s: %q, %v, %+v", wtype, got, err, item)
		} else if o := res.(*scheme.Object); o.Type != mediaTypeOf(wtype) || o.Type != item.Type || o.Size != int64(len(got)) {
			t.Errorf("%+v", o)
		}
	}
	// The client must also fetch the descriptions of the database.
	if res, err = open(locus.MustParse(base + "coast")); err != nil {
		t.Fatal(err)
	}
	for _, item := range itemsOf(t, res) {
		if item.URL.IsZero() {
			continue
		}
		if got, err := readAll(open(item.URL)); err != nil || !strings.Contains(got, "coast") {
			t.Errorf("%v: %q, %v", item.URL, got, err)
		}
	}
	if got := res.(*scheme.Menu).Title; got != "coast" {
		t.Error(got)
	}
	if dialed != 1 {
		t.Errorf("%d connections", dialed)
	}
	_, err = open(locus.MustParse(base + "nosuch?dusk"))
	wantError(t, err, scheme.ErrNotFound)
	_, err = open(locus.MustParse(base + "coast/TEXT/2=coast;3=0%200%20/wais/nosuch;"))
	wantError(t, err, scheme.ErrNotFound)
}

// countingDialer counts the connections that it opens.
type countingDialer struct {
	net.Dialer
	n *int
}

func (d *countingDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	*d.n++
	return d.Dialer.DialContext(ctx, network, address)
}
