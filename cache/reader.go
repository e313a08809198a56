package cache

import (
	"context"
	"io"
	"net/http"
	"os"
	"slices"
)

// reader reads a body from its file, even while the fetch still writes the file, so the store needs
// no buffer for a slow reader.
type reader struct {
	f    *fetch
	end  int64 // end offset; -1 for the end of the body
	off  int64
	stop func() bool // stops watching the request's context

	handle *handle // open file; if nil, failure is the reason
	inRest bool

	// The mutex f.mu guards these fields:
	closed  bool
	failure error // reason why reading is impossible
}

// attach returns a reader for the bytes of the fetched body from the offset start to the offset
// end. If end is -1, the reader reads up to the end of the body. The caller must have joined the
// fetch f.
func (f *fetch) attach(ctx context.Context, start, end int64) *reader {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := &reader{f: f, off: start, end: end}
	f.readers = append(f.readers, r)
	if f.rest != nil && f.restReader == nil {
		f.restReader = r
	}
	r.handle, r.failure = f.body.open()
	r.stop = context.AfterFunc(ctx, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		r.failure = context.Cause(ctx)
		f.change.Broadcast()
	})
	return r
}

// readStored returns a reader for a stored body with the given size.
func readStored(b *body, size, start, end int64) (*reader, error) {
	f := &fetch{body: b, written: size, done: true, isReleased: true, waiters: 1}
	f.change.L = &f.mu
	r := f.attach(context.Background(), start, end)
	return r, r.failure
}

// waitForBytes waits until there are bytes after the offset r.off. It returns the end offset of the
// bytes in the file. If the file will not contain the remaining body, it returns a reader for the
// remaining body instead.
func (r *reader) waitForBytes() (upTo int64, rest io.Reader, err error) {
	f := r.f
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		switch {
		case r.closed:
			return 0, nil, http.ErrBodyReadAfterClose
		case r.failure != nil:
			return 0, nil, r.failure
		case r.end >= 0 && r.off >= r.end:
			return 0, nil, io.EOF
		case r.off < f.written:
			if r.end >= 0 {
				return min(f.written, r.end), nil, nil
			}
			return f.written, nil, nil
		case f.restReader == r:
			return 0, f.rest, nil
		case f.failure != nil:
			return 0, nil, f.failure
		case f.done:
			return 0, nil, io.EOF
		}
		f.change.Wait()
	}
}

func (r *reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	upTo, rest, err := r.waitForBytes()
	if err != nil {
		return 0, err
	}
	if rest != nil {
		if rest, err = r.readerOfRest(rest); err != nil {
			return 0, err
		}
		n, err := rest.Read(p)
		r.off += int64(n)
		return n, err
	}
	n, err := r.handle.ReadAt(p[:min(int64(len(p)), upTo-r.off)], r.off)
	r.off += int64(n)
	switch {
	case n > 0:
		err = nil
	case err == io.EOF:
		err = io.ErrUnexpectedEOF // the file was changed
	}
	return n, err
}

// readerOfRest returns a reader for the bytes that r must still read. The reader rest provides the
// bytes that the store could not store.
func (r *reader) readerOfRest(rest io.Reader) (io.Reader, error) {
	if !r.inRest {
		r.inRest = true
		if skip := r.off - r.f.written; skip > 0 {
			if _, err := io.CopyN(io.Discard, rest, skip); err != nil {
				return nil, err
			}
		}
	}
	if r.end >= 0 {
		rest = io.LimitReader(rest, r.end-r.off)
	}
	return rest, nil
}

// WriteTo implements [io.WriterTo]. It lets an HTTP server copy directly from the file, so a slow
// client needs no buffer.
func (r *reader) WriteTo(w io.Writer) (n int64, err error) {
	var own *os.File
	defer func() {
		if own != nil {
			own.Close()
		}
	}()
	from, _ := w.(io.ReaderFrom)
	flusher, _ := w.(http.Flusher)
	for {
		if flusher != nil && n > 0 && r.mustWait() {
			flusher.Flush() // send the received bytes before waiting
		}
		upTo, rest, err := r.waitForBytes()
		switch {
		case err == io.EOF:
			return n, nil
		case err != nil:
			return n, err
		case rest != nil:
			if rest, err = r.readerOfRest(rest); err != nil {
				return n, err
			}
			m, err := io.Copy(w, rest)
			r.off += m
			return n + m, err
		}
		if from != nil && own == nil && upTo-r.off > smallSize {
			if own = openAt(r.f.body.path, r.off); own == nil {
				from = nil
			}
		}
		var m int64
		if own != nil {
			m, err = from.ReadFrom(&io.LimitedReader{R: own, N: upTo - r.off})
		} else {
			m, err = copyAt(w, r.handle, r.off, upTo)
		}
		n, r.off = n+m, r.off+m
		if err == nil && m == 0 {
			err = io.ErrUnexpectedEOF // the file was changed
		}
		if err != nil {
			return n, err
		}
	}
}

// mustWait reports whether the next read would block.
func (r *reader) mustWait() bool {
	r.f.mu.Lock()
	defer r.f.mu.Unlock()
	return r.off >= r.f.written && !r.f.done
}

// openAt opens a file and seeks to the offset off. If openAt fails, it returns nil.
func openAt(path string, off int64) *os.File {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	if _, err := f.Seek(off, io.SeekStart); err != nil {
		f.Close()
		return nil
	}
	return f
}

// copyAt copies the bytes of source from the offset start to the offset end.
func copyAt(w io.Writer, source io.ReaderAt, start, end int64) (n int64, err error) {
	buffer := chunks.Get().(*[chunk]byte)
	defer chunks.Put(buffer)
	return io.CopyBuffer(struct{ io.Writer }{w}, io.NewSectionReader(source, start, end-start), buffer[:])
}

// Close closes the reader and ends a blocked Read.
func (r *reader) Close() error {
	f := r.f
	f.mu.Lock()
	if r.closed {
		f.mu.Unlock()
		return nil
	}
	r.closed = true
	f.readers = slices.DeleteFunc(f.readers, func(other *reader) bool { return other == r })
	var rest io.Closer
	if f.restReader == r {
		rest = f.rest
	}
	f.change.Broadcast()
	f.mu.Unlock()
	r.stop()
	if rest != nil {
		rest.Close()
	}
	if r.handle != nil {
		r.handle.Close()
	}
	f.leave()
	return nil
}
