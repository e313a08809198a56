//go:build !amd64 || purego

package octet

const hasAVX2 = false

// Scan returns zeros, because no vector code exists for this processor.
func Scan(text string) (ends, rest, found uint64) { return 0, 0, 0 }
