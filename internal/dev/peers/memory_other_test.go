//go:build !unix

package peers

import "os"

// maxMemory returns 0, because the value is unknown on this system. The servers of these tests do
// not run on this system either.
func maxMemory(*os.ProcessState) int64 { return 0 }
