//go:build !linux

package access

import "net"

// readUrgent can't tell, and leaves it to the system where urgent data goes.
func readUrgent(c *net.TCPConn, p []byte) (n int, urgent bool, err error) {
	n, err = c.Read(p)
	return n, false, err
}
