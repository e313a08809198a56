//go:build purego

package octet

// View returns octets as a text.
func View(octets []byte) string { return string(octets) }
