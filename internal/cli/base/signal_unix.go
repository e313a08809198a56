//go:build unix

package base

import (
	"os"
	"syscall"
)

// HangUpSignal returns the signal that the terminal is gone.
func HangUpSignal() os.Signal { return syscall.SIGHUP }
