//go:build !unix

package main

import "os"

// residentMemory is not known here.
func residentMemory(*os.ProcessState) int64 { return 0 }
