// Package pool stores idle connections for later requests.
package pool

import (
	"slices"
	"sync"
	"time"
)

// Max is the maximum number of connections in a pool. It limits programs that send one request to
// each of many servers.
const Max = 64

// IdleTime is the default timeout of an idle connection. It is shorter than typical server
// timeouts.
const IdleTime = 30 * time.Second

// Conn is a connection that a pool can store. Connections with the same Key must be
// interchangeable. Quit must close the connection and, if the protocol supports it, first end the
// session.
type Conn[K comparable] interface {
	comparable
	Key() K
	Quit()
}

// Pool stores idle connections. The caller must set its exported fields before the first use. A
// Pool may be used concurrently.
type Pool[K comparable, C Conn[K]] struct {
	PerKey   int           // maximum number of connections per key; if 0 or less, the pool stores none
	IdleTime time.Duration // timeout of an idle connection

	mu     sync.Mutex
	idle   []idleConn[C] // idle connections, most recently used last
	closed bool
}

type idleConn[C any] struct {
	conn   C
	expiry *time.Timer
}

// Take removes a connection with the given key from the pool and returns it. It selects the
// connection with the highest rank. If several connections have this rank, it selects the most
// recently used connection. It ignores connections with a negative rank. If there is no suitable
// connection, ok is false.
func (p *Pool[K, C]) Take(key K, rank func(C) int) (c C, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	best := 0
	for _, k := range p.idle {
		if k.conn.Key() != key {
			continue
		}
		if r := rank(k.conn); r >= best {
			c, ok, best = k.conn, true, r
		}
	}
	if ok {
		p.remove(c)
	}
	return c, ok
}

// remove removes the connection c and reports whether the pool contained c. The caller must hold
// p.mu.
func (p *Pool[K, C]) remove(c C) bool {
	i := slices.IndexFunc(p.idle, func(k idleConn[C]) bool { return k.conn == c })
	if i < 0 {
		return false
	}
	p.idle[i].expiry.Stop()
	p.idle = slices.Delete(p.idle, i, i+1)
	return true
}

// Put stores the connection c. If the pool then exceeds a limit, Put calls Quit on the least
// recently used connection.
func (p *Pool[K, C]) Put(c C) {
	p.mu.Lock()
	surplus, tooMany := p.selectSurplus(c)
	if tooMany {
		p.remove(surplus)
	}
	if !tooMany || surplus != c {
		p.idle = append(p.idle, idleConn[C]{c, time.AfterFunc(p.IdleTime, func() { p.expire(c) })})
	}
	p.mu.Unlock()
	if tooMany {
		surplus.Quit()
	}
}

// selectSurplus returns the connection to remove if storing c would exceed a limit. The result may
// be c itself. If storing c exceeds no limit, ok is false. The caller must hold p.mu.
func (p *Pool[K, C]) selectSurplus(c C) (surplus C, ok bool) {
	if p.closed || p.PerKey <= 0 {
		return c, true
	}
	same := 0
	for _, k := range p.idle {
		if k.conn.Key() == c.Key() {
			if same++; same == 1 {
				surplus = k.conn
			}
		}
	}
	switch {
	case same >= p.PerKey:
		return surplus, true
	case len(p.idle) >= Max:
		return p.idle[0].conn, true
	}
	return surplus, false
}

func (p *Pool[K, C]) expire(c C) {
	p.mu.Lock()
	found := p.remove(c)
	p.mu.Unlock()
	if found {
		c.Quit()
	}
}

// Close calls Quit on all connections in the pool. After Close, the pool stores no connections.
func (p *Pool[K, C]) Close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, k := range idle {
		k.expiry.Stop()
		k.conn.Quit()
	}
}
