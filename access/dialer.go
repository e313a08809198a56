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
	// maxAddresses is the maximum number of addresses that a dialer tries for one host. A name can
	// have any number of addresses, and each address that does not answer uses up its share of the
	// timeout.
	maxAddresses = 16
	// minShare is the minimum time for one address, as in package net.
	minShare = 2 * time.Second
)

var (
	_ scheme.DataDialer   = (*dialer)(nil)
	_ scheme.PacketDialer = (*dialer)(nil)

	_ scheme.ReservedDialer = (*dialer)(nil)
	_ scheme.UrgentConn     = (*conn)(nil)
)

// dialer makes connections for all plans with the same dialerKey: for all URLs of one origin, or
// for one proxy. Openers use the dialer pointer as the key for idle connections.
type dialer struct {
	client *Client
	dialerKey

	mu     sync.Mutex
	conns  map[*conn]struct{} // all open connections
	closed bool
}

// dialer returns the dialer for p. Plans with equal keys share a dialer.
func (c *Client) dialer(p plan) *dialer {
	key := p.dialerKey()
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.dialers[key]
	if d == nil {
		d = &dialer{client: c, dialerKey: key, closed: c.closed}
		c.dialers[key] = d
	}
	return d
}

// policy returns the policy for addresses. A dialer that may dial only one host dials a proxy, and
// the configuration names this proxy.
func (d *dialer) policy() policy.Policy {
	if d.onlyHost != "" {
		return d.client.policy.ForConfiguredServer()
	}
	return d.client.policy
}

func (d *dialer) checkAddr(a netip.AddrPort) error {
	if err := d.policy().CheckAddr(a, d.origin); err != nil {
		return err
	}
	if check := d.client.options.CheckAddr; check != nil && d.onlyHost == "" {
		return check(a)
	}
	return nil
}

// DialContext implements [scheme.Dialer] for the networks "tcp" and "udp" and their variants "4"
// and "6". The error is a [*policy.DeniedError] if the policy allows no address of the host. If no
// allowed address accepts the connection, the error is [scheme.ErrUnreachable].
func (d *dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return d.connect(ctx, network, address, d.dialFunc())
}

func (d *dialer) connect(ctx context.Context, network, address string, dial dialFunc) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.client.options.DialTimeout)
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

// lookup returns the host in address, and those addresses of the host that the policy allows. It
// returns the same errors as [dialer.DialContext].
func (d *dialer) lookup(ctx context.Context, network, address string) (host string, list []netip.AddrPort, err error) {
	host, port, err := splitAddress(address)
	if err != nil {
		return "", nil, &dialError{address, err}
	}
	if err := d.checkOnly(host); err != nil {
		return "", nil, err
	}
	all, err := d.addresses(ctx, network, host)
	if err == nil {
		list, err = d.filterAllowed(all, host, port)
	}
	if err != nil {
		return "", nil, asDialError(address, err)
	}
	return host, list, nil
}

func (d *dialer) dialFunc() dialFunc {
	if dial := d.client.options.Dial; dial != nil {
		return dial
	}
	return (&net.Dialer{Control: d.control}).DialContext
}

type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// asDialError returns a denial unchanged, and wraps any other error as a failed connection.
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
		return "", 0, fmt.Errorf("the port is not a number (0-65535): %w", err)
	}
	return host, uint16(n), nil
}

// addresses returns the addresses of host without repetitions, alternating between IPv4 and IPv6.
func (d *dialer) addresses(ctx context.Context, network, host string) ([]netip.Addr, error) {
	var families [2]bool // IPv4, IPv6
	switch network {
	case "tcp", "udp":
		families = [2]bool{true, true}
	case "tcp4", "udp4":
		families[0] = true
	case "tcp6", "udp6":
		families[1] = true
	default:
		return nil, &policy.DeniedError{Rule: "network", Subject: locus.Quote(network), Reason: "only TCP and UDP are allowed"}
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

// resolve returns the addresses of host. The caller may change the list.
func (c *Client) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	// Some resolvers do not find a name from the hosts file if the name ends in a dot.
	host = strings.TrimSuffix(host, ".")
	if c.options.Lookup == nil {
		return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	}
	list, err := c.options.Lookup(ctx, host)
	return slices.Clone(list), err
}

// inTurns returns list without repetitions, alternating between the two address families. The
// family of the first address comes first. If one family is unreachable, only every second attempt
// then fails (RFC 8305 section 4).
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

// filterAllowed returns the addresses in list that the policy allows. If it allows none, the error
// is the denial of the first address.
func (d *dialer) filterAllowed(list []netip.Addr, host string, port uint16) (permitted []netip.AddrPort, err error) {
	for _, a := range list {
		address := netip.AddrPortFrom(a, port)
		if no := d.checkAddr(address); no == nil {
			permitted = append(permitted, address)
		} else if err == nil {
			err = forHost(no, host)
		}
	}
	if len(permitted) > 0 {
		err = nil
	}
	return permitted, err
}

// forHost adds the host name to a denial of the host's address.
func forHost(err error, host string) error {
	var denied *policy.DeniedError
	if _, no := netip.ParseAddr(host); no == nil || !errors.As(err, &denied) {
		return err
	}
	named := *denied
	named.Subject = locus.Quote(host) + " (" + denied.Subject + ")"
	return &named
}

// dialAny connects to the first address in list that accepts the connection.
func (d *dialer) dialAny(ctx context.Context, network, host string, list []netip.AddrPort, dial dialFunc) (net.Conn, error) {
	return dialEach(ctx, list, func(ctx context.Context, address netip.AddrPort) (net.Conn, error) {
		t := d.recordDial(ctx, host, address)
		c, err := d.dialOne(ctx, network, address, dial)
		if err != nil {
			return nil, err
		}
		t.add(c)
		return c, nil
	})
}

// dialEach calls dial for each address until a call succeeds. Each address gets an equal share of
// the remaining time.
func dialEach(ctx context.Context, list []netip.AddrPort, dial func(context.Context, netip.AddrPort) (net.Conn, error)) (net.Conn, error) {
	var first error
	for i, address := range list {
		c, err := dialShare(ctx, len(list)-i, address, dial)
		if err == nil {
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

func dialShare(ctx context.Context, shares int, address netip.AddrPort, dial func(context.Context, netip.AddrPort) (net.Conn, error)) (net.Conn, error) {
	if deadline, ok := ctx.Deadline(); ok {
		share := max(time.Until(deadline)/time.Duration(shares), minShare)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, share)
		defer cancel()
	}
	return dial(ctx, address)
}

// recordDial records that the dialer is about to dial address. The record remains even if the dial
// fails, because the name resolved to that address.
func (d *dialer) recordDial(ctx context.Context, host string, address netip.AddrPort) *tracker {
	t, public := trackerOf(ctx), policy.IsPublic(address.Addr())
	t.note(public)
	d.client.known.record(host, public)
	return t
}

func (d *dialer) dialOne(ctx context.Context, network string, address netip.AddrPort, dial dialFunc) (*conn, error) {
	c, err := dial(ctx, network, address.String())
	if err != nil {
		return nil, err
	}
	return d.admit(c, address)
}

// control checks the address again when the socket connects, so that the dialer connects only to an
// allowed address.
func (d *dialer) control(_, address string, _ syscall.RawConn) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil {
		return &policy.DeniedError{Rule: "network", Subject: locus.Quote(address), Reason: "not an IP address and a port"}
	}
	return d.checkAddr(a)
}

// admit adds the connection c to the open connections of the dialer d.
func (d *dialer) admit(c net.Conn, address netip.AddrPort) (*conn, error) {
	admitted := &conn{Conn: c, dialer: d, address: address, idle: d.client.options.IdleTimeout}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		c.Close()
		return nil, errClientClosed
	}
	if d.conns == nil {
		d.conns = make(map[*conn]struct{})
	}
	d.conns[admitted] = struct{}{}
	return admitted, nil
}

func (d *dialer) forget(c *conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.conns, c)
}

// closedError returns the error for a closed connection of the dialer. The error shows whether the
// whole client or only the connection was closed.
func (d *dialer) closedError() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return errClientClosed
	}
	return errConnClosed
}

func (d *dialer) close() error {
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

// tracker records the addresses that are dialed for one request. It is a value in the request
// context, which openers pass to the dialer.
type tracker struct {
	dialed, public atomic.Bool

	mu    sync.Mutex
	done  bool
	conns []*conn
}

type trackerKey struct{}

func (t *tracker) attach(ctx context.Context) context.Context {
	return context.WithValue(ctx, trackerKey{}, t)
}

// trackerOf returns the tracker in ctx. If ctx contains no tracker, it returns an unused
// tracker.
func trackerOf(ctx context.Context) *tracker {
	if t, ok := ctx.Value(trackerKey{}).(*tracker); ok {
		return t
	}
	return new(tracker)
}

func (t *tracker) note(public bool) {
	t.dialed.Store(true)
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

// stopRecording returns the recorded connections, and ends the recording. Recording must stop,
// because an opener can hold the context and the tracker for a long time.
func (t *tracker) stopRecording() []*conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	conns := t.conns
	t.conns, t.done = nil, true
	return conns
}

// maxHosts is the maximum number of recorded hosts. A host without a record counts as public until
// the client dials it again.
const maxHosts = 1 << 14

// hosts records for each dialed host whether one of its addresses was public. The zero
// value is empty.
type hosts struct {
	mu     sync.Mutex
	public map[string]bool
}

func (h *hosts) record(host string, public bool) {
	host = nameKey(host)
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
