package telnettest

import (
	"errors"
	"net"
	"syscall"
)

func sendUrgent(c net.Conn, o byte) error {
	raw, err := c.(*net.TCPConn).SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Write(func(fd uintptr) (done bool) {
		failed = syscall.Sendto(int(fd), []byte{o}, syscall.MSG_OOB, nil)
		return failed != syscall.EAGAIN
	})
	return errors.Join(err, failed)
}
