//go:build !unix

package mailstore

// nonblock is 0, because opening a file does not block on this system.
const nonblock = 0
