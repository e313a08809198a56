package base

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

// Main calls run with the streams, the environment and the arguments of this process, and
// returns the exit status. Signals that end a process cancel the context of the App, and so
// does standard error that is a pipe without a reader.
func Main(run func(a *App, args []string) int) int {
	// net/http logs the texts of odd servers. Locus reports them in errors.
	log.SetOutput(io.Discard)
	// With a handler for SIGPIPE the write fails instead, and the command can clean up.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, end := context.WithCancelCause(context.Background())
	defer end(nil)
	a := New(ctx, os.Stdin, os.Stdout, os.Stderr, os.Getenv)
	a.Environ = os.Environ
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	go a.CancelOnSignal(signals, end)
	a.OutTTY = term.IsTerminal(int(os.Stdout.Fd()))
	a.ErrTTY = term.IsTerminal(int(os.Stderr.Fd()))
	if !a.ErrTTY {
		a.ErrOut = &errorPipe{os.Stderr, end}
	}
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && width > 0 {
		a.Width = width
	}
	return run(a, os.Args[1:])
}

// errorPipe is standard error. It ends the run after a write to a pipe that has no reader:
// a user who reads only the first messages does not wait for the rest. The user sees no
// message that results are missing, so the exit status says it.
type errorPipe struct {
	io.Writer
	end context.CancelCauseFunc
}

func (p *errorPipe) Write(text []byte) (int, error) {
	n, err := p.Writer.Write(text)
	if isClosedPipe(err) {
		p.end(err)
	}
	return n, err
}

// isClosedPipe reports whether err says that a pipe has no reader.
func isClosedPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}
