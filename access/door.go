package access

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

const (
	// maxAddresses is the most addresses of one host that are looked at. A name can
	// be given any number, and each that is silent costs its share of the time.
	maxAddresses = 16
	// minShare is the least time for one address, so that many of them don't leave
	// too little for each; as package net has it.
	minShare = 2 * time.Second
)

var (
	_ scheme.DataDialer   = (*door)(nil)
	_ scheme.PacketDialer = (*door)(nil)

	_ scheme.ReservedDialer = (*door)(nil)
	_ scheme.UrgentConn     = (*conn)(nil)
)

// door is the way to the network for the URLs of one zone. A client has one for
// each zone, and more for each gateway; its pointer is what openers tell
// connections apart by.
type door struct {
	client *Client
	doorKey

	mu     sync.Mutex
	conns  map[*conn]struct{} // all that are open
	closed bool
}

// policy judges the addresses that the door dials. One host alone is that of a
// gateway, which no URL names.
func (d *door) policy() policy.Policy {
	if d.only != "" {
		return d.client.policy.Configured()
	}
	return d.client.policy
}

// checkAddr asks all that judge an address before it is dialled.
func (d *door) checkAddr(a netip.AddrPort) error {
	if err := d.policy().CheckAddr(a, d.zone); err != nil {
		return err
	}
	if check := d.client.options.CheckAddr; check != nil && d.only == "" {
		return check(a)
	}
	return nil
}

// DialContext implements [scheme.Dialer] for the networks "tcp" and "udp" and
// their variants "4" and "6". The error is a [*policy.DeniedError] if no address
// of the host is allowed, and [scheme.ErrUnreachable] if none can be connected to.
func (d *door) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return d.connect(ctx, network, address, d.dialFunc())
}

// connect opens a connection to address, as dial does it.
func (d *door) connect(ctx context.Context, network, address string, dial dialFunc) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.client.options.Connect)
	defer cancel()
	if d.isTunnelled(address) {
		return d.dialTunnel(ctx, network, address)
	}
	host, list, err := d.lookup(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return d.dialAny(ctx, network, host, list, dial)
}

// lookup returns the host of address, and those of its addresses that the policy
// allows. The error is one of [door.DialContext].
func (d *door) lookup(ctx context.Context, network, address string) (host string, list []netip.AddrPort, err error) {
	host, port, err := splitAddress(address)
	if err != nil {
		return "", nil, &dialError{address, err}
	}
	if err := d.checkOnly(host); err != nil {
		return "", nil, err
	}
	all, err := d.addresses(ctx, network, host)
	if err == nil {
		list, err = d.allowed(all, host, port)
	}
	if err != nil {
		return "", nil, asDialError(address, err)
	}
	return host, list, nil
}

// dialFunc connects to one address: as the client's options have it, or the
// system.
func (d *door) dialFunc() dialFunc {
	if dial := d.client.options.Dial; dial != nil {
		return dial
	}
	return (&net.Dialer{Control: d.control}).DialContext
}

type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// asDialError is err as a door returns it: a denial stays what it is, and anything
// else is a connection that did not come about.
func asDialError(address string, err error) error {
	if errors.Is(err, policy.ErrDenied) {
		return err
	}
	return &dialError{address, err}
}

func splitAddress(address string) (host string, port uint16, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return "", 0, fmt.Errorf("the port is not a number up to 65535: %w", err)
	}
	return host, uint16(n), nil
}

// addresses returns the addresses of host, the families in turns, each once.
func (d *door) addresses(ctx context.Context, network, host string) ([]netip.Addr, error) {
	var families [2]bool // IPv4, IPv6
	switch network {
	case "tcp", "udp":
		families = [2]bool{true, true}
	case "tcp4", "udp4":
		families[0] = true
	case "tcp6", "udp6":
		families[1] = true
	default:
		return nil, &policy.DeniedError{Rule: "network", Subject: locus.Quote(network), Reason: "only TCP and UDP are open to URLs"}
	}
	list, err := d.client.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	for i, a := range list {
		list[i] = a.Unmap()
	}
	list = slices.DeleteFunc(list, func(a netip.Addr) bool { return a.Is4() && !families[0] || a.Is6() && !families[1] })
	if list = inTurns(list); len(list) == 0 {
		return nil, &net.DNSError{Err: "no address for " + network, Name: host, IsNotFound: true}
	}
	return list[:min(len(list), maxAddresses)], nil
}

// resolve returns a fresh list of the addresses of host.
func (c *Client) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	if c.options.Lookup == nil {
		return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	}
	list, err := c.options.Lookup(ctx, host)
	return slices.Clone(list), err
}

// inTurns returns list without repetitions and with the two families in turns,
// beginning with that of the first address, so that a family that leads nowhere
// costs one attempt and not all of them (RFC 8305 section 4).
func inTurns(list []netip.Addr) []netip.Addr {
	var lines [2][]netip.Addr
	seen := make(map[netip.Addr]bool, len(list))
	for _, a := range list {
		if seen[a] {
			continue
		}
		seen[a] = true
		i := 0
		if a.Is4() != list[0].Is4() {
			i = 1
		}
		lines[i] = append(lines[i], a)
	}
	turns := make([]netip.Addr, 0, len(seen))
	for i := range max(len(lines[0]), len(lines[1])) {
		for _, line := range lines {
			if i < len(line) {
				turns = append(turns, line[i])
			}
		}
	}
	return turns
}

// allowed returns the addresses of list that the policy allows. If there is none,
// the error tells why not the first.
func (d *door) allowed(list []netip.Addr, host string, port uint16) (allowed []netip.AddrPort, err error) {
	for _, a := range list {
		address := netip.AddrPortFrom(a, port)
		if no := d.checkAddr(address); no == nil {
			allowed = append(allowed, address)
		} else if err == nil {
			err = forHost(no, host)
		}
	}
	if len(allowed) > 0 {
		err = nil
	}
	return allowed, err
}

// forHost adds the name to a refusal of one of its addresses.
func forHost(err error, host string) error {
	var denied *policy.DeniedError
	if _, no := netip.ParseAddr(host); no == nil || !errors.As(err, &denied) {
		return err
	}
	named := *denied
	named.Subject = locus.Quote(host) + " is at " + denied.Subject
	return &named
}

// dialAny connects to the first address of list that answers. Each has an equal
// share of the time that is left when its turn comes.
func (d *door) dialAny(ctx context.Context, network, host string, list []netip.AddrPort, dial dialFunc) (net.Conn, error) {
	var first error
	for i, address := range list {
		t := d.note(ctx, host, address)
		c, err := d.dialOne(ctx, network, address, len(list)-i, dial)
		if err == nil {
			t.add(c)
			return c, nil
		}
		if first == nil {
			first = asDialError(address.String(), err)
		}
		if ctx.Err() != nil || errors.Is(err, policy.ErrDenied) {
			break
		}
	}
	return nil, first
}

// note takes down that address is about to be dialled: that one could be made to
// go there says enough, whatever comes of it.
func (d *door) note(ctx context.Context, host string, address netip.AddrPort) *tracker {
	t, public := trackerOf(ctx), policy.IsPublic(address.Addr())
	t.note(public)
	d.client.known.note(host, public)
	return t
}

// dialOne connects to address within one of so many shares of the time.
func (d *door) dialOne(ctx context.Context, network string, address netip.AddrPort, shares int, dial dialFunc) (*conn, error) {
	c, err := d.dialRaw(ctx, network, address, shares, dial)
	if err != nil {
		return nil, err
	}
	return d.admit(c, address)
}

// dialRaw is dialOne; the connection is none of the door's yet.
func (d *door) dialRaw(ctx context.Context, network string, address netip.AddrPort, shares int, dial dialFunc) (net.Conn, error) {
	if deadline, ok := ctx.Deadline(); ok {
		share := max(time.Until(deadline)/time.Duration(shares), minShare)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, share)
		defer cancel()
	}
	return dial(ctx, network, address.String())
}

// control judges the address of a socket that is about to connect: what really is
// dialled is what was allowed, whatever happened on the way here.
func (d *door) control(_, address string, _ syscall.RawConn) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil {
		return &policy.DeniedError{Rule: "network", Subject: locus.Quote(address), Reason: "not an IP address and a port"}
	}
	return d.checkAddr(a)
}

// admit makes c a connection of this door.
func (d *door) admit(c net.Conn, address netip.AddrPort) (*conn, error) {
	admitted := &conn{Conn: c, door: d, address: address, idle: d.client.options.Idle}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		c.Close()
		return nil, net.ErrClosed
	}
	if d.conns == nil {
		d.conns = make(map[*conn]struct{})
	}
	d.conns[admitted] = struct{}{}
	return admitted, nil
}

// forget drops a connection that was closed.
func (d *door) forget(c *conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.conns, c)
}

// close closes all connections of the door, and the door.
func (d *door) close() error {
	d.mu.Lock()
	conns := d.conns
	d.conns, d.closed = nil, true
	d.mu.Unlock()
	var list []error
	for c := range conns {
		list = append(list, c.Close())
	}
	return errors.Join(list...)
}

// tracker notes what is dialled for one exchange. It travels in the context, which
// is all that an opener hands on.
type tracker struct {
	dialled, public atomic.Bool

	mu    sync.Mutex
	done  bool
	conns []*conn
}

type trackerKey struct{}

func (t *tracker) attach(ctx context.Context) context.Context {
	return context.WithValue(ctx, trackerKey{}, t)
}

// trackerOf returns the tracker of ctx, or one that nobody looks at.
func trackerOf(ctx context.Context) *tracker {
	if t, ok := ctx.Value(trackerKey{}).(*tracker); ok {
		return t
	}
	return new(tracker)
}

func (t *tracker) note(public bool) {
	t.dialled.Store(true)
	if public {
		t.public.Store(true)
	}
}

func (t *tracker) add(c *conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.done {
		t.conns = append(t.conns, c)
	}
}

// end returns the connections that were made so far, and keeps no more: an opener
// can hold the context, and so the tracker, for as long as it likes.
func (t *tracker) end() []*conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	conns := t.conns
	t.conns, t.done = nil, true
	return conns
}

// maxHosts is how many hosts are remembered. One that was forgotten counts as
// public until it is dialled again.
const maxHosts = 1 << 14

// hosts remembers of each host that was dialled whether an address of it was ever
// public. The zero value is empty.
type hosts struct {
	mu     sync.Mutex
	public map[string]bool
}

func (h *hosts) note(host string, public bool) {
	host = strings.ToLower(host)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.public == nil {
		h.public = make(map[string]bool)
	}
	if _, ok := h.public[host]; !ok && len(h.public) == maxHosts {
		for other := range h.public {
			delete(h.public, other)
			break
		}
	}
	h.public[host] = h.public[host] || public
}

func (h *hosts) get(host string) (public, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	public, known = h.public[host]
	return public, known
}
