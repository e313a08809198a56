package gateway

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// pipes is a listener of connections without a network.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1738} }

func (p *pipes) dial() net.Conn {
	near, far := net.Pipe()
	p.conns <- far
	return near
}

// serveOn serves a gateway on l. The gateway opens x-page URLs with opener, and connects with the
// options ao. Both may be nil.
func serveOn(t *testing.T, l net.Listener, o *Options, opener scheme.OpenerFunc, ao *access.Options) (*Server, func()) {
	t.Helper()
	row := scheme.Generic("x-page", scheme.Experimental)
	if row.Port = 1738; opener != nil {
		row.Access.Opener = opener
	}
	if ao == nil {
		ao = &access.Options{Lookup: func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("no network") }}
	}
	registry, err := all.Registry(row)
	if err != nil {
		t.Fatal(err)
	}
	client := access.New(registry, policy.Policy{}, ao)
	g, err := New(client, o)
	if err != nil {
		t.Fatal(err)
	}
	s := NewServer(g, nil)
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	return s, func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := s.Shutdown(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
		client.Close()
	}
}

// The server disconnects a client that sends its header slowly or not at all.
func TestSlowHead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newPipes()
		_, end := serveOn(t, l, nil, nil, nil)
		defer end()
		c := l.dial()
		defer c.Close()
		begun := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() {
			for _, o := range "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 1000) {
				if _, err := c.Write([]byte{byte(o)}); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		})
		_, err := io.Copy(io.Discard, c)
		c.Close()
		if took := time.Since(begun); took > headTime+time.Second {
			t.Errorf("let go after %v: %v", took, err)
		}
		wg.Wait()
	})
}

// The server closes idle connections, and leaves active connections open.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newPipes()
		_, end := serveOn(t, l, nil, nil, nil)
		defer end()
		c := l.dial()
		defer c.Close()
		r := bufio.NewReader(c)
		for range 3 {
			if _, err := io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(r, nil)
			if err != nil || resp.StatusCode != 200 {
				t.Fatalf("%v %v", resp, err)
			}
			io.Copy(io.Discard, resp.Body)
			time.Sleep(idleTime / 2)
		}
		begun := time.Now()
		io.Copy(io.Discard, r)
		if took := time.Since(begun); took != idleTime-idleTime/2 {
			t.Errorf("let go after %v", took)
		}
	})
}

// The server disconnects a client that reads nothing, and closes the requested resource.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newPipes()
		closed := make(chan struct{})
		_, end := serveOn(t, l, nil, func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
			return &scheme.Object{URL: req.URL, Size: -1, Body: &endless{closed: closed}}, nil
		}, nil)
		defer end()
		c := l.dial()
		defer c.Close()
		io.WriteString(c, "GET x-page://public.example/ HTTP/1.0\r\n\r\n")
		begun := time.Now()
		<-closed
		if took := time.Since(begun); took != writeTime {
			t.Errorf("let go after %v", took)
		}
	})
}

// endless is a body that never ends.
type endless struct{ closed chan struct{} }

func (e *endless) Read(p []byte) (int, error) { return len(p), nil }

func (e *endless) Close() error {
	close(e.closed)
	return nil
}

// The number of connections is limited. At the limit, the next connection waits until a
// connection ends.
func TestConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newPipes()
		_, end := serveOn(t, l, &Options{Limits: Limits{Connections: 2}}, nil, nil)
		defer end()
		first, second := l.dial(), l.dial()
		defer second.Close()
		third := make(chan net.Conn)
		go func() { third <- l.dial() }()
		synctest.Wait()
		select {
		case <-third:
			t.Error("a third connection")
		default:
		}
		first.Close()
		c := <-third
		io.WriteString(c, "GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n")
		if text, _ := io.ReadAll(c); !strings.HasPrefix(string(text), "HTTP/1.0 200") {
			t.Errorf("%q", text)
		}
	})
}

// The server responds to a rejected request after the earlier requests, and closes the
// connection.
func TestSmuggling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newPipes()
		_, end := serveOn(t, l, nil, nil, nil)
		defer end()
		c := l.dial()
		defer c.Close()
		go io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"+
			"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
		text, _ := io.ReadAll(c)
		if strings.Count(string(text), "HTTP/1.1 200") != 1 || strings.Count(string(text), "HTTP/1.1 400") != 1 || strings.Contains(string(text), "locus_gateway") {
			t.Errorf("%s", text)
		}
	})
}

// Many idle connections use little memory.
func TestManyIdle(t *testing.T) {
	const many = 500
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, end := serveOn(t, l, nil, nil, nil)
	defer end()
	for range many {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, "GET /healthz HTTP/1.0\r\n\r\n")
	if text, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(text), "HTTP/1.0 200") {
		t.Errorf("%q, %v", text, err)
	}
}

// During Shutdown, a client that has begun a request sees that the gateway is alive but not
// ready. Then its connection ends.
func TestReadyAtShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newPipes()
		s, end := serveOn(t, l, nil, nil, nil)
		want := map[string]string{"/readyz": "HTTP/1.1 503", "/healthz": "HTTP/1.1 503", "/livez": "HTTP/1.1 200"}
		clients := make(map[string]net.Conn)
		for path := range want {
			c := l.dial()
			defer c.Close()
			io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n")
			clients[path] = c
		}
		stopped := make(chan error)
		go func() { stopped <- s.Shutdown(context.Background()) }()
		synctest.Wait()
		for path, c := range clients {
			io.WriteString(c, "\r\n")
			text, _ := io.ReadAll(c)
			if !strings.HasPrefix(string(text), want[path]) || strings.Contains(string(text), "shutting down") != (path != "/livez") {
				t.Errorf("%s: %s, want %s", path, text, want[path])
			}
		}
		if err := <-stopped; err != nil {
			t.Error(err)
		}
		end()
	})
}

// Shutdown waits a short time for a connection that has sent nothing.
func TestSilentAtShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newPipes()
		s, end := serveOn(t, l, nil, nil, nil)
		defer end()
		c := l.dial()
		defer c.Close()
		begun := time.Now()
		if err := s.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		if took := time.Since(begun); took < silentTime || took > silentTime+time.Second {
			t.Errorf("took %v, want %v", took, silentTime)
		}
		if text, err := io.ReadAll(c); err != nil || len(text) > 0 {
			t.Errorf("%q %v", text, err)
		}
		if err := s.Serve(newPipes()); err != nil {
			t.Errorf("Serve after Shutdown: %v", err)
		}
	})
}

// Shutdown waits for running requests.
func TestShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newPipes()
		inside, leave := make(chan struct{}), make(chan struct{})
		s, end := serveOn(t, l, nil, func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
			close(inside)
			<-leave
			return &scheme.Object{URL: req.URL, Size: 4, Body: io.NopCloser(strings.NewReader("done"))}, nil
		}, nil)
		c := l.dial()
		go io.WriteString(c, "GET x-page://public.example/ HTTP/1.0\r\n\r\n")
		<-inside
		stopped := make(chan error)
		go func() { stopped <- s.Shutdown(context.Background()) }()
		synctest.Wait()
		close(leave)
		text, _ := io.ReadAll(c)
		if !strings.HasSuffix(string(text), "\r\n\r\ndone") {
			t.Errorf("%q", text)
		}
		if err := <-stopped; err != nil {
			t.Error(err)
		}
		end()
	})
}

func TestOptions(t *testing.T) {
	client := access.New(nil, policy.Policy{}, nil)
	defer client.Close()
	if _, err := New(client, &Options{Names: []string{"no name"}}); err == nil {
		t.Error("an invalid name is accepted")
	}
	if g, err := New(client, nil); err != nil || g.limiter.limits.Requests == 0 {
		t.Error(err)
	}
}

// The server disconnects a client that does not send its announced body, even if the
// handler does not read it.
func TestSlowBody(t *testing.T) {
	const end = "Host: localhost\r\nContent-Length: 100\r\n"
	form := "Content-Type: application/x-www-form-urlencoded\r\n"
	for name, head := range map[string]string{
		"page":  "GET / HTTP/1.1\r\n" + end,
		"raw":   "GET /-/raw/gopher/public.example/ HTTP/1.1\r\n" + end,
		"api":   "POST /api/parse HTTP/1.1\r\n" + end,
		"form":  "POST /-/submit HTTP/1.1\r\n" + end + form,
		"wrong": "POST / HTTP/1.1\r\n" + end,
		"proxy": "GET gopher://public.example/ HTTP/1.1\r\n" + end,
		"web":   "POST http://localhost:80/ HTTP/1.1\r\n" + end,
	} {
		for _, drips := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				l := newPipes()
				_, end := serveOn(t, l, nil, nil, nil)
				defer end()
				c := l.dial()
				defer c.Close()
				begun := time.Now()
				var wg sync.WaitGroup
				wg.Go(func() {
					io.WriteString(c, head+"\r\n")
					for drips && name != "web" {
						if _, err := io.WriteString(c, "a"); err != nil {
							return
						}
						time.Sleep(10 * time.Second)
					}
				})
				text, err := io.ReadAll(c)
				c.Close()
				if took := time.Since(begun); took > bodyTime+time.Second {
					t.Errorf("%s: let go after %v: %v %.40s", name, took, err, text)
				}
				wg.Wait()
			})
		}
	}
}

// answerSlowly reads one request and responds late.
func answerSlowly(c net.Conn) {
	defer c.Close()
	req, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return
	}
	body, err := io.ReadAll(req.Body)
	if err != nil || string(body) != "aaaa" {
		return
	}
	time.Sleep(responseTime - time.Second)
	io.WriteString(c, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\ndone")
}

// A forwarded body may arrive slowly. Its time does not count for the response.
func TestPatientBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newPipes()
		_, end := serveOn(t, l, nil, nil, &access.Options{
			Lookup: func(context.Context, string) ([]netip.Addr, error) {
				return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
			},
			Dial: func(context.Context, string, string) (net.Conn, error) {
				near, far := net.Pipe()
				go answerSlowly(far)
				return near, nil
			},
		})
		defer end()
		c := l.dial()
		defer c.Close()
		go func() {
			io.WriteString(c, "POST http://public.example/ HTTP/1.1\r\nHost: public.example\r\nConnection: close\r\nContent-Length: 4\r\n\r\n")
			for range 4 {
				time.Sleep(bodyTime / 2)
				io.WriteString(c, "a")
			}
		}()
		if text, err := io.ReadAll(c); !strings.HasSuffix(string(text), "\r\n\r\ndone") {
			t.Errorf("%v %q", err, text)
		}
	})
}
