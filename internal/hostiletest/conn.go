package hostiletest

import (
	"bytes"
	"io"
	"net"
	"net/netip"
	"os"
	"time"
)

// Boundary separates the datagrams in the bytes of a [Peer].
const Boundary = "\r\n--\r\n"

// maxPieces is the maximum number of pieces that are delayed. All bytes after the last delayed
// piece arrive in one piece.
const maxPieces = 200

// conn is the client end of a connection. It needs no goroutine.
type conn struct {
	peer    *Peer
	packet  bool
	address netip.AddrPort

	// The lock of the peer guards the following fields.
	pieces   [][]byte
	taken    int // number of pieces that the client has read, completely or in part
	ready    <-chan time.Time
	sent     bytes.Buffer
	id       []byte // connection ID of the client's last datagram
	deadline time.Time
	changed  chan struct{} // closed when the deadline changes or the client has sent data
	closed   bool
}

func newConn(p *Peer, network, address string, said []byte) *conn {
	c := &conn{peer: p, packet: isPacket(network), address: netip.MustParseAddrPort(address), changed: make(chan struct{})}
	switch {
	case c.packet:
		c.pieces = bytes.Split(said, []byte(Boundary))
	case p.How&Lines != 0:
		c.pieces = cut(said, bytes.SplitAfterN(said, []byte("\n"), maxPieces))
	case p.How&Bytes != 0:
		for i := range min(len(said), maxPieces) {
			c.pieces = append(c.pieces, said[i:i+1])
		}
		c.pieces = cut(said, c.pieces)
	case len(said) > 0:
		c.pieces = [][]byte{said}
	}
	return c
}

// cut removes empty pieces. The pieces must be consecutive parts of the argument said. If bytes of
// this argument remain after the last piece, cut appends them as one piece.
func cut(said []byte, pieces [][]byte) (list [][]byte) {
	for _, piece := range pieces {
		said = said[len(piece):]
		if len(piece) > 0 {
			list = append(list, piece)
		}
	}
	if len(said) > 0 {
		list = append(list, said)
	}
	return list
}

// Read returns the next bytes at their scheduled time. A stream ends after the last byte, unless
// the server is silent. On a datagram connection, which has no end, Read never returns io.EOF.
func (c *conn) Read(p []byte) (int, error) {
	for {
		c.peer.mu.Lock()
		if c.closed {
			c.peer.mu.Unlock()
			return 0, net.ErrClosed
		}
		if !c.deadline.IsZero() && !time.Now().Before(c.deadline) {
			c.peer.mu.Unlock()
			return 0, os.ErrDeadlineExceeded
		}
		if len(c.pieces) == 0 && !c.packet && c.peer.How&Silent == 0 {
			c.peer.mu.Unlock()
			return 0, io.EOF
		}
		ready, now := c.next()
		if now {
			n := c.take(p)
			c.peer.mu.Unlock()
			return n, nil
		}
		deadline, changed := c.deadline, c.changed
		c.peer.mu.Unlock()
		c.wait(ready, deadline, changed)
	}
}

// next reports whether the next piece may be read now. If not, next returns a channel that signals
// when to try again, or nil if the client must send first.
func (c *conn) next() (ready <-chan time.Time, now bool) {
	if len(c.pieces) == 0 || c.peer.How&Waiting != 0 && c.sent.Len() == 0 {
		return nil, false
	}
	if c.ready == nil {
		after := time.Duration(0)
		if c.taken < maxPieces {
			if c.peer.How&Lines != 0 {
				after += time.Second
			}
			if c.peer.How&Slow != 0 {
				after += 30 * time.Second
			}
		}
		if after == 0 {
			return nil, true
		}
		at := make(chan time.Time)
		time.AfterFunc(after, func() { close(at) })
		c.ready = at
	}
	select {
	case <-c.ready:
		return nil, true
	default:
		return c.ready, false
	}
}

func (c *conn) wait(ready <-chan time.Time, deadline time.Time, changed <-chan struct{}) {
	var late <-chan time.Time
	if !deadline.IsZero() {
		timer := time.NewTimer(time.Until(deadline))
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-ready:
	case <-late:
	case <-changed:
	}
}

// take copies the next piece, or as much of the piece as fits into p.
func (c *conn) take(p []byte) int {
	piece := c.pieces[0]
	if c.packet && len(piece) >= 3 && piece[0] == 3 && c.id != nil {
		// Set the connection ID to the ID of the client, because ARDP drops datagrams
		// with another ID.
		piece = append(append([]byte{3}, c.id...), piece[3:]...)
	}
	n := copy(p, piece)
	if c.packet || n == len(piece) {
		c.pieces = c.pieces[1:]
		c.ready = nil
		c.taken++
	} else {
		c.pieces[0] = piece[n:]
	}
	return n
}

// Write records the client's data. Write always succeeds, as it may on a socket after the peer has
// disconnected.
func (c *conn) Write(p []byte) (int, error) {
	c.peer.mu.Lock()
	defer c.peer.mu.Unlock()
	if c.closed {
		return 0, net.ErrClosed
	}
	c.sent.Write(p)
	if c.packet && len(p) >= 3 {
		c.id = bytes.Clone(p[1:3])
	}
	c.change()
	return len(p), nil
}

// change wakes a blocked Read. The caller must hold the lock.
func (c *conn) change() {
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *conn) Close() error {
	c.peer.mu.Lock()
	defer c.peer.mu.Unlock()
	if c.closed {
		return net.ErrClosed
	}
	c.closed = true
	c.change()
	return nil
}

// SetReadDeadline also ends a blocked Read.
func (c *conn) SetReadDeadline(at time.Time) error {
	c.peer.mu.Lock()
	defer c.peer.mu.Unlock()
	c.deadline = at
	c.change()
	return nil
}

func (c *conn) SetDeadline(at time.Time) error   { return c.SetReadDeadline(at) }
func (c *conn) SetWriteDeadline(time.Time) error { return nil }

// LocalAddr returns an address reserved for documentation, on which no server can listen.
func (c *conn) LocalAddr() net.Addr {
	return c.addr(netip.MustParseAddrPort("192.0.2.1:40000"))
}

func (c *conn) RemoteAddr() net.Addr { return c.addr(c.address) }

func (c *conn) addr(a netip.AddrPort) net.Addr {
	if c.packet {
		return net.UDPAddrFromAddrPort(a)
	}
	return net.TCPAddrFromAddrPort(a)
}
