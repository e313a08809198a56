package syntax_test

import (
	"context"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/locus-url/locus/cmd/locus/internal/commands"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
)

// lineSource is a standard input with n different URLs. It measures the memory use at intervals.
type lineSource struct {
	n    int
	left string
	most uint64
}

func (s *lineSource) Read(p []byte) (int, error) {
	if s.left == "" {
		if s.n == 0 {
			return 0, io.EOF
		}
		block := min(s.n, 1000)
		var b strings.Builder
		for i := range block {
			b.WriteString("HTTP://h/" + strings.Repeat("x", i%50) + strings.Repeat("y", (s.n-i)%100) + "\n")
		}
		s.n -= block
		s.left = b.String()
		if s.n%100_000 == 0 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			s.most = max(s.most, m.HeapAlloc)
		}
	}
	n := copy(p, s.left)
	s.left = s.left[n:]
	return n, nil
}

func TestCanonicalStreams(t *testing.T) {
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	source := &lineSource{n: 1_000_000}
	a := base.New(context.Background(), source, io.Discard, io.Discard, clitest.NoEnv)
	if status := commands.Run(a, []string{"canonical", "-"}); status != base.StatusDone {
		t.Fatalf("status %d, want status %d", status, base.StatusDone)
	}
	// The input is 60 MB. Each processor holds some blocks.
	if source.most > before.HeapAlloc+20<<20+uint64(runtime.GOMAXPROCS(0))<<22 {
		t.Errorf("%d octets in use, %d before", source.most, before.HeapAlloc)
	}
}
