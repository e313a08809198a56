package access

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// bubble runs f in a synctest bubble, with a client for w.
func (w *fixture) bubble(t *testing.T, o Options, opener scheme.Opener, f func(t *testing.T, c *Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		if o.Lookup == nil {
			o.Lookup = w.lookup
		}
		if o.Dial == nil {
			o.Dial = w.dial
		}
		c := New(registry(t, opener), policy.Policy{}, &o)
		f(t, c)
		c.Close()
		w.servers.Wait()
	})
}

// took returns how long f took on the clock of the bubble.
func took(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

func TestSilentServer(t *testing.T) {
	for _, s := range []struct {
		o    Options
		want time.Duration
		says string
	}{
		{Options{}, 60 * time.Second, "no data from the server for 1m"},
		{Options{IdleTimeout: 5 * time.Second}, 5 * time.Second, "for 5s"},
		{Options{IdleTimeout: 5 * time.Second, Timeout: 2 * time.Second}, 2 * time.Second, "timed out after 2s"},
		{Options{Timeout: 2 * time.Second}, 2 * time.Second, "timed out after 2s"},
	} {
		w := &fixture{names: names("a.example"), pages: map[string]string{"http://a.example/": "silent"}}
		w.bubble(t, s.o, new(lines), func(t *testing.T, c *Client) {
			var err error
			if d := took(func() { _, err = c.Open(t.Context(), "http://a.example/") }); d != s.want {
				t.Errorf("%+v: ended after %v", s.o, d)
			}
			if KindOf(err) != Timeout || !strings.Contains(err.Error(), s.says) || errors.Is(err, context.Canceled) {
				t.Errorf("%+v: %v", s.o, err)
			}
		})
	}
}

// If no address responds, each address gets its share of the time that remains after the
// name lookup.
func TestConnect(t *testing.T) {
	w := &fixture{names: map[string]string{"a.example": "1.1.1.1 1.1.1.2 2606:4700::1"}}
	var at []string
	start := time.Time{}
	silent := func(ctx context.Context, _, address string) (net.Conn, error) {
		at = append(at, fmt.Sprint(time.Since(start), " ", address))
		<-ctx.Done()
		return nil, ctx.Err()
	}
	slow := func(ctx context.Context, host string) ([]netip.Addr, error) {
		time.Sleep(3 * time.Second)
		return w.lookup(ctx, host)
	}
	w.bubble(t, Options{Dial: silent, Lookup: slow, DialTimeout: 12 * time.Second}, new(lines), func(t *testing.T, c *Client) {
		start = time.Now()
		var err error
		if d := took(func() { _, err = c.Open(t.Context(), "http://a.example/") }); d != 12*time.Second {
			t.Errorf("ended after %v", d)
		}
		var e *Error
		if KindOf(err) != Timeout || !errors.Is(err, scheme.ErrUnreachable) || !errors.As(err, &e) || e.Op != "dial" {
			t.Errorf("%v", err)
		}
		equal(t, "dialed", at, []string{"3s 1.1.1.1:80", "6s [2606:4700::1]:80", "9s 1.1.1.2:80"})
	})
	// This lookup never ends.
	stuck := func(ctx context.Context, host string) ([]netip.Addr, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	w.bubble(t, Options{Lookup: stuck}, new(lines), func(t *testing.T, c *Client) {
		var err error
		if d := took(func() { _, err = c.Open(t.Context(), "http://a.example/") }); d != 30*time.Second || KindOf(err) != Timeout {
			t.Errorf("ended after %v: %v", d, err)
		}
	})
	// An address that refuses the connection costs no time.
	w = &fixture{names: map[string]string{"a.example": "1.1.1.1 1.1.1.2"}, dead: map[string]bool{"1.1.1.1": true}, pages: map[string]string{"http://a.example/": "object"}}
	w.bubble(t, Options{}, new(lines), func(t *testing.T, c *Client) {
		d := took(func() {
			if _, _, err := openText(t, c, Request{URL: parse("http://a.example/")}); err != nil {
				t.Error(err)
			}
		})
		if d != 0 {
			t.Errorf("it took %v", d)
		}
		equal(t, "dialed", w.dialed(), []string{"1.1.1.1:80", "1.1.1.2:80"})
	})
}

// The dialer tries a limited number of addresses.
func TestManyAddresses(t *testing.T) {
	w := &fixture{names: map[string]string{"a.example": ""}, dead: make(map[string]bool)}
	for i := range 100 {
		a := fmt.Sprintf("1.1.1.%d", i)
		w.names["a.example"] += " " + a
		w.dead[a] = true
	}
	c := w.client(t, policy.Rules{}, nil, nil)
	if _, _, err := openText(t, c, Request{URL: parse("http://a.example/")}); KindOf(err) != Unreachable {
		t.Errorf("%v", err)
	}
	if n := len(w.dialed()); n != maxAddresses {
		t.Errorf("%d addresses were dialed", n)
	}
}

// The Timeout option does not limit reading. The idle timeout applies while the client
// reads the resource.
func TestTimeoutExcludesReading(t *testing.T) {
	drip := scheme.OpenerFunc(func(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
		c, err := req.Dial.DialContext(ctx, "tcp", "a.example:80")
		if err != nil {
			return nil, err
		}
		return &scheme.Object{URL: req.URL, Size: -1, Body: c}, nil
	})
	for _, s := range []struct {
		every time.Duration
		kind  Kind
		after time.Duration
	}{
		{4 * time.Second, "", 40 * time.Second},
		{6 * time.Second, Timeout, 5 * time.Second},
	} {
		w := &fixture{names: names("a.example")}
		dial := func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			w.servers.Go(func() {
				defer server.Close()
				for range 10 {
					time.Sleep(s.every)
					if _, err := server.Write([]byte("x")); err != nil {
						return
					}
				}
			})
			return client, nil
		}
		w.bubble(t, Options{IdleTimeout: 5 * time.Second, Timeout: 2 * time.Second, Dial: dial}, drip, func(t *testing.T, c *Client) {
			var err error
			d := took(func() { _, _, err = openText(t, c, Request{URL: parse("http://a.example/")}) })
			if d != s.after || KindOf(err) != s.kind {
				t.Errorf("an octet every %v: %v after %v", s.every, err, d)
			}
			var e *Error
			if err != nil && (!errors.As(err, &e) || e.Op != "read" || strings.Count(err.Error(), "locus: ") != 1) {
				t.Errorf("%v", err)
			}
		})
	}
}

// A session has no idle timeout, and ends when its context ends.
func TestSessionHasNoIdleTimeout(t *testing.T) {
	w := &fixture{names: names("a.example"), pages: map[string]string{"telnet://a.example/": "session", "go\r": "hello"}}
	w.bubble(t, Options{IdleTimeout: 5 * time.Second, Timeout: 5 * time.Second}, new(lines), func(t *testing.T, c *Client) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		res, err := c.Open(ctx, "telnet://a.example/")
		if err != nil {
			t.Fatal(err)
		}
		s := res.Resource.(*scheme.Session)
		time.AfterFunc(time.Hour, func() { fmt.Fprint(s.Conn, "go\r\n") })
		b := make([]byte, 6)
		if d := took(func() { _, err = io.ReadFull(s.Conn, b) }); err != nil || string(b) != "hello\n" || d != time.Hour {
			t.Errorf("%q, %v after %v", b, err, d)
		}
		time.AfterFunc(time.Hour, cancel)
		if d := took(func() { _, err = s.Conn.Read(b) }); err == nil || d != time.Hour {
			t.Errorf("%v after %v", err, d)
		}
	})
	// Closing the session releases the context.
	w.bubble(t, Options{}, new(lines), func(t *testing.T, c *Client) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		res, err := c.Open(ctx, "telnet://a.example/")
		if err != nil {
			t.Fatal(err)
		}
		if err := res.Close(); err != nil {
			t.Error(err)
		}
		if len(c.dialer(plan{origin: policy.Typed}).conns) != 0 {
			t.Error("a closed connection is kept")
		}
	})
}

// A cancellation ends an open at any step, and also ends reading from a resource that
// ignores the context.
func TestCancel(t *testing.T) {
	gone := errors.New("the window was closed")
	for _, s := range []struct {
		name   string
		lookup func(context.Context, string) ([]netip.Addr, error)
		dial   func(context.Context, string, string) (net.Conn, error)
	}{
		{"look-up", func(ctx context.Context, _ string) ([]netip.Addr, error) { <-ctx.Done(); return nil, ctx.Err() }, nil},
		{"dial", nil, func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, errors.New("gave up")
		}},
		{"answer", nil, nil},
	} {
		w := &fixture{names: names("a.example"), pages: map[string]string{"http://a.example/": "silent"}}
		w.bubble(t, Options{Lookup: s.lookup, Dial: s.dial, Timeout: time.Minute}, new(lines), func(t *testing.T, c *Client) {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(gone) })
			var err error
			d := took(func() { _, err = c.Open(ctx, "http://a.example/") })
			if d != time.Second || KindOf(err) != Interrupted || !errors.Is(err, context.Canceled) || !errors.Is(err, gone) {
				t.Errorf("%s: %v after %v", s.name, err, d)
			}
		})
	}

	// This body and this menu wait for the server and ignore the context.
	deaf := scheme.OpenerFunc(func(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
		c, err := req.Dial.DialContext(context.WithoutCancel(ctx), "tcp", "a.example:80")
		if err != nil {
			return nil, err
		}
		if req.URL.Scheme() == "http" {
			return &scheme.Object{URL: req.URL, Size: -1, Body: c}, nil
		}
		return &scheme.Menu{URL: req.URL, Closer: c, Items: func(yield func(scheme.Item, error) bool) {
			_, err := c.Read(make([]byte, 1))
			yield(scheme.Item{}, err)
		}}, nil
	})
	for _, text := range []string{"http://a.example/", "gopher://a.example/"} {
		for _, closeIt := range []bool{false, true} {
			w := &fixture{names: names("a.example")}
			w.bubble(t, Options{}, deaf, func(t *testing.T, c *Client) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				res, err := c.Open(ctx, text)
				if err != nil {
					t.Fatal(err)
				}
				time.AfterFunc(time.Second, func() {
					if closeIt {
						res.Close()
					} else {
						cancel()
					}
				})
				d := took(func() { err = read(res.Resource) })
				var e *Error
				if d != time.Second || !errors.As(err, &e) || e.Op != "read" || !closeIt && KindOf(err) != Interrupted {
					t.Errorf("%s: %v after %v", text, err, d)
				}
				if err := read(res.Resource); !closeIt && KindOf(err) != Interrupted || err == nil {
					t.Errorf("%s, read again: %v", text, err)
				}
				res.Close()
			})
		}
	}
}

// read reads once from a resource.
func read(res scheme.Resource) error {
	switch r := res.(type) {
	case *scheme.Object:
		_, err := r.Body.Read(make([]byte, 1))
		return err
	case *scheme.Menu:
		for _, err := range r.Items {
			return err
		}
	}
	return io.EOF
}

// If an opener's error wraps the timeout, the client returns this error, because it
// describes what the server did before. Otherwise the timeout replaces the error.
func TestTimeoutTellsWhatHappened(t *testing.T) {
	for _, tells := range []bool{true, false} {
		slow := scheme.OpenerFunc(func(ctx context.Context, _ *scheme.Request) (scheme.Resource, error) {
			<-ctx.Done()
			if tells {
				return nil, fmt.Errorf("the server answered \"wait\": %w", context.Cause(ctx))
			}
			return nil, errors.New("use of closed connection")
		})
		new(fixture).bubble(t, Options{Timeout: time.Second}, slow, func(t *testing.T, c *Client) {
			_, err := c.Open(t.Context(), "http://a.example/")
			want := "timed out after 1s"
			if tells {
				want = `the server answered "wait": ` + want
			}
			if KindOf(err) != Timeout || !strings.HasSuffix(err.Error(), ": "+want) {
				t.Errorf("%v, want %s", err, want)
			}
		})
	}
}

// The client closes a resource that arrives at the time limit, and returns a timeout error.
func TestTimeoutAtTheLastMoment(t *testing.T) {
	closed := false
	late := scheme.OpenerFunc(func(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
		<-ctx.Done()
		o, err := page(req.URL, "object", "late")
		o.(*scheme.Object).Body = struct {
			io.Reader
			io.Closer
		}{strings.NewReader("late"), closeFunc(func() error { closed = true; return nil })}
		return o, err
	})
	w := new(fixture)
	w.bubble(t, Options{Timeout: time.Second}, late, func(t *testing.T, c *Client) {
		if _, err := c.Open(t.Context(), "http://a.example/"); KindOf(err) != Timeout || !closed {
			t.Errorf("%v, closed: %v", err, closed)
		}
	})
}

// The caller's deadline or the idle timeout applies, whichever is earlier.
func TestConnDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(nil, policy.Policy{}, &Options{IdleTimeout: 10 * time.Second})
		open := func() (*conn, net.Conn) {
			near, far := net.Pipe()
			admitted, err := c.dialer(plan{origin: 0}).admit(near, netip.MustParseAddrPort("1.1.1.1:80"))
			if err != nil {
				t.Fatal(err)
			}
			return admitted, far
		}
		b := make([]byte, 1)
		a, far := open()
		expect := func(what string, want time.Duration, silence bool) {
			t.Helper()
			var err error
			d := took(func() { _, err = a.Read(b) })
			var s *timeoutError
			if d != want || !errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &s) != silence {
				t.Errorf("%s: %v after %v", what, err, d)
			}
			var netError net.Error
			if !errors.As(err, &netError) || !netError.Timeout() {
				t.Errorf("%s: %v is not a timeout for package net", what, err)
			}
		}
		expect("silence", 10*time.Second, true)
		expect("silence again", 10*time.Second, true)
		a.SetReadDeadline(time.Now().Add(3 * time.Second))
		expect("the user's deadline", 3*time.Second, false)
		expect("the user's deadline is over", 0, false)
		a.SetDeadline(time.Time{})
		expect("no more deadline", 10*time.Second, true)
		a.SetDeadline(time.Now().Add(time.Hour))
		expect("a deadline far away", 10*time.Second, true)
		// The deadline ends a Read that waits.
		time.AfterFunc(4*time.Second, func() { a.SetDeadline(time.Unix(1, 0)) })
		expect("a deadline in the past", 4*time.Second, false)
		a.SetDeadline(time.Time{})
		// A Write extends the deadline for the response.
		time.AfterFunc(8*time.Second, func() { a.Write([]byte("question")) })
		go io.ReadFull(far, make([]byte, 8))
		expect("a Read while something is written", 18*time.Second, true)
		// The other end does not read this data.
		var err error
		if d := took(func() { _, err = a.Write([]byte("x")) }); d != 10*time.Second || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Write: %v after %v", err, d)
		}
		a.SetWriteDeadline(time.Now().Add(2 * time.Second))
		if d := took(func() { _, err = a.Write([]byte("x")) }); d != 2*time.Second {
			t.Errorf("Write: %v after %v", err, d)
		}
		a.allowSilence()
		a.SetReadDeadline(time.Now().Add(time.Hour))
		expect("free", time.Hour, false)
		if a.Close() != nil || len(c.dialer(plan{origin: 0}).conns) != 0 {
			t.Error("a closed connection is kept")
		}
		if _, err := a.Read(b); err == nil {
			t.Error("Read after Close")
		}
		called := false
		a.afterClose(func() { called = true })
		if !called {
			t.Error("afterClose of what is closed does nothing")
		}
		far.Close()
	})
}
