//go:build unix

package bulk

import "syscall"

// allocate returns n zero bytes outside the garbage-collected heap. In the heap, the garbage
// collector would free old tables late, and let the heap grow in proportion to the tables.
func allocate(n int) ([]byte, error) {
	// Do not use huge pages, which make lookups 5 % faster, but cost seconds if memory is
	// fragmented.
	return syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

func release(b []byte) {
	if len(b) > 0 {
		_ = syscall.Munmap(b) // b must come from allocate
	}
}
