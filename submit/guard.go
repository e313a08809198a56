package submit

import (
	"fmt"
	"net"
	"os"
	"strings"
	"time"
)

// mostReplies is how many octets a server may say in one conversation. A reply
// has no end that it must come to.
const mostReplies = 1 << 20

// guard is a connection to a server that may fall silent, or never stop. It keeps
// the deadlines that are set on it, and besides bounds every wait.
type guard struct {
	net.Conn
	wait  time.Duration
	until time.Time // set by others; zero: none
	left  int       // octets that the server may still say
	verb  string    // what the last line that was sent began with; of no use below TLS
}

func newGuard(conn net.Conn, wait time.Duration) *guard {
	return &guard{Conn: conn, wait: wait, left: mostReplies, verb: "connection"}
}

// SetDeadline is for the library, which takes it back after each command.
func (g *guard) SetDeadline(t time.Time) error {
	g.until = t
	return nil
}

// SetReadDeadline is SetDeadline: there is one thing at a time.
func (g *guard) SetReadDeadline(t time.Time) error { return g.SetDeadline(t) }

// SetWriteDeadline is SetDeadline as well.
func (g *guard) SetWriteDeadline(t time.Time) error { return g.SetDeadline(t) }

// deadline returns until when to wait now.
func (g *guard) deadline() time.Time {
	t := time.Now().Add(g.wait)
	if !g.until.IsZero() && g.until.Before(t) {
		return g.until
	}
	return t
}

func (g *guard) Read(p []byte) (int, error) {
	if g.left <= 0 {
		return 0, fmt.Errorf("%w: the server says more than %d octets", ErrProtocol, mostReplies)
	}
	if err := g.Conn.SetReadDeadline(g.deadline()); err != nil {
		return 0, err
	}
	n, err := g.Conn.Read(p[:min(len(p), g.left)])
	g.left -= n
	return n, g.explain(err)
}

func (g *guard) Write(p []byte) (int, error) {
	if verb, _, _ := strings.Cut(strings.TrimSpace(string(p[:min(len(p), 16)])), " "); verb != "" {
		g.verb = verb
	}
	if err := g.Conn.SetWriteDeadline(g.deadline()); err != nil {
		return 0, err
	}
	n, err := g.Conn.Write(p)
	return n, g.explain(err)
}

// explain says how long the wait was that ended.
func (g *guard) explain(err error) error {
	if t, ok := err.(net.Error); ok && t.Timeout() {
		return fmt.Errorf("the server was silent for too long: %w", os.ErrDeadlineExceeded)
	}
	return err
}
