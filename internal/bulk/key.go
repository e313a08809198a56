package bulk

import (
	"encoding/binary"
	"hash/maphash"
)

// Key is a keyed hash of 128 bits, by which texts are compared. The odds that two of a
// thousand million texts have the same are below 1 to 10^20.
type Key [2]uint64

// Hasher makes keys. They differ from those of another Hasher, so that texts with the same
// key can't be prepared. It may be used concurrently.
type Hasher [2]maphash.Seed

// NewHasher returns a hasher with seeds of its own.
func NewHasher() Hasher { return Hasher{maphash.MakeSeed(), maphash.MakeSeed()} }

// Key returns the key of text, which is never zero.
func (h *Hasher) Key(text []byte) Key {
	return Key{maphash.Bytes(h[0], text) | 1, maphash.Bytes(h[1], text)}
}

// KeyOf is Key for a string.
func (h *Hasher) KeyOf(text string) Key {
	return Key{maphash.String(h[0], text) | 1, maphash.String(h[1], text)}
}

// keySize is the size of a key in octets.
const keySize = 16

func (k Key) append(b []byte) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, k[0]), k[1])
}

// readKey reads a key at the beginning of b.
func readKey(b []byte) Key {
	return Key{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
}

// digit returns one of the octets of k, of which level 0 has the highest. Texts are divided
// by them into partitions. Tables look at the other half of the key first.
func (k Key) digit(level int) byte {
	if level < 8 {
		return byte(k[0] >> (56 - 8*level))
	}
	return byte(k[1] >> (8 * (level - 8)))
}
