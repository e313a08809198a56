package access

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// packetSocket returns a loopback socket.
func packetSocket(t *testing.T, address string) *net.UDPConn {
	t.Helper()
	c, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.MustParseAddrPort(address+":0")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func addrPort(c *net.UDPConn) netip.AddrPort { return c.LocalAddr().(*net.UDPAddr).AddrPort() }

// The connection receives only datagrams from the host and the given ports.
func TestDialPacket(t *testing.T) {
	server, also, other := packetSocket(t, "127.0.0.1"), packetSocket(t, "127.0.0.1"), packetSocket(t, "127.0.0.1")
	c, err := scheme.DialPacket(t.Context(), loopbackClient(t).Dialer(), "udp4", addrPort(server).String(), addrPort(also).Port())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if c.RemoteAddr().String() != server.LocalAddr().String() {
		t.Errorf("remote address %v", c.RemoteAddr())
	}
	if _, err := c.Write([]byte("question")); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 100)
	n, from, err := server.ReadFromUDPAddrPort(buf)
	if err != nil || string(buf[:n]) != "question" {
		t.Fatalf("%q, %v", buf[:n], err)
	}
	for _, s := range []struct {
		from *net.UDPConn
		text string
	}{{other, "stranger"}, {also, "also"}, {packetSocket(t, "127.0.0.2"), "another host"}, {server, "answer"}} {
		if _, err := s.from.WriteToUDPAddrPort([]byte(s.text), from); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"also", "answer"} {
		if n, err := c.Read(buf); err != nil || string(buf[:n]) != want {
			t.Errorf("%q, %v; want %q", buf[:n], err, want)
		}
	}
}

// If the system reports a missing server, Read fails at once.
func TestDialPacketRefused(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system does not tell")
	}
	gone := packetSocket(t, "127.0.0.1")
	gone.Close()
	c, err := scheme.DialPacket(t.Context(), loopbackClient(t).Dialer(), "udp4", addrPort(gone).String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("question")); err != nil {
		t.Fatal(err)
	}
	if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Error(err)
	}
}

func TestDialPacketDenied(t *testing.T) {
	c := New(nil, policy.Policy{}, nil)
	defer c.Close()
	for _, network := range []string{"udp", "udp4"} {
		if _, err := scheme.DialPacket(t.Context(), c.Dialer(), network, "127.0.0.1:1525"); !errors.Is(err, policy.ErrDenied) {
			t.Errorf("%s: %v", network, err)
		}
	}
	if _, err := scheme.DialPacket(t.Context(), loopbackClient(t).Dialer(), "tcp", "127.0.0.1:1525"); !errors.Is(err, policy.ErrDenied) {
		t.Error(err)
	}
	if _, err := scheme.DialPacket(t.Context(), c.Dialer(), "udp6", "192.0.2.1:1525"); !errors.Is(err, scheme.ErrUnreachable) {
		t.Error("no IPv6 address: ", err)
	}
	if _, err := scheme.DialPacket(t.Context(), loopbackClient(t).Dialer(), "udp", "127.0.0.1:x"); !errors.Is(err, scheme.ErrUnreachable) {
		t.Error("no port: ", err)
	}
}

// Options.Dial also dials for datagrams.
func TestDialPacketByOption(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	c := New(nil, policy.Policy{}, &Options{Dial: func(_ context.Context, network, address string) (net.Conn, error) {
		if network != "udp" || address != "8.8.8.8:1525" {
			t.Errorf("%s %s", network, address)
		}
		return near, nil
	}})
	conn, err := scheme.DialPacket(t.Context(), c.Dialer(), "udp", "8.8.8.8:1525")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := conn.Write([]byte("x")); err == nil {
		t.Error("the connection outlives its client")
	}
}

// If a server refers to a URL during a request, the redirect rules apply to that URL.
func TestRedirectDialer(t *testing.T) {
	for _, test := range []struct {
		from, to string
		rules    policy.Rules
		denied   bool
	}{
		{"8.8.8.8", "1.1.1.1", policy.Rules{}, false},
		{"8.8.8.8", "10.0.0.1", policy.Rules{TypedPrivate: true}, true},
		{"10.0.0.1", "10.0.0.2", policy.Rules{TypedPrivate: true}, false},
		{"10.0.0.1", "1.1.1.1", policy.Rules{TypedPrivate: true}, false},
		{"8.8.8.8", "1.1.1.1:25", policy.Rules{}, true},
	} {
		opener := scheme.OpenerFunc(func(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
			c, err := req.Dial.DialContext(ctx, "tcp", req.URL.Host()+":80")
			if err != nil {
				return nil, err
			}
			c.Close()
			to := locus.MustParse("walk://" + test.to + "/")
			d, err := req.DialerFor(to)
			if err != nil {
				return nil, err
			}
			port, ok := to.Port()
			if !ok {
				port = 80
			}
			if c, err = d.DialContext(ctx, "tcp", netip.AddrPortFrom(netip.MustParseAddr(to.Host()), port).String()); err != nil {
				return nil, err
			}
			c.Close()
			return &scheme.Menu{URL: req.URL, Items: func(func(scheme.Item, error) bool) {}}, nil
		})
		s := scheme.Generic("walk", scheme.Extension)
		s.Port, s.Access.Opener = 80, opener
		r, err := scheme.NewRegistry(s)
		if err != nil {
			t.Fatal(err)
		}
		p, err := policy.New(test.rules)
		if err != nil {
			t.Fatal(err)
		}
		c := New(r, p, &Options{Dial: func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			return near, far.Close()
		}})
		_, err = c.Open(t.Context(), "walk://"+test.from+"/")
		if errors.Is(err, policy.ErrDenied) != test.denied || !test.denied && err != nil {
			t.Errorf("from %s to %s: %v", test.from, test.to, err)
		}
		c.Close()
	}
}
