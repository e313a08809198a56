//go:build !unix

package mailstore

// nonblock is nothing: opening waits for nobody here.
const nonblock = 0
