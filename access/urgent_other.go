//go:build !linux

package access

import "net"

// readUrgent reads from c. It never reports urgent data on this system.
func readUrgent(c *net.TCPConn, p []byte) (n int, urgent bool, err error) {
	n, err = c.Read(p)
	return n, false, err
}
