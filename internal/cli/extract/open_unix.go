//go:build unix

package extract

import (
	"os"
	"syscall"
)

// openFile opens a regular file for reading. [os.Open] makes five more system calls, to
// find out whether the file can be polled: many for a file that is read with two.
func openFile(name string) (*os.File, error) {
	for {
		fd, err := syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		switch err {
		case nil:
			return os.NewFile(uintptr(fd), name), nil
		case syscall.EINTR:
		default:
			return nil, &os.PathError{Op: "open", Path: name, Err: err}
		}
	}
}
