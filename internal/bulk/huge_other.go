//go:build unix && !linux

package bulk

func adviseHuge([]byte) {}
