// Package servetest has what test servers share: each connection is handled in its own
// goroutine, and all end with the server.
package servetest

import (
	"errors"
	"io"
	"net"
	"sync"
)

// Listen returns l or, if that is nil, a listener on a free loopback port.
func Listen(l net.Listener) (net.Listener, error) {
	if l != nil {
		return l, nil
	}
	return net.Listen("tcp4", "127.0.0.1:0")
}

// Group keeps a server's listeners, connections and goroutines. The zero Group is empty. It
// is safe for concurrent use.
type Group struct {
	mu        sync.Mutex
	listeners []net.Listener
	open      map[io.Closer]bool
	closed    bool
	running   sync.WaitGroup
}

// Serve accepts connections from l. It calls begin for each in order, and the returned
// function in a new goroutine, after which it closes the connection.
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

// Track adds c to what Close closes. If the group is closed already, it closes c and returns
// false.
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

// Forget closes a tracked c and removes it.
func (g *Group) Forget(c io.Closer) {
	c.Close()
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, c)
}

// HangUp closes everything that is tracked now.
func (g *Group) HangUp() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := range g.open {
		c.Close()
	}
}

// Close closes the listeners and everything tracked, and waits for the goroutines.
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
