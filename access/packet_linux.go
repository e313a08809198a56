package access

import (
	"strings"
	"syscall"
)

// ipv6RecvErr is IPV6_RECVERR of linux/in6.h, which package syscall has not.
const ipv6RecvErr = 25

// reportUndelivered has the system report that a datagram was refused, which it
// otherwise does for connected sockets alone: nobody waits a minute for a server
// that is not there.
func reportUndelivered(network, _ string, raw syscall.RawConn) error {
	level, option := syscall.IPPROTO_IP, syscall.IP_RECVERR
	if strings.HasSuffix(network, "6") {
		level, option = syscall.IPPROTO_IPV6, ipv6RecvErr
	}
	return raw.Control(func(fd uintptr) {
		// Without it the end comes later, and that is all.
		_ = syscall.SetsockoptInt(int(fd), level, option, 1)
	})
}
