package lineconn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"sync"

	"github.com/locus-url/locus/scheme"
)

// Failure returns the error for a failed read of a resource. The argument name is the name of the
// scheme. If ctx was canceled, the error wraps the cancellation cause. If the caller closed the
// resource, the error wraps [fs.ErrClosed], because the server is not at fault. Otherwise the
// error wraps err.
func Failure(ctx context.Context, name string, err error) error {
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case errors.Is(err, net.ErrClosed):
		err = fs.ErrClosed
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Lease is the exclusive use of a connection for one URL. A Lease also holds the other
// connections and files that the request opened, such as data connections. When the context of the
// Lease is canceled, the Lease closes all of them, and reads fail. The zero Lease has ended.
type Lease struct {
	mu      sync.Mutex
	conn    *Conn // leased connection; nil after the lease has ended
	putBack func()
	stop    func() bool // stops the function that waits for the cancellation of the context
	held    []io.Closer
}

// Begin begins the use of the connection c for the request req. The function putBack must
// return c to its pool.
func (l *Lease) Begin(ctx context.Context, c *Conn, req *scheme.Request, putBack func()) {
	c.trace, c.record = req.Trace, req.Record
	if c.record != nil {
		c.record.Connected("", scheme.ServerAddr(c.Raw))
	}
	l.mu.Lock() // needed because ctx may be canceled before stop is set
	defer l.mu.Unlock()
	l.conn, l.putBack, l.held = c, putBack, nil
	l.stop = context.AfterFunc(ctx, func() { l.End(false) })
}

// Hold adds c to the values that the lease closes when it ends.
func (l *Lease) Hold(c io.Closer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == nil {
		c.Close()
		return
	}
	l.held = append(l.held, c)
}

// End ends the lease. Later calls have no effect. If reuse is true and the connection is
// reusable, End returns the connection to its pool. Otherwise End closes the connection,
// which also ends the command that the server is executing.
func (l *Lease) End(reuse bool) {
	l.mu.Lock()
	c, stop, data := l.conn, l.stop, l.held
	l.conn = nil
	l.mu.Unlock()
	if c == nil {
		return
	}
	stop()
	for _, d := range data {
		d.Close()
	}
	if reuse && c.Reusable() {
		c.trace, c.record, c.isReused, c.hasAnswered = nil, nil, true, false
		l.putBack()
	} else {
		c.Raw.Close()
	}
}
