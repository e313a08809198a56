//go:build !unix

package file

// nonblock is nothing: opening waits for nobody here.
const nonblock = 0
