package access

import (
	"strings"
	"syscall"
)

// ipv6RecvErr is IPV6_RECVERR of linux/in6.h, which package syscall lacks.
const ipv6RecvErr = 25

// reportUndelivered makes the system report a refused datagram as an error, so that the
// client need not wait for a timeout. By default only connected sockets report it.
func reportUndelivered(network, _ string, raw syscall.RawConn) error {
	level, option := syscall.IPPROTO_IP, syscall.IP_RECVERR
	if strings.HasSuffix(network, "6") {
		level, option = syscall.IPPROTO_IPV6, ipv6RecvErr
	}
	return raw.Control(func(fd uintptr) {
		// Without the option, a refused datagram ends in a timeout.
		_ = syscall.SetsockoptInt(int(fd), level, option, 1)
	})
}
