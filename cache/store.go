package cache

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"hash/crc64"
	"iter"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/store"
	"github.com/locus-url/locus/scheme"
)

// Options configures a [Store]. The zero Options and nil select the defaults.
type Options struct {
	// Size limits the disk usage in bytes. Zero means 1 GiB.
	Size int64
	// MaxObject is the maximum length of a stored body in bytes. Zero means a quarter of
	// Size.
	MaxObject int64
	// Memory limits the memory for frequently used responses in bytes. Zero means 32 MiB.
	Memory int64
	// PrefetchBytes is the maximum number of bytes that the store fetches after the last
	// reader of a body has left. Zero means 4 MiB. [NoPrefetch] means no bytes.
	PrefetchBytes int64
	// Now returns the current time. If Now is nil, the store uses [time.Now].
	Now func() time.Time
	// Note is called for problems that do not make a request fail, such as a damaged index
	// or a full disk. Note must be safe for concurrent use. If Note is nil, the store
	// ignores such problems.
	Note func(error)
}

// NoPrefetch is a value for [Options].PrefetchBytes. The store then cancels a fetch when
// its last reader disconnects.
const NoPrefetch = -1

const (
	// smallSize is the maximum length of a body that the store caches in memory.
	smallSize = 64 << 10
	// blockSize is the assumed block size of the disk.
	blockSize = 4 << 10
	// sampleSize is the number of responses that the store compares to select a response for
	// eviction. The least recently used of 32 responses is nearly always in the oldest tenth. If
	// clients cycle through more responses than fit, eviction by sample preserves some responses.
	// An exact order would preserve no response.
	sampleSize = 32
	// maxVariants is the maximum number of stored responses for one URL.
	maxVariants = 32
	// pauseTime is how long the store stops storing responses after a failed write.
	pauseTime = 30 * time.Second
	// unsharedTime is the time during which the store does not coalesce requests for a URL after an
	// unshareable response. unsharedMax is the maximum number of such URLs in memory.
	unsharedTime = time.Minute
	unsharedMax  = 4096
)

type key [16]byte

func keyOf(url string) (k key) {
	sum := sha256.Sum256([]byte(url))
	copy(k[:], sum[:])
	return k
}

// Store is a cache in a directory. Its methods are safe for concurrent use.
type Store struct {
	o        Options
	registry *scheme.Registry
	dir      string
	index    index
	create   func(path string) (file, error)
	count    counters

	ctx    context.Context // context for all fetches
	cancel context.CancelFunc
	work   sync.WaitGroup // the fetches
	wake   chan struct{}
	stop   chan struct{} // closed to end the writer
	ended  chan struct{} // closed when the writer has ended

	mu           sync.Mutex
	table        map[key][]*entry // slices are replaced, never modified
	all          map[*entry]bool
	inMemory     map[*entry]bool // entries with data in memory
	total        int64           // bytes on disk
	reserved     int64           // part of total that fetches may still write
	memory       int64
	fetches      map[key][]*fetch
	unshared     map[key]time.Time // time until which requests for a key are not coalesced
	pending      map[*entry]bool   // entries that are not yet in the index
	recentlyUsed map[*entry]bool   // entries that were used since the last write of the index
	removals     []*body           // bodies to be removed
	pausedUntil  time.Time         // time until which nothing is stored
	closed       bool
}

// entry is a stored response. The mutex of the store guards the fields that change.
type entry struct {
	key  key
	id   uint64
	size int64
	cost int64
	sum  uint64 // checksum of a small body
	body *body

	lastUsed int64 // time of last use, in nanoseconds since 1970
	dead     bool
	isSaved  bool // the index contains meta
	meta     *meta
	octets   []byte // a small body; nil if it is not in memory
	memory   int64  // size of meta and octets
}

// newEntry returns an entry for m that is not yet in the store.
func newEntry(k key, id uint64, m *meta, sum uint64) *entry {
	return &entry{key: k, id: id, size: m.size, cost: cost(m), sum: sum}
}

type counters struct {
	hits, stale, validated, collapsed, misses, passed, stored, evicted, failed atomic.Uint64
}

// Stats contains the size of a store and counts of events since [Open].
type Stats struct {
	Entries int   // stored responses
	Size    int64 // size of the entries on disk, in bytes
	Memory  int64 // memory used for cached entries, in bytes

	Hits      uint64 // requests served from the store without a request to the server
	Stale     uint64 // hits that were served with a stale response
	Validated uint64 // requests served from the store after validation
	Collapsed uint64 // requests served from the response to another client's request
	Misses    uint64 // requests served by the server
	Passed    uint64 // requests that bypassed the store
	Stored    uint64 // responses that were stored
	Evicted   uint64 // responses that were evicted
	Failed    uint64 // failed writes
}

// Open opens the store in the directory dir. It creates the directory if it is missing. The
// registry r supplies canonical URLs and the lifetimes of schemes. Open replaces a damaged
// index with an empty index. If another process has the store open, the error wraps
// [ErrBusy]. If o is nil, Open uses the defaults. The caller must call [Store.Close].
func Open(dir string, r *scheme.Registry, o *Options) (*Store, error) {
	s := &Store{
		registry: r, dir: dir, create: createFile,
		wake: make(chan struct{}, 1), stop: make(chan struct{}), ended: make(chan struct{}),
		table: map[key][]*entry{}, all: map[*entry]bool{}, inMemory: map[*entry]bool{}, fetches: map[key][]*fetch{}, unshared: map[key]time.Time{},
		pending: map[*entry]bool{}, recentlyUsed: map[*entry]bool{},
	}
	if o != nil {
		s.o = *o
	}
	s.o.Size = cmp.Or(s.o.Size, 1<<30)
	s.o.MaxObject = min(cmp.Or(s.o.MaxObject, s.o.Size/4), s.o.Size)
	s.o.Memory = cmp.Or(s.o.Memory, 32<<20)
	s.o.PrefetchBytes = cmp.Or(s.o.PrefetchBytes, 4<<20)
	if s.o.Now == nil {
		s.o.Now = time.Now
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	x, list, err := openIndex(dir, s.note)
	if err != nil {
		return nil, fmt.Errorf("cache: %s: %w", dir, err)
	}
	s.index = x
	if err := s.load(list); err != nil {
		x.Unlock()
		return nil, fmt.Errorf("cache: %s: %w", dir, err)
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	go s.write()
	return s, nil
}

func (s *Store) note(err error) {
	if s.o.Note != nil {
		s.o.Note(err)
	}
}

func (s *Store) now() time.Time { return s.o.Now() }

func (s *Store) load(list []*entry) error {
	if err := os.MkdirAll(filepath.Join(s.dir, bodies), 0o700); err != nil {
		return err
	}
	for _, e := range list {
		e.body = &body{path: s.pathOf(e.key, e.id)}
	}
	missing, err := s.sweep(list)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.unlock()
	for _, e := range list {
		s.add(e)
	}
	for _, e := range missing {
		s.drop(e)
	}
	s.makeRoom(0) // the size limit may have changed
	return nil
}

// unlock unlocks s.mu. Then it removes files and wakes the writer.
func (s *Store) unlock() {
	doomed := s.removals
	s.removals = nil
	wake := len(s.pending) > 0
	s.mu.Unlock()
	for _, b := range doomed {
		// Some systems can't remove an open file. In that case, the next call of Open removes it.
		os.Remove(b.path)
	}
	if wake {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

// cost estimates the disk usage of a response in bytes.
func cost(m *meta) int64 {
	return (m.size+blockSize-1)/blockSize*blockSize + m.memory()
}

func (s *Store) add(e *entry) {
	s.all[e] = true
	s.total += e.cost
	s.table[e.key] = append(slices.Clip(s.table[e.key]), e)
}

// drop removes e from the store. The caller must hold s.mu.
func (s *Store) drop(e *entry) {
	if e.dead {
		return
	}
	e.dead = true
	delete(s.all, e)
	s.total -= e.cost
	s.dropFromMemory(e, true)
	list := slices.DeleteFunc(slices.Clone(s.table[e.key]), func(other *entry) bool { return other == e })
	if len(list) == 0 {
		delete(s.table, e.key)
	} else {
		s.table[e.key] = list
	}
	delete(s.recentlyUsed, e)
	if e.isSaved || s.pending[e] {
		s.pending[e] = true
	}
	s.removals = append(s.removals, e.body)
}

// makeRoom evicts the least recently used responses until n more bytes fit. It reports
// whether there is enough space.
func (s *Store) makeRoom(n int64) bool {
	if s.reserved+n > s.o.Size {
		return false
	}
	for s.total+n > s.o.Size {
		s.drop(leastUsed(maps.Keys(s.all), nil))
		s.count.evicted.Add(1)
	}
	return true
}

// leastUsed returns the least recently used entry in a sample of list. If isEligible is not nil,
// leastUsed considers only entries for which isEligible returns true. If there is no such entry,
// leastUsed returns nil.
func leastUsed(list iter.Seq[*entry], isEligible func(*entry) bool) (e *entry) {
	seen := 0
	for other := range list {
		if (isEligible == nil || isEligible(other)) && (e == nil || other.lastUsed < e.lastUsed) {
			e = other
		}
		if seen++; seen == sampleSize {
			break
		}
	}
	return e
}

// keepInMemory caches the meta m and the body of e in memory. The octets are the body, and may be
// nil.
func (s *Store) keepInMemory(e *entry, m *meta, octets []byte) {
	if e.dead {
		return
	}
	s.dropFromMemory(e, true)
	e.meta, e.octets = m, octets
	e.memory = m.memory() + int64(len(octets))
	s.memory += e.memory
	s.inMemory[e] = true
	for tries := 0; s.memory > s.o.Memory && tries < 8; tries++ {
		victim := leastUsed(maps.Keys(s.inMemory), func(e *entry) bool { return e.isSaved && !s.pending[e] || e.octets != nil })
		if victim == nil {
			break
		}
		s.dropFromMemory(victim, victim.isSaved && !s.pending[victim])
	}
}

// dropFromMemory drops the body of e from memory. If withMeta is true, it also drops the meta.
func (s *Store) dropFromMemory(e *entry, withMeta bool) {
	if !s.inMemory[e] {
		return
	}
	if !withMeta {
		s.memory -= int64(len(e.octets))
		e.memory -= int64(len(e.octets))
		e.octets = nil
		return
	}
	s.memory -= e.memory
	e.memory, e.octets = 0, nil
	if !e.dead {
		e.meta = nil
	}
	delete(s.inMemory, e)
}

// hit is a snapshot of a stored response that lookup returned.
type hit struct {
	*entry
	meta   *meta
	octets []byte
}

// lookup returns the newest response for a URL and a request header h. The result hasOthers reports
// whether there are responses for other request headers.
func (s *Store) lookup(k key, url string, h http.Header) (newest hit, hasOthers, ok bool) {
	now := s.now().UnixNano()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.table[k] {
		if e.meta == nil {
			s.mu.Unlock()
			s.loadMeta(e)
			s.mu.Lock()
		}
		switch {
		case e.meta == nil || e.dead || e.meta.url != url:
		case !e.meta.matches(h):
			hasOthers = true
		case !ok || e.meta.received.After(newest.meta.received):
			newest, ok = hit{e, e.meta, e.octets}, true
		}
	}
	if ok && !newest.dead && now > newest.lastUsed {
		newest.lastUsed = now
		s.recentlyUsed[newest.entry] = true
	}
	return newest, hasOthers, ok
}

// loadMeta reads the meta of e from the index.
func (s *Store) loadMeta(e *entry) {
	m, err := s.index.load(e.key, e.id)
	s.mu.Lock()
	defer s.unlock()
	switch {
	case e.meta != nil || e.dead:
	case err != nil:
		s.note(fmt.Errorf("cache: %w", err))
		s.drop(e)
	default:
		s.keepInMemory(e, m, nil)
	}
}

// readSmall reads a small body and verifies its checksum. After a power failure, a file may
// exist without its content.
func (s *Store) readSmall(e *entry) ([]byte, error) {
	octets, err := os.ReadFile(e.body.path)
	if err == nil && (int64(len(octets)) != e.size || crc64.Checksum(octets, sumTable) != e.sum) {
		err = fmt.Errorf("cache: %w: wrong checksum of a body", store.ErrDamaged)
	}
	s.mu.Lock()
	defer s.unlock()
	if err != nil {
		s.drop(e)
		return nil, err
	}
	if !e.dead && e.meta != nil && e.octets == nil {
		s.keepInMemory(e, e.meta, octets)
	}
	return octets, nil
}

// commit adds the entry e to the store, and replaces older responses to the same request. It
// returns false if the store must no longer store e.
func (s *Store) commit(f *fetch, e *entry, m *meta) bool {
	s.mu.Lock()
	defer s.unlock()
	s.total -= f.reserved
	s.reserved -= f.reserved
	if f.isInvalid || s.closed || !s.makeRoom(e.cost) {
		return false
	}
	h := f.req.Header
	list := s.table[e.key]
	for _, old := range list {
		if old.meta != nil && (old.meta.matches(h) || old.meta.url != m.url) {
			s.drop(old)
		}
	}
	if list = s.table[e.key]; len(list) >= maxVariants {
		s.drop(leastUsed(slices.Values(list), nil))
	}
	e.lastUsed = s.now().UnixNano()
	s.add(e)
	s.pending[e] = true
	s.keepInMemory(e, m, f.octets)
	s.count.stored.Add(1)
	return true
}

func (s *Store) renew(e *entry, m *meta) {
	s.mu.Lock()
	defer s.unlock()
	if e.dead {
		return
	}
	if m.cc.has("no-store") || m.cc.has("private") {
		s.drop(e)
		return
	}
	s.total += cost(m) - e.cost
	e.cost = cost(m)
	s.pending[e] = true
	s.keepInMemory(e, m, e.octets)
}

func (s *Store) remove(e *entry) {
	s.mu.Lock()
	defer s.unlock()
	s.drop(e)
}

// purge removes all responses with the key k. It also prevents the store from storing the responses
// of running fetches with this key.
func (s *Store) purge(k key) (n int) {
	s.mu.Lock()
	defer s.unlock()
	for _, f := range s.fetches[k] {
		f.isInvalid = true
	}
	delete(s.fetches, k)
	for _, e := range s.table[k] {
		s.drop(e)
		n++
	}
	return n
}

// Purge removes all responses for u and returns their number. If a fetch for u is running,
// the store does not store its result.
func (s *Store) Purge(u locus.URL) int {
	u, ok := s.keyURL(u)
	if !ok {
		return 0
	}
	return s.purge(keyOf(u.String()))
}

// PurgeAll removes all responses and returns their number.
func (s *Store) PurgeAll() (n int) {
	s.mu.Lock()
	defer s.unlock()
	for k, list := range s.fetches {
		for _, f := range list {
			f.isInvalid = true
		}
		delete(s.fetches, k)
	}
	for e := range s.all {
		s.drop(e)
		n++
	}
	return n
}

// Stats returns the size of the store and its counters.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &s.count
	return Stats{
		Entries: len(s.all), Size: s.total, Memory: s.memory,
		Hits: c.hits.Load(), Stale: c.stale.Load(), Validated: c.validated.Load(), Collapsed: c.collapsed.Load(),
		Misses: c.misses.Load(), Passed: c.passed.Load(), Stored: c.stored.Load(), Evicted: c.evicted.Load(), Failed: c.failed.Load(),
	}
}

// Close cancels all fetches, writes the index and unlocks the directory. After Close,
// transports of the store send all requests to the next RoundTripper.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.work.Wait()
	close(s.stop)
	<-s.ended
	if err := s.index.Unlock(); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	return nil
}

// diskFailed records a failed write.
func (s *Store) diskFailed(err error) {
	s.count.failed.Add(1)
	until := s.now().Add(pauseTime)
	s.mu.Lock()
	first := s.pausedUntil.Before(until.Add(-pauseTime))
	s.pausedUntil = until
	s.mu.Unlock()
	if first {
		s.note(fmt.Errorf("cache: storing is paused for %v after a failed write: %w", pauseTime, err))
	}
}

// keyURL returns the URL in the key of responses for u. The result ok is false if the store never
// stores responses for u.
func (s *Store) keyURL(u locus.URL) (c locus.URL, ok bool) {
	// A mistyped URL may contain a password outside the userinfo.
	if _, known := u.User(); known || u.Shown() != u.String() {
		return u, false
	}
	c, _, err := s.registry.Canonical(u.WithoutFragment())
	return c, err == nil
}
