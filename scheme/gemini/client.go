package gemini

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/line"
)

// Options configure a [Client]. The zero value selects the defaults.
type Options struct {
	// KnownHosts is the name of the file that stores certificate fingerprints. The default is
	// the file locus/gemini-known-hosts in the user's configuration directory, or [InMemory] if
	// the client cannot read or write that file. The file stores at most 10,000 servers. If
	// there is no room for a new server, the client accepts any certificate from it. The client
	// stores servers on loopback addresses only in memory.
	KnownHosts string
}

// Client opens gemini URLs. It may be used concurrently.
type Client struct{ known knownHosts }

// New returns a Client. The options o may be nil.
func New(o *Options) *Client {
	c := new(Client)
	if o != nil {
		c.known.file = o.KnownHosts
	}
	switch c.known.file {
	case "":
		c.known.file, c.known.fallback = defaultFile(), true
	case InMemory:
		c.known.file = ""
	}
	return c
}

// Open sends the request for req.URL and returns the resource in the response, as described in the
// package comment. If the response is a form, Open calls req.Fill to fill it in. Open ignores the
// offset and the preferences in req.
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

func (c *Client) get(ctx context.Context, req *scheme.Request, g URL) (scheme.Resource, error) {
	request, err := g.AppendRequest(nil)
	if err != nil {
		return nil, err
	}
	conn, err := c.dial(ctx, req)
	if errors.As(err, new(*locus.SyntaxError)) {
		return nil, err
	} else if err != nil {
		return nil, fmt.Errorf("gemini: %w", err)
	}
	res, reads, err := exchange(conn, req, g, request)
	if !reads {
		conn.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("gemini: %w", err)
	}
	return res, nil
}

// dial connects to the server and checks the server's certificate.
func (c *Client) dial(ctx context.Context, req *scheme.Request) (*scheme.Conn, error) {
	conn, err := scheme.Connect(ctx, req, Port)
	if err != nil {
		return nil, err
	}
	secure := tls.Client(conn.Conn, &tls.Config{
		ServerName: strings.Trim(req.URL.Host(), "[]"), MinVersion: tls.VersionTLS12,
		InsecureSkipVerify: true, // VerifyConnection checks the known hosts instead
		VerifyConnection: func(s tls.ConnectionState) error {
			return c.known.check(strings.ToLower(conn.Address), s.PeerCertificates[0], time.Now())
		},
	})
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		if errors.Is(err, scheme.ErrAuth) {
			return nil, err
		}
		return nil, scheme.Unreachable(fmt.Errorf("TLS: %w", err))
	}
	conn.Conn = req.Recorded(secure, "")
	return conn, nil
}

// maxHeader is the maximum length of a response header in octets. A header consists of a two-digit
// status, a space and up to 1024 octets.
const maxHeader = 1024 + 3

// exchange sends the request and reads the response header. The result reads reports whether the
// resource res reads from the connection and closes it.
func exchange(conn *scheme.Conn, req *scheme.Request, g URL, request []byte) (res scheme.Resource, reads bool, err error) {
	req.Traced(true, string(request[:len(request)-2]))
	if _, err := conn.Write(request); err != nil {
		return nil, false, err
	}
	// The body follows the header, so readLine must not read beyond the end of the header.
	text, err := readLine(conn)
	if err != nil {
		return nil, false, err
	}
	req.Traced(false, text)
	h, err := parseHeader(text)
	if err == nil {
		err = h.err()
	}
	if err != nil {
		return nil, false, err
	}
	switch h.status / 10 {
	case 1:
		return liveForm(req, g, h, text), false, nil
	case 3:
		ref, err := relative.Parse(h.meta)
		var to locus.URL
		if err == nil {
			to, err = ref.Resolve(g.url)
		}
		if err != nil {
			return nil, false, fmt.Errorf("%w: a redirect to %s: %w", scheme.ErrProtocol, locus.Quote(h.meta), err)
		}
		return &scheme.Redirect{URL: g.url, To: []locus.URL{to}, Permanent: h.status == 31}, false, nil
	}
	kind := cmp.Or(h.meta, mediaType)
	if essence, _, _ := mime.ParseMediaType(kind); essence == mediaType && !req.Probe {
		return liveMenu(req, g, kind, conn), true, nil
	}
	body := io.NopCloser(strings.NewReader(""))
	if !req.Probe {
		body = scheme.Limit(conn, req.Limit)
	}
	return &scheme.Object{URL: g.url, Type: kind, Size: -1, Body: body}, !req.Probe, nil
}

// readLine reads the response header, one octet at a time.
func readLine(r io.Reader) (string, error) {
	var text []byte
	for one := make([]byte, 1); len(text) <= maxHeader; {
		if _, err := io.ReadFull(r, one); err == io.EOF {
			return "", fmt.Errorf("%w: the connection ended before the response began", scheme.ErrProtocol)
		} else if err != nil {
			return "", err
		}
		if one[0] == '\n' {
			return strings.TrimSuffix(string(text), "\r"), nil
		}
		text = append(text, one[0])
	}
	return "", fmt.Errorf("%w: %w: a header has at most %d bytes", scheme.ErrProtocol, line.ErrLong, maxHeader)
}

func form(g URL, h header) *scheme.Menu {
	field := scheme.FormField{Kind: scheme.FieldText, Prompt: h.meta}
	if h.status == 11 {
		field.Kind = scheme.FieldHidden
	}
	return scheme.NewForm(g.url, h.meta, field, g.WithQuery).Menu()
}
