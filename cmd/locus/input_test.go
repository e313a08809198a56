package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
)

func TestReadErrorIsAccess(t *testing.T) {
	var errOut strings.Builder
	a := base.New(context.Background(), iotest.ErrReader(errors.New("torn")), io.Discard, &errOut, clitest.NoEnv)
	if status := runArgs(a, []string{"canonical", "-"}); status != base.StatusAccess || !strings.Contains(errOut.String(), "standard input: torn") {
		t.Errorf("status %d, %q", status, errOut.String())
	}
}

func TestInterruptEndsTheWait(t *testing.T) {
	in, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(context.Background())
	var out strings.Builder
	a := base.New(ctx, in, &out, io.Discard, clitest.NoEnv)
	go func() {
		io.WriteString(w, "HTTP://h/\n")
		cancel()
	}()
	if status := runArgs(a, []string{"canonical", "-"}); status != base.StatusInterrupted {
		t.Errorf("status %d", status)
	}
}

// TestAnswersBeforeWaiting talks to the command as a program at the other end of
// two pipes does.
func TestAnswersBeforeWaiting(t *testing.T) {
	in, questions := io.Pipe()
	answers, out := io.Pipe()
	a := base.New(context.Background(), in, out, io.Discard, clitest.NoEnv)
	done := make(chan int)
	go func() {
		done <- runArgs(a, []string{"canonical", "-"})
		out.Close()
	}()
	for _, host := range []string{"a", "b", "c"} {
		io.WriteString(questions, "HTTP://"+host+"/\n")
		answer := make([]byte, len("http://a/\n"))
		if _, err := io.ReadFull(answers, answer); err != nil || string(answer) != "http://"+host+"/\n" {
			t.Errorf("%q, %v", answer, err)
		}
	}
	questions.Close()
	if status := <-done; status != base.StatusDone {
		t.Errorf("status %d", status)
	}
}

// An interrupted run says so, and does not mention contexts.
func TestInterruptedIsSaid(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(base.SignalError{Signal: os.Interrupt})
	for _, err := range []error{
		fmt.Errorf("open x: %w: %w", context.Canceled, context.Cause(ctx)), fmt.Errorf("open x: %w", context.Canceled), fmt.Errorf("open x: %w", context.Cause(ctx)),
	} {
		var said strings.Builder
		a := base.New(ctx, strings.NewReader(""), io.Discard, &said, func(string) string { return "" })
		a.Fail(base.StatusAccess, err)
		if said.String() != "locus: open x: interrupted\n" {
			t.Errorf("%q", said.String())
		}
	}
}
