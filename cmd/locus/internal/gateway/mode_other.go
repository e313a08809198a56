//go:build !unix

package gateway

import "io/fs"

// withMode calls f. On this system, sockets have no mode.
func withMode(_ fs.FileMode, f func() error) error { return f() }
