//go:build !purego

package octet

import "unsafe"

// View returns octets as a string without copying them. The caller must not change the octets
// as long as the string or a part of the string is in use.
func View(octets []byte) string { return unsafe.String(unsafe.SliceData(octets), len(octets)) }
