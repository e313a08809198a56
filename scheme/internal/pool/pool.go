// Package pool keeps idle connections for later requests.
package pool

import (
	"slices"
	"sync"
	"time"
)

// Max is the most connections that a pool keeps, for programs that send one request
// to each of many servers.
const Max = 64

// IdleTime is how long a connection is kept if nothing speaks for another time: less than
// servers wait.
const IdleTime = 30 * time.Second

// Conn is a connection that can be kept. Connections with the same Key can replace
// each other. Quit says goodbye, if the protocol can, and closes the connection.
type Conn[K comparable] interface {
	comparable
	Key() K
	Quit()
}

// Pool keeps idle connections. Its fields must be set before it is used. A Pool may
// be used concurrently.
type Pool[K comparable, C Conn[K]] struct {
	PerKey   int           // most connections of one key; 0 or less: none are kept
	IdleTime time.Duration // how long a connection is kept

	mu     sync.Mutex
	idle   []idle[C] // the most recently used is the last
	closed bool
}

type idle[C any] struct {
	conn   C
	expiry *time.Timer
}

// Take removes a connection of that key from the pool and returns it: the one of the
// highest rank and, among those, the most recently used. It ignores connections of
// negative rank. ok is false if there is no suitable connection.
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

// remove reports whether the pool had c. The caller must hold p.mu.
func (p *Pool[K, C]) remove(c C) bool {
	i := slices.IndexFunc(p.idle, func(k idle[C]) bool { return k.conn == c })
	if i < 0 {
		return false
	}
	p.idle[i].expiry.Stop()
	p.idle = slices.Delete(p.idle, i, i+1)
	return true
}

// Put keeps c. If that is one connection too many, it quits the least recently used.
func (p *Pool[K, C]) Put(c C) {
	p.mu.Lock()
	surplus, tooMany := p.surplus(c)
	if tooMany {
		p.remove(surplus)
	}
	if !tooMany || surplus != c {
		p.idle = append(p.idle, idle[C]{c, time.AfterFunc(p.IdleTime, func() { p.expire(c) })})
	}
	p.mu.Unlock()
	if tooMany {
		surplus.Quit()
	}
}

// surplus returns the connection that is too many if c is kept. The caller must hold
// p.mu.
func (p *Pool[K, C]) surplus(c C) (surplus C, ok bool) {
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

// Close quits all connections. The pool keeps none from then on.
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
