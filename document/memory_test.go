package document_test

import (
	"runtime"
	"testing"

	"github.com/locus-url/locus/document"
)

// Plain text of any length must need the same small amount of memory.
func TestMemory(t *testing.T) {
	const size, most = 64 << 20, 24 << 20
	var stats runtime.MemStats
	n, peak := 0, uint64(0)
	for _, err := range document.Links(&endless{size}, "a.txt", nil) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n%100_000 == 0 {
			runtime.GC() // on a busy machine, there may be much garbage
			runtime.ReadMemStats(&stats)
			peak = max(peak, stats.HeapAlloc)
		}
	}
	if n < size/100 || peak > most {
		t.Errorf("%d URLs, %d octets of memory, and %d are the most", n, peak, int64(most))
	}
}
