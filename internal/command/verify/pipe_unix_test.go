//go:build unix

package verify_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/locus-url/locus/internal/command/base"
)

// The command reads data from a pipe like any other document.
func TestPipeDocument(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.md")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() { written <- os.WriteFile(pipe, []byte("[a](none.md) <file:///no/such/file>\n"), 0) }()
	out, errOut, status := runVerify(t, t.Context(), nil, "--no-cache", pipe)
	if err := <-written; err != nil || status != base.StatusNo || strings.Count(out, "dead  ") != 2 || errOut != "" {
		t.Errorf("%v, %d: %s%s, want no error, status %d and no errOut", err, status, out, errOut, base.StatusNo)
	}
}
