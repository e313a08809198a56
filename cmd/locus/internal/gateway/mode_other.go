//go:build !unix

package gateway

import "io/fs"

// withMode calls f. This system has no modes of sockets.
func withMode(_ fs.FileMode, f func() error) error { return f() }
