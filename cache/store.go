package cache

import (
	"net/http"
	"time"

	"github.com/locus-url/locus"
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
	// Canonical gives the one spelling of a URL by which it is found again, as
	// Registry.Canonical of package scheme does. nil: scheme and host in lower case.
	Canonical func(locus.URL) (locus.URL, error)
	// Ages says for how long an answer is good that HTTP has no rules for; 0: not at
	// all. nil: [Age].
	Ages func(u locus.URL, h http.Header) time.Duration
	// Name is what the store is called in Cache-Status; empty: "locus".
	Name string
	// Now is the clock; nil: [time.Now].
	Now func() time.Time
	// Note is told what is no error of a request, and good to know: that the index
	// was damaged and made anew, that the disk takes nothing. It may be called from
	// many goroutines at once. nil: nobody listens.
	Note func(error)
}

// Store is a folder of answers. It may be used from many goroutines at once.
type Store struct{ o Options }

// Stats are what a store holds, and what it did since it was opened.
type Stats struct {
	Entries int   // answers that are kept
	Size    int64 // octets of disk that they take
	Memory  int64 // octets of memory that hold some of them

	Hits      uint64 // answered from the store without asking anybody
	Stale     uint64 // of these, with what is no longer fresh
	Validated uint64 // answered from the store after asking whether it is still right
	Collapsed uint64 // answered with what another request was fetching already
	Misses    uint64 // fetched, and kept if it may be
	Passed    uint64 // requests that have nothing to do with the store
	Stored    uint64 // answers that were stored
	Evicted   uint64 // answers that made room for others
	Failed    uint64 // answers that were not stored because the disk did not take them
}

// Open opens the store in the folder dir, which is made if it is not there. o may be
// nil.
func Open(dir string, o *Options) (*Store, error) {
	s := new(Store)
	if o != nil {
		s.o = *o
	}
	return s, nil
}

// Transport returns a RoundTripper that answers from the store, and asks next for
// what is not there.
func (s *Store) Transport(next http.RoundTripper) http.RoundTripper { return next }

// Stats returns what the store holds and did.
func (s *Store) Stats() Stats { return Stats{} }

// Purge forgets all answers for u, and returns how many these were.
func (s *Store) Purge(u locus.URL) int { return 0 }

// PurgeAll forgets everything, and returns how many answers that was.
func (s *Store) PurgeAll() int { return 0 }

// Close writes down what is not yet written, and gives the folder free. Transports
// of the store go on without it.
func (s *Store) Close() error { return nil }

// Age is for how long an answer is good that HTTP has no rules for.
func Age(u locus.URL, h http.Header) time.Duration { return 0 }
