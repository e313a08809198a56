package bulk

import (
	"context"
	"encoding/binary"
	"runtime"
	"sync"
)

// resolve returns a stream of numbers for each stream of keys. Each stream contains one number
// per key. For the first occurrence of a key, the number is the key's count, or 1 if the set
// does not count. For a repeated key, the number is 0.
func (s *Set) resolve(ctx context.Context) ([]*stream, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	counts := make([]*stream, len(s.keys))
	workers := min(runtime.GOMAXPROCS(0), len(s.keys))
	// Reserve memory for the buffers of the result streams and, if the set counts, for the
	// chunks that contain texts.
	memory := s.o.Memory - 256*int64(s.chunkSize())
	if s.o.Count {
		memory -= s.o.Memory / 2
	}
	next := make(chan int)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			r := resolver{store: &s.store, count: s.o.Count, memory: memory / int64(workers), size: s.chunkSize()}
			r.table = newTable(r.memory, r.count)
			defer r.table.close()
			for i := range next {
				c, err := r.resolve(ctx, s.keys[i], 1)
				if err == nil {
					err = c.finish()
				}
				if err != nil {
					cancel(err)
				}
				s.keys[i].release()
				counts[i] = c
			}
		})
	}
	for i := range s.keys {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	group.Wait()
	return counts, context.Cause(ctx)
}

// resolver resolves streams of keys sequentially.
type resolver struct {
	store  *store
	count  bool
	memory int64
	size   int // chunk size of new streams
	table  table
	number []byte
}

// resolve returns the counts of the keys in w. If the table is too small for the keys, resolve
// divides the keys into partitions by their digit at the given level.
func (r *resolver) resolve(ctx context.Context, w *stream, level int) (counts *stream, err error) {
	counts = r.store.stream(r.size)
	r.table.clear()
	full := false
	err = eachKey(ctx, w, func(k Key) error {
		isNew := false
		if isNew, full, err = r.table.add(k, 1); full && err == nil {
			err = errFull
		}
		if err == nil && !r.count {
			err = r.put(counts, number(isNew))
		}
		return err
	})
	if full && err == errFull {
		counts.release()
		return r.divide(ctx, w, level)
	}
	if err == nil && r.count {
		err = eachKey(ctx, w, func(k Key) error { return r.put(counts, r.table.takeNumber(k)) })
	}
	return counts, err
}

// number returns 1 for the first occurrence of a text, and 0 for a repeated text.
func number(isNew bool) uint64 {
	if isNew {
		return 1
	}
	return 0
}

func (r *resolver) put(counts *stream, n uint64) error {
	r.number = binary.AppendUvarint(r.number[:0], n)
	return counts.write(r.number, nil)
}

// divide resolves the partitions of the keys in w one after another, and merges the counts.
func (r *resolver) divide(ctx context.Context, w *stream, level int) (*stream, error) {
	// Free the table, because the streams of the partitions need memory for buffers.
	r.table.close()
	size := max(r.size/16, 256)
	var parts [256]*stream
	for i := range parts {
		parts[i] = r.store.stream(size)
	}
	var b []byte
	err := eachKey(ctx, w, func(k Key) error {
		b = k.append(b[:0])
		return parts[k.digit(level)].write(b, nil)
	})
	var readers [256]*reader
	for i, part := range parts {
		if err == nil {
			err = part.finish()
		}
		if err != nil {
			return nil, err
		}
		counts, err := r.resolve(ctx, part, level+1)
		if err == nil {
			err = counts.finish()
		}
		if err != nil {
			return nil, err
		}
		part.release()
		readers[i] = counts.read()
	}
	all := r.store.stream(r.size)
	err = eachKey(ctx, w, func(k Key) error {
		n, err := readers[k.digit(level)].uvarint()
		if err != nil {
			return err
		}
		return r.put(all, n)
	})
	for _, part := range readers {
		part.s.release()
	}
	return all, err
}

func eachKey(ctx context.Context, w *stream, use func(Key) error) error {
	r := w.read()
	for {
		b, err := r.readChunk()
		if err != nil || len(b) == 0 {
			return err
		}
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		for at := 0; at < len(b); at += keySize {
			if err := use(readKey(b[at:])); err != nil {
				return err
			}
		}
		r.skip(len(b))
	}
}
