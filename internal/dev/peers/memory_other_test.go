//go:build !unix

package peers

import "os"

// maxMemory is not known here; the servers of these tests don't run here either.
func maxMemory(*os.ProcessState) int64 { return 0 }
