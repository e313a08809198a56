//go:build purego

package octet

// View returns octets as a string.
func View(octets []byte) string { return string(octets) }
