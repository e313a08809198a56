//go:build !linux

package telnettest

import "net"

// sendUrgent sends nothing: there is no urgent data here.
func sendUrgent(net.Conn, byte) error { return nil }
