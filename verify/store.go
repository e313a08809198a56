package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/store"
)

// ErrBusy is wrapped by the error of [OpenStore] if another process has the store.
var ErrBusy = store.ErrBusy

// storeVersion is of the store's format. A store of another version is replaced.
const storeVersion = "locus verify 1"

const bucketLinks = "links"

// keySwept is the time of the last sweep, in the bucket meta.
var keySwept = []byte("swept")

const (
	// batchTime and batchSize bound what a killed run has to verify again.
	batchTime = 500 * time.Millisecond
	batchSize = 512
	// keptFor is how long an outcome is stored at most. sweepEvery is how often older
	// ones are looked for.
	keptFor    = 400 * 24 * time.Hour
	sweepEvery = 7 * 24 * time.Hour
)

// Store keeps the outcomes of links from one run to the next. Its methods may be called
// concurrently, and one process at a time may have it open.
type Store struct {
	file    store.File
	rebuilt bool

	mu      sync.Mutex
	pending map[recordKey]record
	err     error // of the first write that failed
	full    chan struct{}
	end     chan struct{}
	ended   sync.WaitGroup
}

type recordKey [16]byte

// record is a stored outcome.
type record struct {
	Verdict   Verdict         `json:"v"`
	When      int64           `json:"w"` // seconds
	Status    int             `json:"s,omitempty"`
	Detail    string          `json:"d,omitempty"`
	To        string          `json:"t,omitempty"`
	Permanent bool            `json:"p,omitempty"`
	Tries     int             `json:"n,omitempty"`
	Fragments map[string]bool `json:"f,omitempty"`
}

// OpenStore opens the store at path, and creates it if it is missing. A damaged one is
// renamed to path + ".damaged" and replaced, which [Store.Rebuilt] reports. The error
// wraps [ErrBusy] if another process has it open.
func OpenStore(path string) (*Store, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	s := &Store{
		file:    store.File{Path: path, Version: storeVersion, Buckets: []string{bucketLinks}},
		pending: map[recordKey]record{}, full: make(chan struct{}, 1), end: make(chan struct{}),
	}
	damage, err := s.file.Open()
	if err != nil {
		return nil, fmt.Errorf("verify: %w", err)
	}
	s.rebuilt = damage != nil
	s.ended.Go(s.write)
	return s, nil
}

// Rebuilt reports whether the store was damaged and replaced.
func (s *Store) Rebuilt() bool { return s.rebuilt }

// Close writes what is pending and closes the store. The error is that of the first
// write that failed; everything else is stored.
func (s *Store) Close() error {
	close(s.end)
	s.ended.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = s.sweep(time.Now())
	}
	return errors.Join(s.err, s.file.Unlock())
}

// sweep deletes records older than keptFor, at most once in sweepEvery.
func (s *Store) sweep(now time.Time) error {
	recent := false
	err := s.file.View(func(tx *bbolt.Tx) error {
		if last := tx.Bucket([]byte(store.Meta)).Get(keySwept); len(last) == 8 {
			age := now.Sub(time.Unix(int64(binary.BigEndian.Uint64(last)), 0))
			recent = age >= 0 && age < sweepEvery
		}
		return nil
	})
	if err == nil && !recent {
		err = s.file.Update(func(tx *bbolt.Tx) error { return deleteOld(tx, now) })
	}
	if err != nil {
		return fmt.Errorf("verify: the store: %w", err)
	}
	return nil
}

func deleteOld(tx *bbolt.Tx, now time.Time) error {
	links := tx.Bucket([]byte(bucketLinks))
	var old [][]byte
	// the function returns no error
	_ = links.ForEach(func(key, value []byte) error {
		r, ok := record{}, false
		if len(key) == len(recordKey{}) {
			r, ok = readRecord(recordKey(key), value)
		}
		if !ok || now.Sub(time.Unix(r.When, 0)) > keptFor {
			old = append(old, bytes.Clone(key))
		}
		return nil
	})
	for _, key := range old {
		if err := links.Delete(key); err != nil {
			return err
		}
	}
	return tx.Bucket([]byte(store.Meta)).Put(keySwept, binary.BigEndian.AppendUint64(nil, uint64(now.Unix())))
}

// key returns where the outcome is stored. The same URL may be allowed from one origin
// and not from another.
func (k targetKey) key() recordKey {
	sum := sha256.Sum256(append([]byte{byte(k.origin)}, k.url.String()...))
	return recordKey(sum[:16])
}

// get returns the outcome stored under key.
func (s *Store) get(key recordKey) (r record, ok bool) {
	s.mu.Lock()
	r, ok = s.pending[key]
	s.mu.Unlock()
	if ok {
		return r, true
	}
	// What can't be read is asked for again.
	_ = s.file.View(func(tx *bbolt.Tx) error {
		r, ok = readRecord(key, tx.Bucket([]byte(bucketLinks)).Get(key[:]))
		return nil
	})
	return r, ok
}

func (s *Store) put(key recordKey, r record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending[key] = r
	if len(s.pending) >= batchSize {
		select {
		case s.full <- struct{}{}:
		default:
		}
	}
}

// write writes pending outcomes in batches until the store is closed.
func (s *Store) write() {
	tick := time.NewTicker(batchTime)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-s.full:
		case <-s.end:
			s.flush()
			return
		}
		s.flush()
	}
}

func (s *Store) flush() {
	s.mu.Lock()
	batch := s.pending
	if len(batch) == 0 || s.err != nil {
		s.mu.Unlock()
		return
	}
	s.pending = make(map[recordKey]record, len(batch))
	s.mu.Unlock()
	err := s.file.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte(bucketLinks))
		for key, r := range batch {
			value, err := appendRecord(nil, key, r)
			if err == nil {
				err = b.Put(key[:], value)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.mu.Lock()
		s.err = fmt.Errorf("verify: the store: %w", err)
		s.mu.Unlock()
	}
}

// maxDetail is the most bytes of a reason that are stored.
const maxDetail = 300

// appendRecord encodes r after a checksum over it and its key.
func appendRecord(dst []byte, key recordKey, r record) ([]byte, error) {
	r.Detail = r.Detail[:min(len(r.Detail), maxDetail)]
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return append(binary.BigEndian.AppendUint32(dst, sumOf(key, text)), text...), nil
}

func readRecord(key recordKey, value []byte) (r record, ok bool) {
	if len(value) < 4 || binary.BigEndian.Uint32(value) != sumOf(key, value[4:]) {
		return record{}, false
	}
	d := json.NewDecoder(bytes.NewReader(value[4:]))
	if err := d.Decode(&r); err != nil {
		return record{}, false
	}
	return r, true
}

func sumOf(key recordKey, text []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE(key[:]), crc32.IEEETable, text)
}

// outcome returns the outcome that r stores.
func (r record) outcome() Outcome {
	to, _ := locus.Parse(r.To) // the zero URL for ""
	return Outcome{Verdict: r.Verdict, Status: r.Status, Detail: r.Detail, To: to, Permanent: r.Permanent, Tries: r.Tries, Cached: true}
}

// maxAge returns how long r may be used. A failure may soon be repaired.
func (r record) maxAge(good, bad time.Duration) time.Duration {
	if r.Verdict == Alive || r.Verdict == Moved {
		for _, found := range r.Fragments {
			if !found {
				return min(good, bad)
			}
		}
		return good
	}
	return min(good, bad)
}

// fresh reports whether r may be used now. One from the future was written with a wrong
// clock.
func (r record) fresh(now time.Time, good, bad time.Duration) bool {
	age := now.Sub(time.Unix(r.When, 0))
	// One from the future was written by a clock that was wrong.
	return age >= 0 && age < r.maxAge(good, bad)
}

// isKept reports whether an outcome is worth storing: one that a server gave, not the
// policy or an option.
func (o *Outcome) isKept() bool {
	switch o.Verdict {
	case Alive, Moved, Warning, Dead:
		return o.Tries > 0
	}
	return false
}
