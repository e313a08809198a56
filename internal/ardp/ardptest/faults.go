package ardptest

import (
	"math/rand/v2"
	"net"
	"sync"
)

// Faults are those of a network: how likely it is that a datagram is lost, that it
// comes twice, and that it comes after its successor; each is from 0 to 1. With the
// same Seed the same fates follow each other.
type Faults struct {
	Loss, Duplicate, Reorder float64
	Seed                     uint64
}

// Faulty returns pc with the faults of a network both ways. A datagram that is to
// come after its successor is lost if there is none.
func Faulty(pc net.PacketConn, f Faults) net.PacketConn {
	return &faultyConn{PacketConn: pc, in: newFate(f, 0), out: newFate(f, 1)}
}

type faultyConn struct {
	net.PacketConn

	mu  sync.Mutex // of out
	out *fate

	reading sync.Mutex // of what follows
	in      *fate
	queue   []packet // that came, and was not read yet
}

// packet is a datagram, and where it comes from or goes to.
type packet struct {
	data []byte
	addr net.Addr
}

// fate decides about the datagrams that go one way.
type fate struct {
	faults Faults
	random *rand.Rand
	held   *packet // until the next has gone
}

func newFate(f Faults, way uint64) *fate {
	return &fate{faults: f, random: rand.New(rand.NewPCG(f.Seed, way))}
}

// meet returns what arrives when a datagram is sent.
func (f *fate) meet(data []byte, addr net.Addr) (arrive []packet) {
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
		c.queue = c.in.meet(b[:n], addr)
	}
	p := c.queue[0]
	c.queue = c.queue[1:]
	return copy(b, p.data), p.addr, nil
}

func (c *faultyConn) WriteTo(b []byte, addr net.Addr) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.out.meet(b, addr) {
		if n, err := c.PacketConn.WriteTo(p.data, p.addr); err != nil {
			return n, err
		}
	}
	return len(b), nil
}
