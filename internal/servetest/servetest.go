// Package servetest is what the servers for tests have in common: each connection
// is handled in a goroutine of its own, and all end with the server.
package servetest

import (
	"errors"
	"io"
	"net"
	"sync"
)

// Listen returns l or, if that is nil, a listener on a free port of the loopback.
func Listen(l net.Listener) (net.Listener, error) {
	if l != nil {
		return l, nil
	}
	return net.Listen("tcp4", "127.0.0.1:0")
}

// Group is what a server has open: listeners, connections, and what handles them.
// The zero Group is empty.
type Group struct {
	mu        sync.Mutex
	listeners []net.Listener
	open      map[io.Closer]bool
	closed    bool
	running   sync.WaitGroup
}

// Serve has each connection to l handled. begin is called in the order in which
// they come, and what it returns in a goroutine of its own, after which the
// connection is closed.
func (g *Group) Serve(l net.Listener, begin func(c net.Conn) (handle func())) {
	g.mu.Lock()
	g.listeners = append(g.listeners, l)
	g.mu.Unlock()
	g.running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil || !g.Track(c) {
				return
			}
			handle := begin(c)
			g.running.Go(func() {
				defer g.Forget(c)
				handle()
			})
		}
	})
}

// Track has c closed when the group is. It reports whether that is yet to come;
// else it is closed now.
func (g *Group) Track(c io.Closer) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		c.Close()
		return false
	}
	if g.open == nil {
		g.open = make(map[io.Closer]bool)
	}
	g.open[c] = true
	return true
}

// Forget closes c, which was tracked.
func (g *Group) Forget(c io.Closer) {
	c.Close()
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, c)
}

// HangUp closes what is tracked now.
func (g *Group) HangUp() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := range g.open {
		c.Close()
	}
}

// Close ends it all, and waits until it is gone.
func (g *Group) Close() error {
	var errs []error
	g.mu.Lock()
	g.closed = true
	for _, l := range g.listeners {
		errs = append(errs, l.Close())
	}
	g.listeners = nil
	g.mu.Unlock()
	g.HangUp()
	g.running.Wait()
	return errors.Join(errs...)
}
