//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/locus-url/locus/cmd/locus/internal/commands"
	"github.com/locus-url/locus/internal/command/base"
)

// The command waits for an idle pipe, with or without a writer, until the run is interrupted.
func TestPipes(t *testing.T) {
	for _, command := range []string{"verify", "extract"} {
		for _, opened := range []bool{false, true} {
			pipe := filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			if opened {
				// Open the pipe for reading and writing, so that the open does not
				// block.
				w, err := os.OpenFile(pipe, os.O_RDWR, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer w.Close()
			}
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			var out, errOut bytes.Buffer
			a := base.New(ctx, strings.NewReader(""), &out, &errOut, func(string) string { return "" })
			commands.Run(a, []string{command, pipe})
			if ctx.Err() == nil {
				t.Errorf("%s ended: %s%s, want a run that waits for the pipe", command, &out, &errOut)
			}
			if !opened {
				// Open the pipe, so that a process that waits in open can
				// continue.
				if w, err := os.OpenFile(pipe, os.O_RDWR, 0); err == nil {
					w.Close()
				}
			}
		}
	}
}
