package gateway

import (
	"cmp"
	"net/netip"
	"runtime/debug"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
)

// Limits bounds the resources that clients can use. In each field, zero selects the default
// in brackets.
type Limits struct {
	// Requests bounds concurrent requests [8192]. Above it, requests get status 503.
	Requests int
	// PerClient bounds the concurrent requests of one client [256]. A client is an IPv4
	// address or an IPv6 /64 network. Loopback clients have no such limit.
	PerClient int
	// PerHost bounds concurrent requests to one server [512], including tunnels and
	// terminals.
	PerHost int
	// Connections bounds the open connections of [Server] [16384]. Above it, new
	// connections wait.
	Connections int
	// Sessions bounds open terminals [64].
	Sessions int
	// Memory bounds the memory of the program in bytes [no limit]. Above it, requests get
	// status 503.
	Memory int64
}

func (l Limits) withDefaults() Limits {
	l.Requests = cmp.Or(max(l.Requests, 0), 8192)
	l.PerClient = cmp.Or(max(l.PerClient, 0), 256)
	l.PerHost = cmp.Or(max(l.PerHost, 0), 512)
	l.Connections = cmp.Or(max(l.Connections, 0), 16384)
	l.Sessions = cmp.Or(max(l.Sessions, 0), 64)
	return l
}

// limiter counts requests and terminals.
type limiter struct {
	limits Limits

	mu       sync.Mutex
	all      int
	sessions int
	clients  map[netip.Addr]int
	hosts    map[string]int
	memory   memory
}

func newLimiter(l Limits) *limiter {
	return &limiter{limits: l.withDefaults(), clients: make(map[netip.Addr]int), hosts: make(map[string]int), memory: memory{held: heldMemory, free: debug.FreeOSMemory}}
}

// enter counts a request of a client until the caller calls leave. ok is false if a limit
// is reached.
func (l *limiter) enter(client netip.Addr) (leave func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all >= l.limits.Requests || !client.IsLoopback() && l.clients[client] >= l.limits.PerClient || l.memory.isOver(l.limits.Memory) {
		return nil, false
	}
	l.all++
	l.clients[client]++
	return l.locked(func() {
		l.all--
		drop(l.clients, client)
	}), true
}

// enterHost counts a request to the server of u until the caller calls leave. It counts by
// the canonical host, or by the scheme if u has no host.
func (l *limiter) enterHost(u locus.URL) (leave func(), ok bool) {
	host := cmp.Or(policy.CanonicalHost(u.Host()), u.Scheme()+":")
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hosts[host] >= l.limits.PerHost {
		return nil, false
	}
	l.hosts[host]++
	return l.locked(func() { drop(l.hosts, host) }), true
}

// enterSession counts a terminal until the caller calls leave.
func (l *limiter) enterSession() (leave func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sessions >= l.limits.Sessions {
		return nil, false
	}
	l.sessions++
	return l.locked(func() { l.sessions-- }), true
}

// locked returns a function that calls f once with l.mu held.
func (l *limiter) locked(f func()) func() {
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		f()
	})
}

func drop[K comparable](m map[K]int, key K) {
	if m[key]--; m[key] <= 0 {
		delete(m, key)
	}
}

// counts returns the current counts, for the metrics.
func (l *limiter) counts() (requests, clients, hosts, sessions int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all, len(l.clients), len(l.hosts), l.sessions
}
