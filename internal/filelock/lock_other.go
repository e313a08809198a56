//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package filelock

import (
	"errors"
	"os"
)

// lock always fails, because package syscall does not support locks on this system.
func lock(*os.File) error { return errors.ErrUnsupported }
