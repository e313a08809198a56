package syntax_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/locus-url/locus/cmd/locus/internal/commands"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
)

func TestReadErrorIsAccess(t *testing.T) {
	var errOut strings.Builder
	a := base.New(context.Background(), iotest.ErrReader(errors.New("torn")), io.Discard, &errOut, clitest.NoEnv)
	if status := commands.Run(a, []string{"canonical", "-"}); status != base.StatusAccess || !strings.Contains(errOut.String(), "standard input: torn") {
		t.Errorf("status %d, %q, want status %d and %q in errOut", status, errOut.String(), base.StatusAccess, "standard input: torn")
	}
}

func TestInterruptCancelsRead(t *testing.T) {
	in, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(context.Background())
	var out strings.Builder
	a := base.New(ctx, in, &out, io.Discard, clitest.NoEnv)
	go func() {
		io.WriteString(w, "HTTP://h/\n")
		cancel()
	}()
	if status := commands.Run(a, []string{"canonical", "-"}); status != base.StatusInterrupted {
		t.Errorf("status %d, want status %d", status, base.StatusInterrupted)
	}
}

// TestAnswersBeforeWaiting communicates with the command through two pipes, as another program
// would.
func TestAnswersBeforeWaiting(t *testing.T) {
	in, questions := io.Pipe()
	answers, out := io.Pipe()
	a := base.New(context.Background(), in, out, io.Discard, clitest.NoEnv)
	done := make(chan int)
	go func() {
		done <- commands.Run(a, []string{"canonical", "-"})
		out.Close()
	}()
	for _, host := range []string{"a", "b", "c"} {
		io.WriteString(questions, "HTTP://"+host+"/\n")
		answer := make([]byte, len("http://a/\n"))
		if _, err := io.ReadFull(answers, answer); err != nil || string(answer) != "http://"+host+"/\n" {
			t.Errorf("%q, %v, want no error and answer %q", answer, err, "http://"+host+"/\n")
		}
	}
	questions.Close()
	if status := <-done; status != base.StatusDone {
		t.Errorf("status %d, want status %d", status, base.StatusDone)
	}
}
