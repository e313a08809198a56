//go:build !unix

package mailstore

// nonblock is 0: opening a file does not wait on this system.
const nonblock = 0
