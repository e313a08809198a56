// Package hostiletest has a server in memory whose octets a fuzz test chooses.
package hostiletest

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
)

// Bits of How.
const (
	Bytes   How = 1 << iota // an octet at a time, instead of all at once
	Lines                   // a line at a time, each a second after the client waits for it
	Slow                    // 30 seconds before each of the first pieces
	Silent                  // after its octets the server says nothing, instead of closing
	Waiting                 // the server begins after the first octets from the client
)

// How is the manner of a server. Other bits mean nothing.
type How uint8

// Peer is a server that says the same octets whatever it is sent. Its Dial is used inside
// a bubble of package synctest, where waiting takes no time. The zero Peer closes each
// connection.
type Peer struct {
	First []byte // what it says on the first connection
	Later []byte // what it says on each other
	How   How
	TLS   *tls.Config // of its side of each connection; nil: no TLS

	mu    sync.Mutex
	dials []string
	sent  []*bytes.Buffer
}

// maxDials ends the test of a client that dials without end.
const maxDials = 1000

// Dial connects to the peer: see Options.Dial of package access. On networks of datagrams
// each is what stands before the next [Boundary].
func (p *Peer) Dial(_ context.Context, network, address string) (net.Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.dials) == maxDials {
		panic("the client dials without end")
	}
	said := p.First
	if len(p.dials) > 0 {
		said = p.Later
	}
	c := newConn(p, network, address, said)
	p.dials, p.sent = append(p.dials, address), append(p.sent, &c.sent)
	if p.TLS == nil {
		return c, nil
	}
	near, far := net.Pipe()
	go serve(tls.Server(far, p.TLS), c)
	return near, nil
}

// DialContext is Dial.
func (p *Peer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return p.Dial(ctx, network, address)
}

// serve passes octets between a connection and c.
func serve(far *tls.Conn, c *conn) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(c, far)
		c.Close()
	}()
	_, _ = io.Copy(far, c)
	far.Close()
	<-ended
}

// Dials returns the addresses that were dialed.
func (p *Peer) Dials() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.dials)
}

// Sent returns what the client has sent on each connection, inside TLS.
func (p *Peer) Sent() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []string
	for _, b := range p.sent {
		list = append(list, b.String())
	}
	return list
}

// isPacket reports whether a network is one of datagrams.
func isPacket(network string) bool { return strings.HasPrefix(network, "udp") }
