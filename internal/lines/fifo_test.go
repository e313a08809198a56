//go:build unix

package lines

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A named pipe is read as its writer writes, and waiting for a writer can be interrupted.
func TestNamedPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	blocks := make(chan string)
	read := func(ctx context.Context) {
		go func() {
			for b := range Blocks(ctx, []string{pipe}, nil) {
				blocks <- show(t, b, false)
			}
			blocks <- "end"
		}()
	}
	expect := func(want string) {
		t.Helper()
		got := ""
		for got != want {
			select {
			case s := <-blocks:
				if got += s; len(got) > len(want) {
					t.Fatalf("%q, want %q", got, want)
				}
			case <-time.After(testTimeout):
				t.Fatalf("nothing after %q, want %q", got, want)
			}
		}
	}
	read(ctx)
	out, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.WriteString("one\ntwo"); err != nil {
		t.Fatal(err)
	}
	expect(pipe + ":1 \"one\\n\"\n")
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	expect(pipe + ":2 \"two\"\nend")

	read(ctx)
	cancel()
	expect("end")
	// Open the pipe for writing, so that the waiting goroutine ends.
	if out, err = os.OpenFile(pipe, os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
}
