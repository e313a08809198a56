package gateway

import (
	"cmp"
	"net/netip"
	"runtime/debug"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
)

// Limits bounds the resources that clients can use. In each field, zero selects the
// default, which the comment gives in brackets.
type Limits struct {
	// Requests bounds concurrent requests [8192]. Above the limit, requests get status 503.
	Requests int
	// PerClient bounds the concurrent requests of one client [256]. A client is an IPv4
	// address or an IPv6 /64 network. The limit does not apply to loopback clients.
	PerClient int
	// PerHost bounds concurrent requests to one server [512], including tunnels and
	// terminals.
	PerHost int
	// Connections bounds the open connections of [Server] [16384]. Above the limit, new
	// connections wait. [Server.Reload] does not change this limit.
	Connections int
	// Sessions bounds open terminals [64].
	Sessions int
	// Memory bounds the memory of the program in bytes [no limit]. Above the limit,
	// requests get status 503.
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

// usage counts requests and terminals.
type usage struct {
	mu       sync.Mutex
	all      int
	sessions int
	clients  map[netip.Addr]int
	hosts    map[string]int
	memory   memory
}

func newUsage() *usage {
	return &usage{clients: make(map[netip.Addr]int), hosts: make(map[string]int), memory: memory{used: heldMemory, release: debug.FreeOSMemory}}
}

// limiter applies the limits of a gateway to the counts in a usage. Several gateways may
// share a usage.
type limiter struct {
	*usage
	limits Limits

	users   int    // number of requests and fetches that use the client of the gateway; guarded by usage.mu
	retired func() // called after the last user has left; nil before retire
}

func newLimiter(l Limits, u *usage) *limiter { return &limiter{usage: u, limits: l.withDefaults()} }

// addUser counts a user of the access client until the caller calls leave. If retire was called
// before, ok is false.
func (l *limiter) addUser() (leave func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.retired != nil {
		return nil, false
	}
	l.users++
	return l.lockedFunc(l.removeUser), true
}

// removeUser removes a user of the access client. The caller must hold l.mu.
func (l *limiter) removeUser() {
	if l.users--; l.users == 0 && l.retired != nil {
		go l.retired()
	}
}

// retire calls f in a goroutine when the access client has no more users. The function f must not
// be nil.
func (l *limiter) retire(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.retired = f
	if l.users == 0 {
		go f()
	}
}

// enter counts a request of a client until the caller calls leave. If a limit is reached, ok is
// false.
func (l *limiter) enter(client netip.Addr) (leave func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all >= l.limits.Requests || !client.IsLoopback() && l.clients[client] >= l.limits.PerClient || l.memory.isOver(l.limits.Memory) {
		return nil, false
	}
	l.all++
	l.clients[client]++
	return l.lockedFunc(func() {
		l.all--
		drop(l.clients, client)
	}), true
}

// enterHost counts a request to the server of u until the caller calls leave. It counts
// requests per canonical host. If u contains no host, it counts requests per scheme.
func (l *limiter) enterHost(u locus.URL) (leave func(), ok bool) {
	host := cmp.Or(policy.CanonicalHost(u.Host()), u.Scheme()+":")
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hosts[host] >= l.limits.PerHost {
		return nil, false
	}
	l.hosts[host]++
	// The cache may continue a fetch after the request has ended.
	l.users++
	return l.lockedFunc(func() {
		drop(l.hosts, host)
		l.removeUser()
	}), true
}

// enterSession counts a terminal until the caller calls leave.
func (l *limiter) enterSession() (leave func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sessions >= l.limits.Sessions {
		return nil, false
	}
	l.sessions++
	return l.lockedFunc(func() { l.sessions-- }), true
}

// lockedFunc returns a function that holds l.mu while it calls f. Further calls of this function do
// nothing.
func (l *limiter) lockedFunc(f func()) func() {
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

// currentCounts returns the current counts, for the metrics.
func (l *limiter) currentCounts() (requests, clients, hosts, sessions int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all, len(l.clients), len(l.hosts), l.sessions
}
