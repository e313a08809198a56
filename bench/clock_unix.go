//go:build unix

package bench

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// Clock returns the processor time of this process. Other programs on the machine have little
// influence on this time.
func Clock() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// peakMemory returns the peak memory of a process in bytes, or 0 if the value is unknown.
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
