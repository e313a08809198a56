package mailstore

import (
	"bytes"
	"context"
	"io"
)

const (
	// firstFill is what is read of a file at first: most headers are in it.
	firstFill = 16 << 10
	// mostFill is what is read at once of a file that goes on and on.
	mostFill = 512 << 10
	// mostLine is how much of a line is looked at.
	mostLine = 8 << 10
)

// window is what is in memory of a file that is read from its start to its end,
// with a look back or ahead now and then. The slices that it gives are good until
// the next call. When reading fails, the file seems to end there, and err tells.
type window struct {
	ctx   context.Context
	r     io.ReaderAt
	size  int64 // where the file ends, as far as is known
	start int64 // where in the file buf begins
	buf   []byte
	space []byte
	next  int // how much to read the next time
	err   error
}

// reset makes w a window of another file. ctx ends reading.
func (w *window) reset(ctx context.Context, r io.ReaderAt, size int64) {
	*w = window{ctx: ctx, r: r, size: size, space: w.space, next: firstFill}
}

// from returns what is in memory from at on: at least n octets, fewer only at the
// end of the file. n is at most mostLine.
func (w *window) from(at int64, n int) []byte {
	end := w.start + int64(len(w.buf))
	if at < w.start || end < w.size && at+int64(n) > end {
		w.fill(at)
	}
	return w.buf[min(max(at-w.start, 0), int64(len(w.buf))):]
}

// fill reads from at on.
func (w *window) fill(at int64) {
	n := min(int64(w.next), max(w.size-at, 0))
	w.next = min(2*w.next, mostFill)
	if int64(len(w.space)) < n {
		w.space = make([]byte, n)
	}
	w.start, w.buf = at, w.space[:0]
	err := w.ctx.Err()
	if err == nil {
		var got int
		got, err = w.r.ReadAt(w.space[:n], at)
		w.buf = w.space[:got]
		if int64(got) == n {
			return
		}
	}
	w.size = at + int64(len(w.buf))
	if err != io.EOF && w.err == nil {
		w.err = err
	}
}

// index returns where sep is at first from at on and before end, or -1.
func (w *window) index(at, end int64, sep []byte) int64 {
	for at < min(end, w.size) {
		text := w.from(at, len(sep))
		if i := bytes.Index(text, sep); i >= 0 {
			if at += int64(i); at+int64(len(sep)) > end {
				return -1
			}
			return at
		}
		if at+int64(len(text)) >= w.size {
			return -1
		}
		at += int64(len(text) - len(sep) + 1)
	}
	return -1
}

// line returns the line at at without its end, or as much of it as is looked at,
// and where the next one begins. ended: it has an end.
func (w *window) line(at int64) (text []byte, next int64, ended bool) {
	text = w.from(at, mostLine)
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		next, ended, text = at+int64(i)+1, true, text[:i]
	} else if end := w.index(at+int64(len(text)), w.size, []byte{'\n'}); end >= 0 {
		next, ended, text = end+1, true, w.from(at, mostLine)
	} else {
		next, text = w.size, w.from(at, mostLine)
	}
	text = text[:min(len(text), mostLine)]
	return bytes.TrimSuffix(text, []byte{'\r'}), next, ended
}

// has reports whether text is at at.
func (w *window) has(at int64, text string) bool {
	return bytes.HasPrefix(w.from(at, len(text)), []byte(text))
}

// lineEnd returns how long the line end at at is, or 0 if there is none.
func (w *window) lineEnd(at int64) int64 {
	switch {
	case w.has(at, "\n"):
		return 1
	case w.has(at, "\r\n"):
		return 2
	}
	return 0
}

// emptyBefore returns how long the empty line is that ends before at and begins
// not before least, or 0 if there is none. What is before least ends a line.
func (w *window) emptyBefore(at, least int64) int64 {
	for _, end := range []string{"\n", "\r\n"} {
		start := at - int64(len(end))
		if start < least || !w.has(start, end) {
			continue
		}
		if start == least || w.has(start-1, "\n") {
			return int64(len(end))
		}
	}
	return 0
}
