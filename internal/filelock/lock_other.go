//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package filelock

import (
	"errors"
	"os"
)

// lock has no implementation here: package syscall has no locks for this system.
func lock(*os.File) error { return errors.ErrUnsupported }
