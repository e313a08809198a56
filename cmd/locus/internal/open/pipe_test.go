package open_test

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/locus-url/locus/cmd/locus/internal/commandtest"
	"github.com/locus-url/locus/internal/command/base"
)

// badInput is a standard input whose reads fail.
type badInput struct{}

func (badInput) Read([]byte) (int, error) { return 0, os.ErrPermission }

// The command reports failures of pipes.
func TestOpenPipe(t *testing.T) {
	t.Parallel()
	url := "telnet://" + commandtest.StartTelnet(t, func(c io.ReadWriter) {
		io.WriteString(c, "hello\r\n")
		io.Copy(io.Discard, c)
	}) + "/"
	got := commandtest.Run(t, func(a *base.App) { a.In = badInput{} }, "open", url)
	if got.Status != base.StatusAccess || !strings.Contains(got.Err, "permission denied") || got.Out != "hello\r\n" {
		t.Errorf("Run(open, %q) = %+v, want status %d, %q in err and out %q", url, got, base.StatusAccess, "permission denied", "hello\r\n")
	}
	// If the host ends the session, the command ignores the remaining input.
	url = "telnet://" + commandtest.StartTelnet(t, func(c io.ReadWriter) { io.WriteString(c, "bye\r\n") }) + "/"
	got = commandtest.Run(t, func(a *base.App) { a.In = manyLines{} }, "open", url)
	if got.Status != 0 && !strings.Contains(got.Err, "reset") || got.Out != "bye\r\n" {
		t.Errorf("Run(open, %q) = %+v, want out %q", url, got, "bye\r\n")
	}
	ctx, cancel := context.WithCancel(t.Context())
	url = "telnet://" + commandtest.StartTelnet(t, func(c io.ReadWriter) {
		io.WriteString(c, "hello\r\n")
		cancel()
		io.Copy(io.Discard, c)
	}) + "/"
	got = commandtest.Run(t, func(a *base.App) {
		a.Context = ctx
		a.In, _ = io.Pipe()
	}, "open", url)
	if got.Status != base.StatusInterrupted {
		t.Errorf("Run(open, %q) = %+v, want status %d", url, got, base.StatusInterrupted)
	}
}

// manyLines is an input that never ends.
type manyLines struct{}

func (manyLines) Read(p []byte) (int, error) { return copy(p, "line\n"), nil }

// The command writes the unchanged output of the host to a pipe. Only --safe filters the output.
func TestOpenPipeLevels(t *testing.T) {
	t.Parallel()
	const hello = "\x1b[1mhello\x1b[?1049h\x1b[c\r\n"
	url := "telnet://" + commandtest.StartTelnet(t, func(c io.ReadWriter) { io.WriteString(c, hello) }) + "/"
	for flags, want := range map[string]string{"": hello, "--unsafe-terminal": hello, "--safe": "\x1b[1mhello\r\n"} {
		args := append([]string{"open", url}, strings.Fields(flags)...)
		if got := commandtest.Run(t, func(a *base.App) { a.In = strings.NewReader("") }, args...); got.Out != want {
			t.Errorf("%s: %q, want %q", flags, got.Out, want)
		}
	}
	got := commandtest.Run(t, nil, "open", "--safe", "--unsafe-terminal", url)
	if got.Status != base.StatusUsage || !strings.Contains(got.Err, "be used together") {
		t.Errorf("Run(open, --safe, --unsafe-terminal, %q) = %+v, want status %d and %q in err", url, got, base.StatusUsage, "be used together")
	}
}
