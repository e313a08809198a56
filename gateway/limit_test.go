package gateway

import (
	"net/http"
	"net/netip"
	"testing"
)

// A client has its share, and who is on this machine all of it. What is left is
// counted no more.
func TestLimiter(t *testing.T) {
	l := newLimiter(Limits{Requests: 4, PerClient: 2, PerHost: 1, Sessions: 1})
	client, loopback := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("127.0.0.1")
	enter := func(a netip.Addr, want bool) func() {
		t.Helper()
		leave, ok := l.enter(a)
		if ok != want {
			t.Fatalf("%s: %t", a, ok)
		}
		return leave
	}
	first, second := enter(client, true), enter(client, true)
	enter(client, false)
	first()
	first = enter(client, true)
	others := []func(){enter(loopback, true), enter(loopback, true)}
	enter(loopback, false)
	enter(netip.MustParseAddr("192.0.2.2"), false)
	for _, leave := range append(others, first, second) {
		leave()
	}
	three := []func(){enter(loopback, true), enter(loopback, true), enter(loopback, true)}
	for _, leave := range three {
		leave()
	}
	host, ok := l.enterHost("H.example")
	if _, again := l.enterHost("h.example"); !ok || again {
		t.Error("a host has its share")
	}
	host()
	session, ok := l.enterSession()
	if _, again := l.enterSession(); !ok || again {
		t.Error("sessions have theirs")
	}
	session()
	if requests, clients, hosts, sessions := l.counts(); requests+clients+hosts+sessions != 0 || len(l.clients)+len(l.hosts) != 0 {
		t.Errorf("%d %d %d %d are left", requests, clients, hosts, sessions)
	}
}

// Who has one address of IPv6 has all of its network.
func TestClientOf(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.1:80": "192.0.2.1", "[::ffff:192.0.2.1]:80": "192.0.2.1", "[2001:db8::1:2:3:4]:80": "2001:db8::", "[fe80::1%eth0]:80": "fe80::", "none": "invalid IP",
	} {
		if got := clientOf(&http.Request{RemoteAddr: address}).String(); got != want {
			t.Errorf("%s: %s", address, got)
		}
	}
}
