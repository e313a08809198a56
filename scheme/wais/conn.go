package wais

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// readAhead is the size of a read buffer. The response to a range of the default size fits
// into the buffer.
const readAhead = 16 << 10

// conn is a connection to a server. Only one exchange at a time uses it.
type conn struct {
	raw    io.ReadWriteCloser
	r      *bufio.Reader // buffered reader for the conn
	server server

	record   scheme.Recorder // recorder of the current exchange; may be nil
	reused   bool            // the connection came from the pool
	answered bool            // the server has responded since the connection came from the pool
}

// Read reads from the server, and records the data.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.raw.Read(p)
	if n > 0 && c.record != nil {
		c.record.Octets("", false, p[:n])
	}
	return n, err
}

// Key implements [pool.Conn].
func (c *conn) Key() server { return c.server }

// Quit implements [pool.Conn].
func (c *conn) Quit() { c.raw.Close() }

// staleError is the failure of the first request on a reused connection, which the server may
// have closed while it was idle.
type staleError struct{ error }

func (e staleError) Unwrap() error { return e.error }

var errClosed = fmt.Errorf("wais: %w", fs.ErrClosed)

// exchange represents the use of a connection by one operation. It ends when the operation has
// read all responses. When the context ends, the exchange closes the connection. An exchange
// sends one request at a time, because servers ignore a second request that arrives before
// they have responded.
type exchange struct {
	op     *operation
	conn   *conn
	packet []byte // buffer for the packet of a retrieval
	apdu   []byte // buffer for the APDU of a response
	reply  searchReply

	mu      sync.Mutex
	stop    func() bool // unregisters the function that closes the connection when the context ends
	pending bool        // more bytes of a response may arrive, so the connection cannot be reused
	over    bool
}

func newExchange(op *operation, c *conn) *exchange {
	x := &exchange{op: op, conn: c}
	c.recordFor(op.req)
	x.mu.Lock() // needed because the context may end before x.stop is set
	defer x.mu.Unlock()
	x.stop = context.AfterFunc(op.ctx, x.finish)
	return x
}

// finish ends the exchange. If a response is pending, finish closes the connection. Otherwise
// it releases the connection for reuse. Later calls have no effect.
func (x *exchange) finish() {
	x.mu.Lock()
	over, pending, stop := x.over, x.pending, x.stop
	x.over = true
	x.mu.Unlock()
	if over {
		return
	}
	stop()
	if x.conn == x.op.archived {
		return
	}
	if pending {
		x.conn.Quit()
	} else {
		x.op.client.pool.Put(x.conn)
	}
}

// setPending records whether a response is pending. If the exchange has ended, setPending
// returns an error.
func (x *exchange) setPending(pending bool) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return errClosed
	}
	x.pending = pending
	return nil
}

// roundTrip sends a packet and returns the APDU in the response. The APDU is valid until the
// next call of roundTrip.
func (x *exchange) roundTrip(packet []byte) ([]byte, error) {
	answers := x.op.answers
	before := answers.Len()
	apdu, err := x.receive(packet)
	if err != nil && !errors.Is(err, ErrEmpty) {
		answers.Truncate(before)
		if !errors.As(err, new(staleError)) {
			answers.Write([]byte(noResponse))
		}
	}
	return apdu, err
}

func (x *exchange) receive(packet []byte) ([]byte, error) {
	if err := x.setPending(true); err != nil {
		return nil, x.failure(err)
	}
	c := x.conn
	if c.record != nil {
		c.record.Octets("", true, packet)
	}
	if _, err := c.raw.Write(packet); err != nil {
		return nil, x.failure(fmt.Errorf("wais: %w", scheme.ProtocolError(err)))
	}
	apdu, err := readPacket(x.op.answers.Tee(c.r), x.apdu, x.op.client.o.Limits.Response)
	if err != nil && !errors.Is(err, ErrEmpty) {
		return nil, x.failure(err)
	}
	if err == nil {
		x.apdu = apdu
	}
	c.answered = true
	// If data follows the response, later responses on this connection would not match their
	// requests.
	if err := x.setPending(c.r.Buffered() > 0); err != nil {
		return nil, x.failure(err)
	}
	return apdu, err
}

// failure returns the reason for the connection error err. The reason may be the end of the
// context or of the exchange, or a server that closed an idle connection.
func (x *exchange) failure(err error) error {
	x.mu.Lock()
	over := x.over
	x.mu.Unlock()
	switch {
	case x.op.ctx.Err() != nil:
		return fmt.Errorf("wais: %w", context.Cause(x.op.ctx))
	case over:
		return errClosed
	case x.conn.reused && !x.conn.answered:
		return staleError{err}
	case errors.Is(err, io.EOF):
		return scheme.Hint(err, "many servers close the connection if the database or document does not exist")
	}
	return err
}

// sendRequest sends the packet of a search or retrieval, and parses the response into x.reply.
func (x *exchange) sendRequest(packet []byte, referenceID string) error {
	apdu, err := x.roundTrip(packet)
	if err == nil {
		if err = x.reply.parse(apdu); err == nil {
			err = x.reply.checkReferenceID(referenceID)
		}
		if err != nil {
			x.setPending(true)
		}
	}
	if x.op.req.Trace != nil {
		x.traced(false, "%s", summary(&x.reply, err))
	}
	return err
}

func (x *exchange) search(q *query, packet []byte) error {
	if x.op.req.Trace != nil {
		like := ""
		if n := len(q.Examples); n > 0 {
			like = ", like " + countOf(int64(n), "document")
		}
		x.traced(true, "search %s in %s, at most %d%s", locus.Quote(locus.MaskText(q.Words)), locus.Quote(q.Database), q.Max, like)
	}
	return x.sendRequest(packet, "")
}

func (x *exchange) retrieve(r *retrieval) (err error) {
	if x.packet, err = appendRetrieval(x.packet[:0], r); err != nil {
		return err
	}
	if x.op.req.Trace != nil {
		x.traced(true, "retrieve %s %d to %d of %s in %s", r.Wtype, r.Start, r.End, locus.Quote(string(r.ID)), locus.Quote(r.Database))
	}
	return x.sendRequest(x.packet, r.ReferenceID)
}

func (x *exchange) traced(sent bool, format string, args ...any) {
	if x.op.req.Trace != nil {
		x.op.req.Trace(sent, fmt.Sprintf(format, args...))
	}
}

func summary(r *searchReply, err error) string {
	switch {
	case errors.Is(err, ErrEmpty):
		return "empty packet"
	case err != nil:
		return err.Error()
	}
	octets := 0
	for i := range r.Texts {
		octets += len(r.Texts[i])
	}
	text := countOf(int64(len(r.Hits)), "hit")
	if len(r.Texts) > 0 {
		text = "a text of " + countOf(int64(octets), "octet")
	}
	for _, d := range r.Diagnostics {
		if d.Code == codeOutOfRange && octets > 0 {
			// Servers report this position at the end of a document.
			text += ", the last of the document"
			continue
		}
		text += ", " + strings.TrimPrefix(d.Error(), "wais: ")
	}
	return text
}
