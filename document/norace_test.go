//go:build !race

package document_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/locus-url/locus/document"
)

// The memory for a tiny message in an mbox must depend on the size of the message, and not on the
// sizes of buffers. With the race detector, the test can't run, because pools lose their buffers.
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
