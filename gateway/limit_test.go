package gateway

import (
	"net/http"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locus-url/locus"
)

// A client has a limit of its own, except for loopback clients. After leave, a request does
// not count.
func TestLimiter(t *testing.T) {
	l := newLimiter(Limits{Requests: 4, PerClient: 2, PerHost: 1, Sessions: 1}, newUsage())
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
	for _, list := range [][]string{
		{"http://H.example/", "http://h.example/b", "http://h.example:80/", "gopher://h.example:7070/1%2F", "telnet://me@h.example./"},
		{"news:a.b", "news:*"},
	} {
		leave, ok := l.enterHost(locus.MustParse(list[0]))
		for _, other := range list {
			if _, again := l.enterHost(locus.MustParse(other)); !ok || again {
				t.Errorf("%s: a host has its share", other)
			}
		}
		leave()
	}
	session, ok := l.enterSession()
	if _, again := l.enterSession(); !ok || again {
		t.Error("sessions have theirs")
	}
	session()
	if requests, clients, hosts, sessions := l.currentCounts(); requests+clients+hosts+sessions != 0 || len(l.clients)+len(l.hosts) != 0 {
		t.Errorf("%d %d %d %d are left", requests, clients, hosts, sessions)
	}
}

// All addresses of an IPv6 /64 network count as one client.
func TestClientOf(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.1:80": "192.0.2.1", "[::ffff:192.0.2.1]:80": "192.0.2.1", "[2001:db8::1:2:3:4]:80": "2001:db8::", "[fe80::1%eth0]:80": "fe80::", "none": "invalid IP",
	} {
		if got := clientOf(&http.Request{RemoteAddr: address}).String(); got != want {
			t.Errorf("%s: %s", address, got)
		}
	}
}

// While the program uses too much memory, the gateway rejects requests and frees unused
// memory.
func TestMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(Limits{Memory: 1000}, newUsage())
		held, freed := int64(1000), 0
		l.memory.used = func() int64 { return held }
		l.memory.release = func() { freed++ }
		client := netip.MustParseAddr("192.0.2.1")
		enter := func(want bool) {
			t.Helper()
			time.Sleep(memoryTime)
			leave, ok := l.enter(client)
			if ok != want {
				t.Errorf("%d octets: %t", held, ok)
			}
			if ok {
				leave()
			}
			synctest.Wait()
		}
		enter(true)
		held = 1001
		enter(false)
		enter(false)
		held = 900
		enter(true)
		if freed != 2 {
			t.Errorf("let go of %d times", freed)
		}
	})
	if held := heldMemory(); held < 1<<16 || held > 1<<40 {
		t.Errorf("this program holds %d octets", held)
	}
	if l := newLimiter(Limits{Memory: 1}, newUsage()); l.memory.isOver(0) || !l.memory.isOver(1) {
		t.Error("there is a limit, or none")
	}
}
