//go:build unix

package extract

import (
	"os"
	"syscall"
)

// openFile opens a regular file to be read. [os.Open] would try first whether it is
// something that can be waited for, with five more calls of the system: many, for
// what is read with two.
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
