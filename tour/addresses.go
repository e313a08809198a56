package tour

import (
	"net"
	"net/netip"
	"slices"
	"sync"
)

// addressSet is the addresses, host:port, of the tour's servers. The zero value is
// empty. It may be used from many goroutines at once.
type addressSet struct {
	mu   sync.Mutex
	open map[string]bool // false: closed since
}

func (a *addressSet) set(address string, open bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == nil {
		a.open = map[string]bool{}
	}
	a.open[address] = open
}

// has reports whether a server listens at address.
func (a *addressSet) has(address string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.open[address]
}

// ports returns the ports of all addresses, the closed ones included.
func (a *addressSet) ports() (list []uint16) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for address := range a.open {
		if p, err := netip.ParseAddrPort(address); err == nil {
			list = append(list, p.Port())
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// listen is net.Listen. The address is in the set until the listener is closed.
func (a *addressSet) listen(network, address string) (net.Listener, error) {
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, err
	}
	a.set(l.Addr().String(), true)
	return &listener{l.(*net.TCPListener), a}, nil
}

type listener struct {
	*net.TCPListener
	addresses *addressSet
}

func (l *listener) Close() error {
	l.addresses.set(l.Addr().String(), false)
	return l.TCPListener.Close()
}
