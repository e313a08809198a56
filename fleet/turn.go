package fleet

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// turn is the right to send requests to a host, one after the other.
type turn interface {
	// host returns the hash of the host.
	host() string
	// context returns a context. It ends when the turn ends, even during a request.
	context() context.Context
	// begin waits until the next request may begin. Just before the caller sends the first byte, it
	// must call the function valid of the start, and then the function began. The error is the
	// error of ctx, errLate or a *restError.
	begin(ctx context.Context) (start, error)
	// rest reports that the host requested a pause.
	rest(d time.Duration, shut string)
	// release ends the turn. The last request must have ended.
	release()
}

// start is the permission to begin a request. valid reports whether the request may still begin.
// began records that it has begun.
type start struct {
	valid func() bool
	began func()
}

// ownTurn is a turn at a host of this worker. If it has a ticket, the first request need not wait.
type ownTurn struct {
	worker *Worker
	at     *host

	mu     sync.Mutex
	ticket ticket // unused ticket, or 0
}

func (t *ownTurn) host() string             { return t.at.hash }
func (t *ownTurn) context() context.Context { return t.at.part.ctx }

func (t *ownTurn) begin(ctx context.Context) (s start, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	q := t.worker.queue
	now := t.ticket
	t.ticket = 0
	if now == 0 || !q.isValid(t.at, now) {
		if now, err = q.begin(ctx, t.at, ticketTime); err != nil {
			return s, err
		}
	}
	s.began = func() { q.began(t.at, now) }
	s.valid = func() bool { return t.at.part.left(t.worker.clock) > 0 && q.isValid(t.at, now) }
	if t.at.part.left(t.worker.clock) <= 0 {
		s.began()
		return s, errLate
	}
	return s, nil
}

func (t *ownTurn) rest(d time.Duration, shut string) {
	t.worker.queue.rest(t.at, d, shut)
	t.worker.keepHost(t.at)
}

func (t *ownTurn) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.worker.queue.release(t.at, t.ticket)
}

// errLate means that a request did not get its turn in time. The host is not at fault.
var errLate = errors.New("fleet: timed out waiting for the host")

// firstConn is a connection on which a request is about to begin. The request begins when the
// client sends the first byte. If the server sends first, the request begins when data arrives.
type firstConn struct {
	net.Conn
	again func() (start, error) // waits for a new turn

	mu    sync.Mutex
	start start
	begun bool
}

func (c *firstConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	if c.begun {
		c.mu.Unlock()
		return c.Conn.Write(p)
	}
	defer c.mu.Unlock()
	for !c.start.valid() {
		c.start.began()
		s, err := c.again()
		if err != nil {
			c.begun = true
			c.Conn.Close()
			return 0, err
		}
		c.start = s
	}
	n, err := c.Conn.Write(p)
	c.end()
	return n, err
}

// end records that the request has begun. The caller must hold c.mu.
func (c *firstConn) end() {
	if !c.begun {
		c.begun = true
		c.start.began()
	}
}

func (c *firstConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.end()
	}
	return n, err
}

func (c *firstConn) Close() error {
	err := c.Conn.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end()
	return err
}

// CloseWrite closes the writing side if the connection supports it.
func (c *firstConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}
