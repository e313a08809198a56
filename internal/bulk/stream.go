package bulk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/locus-url/locus/internal/wholefile"
)

// A store stores the chunks of streams. Chunks beyond the memory limit are in a file. If the
// system supports it, the file has no name. A store may be used concurrently.
type store struct {
	folder string // directory of the file; empty means os.TempDir
	mu     sync.Mutex
	memory int64 // memory left for chunks, in bytes
	file   *wholefile.Temporary
	end    int64 // end of the file
}

// ErrSpill means that reading or writing the spill file failed. Errors in this package wrap
// ErrSpill.
var ErrSpill = errors.New("temporary file")

func (s *store) put(b []byte) (c chunk, err error) {
	s.mu.Lock()
	if s.memory >= int64(len(b)) {
		s.memory -= int64(len(b))
		s.mu.Unlock()
		return chunk{held: bytes.Clone(b), size: len(b)}, nil
	}
	if s.file == nil {
		s.file, err = wholefile.CreateTemporary(s.folder, "locus-*.tmp")
	}
	file, at := s.file, s.end
	s.end += int64(len(b))
	s.mu.Unlock()
	if err == nil {
		_, err = file.WriteAt(b, at)
	}
	if err != nil {
		return chunk{}, fmt.Errorf("%w: %w", ErrSpill, err)
	}
	return chunk{at: at, size: len(b)}, nil
}

// spilled returns the file size.
func (s *store) spilled() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end
}

// close removes the file. Streams must not be read afterwards.
func (s *store) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file != nil {
		_ = s.file.Close() // after an error, at worst a temporary file remains
		s.file = nil
	}
}

// chunk is a piece of a stream, in memory or in the file.
type chunk struct {
	held []byte // bytes of the chunk; nil if the chunk is in the file
	at   int64
	size int
}

// A stream is a sequence of bytes that is written once, and then read from the beginning.
type stream struct {
	store  *store
	size   int // size of a chunk
	chunks []chunk
	buf    []byte // the last chunk
}

func (s *store) stream(size int) *stream { return &stream{store: s, size: size} }

// write appends a record to the stream, which consists of head and text.
func (w *stream) write(head, text []byte) error {
	if len(w.buf) > 0 && len(w.buf)+len(head)+len(text) > w.size {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if w.buf == nil {
		w.buf = make([]byte, 0, w.size)
	}
	w.buf = append(append(w.buf, head...), text...)
	return nil
}

// flush stores the last chunk. Readers also see chunks that are not flushed.
func (w *stream) flush() error {
	c, err := w.store.put(w.buf)
	w.chunks, w.buf = append(w.chunks, c), w.buf[:0]
	return err
}

// finish frees the buffer. The caller must not write to the stream afterwards.
func (w *stream) finish() (err error) {
	if len(w.buf) > 0 {
		err = w.flush()
	}
	w.buf = nil
	return err
}

// release releases the memory of the stream. Chunks in the file remain in the file.
func (w *stream) release() {
	for _, c := range w.chunks {
		if c.held != nil {
			w.store.mu.Lock()
			w.store.memory += int64(c.size)
			w.store.mu.Unlock()
		}
	}
	w.chunks, w.buf = nil, nil
}

// A reader reads a stream. A record never spans chunks, so it can be read in one piece.
type reader struct {
	s    *stream
	next int    // number of the next chunk
	rest []byte // unread bytes in the current chunk
	buf  []byte
}

func (w *stream) read() *reader { return &reader{s: w} }

// readChunk returns the unread bytes of the current chunk, or the next chunk. At the end of the
// stream, the result is empty. The caller must call skip to advance.
func (r *reader) readChunk() ([]byte, error) {
	for len(r.rest) == 0 {
		switch {
		case r.next < len(r.s.chunks):
			c := r.s.chunks[r.next]
			if r.rest = c.held; c.held == nil {
				if cap(r.buf) < c.size {
					r.buf = make([]byte, c.size)
				}
				r.rest = r.buf[:c.size]
				if n, err := r.s.store.file.ReadAt(r.rest, c.at); n < c.size {
					return nil, fmt.Errorf("%w: %w", ErrSpill, errors.Join(err, io.ErrUnexpectedEOF))
				}
			}
		case r.next == len(r.s.chunks):
			r.rest = r.s.buf
		default:
			return nil, nil
		}
		r.next++
	}
	return r.rest, nil
}

// skip advances the reader by n bytes, which readChunk must have returned.
func (r *reader) skip(n int) { r.rest = r.rest[n:] }
