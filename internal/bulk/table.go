package bulk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// table is a hash set of keys with open addressing. A table that counts stores a number for
// each key. The zero table is empty.
type table struct {
	slots  []byte // slots of width bytes, each with a key and its number; a zero key marks a free slot
	width  int
	size   uint64 // number of slots
	used   int
	most   int // maximum number of keys before the table must grow
	memory int // maximum size of slots, in bytes
}

var errFull = errors.New("bulk: the table is full")

const firstSlots = 64

// newTable returns a table that may grow to the given memory in bytes, but at least to
// firstSlots slots.
func newTable(memory int64, counts bool) table {
	t := table{width: keySize}
	if counts {
		t.width += 8
	}
	t.memory = max(int(min(memory, 1<<40)), firstSlots*t.width)
	return t
}

// slotOffset returns the offset of the slot at which the search for k begins.
func (t *table) slotOffset(k Key) int {
	slot, _ := bits.Mul64(k[1], t.size)
	return int(slot) * t.width
}

// find returns the offset of the slot that contains k, or of a free slot for k.
func (t *table) find(k Key) (at int, found bool) {
	at = t.slotOffset(k)
	for {
		b := t.slots[at : at+keySize]
		first := binary.LittleEndian.Uint64(b)
		if first == k[0] && binary.LittleEndian.Uint64(b[8:]) == k[1] {
			return at, true
		}
		if first == 0 {
			return at, false
		}
		if at += t.width; at == len(t.slots) {
			at = 0
		}
	}
}

func (t *table) has(k Key) bool {
	if t.size == 0 {
		return false
	}
	_, found := t.find(k)
	return found
}

// add adds n occurrences of k. If k is new and the table is full, add does not add k, and isFull
// is true.
func (t *table) add(k Key, n uint64) (isNew, isFull bool, err error) {
	if t.used == t.most {
		if t.has(k) {
			t.count(k, n)
			return false, false, nil
		}
		if grown, err := t.grow(); err != nil || !grown {
			return false, true, err
		}
	}
	at, found := t.find(k)
	if !found {
		binary.LittleEndian.PutUint64(t.slots[at:], k[0])
		binary.LittleEndian.PutUint64(t.slots[at+8:], k[1])
		t.used++
	}
	if t.width > keySize {
		t.addCount(at, n)
	}
	return !found, false, nil
}

func (t *table) addCount(at int, n uint64) {
	count := t.slots[at+keySize : at+keySize+8]
	binary.LittleEndian.PutUint64(count, binary.LittleEndian.Uint64(count)+n)
}

func (t *table) count(k Key, n uint64) bool {
	if t.size == 0 {
		return false
	}
	at, found := t.find(k)
	if found && t.width > keySize {
		t.addCount(at, n)
	}
	return found
}

// takeNumber returns the number of k, and sets the number to zero. The table must contain k.
func (t *table) takeNumber(k Key) uint64 {
	at, _ := t.find(k)
	n := t.slots[at+keySize : at+keySize+8]
	count := binary.LittleEndian.Uint64(n)
	binary.LittleEndian.PutUint64(n, 0)
	return count
}

// grow doubles the size of t, up to the limit. The result reports whether t has grown.
func (t *table) grow() (bool, error) {
	slots := max(firstSlots, 2*t.size)
	if most := uint64(t.memory / t.width); slots > most {
		// Growing by less than a sixteenth is not worth the cost.
		if slots = most; slots < t.size+t.size/16+1 {
			return false, nil
		}
	}
	old := t.slots
	b, err := allocate(int(slots) * t.width)
	if err != nil {
		return false, fmt.Errorf("%d bytes of memory for a table: %w", int(slots)*t.width, err)
	}
	t.slots, t.size, t.most = b, slots, int(slots-slots/4)
	for at := 0; at < len(old); at += t.width {
		if k := readKey(old[at:]); k[0] != 0 {
			to, _ := t.find(k)
			copy(t.slots[to:], old[at:at+t.width])
		}
	}
	release(old)
	return true, nil
}

// clear removes all keys from t, but retains its memory.
func (t *table) clear() {
	clear(t.slots)
	t.used = 0
}

func (t *table) close() {
	release(t.slots)
	*t = table{width: t.width, memory: t.memory}
}
