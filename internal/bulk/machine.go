package bulk

import "math"

// unknownMemory is the assumed memory if the system does not report it.
const unknownMemory = 4 << 30

// MachineMemory returns the memory of the machine in bytes, or the limit of the control group if it
// is lower.
func MachineMemory() int64 {
	n := machineMemory()
	if n <= 0 {
		n = unknownMemory
	}
	if math.MaxInt == math.MaxInt32 {
		n = min(n, 1<<30) // limited by the address space
	}
	return n
}
