package pipeline

import (
	"strings"
)

// aggregate collects the tallies of a bundle, so that a key crosses the network once,
// however often it came. This works with every runner, also with those that don't lift
// combiners. A key that has much of a bundle goes to hot, under different salts.
type aggregate struct {
	keep      int  // samples
	each      bool // do not collect: emit each tally
	salts     int
	cold, hot func([]byte, Tally)

	tallies   map[string]*counted
	held      int   // octets of memory, about
	records   int64 // since the last flush
	next      int   // the next salt
	frequent  frequent
	sent      int64 // octets that were emitted
	sentCount int64 // tallies that were emitted
}

// counted is a tally and how many records it is of.
type counted struct {
	Tally
	records int64
}

const (
	// maxHeld is how much memory the tallies of a bundle may take.
	maxHeld = 64 << 20
	// entryCost is about what an entry of a map takes beside its key.
	entryCost = 112
	// hotShare: a key with one of so many records is hot.
	hotShare = 16
	// hotLeast is how many records a hot key has at least.
	hotLeast = 1000
)

// add adds t to the tally of key, which may change afterwards.
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

// flush emits what was collected.
func (a *aggregate) flush() {
	for key, c := range a.tallies {
		a.emit(key, c.Tally, c.records)
	}
	clear(a.tallies)
	a.held, a.records = 0, 0
	a.frequent = frequent{}
}

// emit emits the tally of a key that so many records had.
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

// frequent counts the keys that may be frequent, in constant memory: it is the algorithm of
// Misra and Gries. A count is never too high.
type frequent struct{ counts map[string]int64 }

// frequentKeys is how many keys are counted: twice as many as can be hot.
const frequentKeys = 2 * hotShare

// count returns how often key came, or less.
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

// unsaltFn removes the salt of a key.
type unsaltFn struct{}

// ProcessElement implements the SDK's DoFn.
func (*unsaltFn) ProcessElement(key []byte, t Tally) ([]byte, Tally) { return key[1:], t }
