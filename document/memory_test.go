package document_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/locus-url/locus/document"
)

// Plain text of any length needs the same little memory.
func TestMemory(t *testing.T) {
	const size, most = 64 << 20, 24 << 20
	var stats runtime.MemStats
	n, peak := 0, uint64(0)
	for _, err := range document.Links(&endless{size}, "a.txt", nil) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n%100_000 == 0 {
			runtime.GC() // garbage is as much as a busy machine lets it be
			runtime.ReadMemStats(&stats)
			peak = max(peak, stats.HeapAlloc)
		}
	}
	if n < size/100 || peak > most {
		t.Errorf("%d URLs, %d octets of memory, and %d are the most", n, peak, int64(most))
	}
}

// A tiny message of an mbox takes memory as its size is, and not as buffers are: it was
// 470 KiB, most of the time that extract took.
func TestTinyMessages(t *testing.T) {
	const n, most = 1000, 24 << 10
	text := tinyMbox(n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found := 0
	for _, err := range document.Links(strings.NewReader(text), "tiny.mbox", nil) {
		if err != nil {
			t.Fatal(err)
		}
		found++
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / n; each > most || found < n {
		t.Errorf("%d octets a message, %d are enough; %d links", each, most, found)
	}
}
