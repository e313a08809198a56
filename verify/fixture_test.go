package verify

import (
	"bufio"
	"context"
	"crypto/tls"
	"flag"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme/all"
)

func TestMain(m *testing.M) {
	// Parallel tests of this package wait for silent servers, and do not use a processor while
	// they wait.
	flag.Set("test.parallel", "16")
	goleak.VerifyTestMain(m)
}

// fixture contains web servers with host names and public addresses, and a client that connects to
// these servers.
type fixture struct {
	testing.TB
	mu       sync.Mutex
	servers  map[string]string // real addresses by public address
	names    map[string]string // addresses by name
	requests []string          // "METHOD http://host/path"
	trusted  []byte            // PEM of the trusted certificates
	client   *access.Client
	o        Options
}

func newFixture(t testing.TB, r policy.Rules) *fixture {
	t.Helper()
	w := &fixture{TB: t, servers: map[string]string{}, names: map[string]string{"intranet.example": "10.0.0.1", "quiet.example": "1.1.1.200"}}
	w.o.Interval, w.o.Wait, w.o.Mail, w.o.Reserved = -1, time.Millisecond, new(names), true
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.New(r)
	if err != nil {
		t.Fatal(err)
	}
	w.client = access.New(registry, p, &access.Options{Lookup: w.lookup, Dial: w.dial})
	t.Cleanup(func() {
		for _, s := range registry.All() {
			if c, ok := s.Access.Opener.(io.Closer); ok {
				c.Close()
			}
		}
		w.client.Close()
	})
	return w
}

func (w *fixture) lookup(_ context.Context, host string) ([]netip.Addr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if address, ok := w.names[host]; ok {
		return []netip.Addr{netip.MustParseAddr(address)}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: !strings.HasPrefix(host, "broken")}
}

func (w *fixture) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	to, ok := w.servers[address[:strings.LastIndexByte(address, ':')]]
	w.mu.Unlock()
	if !ok {
		// No process listens on the port that the kernel chose.
		to = "127.0.0.1:1"
	}
	return new(net.Dialer).DialContext(ctx, network, to)
}

// serve starts a web server with the given host name.
func (w *fixture) serve(name string, h http.HandlerFunc) {
	w.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.requests = append(w.requests, r.Method+" http://"+r.Host+r.RequestURI)
		w.mu.Unlock()
		h(rw, r)
	}))
	w.Cleanup(s.Close)
	w.mu.Lock()
	defer w.mu.Unlock()
	address := fmt.Sprintf("1.1.1.%d", len(w.names))
	w.names[name] = address
	w.servers[address] = s.Listener.Addr().String()
	w.expose(s, address)
}

// expose makes a server available at its public address for the programs that TestTraps starts.
// The caller that sets the flag -truth adds these addresses to the loopback device of a network
// namespace.
func (w *fixture) expose(s *httptest.Server, address string) {
	if *judge == "" {
		return
	}
	w.Cleanup(func() { s.Config.Close() })
	for _, port := range []string{"80", "443", "8080"} {
		l, err := net.Listen("tcp", net.JoinHostPort(address, port))
		if err != nil {
			w.Fatal(err)
		}
		if s.TLS != nil {
			l = tls.NewListener(l, s.TLS)
		}
		go s.Config.Serve(l)
	}
}

// requestedURLs returns the requests until now in sorted order, without requests for robots.txt.
func (w *fixture) requestedURLs() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(w.requests), func(r string) bool { return strings.HasSuffix(r, "/robots.txt") })
	slices.Sort(list)
	return list
}

// textDoc returns a document with the given name and content.
func textDoc(name, content string) Source {
	return Source{Name: name, URL: locus.MustParse("file:///nowhere/" + name), Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(content)), nil
	}}
}

// sourceAt returns a site as a source.
func sourceAt(url string) Source { return Source{Name: url, URL: locus.MustParse(url)} }

// run verifies the sources and returns the results.
func (w *fixture) run(sources ...Source) []Result {
	return slices.Collect(w.start(w.Context(), sources...))
}

func (w *fixture) start(ctx context.Context, sources ...Source) iter.Seq[Result] {
	return New(w.client, &w.o).Run(ctx, slices.Values(sources))
}

// line formats a result as one line.
func line(r Result) string {
	if r.Err != nil {
		return r.Document + " error"
	}
	text := fmt.Sprintf("%s:%d %s %s", r.Document, r.Line, r.Link(), r.Verdict)
	if r.Status != 0 {
		text += fmt.Sprint(" ", r.Status)
	}
	if !r.To.IsZero() {
		text += " -> " + r.To.String()
		if r.Permanent {
			text += " for good"
		}
	}
	return text
}

// want compares results with the wanted lines.
func (w *fixture) want(got []Result, want ...string) {
	w.Helper()
	var lines []string
	for _, r := range got {
		lines = append(lines, line(r))
	}
	if !slices.Equal(lines, want) {
		w.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(lines, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// speak starts a server that reads one line from each connection and sends text.
func (w *fixture) speak(name, text string) {
	w.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		w.Fatal(err)
	}
	var open sync.WaitGroup
	open.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			open.Go(func() {
				defer c.Close()
				c.SetDeadline(time.Now().Add(time.Minute))
				if _, err := bufio.NewReader(c).ReadString('\n'); err == nil {
					io.WriteString(c, text)
				}
			})
		}
	})
	w.Cleanup(func() { l.Close(); open.Wait() })
	w.mu.Lock()
	defer w.mu.Unlock()
	address := fmt.Sprintf("1.1.1.%d", len(w.names))
	w.names[name], w.servers[address] = address, l.Addr().String()
}
