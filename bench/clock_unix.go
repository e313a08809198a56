//go:build unix

package bench

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// Clock returns the processor time of this process, on which other programs on the
// machine have little influence.
func Clock() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// peakMemory returns the most memory that a process had, in bytes; 0: unknown.
func peakMemory(p *os.ProcessState) int64 {
	r, ok := p.SysUsage().(*syscall.Rusage)
	switch {
	case !ok:
		return 0
	case runtime.GOOS == "darwin":
		return int64(r.Maxrss)
	}
	return int64(r.Maxrss) << 10
}
