//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package transfer

import (
	"errors"
	"os"
	"syscall"
)

// lockFile locks f without waiting. The error is errLocked if another has locked it,
// and errors.ErrUnsupported where the file system has no locks.
func lockFile(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errLocked
		case errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.EOPNOTSUPP):
			return errors.ErrUnsupported
		}
		return os.NewSyscallError("flock", err)
	}
}
