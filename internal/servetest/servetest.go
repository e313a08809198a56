// Package servetest contains the common parts of test servers. A server handles each connection in
// its own goroutine. Closing the server ends all connections and goroutines.
package servetest

import (
	"errors"
	"io"
	"net"
	"sync"
)

// Listen returns the listener l. If l is nil, it returns a listener on a free loopback port.
func Listen(l net.Listener) (net.Listener, error) {
	if l != nil {
		return l, nil
	}
	return net.Listen("tcp4", "127.0.0.1:0")
}

// Group tracks the listeners, connections and goroutines of a server. The zero Group is ready to
// use. A Group is safe for concurrent use.
type Group struct {
	mu        sync.Mutex
	listeners []net.Listener
	open      map[io.Closer]bool
	closed    bool
	running   sync.WaitGroup
}

// Serve accepts connections from l. It calls the function begin for each connection, in order. The
// function that begin returns runs in a new goroutine; after it returns, Serve closes the
// connection.
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

// Track registers c, so that closing the group also closes c. If the group is already closed,
// Track closes c and returns false.
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

// Forget closes c and stops tracking it.
func (g *Group) Forget(c io.Closer) {
	c.Close()
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, c)
}

// HangUp closes all tracked connections.
func (g *Group) HangUp() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := range g.open {
		c.Close()
	}
}

// Close closes the listeners and connections, and waits for the goroutines.
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
