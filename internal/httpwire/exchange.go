// Package httpwire records HTTP/1 requests and responses. It finds them in the bytes of a
// connection that package net/http uses.
package httpwire

import (
	"bytes"
	"errors"
	"net"
	"sync"
	"sync/atomic"

	"github.com/locus-url/locus/scheme"
)

// maxHeader is the maximum size of a header in memory. Clients accept only shorter headers.
const maxHeader = 1 << 20

// Exchange parses the bytes of one request and its response. It may be used concurrently,
// because package net/http writes and reads in different goroutines.
type Exchange struct {
	mu       sync.Mutex
	to       scheme.Exchange
	secret   func(text string) // function that receives texts that must not be recorded
	request  []byte            // header bytes that were sent
	response []byte            // header bytes that were received
	sent     bool              // the whole header was sent
	received bool              // the whole header was received
	over     bool
}

// New returns an Exchange that passes the parsed bytes to the recorder r. If r is nil, New returns
// nil. The methods of a nil Exchange do nothing.
func New(r scheme.Recorder) *Exchange {
	if r == nil {
		return nil
	}
	return &Exchange{to: r.Exchange(), secret: r.Secret}
}

// Begin begins the exchange on a connection. The caller must call Begin again if package net/http
// tries another connection. The parameter remote is the server's address, or nil if the address is
// unknown.
func (x *Exchange) Begin(remote net.Addr) {
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return
	}
	x.request, x.response, x.sent, x.received = nil, nil, false, false
	x.to.Reset()
	x.to.Connected(remote)
}

func (x *Exchange) send(p []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over || x.sent || len(x.request) > maxHeader {
		return
	}
	x.request = append(x.request, p...)
	if end := headerEnd(x.request); end > 0 {
		x.sent = true
		x.to.Request(mask(x.request[:end], isSecretRequest, x.secret))
		x.request = nil
	}
}

func (x *Exchange) receive(p []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over || len(x.response) > maxHeader {
		return
	}
	if x.received {
		x.to.Body(p)
		return
	}
	x.response = append(x.response, p...)
	for {
		end := headerEnd(x.response)
		if end == 0 {
			return
		}
		header, rest := x.response[:end], x.response[end:]
		if isInterim(header) {
			x.response = rest
			continue
		}
		x.received, x.response = true, nil
		x.to.Response(mask(header, isSecretResponse, x.secret))
		if len(rest) > 0 {
			x.to.Body(rest)
		}
		return
	}
}

// Repeated is like the method Repeated of [scheme.Exchange].
func (x *Exchange) Repeated() {
	if x != nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.to.Repeated()
	}
}

// End is like the method End of [scheme.Exchange].
func (x *Exchange) End(err error) {
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.over {
		x.over = true
		x.to.End(err)
	}
}

// ErrUnread means that an exchange ended before the body was completely read.
var ErrUnread = errors.New("the body was not read to the end")

// headerEnd returns the length of a header and the empty line after it, or 0 if the header is
// incomplete.
func headerEnd(p []byte) int {
	for at := 0; ; {
		i := bytes.IndexByte(p[at:], '\n')
		if i < 0 {
			return 0
		}
		if line := bytes.TrimSuffix(p[at:at+i], []byte("\r")); len(line) == 0 && at > 0 {
			return at + i + 1
		}
		at += i + 1
	}
}

// isInterim reports whether a response is an interim response (RFC 9110 section 15.2).
func isInterim(header []byte) bool {
	_, status, _ := bytes.Cut(header, []byte(" "))
	return len(status) >= 3 && status[0] == '1' && string(status[:3]) != "101"
}

// Tap passes the bytes of a connection to the Exchange in progress. The zero Tap drops the bytes.
type Tap struct{ x atomic.Pointer[Exchange] }

// Begin makes x the Exchange in progress. The parameter x may be nil.
func (t *Tap) Begin(x *Exchange) { t.x.Store(x) }

// Sent passes written bytes to the Exchange in progress.
func (t *Tap) Sent(p []byte) {
	if x := t.x.Load(); x != nil {
		x.send(p)
	}
}

// Received passes received bytes to the Exchange in progress.
func (t *Tap) Received(p []byte) {
	if x := t.x.Load(); x != nil && len(p) > 0 {
		x.receive(p)
	}
}

// Conn is a connection with a Tap.
type Conn struct {
	net.Conn
	Tap
}

func (c *Conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.Received(p[:n])
	return n, err
}

func (c *Conn) Write(p []byte) (int, error) {
	c.Sent(p)
	return c.Conn.Write(p)
}
