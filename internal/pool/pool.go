// Package pool keeps connections that are not in use, for whoever comes next.
package pool

import (
	"slices"
	"sync"
	"time"
)

// Max is how many connections a pool keeps in all, for programs that ask a thousand
// servers one thing each.
const Max = 64

// Conn is a connection that can be kept. Place tells connections apart: what is
// kept for one is no good for another. Quit takes leave and closes.
type Conn[P comparable] interface {
	comparable
	Place() P
	Quit()
}

// Pool keeps connections. Its fields are set before it is used first.
type Pool[P comparable, C Conn[P]] struct {
	Most int           // of one place; 0 or less: none is kept
	Time time.Duration // how long one is kept

	mu     sync.Mutex
	idle   []kept[C] // the one used last is the last
	closed bool
}

type kept[C any] struct {
	conn   C
	expiry *time.Timer
}

// Take returns a connection of that place, which is then the caller's: the one of
// highest rank and, of those, the one used last. One whose rank is negative won't
// do. ok is false if there is none.
func (p *Pool[P, C]) Take(at P, rank func(C) int) (c C, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	best := 0
	for _, k := range p.idle {
		if k.conn.Place() != at {
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

// remove takes c out and reports whether it was there. p is locked.
func (p *Pool[P, C]) remove(c C) bool {
	i := slices.IndexFunc(p.idle, func(k kept[C]) bool { return k.conn == c })
	if i < 0 {
		return false
	}
	p.idle[i].expiry.Stop()
	p.idle = slices.Delete(p.idle, i, i+1)
	return true
}

// Put keeps c, and takes leave of the one that was used longest ago if there are
// too many.
func (p *Pool[P, C]) Put(c C) {
	p.mu.Lock()
	leave, tooMany := p.surplus(c)
	if !tooMany || leave != c {
		if tooMany {
			p.remove(leave)
		}
		p.idle = append(p.idle, kept[C]{c, time.AfterFunc(p.Time, func() { p.expire(c) })})
	}
	p.mu.Unlock()
	if tooMany {
		leave.Quit()
	}
}

// surplus returns the connection that is too many if c is kept, if one is.
func (p *Pool[P, C]) surplus(c C) (leave C, ok bool) {
	if p.closed || p.Most <= 0 {
		return c, true
	}
	same := 0
	for _, k := range p.idle {
		if k.conn.Place() == c.Place() {
			if same++; same == 1 {
				leave = k.conn
			}
		}
	}
	switch {
	case same >= p.Most:
		return leave, true
	case len(p.idle) >= Max:
		return p.idle[0].conn, true
	}
	return leave, false
}

func (p *Pool[P, C]) expire(c C) {
	p.mu.Lock()
	was := p.remove(c)
	p.mu.Unlock()
	if was {
		c.Quit()
	}
}

// Close takes leave of all connections, and keeps none from now on.
func (p *Pool[P, C]) Close() {
	p.mu.Lock()
	leave := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, k := range leave {
		k.expiry.Stop()
		k.conn.Quit()
	}
}
