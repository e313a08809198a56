package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
)

// errRefused is the error that Read returns after the guard has rejected a request. The server then
// responds with status 400, and closes the connection.
var errRefused = errors.New("gateway: request refused")

// guardConn is a client connection that accepts only unambiguous requests. Package net/http accepts
// some requests that another proxy might consider longer or shorter. Such requests contain both
// Content-Length and chunked encoding, chunked encoding in HTTP/1.0, folded header fields, or lines
// that end in LF (RFC 9112 sections 2.2, 5.2, 6.1 and 11.2). The guard does not repeat the checks
// of net/http.
type guardConn struct {
	net.Conn
	release func() // releases the slot of the connection
	// ctx is the context of the connection's requests. It ends when the connection fails or the
	// server closes it. If the client closes only its own side, ctx does not end.
	ctx    context.Context
	cancel context.CancelFunc

	mu       sync.Mutex // needed because a Read may still run when a handler hijacks the connection
	guard    guard
	err      error
	hasInput bool // the client has sent at least one byte
}

// isSilent reports whether the client has sent no byte.
func (c *guardConn) isSilent() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.hasInput
}

func (c *guardConn) Read(p []byte) (int, error) {
	c.mu.Lock()
	err := c.err
	c.mu.Unlock()
	if err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(p)
	if err != nil && err != io.EOF && !errors.Is(err, os.ErrDeadlineExceeded) {
		c.cancel()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hasInput = c.hasInput || n > 0
	passed, refused := c.guard.pass(p[:n])
	if refused != nil {
		c.err = refused
		if passed == 0 {
			return 0, refused
		}
		return passed, nil
	}
	return n, err
}

// ReadFrom lets the operating system copy a file to the client, as with sendfile.
func (c *guardConn) ReadFrom(r io.Reader) (int64, error) { return io.Copy(c.Conn, r) }

// CloseWrite closes the writing side.
func (c *guardConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Close()
}

// Close closes the connection and cancels its requests.
func (c *guardConn) Close() error {
	c.cancel()
	c.release()
	return c.Conn.Close()
}

// guard tracks where each request on a connection begins and ends. The zero guard is ready
// for the first request.
type guard struct {
	state     guardState
	line      []byte // bytes of the current line
	octets    int    // number of header bytes that were read
	head      head
	remaining int64 // number of remaining bytes of the body
}

type guardState uint8

const (
	inHead guardState = iota
	inBody
	inFinalRequest // the last request of the connection, or a tunnel
)

// head holds the header fields that determine the end of a request.
type head struct {
	lines    int
	method   string
	isHTTP10 bool // the request is HTTP/1.0
	length   int64
	lengths  int
	chunked  bool
	upgrades bool
}

// maxHead is the maximum size of a request header in bytes. The longest URL fits.
const maxHead = 96 << 10

// pass checks the bytes in p and returns the number of bytes that package net/http may read. It
// does not count the byte that causes an error. So package net/http never gets a complete header
// that the guard rejects.
func (g *guard) pass(p []byte) (int, error) {
	for i := 0; i < len(p); {
		switch g.state {
		case inFinalRequest:
			return len(p), nil
		case inBody:
			n := min(g.remaining, int64(len(p)-i))
			i += int(n)
			if g.remaining -= n; g.remaining == 0 {
				g.state = inHead
			}
			continue
		}
		if err := g.octet(p[i]); err != nil {
			return i, err
		}
		i++
	}
	return len(p), nil
}

// octet handles a byte of a line.
func (g *guard) octet(o byte) error {
	if g.octets++; g.octets > maxHead {
		return refuse(fmt.Sprintf("the request header exceeds %d bytes", maxHead))
	}
	if o != '\n' {
		if len(g.line) > 0 && g.line[len(g.line)-1] == '\r' {
			return refuse("CR without LF")
		}
		g.line = append(g.line, o)
		return nil
	}
	line, ok := bytes.CutSuffix(g.line, []byte("\r"))
	if !ok {
		return refuse("LF without CR")
	}
	err := g.endLine(line)
	g.line = g.line[:0]
	if cap(g.line) > 4<<10 {
		g.line = nil // an idle connection should use little memory
	}
	return err
}

// endLine handles a complete line.
func (g *guard) endLine(line []byte) error {
	h := &g.head
	switch {
	case h.lines > 0 && len(line) > 0 && (line[0] == ' ' || line[0] == '\t'):
		return refuse("folded header field")
	case len(line) == 0 && h.lines == 0:
		// RFC 9112 section 2.2 allows an empty line before the request line.
	case len(line) == 0:
		return g.endHead()
	case h.lines == 0:
		h.lines++
		fields := strings.SplitN(string(line), " ", 3)
		h.method, h.isHTTP10 = fields[0], len(fields) == 3 && fields[2] == "HTTP/1.0"
	default:
		h.lines++
		return h.field(line)
	}
	return nil
}

// field records a header field. Package net/http rejects names with spaces and a second
// Host or Transfer-Encoding.
func (h *head) field(line []byte) error {
	name, value, _ := strings.Cut(string(line), ":")
	value = strings.Trim(value, " \t")
	switch strings.ToLower(name) {
	case "content-length":
		n, err := strconv.ParseUint(value, 10, 63)
		if err != nil {
			return refuse("invalid Content-Length")
		}
		h.length = int64(n)
		h.lengths++
	case "transfer-encoding":
		if !strings.EqualFold(value, "chunked") {
			return refuse("transfer coding other than chunked")
		}
		h.chunked = true
	case "upgrade":
		h.upgrades = true
	}
	return nil
}

// endHead checks a complete header.
func (g *guard) endHead() error {
	h := g.head
	g.head, g.octets = head{}, 0
	switch {
	case h.lengths > 1:
		return refuse("more than one Content-Length")
	case h.chunked && h.lengths > 0:
		return refuse("both Content-Length and chunked encoding")
	case h.chunked && h.isHTTP10:
		return refuse("chunked encoding in HTTP/1.0")
	}
	switch {
	case h.method == "CONNECT" || h.upgrades || h.chunked:
		// Unless the handler hijacks the connection, [Server.serve] closes it. So there is no
		// danger if another proxy finds the end of the chunks at a different byte.
		g.state = inFinalRequest
	case h.length > 0:
		g.state, g.remaining = inBody, h.length
	}
	return nil
}

func refuse(reason string) error { return fmt.Errorf("%w: %s", errRefused, reason) }
