package access

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"github.com/locus-url/locus/internal/piece"
)

// conn is a connection that a dialer made. It sets a deadline before each Read and Write. A Write
// extends the deadline of a concurrent Read, because that Read waits for the response.
//
// If the caller sets a deadline too, the earlier deadline applies.
type conn struct {
	net.Conn
	dialer  *dialer
	address netip.AddrPort // dialed address; zero if a proxy received a name instead
	name    string         // name that a proxy received instead of an address

	tunnelled bool // a proxy made the connection

	mu          sync.Mutex
	idle        time.Duration // 0 means no limit
	read, write time.Time     // the caller's deadlines
	closed      bool
	onClose     func()
}

func (c *conn) host() string {
	if c.name != "" {
		return c.name
	}
	return c.address.Addr().String()
}

// Tunnelled reports whether the other end of the connection is a proxy: see
// [scheme.ServerAddr].
func (c *conn) Tunnelled() bool { return c.tunnelled }

func (c *conn) Read(p []byte) (int, error) {
	if err := c.setDeadlines(false); err != nil {
		return 0, c.explain(err, &c.read)
	}
	n, err := c.Conn.Read(p)
	return n, c.explain(err, &c.read)
}

// CopyPiece implements [piece.Copier].
func (c *conn) CopyPiece(w io.Writer, n int64) (int64, error) {
	tcp, ok := c.Conn.(*net.TCPConn)
	to, ok2 := w.(io.ReaderFrom)
	if !ok || !ok2 {
		return 0, errors.ErrUnsupported
	}
	late, err := c.limitPiece()
	if err != nil {
		return 0, c.explain(err, &c.read)
	}
	m, err := to.ReadFrom(&io.LimitedReader{R: tcp, N: n})
	switch {
	case err == nil && m < n:
		err = io.EOF
	case late && errors.Is(err, os.ErrDeadlineExceeded):
		err = nil
	}
	if err == nil {
		err = c.endPiece()
	}
	return m, c.explain(err, &c.read)
}

// limitPiece sets the read deadline for one call of CopyPiece, unless the deadline for a Read is
// earlier. If the earlier deadline applies, isPieceLimit is false.
func (c *conn) limitPiece() (isPieceLimit bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	end := time.Now().Add(piece.Time)
	if user := c.earliest(c.read); !user.IsZero() && user.Before(end) {
		return false, c.Conn.SetReadDeadline(user)
	}
	return true, c.Conn.SetReadDeadline(end)
}

// endPiece restores the deadline for a Read after a call of CopyPiece.
func (c *conn) endPiece() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Conn.SetReadDeadline(c.earliest(c.read))
}

// ReadUrgent implements [scheme.UrgentConn].
func (c *conn) ReadUrgent(p []byte) (n int, urgent bool, err error) {
	tcp, ok := c.Conn.(*net.TCPConn)
	if !ok {
		n, err = c.Read(p)
		return n, false, err
	}
	if err := c.setDeadlines(false); err != nil {
		return 0, false, c.explain(err, &c.read)
	}
	n, urgent, err = readUrgent(tcp, p)
	return n, urgent, c.explain(err, &c.read)
}

func (c *conn) Write(p []byte) (int, error) {
	if err := c.setDeadlines(true); err != nil {
		return 0, c.explain(err, &c.write)
	}
	n, err := c.Conn.Write(p)
	return n, c.explain(err, &c.write)
}

// setDeadlines sets the deadline for a Read, or for a Write and the Read of its response.
// It holds the lock. Otherwise it could overwrite a deadline that the caller sets at the
// same time to end a Read.
func (c *conn) setDeadlines(write bool) error {
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

// earliest returns the caller's deadline or the end of the idle timeout, whichever is earlier.
func (c *conn) earliest(user time.Time) time.Time {
	if c.idle == 0 {
		return user
	}
	if end := time.Now().Add(c.idle); user.IsZero() || user.After(end) {
		return end
	}
	return user
}

// explain replaces err if this process closed the connection, or if a time limit of the client
// passed. It returns other errors and the caller's deadline errors unchanged.
func (c *conn) explain(err error, user *time.Time) error {
	if errors.Is(err, net.ErrClosed) {
		return c.dialer.closedError()
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !user.IsZero() && !user.After(time.Now()) {
		return err
	}
	return &timeoutError{"no data from the server for %s", c.idle}
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

// allowSilence removes the idle timeout, because a user may pause in a session.
func (c *conn) allowSilence() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = 0
	// An error means that the connection is closed, and the next Read or Write reports
	// this.
	c.Conn.SetReadDeadline(c.read)
	c.Conn.SetWriteDeadline(c.write)
}

// afterClose calls f when c is closed. If c is closed already, it calls f at once.
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

// CloseWrite closes the writing side if the connection supports it.
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
	c.dialer.forget(c)
	if f != nil {
		f()
	}
	return c.Conn.Close()
}
