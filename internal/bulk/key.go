package bulk

import (
	"encoding/binary"
	"hash/maphash"
)

// Key is a keyed hash of 128 bits. Texts with equal keys count as equal. The probability that two
// of 10^9 different texts have the same key is below 1 in 10^20.
type Key [2]uint64

// Hasher creates keys. Each Hasher creates different keys, so that an attacker can't prepare
// texts with equal keys. A Hasher may be used concurrently.
type Hasher [2]maphash.Seed

// NewHasher returns a Hasher with random seeds.
func NewHasher() Hasher { return Hasher{maphash.MakeSeed(), maphash.MakeSeed()} }

// Key returns the key of text, which is never zero.
func (h *Hasher) Key(text []byte) Key {
	return Key{maphash.Bytes(h[0], text) | 1, maphash.Bytes(h[1], text)}
}

// KeyOf is like Key, but for a string.
func (h *Hasher) KeyOf(text string) Key {
	return Key{maphash.String(h[0], text) | 1, maphash.String(h[1], text)}
}

const keySize = 16

func (k Key) append(b []byte) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, k[0]), k[1])
}

// readKey reads a key from the beginning of b.
func readKey(b []byte) Key {
	return Key{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
}

// digit returns the byte of k at the given level. Level 0 is the highest byte. A digit is the
// number of a key's partition when a stream is divided. Tables use the other half of the key
// first.
func (k Key) digit(level int) byte {
	if level < 8 {
		return byte(k[0] >> (56 - 8*level))
	}
	return byte(k[1] >> (8 * (level - 8)))
}
