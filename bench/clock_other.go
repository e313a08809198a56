//go:build !unix

package bench

import "time"

var start = time.Now()

// Clock returns the time that has passed.
func Clock() time.Duration { return time.Since(start) }
