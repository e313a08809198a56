//go:build unix

package walk

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// If a pipe has replaced a file, Open does not wait for a writer.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	name, pipe := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := os.WriteFile(name, []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{name: "text", pipe: ""} {
		f, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(f); string(got) != want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		f.Close()
	}
}
