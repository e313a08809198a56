package lineconn

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/line"
)

type pipeDialer struct{ conn net.Conn }

func (d *pipeDialer) DialContext(context.Context, string, string) (net.Conn, error) {
	return d.conn, nil
}

// pipe returns a connection and the other end of the connection.
func pipe(t *testing.T) (*Conn, net.Conn) {
	near, far := net.Pipe()
	t.Cleanup(func() { near.Close(); far.Close() })
	c, err := Dial(t.Context(), NewKey(&pipeDialer{near}, locus.MustParse("ftp://a%40:@H.example/"), 21, false))
	if err != nil {
		t.Fatal(err)
	}
	if k := c.Login; k.Host != "h.example" || k.Port != 21 || k.User != "a@" || !k.HasPassword {
		t.Errorf("NewKey: login %+v, want host h.example, port 21, user a@, a password", k)
	}
	c.Lines = line.NewReader(c.Stream, 100)
	return &c, far
}

type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

func (f dialFunc) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return f(ctx, network, address)
}

// A dialer may have any type, including types that are not comparable.
func TestDialerNotComparable(t *testing.T) {
	d := dialFunc(new(net.Dialer).DialContext)
	u := locus.MustParse("ftp://h/")
	if NewKey(d, u, 21, false) == NewKey(d, u, 21, false) {
		t.Error("equal keys")
	}
	if p := new(net.Dialer); NewKey(p, u, 21, false) != NewKey(p, u, 21, false) {
		t.Error("different keys")
	}
}

// If a reused connection fails before its first reply, the error must be stale. Any other failure
// must be reported as an error of the server.
func TestStale(t *testing.T) {
	c, _ := pipe(t)
	failed := errors.New("failed")
	if err := c.Fail(failed); IsStale(err) || c.Reusable() {
		t.Errorf("a new connection: %v", err)
	}
	c.Broken = false
	var l Lease
	kept := 0
	l.Begin(t.Context(), c, new(scheme.Request), func() { kept++ })
	l.End(true)
	if err := c.Fail(failed); kept != 1 || !IsStale(err) || !errors.Is(err, failed) {
		t.Errorf("kept %d times, %v", kept, err)
	}
	c.Broken, c.Owed = false, 1
	c.Answered(true)
	if err := c.Fail(failed); IsStale(err) {
		t.Errorf("after a reply: %v", err)
	}
}

// When the context is canceled, the lease must close the connection and the values that it holds.
func TestLeaseContext(t *testing.T) {
	c, far := pipe(t)
	ctx, cancel := context.WithCancel(t.Context())
	var l Lease
	l.Begin(ctx, c, new(scheme.Request), func() { t.Error("kept") })
	held, other := net.Pipe()
	l.Hold(held)
	cancel()
	for _, end := range []net.Conn{far, other} {
		if _, err := end.Read(make([]byte, 1)); err != io.EOF {
			t.Error(err)
		}
	}
	l.End(true)
	late, other := net.Pipe()
	l.Hold(late)
	if _, err := other.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("held after the end: %v", err)
	}
}

func TestReplyError(t *testing.T) {
	err := &ReplyError{Command: "RETR x", Code: 550, Text: "no \x1b[2J", Kind: scheme.ErrNotFound}
	if text := err.Error(); text != `"RETR x": not found: 550 no \x1b[2J` || !errors.Is(err, scheme.ErrNotFound) {
		t.Error(text)
	}
	for text, want := range map[string]int{"100": 100, "599 x": 599, "600": 0, "22": 0, "2x0": 0, "020": 0} {
		if code, ok := ReplyCode(text); code != want && ok || ok != (want != 0) {
			t.Errorf("%s: %d %v", text, code, ok)
		}
	}
}
