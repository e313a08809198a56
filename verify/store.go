package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/store"
)

// ErrBusy means that another process has opened the store. [OpenStore] returns an error that wraps
// ErrBusy.
var ErrBusy = store.ErrBusy

// storeVersion is the version of the file format. OpenStore replaces a store of another version.
const storeVersion = "locus verify 2"

const bucketLinks = "links"

var keySwept = []byte("swept")

const (
	// batchTime and batchSize limit how many outcomes are lost if the process is killed.
	batchTime = 500 * time.Millisecond
	batchSize = 512
	// maxStored is the maximum age of a stored outcome. The value of sweepEvery is the minimum
	// time between two searches for expired outcomes.
	maxStored  = 400 * 24 * time.Hour
	sweepEvery = 7 * 24 * time.Hour
	// maxDetail limits the size of a stored Detail, in bytes.
	maxDetail = 300
)

// Store saves the outcomes of links in a file for later runs. The methods of a Store may be called
// concurrently. Only one process at a time can open the file.
type Store struct {
	file    store.File
	rebuilt bool

	writing sync.Mutex // locked during flush
	flusher *time.Timer

	mu      sync.Mutex
	pending map[recordKey]record
	err     error // first write error
}

type recordKey [16]byte

type record struct {
	Verdict   Verdict         `json:"v"`
	When      int64           `json:"w"` // time of the check, in Unix seconds
	Status    int             `json:"s,omitempty"`
	Detail    string          `json:"d,omitempty"`
	To        string          `json:"t,omitempty"`
	Permanent bool            `json:"p,omitempty"`
	Hops      string          `json:"h,omitempty"`
	Alive     int64           `json:"a,omitempty"` // last time at which the resource was alive, in Unix seconds; unused if Verdict is Alive
	Tries     int             `json:"n,omitempty"`
	Fragments map[string]bool `json:"f,omitempty"`
}

// OpenStore opens the store at path, and creates it if it is missing. If the file is damaged,
// OpenStore renames the file to path + ".damaged" and creates a new store. Then [Store.Rebuilt]
// returns true. If another process has opened the store, the error wraps [ErrBusy].
func OpenStore(path string) (*Store, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	s := &Store{
		file:    store.File{Path: path, Version: storeVersion, Buckets: []string{bucketLinks}},
		pending: map[recordKey]record{},
	}
	damage, err := s.file.Open()
	if err != nil {
		return nil, fmt.Errorf("verify: %w", err)
	}
	s.rebuilt = damage != nil
	s.flusher = time.AfterFunc(batchTime, s.flush)
	return s, nil
}

// Rebuilt reports whether the store was damaged and replaced.
func (s *Store) Rebuilt() bool { return s.rebuilt }

// Close writes the pending outcomes and closes the store. Close returns the first write error.
func (s *Store) Close() error {
	s.flusher.Stop()
	s.flush()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = s.sweep(time.Now())
	}
	return errors.Join(s.err, s.file.Unlock())
}

// sweep deletes records that are older than maxStored. It does so only if the last sweep was at
// least sweepEvery ago.
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
		return fmt.Errorf("verify: store: %w", err)
	}
	return nil
}

func deleteOld(tx *bbolt.Tx, now time.Time) error {
	links := tx.Bucket([]byte(bucketLinks))
	var old [][]byte
	// ForEach never fails here, because the callback always returns nil.
	_ = links.ForEach(func(key, value []byte) error {
		var r record
		if json.Unmarshal(value, &r) != nil || now.Sub(time.Unix(r.When, 0)) > maxStored {
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

// key returns the database key for the outcome of k. The key depends on the URL's origin, because
// the policy may allow a URL from one origin and deny the same URL from another origin.
func (k targetKey) key() recordKey {
	sum := sha256.Sum256(append([]byte{byte(k.origin)}, k.url.String()...))
	return recordKey(sum[:16])
}

func (s *Store) get(key recordKey) (r record, ok bool) {
	s.mu.Lock()
	r, ok = s.pending[key]
	s.mu.Unlock()
	if ok {
		return r, true
	}
	// The error is ignored: without a record, the Verifier requests the URL.
	_ = s.file.View(func(tx *bbolt.Tx) error {
		ok = json.Unmarshal(tx.Bucket([]byte(bucketLinks)).Get(key[:]), &r) == nil
		return nil
	})
	return r, ok
}

func (s *Store) put(key recordKey, r record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending[key] = r
	switch len(s.pending) {
	case 1:
		s.flusher.Reset(batchTime)
	case batchSize:
		s.flusher.Reset(0)
	}
}

func (s *Store) flush() {
	s.writing.Lock()
	defer s.writing.Unlock()
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
			r.Detail = r.Detail[:min(len(r.Detail), maxDetail)]
			value, err := json.Marshal(r)
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
		s.err = fmt.Errorf("verify: store: %w", err)
		s.mu.Unlock()
	}
}

// newRecord returns the record for an outcome. newRecord removes the password from To.
func newRecord(o *Outcome, when time.Time, fragments map[string]bool) record {
	return record{
		Verdict: o.Verdict, When: when.Unix(), Status: o.Status, Detail: o.Detail, To: withoutPassword(o.To),
		Permanent: o.Permanent, Hops: o.hops, Tries: o.Tries, Fragments: fragments,
	}
}

func (r record) outcome() Outcome {
	to, _ := locus.Parse(r.To) // the zero URL for ""
	o := Outcome{Verdict: r.Verdict, Status: r.Status, Detail: r.Detail, To: to, Permanent: r.Permanent, hops: r.Hops, Tries: r.Tries, Cached: true}
	if !isFound(&o) {
		o.LastAlive = unixTime(r.lastAlive())
	}
	return o
}

// lastAlive returns the last time at which the resource was alive, in Unix seconds. lastAlive
// returns 0 if the time is unknown.
func (r record) lastAlive() int64 {
	if r.Verdict == Alive || r.Verdict == Moved {
		return r.When
	}
	return r.Alive
}

// unixTime converts Unix seconds to a Time. It returns the zero Time for 0.
func unixTime(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

// isFresh reports whether the record r is recent enough. The maximum age is goodAge for good
// outcomes, and badAge for all other outcomes. A record with a time in the future is not fresh,
// because the clock was wrong when the record was written.
func (r record) isFresh(now time.Time, goodAge, badAge time.Duration) bool {
	longest := min(goodAge, badAge)
	if r.Verdict == Alive || r.Verdict == Moved {
		if !slices.Contains(slices.Collect(maps.Values(r.Fragments)), false) {
			longest = goodAge
		}
	}
	age := now.Sub(time.Unix(r.When, 0))
	return age >= 0 && age < longest
}
