//go:build !linux

package telnettest

import "net"

// sendUrgent sends nothing, because this system has no urgent data.
func sendUrgent(net.Conn, byte) error { return nil }
