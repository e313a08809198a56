//go:build !unix

package bench

import (
	"os"
	"time"
)

var start = time.Now()

// Clock returns the time since the process started.
func Clock() time.Duration { return time.Since(start) }

// peakMemory returns 0, because the peak memory is unknown on this system.
func peakMemory(*os.ProcessState) int64 { return 0 }
