package peers

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// maxVerifyMemory is the maximum memory of a run with 200,000 links, in bytes.
const maxVerifyMemory = 300 << 20

// BenchmarkVerify200k verifies 200,000 different links in 200 documents, and reports the peak
// resident memory of the run.
func BenchmarkVerify200k(b *testing.B) {
	const documents, each = 200, 1000
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "7") {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer s.Close()
	dir := b.TempDir()
	for i := range documents {
		var text strings.Builder
		for j := range each {
			fmt.Fprintf(&text, "- [link %d](%s/some/path/of/usual/length/%d)\n", j, s.URL, i*each+j)
		}
		write(b, filepath.Join(dir, fmt.Sprintf("%d.md", i)), text.String(), 0o644)
	}
	for b.Loop() {
		r := locusIn(b, dir, "verify", "--no-cache", "--allow-private", "--rate", "0", "--per-host", "32", "--format", "markdown", ".")
		if dead := documents * each / 10; r.status != 1 || !strings.Contains(r.out, fmt.Sprintf("%d links in %d documents", documents*each, documents)) || !strings.Contains(r.out, fmt.Sprintf("%d dead", dead)) {
			b.Fatalf("status %d: %s%s", r.status, clip(r.out[max(len(r.out)-300, 0):]), clip(r.err))
		}
		b.ReportMetric(float64(r.memory)/(1<<20), "MiB-resident")
		if r.memory > maxVerifyMemory {
			b.Errorf("%d MiB resident", r.memory>>20)
		}
	}
}
