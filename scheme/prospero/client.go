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

// Client opens prospero URLs. It is stateless: each request uses its own socket. It
// may be used concurrently.
type Client struct{ ardp *ardp.Client }

// New returns a Client.
func New() *Client { return &Client{ardp.New(nil)} }

// Get opens x. A directory and the result of an Archie query are a [*scheme.Menu].
// An object that has moved, or that other protocols serve, is a [*scheme.Redirect]
// to its access methods, the best first. An object that the server sends itself is
// a [*scheme.Object].
func (c *Client) Get(ctx context.Context, d scheme.Dialer, x URL) (scheme.Resource, error) {
	return c.open(ctx, &scheme.Request{URL: x.url, Dial: d}, x)
}

// Open implements [scheme.Opener] and does the same as Get. When ctx ends, reading
// the resource fails. While the caller reads the items, Open requests the directories
// of union links with the dialers of req.DialerFor. If req.Probe is set and the
// server reports that the resource exists, Open neither lists a directory nor fetches
// an object.
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
	f := &fetcher{client: c, ctx: ctx, req: req, url: x, at: at, source: archived.For(req)}
	res, err := f.open()
	if err != nil {
		return nil, f.wrapError(err)
	}
	return res, nil
}

// fetcher opens one URL.
type fetcher struct {
	client *Client
	ctx    context.Context
	req    *scheme.Request
	url    URL
	at     location // location that the field url names

	source   *archived.Buffer // archived bytes of the replies; nil if not requested
	archived *archivedReplies // archived replies; if nil, the fetcher sends requests to the server
}

// wrapError adds the scheme to err. If the context has ended, the error wraps its cause.
func (f *fetcher) wrapError(err error) error {
	if f.ctx.Err() != nil && !errors.Is(err, context.Cause(f.ctx)) {
		err = context.Cause(f.ctx)
	}
	return fmt.Errorf("prospero: %w", err)
}

// ports lists the ports from which any server may reply. A privileged server replies from
// its system's own port, even if the client sent the request to another port.
var ports = [...]uint16{191, Port}

// roundTrip sends a message to the server at the given location and returns the reply. Old
// servers end packets with a NUL. If contents is true, the reply may itself end in a NUL.
func (f *fetcher) roundTrip(d scheme.Dialer, at location, message []byte, contents bool) ([]byte, error) {
	if f.archived != nil {
		return f.archived.next()
	}
	reply, err := f.send(d, at, message, contents)
	if !contents {
		f.keep(reply, err)
	}
	return reply, err
}

func (f *fetcher) send(d scheme.Dialer, at location, message []byte, contents bool) ([]byte, error) {
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
				conn, err = f.dialRedirect(ctx, at, to)
			} else {
				conn, err = dial(ctx, d, at.address())
			}
			if err != nil {
				return nil, err
			}
			return f.req.Recorded(conn, ""), nil
		},
	})
	if err != nil {
		return nil, at.classify(err)
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

func (f *fetcher) dialRedirect(ctx context.Context, at location, to netip.AddrPort) (net.Conn, error) {
	at.host, at.port = to.Addr().String(), to.Port()
	d, err := f.dialerFor(at)
	if err != nil {
		return nil, err
	}
	return scheme.DialPacket(ctx, d, "udp4", to.String(), ports[:]...)
}

// dialerFor returns a dialer for a location that a server supplied. If the policy does not
// permit the location, it returns an error.
func (f *fetcher) dialerFor(at location) (scheme.Dialer, error) {
	u, err := at.locator(nil)
	if err != nil {
		return nil, err
	}
	return f.req.DialerFor(u)
}

func (at location) address() string {
	return net.JoinHostPort(strings.Trim(at.host, "[]"), strconv.Itoa(int(at.port)))
}

// classify wraps a delivery error in the corresponding error of package scheme.
func (at location) classify(err error) error {
	switch {
	case errors.Is(err, scheme.ErrUnreachable), errors.Is(err, scheme.ErrUnsupported), errors.Is(err, fs.ErrClosed):
		return err
	case errors.Is(err, ardp.ErrTooLarge):
		return fmt.Errorf("%w: %w", scheme.ErrTooLarge, err)
	case errors.Is(err, ardp.ErrDamaged), errors.Is(err, ardp.ErrRedirect):
		return fmt.Errorf("%w: %w", scheme.ErrProtocol, err)
	}
	// The client cannot distinguish a missing server from a silent server or a server that
	// rejects the request.
	return fmt.Errorf("%w: %s: %w", scheme.ErrUnreachable, locus.Quote(at.address()), err)
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
