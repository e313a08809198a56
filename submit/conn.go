package submit

import (
	"fmt"
	"net"
	"os"
	"strings"
	"time"
)

// maxReplies is the maximum number of bytes that a server may send in a session.
const maxReplies = 1 << 20

// limitedConn is a connection with limits for the number of bytes from the server and for the
// time of each wait. Deadlines that the SMTP library sets also apply.
type limitedConn struct {
	net.Conn
	wait      time.Duration
	until     time.Time // deadline, or zero if there is none
	remaining int       // bytes that the server may still send
	verb      string    // last command sent; not set correctly if the connection uses TLS
}

func newLimitedConn(conn net.Conn, wait time.Duration) *limitedConn {
	return &limitedConn{Conn: conn, wait: wait, remaining: maxReplies, verb: "connection"}
}

// SetDeadline sets the deadline for the SMTP library, which clears it after each command.
func (g *limitedConn) SetDeadline(t time.Time) error {
	g.until = t
	return nil
}

// SetReadDeadline calls SetDeadline, because the SMTP library never reads and writes
// concurrently.
func (g *limitedConn) SetReadDeadline(t time.Time) error { return g.SetDeadline(t) }

// SetWriteDeadline calls SetDeadline, because the SMTP library never reads and writes
// concurrently.
func (g *limitedConn) SetWriteDeadline(t time.Time) error { return g.SetDeadline(t) }

func (g *limitedConn) deadline() time.Time {
	t := time.Now().Add(g.wait)
	if !g.until.IsZero() && g.until.Before(t) {
		return g.until
	}
	return t
}

func (g *limitedConn) Read(p []byte) (int, error) {
	if g.remaining <= 0 {
		return 0, fmt.Errorf("%w: the server sent more than %d octets", ErrProtocol, maxReplies)
	}
	if err := g.Conn.SetReadDeadline(g.deadline()); err != nil {
		return 0, err
	}
	n, err := g.Conn.Read(p[:min(len(p), g.remaining)])
	g.remaining -= n
	return n, g.explain(err)
}

func (g *limitedConn) Write(p []byte) (int, error) {
	if verb, _, _ := strings.Cut(strings.TrimSpace(string(p[:min(len(p), 16)])), " "); verb != "" {
		g.verb = verb
	}
	if err := g.Conn.SetWriteDeadline(g.deadline()); err != nil {
		return 0, err
	}
	n, err := g.Conn.Write(p)
	return n, g.explain(err)
}

// explain replaces a timeout error with an error whose message users understand.
func (g *limitedConn) explain(err error) error {
	if t, ok := err.(net.Error); ok && t.Timeout() {
		return fmt.Errorf("timed out waiting for the server's reply: %w", os.ErrDeadlineExceeded)
	}
	return err
}
