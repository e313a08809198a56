package base

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

// Main calls run with the streams, the environment and the arguments of this process, and
// returns the exit status. Signals that end a process cancel the context of the App.
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
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && width > 0 {
		a.Width = width
	}
	return run(a, os.Args[1:])
}
