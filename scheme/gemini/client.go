package gemini

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/line"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

// Options of a [Client]. The zero Options are the defaults.
type Options struct {
	// KnownHosts is the file with the fingerprints of certificates. Empty:
	// locus/gemini-known-hosts in the user's configuration directory, or [InMemory] if
	// there is no such directory. Servers on loopback addresses are not stored.
	KnownHosts string
}

// Client opens gemini URLs. It may be used from many goroutines at once.
type Client struct{ known knownHosts }

// New returns a Client. o may be nil.
func New(o *Options) *Client {
	c := new(Client)
	if o != nil {
		c.known.file = o.KnownHosts
	}
	switch c.known.file {
	case "":
		c.known.file = defaultFile()
	case InMemory:
		c.known.file = ""
	}
	return c
}

// Open sends the request of req.URL and returns what the response is: see the package's
// text. It fills in a form with req.Fill. Offset and the preferences of req have no
// effect.
func (c *Client) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	g, err := Parse(req.URL)
	if err != nil {
		return nil, err
	}
	res, err := c.get(ctx, req, g)
	if m, ok := res.(*scheme.Menu); !ok || m.Form == nil || req.Fill == nil || err != nil {
		return res, err
	} else if answers, ok, err := req.Fill(ctx, m.Form); err != nil || !ok {
		return res, err
	} else if u, err := m.Form.Submit(answers); err != nil {
		return nil, err
	} else {
		return c.get(ctx, req, URL{u})
	}
}

// get makes one request.
func (c *Client) get(ctx context.Context, req *scheme.Request, g URL) (scheme.Resource, error) {
	request, err := g.AppendRequest(nil)
	if err != nil {
		return nil, err
	}
	r, err := c.dial(ctx, req, g)
	if err != nil {
		return nil, fmt.Errorf("gemini: %w", err)
	}
	res, err := r.open(req, g, request)
	if err != nil {
		r.Close()
		return nil, err
	}
	if _, open := res.(*scheme.Object); !open || req.Probe {
		if m, ok := res.(*scheme.Menu); !ok || m.Closer == nil {
			r.Close()
		}
	}
	return res, nil
}

// dial connects, and checks the certificate.
func (c *Client) dial(ctx context.Context, req *scheme.Request, g URL) (*response, error) {
	host := strings.Trim(g.url.Host(), "[]")
	port := uint16(Port)
	if n, ok := g.url.Port(); ok {
		port = n
	}
	address := net.JoinHostPort(host, strconv.Itoa(int(port)))
	conn, err := req.Dial.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, scheme.Unreachable(err)
	}
	secure := tls.Client(conn, &tls.Config{
		ServerName: host, MinVersion: tls.VersionTLS12,
		InsecureSkipVerify: true, // known hosts are checked instead
		VerifyConnection: func(s tls.ConnectionState) error {
			return c.known.check(strings.ToLower(address), s.PeerCertificates[0], time.Now())
		},
	})
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		if errors.Is(err, scheme.ErrAuth) {
			return nil, err
		}
		return nil, scheme.Unreachable(fmt.Errorf("TLS: %w", err))
	}
	return &response{conn: secure, ctx: ctx, stop: context.AfterFunc(ctx, func() { conn.Close() })}, nil
}

// response is a connection, which ends with ctx.
type response struct {
	conn net.Conn
	ctx  context.Context
	stop func() bool // stops waiting for ctx
}

func (r *response) Read(p []byte) (int, error) {
	n, err := r.conn.Read(p)
	if err != nil && err != io.EOF {
		err = r.reason(err)
	}
	return n, err
}

func (r *response) Close() error {
	r.stop()
	return r.conn.Close()
}

// reason returns why the connection ended: the cause of ctx, or err.
func (r *response) reason(err error) error {
	if r.ctx.Err() != nil && !errors.Is(err, context.Cause(r.ctx)) {
		err = context.Cause(r.ctx)
	}
	return fmt.Errorf("gemini: %w", scheme.Broken(err))
}

// maxHeader is the most octets of a header: a status, a space and 1024 octets.
const maxHeader = 1024 + 3

// open sends the request and reads the header.
func (r *response) open(req *scheme.Request, g URL, request []byte) (scheme.Resource, error) {
	req.Traced(true, string(request[:len(request)-2]))
	if _, err := r.conn.Write(request); err != nil {
		return nil, r.reason(err)
	}
	// The body follows the header, so no octet after its end may be read.
	text, err := readLine(r)
	if err != nil {
		return nil, err
	}
	req.Traced(false, text)
	h, err := ParseHeader(text)
	if err == nil {
		err = h.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("gemini: %w", err)
	}
	switch h.Status / 10 {
	case 1:
		return form(g, h), nil
	case 3:
		ref, err := relative.Parse(h.Meta)
		var to locus.URL
		if err == nil {
			to, err = ref.Resolve(g.url)
		}
		if err != nil {
			return nil, fmt.Errorf("gemini: %w: a redirect to %s: %w", scheme.ErrProtocol, locus.Quote(h.Meta), err)
		}
		return &scheme.Referral{URL: g.url, To: []locus.URL{to}, Permanent: h.Status == 31}, nil
	}
	kind := cmp.Or(h.Meta, mediaType)
	if essence, _, _ := mime.ParseMediaType(kind); essence == mediaType && !req.Probe {
		m := Menu(g.url, r)
		m.Closer = r
		return m, nil
	}
	var body io.ReadCloser = r
	if req.Probe {
		body = io.NopCloser(strings.NewReader(""))
	}
	return &scheme.Object{URL: g.url, Type: kind, Size: -1, Body: scheme.Limit(body, req.Limit)}, nil
}

// readLine reads the header, octet by octet.
func readLine(r *response) (string, error) {
	var text []byte
	for one := make([]byte, 1); len(text) <= maxHeader; {
		if _, err := io.ReadFull(r, one); err == io.EOF {
			return "", fmt.Errorf("gemini: %w: the connection ended before the response began", scheme.ErrProtocol)
		} else if err != nil {
			return "", err
		}
		if one[0] == '\n' {
			return strings.TrimSuffix(string(text), "\r"), nil
		}
		text = append(text, one[0])
	}
	return "", fmt.Errorf("gemini: %w: %w: a header has at most %d octets", scheme.ErrProtocol, line.ErrLong, maxHeader)
}

// form asks for the query.
func form(g URL, h Header) *scheme.Menu {
	field := scheme.FormField{Kind: scheme.FieldText, Prompt: h.Meta}
	if h.Status == 11 {
		field.Kind = scheme.FieldHidden
	}
	f := &scheme.Form{URL: g.url, Title: h.Meta, Fields: []scheme.FormField{field}}
	f.Submit = func(answers []string) (locus.URL, error) {
		if err := f.Check(answers); err != nil {
			return locus.URL{}, err
		}
		return g.WithQuery(answers[0])
	}
	return &scheme.Menu{URL: g.url, Title: h.Meta, Form: f, Items: func(func(scheme.Item, error) bool) {}}
}
