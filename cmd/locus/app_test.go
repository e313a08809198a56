package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
	"github.com/locus-url/locus/internal/servetest"
)

// testApp returns an app that reads in and writes nowhere.
func testApp(t *testing.T, in string) *base.App {
	t.Helper()
	return base.New(context.Background(), strings.NewReader(in), io.Discard, io.Discard, clitest.NoEnv)
}

// TestEveryCommandHasExamples makes sure that no subcommand is left out of the
// promise of two examples.
func TestEveryCommandHasExamples(t *testing.T) {
	for _, cmd := range commands(testApp(t, "")) {
		if !cmd.Hidden && len(strings.Split(cmd.Example, "\n")) != 2 {
			t.Errorf("%s has the examples %q", cmd.Name(), cmd.Example)
		}
	}
}

func TestManPages(t *testing.T) {
	dir := t.TempDir()
	if status := runArgs(testApp(t, ""), []string{"man", dir}); status != base.StatusDone {
		t.Fatalf("status %d", status)
	}
	for _, name := range []string{"locus", "locus-parse", "locus-resolve", "locus-configuration", "locus-exit-status"} {
		page, err := os.ReadFile(filepath.Join(dir, name+".1"))
		if err != nil {
			t.Error(err)
			continue
		}
		text := string(page)
		if !strings.HasPrefix(text, `.TH "`+strings.ReplaceAll(strings.ToUpper(name), "-", `\-`)+`" "1"`) || !strings.Contains(text, "\n.SH \"NAME\"\n") {
			t.Errorf("%s begins %.80q", name, text)
		}
		for line := range strings.Lines(text) {
			// A line that begins with a control character must be one of ours.
			if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !strings.Contains(".TH.SH.PP.TP.nf.fi", strings.Fields(line)[0]) {
				t.Errorf("%s has the line %q", name, line)
			}
		}
	}
	if status := runArgs(testApp(t, ""), []string{"man", filepath.Join(dir, "none")}); status != base.StatusAccess {
		t.Errorf("a folder that is not there: status %d", status)
	}
}

// lineSource is a standard input of n different URLs. Now and then it looks at
// the memory in use.
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
		if s.n%20000 == 0 {
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
	if status := runArgs(a, []string{"canonical", "-"}); status != base.StatusDone {
		t.Fatalf("status %d", status)
	}
	// The input is 60 MB. Each processor has blocks.
	if source.most > before.HeapAlloc+20<<20+uint64(runtime.GOMAXPROCS(0))<<22 {
		t.Errorf("%d octets in use, %d before", source.most, before.HeapAlloc)
	}
}

// deadAddress returns a host and port that refuse connections as long as the test runs.
func deadAddress(t *testing.T) string {
	t.Helper()
	dead, err := servetest.Refusing("tcp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dead.Close() })
	return dead.LocalAddr().String()
}
