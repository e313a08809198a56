package gateway

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// errRefused is the error of Read after the guard has refused a request. The server
// answers it with status 400, and closes the connection.
var errRefused = errors.New("gateway: request refused")

// guardConn is a client's connection that lets only unambiguous requests through.
// Package net/http accepts some requests that a proxy before the gateway might divide
// differently: a length beside chunks, chunks in HTTP/1.0, folded fields, lines that end
// in LF (RFC 9112 sections 2.2, 5.2, 6.1 and 11.2). What net/http refuses is left to it.
type guardConn struct {
	net.Conn

	mu    sync.Mutex // a Read may still be under way when the connection is hijacked
	guard guard
	err   error
	half  halfClose
}

func (c *guardConn) Read(p []byte) (int, error) {
	c.mu.Lock()
	err := c.err
	c.mu.Unlock()
	if err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	if n == 0 && err == io.EOF && c.guard.isBetween() {
		c.mu.Unlock()
		return 0, c.half.wait()
	}
	defer c.mu.Unlock()
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

// ReadFrom lets the operating system copy a file to the client.
func (c *guardConn) ReadFrom(r io.Reader) (int64, error) { return io.Copy(c.Conn, r) }

// CloseWrite closes the writing side.
func (c *guardConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Conn.Close()
}

// SetReadDeadline implements [net.Conn].
func (c *guardConn) SetReadDeadline(t time.Time) error {
	c.half.deadline(t)
	return c.Conn.SetReadDeadline(t)
}

// SetDeadline implements [net.Conn].
func (c *guardConn) SetDeadline(t time.Time) error {
	c.half.deadline(t)
	return c.Conn.SetDeadline(t)
}

// Close closes the connection and ends a Read that waits.
func (c *guardConn) Close() error {
	c.half.update(func(h *halfClose) { h.closed = true })
	return c.Conn.Close()
}

// halfClose lets a client close its side of the connection after a request and still
// get the answer, as TCP allows. Package net/http reads ahead while it answers, and
// cancels the request at EOF; so EOF is delayed until the answer is complete. Writing to
// a client that closed both sides fails by itself.
type halfClose struct {
	mu      sync.Mutex
	changed *sync.Cond // nil: no Read has waited
	active  bool       // a request is being answered
	past    bool       // the deadline for reading has passed
	closed  bool
}

func (h *halfClose) update(change func(h *halfClose)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change(h)
	if h.changed != nil {
		h.changed.Broadcast()
	}
}

func (h *halfClose) deadline(t time.Time) {
	h.update(func(h *halfClose) { h.past = !t.IsZero() && !t.After(time.Now()) })
}

// wait delays EOF until the answer is complete.
func (h *halfClose) wait() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.changed == nil {
		h.changed = sync.NewCond(&h.mu)
	}
	for h.active && !h.past && !h.closed {
		h.changed.Wait()
	}
	if h.active && h.past {
		return os.ErrDeadlineExceeded
	}
	return io.EOF
}

// guard follows the requests of a connection. The zero guard is before the first.
type guard struct {
	state  guardState
	line   []byte // the current line, so far
	octets int    // of the head, or of a line of chunks
	head   head
	left   int64 // octets of the body, or of the chunk
}

type guardState uint8

const (
	inHead guardState = iota
	inBody
	inChunkSize
	inChunk
	inChunkEnd
	inTrailer
	inTunnel // no longer HTTP
)

// head is what a request's head says about where the request ends, and about its host.
type head struct {
	lines    int
	method   string
	target   string
	old      bool // HTTP/1.0
	host     string
	length   int64
	lengths  int
	chunked  bool
	upgrades bool
}

const (
	// maxHead is the size limit of a request's head, in octets: it fits the longest URL.
	maxHead = 96 << 10
	// maxChunkLine is the size limit of the line before a chunk.
	maxChunkLine = 1 << 10
)

// pass reads p and returns how much of it may be passed on. An octet at which something
// is wrong is not, so that a refused head is never complete.
func (g *guard) pass(p []byte) (int, error) {
	for i := 0; i < len(p); {
		switch g.state {
		case inTunnel:
			return len(p), nil
		case inBody, inChunk:
			n := min(g.left, int64(len(p)-i))
			i += int(n)
			if g.left -= n; g.left > 0 {
				continue
			}
			if g.state == inChunk {
				g.state = inChunkEnd
			} else {
				g.state = inHead
			}
			g.line = g.line[:0]
			continue
		}
		if err := g.octet(p[i]); err != nil {
			return i, err
		}
		i++
	}
	return len(p), nil
}

// isBetween reports whether one request has ended and no other has begun.
func (g *guard) isBetween() bool {
	return g.state == inHead && len(g.line) == 0 && g.head.lines == 0
}

// octet takes an octet of a line.
func (g *guard) octet(o byte) error {
	most := maxHead
	if g.state == inChunkSize || g.state == inChunkEnd {
		most = maxChunkLine
	}
	if g.octets++; g.octets > most {
		return refuse("the line or the head is too long")
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
		g.line = nil // an idle connection should hold little memory
	}
	return err
}

// endLine takes a complete line.
func (g *guard) endLine(line []byte) error {
	h := &g.head
	switch {
	case (g.state == inHead && h.lines > 0 || g.state == inTrailer) && len(line) > 0 && (line[0] == ' ' || line[0] == '\t'):
		return refuse("folded header field")
	case g.state == inChunkSize:
		return g.chunkSize(line)
	case g.state == inChunkEnd:
		if len(line) != 0 {
			return refuse("chunk longer than its size")
		}
		g.state, g.octets = inChunkSize, 0
	case g.state == inTrailer && len(line) == 0:
		g.state, g.octets = inHead, 0
	case g.state == inTrailer:
	case len(line) == 0 && h.lines == 0:
		// RFC 9112 section 2.2 allows an empty line before the request line.
	case len(line) == 0:
		return g.endHead()
	case h.lines == 0:
		h.lines++
		method, rest, _ := strings.Cut(string(line), " ")
		target, version, _ := strings.Cut(rest, " ")
		h.method, h.target, h.old = method, target, version == "HTTP/1.0"
	default:
		h.lines++
		return h.field(line)
	}
	return nil
}

// field notes a header field. Package net/http refuses names with blanks and a second
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
	case "host":
		h.host = value
	case "upgrade":
		h.upgrades = true
	}
	return nil
}

// endHead judges a complete head.
func (g *guard) endHead() error {
	h := g.head
	g.head, g.octets = head{}, 0
	switch {
	case h.lengths > 1:
		return refuse("more than one Content-Length")
	case h.chunked && h.lengths > 0:
		return refuse("Content-Length beside chunks")
	case h.chunked && h.old:
		return refuse("chunks in HTTP/1.0")
	case !sameHost(h.target, h.host):
		return refuse("Host differs from the host of the URL")
	}
	switch {
	case h.method == "CONNECT" || h.upgrades:
		// If the handler does not hijack the connection, [Server.serve] closes it.
		g.state = inTunnel
	case h.chunked:
		g.state = inChunkSize
	case h.length > 0:
		g.state, g.left = inBody, h.length
	}
	return nil
}

// sameHost reports whether the Host field may stand beside the target. It must be that
// of an http or https URL (RFC 9112 section 3.2); beside a URL of another scheme, old
// clients send the proxy's.
func sameHost(target, host string) bool {
	scheme, rest, ok := strings.Cut(target, "://")
	if !ok || !isWeb(strings.ToLower(scheme)) || host == "" {
		return true
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	port := ":80"
	if strings.EqualFold(scheme, "https") {
		port = ":443"
	}
	return strings.EqualFold(strings.TrimSuffix(rest, port), strings.TrimSuffix(host, port))
}

func (g *guard) chunkSize(line []byte) error {
	digits, _, _ := bytes.Cut(line, []byte(";"))
	n, err := strconv.ParseUint(string(bytes.TrimRight(digits, " \t")), 16, 63)
	if err != nil {
		return refuse("invalid chunk size")
	}
	g.octets = 0
	if n == 0 {
		g.state = inTrailer
		return nil
	}
	g.state, g.left = inChunk, int64(n)
	return nil
}

func refuse(reason string) error { return fmt.Errorf("%w: %s", errRefused, reason) }
