//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package transfer

import (
	"errors"
	"os"
)

// lockFile locks nothing: package syscall has no locks for this system.
func lockFile(*os.File) error { return errors.ErrUnsupported }
