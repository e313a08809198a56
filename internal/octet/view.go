//go:build !purego

package octet

import "unsafe"

// View returns octets as a string without copying them. They must not change as long
// as the string, or a part of it, is in use.
func View(octets []byte) string { return unsafe.String(unsafe.SliceData(octets), len(octets)) }
