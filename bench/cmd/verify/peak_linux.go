package main

import (
	"os"
	"syscall"
)

// peak is the most memory that a process had, in octets.
func peak(s *os.ProcessState) int64 {
	if r, ok := s.SysUsage().(*syscall.Rusage); ok {
		return int64(r.Maxrss) << 10
	}
	return 0
}
