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

// Main calls the function run with the streams, environment and arguments of this process, and
// returns the exit status. A terminating signal cancels the context of the App. A write to
// standard error also cancels the context if the reader has closed the pipe.
func Main(run func(a *App, args []string) int) int {
	// net/http logs malformed responses. Locus reports them in errors.
	log.SetOutput(io.Discard)
	// With a handler for SIGPIPE, a write to a closed pipe returns an error, and the command
	// can clean up.
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

// Hangups returns a channel that receives SIGHUP, even if nohup made the process ignore this
// signal. Until the caller calls the function end, SIGHUP cancels the run only if the terminal at
// standard error was closed.
func (a *App) Hangups() (hangups <-chan os.Signal, end func()) {
	c := make(chan os.Signal, 1)
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(c, syscall.SIGHUP)
		return c, func() { signal.Stop(c) }
	}
	set := func(c chan os.Signal) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.hangups = c
	}
	set(c)
	return c, func() { set(nil) }
}

// hungUp reports SIGHUP to the caller of Hangups. It returns false if the signal must cancel
// the run.
func (a *App) hungUp() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.hangups == nil || a.ErrTTY && !term.IsTerminal(int(os.Stderr.Fd())) {
		return false
	}
	select {
	case a.hangups <- syscall.SIGHUP:
	default: // the caller has not yet received the previous signal
	}
	return true
}

// errorPipe is standard error. If a write fails because the pipe is closed, errorPipe cancels the
// run, because no program reads further messages. The exit status then reports that results are
// missing.
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

// isClosedPipe reports whether err is the result of a write to a pipe without a reader.
func isClosedPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}
