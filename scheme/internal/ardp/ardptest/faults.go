package ardptest

import (
	"math/rand/v2"
	"net"
	"sync"
)

// Faults contains the probabilities, from 0 to 1, that a datagram is lost, duplicated, or
// delivered after the next datagram. The same Seed produces the same sequence of faults.
type Faults struct {
	Loss, Duplicate, Reorder float64
	Seed                     uint64
}

// Faulty returns a connection that adds the faults f to the connection pc in both directions. If
// a datagram must wait for the next datagram, and no datagram follows, it is lost.
func Faulty(pc net.PacketConn, f Faults) net.PacketConn {
	return &faultyConn{PacketConn: pc, in: newFaultModel(f, 0), out: newFaultModel(f, 1)}
}

type faultyConn struct {
	net.PacketConn

	mu  sync.Mutex // guards out, the faults of outgoing datagrams
	out *faultModel

	reading sync.Mutex // guards the fields below
	in      *faultModel
	queue   []packet // packets that were received but not read
}

// packet is a datagram and its source or destination.
type packet struct {
	data []byte
	addr net.Addr
}

// faultModel selects the faults of the datagrams in one direction.
type faultModel struct {
	faults Faults
	random *rand.Rand
	held   *packet // packet to deliver after the next packet; nil if there is none
}

func newFaultModel(f Faults, direction uint64) *faultModel {
	return &faultModel{faults: f, random: rand.New(rand.NewPCG(f.Seed, direction))}
}

// apply returns the datagrams that arrive when data is sent to addr.
func (f *faultModel) apply(data []byte, addr net.Addr) (arrive []packet) {
	lost := f.random.Float64() < f.faults.Loss
	twice := f.random.Float64() < f.faults.Duplicate
	late := f.random.Float64() < f.faults.Reorder
	if lost {
		return nil
	}
	p := packet{append([]byte(nil), data...), addr}
	if late && f.held == nil {
		f.held = &p
		return nil
	}
	arrive = append(arrive, p)
	if twice {
		arrive = append(arrive, p)
	}
	if f.held != nil {
		arrive = append(arrive, *f.held)
		f.held = nil
	}
	return arrive
}

func (c *faultyConn) ReadFrom(b []byte) (n int, addr net.Addr, err error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	for len(c.queue) == 0 {
		n, addr, err = c.PacketConn.ReadFrom(b)
		if err != nil {
			return n, addr, err
		}
		c.queue = c.in.apply(b[:n], addr)
	}
	p := c.queue[0]
	c.queue = c.queue[1:]
	return copy(b, p.data), p.addr, nil
}

func (c *faultyConn) WriteTo(b []byte, addr net.Addr) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.out.apply(b, addr) {
		if n, err := c.PacketConn.WriteTo(p.data, p.addr); err != nil {
			return n, err
		}
	}
	return len(b), nil
}
