package schemetest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// timeout is the maximum duration of operations that should end immediately.
const timeout = 20 * time.Second

// access tests the opener of the scheme s with misbehaving servers.
func access(t *testing.T, s scheme.Scheme, c Config) {
	for _, text := range c.Unsendable {
		t.Run("unsendable", func(t *testing.T) {
			d := &dialer{t: t, never: true}
			refuses(t, s, parse(t, s, text), d)
		})
	}
	t.Run("another scheme", func(t *testing.T) {
		refuses(t, s, locus.MustParse("x-other://host.invalid/a"), &dialer{t: t, never: true})
	})
	for _, text := range c.Bad {
		t.Run("bad", func(t *testing.T) {
			refuses(t, s, parse(t, s, text), &dialer{t: t, never: true})
		})
	}
	if c.Local {
		for _, text := range c.Good {
			t.Run("local", func(t *testing.T) { local(t, s, parse(t, s, text)) })
		}
		return
	}
	u := parse(t, s, cmp.Or(c.Open, c.Good[0]))
	// Closing the opener must also close its idle connections.
	run := func(name string, test func(*testing.T, scheme.Scheme, locus.URL) *dialer) {
		t.Run(name, func(t *testing.T) {
			s := s
			if c.New != nil {
				s = c.New()
			}
			d := test(t, s, u)
			if closer, ok := s.Access.Opener.(io.Closer); ok && c.New != nil {
				if err := closer.Close(); err != nil {
					t.Error(err)
				}
			}
			d.allClosed()
		})
	}
	run("no connection", noConnection)
	run("canceled before", canceledBefore)
	run("canceled in silence", canceledInSilence)
	for name, peer := range map[string]func(net.Conn){
		"closes at once":   func(conn net.Conn) { conn.Close() },
		"one octet":        func(conn net.Conn) { conn.Write([]byte{'2'}); conn.Close() },
		"endless line":     flood("2"),
		"endless lines":    flood("220-x\r\n"),
		"endless nonsense": flood("\xFF\x00\x16\n"),
	} {
		for probe, what := range map[bool]string{false: name, true: name + ", probed"} {
			run(what, func(t *testing.T, s scheme.Scheme, u locus.URL) *dialer { return misbehaves(t, s, u, peer, probe) })
		}
	}
}

// refuses tests that opening the URL u fails.
func refuses(t *testing.T, s scheme.Scheme, u locus.URL, d *dialer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	resource, err := s.Access.Opener.Open(ctx, &scheme.Request{URL: u, Dial: d})
	if err == nil {
		resource.Close()
		t.Errorf("%q: opened a %T", u, resource)
		return
	}
	hidden(t, u, "the error", err.Error())
}

// local tests that opening the URL u does not dial. The resource need not exist.
func local(t *testing.T, s scheme.Scheme, u locus.URL) {
	resource, err := s.Access.Opener.Open(t.Context(), &scheme.Request{URL: u, Dial: &dialer{t: t, never: true}})
	if err == nil {
		resource.Close()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if resource, err := s.Access.Opener.Open(ctx, &scheme.Request{URL: u}); !errors.Is(err, context.Canceled) {
		t.Errorf("%q: %v, %v when canceled", u, resource, err)
	}
}

// errDial is the error that a failing dialer returns.
var errDial = errors.New("schemetest: the dialer fails")

// noConnection tests that the opener dials the address in the URL and returns the dialer's error.
func noConnection(t *testing.T, s scheme.Scheme, u locus.URL) *dialer {
	d := &dialer{t: t, err: errDial}
	resource, err := s.Access.Opener.Open(t.Context(), &scheme.Request{URL: u, Dial: d})
	if !errors.Is(err, errDial) {
		t.Errorf("%q: %v, %v; want the dialer's error", u, resource, err)
	}
	if len(d.addresses) == 0 {
		t.Fatalf("%q: the opener does not dial", u)
	}
	for _, address := range d.addresses {
		host, _, err := net.SplitHostPort(address)
		n, ok := u.Port()
		if !ok {
			n = s.Port
		}
		want := net.JoinHostPort(host, strconv.Itoa(int(n)))
		if err != nil || host != u.Host() || address != want {
			t.Errorf("%q: dials %q", u, address)
		}
	}
	return d
}

func canceledBefore(t *testing.T, s scheme.Scheme, u locus.URL) *dialer {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d := &dialer{t: t, peer: func(net.Conn) {}}
	resource, err := s.Access.Opener.Open(ctx, &scheme.Request{URL: u, Dial: d})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%q: %v, %v; want %v", u, resource, err, context.Canceled)
	}
	return d
}

// canceledInSilence tests that opening ends when the context is canceled while the server does
// not respond.
func canceledInSilence(t *testing.T, s scheme.Scheme, u locus.URL) *dialer {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d := &dialer{t: t, peer: func(net.Conn) { cancel() }}
	result := make(chan error, 1)
	go func() {
		resource, err := s.Access.Opener.Open(ctx, &scheme.Request{URL: u, Dial: d})
		if err == nil {
			// Reading a session or an object must also end.
			err = drain(resource)
		}
		result <- err
	}()
	select {
	case err := <-result:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%q: %v; want %v", u, err, context.Canceled)
		}
	case <-time.After(timeout):
		t.Fatalf("%q: Open does not end after it was canceled", u)
	}
	return d
}

// misbehaves tests that Open and reading the resource end even if the server violates the
// protocol.
func misbehaves(t *testing.T, s scheme.Scheme, u locus.URL, peer func(net.Conn), probe bool) *dialer {
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	d := &dialer{t: t, peer: peer}
	done := make(chan error, 1)
	go func() {
		resource, err := s.Access.Opener.Open(ctx, &scheme.Request{URL: u, Dial: d, Limit: 1 << 16, Probe: probe})
		if err == nil {
			err = drain(resource)
		}
		done <- err
	}()
	select {
	case err := <-done:
		if errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%q: only the deadline ended it: %v", u, err)
		}
	case <-time.After(2 * timeout):
		t.Fatalf("%q: Open does not end", u)
	}
	return d
}

// drain reads a resource up to a limit and then closes the resource.
func drain(resource scheme.Resource) (err error) {
	switch r := resource.(type) {
	case *scheme.Object:
		_, err = io.CopyN(io.Discard, r.Body, 1<<20)
	case *scheme.Menu:
		n := 0
		for _, itemErr := range r.Items {
			if n++; itemErr != nil || n == 1000 {
				err = itemErr
				break
			}
		}
	case *scheme.Session:
		_, err = io.CopyN(io.Discard, r.Conn, 1<<16)
	}
	if closeErr := resource.Close(); err == nil {
		err = closeErr
	}
	return err
}

// flood returns a server function that repeats text until the client closes the connection.
func flood(text string) func(net.Conn) {
	block := bytes.Repeat([]byte(text), 4096/len(text))
	return func(conn net.Conn) {
		for {
			if _, err := conn.Write(block); err != nil {
				return
			}
		}
	}
}

// dialer is a dialer that connects to an in-process server and records the connections.
type dialer struct {
	t     *testing.T
	never bool           // every dial fails the test
	err   error          // error that every dial returns
	peer  func(net.Conn) // server function; the dialer itself reads and discards the requests

	mu        sync.Mutex
	addresses []string
	conns     []*trackedConn
}

func (d *dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.addresses = append(d.addresses, address)
	switch {
	case d.never:
		d.t.Errorf("dials %s %s", network, address)
		return nil, errDial
	case d.err != nil:
		return nil, d.err
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	client, server := net.Pipe()
	conn := &trackedConn{Conn: client, closed: make(chan struct{})}
	d.conns = append(d.conns, conn)
	go io.Copy(io.Discard, server)
	go d.peer(server)
	return conn, nil
}

// allClosed waits until all connections are closed.
func (d *dialer) allClosed() {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, conn := range d.conns {
		select {
		case <-conn.closed:
		case <-time.After(timeout):
			d.t.Errorf("connection %d of %d stays open", i+1, len(d.conns))
			conn.Close()
		}
	}
}

// trackedConn is a connection whose Close method closes a channel.
type trackedConn struct {
	net.Conn
	once   sync.Once
	closed chan struct{}
}

func (c *trackedConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}
