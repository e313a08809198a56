package http

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// errUnasked is what reading comes to when a server speaks without being asked.
var errUnasked = errors.New("http: the server spoke without being asked")

// wire reads the connection of HTTP/1 for net/http and tells what net/http does
// not: whether more came than a response announced. net/http would write a line
// about that to the standard logger and let the response pass.
//
// It gives nothing before a request was written: a server that speaks first
// (SMTP) is then an answer that is not HTTP, and not noise on an idle connection.
type wire struct {
	in      *bufio.Reader
	written chan struct{} // closed when the first request is written
	once    sync.Once

	mu      sync.Mutex
	next    *reply // whose request is about to be written
	current *reply
}

// wireBuffer holds what came in one go, so that an excess that came along is seen.
const wireBuffer = 16 << 10

func newWire(in io.Reader) *wire {
	return &wire{in: bufio.NewReaderSize(in, wireBuffer), written: make(chan struct{})}
}

// expect says that the next request written is that of r.
func (w *wire) expect(r *reply) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next = r
}

// wrote is called when octets are about to be sent. On a connection where more
// came than the last response announced it is an error, and nothing may be sent:
// what is there already would be taken for the answer. net/http may have kept
// the connection before it met that itself, and then takes another one.
func (w *wire) wrote() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.next != nil {
		if w.current != nil && w.current.excess.Load() {
			return errUnasked
		}
		w.current, w.next = w.next, nil
	}
	w.release()
	return nil
}

// release lets reading begin.
func (w *wire) release() { w.once.Do(func() { close(w.written) }) }

// Read gives what belongs to the response under way, and no more.
func (w *wire) Read(p []byte) (int, error) {
	<-w.written
	if w.in.Buffered() == 0 {
		if _, err := w.in.Peek(1); err != nil {
			return 0, err
		}
	}
	w.mu.Lock()
	r := w.current
	w.mu.Unlock()
	if r == nil {
		// A tunnel that is being made through a proxy: there is nothing to judge.
		return w.in.Read(p)
	}
	p = p[:min(len(p), w.in.Buffered())]
	ahead, _ := w.in.Peek(len(p))
	n := r.take(ahead)
	if n == 0 && len(p) > 0 {
		r.excess.Store(true)
		return 0, errUnasked
	}
	n, err := w.in.Read(p[:n])
	if r.complete() && w.in.Buffered() > 0 {
		r.excess.Store(true)
	}
	return n, err
}

// maxLine is the most octets of a header line that [reply] looks at. The lines
// that matter are short.
const maxLine = 256

// reply follows one response of HTTP/1 far enough to know where it must end, if
// it says so with Content-Length. Where it misreads, net/http sees a body that
// is too short and says so.
type reply struct {
	line   []byte // the header line under way
	head   bool   // the request was a HEAD: no body follows, whatever is announced
	first  bool   // the status line was read
	body   bool   // the header was read
	status int
	length int64       // of the body; -1: not announced
	excess atomic.Bool // more came than was announced
	ended  atomic.Bool // the body was read to its end
}

func newReply() *reply { return &reply{length: -1} }

// take returns how many octets of p are of this response.
func (r *reply) take(p []byte) int {
	if r.ended.Load() {
		return 0
	}
	n := 0
	for ; n < len(p) && !r.body; n++ {
		r.header(p[n])
	}
	if !r.body || r.length < 0 {
		return len(p)
	}
	rest := int(min(int64(len(p)-n), r.length))
	r.length -= int64(rest)
	return n + rest
}

// complete reports whether the response is known to be all there.
func (r *reply) complete() bool { return r.body && r.length == 0 }

// header reads one octet of the header.
func (r *reply) header(c byte) {
	if c != '\n' {
		if len(r.line) < maxLine {
			r.line = append(r.line, c)
		}
		return
	}
	line := strings.TrimSuffix(string(r.line), "\r")
	r.line = r.line[:0]
	switch {
	case !r.first:
		r.first = true
		_, code, _ := strings.Cut(line, " ")
		r.status, _ = strconv.Atoi(code[:min(len(code), 3)])
	case line != "":
		r.field(line)
	case r.status/100 == 1 && r.status != 101:
		// An interim response; the final one follows.
		r.first, r.length = false, -1
	default:
		r.body = true
		if r.head || r.status == 204 || r.status == 304 {
			r.length = 0
		}
	}
}

// chunked is the length that no Content-Length changes any more.
const chunked = -2

func (r *reply) field(line string) {
	name, value, _ := strings.Cut(line, ":")
	switch {
	case strings.EqualFold(name, "Transfer-Encoding"):
		r.length = chunked
	case strings.EqualFold(name, "Content-Length") && r.length == -1:
		if n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64); err == nil && n >= 0 {
			r.length = n
		}
	}
}
