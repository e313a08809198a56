package fleet

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	webscheme "github.com/locus-url/locus/scheme/http"
	"github.com/locus-url/locus/verify"
)

func TestMain(m *testing.M) {
	if child := os.Getenv("LOCUS_FLEET_CHILD"); child != "" {
		os.Exit(runChild(child))
	}
	goleak.VerifyTestMain(m)
}

// fixture is a web server for any number of hosts. It logs the requests.
type fixture struct {
	testing.TB
	server    *httptest.Server
	pages     func(host, path string) (status int, body string) // for status 301, body is the redirect target
	delay     time.Duration
	after     string // Retry-After of 429 and 503; may be empty
	clock     Clock  // clock for the log; if nil, the system clock
	passwords bool   // allow passwords in URLs
	login     bool   // "/login" redirects clients without a cookie to login.example, which sets the cookie

	mu     sync.Mutex
	log    map[string][]request // requests to each host
	looked map[string]int       // lookups of names that begin with "rebind"; only the first lookup returns a public address
	active map[string]int
	most   map[string]int // maximum number of concurrent requests to each host
}

type request struct {
	what string
	at   time.Time
}

func newFixture(t testing.TB, pages func(host, path string) (int, string)) *fixture {
	w := &fixture{TB: t, pages: pages, log: map[string][]request{}, looked: map[string]int{}, active: map[string]int{}, most: map[string]int{}}
	w.server = httptest.NewServer(w)
	t.Cleanup(w.server.Close)
	return w
}

func (w *fixture) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	now := time.Now()
	if w.clock != nil {
		now = w.clock.Now()
	}
	w.log[r.Host] = append(w.log[r.Host], request{r.Method + " " + r.URL.Path, now})
	w.active[r.Host]++
	w.most[r.Host] = max(w.most[r.Host], w.active[r.Host])
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.active[r.Host]--
		w.mu.Unlock()
	}()
	if w.delay > 0 {
		time.Sleep(w.delay)
	}
	status, body := w.pages(r.Host, r.URL.Path)
	if w.login && r.URL.Path == "/login" && r.Header.Get("Cookie") == "" {
		rw.Header().Set("Set-Cookie", "seen=1")
		status, body = 301, "http://login.example/back"
	}
	rw.Header().Set("Content-Type", "text/html")
	if status == 301 {
		rw.Header().Set("Location", body)
		body = ""
	}
	if w.after != "" && (status == 429 || status == 503) {
		rw.Header().Set("Retry-After", w.after)
	}
	rw.WriteHeader(status)
	io.WriteString(rw, body)
}

// requests returns the text of all logged requests except for robots.txt, sorted.
func (w *fixture) requests() (list []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for host, log := range w.log {
		for _, r := range log {
			if !strings.HasSuffix(r.what, "/robots.txt") {
				list = append(list, host+" "+r.what)
			}
		}
	}
	slices.Sort(list)
	return list
}

// times returns the logged requests to a host, including requests for robots.txt.
func (w *fixture) times(host string) (list []request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.log[host])
}

// address4 returns a public IPv4 address for a host.
func address4(host string) netip.Addr {
	h := fnv.New32a()
	h.Write([]byte(host))
	n := h.Sum32()
	return netip.AddrFrom4([4]byte{1, 1, byte(n >> 8), byte(n)})
}

func (w *fixture) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "tcp", w.server.Listener.Addr().String())
}

func (w *fixture) lookup(_ context.Context, host string) ([]netip.Addr, error) {
	if !strings.HasSuffix(host, ".example") && host != "github.com" || strings.HasPrefix(host, "none") {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if strings.HasPrefix(host, "rebind") {
		w.looked[host]++
	}
	if strings.HasPrefix(host, "private") || w.looked[host] > 1 {
		return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
	}
	return []netip.Addr{address4(host)}, nil
}

// client implements [NewClient].
func (w *fixture) client(check func(locus.URL) error, wrap func(Dial) Dial) (*access.Client, func(), error) {
	return w.clientWith(&access.Options{Lookup: w.lookup, Dial: wrap(w.dial), Check: check})
}

// clientWith returns a client with the given options. If the client is for a fleet, it checks
// each URL and uses one connection per request.
func (w *fixture) clientWith(o *access.Options) (*access.Client, func(), error) {
	web := webscheme.New(&webscheme.Options{Single: o.Check != nil})
	registry, err := all.Registry(webscheme.Scheme(web), webscheme.SecureScheme(web))
	if err != nil {
		return nil, nil, err
	}
	p, err := policy.New(policy.Rules{TypedPrivate: true, Files: true, Passwords: w.passwords})
	if err != nil {
		return nil, nil, err
	}
	c := access.New(registry, p, o)
	return c, func() { closeIdle(registry); c.Close() }, nil
}

func closeIdle(r *scheme.Registry) {
	for _, s := range r.All() {
		if c, ok := s.Access.Opener.(io.Closer); ok {
			c.Close()
		}
	}
}

// plainClient returns a client that is not for a fleet.
func (w *fixture) plainClient() *access.Client {
	c, closeClient, err := w.clientWith(&access.Options{Lookup: w.lookup, Dial: w.dial})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(closeClient)
	return c
}

func (w *fixture) options() verify.Options {
	return verify.Options{Politeness: access.Politeness{Interval: access.None, Wait: time.Millisecond, Parallel: 8}, Reserved: true}
}

// worker returns a worker of f.
func (w *fixture) worker(f *Frontier, o verify.Options) *Worker {
	return w.workerAt(f, o, nil)
}

// workerAt returns a worker of f that uses the clock c.
func (w *fixture) workerAt(f *Frontier, o verify.Options, c Clock) *Worker {
	return NewWorker(f, WorkerOptions{Client: w.client, Verify: o, Clock: c, Note: func(text string) { w.Log(text) }})
}

// startWorker runs a worker until the caller calls stop.
func (w *fixture) startWorker(worker *Worker) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := worker.Run(ctx); err != nil {
			w.Error(err)
		}
	})
	return func() { cancel(); running.Wait() }
}

// sortedLines formats the results as lines, and sorts the lines.
func sortedLines(results []verify.Result) (list []string) {
	for _, r := range results {
		text := fmt.Sprintf("%s:%d:%d %s %s %d %s", r.Document, r.Line, r.Column, r.Link(), r.Verdict, r.Status, r.Detail)
		if !r.To.IsZero() {
			text += fmt.Sprint(" -> ", r.To, r.Permanent, r.Hops())
		}
		if r.Err != nil {
			text += " error " + r.Err.Error()
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return list
}

func (w *fixture) equal(got, want []string) {
	w.Helper()
	if slices.Equal(got, want) {
		return
	}
	show := func(a, b []string) (list []string) {
		for _, s := range a {
			if _, found := slices.BinarySearch(b, s); !found && len(list) < 20 {
				list = append(list, s)
			}
		}
		return list
	}
	w.Errorf("%d results, want %d\nonly here:\n\t%s\nmissing:\n\t%s", len(got), len(want),
		strings.Join(show(got, want), "\n\t"), strings.Join(show(want, got), "\n\t"))
}

func document(name, text string) verify.Source {
	return verify.Source{Name: name, URL: locus.MustParse("file:///nowhere/" + name), Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(text)), nil
	}}
}

func site(url string) verify.Source { return verify.Source{Name: url, URL: locus.MustParse(url)} }

// noMail is a resolver that knows no domain.
type noMail struct{}

func (*noMail) LookupMX(_ context.Context, name string) ([]*net.MX, error) {
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

func (*noMail) LookupHost(_ context.Context, name string) ([]string, error) {
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}
