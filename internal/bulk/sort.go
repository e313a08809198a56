package bulk

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"sync"
)

// A Sorter sorts records by their bytes. The caller must close it.
type Sorter struct {
	store  store
	skip   int
	room   int    // maximum memory for records and places in bytes; more records cause a spill
	texts  []byte // texts of the records; allocated in advance, but pages use memory only when written
	places []recordPosition
	runs   []*stream // sorted runs
	head   []byte
}

// recordPosition is the position of a record in memory, with eight bytes of the record.
type recordPosition struct {
	next       uint64 // the eight bytes to compare next
	start, end int
}

const placeSize = 24

// SorterOptions holds the options of a [Sorter].
type SorterOptions struct {
	Memory int64  // maximum size of records and buffers in bytes
	Folder string // directory of the temporary file; empty means [os.TempDir]
	Skip   int    // number of bytes at the beginning of each record that the order ignores
}

// NewSorter returns an empty Sorter.
func NewSorter(o SorterOptions) *Sorter {
	return &Sorter{store: store{folder: o.Folder}, skip: o.Skip, room: int(min(o.Memory/2, 1<<40))}
}

func (s *Sorter) chunkSize() int { return min(max(s.room/1024, 256), 256<<10) }

// maxRuns is the maximum number of runs in one merge, because each run needs a buffer.
const maxRuns = 512

// Add adds a record, which is a copy of head and text. The record must have at least Skip
// bytes.
func (s *Sorter) Add(head, text []byte) error {
	size := len(s.texts) + len(head) + len(text)
	if size > cap(s.texts) || size+placeSize*len(s.places) > s.room {
		if err := s.makeRoom(len(head) + len(text)); err != nil {
			return err
		}
	}
	start := len(s.texts)
	s.texts = append(append(s.texts, head...), text...)
	s.places = append(s.places, recordPosition{start: start, end: len(s.texts)})
	return nil
}

// makeRoom spills the records in memory, and makes room for a record of the given size.
func (s *Sorter) makeRoom(size int) error {
	if len(s.places) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	if size <= cap(s.texts) {
		return nil
	}
	release(s.texts[:cap(s.texts)])
	b, err := allocate(max(s.room, size))
	if err != nil {
		return fmt.Errorf("%d bytes of memory for sorting: %w", max(s.room, size), err)
	}
	s.texts = b[:0]
	return nil
}

// sort sorts the records in memory. Each processor sorts one part of the records concurrently.
func (s *Sorter) sort() (parts [][]recordPosition) {
	size := max(1, (len(s.places)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for part := range slices.Chunk(s.places, size) {
		parts = append(parts, part)
		group.Go(func() { s.sortFrom(part, s.skip) })
	}
	group.Wait()
	return parts
}

// sortFrom sorts records whose first depth bytes are equal. sortFrom compares eight bytes at a
// time, because URLs have long common prefixes.
func (s *Sorter) sortFrom(list []recordPosition, depth int) {
	for i := range list {
		list[i].next = s.nextEight(list[i], depth)
	}
	slices.SortFunc(list, func(a, b recordPosition) int { return cmp.Compare(a.next, b.next) })
	for len(list) > 1 {
		n := 1
		for n < len(list) && list[n].next == list[0].next {
			n++
		}
		if n > 1 {
			s.sortEqual(list[:n], depth)
		}
		list = list[n:]
	}
}

// maxDirect is the maximum number of records for which comparing whole texts is faster.
const maxDirect = 12

// sortEqual sorts records whose eight bytes from depth on are equal. In this comparison, a
// text that ends within the eight bytes is padded with zeros.
func (s *Sorter) sortEqual(list []recordPosition, depth int) {
	// Texts that end within the eight bytes differ only in the number of zero bytes, so the
	// shorter text is first.
	ends := func(p recordPosition) bool { return p.end-p.start < depth+8 }
	if len(list) <= maxDirect || slices.ContainsFunc(list, ends) {
		slices.SortFunc(list, func(a, b recordPosition) int {
			return bytes.Compare(s.texts[min(a.start+depth, a.end):a.end], s.texts[min(b.start+depth, b.end):b.end])
		})
		return
	}
	s.sortFrom(list, depth+8)
}

// nextEight returns the eight bytes of a record from depth on, with zeros after the record's end.
func (s *Sorter) nextEight(p recordPosition, depth int) uint64 {
	text := s.texts[min(p.start+depth, p.end):p.end]
	if len(text) >= 8 {
		return binary.BigEndian.Uint64(text)
	}
	var b [8]byte
	copy(b[:], text)
	return binary.BigEndian.Uint64(b[:])
}

func (s *Sorter) spill() error {
	var runs []run
	for _, part := range s.sort() {
		runs = append(runs, &placesRun{s: s, list: part})
	}
	err := s.writeRun(context.Background(), runs)
	s.texts, s.places = s.texts[:0], s.places[:0]
	if err == nil && len(s.runs) == maxRuns {
		err = s.writeRun(context.Background(), s.takeRuns())
	}
	return err
}

// writeRun merges runs into a new run.
func (s *Sorter) writeRun(ctx context.Context, runs []run) error {
	w := s.store.stream(s.chunkSize())
	err := merge(ctx, runs, s.skip, func(record []byte) error {
		s.head = binary.AppendUvarint(s.head[:0], uint64(len(record)))
		return w.write(s.head, record)
	})
	if err == nil {
		err = w.finish()
	}
	s.runs = append(s.runs, w)
	return err
}

func (s *Sorter) takeRuns() (list []run) {
	for _, w := range s.runs {
		list = append(list, &streamRun{r: w.read()})
	}
	s.runs = nil
	return list
}

// Sorted calls emit for each record, in order. Each record is valid until emit returns. If emit
// returns an error, Sorted ends and returns that error. Sorted must be called at most once.
func (s *Sorter) Sorted(ctx context.Context, emit func(record []byte) error) error {
	var runs []run
	for _, part := range s.sort() {
		runs = append(runs, &placesRun{s: s, list: part})
	}
	return merge(ctx, append(runs, s.takeRuns()...), s.skip, emit)
}

// Spilled returns the size of the temporary file in bytes.
func (s *Sorter) Spilled() int64 { return s.store.spilled() }

// Close removes the temporary file.
func (s *Sorter) Close() {
	release(s.texts[:cap(s.texts)])
	s.texts, s.places = nil, nil
	s.store.close()
}

// A run is a sequence of sorted records. After the last record, nextRecord returns nil.
type run interface {
	nextRecord() ([]byte, error)
}

type placesRun struct {
	s    *Sorter
	list []recordPosition
}

func (r *placesRun) nextRecord() ([]byte, error) {
	if len(r.list) == 0 {
		return nil, nil
	}
	p := r.list[0]
	r.list = r.list[1:]
	return r.s.texts[p.start:p.end:p.end], nil
}

type streamRun struct{ r *reader }

func (r *streamRun) nextRecord() ([]byte, error) {
	b, err := r.r.readChunk()
	if err != nil || len(b) == 0 {
		return nil, err
	}
	n, digits := binary.Uvarint(b)
	r.r.skip(digits + int(n))
	return b[digits : digits+int(n)], nil
}

// merge calls emit for the records of all runs, in order. Equal records have the same order as
// their runs.
func merge(ctx context.Context, runs []run, skip int, emit func([]byte) error) error {
	h := runHeap{skip: skip}
	for i, r := range runs {
		record, err := r.nextRecord()
		if err != nil {
			return err
		}
		if record != nil {
			h.list = append(h.list, runHead{record, r, i})
		}
	}
	heap.Init(&h)
	for n := 0; len(h.list) > 0; n++ {
		if n&0xffff == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		first := &h.list[0]
		if err := emit(first.record); err != nil {
			return err
		}
		var err error
		if first.record, err = first.run.nextRecord(); err != nil {
			return err
		}
		if first.record == nil {
			heap.Pop(&h)
		} else if len(h.list) > 1 {
			heap.Fix(&h, 0)
		}
	}
	return nil
}

// runHead holds the next record of a run.
type runHead struct {
	record []byte
	run    run
	number int
}

// runHeap is a heap of the next records of all runs.
type runHeap struct {
	list []runHead
	skip int
}

func (h *runHeap) Len() int      { return len(h.list) }
func (h *runHeap) Swap(i, j int) { h.list[i], h.list[j] = h.list[j], h.list[i] }
func (h *runHeap) Push(x any)    { h.list = append(h.list, x.(runHead)) }
func (h *runHeap) Less(i, j int) bool {
	a, b := &h.list[i], &h.list[j]
	if c := bytes.Compare(a.record[h.skip:], b.record[h.skip:]); c != 0 {
		return c < 0
	}
	return a.number < b.number
}

func (h *runHeap) Pop() any {
	last := len(h.list) - 1
	x := h.list[last]
	h.list = h.list[:last]
	return x
}
