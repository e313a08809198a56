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

// readAhead is how much is read at once: a range of the usual size, with all that
// is around it.
const readAhead = 16 << 10

// conn is a connection to a server. One exchange uses it at a time.
type conn struct {
	raw   io.ReadWriteCloser
	r     *bufio.Reader // of raw
	place place
	room  int64 // the most octets that the server says an answer has; 0: it does not say

	reused   bool // it comes out of the pool,
	answered bool // and has answered since
}

// Key implements [pool.Conn].
func (c *conn) Key() place { return c.place }

// Quit closes the connection: the protocol has no farewell.
func (c *conn) Quit() { c.raw.Close() }

// staleError is the failure of a kept connection at its first request: the server
// had closed it meanwhile, and another one may do.
type staleError struct{ error }

func (e staleError) Unwrap() error { return e.error }

// errClosed is what reading what was closed comes to.
var errClosed = fmt.Errorf("wais: %w", fs.ErrClosed)

// exchange is one use of a connection, from when it is there to the end of what is
// read. When its context ends, the connection is closed, and what waits for it
// fails. It has one request under way at a time: servers lose a second one.
type exchange struct {
	job    *job
	conn   *conn
	packet []byte // memory of the last retrieval
	apdu   []byte // memory of the last answer
	reply  SearchReply

	mu   sync.Mutex
	stop func() bool // ends the watch over the context
	// owed: an answer or the rest of one is to come, or nobody knows what is. With
	// that the connection is no good for another exchange.
	owed bool
	over bool
}

func newExchange(j *job, c *conn) *exchange {
	x := &exchange{job: j, conn: c}
	x.mu.Lock() // the context may end before there is a stop
	defer x.mu.Unlock()
	x.stop = context.AfterFunc(j.ctx, x.end)
	return x
}

// end ends the exchange, once. The connection is kept for another, or closed if an
// answer is under way.
func (x *exchange) end() {
	x.mu.Lock()
	over, owed, stop := x.over, x.owed, x.stop
	x.over = true
	x.mu.Unlock()
	if over {
		return
	}
	stop()
	if owed {
		x.conn.Quit()
	} else {
		x.job.client.pool.Put(x.conn)
	}
}

// owe notes whether an answer is owed. The error says that the exchange is over.
func (x *exchange) owe(owed bool) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return errClosed
	}
	x.owed = owed
	return nil
}

// ask sends a packet and returns the APDU that answers it, good until the next ask.
func (x *exchange) ask(packet []byte) ([]byte, error) {
	if err := x.owe(true); err != nil {
		return nil, x.failure(err)
	}
	c := x.conn
	if _, err := c.raw.Write(packet); err != nil {
		return nil, x.failure(fmt.Errorf("wais: %w", scheme.Broken(err)))
	}
	apdu, err := ReadPacket(c.r, x.apdu, x.job.client.o.Limits.Answer)
	if err != nil && !errors.Is(err, ErrEmpty) {
		return nil, x.failure(err)
	}
	if err == nil {
		x.apdu = apdu
	}
	c.answered = true
	// What is more than an answer is of no use to anybody.
	if err := x.owe(c.r.Buffered() > 0); err != nil {
		return nil, x.failure(err)
	}
	return apdu, err
}

// failure is what err means if the exchange may have been ended, or the connection
// was a kept one.
func (x *exchange) failure(err error) error {
	x.mu.Lock()
	over := x.over
	x.mu.Unlock()
	switch {
	case x.job.ctx.Err() != nil:
		return fmt.Errorf("wais: %w", context.Cause(x.job.ctx))
	case over:
		return errClosed
	case x.conn.reused && !x.conn.answered:
		return staleError{err}
	case errors.Is(err, io.EOF):
		return scheme.Hint(err, "many servers close the connection when they have no such database or document")
	}
	return err
}

// init begins a connection with an Init. A server that refuses it, or does not know
// it, may serve what follows all the same.
func (x *exchange) init() error {
	i := &Init{MessageSize: x.job.client.o.MessageSize}
	x.traced(true, "init")
	apdu, err := x.ask(AppendInit(nil, i))
	if errors.Is(err, ErrEmpty) {
		x.traced(false, "empty packet")
		return nil
	}
	var r InitReply
	if err == nil {
		r, err = ParseInitReply(apdu)
	}
	if err != nil {
		return err
	}
	verdict := "refused"
	if r.Accepted {
		verdict = "accepted"
	}
	x.traced(false, "%s: messages of %d octets, records of %d, by %s", verdict, r.MessageSize, r.RecordSize, locus.Quote(r.Implementation))
	x.conn.room = smaller(r.MessageSize, r.RecordSize)
	return nil
}

// smaller returns the smaller of two sizes that may not be said, 0 if none is.
func smaller(a, b int64) int64 {
	if a <= 0 || b > 0 && b < a {
		a = b
	}
	return max(a, 0)
}

// answer sends a search or a retrieval, and reads what answers it into reply.
func (x *exchange) answer(packet []byte, referenceID string) error {
	apdu, err := x.ask(packet)
	if err == nil {
		if err = x.reply.Parse(apdu); err == nil {
			err = x.reply.Answers(referenceID)
		}
		if err != nil {
			x.owe(true)
		}
	}
	if x.job.req.Trace != nil {
		x.traced(false, "%s", summary(&x.reply, err))
	}
	return err
}

// search sends the packet that asks for what q says.
func (x *exchange) search(q *Query, packet []byte) error {
	if x.job.req.Trace != nil {
		like := ""
		if n := len(q.Examples); n > 0 {
			like = ", like " + countOf(int64(n), "document")
		}
		x.traced(true, "search %s in %s, at most %d%s", locus.Quote(locus.MaskText(q.Words)), locus.Quote(q.Database), q.Max, like)
	}
	return x.answer(packet, q.ReferenceID)
}

// retrieve asks for a part of a document.
func (x *exchange) retrieve(r *Retrieval) (err error) {
	if x.packet, err = AppendRetrieval(x.packet[:0], r); err != nil {
		return err
	}
	if x.job.req.Trace != nil {
		x.traced(true, "retrieve %s %d to %d of %s in %s", r.Wtype, r.Start, r.End, locus.Quote(string(r.ID)), locus.Quote(r.Database))
	}
	return x.answer(x.packet, r.ReferenceID)
}

// traced tells of what is sent or received in a line that people can read.
func (x *exchange) traced(sent bool, format string, args ...any) {
	if x.job.req.Trace != nil {
		x.job.req.Trace(sent, fmt.Sprintf(format, args...))
	}
}

// summary is what a trace says of an answer.
func summary(r *SearchReply, err error) string {
	switch {
	case errors.Is(err, ErrEmpty):
		return "empty packet"
	case err != nil:
		return err.Error()
	}
	octets := 0
	for i := range r.Texts {
		octets += len(r.Texts[i].Octets)
	}
	text := countOf(int64(len(r.Hits)), "hit")
	if len(r.Texts) > 0 {
		text = "a text of " + countOf(int64(octets), "octet")
	}
	for _, d := range r.Diagnostics {
		if d.Code == codeOutOfRange && octets > 0 {
			// That is how servers tell the end.
			text += ", the last of the document"
			continue
		}
		text += ", " + strings.TrimPrefix(d.Error(), "wais: ")
	}
	return text
}
