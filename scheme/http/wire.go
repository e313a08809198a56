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

// errUnsolicited is the error for data that the server sends without a request.
var errUnsolicited = errors.New("http: the server sent data without a request")

// wire reads an HTTP/1 connection for net/http. It detects excess data after the end of a
// response. Without wire, net/http would log such data but return no error.
//
// Read waits until the client has written a request. If the server sends the banner of another
// protocol, such as SMTP, net/http therefore reads the banner as an invalid response.
type wire struct {
	in      *bufio.Reader
	written chan struct{} // closed when the first request is written
	release func()        // closes the channel in written

	mu      sync.Mutex
	next    *framing // framing of the response to the next request; nil if unknown
	current *framing
}

// wireBuffer is the size of the read buffer. It must be large enough for excess data that
// arrives together with a response.
const wireBuffer = 16 << 10

func newWire(in io.Reader) *wire {
	w := &wire{in: bufio.NewReaderSize(in, wireBuffer), written: make(chan struct{}), current: newFraming()}
	w.release = sync.OnceFunc(func() { close(w.written) })
	return w
}

// setFraming sets the framing of the response to the next request.
func (w *wire) setFraming(f *framing) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next = f
}

// beforeWrite must be called before each write. If the server has sent unsolicited data,
// beforeWrite returns an error, because net/http would read the data as the next response.
// After the error, net/http uses another connection.
func (w *wire) beforeWrite() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.next != nil {
		if w.current.excess.Load() {
			return errUnsolicited
		}
		w.current, w.next = w.next, nil
	}
	w.release()
	return nil
}

// Read returns only bytes of the current response.
func (w *wire) Read(p []byte) (int, error) {
	<-w.written
	if w.in.Buffered() == 0 {
		if _, err := w.in.Peek(1); err != nil {
			return 0, err
		}
	}
	w.mu.Lock()
	f := w.current
	w.mu.Unlock()
	p = p[:min(len(p), w.in.Buffered())]
	ahead, _ := w.in.Peek(len(p))
	n := f.consume(ahead)
	if n == 0 && len(p) > 0 {
		f.excess.Store(true)
		return 0, errUnsolicited
	}
	n, err := w.in.Read(p[:n])
	if f.complete() {
		f.ended.Store(true)
		if w.in.Buffered() > 0 {
			f.excess.Store(true)
		}
	}
	return n, err
}

// maxLine is the number of bytes of a header line that [framing] stores. The header fields
// that framing interprets are shorter.
const maxLine = 256

// framing finds the end of an HTTP/1 response with a Content-Length. If framing misinterprets
// the header, net/http reports a truncated body.
type framing struct {
	line   []byte // the current header line
	head   bool   // the request method is HEAD, so the response has no body
	first  bool   // the framing has read the status line
	body   bool   // the framing has read the whole header
	status int
	length int64       // number of bytes that remain in the body; negative means unknown
	excess atomic.Bool // data arrived after the end of the response
	ended  atomic.Bool // the whole body has arrived
}

func newFraming() *framing { return &framing{length: -1} }

// consume returns the number of bytes in p that belong to the response.
func (f *framing) consume(p []byte) int {
	n := 0
	for ; n < len(p) && !f.body; n++ {
		f.header(p[n])
	}
	if !f.body || f.length < 0 {
		return len(p)
	}
	rest := int(min(int64(len(p)-n), f.length))
	f.length -= int64(rest)
	return n + rest
}

func (f *framing) complete() bool { return f.body && f.length == 0 }

// header processes one byte of the header.
func (f *framing) header(c byte) {
	if c != '\n' {
		if len(f.line) < maxLine {
			f.line = append(f.line, c)
		}
		return
	}
	line := strings.TrimSuffix(string(f.line), "\r")
	f.line = f.line[:0]
	switch {
	case !f.first:
		f.first = true
		_, code, _ := strings.Cut(line, " ")
		f.status, _ = strconv.Atoi(code[:min(len(code), 3)])
	case line != "":
		f.field(line)
	case f.status/100 == 1 && f.status != 101:
		// An interim response ends here, and another response follows.
		f.first, f.length = false, -1
	default:
		f.body = true
		if f.head || f.status == 204 || f.status == 304 {
			f.length = 0
		}
	}
}

// chunkedLength is a special length that overrides any Content-Length.
const chunkedLength = -2

func (f *framing) field(line string) {
	name, value, _ := strings.Cut(line, ":")
	switch {
	case strings.EqualFold(name, "Transfer-Encoding"):
		f.length = chunkedLength
	case strings.EqualFold(name, "Content-Length") && f.length == -1:
		if n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64); err == nil && n >= 0 {
			f.length = n
		}
	}
}
