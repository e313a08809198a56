package fleet

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// turn is the right to send requests to a host, one at a time.
type turn interface {
	// host returns the hash of the host.
	host() string
	// context returns a context that ends when the turn ends, even during a request.
	context() context.Context
	// awaitStart waits until the next request may begin. Just before the caller sends the first
	// byte, it must call isValid of the result, and then markBegun. The error is the error of
	// ctx, errLate or a *pauseError.
	awaitStart(ctx context.Context) (requestStart, error)
	// reportPause records that the host requested a pause.
	reportPause(d time.Duration, skipReason string)
	// release ends the turn. The caller must call it after the last request has ended.
	release()
}

// requestStart is the permission to begin a request. The function isValid reports whether the
// request may still begin, and markBegun records that the request has begun.
type requestStart struct {
	isValid   func() bool
	markBegun func()
}

// ownTurn is a turn at a host of this worker. If the turn has a ticket, the first request need
// not wait.
type ownTurn struct {
	worker   *Worker
	turnHost *host

	mu     sync.Mutex
	ticket ticket // unused ticket, or 0
}

func (t *ownTurn) host() string             { return t.turnHost.hash }
func (t *ownTurn) context() context.Context { return t.turnHost.part.ctx }

func (t *ownTurn) awaitStart(ctx context.Context) (s requestStart, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	q := t.worker.queue
	now := t.ticket
	t.ticket = 0
	if now == 0 || !q.isTicketValid(t.turnHost, now) {
		if now, err = q.awaitTicket(ctx, t.turnHost, ticketTime); err != nil {
			return s, err
		}
	}
	s.markBegun = func() { q.useTicket(t.turnHost, now) }
	s.isValid = func() bool { return t.turnHost.part.remaining(t.worker.clock) > 0 && q.isTicketValid(t.turnHost, now) }
	if t.turnHost.part.remaining(t.worker.clock) <= 0 {
		s.markBegun()
		return s, errLate
	}
	return s, nil
}

func (t *ownTurn) reportPause(d time.Duration, skipReason string) {
	t.worker.queue.startPause(t.turnHost, d, skipReason)
	t.worker.storeHost(t.turnHost)
}

func (t *ownTurn) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.worker.queue.endRequest(t.turnHost, t.ticket)
}

// errLate is the error if a request did not get its turn in time. The host is not at fault.
var errLate = errors.New("fleet: timed out waiting for the host")

// requestConn is a connection on which a request is about to begin. The request begins when the
// client sends the first byte, or when the first data arrives from the server.
type requestConn struct {
	net.Conn
	awaitStart func() (requestStart, error) // waits for the next permission

	mu    sync.Mutex
	start requestStart
	begun bool
}

func (c *requestConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	if c.begun {
		c.mu.Unlock()
		return c.Conn.Write(p)
	}
	defer c.mu.Unlock()
	for !c.start.isValid() {
		c.start.markBegun()
		s, err := c.awaitStart()
		if err != nil {
			c.begun = true
			c.Conn.Close()
			return 0, err
		}
		c.start = s
	}
	n, err := c.Conn.Write(p)
	c.markBegun()
	return n, err
}

// markBegun records that the request has begun. The caller must hold c.mu.
func (c *requestConn) markBegun() {
	if !c.begun {
		c.begun = true
		c.start.markBegun()
	}
}

func (c *requestConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.markBegun()
	}
	return n, err
}

func (c *requestConn) Close() error {
	err := c.Conn.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.markBegun()
	return err
}

// CloseWrite closes the writing side of the connection if the connection supports it.
func (c *requestConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}
