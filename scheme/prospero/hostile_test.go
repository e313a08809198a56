package prospero_test

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/prospero"
)

// repeatServer is a server that answers requests with the given replies in turn, and then repeats
// the last reply.
type repeatServer struct {
	replies  []string
	requests int
}

func (o *repeatServer) DialContext(context.Context, string, string) (net.Conn, error) {
	return &repeatConn{repeatServer: o}, nil
}

type repeatConn struct {
	net.Conn // always nil
	*repeatServer
	id [2]byte
}

func (c *repeatConn) Write(p []byte) (int, error) {
	c.requests++
	copy(c.id[:], p[1:3])
	return len(p), nil
}

func (c *repeatConn) Read(p []byte) (int, error) {
	reply := c.replies[min(c.requests, len(c.replies))-1]
	return copy(p, "\x03"+string(c.id[:])+reply), nil
}

func (c *repeatConn) Close() error { return nil }
func (c *repeatConn) RemoteAddr() net.Addr {
	return &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1525}
}
func (c *repeatConn) SetReadDeadline(time.Time) error { return nil }

// FuzzReplies runs servers that send arbitrary replies. The result must be a resource
// with valid URLs or an error of this package, after a bounded number of requests.
func FuzzReplies(f *testing.F) {
	recordings := readExchanges(f, replied)
	for _, e := range recordings {
		f.Add(aDirectory, e.reply, e.reply)
		f.Add(e.reply, e.reply, "NONE-FOUND\n")
	}
	f.Add("FAILURE NOT-FOUND\n", link("U", "u", "h.example", "u")+link("U", "v", "o.example", "v"), link("U", "w", "h.example", "w"))
	f.Add(method+"PROSPERO-CONTENTS '' '' '' ''\n"+method+"LOCAL '' '' '' ''\n", "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA abc\n", "")
	f.Fuzz(func(t *testing.T, info, first, others string) {
		if len(info)+len(first)+len(others) > 16<<10 {
			return // FuzzReply tests long replies without a network
		}
		o := &repeatServer{replies: []string{info, first, others}}
		res, err := prospero.New().Open(t.Context(), &scheme.Request{URL: locus.MustParse(theServer + "x"), Dial: o})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "prospero: ") {
				t.Errorf("%v", err)
			}
			return
		}
		defer res.Close()
		switch r := res.(type) {
		case *scheme.Redirect:
			for _, u := range r.To {
				sound(t, u)
			}
		case *scheme.Object:
			if b, err := io.ReadAll(r.Body); err != nil || int64(len(b)) != r.Size {
				t.Errorf("%d octets of %d, %v", len(b), r.Size, err)
			}
		case *scheme.Menu:
			for item, err := range r.Items {
				if err != nil {
					t.Error(err)
				}
				if !item.URL.IsZero() {
					sound(t, item.URL)
				}
			}
		}
		if o.requests > 2+16 {
			t.Errorf("%d requests", o.requests)
		}
	})
}

// sound checks a URL that the client derived from a reply.
func sound(t *testing.T, u locus.URL) {
	t.Helper()
	again, err := locus.Parse(u.String())
	if err != nil || again != u || u.Scheme() == "file" || strings.ContainsAny(u.String(), "\r\n\x00") {
		t.Errorf("%q: %q, %v", u, again, err)
	}
	if u.Scheme() == "prospero" {
		if _, err := prospero.Parse(u); err != nil {
			t.Error(err)
		}
	}
}
