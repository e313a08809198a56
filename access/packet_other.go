//go:build !linux

package access

import "syscall"

// reportUndelivered does nothing: a refused datagram counts as lost.
func reportUndelivered(string, string, syscall.RawConn) error { return nil }
