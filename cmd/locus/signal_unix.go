//go:build unix

package main

import (
	"os"
	"syscall"
)

// hangUp is the signal that the terminal is gone.
var hangUp os.Signal = syscall.SIGHUP
