package scheme_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// pipeDialer is a dialer that returns one end of a pipe.
type pipeDialer struct {
	address string
	peer    net.Conn
	err     error
}

func (p *pipeDialer) DialContext(_ context.Context, _, address string) (net.Conn, error) {
	if p.address = address; p.err != nil {
		return nil, p.err
	}
	conn, peer := net.Pipe()
	p.peer = peer
	return conn, nil
}

func TestConnect(t *testing.T) {
	for text, want := range map[string]string{"x://h/": "h:70", "x://h:7/": "h:7", "x://[::1]/": "[::1]:70"} {
		d := new(pipeDialer)
		c, err := scheme.Connect(t.Context(), &scheme.Request{URL: locus.MustParse(text), Dial: d}, 70)
		if err != nil {
			t.Fatal(err)
		}
		if d.address != want || c.Address != want {
			t.Errorf("%s: dials %s, %s", text, d.address, c.Address)
		}
		c.Close()
	}
	if _, err := scheme.Connect(t.Context(), &scheme.Request{URL: locus.MustParse("x:///a"), Dial: new(pipeDialer)}, 70); !errors.As(err, new(*locus.SyntaxError)) {
		t.Errorf("without a host: %v", err)
	}
	u := locus.MustParse("x://h/")
	if _, err := scheme.Connect(t.Context(), &scheme.Request{URL: u}, 70); !errors.Is(err, scheme.ErrUnsupported) {
		t.Errorf("without a dialer: %v", err)
	}
	broken := errors.New("broken")
	if _, err := scheme.Connect(t.Context(), &scheme.Request{URL: u, Dial: &pipeDialer{err: broken}}, 70); !errors.Is(err, scheme.ErrUnreachable) || !errors.Is(err, broken) {
		t.Error(err)
	}
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, err := scheme.Connect(ctx, &scheme.Request{URL: u, Dial: &pipeDialer{err: broken}}, 70); err != why {
		t.Error(err)
	}
}

// Errors of a connection must distinguish a failed server, a closed connection and a cancelled
// context.
func TestConnEnds(t *testing.T) {
	why := errors.New("why")
	for name, test := range map[string]struct {
		end  func(c *scheme.Conn, d *pipeDialer, cancel context.CancelCauseFunc)
		read error
		sent error
	}{
		"the server":  {func(_ *scheme.Conn, d *pipeDialer, _ context.CancelCauseFunc) { d.peer.Close() }, io.EOF, scheme.ErrProtocol},
		"the caller":  {func(c *scheme.Conn, _ *pipeDialer, _ context.CancelCauseFunc) { c.Close() }, fs.ErrClosed, fs.ErrClosed},
		"the context": {func(_ *scheme.Conn, _ *pipeDialer, cancel context.CancelCauseFunc) { cancel(why) }, why, why},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		d := new(pipeDialer)
		c, err := scheme.Connect(ctx, &scheme.Request{URL: locus.MustParse("x://h/"), Dial: d}, 70)
		if err != nil {
			t.Fatal(err)
		}
		test.end(c, d, cancel)
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, test.read) {
			t.Errorf("%s ended it: Read %v", name, err)
		}
		_, err = c.Write([]byte("x"))
		if !errors.Is(err, test.sent) || errors.Is(err, scheme.ErrProtocol) && test.sent != scheme.ErrProtocol {
			t.Errorf("%s ended it: Write %v", name, err)
		}
		for range 2 {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
