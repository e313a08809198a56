package access

import (
	"io"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// readUrgent reads from c, and reports whether the bytes that it read begin with urgent data. The
// kernel ends a read where urgent data begins, so urgent data is always first. Urgent data stays in
// the stream (SO_OOBINLINE), because otherwise a read can't wait for it.
func readUrgent(c *net.TCPConn, p []byte) (n int, urgent bool, err error) {
	if len(p) == 0 {
		return 0, false, nil
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, false, err
	}
	var failed error
	err = raw.Read(func(fd uintptr) (done bool) {
		if failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_OOBINLINE, 1); failed != nil {
			return true
		}
		// The kernel knows the urgent mark only after its byte has arrived. With the peek, no
		// urgent byte arrives unnoticed between the two calls.
		if n, failed = receive(int(fd), p[:1], syscall.MSG_PEEK); failed != nil || n == 0 {
			return failed != syscall.EAGAIN
		}
		mark, markErr := unix.IoctlGetInt(int(fd), unix.SIOCATMARK)
		n, failed = receive(int(fd), p, 0)
		urgent = markErr == nil && mark == 1 && n > 0
		return failed != syscall.EAGAIN
	})
	switch {
	case err != nil:
		return 0, false, err
	case failed != nil:
		return 0, false, &net.OpError{Op: "read", Net: "tcp", Addr: c.RemoteAddr(), Err: failed}
	case n == 0:
		return 0, false, io.EOF
	}
	return n, urgent, nil
}

// receive calls recv(2), and repeats the call after EINTR.
func receive(fd int, p []byte, flags int) (n int, err error) {
	for {
		if n, _, err = syscall.Recvfrom(fd, p, flags); err != syscall.EINTR {
			return max(n, 0), err
		}
	}
}
