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

// patience is how long an opener has for what should take no time at all. It is
// never waited for when all is well.
const patience = 20 * time.Second

// access holds the opener against peers of which none behaves.
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
	// What an opener keeps for later it lets go of when it is closed.
	run := func(name string, test func(*testing.T, scheme.Scheme, locus.URL) *dialer) {
		t.Run(name, func(t *testing.T) {
			s := s
			if c.New != nil {
				s = c.New()
			}
			d := test(t, s, u)
			if closer, ok := s.Opener.(io.Closer); ok && c.New != nil {
				if err := closer.Close(); err != nil {
					t.Error(err)
				}
			}
			d.allClosed()
		})
	}
	run("no connection", noConnection)
	run("cancelled before", cancelledBefore)
	run("cancelled in silence", cancelledInSilence)
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

// refuses opens u, which must fail without d being used.
func refuses(t *testing.T, s scheme.Scheme, u locus.URL, d *dialer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	resource, err := s.Opener.Open(ctx, &scheme.Request{URL: u, Dial: d})
	if err == nil {
		resource.Close()
		t.Errorf("%q: opened a %T", u, resource)
		return
	}
	hidden(t, u, "the error", err.Error())
}

// local opens u, which need not exist, at a dialer that must not be used.
func local(t *testing.T, s scheme.Scheme, u locus.URL) {
	resource, err := s.Opener.Open(t.Context(), &scheme.Request{URL: u, Dial: &dialer{t: t, never: true}})
	if err == nil {
		resource.Close()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if resource, err := s.Opener.Open(ctx, &scheme.Request{URL: u}); !errors.Is(err, context.Canceled) {
		t.Errorf("%q: %v, %v when cancelled", u, resource, err)
	}
}

// errDial is what a dialer fails with.
var errDial = errors.New("schemetest: the dialer fails")

// noConnection has a dialer that fails: its error comes out, and the address it
// was asked for is that of the URL.
func noConnection(t *testing.T, s scheme.Scheme, u locus.URL) *dialer {
	d := &dialer{t: t, err: errDial}
	resource, err := s.Opener.Open(t.Context(), &scheme.Request{URL: u, Dial: d})
	if !errors.Is(err, errDial) {
		t.Errorf("%q: %v, %v; want the dialer's error", u, resource, err)
	}
	if len(d.addresses) == 0 {
		t.Fatalf("%q: nothing is dialled", u)
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

func cancelledBefore(t *testing.T, s scheme.Scheme, u locus.URL) *dialer {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d := &dialer{t: t, peer: func(net.Conn) {}}
	resource, err := s.Opener.Open(ctx, &scheme.Request{URL: u, Dial: d})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%q: %v, %v; want %v", u, resource, err, context.Canceled)
	}
	return d
}

// cancelledInSilence has a peer that listens and says nothing, and cancels.
func cancelledInSilence(t *testing.T, s scheme.Scheme, u locus.URL) *dialer {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d := &dialer{t: t, peer: func(net.Conn) { cancel() }}
	result := make(chan error, 1)
	go func() {
		resource, err := s.Opener.Open(ctx, &scheme.Request{URL: u, Dial: d})
		if err == nil {
			// A session, or an object whose octets are still to come: reading ends.
			err = drain(resource)
		}
		result <- err
	}()
	select {
	case err := <-result:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%q: %v; want %v", u, err, context.Canceled)
		}
	case <-time.After(patience):
		t.Fatalf("%q: Open goes on after it was cancelled", u)
	}
	return d
}

// misbehaves has a peer that is no server of any protocol: Open ends, or what it
// gives does, and nothing stays open.
func misbehaves(t *testing.T, s scheme.Scheme, u locus.URL, peer func(net.Conn), probe bool) *dialer {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	d := &dialer{t: t, peer: peer}
	done := make(chan error, 1)
	go func() {
		resource, err := s.Opener.Open(ctx, &scheme.Request{URL: u, Dial: d, Limit: 1 << 16, Probe: probe})
		if err == nil {
			err = drain(resource)
		}
		done <- err
	}()
	select {
	case err := <-done:
		if errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%q: nothing but the deadline ends it: %v", u, err)
		}
	case <-time.After(2 * patience):
		t.Fatalf("%q: Open does not end", u)
	}
	return d
}

// drain reads a resource, but not all that never ends, and closes it.
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

// flood returns a peer that writes text again and again until the other end
// closes.
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

// dialer gives connections to a peer in the same process, and keeps account of
// them.
type dialer struct {
	t     *testing.T
	never bool           // whoever dials fails the test
	err   error          // every dial fails with it
	peer  func(net.Conn) // the far end, when what comes in is already read and thrown away

	mu        sync.Mutex
	addresses []string
	conns     []*countedConn
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
	near, far := net.Pipe()
	conn := &countedConn{Conn: near, closed: make(chan struct{})}
	d.conns = append(d.conns, conn)
	go io.Copy(io.Discard, far)
	go d.peer(far)
	return conn, nil
}

// allClosed waits for the end of every connection that was made.
func (d *dialer) allClosed() {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, conn := range d.conns {
		select {
		case <-conn.closed:
		case <-time.After(patience):
			d.t.Errorf("connection %d of %d stays open", i+1, len(d.conns))
			conn.Close()
		}
	}
}

// countedConn is a connection that tells when it is closed.
type countedConn struct {
	net.Conn
	once   sync.Once
	closed chan struct{}
}

func (c *countedConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}
