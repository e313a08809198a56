//go:build !linux

package bulk

func machineMemory() int64 { return 0 }
