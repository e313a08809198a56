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

// errRefused is why a guard lets nothing more through. The server answers it with
// a status 400, and closes.
var errRefused = errors.New("gateway: request refused")

// guardConn is a client's connection that lets through what can be read in one way
// alone. Package net/http forgives what another reader of the same octets, a proxy
// before this one or a server behind it, might divide into other requests: a
// length beside chunks, a name with a blank behind it, a field that goes on in the
// next line, lines that end in LF alone (RFC 9112 sections 2.2, 5.1, 5.2, 6.1 and
// 11.2).
type guardConn struct {
	net.Conn

	mu    sync.Mutex // a Read that has begun may go on while the connection is taken over
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

// ReadFrom lets the system copy a file to the client by itself.
func (c *guardConn) ReadFrom(r io.Reader) (int64, error) { return io.Copy(c.Conn, r) }

// CloseWrite closes the writing side.
func (c *guardConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Conn.Close()
}

// SetReadDeadline sets the time for Reads. One that has passed ends a Read that waits.
func (c *guardConn) SetReadDeadline(t time.Time) error {
	c.half.deadline(t)
	return c.Conn.SetReadDeadline(t)
}

// SetDeadline is SetReadDeadline, and the same for Writes.
func (c *guardConn) SetDeadline(t time.Time) error {
	c.half.deadline(t)
	return c.Conn.SetDeadline(t)
}

// Close closes the connection, and ends a Read that waits.
func (c *guardConn) Close() error {
	c.half.update(func(h *halfClose) { h.closed = true })
	return c.Conn.Close()
}

// halfClose lets a client close its side of the connection after a request, and still
// get the answer, as TCP allows. Package net/http reads on while it answers, takes the
// end of what the client sends for the end of the client, and cancels the request.
// So that end is kept from it while a request is answered. A client that has left
// altogether shows that when something is written to it.
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

// wait waits, at the end of what a client sends, for the end of the answer.
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

// guard reads the requests of a connection as they go by. The zero guard is before
// the first.
type guard struct {
	place  guardPlace
	line   []byte // of the head, so far
	octets int    // of the head, or of a line of chunks
	head   head
	left   int64 // octets of the body, or of the chunk
}

type guardPlace uint8

const (
	inHead guardPlace = iota
	inBody
	inChunkSize
	inChunk
	inChunkEnd
	inTrailer
	inTunnel // whatever it is, it is no more HTTP's
)

// head is what of a request's head says where the request ends.
type head struct {
	lines    int
	method   string
	target   string
	old      bool // HTTP/1.0
	host     string
	hosts    int
	length   int64
	lengths  int
	chunked  bool
	coded    bool // there is a Transfer-Encoding
	upgrades bool
}

const (
	// maxHead is the most octets of a request's head: a URL of the longest kind, and
	// what a browser sends besides.
	maxHead = 96 << 10
	// maxChunkLine is the most octets of the line before a chunk.
	maxChunkLine = 1 << 10
)

// pass reads p, and returns how much of it may go on. The octet at which something
// is wrong may not; a head that is wrong is never whole.
func (g *guard) pass(p []byte) (int, error) {
	for i := 0; i < len(p); {
		switch g.place {
		case inTunnel:
			return len(p), nil
		case inBody, inChunk:
			n := min(g.left, int64(len(p)-i))
			i += int(n)
			if g.left -= n; g.left > 0 {
				continue
			}
			if g.place == inChunk {
				g.place = inChunkEnd
			} else {
				g.place = inHead
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
	return g.place == inHead && len(g.line) == 0 && g.head.lines == 0
}

// octet takes an octet of a line.
func (g *guard) octet(o byte) error {
	if g.octets++; g.place == inHead && g.octets > maxHead || g.place == inTrailer && g.octets > maxHead || g.place == inChunkSize && g.octets > maxChunkLine {
		return refuse("the head is too long")
	}
	if o != '\n' {
		if o == 0 {
			return refuse("a NUL")
		}
		if len(g.line) > 0 && g.line[len(g.line)-1] == '\r' {
			return refuse("a CR without LF")
		}
		g.line = append(g.line, o)
		return nil
	}
	if len(g.line) == 0 || g.line[len(g.line)-1] != '\r' {
		return refuse("a line that ends in LF alone")
	}
	line := g.line[:len(g.line)-1]
	err := g.whole(line)
	g.line = g.line[:0]
	if cap(g.line) > 4<<10 {
		g.line = nil // a connection that is idle holds little
	}
	return err
}

// whole takes a line.
func (g *guard) whole(line []byte) error {
	switch g.place {
	case inHead:
		return g.headLine(line)
	case inChunkSize:
		return g.chunkSize(line)
	case inChunkEnd:
		if len(line) != 0 {
			return refuse("a chunk that is longer than it says")
		}
		g.place, g.octets = inChunkSize, 0
	case inTrailer:
		if len(line) == 0 {
			g.place, g.octets = inHead, 0
			return nil
		}
		if line[0] == ' ' || line[0] == '\t' {
			return refuse("a field that goes on in the next line")
		}
	}
	return nil
}

func (g *guard) headLine(line []byte) error {
	h := &g.head
	switch {
	case len(line) == 0 && h.lines == 0:
		return nil // before a request-line there may be one (RFC 9112 section 2.2)
	case len(line) == 0:
		return g.endHead()
	case h.lines == 0:
		h.lines++
		return h.requestLine(string(line))
	}
	h.lines++
	return h.field(line)
}

func (h *head) requestLine(line string) error {
	words := strings.Split(line, " ")
	if len(words) != 3 || words[0] == "" || words[1] == "" || !isToken(words[0]) {
		return refuse("a request-line that is not three words")
	}
	h.method, h.target = words[0], words[1]
	switch words[2] {
	case "HTTP/1.1":
	case "HTTP/1.0":
		h.old = true
	default:
		return refuse("a version that is neither HTTP/1.1 nor HTTP/1.0")
	}
	return nil
}

func (h *head) field(line []byte) error {
	if line[0] == ' ' || line[0] == '\t' {
		return refuse("a field that goes on in the next line")
	}
	name, value, ok := bytes.Cut(line, []byte(":"))
	if !ok || !isToken(string(name)) {
		return refuse("a field whose name is none")
	}
	text := strings.Trim(string(value), " \t")
	switch strings.ToLower(string(name)) {
	case "content-length":
		n, err := strconv.ParseUint(text, 10, 63)
		if err != nil || text[0] == '+' {
			return refuse("a length that is no number")
		}
		h.length = int64(n)
		h.lengths++
	case "transfer-encoding":
		if h.coded || !strings.EqualFold(text, "chunked") {
			return refuse("a transfer coding that is not chunked alone")
		}
		h.coded, h.chunked = true, true
	case "host":
		h.host = text
		h.hosts++
	case "upgrade":
		h.upgrades = true
	}
	return nil
}

// endHead judges a head that is whole.
func (g *guard) endHead() error {
	h := g.head
	g.head, g.octets = head{}, 0
	switch {
	case h.lengths > 1:
		return refuse("two lengths")
	case h.coded && h.lengths > 0:
		return refuse("a length beside chunks")
	case h.coded && h.old:
		return refuse("chunks in HTTP/1.0")
	case h.hosts > 1 || h.hosts == 0 && !h.old:
		return refuse("a request has one Host")
	case h.hosts == 1 && !sameHost(h.target, h.host):
		return refuse("a Host that is not that of the URL")
	}
	switch {
	case h.method == "CONNECT" || h.upgrades:
		// If the server does not take it over, this is the last request: see
		// closesAfter.
		g.place = inTunnel
	case h.chunked:
		g.place = inChunkSize
	case h.length > 0:
		g.place, g.left = inBody, h.length
	}
	return nil
}

// sameHost reports whether the Host field may stand beside the target: it is that
// of the URL if the target is one (RFC 9112 section 3.2). One of a scheme that
// names no host, or under which old clients write the proxy's, says nothing.
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
	if err != nil || digits[0] == '+' {
		return refuse("a chunk without its size")
	}
	g.octets = 0
	if n == 0 {
		g.place = inTrailer
		return nil
	}
	g.place, g.left = inChunk, int64(n)
	return nil
}

func isToken(s string) bool {
	for i := range len(s) {
		if o := s[i]; o <= ' ' || o >= 0x7F || strings.IndexByte("()<>@,;:\\\"/[]?={}", o) >= 0 {
			return false
		}
	}
	return s != ""
}

func refuse(what string) error { return fmt.Errorf("%w: %s", errRefused, what) }
