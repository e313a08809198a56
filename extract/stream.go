package extract

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"sync/atomic"

	"github.com/locus-url/locus/internal/octet"
)

const (
	// window is how much of a text [Stream] has at a time, so little that it stays
	// in the fast memory of a processor.
	window = 64 << 10
	// maxWindow is the most that it has while it waits for the end of a URL: what is
	// looked at around one ":", and as much again.
	maxWindow = 2 * (behind + ahead)
)

// Stream returns the URLs in what r gives, in order: the same as [All] finds in the
// whole text. It reads r to the end, or to the first error, which comes last and
// wraps r's, and needs the same little memory however long the text is. The URLs can
// be ranged over once: a second loop yields [ErrUsed] alone.
func Stream(r io.Reader, o *Options) iter.Seq2[Match, error] {
	var used atomic.Bool
	return func(yield func(Match, error) bool) {
		if used.Swap(true) {
			yield(Match{}, ErrUsed)
			return
		}
		newStream(r, o, nil).yield(yield)
	}
}

// ErrUsed is the error of a second loop over what was read from an [io.Reader].
var ErrUsed = errors.New("extract: the text has been read already; call Stream again with a new reader")

// stream is a text of which a window is there.
type stream struct {
	r     io.Reader
	s     *scanner
	buf   []byte // the window
	base  int64  // where it begins in the text
	pos   int    // where in it to go on
	stop  int64  // where in the text to look for no more ":"
	final bool   // nothing follows the window
	err   error
}

// newStream returns the text that r gives. Its window is in buf if that is large enough.
func newStream(r io.Reader, o *Options, buf []byte) *stream {
	if cap(buf) < window {
		buf = make([]byte, 0, window)
	}
	t := &stream{r: r, s: newScanner(o), buf: buf[:0], stop: math.MaxInt64}
	t.s.Clone = true
	return t
}

// run yields the URLs, and reports whether there is nobody who wants no more.
func (t *stream) run(yield func(Match) bool) bool {
	for t.at() < t.stop && t.read() {
		if !t.scan(yield) {
			return false
		}
	}
	return true
}

// at returns where in the text to go on.
func (t *stream) at() int64 { return t.base + int64(t.pos) }

// yield yields the URLs, and the error that reading ended with.
func (t *stream) yield(yield func(Match, error) bool) {
	if t.run(func(m Match) bool { return yield(m, nil) }) && t.err != nil {
		yield(Match{}, fmt.Errorf("extract: reading at octet %d: %w", t.base+int64(len(t.buf)), t.err))
	}
}

// maxEmpty is how many reads in a row may give nothing.
const maxEmpty = 100

// read moves the window on and fills it. It stops filling as soon as there is as
// much new text as waits to be searched again, so that one that comes slowly is
// not held back, and one that comes in small pieces is not searched too often.
func (t *stream) read() bool {
	if t.final || t.err != nil {
		return false
	}
	if cut := t.pos - behind; cut > 0 {
		t.buf = t.buf[:copy(t.buf, t.buf[cut:])]
		t.base += int64(cut)
		t.pos -= cut
	}
	if len(t.buf) == cap(t.buf) {
		t.buf = append(make([]byte, 0, min(2*cap(t.buf), maxWindow)), t.buf...)
	}
	least := min(2*len(t.buf)-t.pos, cap(t.buf))
	for {
		n, err := readSome(t.r, t.buf[len(t.buf):cap(t.buf)])
		t.buf = t.buf[:len(t.buf)+n]
		switch {
		case err == io.EOF:
			t.final = true
			return true
		case err != nil:
			t.err = err
			return true
		case len(t.buf) >= least:
			return true
		}
	}
}

// readSome reads from r until it gives something.
func readSome(r io.Reader, p []byte) (n int, err error) {
	for range maxEmpty {
		if n, err = r.Read(p); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// scan yields the URLs in the window, and reports whether there is more to do.
func (t *stream) scan(yield func(Match) bool) bool {
	// Of what is found the URL alone is kept, in a text of its own.
	text := octet.View(t.buf)
	limit := int(min(int64(len(text)), t.stop-t.base))
	for {
		var m Match
		next, v := t.s.next(text, t.pos, limit, t.final, &m)
		t.pos = next
		if v != found {
			return true
		}
		m.Start += t.base
		m.End += t.base
		if !yield(m) {
			return false
		}
	}
}
