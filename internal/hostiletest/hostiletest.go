// Package hostiletest provides an in-memory server that sends bytes chosen by a fuzz test.
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

const (
	Bytes   How = 1 << iota // the server sends single bytes instead of all bytes at once
	Lines                   // the server sends single lines, each one second after the client begins to wait
	Slow                    // the server waits 30 seconds before each of the first pieces
	Silent                  // after the last byte, the server stays silent and does not close the connection
	Waiting                 // the server waits for the first bytes from the client
)

// How selects the timing of a server. Unknown bits have no effect.
type How uint8

// Peer is a server that ignores the data from the client and always sends the same bytes. Its Dial
// must be used inside a synctest bubble, where waiting takes no time. The zero Peer closes each
// connection.
type Peer struct {
	First []byte // bytes to send on the first connection
	Later []byte // bytes to send on later connections
	How   How
	TLS   *tls.Config // server configuration; nil disables TLS

	mu    sync.Mutex
	dials []string
	sent  []*bytes.Buffer
}

// maxDials is the maximum number of dials, which stops a client that dials endlessly.
const maxDials = 1000

// Dial connects to the peer. It has the type of access.Options.Dial. On datagram networks,
// [Boundary] separates the datagrams.
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

// DialContext is like Dial.
func (p *Peer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return p.Dial(ctx, network, address)
}

// serve copies bytes between the TLS connection far and the connection c.
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

// Dials returns the dialed addresses.
func (p *Peer) Dials() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.dials)
}

// Sent returns the data that the client sent on each connection, after TLS decryption.
func (p *Peer) Sent() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []string
	for _, b := range p.sent {
		list = append(list, b.String())
	}
	return list
}

// isPacket reports whether a network uses datagrams.
func isPacket(network string) bool { return strings.HasPrefix(network, "udp") }
