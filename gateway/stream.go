package gateway

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	// writeTime is how long a client may take no octet of what there is for it.
	writeTime = 60 * time.Second
	// chunk is how much of a body is held for a client at once.
	chunk = 16 << 10
	// largeChunk is how much of one is held for a client that has taken largeAfter as
	// quickly as it came, and mostLarge for how many of those.
	largeChunk = 256 << 10
	largeAfter = 1 << 20
	mostLarge  = 64
	// maxPiece is how much of a file the system copies to a client at once, and
	// quickTime how long a piece may take for the next one to be larger.
	maxPiece  = 1 << 20
	quickTime = 50 * time.Millisecond
)

var (
	chunks      = sync.Pool{New: func() any { return new([chunk]byte) }}
	largeChunks = sync.Pool{New: func() any { return new([largeChunk]byte) }}
	largeInUse  = make(chan struct{}, mostLarge)
)

// stream copies body to the client, each octet when it is there. A client that
// reads slowly holds one chunk, which is a large one for few of them. A body that is an [io.WriterTo], as those of package
// cache, sees to that itself.
func stream(w http.ResponseWriter, body io.Reader) error {
	out := &paced{ResponseWriter: w, control: http.NewResponseController(w), piece: chunk}
	if from, ok := body.(io.WriterTo); ok {
		_, err := from.WriteTo(out)
		return err
	}
	c := newChunks()
	defer c.free()
	for {
		n, err := body.Read(c.octets)
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
			c.took(n, time.Since(begun))
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

// chunksOf are the chunks that a body goes through.
type chunksOf struct {
	octets []byte
	small  *[chunk]byte
	large  *[largeChunk]byte // nil: it is a small one now
	quick  int               // octets that were taken quickly, since the last that were not
}

func newChunks() *chunksOf {
	c := &chunksOf{small: chunks.Get().(*[chunk]byte)}
	c.octets = c.small[:]
	return c
}

// took says how long a client took for n octets.
func (c *chunksOf) took(n int, d time.Duration) {
	if d > quickTime {
		c.quick = 0
		c.shrink()
		return
	}
	if c.quick += n; c.large != nil || c.quick < largeAfter || n < len(c.octets) {
		return
	}
	select {
	case largeInUse <- struct{}{}:
		c.large = largeChunks.Get().(*[largeChunk]byte)
		c.octets = c.large[:]
	default: // as many as may be have one
	}
}

// shrink goes back to a small chunk.
func (c *chunksOf) shrink() {
	if c.large != nil {
		largeChunks.Put(c.large)
		<-largeInUse
		c.large, c.octets = nil, c.small[:]
	}
}

func (c *chunksOf) free() {
	c.shrink()
	chunks.Put(c.small)
}

// paced writes to a client in pieces, each of which it must take in time.
type paced struct {
	http.ResponseWriter
	control *http.ResponseController
	piece   int64 // what a client takes at once
}

// wait gives the client time for one piece more.
func (w *paced) wait() {
	// An error means that the connection has no deadlines: then it is a test's.
	_ = w.control.SetWriteDeadline(time.Now().Add(writeTime))
}

func (w *paced) Write(p []byte) (n int, err error) {
	for len(p) > 0 && err == nil {
		var m int
		begun := time.Now()
		w.wait()
		m, err = w.ResponseWriter.Write(p[:min(int64(len(p)), w.piece)])
		n, p = n+m, p[m:]
		w.pace(begun)
	}
	return n, err
}

// pace makes pieces larger the quicker a client takes them.
func (w *paced) pace(begun time.Time) {
	if time.Since(begun) > quickTime {
		w.piece = chunk
	} else {
		w.piece = min(2*w.piece, maxPiece)
	}
}

// Flush has what was written go out.
func (w *paced) Flush() { _ = w.control.Flush() }

// ReadFrom lets the system copy a part of a file by itself, in pieces that are
// larger the quicker the client is.
func (w *paced) ReadFrom(r io.Reader) (n int64, err error) {
	part, ok := r.(*io.LimitedReader)
	if !ok {
		return w.copy(r)
	}
	for part.N > 0 {
		begun := time.Now()
		piece := io.LimitedReader{R: part.R, N: min(w.piece, part.N)}
		w.wait()
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

func (w *paced) copy(r io.Reader) (n int64, err error) {
	p := chunks.Get().(*[chunk]byte)
	defer chunks.Put(p)
	return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{r}, p[:])
}
