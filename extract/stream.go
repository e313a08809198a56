package extract

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"sync/atomic"

	"github.com/locus-url/locus/internal/octet"
)

const (
	// window is the initial size of the buffer in [Stream]. A buffer of this size fits in the
	// processor cache.
	window = 64 << 10
	// maxWindow is the maximum size of the buffer. If a URL is longer than the window, Stream
	// enlarges the buffer. The maximum is twice the size of the text that can affect the result
	// for one ":".
	maxWindow = 2 * (lookBehind + lookAhead)
)

// Stream yields the URLs in the text from the reader r, in order. Stream yields the same URLs as
// [All] for the whole text, but in constant memory. Stream reads r up to the end or the first
// error. Stream wraps that error and yields it last. A program can range over the result only
// once. A second loop yields only [ErrUsed].
func Stream(r io.Reader, o *Options) iter.Seq2[Match, error] {
	var used atomic.Bool
	return func(yield func(Match, error) bool) {
		if used.Swap(true) {
			yield(Match{}, ErrUsed)
			return
		}
		newStream(r, o).run(yield)
	}
}

// ErrUsed means that a program ranged over a result of [Stream] a second time.
var ErrUsed = errors.New("extract: the text has been read already; call Stream again with a new reader")

// stream reads a text in windows. A window is the part of the text that is in memory.
type stream struct {
	r     io.Reader
	s     *scanner
	buf   []byte // the window
	base  int64  // offset of the window's start in the text
	pos   int    // offset in the window at which the search continues
	final bool   // whether the text ends with the window
	err   error
}

func newStream(r io.Reader, o *Options) *stream {
	t := &stream{r: r, s: newScanner(o)}
	t.s.Clone = !t.s.Borrow
	return t
}

func (t *stream) run(yield func(Match, error) bool) {
	for !t.final && t.err == nil {
		t.fillWindow()
		if !t.scan(yield) {
			return
		}
	}
	if t.err != nil {
		yield(Match{}, fmt.Errorf("extract: can't read at byte %d: %w", t.base+int64(len(t.buf)), t.err))
	}
}

// maxEmpty is the maximum number of consecutive reads without data.
const maxEmpty = 100

// fillWindow moves the window forward and fills it. It returns when the new text is as long as the
// text that must be searched again. So results are not delayed by a slow reader, and small reads do
// not cause repeated searches.
func (t *stream) fillWindow() {
	if cut := t.pos - lookBehind; cut > 0 {
		t.buf = t.buf[:copy(t.buf, t.buf[cut:])]
		t.base += int64(cut)
		t.pos -= cut
		t.s.end = max(0, t.s.end-cut)
	}
	if len(t.buf) == cap(t.buf) {
		t.buf = append(make([]byte, 0, min(max(2*cap(t.buf), window), maxWindow)), t.buf...)
	}
	least := min(2*len(t.buf)-t.pos, cap(t.buf))
	for {
		n, err := readSome(t.r, t.buf[len(t.buf):cap(t.buf)])
		t.buf = t.buf[:len(t.buf)+n]
		if err == io.EOF {
			t.final = true
			return
		}
		if t.err = err; err != nil || len(t.buf) >= least {
			return
		}
	}
}

// readSome reads from r until r returns data or an error.
func readSome(r io.Reader, p []byte) (n int, err error) {
	for range maxEmpty {
		if n, err = r.Read(p); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// scan yields the URLs in the window. It returns false if the caller stops the iteration.
func (t *stream) scan(yield func(Match, error) bool) bool {
	// Later, fillWindow overwrites the window, so Stream must clone URLs that must stay valid.
	text := octet.View(t.buf)
	for {
		var m Match
		next, v := t.s.findURL(text, t.pos, t.final, &m)
		t.pos = next
		if v != foundURL {
			return true
		}
		m.Start += t.base
		m.End += t.base
		if !yield(m, nil) {
			return false
		}
	}
}
