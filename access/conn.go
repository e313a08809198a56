package access

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"
)

// conn is a connection that a door made. It may be silent only so long: a deadline
// is set before each Read and Write, and a Write gives a Read that is under way
// its time anew, because it is an answer to that for which the Read waits.
//
// Deadlines that its user sets hold besides, whichever comes first.
type conn struct {
	net.Conn
	door    *door
	address netip.AddrPort // that was allowed and dialled; none if a proxy was given a name
	name    string         // that name

	tunnelled bool // a proxy made it

	mu          sync.Mutex
	idle        time.Duration // 0: silence is no matter
	read, write time.Time     // the user's deadlines
	closed      bool
	onClose     func()
}

// host is what c is connected to, as a name or an address.
func (c *conn) host() string {
	if c.name != "" {
		return c.name
	}
	return c.address.Addr().String()
}

func (c *conn) Read(p []byte) (int, error) {
	if err := c.arm(false); err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(p)
	return n, c.silence(err, &c.read)
}

// ReadUrgent implements [scheme.UrgentConn].
func (c *conn) ReadUrgent(p []byte) (n int, urgent bool, err error) {
	tcp, ok := c.Conn.(*net.TCPConn)
	if !ok {
		n, err = c.Read(p)
		return n, false, err
	}
	if err := c.arm(false); err != nil {
		return 0, false, err
	}
	n, urgent, err = readUrgent(tcp, p)
	return n, urgent, c.silence(err, &c.read)
}

func (c *conn) Write(p []byte) (int, error) {
	if err := c.arm(true); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(p)
	return n, c.silence(err, &c.write)
}

// arm sets the deadline for a Read, or those for a Write and the Read that may
// wait for its answer. Under the lock, so that a deadline which the user sets in
// the meantime, to end a Read at once, is never overwritten by a later one.
func (c *conn) arm(write bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.idle == 0 {
		return nil
	}
	if write {
		if err := c.Conn.SetWriteDeadline(c.earliest(c.write)); err != nil {
			return err
		}
	}
	return c.Conn.SetReadDeadline(c.earliest(c.read))
}

// earliest is the user's deadline, or the end of a silence that begins now.
func (c *conn) earliest(user time.Time) time.Time {
	if c.idle == 0 {
		return user
	}
	if end := time.Now().Add(c.idle); user.IsZero() || user.After(end) {
		return end
	}
	return user
}

// silence says what a deadline error is about, unless it was the user's deadline.
func (c *conn) silence(err error, user *time.Time) error {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !user.IsZero() && !user.After(time.Now()) {
		return err
	}
	return &timeoutError{"the server was silent: nothing from it", c.idle}
}

func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read = t
	return c.Conn.SetReadDeadline(c.earliest(t))
}

func (c *conn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.write = t
	return c.Conn.SetWriteDeadline(c.earliest(t))
}

func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// setFree lets c be silent as long as it likes, as sessions are.
func (c *conn) setFree() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = 0
	// An error means that c is closed, which its user will see.
	c.Conn.SetReadDeadline(c.read)
	c.Conn.SetWriteDeadline(c.write)
}

// afterClose has f called when c is closed, or now if it is.
func (c *conn) afterClose(f func()) {
	c.mu.Lock()
	closed := c.closed
	if !closed {
		c.onClose = f
	}
	c.mu.Unlock()
	if closed {
		f()
	}
}

// CloseWrite says that nothing more will be written, where the connection can say
// that.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

func (c *conn) Close() error {
	c.mu.Lock()
	f := c.onClose
	c.onClose, c.closed = nil, true
	c.mu.Unlock()
	c.door.forget(c)
	if f != nil {
		f()
	}
	return c.Conn.Close()
}
