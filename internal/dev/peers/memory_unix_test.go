//go:build unix

package peers

import (
	"os"
	"runtime"
	"syscall"
)

// maxMemory returns the peak resident memory of the process, in bytes.
func maxMemory(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) * 1024
}
