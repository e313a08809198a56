package syntax_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/locus-url/locus/cmd/locus/internal/commands"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
)

// benchmarkLines is a typical list of URLs: most are canonical, some are not, and a few are not
// URLs.
func benchmarkLines(n int) string {
	var b strings.Builder
	for i := range n {
		switch i % 10 {
		case 0:
			fmt.Fprintf(&b, "HTTP://www.Example.com:80/%%7Euser%d/index.html\n", i)
		case 1:
			fmt.Fprintf(&b, "ftp://ftp.example.net/pub/dists/stable/file-%d.tar.gz;type=i\n", i)
		case 2:
			fmt.Fprintf(&b, "http://www.example.com/cgi-bin/search?q=word+%d&lang=en\n", i)
		case 3:
			fmt.Fprintf(&b, "gopher://gopher.example.org/1/archive/%d\n", i)
		default:
			fmt.Fprintf(&b, "http://host%d.example.com/some/path/to/a/page%d.html\n", i%1000, i)
		}
	}
	return b.String()
}

func benchmarkCanonical(b *testing.B, args ...string) {
	const lines = 100_000
	input := benchmarkLines(lines)
	b.SetBytes(int64(len(input)))
	b.ReportAllocs()
	for b.Loop() {
		a := base.New(context.Background(), strings.NewReader(input), io.Discard, io.Discard, clitest.NoEnv)
		if status := commands.Run(a, append([]string{"canonical"}, args...)); status != base.StatusDone {
			b.Fatalf("status %d", status)
		}
	}
	b.ReportMetric(float64(lines*b.N)/b.Elapsed().Seconds(), "URLs/s")
}

func BenchmarkCanonical(b *testing.B)       { benchmarkCanonical(b, "-") }
func BenchmarkCanonicalUnique(b *testing.B) { benchmarkCanonical(b, "--unique", "-") }
