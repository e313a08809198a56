//go:build !linux

package access

import "syscall"

// reportUndelivered is of no avail: a datagram that was refused is one that was
// lost, as it is for sockets that are not connected.
func reportUndelivered(string, string, syscall.RawConn) error { return nil }
