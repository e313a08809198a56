package extract

import (
	"bytes"
	"io"
	"iter"
	"math"
	"runtime"
	"sync"
)

const (
	// sectionSize is how much of a text one processor searches while others search
	// other sections: long beside what it takes to hand them over, and short beside
	// what all that is found in it takes in memory.
	sectionSize = 256 << 10
	// sectionsAhead is how many sections each processor may be ahead of what is yielded.
	sectionsAhead = 4
)

// StreamAt returns the URLs in the first size octets of what r gives, in order: the
// same as [Stream] finds there. It reads a long text in sections, on as many
// processors as there are, and so in several times the memory of Stream, which is
// still little. Several goroutines call r.ReadAt and o.Schemes at once.
func StreamAt(r io.ReaderAt, size int64, o *Options) iter.Seq2[Match, error] {
	workers := runtime.GOMAXPROCS(0)
	if workers == 1 || size < 2*sectionSize {
		return func(yield func(Match, error) bool) { newStream(io.NewSectionReader(r, 0, size), o, nil).yield(yield) }
	}
	return func(yield func(Match, error) bool) { inSections(r, size, sectionSize, workers, o, yield) }
}

// section is a part of a text, and what was found whose ":" is in it.
//
// What the search finds depends on nothing but the place where it goes on. So the
// search from the start of a section finds what a search of the whole text finds
// there, if that goes on at its start; and if what is before has a URL, or what
// looks like one, that ends behind it, the section is searched again from there.
type section struct {
	start, stop int64
	matches     []Match
	next        int64 // where the search goes on behind it
	failed      bool  // something could not be read, perhaps behind it
	done        chan struct{}
}

// inSections does what [StreamAt] says, with sections of about that length.
func inSections(r io.ReaderAt, size, length int64, workers int, o *Options, yield func(Match, error) bool) {
	queue := make(chan *section) // for whoever has time
	ordered := make(chan *section, workers*sectionsAhead)
	free := make(chan []Match, workers*sectionsAhead)
	gone := make(chan struct{})
	var group sync.WaitGroup
	defer group.Wait()
	defer close(gone)
	for range workers {
		group.Go(func() {
			t := newStream(nil, o, nil)
			for s := range queue {
				select {
				case s.matches = <-free:
				default:
				}
				s.search(t, r, size, s.start)
				close(s.done)
			}
		})
	}
	group.Go(func() {
		defer close(ordered)
		defer close(queue)
		for start := int64(0); start < size; {
			stop := size
			if size-start > length {
				stop = lineBreak(r, start+length)
			}
			s := &section{start: start, stop: stop, done: make(chan struct{})}
			for _, c := range [...]chan *section{ordered, queue} {
				select {
				case c <- s:
				case <-gone:
					return
				}
			}
			start = stop
		}
	})
	t := newStream(nil, o, nil)
	next := int64(0)
	for s := range ordered {
		<-s.done
		if next > s.start {
			s.search(t, r, size, next)
		}
		if s.failed {
			t.from(r, size, next)
			t.yield(yield)
			return
		}
		for _, m := range s.matches {
			if !yield(m, nil) {
				return
			}
		}
		next = s.next
		clear(s.matches) // They keep the URLs in memory.
		select {
		case free <- s.matches[:0]:
		default:
		}
	}
}

// lineBreak returns a place to divide a text, at or shortly behind at: the start of a
// line, where no URL goes on but in a wrapper, or else at.
func lineBreak(r io.ReaderAt, at int64) int64 {
	var line [behind]byte
	n, _ := r.ReadAt(line[:], at)
	return at + int64(bytes.IndexByte(line[:n], '\n')+1)
}

// search searches a section with t from next on, which may be behind its end already.
func (s *section) search(t *stream, r io.ReaderAt, size, next int64) {
	s.matches = s.matches[:0]
	t.from(r, size, next)
	t.stop = s.stop
	// Most URLs end before that, and the rest need not be read twice.
	if usual := s.stop + behind; t.base < usual && usual < size {
		t.r = io.MultiReader(io.NewSectionReader(r, t.base, usual-t.base), io.NewSectionReader(r, usual, size-usual))
	}
	t.run(func(m Match) bool {
		s.matches = append(s.matches, m)
		return true
	})
	s.next, s.failed = t.at(), t.err != nil
}

// from makes t go on at next in the first size octets of what r gives.
func (t *stream) from(r io.ReaderAt, size, next int64) {
	base := max(0, next-behind)
	*t = stream{
		r: io.NewSectionReader(r, base, size-base), s: t.s, buf: t.buf[:0],
		base: base, pos: int(next - base), stop: math.MaxInt64,
	}
}
