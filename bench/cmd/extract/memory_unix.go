//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// residentMemory returns the most memory that a process had, in octets.
func residentMemory(p *os.ProcessState) int64 {
	r, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(r.Maxrss)
	}
	return int64(r.Maxrss) << 10
}
