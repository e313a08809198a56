package gateway_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/netip"
	"net/url"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/locus-url/locus/cache"
	"github.com/locus-url/locus/internal/tour"
	"github.com/locus-url/locus/scheme"
)

var loadRequests = flag.Int("requests", 1000, "number of requests of TestLoad, before and after the first measurement")

const (
	loadClients = 24
	// moreHeap and moreShare limit the growth of the heap.
	moreHeap, moreShare = 4 << 20, 0.25
	// moreLeft is how many additional goroutines and descriptors may remain. The runtime
	// creates some goroutines late.
	moreLeft = 2
)

// loads lists the kinds of requests. The test sends each kind equally often.
var loads = []struct {
	name string
	send func(c *loadClient) error // returns an error if the response is wrong
}{
	{"page", func(c *loadClient) error { return c.visit("/?url=", "text/html") }},
	{"raw", func(c *loadClient) error { return c.visit("/-/raw?url=", "*/*") }},
	{"api", func(c *loadClient) error { return c.visit("/api/get?url=", "application/json") }},
	{"own page", (*loadClient).ownPage},
	{"new path", (*loadClient).newPath},
	{"proxy", (*loadClient).proxied},
	{"tunnel", (*loadClient).tunnel},
	{"form", (*loadClient).form},
	{"terminal", (*loadClient).terminal},
}

// loaded is a gateway under load, with the stops of the tour that its clients open.
type loaded struct {
	*fixture
	stops, forms, sessions []tour.Stop
	web                    string // address of the tour's HTTP server
	echo                   string // address of a server that echoes

	mu    sync.Mutex
	times map[string][]time.Duration // durations by the kind of request
}

// loadClient is a client with its own address and cookies.
type loadClient struct {
	*loaded
	ctx    context.Context
	dialer net.Dialer
	http   *http.Client
	random *rand.Rand
}

// Many clients send mixed requests, in many schemes. No request fails, and afterwards the gateway
// uses no more memory, goroutines and descriptors than before. The requests before the first
// measurement fill caches and tables.
//
//	go test ./gateway -run TestLoad -v -requests 100000 -timeout 0
func TestLoad(t *testing.T) {
	n := *loadRequests
	if testing.Short() {
		n = min(n, 500)
	}
	l := newLoaded(t)
	l.load(n)
	clear(l.times)
	before := l.settled(resourceUsage{})
	l.load(n)
	l.report()
	after := l.settled(before)
	t.Logf("before %+v, after %+v", before, after)
	if after.heap > before.heap+int64(moreShare*float64(before.heap))+moreHeap {
		t.Errorf("the heap grew from %d to %d bytes", before.heap, after.heap)
	}
	if after.files > before.files+moreLeft {
		t.Errorf("%d open files, and %d before", after.files, before.files)
	}
	if after.goroutines > before.goroutines+moreLeft {
		var stacks strings.Builder
		pprof.Lookup("goroutine").WriteTo(&stacks, 1)
		t.Errorf("%d goroutines, and %d before:\n%s", after.goroutines, before.goroutines, stacks.String())
	}
}

func newLoaded(t *testing.T) *loaded {
	l := &loaded{times: map[string][]time.Duration{}}
	l.echo = listen(t, func(c net.Conn) { io.Copy(c, c) })
	store, err := cache.Open(t.TempDir(), defaultRows(t), &cache.Options{Size: 16 << 20, Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s := loopbackSetup
	s.gateway.Log = slog.New(slog.DiscardHandler)
	s.gateway.ConnectPorts = []uint16{netip.MustParseAddrPort(l.echo).Port()}
	s.gateway.Cache = store
	s.gateway.Limits.Sessions = loadClients
	var m *tour.Demo
	l.fixture, m = museum(t, s)
	l.choose(m.Stops())
	if len(l.forms) == 0 || len(l.sessions) == 0 || l.web == "" {
		t.Fatalf("the tour has %d forms, %d sessions, and the web page %q", len(l.forms), len(l.sessions), l.web)
	}
	return l
}

// choose selects the stops that need no certificate, file or other document.
func (l *loaded) choose(stops []tour.Stop) {
	for _, stop := range stops {
		switch {
		case stop.Missing || !stop.From.IsZero() || stop.URL.Scheme() == "file" || isTLS(stop.URL):
			continue
		case stop.Kind == scheme.KindForm && len(stop.Answers) > 0:
			l.forms = append(l.forms, stop)
		case stop.Kind == scheme.KindSession:
			l.sessions = append(l.sessions, stop)
		case stop.Name == "http-home":
			l.web = stop.URL.String()
		}
		l.stops = append(l.stops, stop)
	}
}

// load sends n requests.
func (l *loaded) load(n int) {
	var next atomic.Int64
	var clients sync.WaitGroup
	for i := range loadClients {
		clients.Go(func() {
			c := l.newClient(i)
			defer c.http.CloseIdleConnections()
			for next.Add(1) <= int64(n) {
				c.request()
			}
		})
	}
	clients.Wait()
}

func (l *loaded) newClient(i int) *loadClient {
	c := &loadClient{loaded: l, ctx: l.t.Context(), random: rand.New(rand.NewPCG(1738, uint64(i)))}
	if runtime.GOOS == "linux" { // other systems have only 127.0.0.1
		c.dialer.LocalAddr = &net.TCPAddr{IP: net.IPv4(127, 1, 0, byte(1+i))}
	}
	jar, _ := cookiejar.New(nil)
	c.http = &http.Client{Jar: jar, Transport: &http.Transport{DialContext: c.dialer.DialContext}}
	return c
}

// request sends one request. One in twelve disconnects within 20 ms.
func (c loadClient) request() {
	kind, begun := pick(&c, loads), time.Now()
	name, aborted := kind.name, c.random.IntN(12) == 0
	if aborted {
		var cancel func()
		c.ctx, cancel = context.WithTimeout(c.ctx, time.Duration(c.random.Int64N(int64(20*time.Millisecond))))
		defer cancel()
		name = "aborted"
	}
	if err := kind.send(&c); err != nil && !aborted {
		c.t.Errorf("%s: %v", name, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.times[name] = append(c.times[name], time.Since(begun))
}

// report logs the durations of requests and resets them.
func (l *loaded) report() {
	for _, name := range slices.Sorted(maps.Keys(l.times)) {
		times := l.times[name]
		slices.Sort(times)
		l.t.Logf("%-8s %6d requests, p50 %v, p99 %v", name, len(times), times[len(times)/2].Round(time.Microsecond), times[len(times)*99/100].Round(time.Microsecond))
	}
	if len(l.times) != len(loads)+1 {
		l.t.Errorf("only these kinds of requests were sent: %q", slices.Sorted(maps.Keys(l.times)))
	}
	l.times = nil
}

// resourceUsage contains the resource usage of the process. The number of files is -1 if the system
// does not report the number.
type resourceUsage struct {
	heap              int64
	goroutines, files int
}

// settled collects garbage until the numbers of goroutines and files do not exceed base, or do
// not change. Idle connections end late, and the runtime pools pipes.
func (l *loaded) settled(base resourceUsage) resourceUsage {
	last := measure()
	for same := 0; same < 20 && (last.goroutines > base.goroutines || last.files > base.files); same++ {
		time.Sleep(50 * time.Millisecond)
		l.closeIdle()
		now := measure()
		if now.goroutines != last.goroutines || now.files != last.files {
			same = 0
		}
		last = now
	}
	return last
}

func measure() resourceUsage {
	runtime.GC()
	runtime.GC() // a finalizer or a sync.Pool holds memory for one collection
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	u := resourceUsage{int64(memory.HeapAlloc), runtime.NumGoroutine(), -1}
	if list, err := os.ReadDir("/proc/self/fd"); err == nil {
		u.files = len(list)
	}
	return u
}

func pick[T any](c *loadClient, list []T) T { return list[c.random.IntN(len(list))] }

// fetch sends a request and reads the response. A status of 500 or more is an error, except
// 501, because some resources have no raw view.
func (c *loadClient) fetch(method, target, accept string, form url.Values) (body string, err error) {
	req, err := http.NewRequestWithContext(c.ctx, method, c.base+target, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	req.Header.Set("Accept", accept)
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", c.base)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return "", err
	}
	return readAnswer(target, resp)
}

func readAnswer(target string, resp *http.Response) (body string, err error) {
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= 500 && resp.StatusCode != http.StatusNotImplemented {
		err = errors.New(resp.Status)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", target, err)
	}
	return string(text), err
}

func (c *loadClient) visit(form, accept string) error {
	_, err := c.fetch("GET", form+query(pick(c, c.stops).URL.String()), accept, nil)
	return err
}

func (c *loadClient) ownPage() error {
	u := query(pick(c, c.stops).URL.String())
	_, err := c.fetch("GET", pick(c, []string{"/", "/healthz", "/metrics", "/api/openapi.json", "/-/schemes", "/api/parse?url=" + u, "/-/lens?url=" + u, "/-/explain?url=" + u}), "*/*", nil)
	return err
}

func (c *loadClient) newPath() error {
	_, err := c.fetch("GET", "/-/raw?url="+query(fmt.Sprintf("%s/p%x?q=%x", strings.TrimSuffix(c.web, "/"), c.random.Uint64(), c.random.Uint64())), "*/*", nil)
	return err
}

// proxied sends a request to the gateway as a proxy, on a new connection.
func (c *loadClient) proxied() error {
	conn, err := c.dialer.DialContext(c.ctx, "tcp", c.addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	u := pick(c, c.stops).URL.WithoutFragment().String()
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: tour.example\r\nAccept: %s\r\nConnection: close\r\n\r\n", u, pick(c, []string{"text/html", "text/plain", "*/*"}))
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return fmt.Errorf("%s: %w", u, err)
	}
	_, err = readAnswer(u, resp)
	return err
}

// tunnel sends text through CONNECT to a server that echoes it. It leaves one tunnel in four unused.
func (c *loadClient) tunnel() error {
	conn, err := c.dialer.DialContext(c.ctx, "tcp", c.addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %[1]s\r\n\r\n", c.echo)
	r := bufio.NewReader(conn)
	resp, err := http.ReadResponse(r, &http.Request{Method: "CONNECT"})
	switch {
	case err != nil:
		return err
	case resp.StatusCode != http.StatusOK:
		return errors.New(resp.Status)
	case c.random.IntN(4) == 0:
		return nil
	}
	fmt.Fprintln(conn, "through a tunnel")
	if line, err := r.ReadString('\n'); err != nil || line != "through a tunnel\n" {
		return fmt.Errorf("%q, %w", line, err)
	}
	return nil
}

// form fills in a form of the tour.
func (c *loadClient) form() error {
	stop := pick(c, c.forms)
	body, err := c.fetch("GET", "/?url="+query(stop.URL.String()), "text/html", nil)
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(body, `name="token" value="`)
	token, _, _ := strings.Cut(rest, `"`)
	values := url.Values{"url": {stop.URL.String()}, "token": {token}}
	for i, answer := range stop.Answers {
		values.Set(fmt.Sprintf("f%d", i), answer)
	}
	_, err = c.fetch("POST", "/-/submit", "text/html", values)
	return err
}

// terminal opens a session, reads its first screen and types. It ends half of the sessions
// abruptly.
func (c *loadClient) terminal() error {
	u := pick(c, c.sessions).URL.String()
	conn, _, err := websocket.Dial(c.ctx, c.base+"/-/terminal?url="+query(u), &websocket.DialOptions{
		HTTPClient: c.http, HTTPHeader: http.Header{"Origin": {c.base}}, Subprotocols: []string{"locus.terminal.2"},
	})
	if err != nil {
		return err
	}
	defer conn.CloseNow()
	for kind := websocket.MessageText; kind != websocket.MessageBinary; {
		if kind, _, err = conn.Read(c.ctx); err != nil {
			return fmt.Errorf("%s: %w", u, err)
		}
	}
	// The service may end the session at any input.
	_ = conn.Write(c.ctx, websocket.MessageText, []byte(`{"window":[100,30]}`))
	_ = conn.Write(c.ctx, websocket.MessageBinary, []byte("help\r"))
	if c.random.IntN(2) == 0 {
		_ = conn.Close(websocket.StatusNormalClosure, "")
	}
	return nil
}
