package cache

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"hash/crc64"
	"math/rand/v2"
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

// Options are what a [Store] may be told. The zero Options are sensible.
type Options struct {
	// Size is how many octets of disk the store may take; 0: 1 GiB.
	Size int64
	// MaxObject is how long an answer may be that is kept; 0: a quarter of Size.
	MaxObject int64
	// Memory is how many octets of memory hold what is asked for again and again;
	// 0: 32 MiB.
	Memory int64
	// Linger is how many octets more of an answer are fetched for the store when
	// nobody waits for it any longer; 0: 4 MiB, less than 0: none.
	Linger int64
	// Name is what the store is called in Cache-Status; empty: "locus".
	Name string
	// Now is the clock; nil: [time.Now].
	Now func() time.Time
	// Note is told what is no error of a request, and good to know: that the index
	// was damaged and made anew, that the disk takes nothing. It may be called from
	// many goroutines at once. nil: nobody listens.
	Note func(error)
}

const (
	// small is how long a body may be that is held in memory.
	small = 64 << 10
	// blockSize is what a file takes of a disk at least.
	blockSize = 4 << 10
	// sampled is how many answers are looked at to find one that was not used for
	// long. Of so many the one that was used least is nearly always among the last
	// fifth of all.
	sampled = 16
	// maxVariants is how many answers for one URL are kept.
	maxVariants = 32
	// muteTime is for how long nothing is stored after the disk did not take
	// something.
	muteTime = 30 * time.Second
	// passTime is for how long requests for a URL don't wait for each other after its
	// answer turned out to be one that can't be shared, and passMax of how many URLs
	// that is remembered.
	passTime = time.Minute
	passMax  = 4096
)

// key is a hash of a canonical URL.
type key [16]byte

func keyOf(url string) (k key) {
	sum := sha256.Sum256([]byte(url))
	copy(k[:], sum[:])
	return k
}

// Store is a folder of answers. It may be used from many goroutines at once.
type Store struct {
	o        Options
	name     string // as Cache-Status writes it
	registry *scheme.Registry
	dir      string
	index    index
	create   func(path string) (file, error)
	count    counters

	ctx    context.Context // of all that is fetched for the store
	cancel context.CancelFunc
	work   sync.WaitGroup // what is fetched
	wake   chan struct{}
	stop   chan struct{} // the writer is to end
	ended  chan struct{} // and has

	mu       sync.Mutex
	table    map[key][]*entry // a slice is never changed, but replaced
	all      []*entry
	hot      []*entry // what has something in memory
	total    int64    // octets of disk
	promised int64    // of these, what is not of entries, but of flights
	memory   int64
	flights  map[key][]*flight
	pass     map[key]time.Time // until when
	pending  map[*entry]bool   // what the index does not know yet
	touched  map[*entry]bool   // what was used since the index was told
	doomed   []*body           // to be removed
	mute     time.Time         // until when nothing is stored
	closed   bool
}

// entry is an answer that is stored. All of it is the store's, under its mutex, but
// what never changes.
type entry struct {
	key  key
	id   uint64
	size int64
	cost int64
	sum  uint64 // of a small body
	body *body

	used          int64 // when, in nanoseconds since 1970
	slot, hotSlot int   // where it is in all and in hot; -1: not there
	dead          bool
	saved         bool // the index has meta
	meta          *meta
	octets        []byte // a small body; nil: not in memory
	memory        int64  // what meta and octets take
}

type counters struct {
	hits, stale, validated, collapsed, misses, passed, stored, evicted, failed atomic.Uint64
}

// Stats are what a store holds, and what it did since it was opened.
type Stats struct {
	Entries int   // answers that are kept
	Size    int64 // octets of disk that they take
	Memory  int64 // octets of memory that hold some of them

	Hits      uint64 // answered from the store without asking anybody
	Stale     uint64 // of these, with what is no longer fresh
	Validated uint64 // answered from the store after asking whether it is still right
	Collapsed uint64 // answered with what another request was fetching already
	Misses    uint64 // fetched, as it was not there
	Passed    uint64 // requests that have nothing to do with the store
	Stored    uint64 // answers that were stored
	Evicted   uint64 // answers that made room for others
	Failed    uint64 // answers that were not stored because the disk did not take them
}

// Open opens the store in the folder dir, which is made if it is not there. An index
// that is damaged is made anew, with nothing in it. If another process has the store
// open, the error wraps [ErrBusy]. o may be nil.
func Open(dir string, r *scheme.Registry, o *Options) (*Store, error) {
	s := &Store{
		registry: r, dir: dir, create: createFile,
		wake: make(chan struct{}, 1), stop: make(chan struct{}), ended: make(chan struct{}),
		table: map[key][]*entry{}, flights: map[key][]*flight{}, pass: map[key]time.Time{},
		pending: map[*entry]bool{}, touched: map[*entry]bool{},
	}
	if o != nil {
		s.o = *o
	}
	s.o.Size = cmp.Or(s.o.Size, 1<<30)
	s.o.MaxObject = min(cmp.Or(s.o.MaxObject, s.o.Size/4), s.o.Size)
	s.o.Memory = cmp.Or(s.o.Memory, 32<<20)
	s.o.Linger = cmp.Or(s.o.Linger, 4<<20)
	s.name = statusName(cmp.Or(s.o.Name, "locus"))
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
	if err := s.fill(list); err != nil {
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

// fill takes over what is in the index and on the disk.
func (s *Store) fill(list []indexed) error {
	if err := s.makeFolders(); err != nil {
		return err
	}
	there, err := s.sweep(list)
	if err != nil {
		return err
	}
	s.mu.Lock()
	for _, k := range list {
		e := &entry{key: k.key, id: k.id, size: k.size, cost: k.cost, sum: k.sum, used: k.used, saved: true, slot: -1, hotSlot: -1}
		e.body = &body{path: s.pathOf(k.key, k.id)}
		s.add(e)
		if !there[filepath.Base(e.body.path)] {
			s.drop(e)
		}
	}
	s.makeRoom(0) // the limit may be another now
	s.unlock()
	return nil
}

// unlock unlocks s.mu, and does what may take a while.
func (s *Store) unlock() {
	doomed := s.doomed
	s.doomed = nil
	wake := len(s.pending) > 0
	s.mu.Unlock()
	for _, b := range doomed {
		// Where a file can't be removed that is open, the next process does it.
		os.Remove(b.path)
	}
	if wake {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

// cost is how much of the disk an answer takes, at most about.
func cost(m *meta) int64 {
	return (m.size+blockSize-1)/blockSize*blockSize + m.memory()
}

func (s *Store) add(e *entry) {
	e.slot = len(s.all)
	s.all = append(s.all, e)
	s.total += e.cost
	s.table[e.key] = append(slices.Clip(s.table[e.key]), e)
}

// drop forgets e.
func (s *Store) drop(e *entry) {
	if e.dead {
		return
	}
	e.dead = true
	last := s.all[len(s.all)-1]
	s.all[e.slot], last.slot = last, e.slot
	s.all = s.all[:len(s.all)-1]
	s.total -= e.cost
	s.cool(e, true)
	list := slices.DeleteFunc(slices.Clone(s.table[e.key]), func(other *entry) bool { return other == e })
	if len(list) == 0 {
		delete(s.table, e.key)
	} else {
		s.table[e.key] = list
	}
	delete(s.touched, e)
	if e.saved || s.pending[e] {
		s.pending[e] = true
	}
	s.doomed = append(s.doomed, e.body)
}

// makeRoom evicts what was not used for long until n octets more fit, and reports
// whether they do.
func (s *Store) makeRoom(n int64) bool {
	if s.promised+n > s.o.Size {
		return false
	}
	for s.total+n > s.o.Size {
		s.drop(leastUsed(s.all, nil))
		s.count.evicted.Add(1)
	}
	return true
}

// leastUsed returns the entry of a sample of the list that was not used for the
// longest time, among those that may be taken; nil: there is none.
func leastUsed(list []*entry, may func(*entry) bool) (e *entry) {
	look := func(other *entry) {
		if (may == nil || may(other)) && (e == nil || other.used < e.used) {
			e = other
		}
	}
	if len(list) <= 2*sampled {
		for _, other := range list {
			look(other)
		}
		return e
	}
	for range sampled {
		look(list[rand.IntN(len(list))])
	}
	return e
}

// heat takes m and octets, if there are any, into memory for e.
func (s *Store) heat(e *entry, m *meta, octets []byte) {
	if e.dead {
		return
	}
	s.cool(e, true)
	e.meta, e.octets = m, octets
	e.memory = m.memory() + int64(len(octets))
	s.memory += e.memory
	e.hotSlot = len(s.hot)
	s.hot = append(s.hot, e)
	for tries := 0; s.memory > s.o.Memory && tries < 8; tries++ {
		victim := leastUsed(s.hot, func(e *entry) bool { return e.saved && !s.pending[e] || e.octets != nil })
		if victim == nil {
			break
		}
		s.cool(victim, victim.saved && !s.pending[victim])
	}
}

// cool takes e's body out of memory, and all else too if whole.
func (s *Store) cool(e *entry, whole bool) {
	if e.hotSlot < 0 {
		return
	}
	if !whole {
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
	last := s.hot[len(s.hot)-1]
	s.hot[e.hotSlot], last.hotSlot = last, e.hotSlot
	s.hot = s.hot[:len(s.hot)-1]
	e.hotSlot = -1
}

// hit is an answer that was found: the entry, and what it was when it was found.
type hit struct {
	*entry
	meta   *meta
	octets []byte
}

// lookup returns the answer for a request's URL and header, the newest if there are
// several; ok is false if there is none. others reports whether there are answers
// that the header does not select.
func (s *Store) lookup(k key, url string, h http.Header) (found hit, others, ok bool) {
	now := s.now().UnixNano()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.table[k] {
		if e.meta == nil {
			s.mu.Unlock()
			s.load(e)
			s.mu.Lock()
		}
		switch {
		case e.meta == nil || e.dead || e.meta.url != url:
		case !e.meta.selects(h):
			others = true
		case !ok || e.meta.received.After(found.meta.received):
			found, ok = hit{e, e.meta, e.octets}, true
		}
	}
	if ok && !found.dead && now > found.used {
		found.used = now
		s.touched[found.entry] = true
	}
	return found, others, ok
}

// load takes what the index has of e into memory.
func (s *Store) load(e *entry) {
	m, err := s.index.load(e.key, e.id)
	s.mu.Lock()
	defer s.unlock()
	switch {
	case e.meta != nil || e.dead:
	case err != nil:
		s.note(fmt.Errorf("cache: %w", err))
		s.drop(e)
	default:
		s.heat(e, m, nil)
	}
}

// small returns the octets of a small body. They are read once, and held against
// their checksum: what was written when the machine went down may be there in name
// only.
func (s *Store) small(e *entry) ([]byte, error) {
	octets, err := os.ReadFile(e.body.path)
	if err == nil && (int64(len(octets)) != e.size || crc64.Checksum(octets, sumTable) != e.sum) {
		err = fmt.Errorf("cache: %w: a body is not what was written", store.ErrDamaged)
	}
	s.mu.Lock()
	defer s.unlock()
	if err != nil {
		s.drop(e)
		return nil, err
	}
	if !e.dead && e.meta != nil && e.octets == nil {
		s.heat(e, e.meta, octets)
	}
	return octets, nil
}

// commit makes e, which f fetched, the answer for requests like f's. It takes the
// place of what was, and of what the disk was to hold for f. It reports whether it
// did, which nothing does that came too late.
func (s *Store) commit(f *flight, e *entry, m *meta) bool {
	s.mu.Lock()
	defer s.unlock()
	s.total -= f.promise
	s.promised -= f.promise
	if f.invalid || s.closed || !s.makeRoom(e.cost) {
		return false
	}
	h := f.req.Header
	list := s.table[e.key]
	for _, old := range list {
		if old.meta != nil && (old.meta.selects(h) || old.meta.url != m.url) {
			s.drop(old)
		}
	}
	if list = s.table[e.key]; len(list) >= maxVariants {
		s.drop(leastUsed(list, nil))
	}
	e.used = s.now().UnixNano()
	s.add(e)
	s.pending[e] = true
	s.heat(e, m, f.octets)
	s.count.stored.Add(1)
	return true
}

// renew gives e another meta, as a 304 has it.
func (s *Store) renew(e *entry, m *meta) {
	s.mu.Lock()
	defer s.unlock()
	if e.dead {
		return
	}
	if m.cc.noStore || m.cc.private {
		s.drop(e)
		return
	}
	s.total += cost(m) - e.cost
	e.cost = cost(m)
	s.pending[e] = true
	s.heat(e, m, e.octets)
}

// forget drops e, and with it what is stored no longer.
func (s *Store) forget(e *entry) {
	s.mu.Lock()
	defer s.unlock()
	s.drop(e)
}

// purge forgets all answers that have a key, and sees to it that none that is being
// fetched now is stored.
func (s *Store) purge(k key) (n int) {
	s.mu.Lock()
	defer s.unlock()
	for _, f := range s.flights[k] {
		f.invalid = true
	}
	delete(s.flights, k)
	for _, e := range s.table[k] {
		s.drop(e)
		n++
	}
	return n
}

// Purge forgets all answers for u, and returns how many these were. What is being
// fetched at that time is not stored.
func (s *Store) Purge(u locus.URL) int {
	u, ok := s.canonical(u)
	if !ok {
		return 0
	}
	return s.purge(keyOf(u.String()))
}

// PurgeAll forgets everything, and returns how many answers that was.
func (s *Store) PurgeAll() (n int) {
	s.mu.Lock()
	defer s.unlock()
	for k, list := range s.flights {
		for _, f := range list {
			f.invalid = true
		}
		delete(s.flights, k)
	}
	for len(s.all) > 0 {
		s.drop(s.all[len(s.all)-1])
		n++
	}
	return n
}

// Stats returns what the store holds and did.
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

// Close ends what is being fetched for the store, writes down what is not yet
// written, and gives the folder free. Transports of the store go on without it.
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

func (s *Store) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// failed notes that the disk did not take something.
func (s *Store) failed(err error) {
	s.count.failed.Add(1)
	until := s.now().Add(muteTime)
	s.mu.Lock()
	first := s.mute.Before(until.Add(-muteTime))
	s.mute = until
	s.mu.Unlock()
	if first {
		s.note(fmt.Errorf("cache: nothing is stored for %v: %w", muteTime, err))
	}
}

// canonical is the URL by which answers for u are found. ok is false if nothing is
// ever stored for u.
func (s *Store) canonical(u locus.URL) (c locus.URL, ok bool) {
	// A URL that was mistyped may have a password where the grammar knows of none.
	if _, known := u.User(); known || u.Redacted() != u.String() {
		return u, false
	}
	c, _, err := s.registry.Canonical(u.WithoutFragment())
	return c, err == nil
}
