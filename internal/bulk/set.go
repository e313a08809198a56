package bulk

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
)

// A Set finds distinct texts and their counts, in the order of first occurrence. While the
// memory limit permits, a Set stores only keys, and Add reports new texts immediately. When
// memory is full, the Set spills new texts to a file, and Rest returns these texts at the end.
// The caller must close a Set.
type Set struct {
	o       SetOptions
	store   store
	tables  [shards]table
	full    bool         // whether memory is full, so that new texts are spilled
	head    *stream      // records of the texts in tables, if the set counts
	tail    *stream      // records of the texts that may be new
	keys    [256]*stream // keys of the texts in tail, by the highest byte of the key
	record  []byte
	texts   int64 // number of texts that are known to be new
	touched byte  // prevents the compiler from removing a read
}

// SetOptions holds the options of a [Set].
type SetOptions struct {
	Memory int64  // maximum size of tables and buffers in bytes
	Folder string // directory of the temporary file; empty means [os.TempDir]
	Count  bool   // whether Rest returns every text with its count
}

// shards is the number of tables. A growing table needs memory for its old and new slots.
// Because the tables grow one at a time, this additional memory is small.
const shards = 32

// NewSet returns an empty set.
func NewSet(o SetOptions) *Set {
	s := &Set{o: o, store: store{folder: o.Folder}}
	tables := o.Memory
	if o.Count {
		// Memory of freed chunks stays in use until the next garbage collection.
		s.store.memory = o.Memory / 4
		tables -= 2 * s.store.memory
		s.head = s.store.stream(s.chunkSize())
	}
	// The streams need memory for buffers while the tables exist.
	tables -= 257 * int64(s.chunkSize())
	for i := range s.tables {
		s.tables[i] = newTable(tables/shards, o.Count)
	}
	return s
}

func (s *Set) chunkSize() int { return int(min(max(s.o.Memory/4096, 256), 64<<10)) }

// A Batch is a group of texts for [Set.Add].
type Batch struct {
	Keys []Key // a text with a zero key always counts as new
	// Counts holds the number of occurrences of each text. If Counts is nil, each text occurs
	// once.
	Counts []uint64
	Ends   []int  // end of each text in Text
	Text   []byte // concatenated texts
	New    []bool // set by Add: whether each text is new; the caller should use new texts immediately
}

// Reset empties b.
func (b *Batch) Reset() {
	b.Counts = b.Counts[:0]
	b.Keys, b.Ends, b.Text, b.New = b.Keys[:0], b.Ends[:0], b.Text[:0], b.New[:0]
}

// Add adds the texts of b in order and sets b.New. Add fails if it can't write the spill file
// or allocate memory. After an error, the set must not be used.
func (s *Set) Add(b *Batch) error {
	start := 0
	for i, k := range b.Keys {
		if i%prefetchCount == 0 {
			s.prefetch(b.Keys[i:min(i+prefetchCount, len(b.Keys))])
		}
		n := uint64(1)
		if len(b.Counts) > 0 {
			n = b.Counts[i]
		}
		isNew, err := s.add(k, b.Text[start:b.Ends[i]], n)
		if err != nil {
			return err
		}
		b.New = append(b.New, isNew)
		start = b.Ends[i]
	}
	return nil
}

// prefetchCount is the number of keys whose slots Add prefetches together.
const prefetchCount = 16

// prefetch reads the slots for keys, so that the processor loads the slots concurrently.
func (s *Set) prefetch(keys []Key) {
	var x byte
	for _, k := range keys {
		if t := &s.tables[k[0]>>59]; t.size > 0 {
			x ^= t.slots[t.slotOffset(k)]
		}
	}
	s.touched = x
}

func (s *Set) add(k Key, text []byte, n uint64) (isNew bool, err error) {
	if k == (Key{}) {
		return s.addEach(text)
	}
	t := &s.tables[k[0]>>59]
	if s.full {
		if t.count(k, n) {
			return false, nil
		}
		return false, s.spillTimes(k, text, n)
	}
	isNew, full, err := t.add(k, n)
	switch {
	case err != nil:
		return false, err
	case full:
		// From now on, spill all new texts, to preserve the order.
		s.full = true
		s.tail = s.store.stream(16 * s.chunkSize())
		for i := range s.keys {
			s.keys[i] = s.store.stream(s.chunkSize())
		}
		return false, s.spillTimes(k, text, n)
	case !isNew:
		return false, nil
	}
	return s.head == nil, s.addNew(k, text)
}

// addEach adds a text with a zero key, which always counts as new.
func (s *Set) addEach(text []byte) (isNew bool, err error) {
	if s.full {
		return false, s.spill(Key{rand.Uint64(), rand.Uint64()}, text)
	}
	return s.head == nil, s.addNew(Key{}, text)
}

func (s *Set) addNew(k Key, text []byte) error {
	s.texts++
	if s.head == nil {
		return nil
	}
	s.record = binary.AppendUvarint(k.append(s.record[:0]), uint64(len(text)))
	return s.head.write(s.record, text)
}

// spillTimes spills a text n times, because a stream of keys does not contain counts.
func (s *Set) spillTimes(k Key, text []byte, n uint64) error {
	for range n {
		if err := s.spill(k, text); err != nil {
			return err
		}
	}
	return nil
}

func (s *Set) spill(k Key, text []byte) error {
	s.record = k.append(s.record[:0])
	if err := s.keys[k.digit(0)].write(s.record, nil); err != nil {
		return err
	}
	s.record = binary.AppendUvarint(append(s.record[:0], k.digit(0)), uint64(len(text)))
	return s.tail.write(s.record, text)
}

// Texts returns the number of texts that are known to be new so far.
func (s *Set) Texts() int64 { return s.texts }

// Spilled returns the size of the temporary file in bytes.
func (s *Set) Spilled() int64 { return s.store.spilled() }

// Close frees memory and removes the temporary file.
func (s *Set) Close() {
	for i := range s.tables {
		s.tables[i].close()
	}
	s.store.close()
}

// Rest calls emit, in order, for each new text that Add did not report. If the set counts
// occurrences, Rest calls emit for every text and passes the number of occurrences. Each text is
// valid until emit returns. If emit returns an error, Rest ends and returns that error. Rest must
// be called at most once.
func (s *Set) Rest(ctx context.Context, emit func(text []byte, count uint64) error) error {
	if s.head != nil {
		if err := s.replayHead(ctx, emit); err != nil {
			return err
		}
		s.head.release()
	}
	for i := range s.tables {
		s.tables[i].close()
	}
	if !s.full {
		return nil
	}
	counts, err := s.resolve(ctx)
	if err != nil {
		return err
	}
	return s.replayTail(ctx, counts, emit)
}

func (s *Set) replayHead(ctx context.Context, emit func([]byte, uint64) error) error {
	return replay(ctx, s.head, keySize, func(head, text []byte) error {
		k := readKey(head)
		if k == (Key{}) {
			return emit(text, 1)
		}
		return emit(text, s.tables[k[0]>>59].takeNumber(k))
	})
}

func (s *Set) replayTail(ctx context.Context, counts []*stream, emit func([]byte, uint64) error) error {
	var readers [256]*reader
	for i, c := range counts {
		readers[i] = c.read()
	}
	return replay(ctx, s.tail, 1, func(head, text []byte) error {
		n, err := readers[head[0]].uvarint()
		if err != nil || n == 0 {
			return err
		}
		s.texts++
		return emit(text, n)
	})
}

// replay calls emit for each record of w. head is the first size bytes of the record, and text is
// the rest of the record.
func replay(ctx context.Context, w *stream, size int, emit func(head, text []byte) error) error {
	r := w.read()
	for {
		b, err := r.readChunk()
		if err != nil || len(b) == 0 {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		all := len(b)
		for len(b) > 0 {
			n, digits := binary.Uvarint(b[size:])
			end := size + digits + int(n)
			if err := emit(b[:size], b[size+digits:end]); err != nil {
				return err
			}
			b = b[end:]
		}
		r.skip(all)
	}
}

// uvarint reads a record that is a number.
func (r *reader) uvarint() (uint64, error) {
	b, err := r.readChunk()
	if err != nil {
		return 0, err
	}
	n, size := binary.Uvarint(b)
	r.skip(max(size, 0))
	return n, nil
}
