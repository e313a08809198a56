package wais

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// pathsToOpen lists the paths of a search, a description and a document.
var pathsToOpen = []string{"db?words", "db", "db/TEXT/3=id"}

// Reading an endless document must fail at the limit.
func TestEndlessDocument(t *testing.T) {
	whole := packetOf(textOf(strings.Repeat("x", defaultRange)))
	w := newFixture(t, newPeer(t, func(int, []byte) []byte { return whole }), &Options{Limits: Limits{Octets: 4 << 20}})
	got, err := readAll(w.openPath("db/TEXT/3=id"))
	wantError(t, err, scheme.ErrTooLarge, "more than 4194304 bytes")
	if len(got) != 4<<20 {
		t.Errorf("%d octets", len(got))
	}
}

// If the server closes the connection at any point, the client must return an error.
func TestConnectionClosedAnywhere(t *testing.T) {
	for path, reply := range map[string][]byte{
		"db?words":      packetOf(hitOf("id", "a", "TEXT"), outOfRange),
		"db/TEXT/3=id;": packetOf(textOf("a text")),
	} {
		for n := range reply {
			w := newFixture(t, newPeer(t, respondInOrder(append([]byte{}, reply[:n]...))), nil)
			_, err := w.openPath(path)
			wantError(t, err, scheme.ErrProtocol)
			if n == 0 != errors.Is(err, io.EOF) || n > 0 != errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s after %d octets: %v", path, n, err)
			}
		}
	}
}

// Only the size of a response must limit the number of hits.
func TestManyHits(t *testing.T) {
	hits := strings.Repeat(group(151, group(116, "i")), 100000)
	w := newFixture(t, newPeer(t, respondInOrder(packetOf(hits))), nil)
	if list := w.menu("db?x"); len(list) != 100001 || list[100000].Kind != scheme.KindInfo {
		t.Errorf("%d items", len(list))
	}
	w = newFixture(t, newPeer(t, respondInOrder(packetOf(hits))), &Options{Limits: Limits{Response: 600000}})
	_, err := w.openPath("db?x")
	wantError(t, err, scheme.ErrTooLarge)

	// A caller may stop iterating early.
	w = newFixture(t, newPeer(t, respondInOrder(packetOf(hits, outOfRange))), nil)
	for most := range 4 {
		w.peer.answer = func(int, []byte) []byte { return packetOf(strings.Repeat(hits[:6], 2), outOfRange) }
		res, err := w.openPath("db?x")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for range res.(*scheme.Menu).Items {
			if n++; n > most {
				break
			}
		}
	}
}

// The client must wait for a slow or silent server until the context ends.
func TestSilence(t *testing.T) {
	drip := func(c net.Conn) {
		for {
			if _, err := c.Write([]byte("0")); err != nil {
				return
			}
			time.Sleep(time.Minute)
		}
	}
	for _, path := range pathsToOpen {
		for name, serve := range map[string]func(net.Conn){"drip": drip, "silence": func(net.Conn) {}} {
			synctest.Test(t, func(t *testing.T) {
				c := New(nil)
				defer c.Close()
				why := errors.New("enough of that")
				ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Minute, why)
				defer cancel()
				begin := time.Now()
				_, err := c.Open(ctx, &scheme.Request{URL: locus.MustParse("wais://h/" + path), Dial: &pipeDialer{serve: serve}})
				if wantError(t, err, why); time.Since(begin) != 10*time.Minute {
					t.Errorf("%s, %s: after %v", path, name, time.Since(begin))
				}
				time.Sleep(2 * time.Minute) // so that the slow server notices the closed connection
			})
		}
	}
}

// pipeDialer is a dialer that returns one end of a pipe, and calls serve with the other end.
type pipeDialer struct{ serve func(net.Conn) }

func (p *pipeDialer) DialContext(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	go func() {
		defer far.Close()
		go p.serve(far)
		io.Copy(io.Discard, far)
	}()
	return near, nil
}

// When the context ends, reading a document must fail, even if no Read is waiting at that
// time.
func TestContextEnds(t *testing.T) {
	why := errors.New("enough of that")
	for _, read := range []int64{0, 500, 501} {
		ctx, cancel := context.WithCancelCause(t.Context())
		release := make(chan struct{})
		p := newPeer(t, func(n int, _ []byte) []byte {
			if n > 0 {
				cancel(why)
				<-release
			}
			return packetOf(textOf(strings.Repeat("x", 500)))
		})
		c := New(&Options{Range: 500})
		res, err := c.Open(ctx, &scheme.Request{URL: locus.MustParse("wais://h/db/TEXT/3=id"), Dial: p})
		if err != nil {
			t.Fatal(err)
		}
		body := res.(*scheme.Object).Body
		if read <= 500 {
			io.CopyN(io.Discard, body, read)
			cancel(why)
		}
		_, err = io.Copy(io.Discard, body)
		wantError(t, err, why)
		close(release)
		c.Close()
		cancel(nil)
	}
}

// When the context ends, the client must stop reading the description of a database.
func TestContextEndsDescription(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough of that")
	p := newPeer(t, func(n int, _ []byte) []byte {
		if n > 0 {
			cancel(why)
			return nil
		}
		return packetOf(hitOf("i", "a", "WSRC"))
	})
	c := New(nil)
	defer c.Close()
	_, err := c.Open(ctx, &scheme.Request{URL: locus.MustParse("wais://h/db"), Dial: p})
	wantError(t, err, why)
}

// Closing a body must interrupt a Read that waits.
func TestCloseEndsRead(t *testing.T) {
	asked, release := make(chan struct{}), make(chan struct{})
	p := newPeer(t, func(n int, _ []byte) []byte {
		if n > 0 {
			close(asked)
			<-release
		}
		return packetOf(textOf(strings.Repeat("x", 500)))
	})
	w := newFixture(t, p, &Options{Range: 500})
	res, err := w.openPath("db/TEXT/3=id")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := io.Copy(io.Discard, res.(*scheme.Object).Body)
		done <- err
	}()
	<-asked
	res.Close()
	wantError(t, <-done, errClosed)
	close(release)
	if len(w.client.idleConns()) > 0 {
		t.Error("a connection is kept that an answer is under way on")
	}
}

// idleConns removes the idle connections to the host h from the pool, and returns them.
func (c *Client) idleConns() (list []*conn) {
	for {
		x, ok := c.pool.Take(server{host: "h", port: Port}, func(*conn) int { return 0 })
		if !ok {
			return list
		}
		list = append(list, x)
	}
}

// The client must reuse an idle connection, or open another connection if the server has
// closed it.
func TestIdleConns(t *testing.T) {
	for _, path := range pathsToOpen {
		closing := false
		p := newPeer(t, nil)
		p.answer = func(n int, request []byte) []byte {
			if closing {
				closing = false
				return nil
			}
			if q, _ := slowRequest(request); q != nil {
				if _, ok := q.(*query); ok {
					return packetOf(hitOf("i", "a", "WSRC"))
				}
			}
			return packetOf(textOf("(:source)"))
		}
		w := newFixture(t, p, nil)
		open := func() {
			t.Helper()
			res, err := w.openPath(path)
			if err != nil {
				t.Fatal(err)
			}
			if o, ok := res.(*scheme.Object); ok {
				io.Copy(io.Discard, o.Body)
			}
			res.Close()
		}
		open()
		open()
		if _, n := p.received(); n != 1 {
			t.Errorf("%s: %d connections", path, n)
		}
		closing = true
		open()
		if _, n := p.received(); n != 2 {
			t.Errorf("%s: %d connections after one was closed", path, n)
		}
	}
}

// The client must not read data that follows a response as the response to the next request.
func TestExtraReply(t *testing.T) {
	answer := packetOf(textOf("mine"))
	p := newPeer(t, func(int, []byte) []byte { return append(append([]byte{}, answer...), packetOf(textOf("not mine"))...) })
	w := newFixture(t, p, nil)
	for range 3 {
		if got, err := readAll(w.openPath("db/TEXT/3=id")); got != "mine" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	if _, n := p.received(); n != 3 {
		t.Errorf("%d connections", n)
	}
}

// Concurrent requests must use several connections.
func TestConcurrent(t *testing.T) {
	octets := strings.Repeat("0123456789", 1000)
	p := documentPeer(t, octets, 100000)
	w := newFixture(t, p, &Options{Range: 700})
	w.req.Trace = nil
	var running sync.WaitGroup
	for i := range 20 {
		running.Go(func() {
			for range 5 {
				res, err := w.openPath("db/TEXT/3=id")
				if err == nil && i%3 == 0 {
					// Close some bodies between reads, or during a read.
					body := res.(*scheme.Object).Body
					go io.Copy(io.Discard, body)
					res.Close()
					continue
				}
				if got, err := readAll(res, err); got != octets || err != nil {
					t.Errorf("%d octets, %v", len(got), err)
				}
			}
		})
	}
	running.Wait()
}

// The client must reject invalid requests before it dials.
func TestRefused(t *testing.T) {
	for path, want := range map[string]struct {
		part   string
		offset int // offset in the path
		says   string
	}{
		"a%40evil.dom%3A210?x": {"database", 0, "name of a database"},
		"a%1Fb":                {"database", 0, "name of a database"},
		"a@b/TEXT/3=x":         {"database", 0, "name of a database"},
		"db/TE%20XT/3=a":       {"wtype", 3, "document type"},
		"db//3=a":              {"wtype", 3, "document type"},
		"db/TEXT/":             {"wpath", 8, "is empty"},
		"db/TEXT/" + strings.Repeat("a", maxDocumentID+1): {"wpath", 8, "at most"},
	} {
		p := newPeer(t, nil)
		_, err := newFixture(t, p, nil).openPath(path)
		wantError(t, err, locus.ErrValue, want.says)
		var e *locus.SyntaxError
		if !errors.As(err, &e) || e.Part != want.part || e.Offset != len("wais://h/")+want.offset {
			t.Errorf("%s: %+v", path, e)
		}
		if _, n := p.received(); n > 0 {
			t.Errorf("%s: %d connections", path, n)
		}
	}
	for _, wtype := range []string{"WAIS_NEXT", "WAIS_PREV"} {
		_, err := newFixture(t, newPeer(t, nil), nil).openPath("db/" + wtype + "/3=a")
		wantError(t, err, scheme.ErrUnsupported, wtype)
	}
	c := New(nil)
	_, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse("wais://h/db")})
	wantError(t, err, scheme.ErrUnsupported, "dialer")
	p := newPeer(t, nil)
	for _, text := range []string{"http://h/", "wais:a", "wais:///db", "wais://h"} {
		if _, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse(text), Dial: p}); !errors.As(err, new(*locus.SyntaxError)) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, n := p.received(); n > 0 {
		t.Errorf("%d connections", n)
	}
}

// TestUnreachable checks the errors for a dialer that fails, and for a closed connection.
func TestUnreachable(t *testing.T) {
	u := locus.MustParse("wais://h/db?words")
	refused := errors.New("refused")
	c := New(nil)
	_, err := c.Open(t.Context(), &scheme.Request{URL: u, Dial: &failingDialer{refused}})
	wantError(t, err, refused)
	wantError(t, err, scheme.ErrUnreachable)
	_, err = c.Open(t.Context(), &scheme.Request{URL: u, Dial: &failingDialer{nil}})
	wantError(t, err, scheme.ErrProtocol)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough of that")
	cancel(why)
	for _, err := range []error{refused, nil} {
		_, err = c.Open(ctx, &scheme.Request{URL: u, Dial: &failingDialer{err}})
		wantError(t, err, why)
	}
}

// failingDialer is a dialer that fails or returns a closed connection.
type failingDialer struct{ err error }

func (d *failingDialer) DialContext(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	far.Close()
	return near, d.err
}

// The client must connect to the server in the URL, whatever host the document-id contains.
func TestServerComesFromURL(t *testing.T) {
	for text, want := range map[string]string{
		"wais://Host.DOM/db?x":                    "host.dom:210",
		"wais://u:p@h:8210/db?x":                  "h:8210",
		"wais://[::1]/db?x":                       "[::1]:210",
		"wais://h/db/TEXT/1=evil:1;3=x;4=evil:1;": "h:210",
	} {
		p := newPeer(t, func(n int, request []byte) []byte {
			if strings.Contains(string(request), "u:p") {
				t.Error("a login is sent")
			}
			return documentAnswer("x", 1000, request)
		})
		c := New(nil)
		res, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse(text), Dial: p})
		if err == nil {
			res.Close()
		}
		if p.dialed[0] != want {
			t.Errorf("%s: %s", text, p.dialed)
		}
		c.Close()
	}
}

// cannedDialer is a dialer and a connection with fixed data, without a socket or goroutine.
// All data is available at once, so the client itself must find the end of each packet.
type cannedDialer struct {
	net.Conn // nil
	octets   string
	left     strings.Reader
}

func (c *cannedDialer) DialContext(context.Context, string, string) (net.Conn, error) {
	c.left.Reset(c.octets)
	return c, nil
}

func (c *cannedDialer) Read(p []byte) (int, error)  { return c.left.Read(p) }
func (c *cannedDialer) Write(p []byte) (int, error) { return len(p), nil }
func (c *cannedDialer) Close() error                { return nil }

// maxResponses is the maximum size of all responses in FuzzAnswers. The responses to a
// search and several ranges fit, and each execution stays short.
const maxResponses = 4 << 10

// FuzzAnswers checks that Open and Read return for any server data, and that each URL in a
// menu contains the document-id of its hit.
func FuzzAnswers(f *testing.F) {
	for _, name := range wireNames(f, ".s2c") {
		if octets := readWire(f, name+".s2c"); len(octets) < maxResponses {
			f.Add(octets)
		}
	}
	f.Add(packetOf(hitOf("3=x;", "\x00", "", "URL", "T T"), diagnosticOf("SF", "")))
	f.Add(append(packetOf(textOf(strings.Repeat("x", 500))), packetOf(textOf("end"), outOfRange)...))
	f.Add(append(packetOf(hitOf("s", "a.src", "WSRC")), packetOf(textOf(`(:source :ip-name "a b" :database-name "c")`), outOfRange)...))
	f.Fuzz(func(t *testing.T, octets []byte) {
		if len(octets) > maxResponses {
			return
		}
		dialer := &cannedDialer{octets: string(octets)}
		for _, path := range pathsToOpen {
			for _, o := range []Options{{Range: 500}, {Range: 600, Limits: Limits{Octets: 2000}}} {
				w := newFixture(t, nil, &o)
				w.req.Dial = dialer
				res, err := w.openPath(path)
				if err != nil {
					if !strings.HasPrefix(err.Error(), "wais: ") {
						t.Error(err)
					}
					continue
				}
				if o, ok := res.(*scheme.Object); ok {
					n, err := io.Copy(io.Discard, o.Body)
					if n > 2000 && err == nil && w.client.o.Limits.Octets == 2000 {
						t.Errorf("%d octets", n)
					}
					res.Close()
					continue
				}
				for _, item := range itemsOf(t, res) {
					if item.Title == "" && item.Kind == scheme.KindObject || item.Size < -1 {
						t.Errorf("%+v", item)
					}
					if x, err := Parse(item.URL); err == nil && x.database == "db" && x.url.Host() == "h" {
						if id, ok := x.DocumentID(); !ok || id.invalidReason() != "" || wrongWtype(x.wtype) != "" {
							t.Errorf("%+v", item)
						}
					}
				}
			}
		}
	})
}
