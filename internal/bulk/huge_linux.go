package bulk

import "syscall"

// adviseHuge asks for huge pages: lookups are spread over all of b.
func adviseHuge(b []byte) {
	const hugepage = 14 // MADV_HUGEPAGE
	if len(b) >= 2<<20 {
		_ = syscall.Madvise(b, hugepage) // only advice
	}
}
