package gateway

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/locus-url/locus/internal/piece"
)

const (
	// writeTime is how long a client may take to receive one piece of a response.
	writeTime = 60 * time.Second
	// smallChunk is the size of the buffer for a body in bytes.
	smallChunk = 16 << 10
	// largeChunk is the buffer size in bytes for a client that has received largeAfter bytes
	// quickly. At most maxLarge buffers of this size are in use.
	largeChunk = 256 << 10
	largeAfter = 1 << 20
	maxLarge   = 64
	// maxPiece is the maximum number of bytes that the operating system copies from a file at once.
	// If a client receives a piece within quickTime, the next piece is larger.
	maxPiece  = 1 << 20
	quickTime = 50 * time.Millisecond
)

var (
	chunks      = sync.Pool{New: func() any { return new([smallChunk]byte) }}
	largeChunks = sync.Pool{New: func() any { return new([largeChunk]byte) }}
	largeInUse  = make(chan struct{}, maxLarge)
)

// stream sends body to the client. If body is incomplete, stream aborts the connection, so that the
// client notices.
func (w *recorder) stream(body io.Reader) {
	if err := stream(w, body); err != nil {
		w.broken = err
		panic(http.ErrAbortHandler)
	}
}

// stream copies body to the client without delay. For a slow client it buffers one small chunk. If
// body implements [io.WriterTo], as the bodies of package cache do, stream calls WriteTo.
func stream(w http.ResponseWriter, body io.Reader) error {
	out := &pacedWriter{ResponseWriter: w, control: http.NewResponseController(w), piece: smallChunk}
	if from, ok := body.(io.WriterTo); ok {
		_, err := from.WriteTo(out)
		return err
	}
	c := newChunks()
	defer c.free()
	left := contentLength(w)
	for {
		if len(c.octets) == largeChunk && left >= largeChunk {
			n, err := out.copyPiece(c, body, min(left, largeChunk))
			left -= n
			switch {
			case err == nil:
				continue
			case err == io.EOF:
				return nil
			case !errors.Is(err, errors.ErrUnsupported):
				return err
			}
			left = 0
		}
		n, err := body.Read(c.octets)
		left -= int64(n)
		if n > 0 {
			begun := time.Now()
			if _, err := out.Write(c.octets[:n]); err != nil {
				return err
			}
			if n < len(c.octets) {
				if err := out.control.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
					return err
				}
			}
			c.adapt(n, time.Since(begun))
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

// contentLength returns the value of Content-Length, or zero if the header is missing. The gateway
// must not copy more bytes, because the client would read the additional bytes as the next
// response.
func contentLength(w http.ResponseWriter) int64 {
	n, err := strconv.ParseInt(w.Header().Get("Content-Length"), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// copyPiece lets the operating system copy up to n bytes of body to a fast client. If the client or
// the server is slow, the gateway returns to the buffer, with a deadline for each smaller piece.
func (w *pacedWriter) copyPiece(c *chunkBuffer, body io.Reader, n int64) (int64, error) {
	begun := time.Now()
	extendWrite(w.control)
	n, err := piece.Copy(w.ResponseWriter, body, n)
	took := time.Since(begun)
	if err == nil && took >= writeTime {
		err = os.ErrDeadlineExceeded // the client's deadline may have expired, so bytes may be lost
	}
	c.adapt(int(n), took)
	return n, err
}

// chunkBuffer is the buffer for one body.
type chunkBuffer struct {
	octets     []byte // a small or large chunk
	small      *[smallChunk]byte
	quickBytes int // number of bytes received quickly since the last slow write
}

func newChunks() *chunkBuffer {
	c := &chunkBuffer{small: chunks.Get().(*[smallChunk]byte)}
	c.octets = c.small[:]
	return c
}

// adapt adapts the size of the buffer after a client has received n bytes in the time d.
func (c *chunkBuffer) adapt(n int, d time.Duration) {
	if d > quickTime {
		c.quickBytes = 0
		c.shrink()
		return
	}
	if c.quickBytes += n; len(c.octets) == largeChunk || c.quickBytes < largeAfter || n < len(c.octets) {
		return
	}
	select {
	case largeInUse <- struct{}{}:
		c.octets = largeChunks.Get().(*[largeChunk]byte)[:]
	default:
	}
}

// shrink replaces a large chunk by a small chunk.
func (c *chunkBuffer) shrink() {
	if len(c.octets) == largeChunk {
		largeChunks.Put((*[largeChunk]byte)(c.octets))
		<-largeInUse
		c.octets = c.small[:]
	}
}

func (c *chunkBuffer) free() {
	c.shrink()
	chunks.Put(c.small)
}

// pacedWriter writes to a client in pieces. Each piece has a deadline.
type pacedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	piece   int64 // size of the next piece
}

// extendWrite sets the deadline for the next piece.
func extendWrite(c *http.ResponseController) {
	// SetWriteDeadline fails only on connections without deadlines, which only tests have.
	_ = c.SetWriteDeadline(time.Now().Add(writeTime))
}

func (w *pacedWriter) Write(p []byte) (n int, err error) {
	for len(p) > 0 && err == nil {
		var m int
		begun := time.Now()
		extendWrite(w.control)
		m, err = w.ResponseWriter.Write(p[:min(int64(len(p)), w.piece)])
		n, p = n+m, p[m:]
		w.pace(begun)
	}
	return n, err
}

// pace adapts the size of pieces to the speed of the client.
func (w *pacedWriter) pace(begun time.Time) {
	if time.Since(begun) > quickTime {
		w.piece = smallChunk
	} else {
		w.piece = min(2*w.piece, maxPiece)
	}
}

// Flush implements [http.Flusher].
func (w *pacedWriter) Flush() { _ = w.control.Flush() }

// ReadFrom lets the operating system copy a part of a file in pieces.
func (w *pacedWriter) ReadFrom(r io.Reader) (n int64, err error) {
	part, ok := r.(*io.LimitedReader)
	if !ok {
		return w.copy(r)
	}
	for part.N > 0 {
		begun := time.Now()
		piece := io.LimitedReader{R: part.R, N: min(w.piece, part.N)}
		extendWrite(w.control)
		m, err := io.Copy(w.ResponseWriter, &piece)
		n += m
		part.N -= m
		if err != nil || m == 0 {
			return n, err
		}
		w.pace(begun)
	}
	return n, nil
}

func (w *pacedWriter) copy(r io.Reader) (n int64, err error) {
	p := chunks.Get().(*[smallChunk]byte)
	defer chunks.Put(p)
	return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{r}, p[:])
}

// flusher is a writer to a client. It flushes the first write at once. It flushes each later write
// after flushDelay.
type flusher struct {
	mu      sync.Mutex
	w       http.ResponseWriter
	control *http.ResponseController
	timer   *time.Timer
	waiting bool
	begun   bool
	closed  bool
}

// flushDelay is how long a piece of a page may wait for the next piece.
const flushDelay = 40 * time.Millisecond

func newFlusher(w http.ResponseWriter) *flusher {
	return &flusher{w: w, control: http.NewResponseController(w)}
}

func (f *flusher) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	extendWrite(f.control)
	n, err := f.w.Write(p)
	switch {
	case err != nil:
	case !f.begun:
		f.begun = true
		_ = f.control.Flush() // if Flush fails, the next Write fails too
	case !f.waiting:
		f.waiting = true
		f.timer = time.AfterFunc(flushDelay, f.late)
	}
	return n, err
}

func (f *flusher) late() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.waiting = false; !f.closed {
		_ = f.control.Flush()
	}
}

// stopFlushing stops flushing. Afterwards, the flusher does not use the connection.
func (f *flusher) stopFlushing() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	if f.timer != nil {
		f.timer.Stop()
	}
}
