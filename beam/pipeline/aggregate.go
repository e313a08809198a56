package pipeline

import (
	"strings"
)

// aggregate combines the tallies of a bundle, so that a worker sends each key once per bundle. It
// works with every runner, including runners that don't lift combiners. If a key is hot (that is,
// very frequent in the bundle), aggregate sends its tallies to the function hot with different
// salts (prefixes of the key).
type aggregate struct {
	keep      int  // maximum number of samples
	each      bool // emit each tally without combining it with others
	salts     int
	cold, hot func([]byte, Tally)

	tallies   map[string]*counted
	held      int   // approximate memory use of the tallies, in bytes
	records   int64 // records since the last flush
	next      int   // the next salt
	frequent  frequent
	sent      int64 // number of emitted bytes
	sentCount int64 // number of emitted tallies
}

// counted is a tally and the number of records that it combines.
type counted struct {
	Tally
	records int64
}

const (
	// maxHeld limits the memory for the tallies of a bundle.
	maxHeld = 64 << 20
	// entryCost is the approximate size of a map entry without its key.
	entryCost = 112
	// hotShare determines which keys are hot. A key is hot if its share of all records is at
	// least 1/hotShare.
	hotShare = 16
	// hotLeast is the minimum number of records for a hot key.
	hotLeast = 1000
)

// add adds t to the tally of the given key. The caller may change the bytes of the key after the
// call.
func (a *aggregate) add(key string, t Tally) {
	a.records++
	if a.each {
		n := a.frequent.count(key)
		a.emit(key, t, n)
		return
	}
	c := a.tallies[key]
	if c == nil {
		if a.tallies == nil {
			a.tallies = map[string]*counted{}
		}
		c = &counted{}
		a.tallies[strings.Clone(key)] = c
		a.held += len(key) + entryCost
	}
	c.records++
	before := len(c.Samples)
	c.Tally.add(t, a.keep)
	for _, s := range c.Samples[min(before, len(c.Samples)):] {
		a.held += len(s)
	}
	if a.held >= maxHeld {
		a.flush()
	}
}

// flush emits the combined tallies.
func (a *aggregate) flush() {
	for key, c := range a.tallies {
		a.emit(key, c.Tally, c.records)
	}
	clear(a.tallies)
	a.held, a.records = 0, 0
	a.frequent = frequent{}
}

// emit emits the tally of a key. The parameter records is the number of records that the tally
// combines.
func (a *aggregate) emit(key string, t Tally, records int64) {
	a.sentCount++
	a.sent += int64(len(key) + len(encodeTally(t)))
	if a.salts <= 1 || records < hotLeast || records < a.records/hotShare {
		a.cold([]byte(key), t)
		return
	}
	a.next = (a.next + 1) % a.salts
	a.hot(append([]byte{byte(a.next)}, key...), t)
}

// frequent counts frequent keys in constant memory with the algorithm of Misra and Gries. The
// count of a key never exceeds the actual number of occurrences.
type frequent struct{ counts map[string]int64 }

// frequentKeys is the maximum number of keys that frequent counts at the same time. It is twice
// the maximum number of hot keys.
const frequentKeys = 2 * hotShare

// count counts an occurrence of the key, and returns a lower bound for the total number of
// occurrences.
func (f *frequent) count(key string) int64 {
	if n, ok := f.counts[key]; ok {
		f.counts[key] = n + 1
		return n + 1
	}
	if f.counts == nil {
		f.counts = map[string]int64{}
	}
	if len(f.counts) < frequentKeys {
		f.counts[strings.Clone(key)] = 1
		return 1
	}
	for k, n := range f.counts {
		if n == 1 {
			delete(f.counts, k)
		} else {
			f.counts[k] = n - 1
		}
	}
	return 0
}

// unsaltFn removes the salt from each key.
type unsaltFn struct{}

// ProcessElement implements the Beam DoFn method.
func (*unsaltFn) ProcessElement(key []byte, t Tally) ([]byte, Tally) { return key[1:], t }
