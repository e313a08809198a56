package tour

import (
	"net"
	"net/netip"
	"slices"
	"sync"
)

// addressSet is the set of addresses (host:port) of the tour's servers. The zero value is empty.
// An addressSet may be used concurrently.
type addressSet struct{ open sync.Map }

func (a *addressSet) add(address string) { a.open.Store(address, true) }

func (a *addressSet) has(address string) bool {
	_, ok := a.open.Load(address)
	return ok
}

func (a *addressSet) ports() (list []uint16) {
	for address := range a.open.Range {
		if p, err := netip.ParseAddrPort(address.(string)); err == nil {
			list = append(list, p.Port())
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// listen is like net.Listen. The set contains the listener's address until the listener is closed.
func (a *addressSet) listen(network, address string) (net.Listener, error) {
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, err
	}
	a.add(l.Addr().String())
	return &listener{l.(*net.TCPListener), a}, nil
}

type listener struct {
	*net.TCPListener
	addresses *addressSet
}

func (l *listener) Close() error {
	l.addresses.open.Delete(l.Addr().String())
	return l.TCPListener.Close()
}
