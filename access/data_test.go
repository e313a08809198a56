package access

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/locus-url/locus/internal/servetest"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// listen returns a loopback listener that sends a word on each connection.
func listen(t *testing.T, word string) (address netip.AddrPort) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			io.WriteString(c, word)
			c.Close()
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
	})
	return netip.MustParseAddrPort(l.Addr().String())
}

func loopbackClient(t *testing.T) *Client {
	t.Helper()
	p, err := policy.New(policy.Rules{TypedPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	c := New(nil, p, nil)
	t.Cleanup(func() { c.Close() })
	return c
}

func dialControl(t *testing.T, d *dialer) net.Conn {
	t.Helper()
	c, err := d.DialContext(t.Context(), "tcp", listen(t, "control").String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// wrapped is a connection as TLS would wrap it.
type wrapped struct{ net.Conn }

func (w wrapped) NetConn() net.Conn { return w.Conn }

func TestDialData(t *testing.T) {
	c := loopbackClient(t)
	d := c.dialer(plan{origin: policy.Typed})
	control := dialControl(t, d)
	if text, err := io.ReadAll(control); err != nil || string(text) != "control" {
		t.Fatalf("%q, %v", text, err)
	}
	for _, over := range []net.Conn{control, wrapped{control}, wrapped{wrapped{control}}} {
		data, err := d.DialData(t.Context(), over, listen(t, "data").Port())
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(data)
		if err != nil || string(text) != "data" {
			t.Errorf("%q, %v", text, err)
		}
		data.Close()
	}
	for _, port := range []uint16{0, 20, 21, 25, 80, 1023} {
		if _, err := d.DialData(t.Context(), control, port); deniedBy(err) != "data-port" {
			t.Errorf("port %d: %v", port, err)
		}
	}
	// The control connection belongs to another dialer, or to no dialer.
	stranger, far := net.Pipe()
	defer stranger.Close()
	defer far.Close()
	for _, over := range []net.Conn{stranger, wrapped{stranger}, nil} {
		if _, err := d.DialData(t.Context(), over, 5000); err == nil {
			t.Error("a data connection without a control connection")
		}
		if _, err := d.ListenData(t.Context(), over); err == nil {
			t.Error("a data listener without a control connection")
		}
	}
	if _, err := c.dialer(plan{origin: policy.FromPrivate}).DialData(t.Context(), control, listen(t, "data").Port()); err == nil {
		t.Error("a data connection for the control connection of another door")
	}
	// A port without a server.
	dead, err := servetest.Refusing("tcp")
	if err != nil {
		t.Fatal(err)
	}
	defer dead.Close()
	gone := netip.MustParseAddrPort(dead.LocalAddr().String()).Port()
	if _, err := d.DialData(t.Context(), control, gone); KindOf(err) != Unreachable || !errors.Is(err, scheme.ErrUnreachable) {
		t.Errorf("without a server: %v", err)
	}
}

// A data connection goes to the address of the control connection, even if the name now
// resolves to another address.
func TestDialDataToTheSameAddress(t *testing.T) {
	w := &fixture{names: map[string]string{"rebind.example": "9.9.9.9|10.0.0.9"}}
	c := w.client(t, policy.Rules{}, nil, nil)
	d := c.dialer(plan{origin: policy.Typed})
	control, err := d.DialContext(t.Context(), "tcp", "rebind.example:21")
	if err != nil {
		t.Fatal(err)
	}
	data, err := d.DialData(t.Context(), control, 5000)
	if err != nil {
		t.Fatal(err)
	}
	data.Close()
	control.Close()
	equal(t, "dialed", w.dialed(), []string{"9.9.9.9:21", "9.9.9.9:5000"})
}

// The origin's rules apply to data connections too.
func TestDialDataIsJudged(t *testing.T) {
	w := new(fixture)
	d := w.client(t, policy.Rules{TypedPrivate: true}, nil, nil).dialer(plan{origin: policy.FromPublic})
	near, far := net.Pipe()
	defer far.Close()
	control, err := d.admit(near, netip.MustParseAddrPort("10.0.0.1:21"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.DialData(t.Context(), control, 5000); deniedBy(err) != "private" {
		t.Errorf("%v", err)
	}
	equal(t, "dialed", w.dialed(), nil)
}

// addrConn is a connection with another remote address.
type addrConn struct {
	net.Conn
	address net.Addr
}

func (f addrConn) RemoteAddr() net.Addr { return f.address }

func TestListenData(t *testing.T) {
	c := loopbackClient(t)
	d := c.dialer(plan{origin: policy.Typed})
	control := dialControl(t, d)
	l, err := d.ListenData(t.Context(), wrapped{control})
	if err != nil {
		t.Fatal(err)
	}
	server, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	data, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(server, "data")
	server.Close()
	if text, err := io.ReadAll(data); err != nil || string(text) != "data" {
		t.Errorf("%q, %v", text, err)
	}
	if _, ok := data.(*conn); !ok {
		t.Errorf("a data connection that may be silent for ever: %T", data)
	}
	data.Close()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := l.Accept(); err == nil {
		t.Error("Accept after Close")
	}
}

// Accept closes a connection from another host than the host of the control connection, and
// waits until the context ends.
func TestListenDataForOneHost(t *testing.T) {
	c := loopbackClient(t)
	d := c.dialer(plan{origin: policy.Typed})
	inner := dialControl(t, d).(*conn)
	elsewhere := addrConn{inner.Conn, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2), Port: 21}}
	control, err := d.admit(elsewhere, inner.address)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l, err := d.ListenData(ctx, control)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	accepted := make(chan error)
	go func() {
		_, err := l.Accept()
		accepted <- err
	}()
	intruder, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer intruder.Close()
	intruder.SetReadDeadline(time.Now().Add(time.Minute))
	if n, err := intruder.Read(make([]byte, 1)); n != 0 || err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the intruder reads %d octets, %v", n, err)
	}
	select {
	case err := <-accepted:
		t.Fatalf("the wait is over: %v", err)
	default:
	}
	cancel()
	if err := <-accepted; KindOf(err) != Interrupted {
		t.Errorf("%v", err)
	}
}

// Data connections need TCP.
func TestListenDataNeedsTCP(t *testing.T) {
	c := loopbackClient(t)
	near, far := net.Pipe()
	defer far.Close()
	control, err := c.dialer(plan{origin: 0}).admit(near, netip.MustParseAddrPort("127.0.0.1:21"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.dialer(plan{origin: 0}).ListenData(t.Context(), control); err == nil {
		t.Error("a listener for a pipe")
	}
}

// Without Options.Dial and Options.Lookup, the client uses the network.
func TestRealDial(t *testing.T) {
	c := loopbackClient(t)
	address := listen(t, "hello")
	near, err := c.dialer(plan{origin: policy.Typed}).DialContext(t.Context(), "tcp", address.String())
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	if near.RemoteAddr().String() != address.String() {
		t.Errorf("connected to %v", near.RemoteAddr())
	}
	if text, err := io.ReadAll(near); err != nil || string(text) != "hello" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := c.dialer(plan{origin: policy.FromPublic}).DialContext(t.Context(), "tcp", address.String()); deniedBy(err) != "private" {
		t.Errorf("origin Far: %v", err)
	}
	// The dialer checks the address when the socket connects.
	if _, err := c.dialer(plan{origin: policy.FromPublic}).dialOne(t.Context(), "tcp", address, c.dialer(plan{origin: policy.FromPublic}).dialFunc()); deniedBy(err) != "private" {
		t.Errorf("origin Far at the socket: %v", err)
	}
}

func TestDialRefuses(t *testing.T) {
	w := &fixture{names: map[string]string{"v4.example": "1.1.1.1", "none.example": ""}}
	c := w.client(t, policy.Rules{AllowPrivate: true}, nil, nil)
	d := c.dialer(plan{origin: policy.Typed})
	for _, s := range []struct {
		network, address string
		kind             Kind
	}{
		{"unix", "/tmp/socket:1", Denied},
		{"ip", "1.1.1.1:1", Denied},
		{"", "1.1.1.1:1", Denied},
		{"tcp", "1.1.1.1", Unreachable},
		{"tcp", "1.1.1.1:http", Unreachable},
		{"tcp", "1.1.1.1:65536", Unreachable},
		{"tcp", "1.1.1.1:-1", Unreachable},
		{"tcp", "nowhere.example:80", Unreachable},
		{"tcp", "none.example:80", Unreachable},
		{"tcp6", "v4.example:80", Unreachable},
		{"tcp6", "1.1.1.1:80", Unreachable},
		{"udp4", "[::1]:80", Unreachable},
	} {
		if _, err := d.DialContext(t.Context(), s.network, s.address); KindOf(err) != s.kind {
			t.Errorf("%s %s: %v", s.network, s.address, err)
		}
	}
	equal(t, "dialed", w.dialed(), nil)
	for _, network := range []string{"tcp", "tcp4", "udp", "udp4"} {
		near, err := d.DialContext(t.Context(), network, "v4.example:80")
		if err != nil {
			t.Fatal(err)
		}
		near.Close()
	}
}

// Closing a client closes its connections.
func TestClientClose(t *testing.T) {
	w := &fixture{names: names("a.example"), pages: map[string]string{"http://a.example/": "object x", "telnet://a.example/": "session"}}
	l := &lines{keep: true}
	c := w.client(t, policy.Rules{}, nil, l)
	if _, _, err := openText(t, c, Request{URL: parse("http://a.example/")}); err != nil {
		t.Fatal(err)
	}
	res, err := c.Open(t.Context(), "telnet://a.example/")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := res.Resource.(*scheme.Session).Conn.Read(make([]byte, 1)); err == nil {
		t.Error("a session is still open")
	}
	for _, list := range l.idle {
		for _, kept := range list {
			if _, err := kept.Write([]byte("x")); err == nil {
				t.Error("a kept connection is still open")
			}
		}
	}
	if _, err := c.dialer(plan{origin: policy.Typed}).DialContext(t.Context(), "tcp", "a.example:80"); !errors.Is(err, net.ErrClosed) {
		t.Errorf("dialed after Close: %v", err)
	}
}

// The dial timeout also applies to a data listener.
func TestListenDataTime(t *testing.T) {
	p, err := policy.New(policy.Rules{TypedPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	c := New(nil, p, nil)
	defer c.Close()
	control := dialControl(t, c.dialer(plan{origin: policy.Typed}))
	c.options.DialTimeout = 50 * time.Millisecond // set after dialing the control connection, which may take longer
	l, err := c.dialer(plan{origin: policy.Typed}).ListenData(t.Context(), control)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := l.Accept(); KindOf(err) != Timeout {
		t.Errorf("%v", err)
	}
}
