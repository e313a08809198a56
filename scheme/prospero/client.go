package prospero

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/archived"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/ardp"
)

// Client opens prospero URLs. A Client has no state, because each request uses its own socket. It
// may be used concurrently.
type Client struct{ ardp *ardp.Client }

// New returns a Client.
func New() *Client { return &Client{ardp.New(nil)} }

// Get opens the URL x. For a directory or an Archie query, it returns a [*scheme.Menu]. For an
// object that has moved, or that other protocols serve, it returns a [*scheme.Redirect]. The
// targets of the redirect are the object's access methods, best first. For an object that the
// Prospero server sends itself, Get returns a [*scheme.Object].
func (c *Client) Get(ctx context.Context, d scheme.Dialer, x URL) (scheme.Resource, error) {
	return c.open(ctx, &scheme.Request{URL: x.url, Dial: d}, x)
}

// Open implements [scheme.Opener] and returns the same results as Get. When ctx is canceled,
// reading the resource fails. While the caller iterates over the items of a menu, the client
// requests the directories of union links through dialers from req.DialerFor. If req.Probe is set
// and the server reports that the resource exists, Open neither lists a directory nor fetches an
// object.
func (c *Client) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	x, err := Parse(req.URL)
	if err != nil {
		return nil, err
	}
	return c.open(ctx, req, x)
}

func (c *Client) open(ctx context.Context, req *scheme.Request, x URL) (scheme.Resource, error) {
	at, err := x.location()
	if err != nil {
		return nil, err
	}
	if req.Dial == nil {
		return nil, fmt.Errorf("prospero: %w without a dialer", scheme.ErrUnsupported)
	}
	f := &fetcher{client: c, ctx: ctx, req: req, url: x, location: at, source: archived.For(req)}
	res, err := f.openObject()
	if err != nil {
		return nil, f.wrapError(err)
	}
	return res, nil
}

// fetcher opens one URL.
type fetcher struct {
	client   *Client
	ctx      context.Context
	req      *scheme.Request
	url      URL
	location location // location that the URL names

	source   *archived.Buffer // archived bytes of the replies; nil if not requested
	archived *archivedReplies // archived replies; if nil, the fetcher sends requests to the server
}

// wrapError adds the scheme's name to an error. If the context was canceled, the result wraps the
// cancellation cause instead.
func (f *fetcher) wrapError(err error) error {
	if f.ctx.Err() != nil && !errors.Is(err, context.Cause(f.ctx)) {
		err = context.Cause(f.ctx)
	}
	return fmt.Errorf("prospero: %w", err)
}

// ports lists the additional ports from which a server may reply. A privileged server replies from
// a port that its system assigns, even if the client sent the request to another port.
var ports = [...]uint16{191, Port}

// roundTrip sends a message to the server at the location l and returns the reply. Old servers add
// a NUL to the end of each packet. If contents is true, the reply contains an object, which may
// itself end with a NUL.
func (f *fetcher) roundTrip(d scheme.Dialer, l location, message []byte, contents bool) ([]byte, error) {
	if f.archived != nil {
		return f.archived.nextReply()
	}
	reply, err := f.send(d, l, message, contents)
	if !contents {
		f.archiveReply(reply, err)
	}
	return reply, err
}

func (f *fetcher) send(d scheme.Dialer, l location, message []byte, contents bool) ([]byte, error) {
	f.traceLines(true, message)
	reply, err := f.client.ardp.Do(f.ctx, &ardp.Call{
		Message:  message,
		Text:     !contents,
		Progress: f.traceProgress,
		Trace:    f.req.Trace,
		Dial: func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
			var conn net.Conn
			var err error
			if to.IsValid() {
				conn, err = f.dialRedirect(ctx, l, to)
			} else {
				conn, err = dial(ctx, d, l.address())
			}
			if err != nil {
				return nil, err
			}
			return f.req.Recorded(conn, ""), nil
		},
	})
	if err != nil {
		return nil, l.classify(err)
	}
	if contents {
		f.req.Traced(false, fmt.Sprintf("(%d bytes)", len(reply)))
	} else {
		f.traceLines(false, reply)
	}
	return reply, nil
}

// dial opens a socket for a server. ARDP defines only IPv4 addresses, but also works over
// IPv6.
func dial(ctx context.Context, d scheme.Dialer, address string) (net.Conn, error) {
	conn, err := scheme.DialPacket(ctx, d, "udp4", address, ports[:]...)
	var dns *net.DNSError
	if errors.As(err, new(*net.AddrError)) || errors.As(err, &dns) && dns.IsNotFound {
		return scheme.DialPacket(ctx, d, "udp", address, ports[:]...)
	}
	return conn, err
}

func (f *fetcher) dialRedirect(ctx context.Context, l location, target netip.AddrPort) (net.Conn, error) {
	l.host, l.port = target.Addr().String(), target.Port()
	d, err := f.dialerFor(l)
	if err != nil {
		return nil, err
	}
	return scheme.DialPacket(ctx, d, "udp4", target.String(), ports[:]...)
}

// dialerFor returns a dialer for a location l that a server supplied. If the policy does not allow
// l, dialerFor returns an error.
func (f *fetcher) dialerFor(l location) (scheme.Dialer, error) {
	u, err := l.locator(nil)
	if err != nil {
		return nil, err
	}
	return f.req.DialerFor(u)
}

func (l location) address() string {
	return net.JoinHostPort(strings.Trim(l.host, "[]"), strconv.Itoa(int(l.port)))
}

// classify wraps a delivery error in the corresponding error of package scheme.
func (l location) classify(err error) error {
	switch {
	case errors.Is(err, scheme.ErrUnreachable), errors.Is(err, scheme.ErrUnsupported), errors.Is(err, fs.ErrClosed):
		return err
	case errors.Is(err, ardp.ErrTooLarge):
		return fmt.Errorf("%w: %w", scheme.ErrTooLarge, err)
	case errors.Is(err, ardp.ErrDamaged), errors.Is(err, ardp.ErrRedirect):
		return fmt.Errorf("%w: %w", scheme.ErrProtocol, err)
	}
	// The client cannot distinguish a missing server from a server that does not reply, or
	// from a server that rejects the request.
	return fmt.Errorf("%w: %s: %w", scheme.ErrUnreachable, locus.Quote(l.address()), err)
}

func (f *fetcher) traceLines(sent bool, message []byte) {
	if f.req.Trace == nil {
		return
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(message), "\n"), "\n") {
		f.req.Traced(sent, line)
	}
}

func (f *fetcher) traceProgress(p ardp.Progress) {
	f.req.Traced(false, "(the server asks to "+p.String()+")")
}
