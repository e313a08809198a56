//go:build !unix

package file

// nonblock is not needed: opening never blocks.
const nonblock = 0
