package bulk

import "math"

// unknownMemory is the assumed memory if the system does not report it.
const unknownMemory = 4 << 30

// MachineMemory returns the memory of the machine in bytes. If the limit of the control group
// is lower, MachineMemory returns that limit.
func MachineMemory() int64 {
	n := machineMemory()
	if n <= 0 {
		n = unknownMemory
	}
	if math.MaxInt == math.MaxInt32 {
		n = min(n, 1<<30) // a 32-bit address space allows no more
	}
	return n
}
