package bulk

import "math"

// unknownMemory is what a machine is taken to have if it does not tell.
const unknownMemory = 4 << 30

// MachineMemory returns the memory of the machine in octets, or the limit for the group of
// processes if that is lower.
func MachineMemory() int64 {
	n := machineMemory()
	if n <= 0 {
		n = unknownMemory
	}
	if math.MaxInt == math.MaxInt32 {
		n = min(n, 1<<30) // addresses
	}
	return n
}
