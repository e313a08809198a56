package ftp

import (
	"slices"
	"sync"
	"time"

	"github.com/locus-url/locus/scheme"
)

// login tells control connections apart: what is kept for one of these is no good
// for another.
type login struct {
	dial               scheme.Dialer
	host               string
	port               uint16
	secure             bool
	user, password     string
	hasUser, hasSecret bool
}

// maxIdle is how many connections a pool keeps in all, for programs that ask a
// thousand servers one thing each.
const maxIdle = 64

// pool keeps control connections that are not in use.
type pool struct {
	most int           // of one login
	time time.Duration // how long one is kept

	mu     sync.Mutex
	idle   []*control // the one used last is the last
	closed bool
}

// take returns a kept connection of that login from which cwd can be reached by
// going on, the one that is nearest to it, or nil.
func (p *pool) take(l login, cwd []string) *control {
	p.mu.Lock()
	defer p.mu.Unlock()
	var best *control
	for _, c := range p.idle {
		if c.login == l && c.extends(cwd) && (best == nil || len(c.cwd) >= len(best.cwd)) {
			best = c
		}
	}
	if best != nil {
		p.remove(best)
		best.reused, best.answered = true, false
	}
	return best
}

// remove takes c out and reports whether it was there. p is locked.
func (p *pool) remove(c *control) bool {
	i := slices.Index(p.idle, c)
	if i < 0 {
		return false
	}
	c.expiry.Stop()
	p.idle = slices.Delete(p.idle, i, i+1)
	return true
}

// put keeps c, and takes leave of the one that was used longest ago if there are
// too many.
func (p *pool) put(c *control) {
	c.trace = nil
	p.mu.Lock()
	leave := p.surplus(c)
	if leave != c {
		if leave != nil {
			p.remove(leave)
		}
		p.idle = append(p.idle, c)
		c.expiry = time.AfterFunc(p.time, func() { p.expire(c) })
	}
	p.mu.Unlock()
	if leave != nil {
		leave.quit()
	}
}

// surplus returns the connection that is too many if c is kept, or nil.
func (p *pool) surplus(c *control) *control {
	if p.closed || p.most <= 0 {
		return c
	}
	var oldest *control
	same := 0
	for _, kept := range p.idle {
		if kept.login == c.login {
			if same++; same == 1 {
				oldest = kept
			}
		}
	}
	switch {
	case same >= p.most:
		return oldest
	case len(p.idle) >= maxIdle:
		return p.idle[0]
	}
	return nil
}

func (p *pool) expire(c *control) {
	p.mu.Lock()
	kept := p.remove(c)
	p.mu.Unlock()
	if kept {
		c.quit()
	}
}

// close takes leave of all connections, and keeps none from now on.
func (p *pool) close() {
	p.mu.Lock()
	leave := p.idle
	for _, c := range leave {
		c.expiry.Stop()
	}
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, c := range leave {
		c.quit()
	}
}
