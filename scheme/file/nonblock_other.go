//go:build !unix

package file

// nonblock is zero, because opening a file never blocks on this system.
const nonblock = 0
