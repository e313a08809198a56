package base

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/cli/config"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// Exit statuses. With several inputs every one is tried, and the highest of
// their statuses is the command's.
const (
	StatusDone        = 0   // done, and nothing wrong found
	StatusNo          = 1   // a check says no
	StatusUsage       = 2   // usage, or an argument that is no URL
	StatusAccess      = 3   // access failed, or standard output can't be written
	StatusDenied      = 4   // refused by the policy
	StatusInterrupted = 130 // interrupted
)

// App is one run of the command: where it reads and writes, what it was asked,
// and the status it ends with.
type App struct {
	Context        context.Context
	In             io.Reader
	Out            *bufio.Writer // standard output; flushed at the end, and before waiting for input
	ErrOut         io.Writer
	OutTTY, ErrTTY bool
	Width          int // columns of the terminal at standard output
	Getenv         func(string) string
	Environ        func() []string // every NAME=VALUE of the environment; nil: none is listed
	Flags          Flags
	Config         config.Config
	status         int
	Registry       *scheme.Registry
	LineNumber     int  // of standard input, from 1; 0: the inputs are arguments
	wrapperNoted   bool // a line of standard input had a wrapper, and got its note

	NewRegistry  func(*all.Options) (*scheme.Registry, error)
	OpenTerminal func() (*os.File, error) // opens the terminal where the person is asked
	Interrupt    func()                   // does what Ctrl-C does
	PagerRuns    atomic.Bool              // a pager has the terminal, and Ctrl-C is for it
	Stopped      bool                     // the signal that ended the run is how it is meant to end

	sink sink
	mu   sync.Mutex // guards status and errOut
}

// sink is standard output below its buffer. It remembers the first error, so
// that a command can stop when nobody reads its results any more.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	if err != nil && s.err == nil {
		s.err = err
	}
	return n, err
}

const outputBuffer = 128 << 10

func New(ctx context.Context, in io.Reader, out, errOut io.Writer, env func(string) string) *App {
	a := &App{
		Context: ctx, In: in, ErrOut: errOut, Getenv: env, Width: 80, Config: config.Default(),
		NewRegistry: all.Registry, OpenTerminal: openTTY, Interrupt: interruptSelf,
	}
	a.sink.w = out
	a.Out = bufio.NewWriterSize(&a.sink, outputBuffer)
	return a
}

// Execute has root do what args ask for, and returns the exit status.
func (a *App) Execute(root *cobra.Command, args []string) int {
	var err error
	if a.Registry, err = a.NewRegistry(nil); err != nil {
		a.Fail(StatusUsage, err)
		return a.status
	}
	root.SetArgs(args)
	if cmd, err := root.ExecuteContextC(a.Context); err != nil {
		a.Fail(StatusUsage, usageMessage{err, maskUsage(err.Error(), args)})
		a.Note("%q tells more", helpFor(cmd, err))
	}
	if a.Context.Err() != nil && !a.Stopped {
		a.RaiseStatus(StatusInterrupted)
	}
	a.finish()
	return a.status
}

// CancelOnSignal ends the run, by end, at the first of signals; from then on they do what
// they do to every program. While a pager has the terminal, Ctrl-C is for it
// alone: it may only stop a search.
func (a *App) CancelOnSignal(signals chan os.Signal, end context.CancelCauseFunc) {
	for s := range signals {
		if s == os.Interrupt && a.PagerRuns.Load() {
			continue
		}
		signal.Stop(signals)
		end(SignalError{s})
		return
	}
}

// SignalError is the cause of a run that a signal ended.
type SignalError struct{ os.Signal }

func (e SignalError) Error() string {
	if e.Signal == os.Interrupt {
		return "interrupted"
	}
	return e.Signal.String()
}

// helpFor returns the command whose output helps with err.
func helpFor(cmd *cobra.Command, err error) string {
	if errors.As(err, new(configError)) {
		return "locus help configuration"
	}
	return cmd.CommandPath() + " --help"
}

// finish writes what is left of the output. A reader that went away has read
// all it wanted; any other failure lost something.
func (a *App) finish() {
	a.Out.Flush()
	if err := a.sink.err; err != nil && !isClosedPipe(err) {
		a.Fail(StatusAccess, fmt.Errorf("standard output: %w", err))
	}
}

func isClosedPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}

// OutputFailed reports whether standard output takes no more, so that there is no
// sense in going on.
func (a *App) OutputFailed() bool { return a.sink.err != nil }

// WithoutOutputError returns what of err is not the failure of standard output, which
// finish reports: a reader that went away has not seen that the server cut the
// resource short, so the status must tell it.
func (a *App) WithoutOutputError(err error) error {
	if err == nil || !a.OutputFailed() || !errors.Is(err, a.sink.err) {
		return err
	}
	switch wrapper := err.(type) {
	case interface{ Unwrap() []error }:
		var rest []error
		for _, err := range wrapper.Unwrap() {
			rest = append(rest, a.WithoutOutputError(err))
		}
		return errors.Join(rest...)
	case interface{ Unwrap() error }:
		if err != a.sink.err {
			return a.WithoutOutputError(wrapper.Unwrap())
		}
	}
	return nil
}

// ExitStatus returns the exit status so far.
func (a *App) ExitStatus() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.status
}

// RaiseStatus makes status the exit status unless it is higher already. It may be
// called from many goroutines at once.
func (a *App) RaiseStatus(status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.status = max(a.status, status)
}

// Note writes a line for people to standard error, except with --quiet. It may
// be called from many goroutines at once.
func (a *App) Note(format string, args ...any) {
	if !a.Flags.Quiet {
		a.PrintError(fmt.Sprintf(format, args...))
	}
}

// Fail raises the status and says why on standard error. It may be called
// from many goroutines at once.
func (a *App) Fail(status int, err error) {
	a.RaiseStatus(status)
	text := err.Error()
	if cause := context.Cause(a.Context); cause != nil {
		// What package context calls canceled is what has ended the run.
		const canceled = "context canceled"
		text = strings.ReplaceAll(strings.ReplaceAll(text, canceled+": "+cause.Error(), cause.Error()), canceled, cause.Error())
	}
	a.PrintError(text)
}

// PrintError writes text, made safe for a terminal and without passwords, as a line of
// standard error. What others say, as a server or the system, may repeat a URL.
func (a *App) PrintError(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fmt.Fprintln(a.ErrOut, term.Safe("locus: "+locus.MaskText(strings.TrimPrefix(text, "locus: "))))
}

// Prefix puts before err what it is about. Messages of the root package begin with
// the name that every message here begins with; it is said once.
func Prefix(what string, err error) error {
	return fmt.Errorf("%s: %s", what, strings.TrimPrefix(err.Error(), "locus: "))
}

// AtLine puts the number of the line before err, if standard input is read.
func (a *App) AtLine(err error) error {
	if a.LineNumber == 0 {
		return err
	}
	return Prefix(fmt.Sprintf("line %d", a.LineNumber), err)
}

// FlushTerminal makes a terminal show what was written so far before a message about it.
// It is for subcommands that answer one input after the other.
func (a *App) FlushTerminal() {
	if a.OutTTY {
		a.Out.Flush()
	}
}

// RedirectErrors makes w standard error until restore is called.
func (a *App) RedirectErrors(w io.Writer) (restore func()) {
	set := func(w io.Writer) (was io.Writer) {
		a.mu.Lock()
		defer a.mu.Unlock()
		was, a.ErrOut = a.ErrOut, w
		return was
	}
	was := set(w)
	return func() { set(was) }
}

// RedirectOutput makes w standard output until restore is called.
func (a *App) RedirectOutput(w io.Writer) (restore func()) {
	a.Out.Flush()
	was := a.sink.w
	a.sink.w = w
	return func() {
		a.Out.Flush()
		a.sink.w = was
	}
}

// UnbufferedOut is standard output without the buffer.
func (a *App) UnbufferedOut() io.Writer { return &a.sink }

// OutFile is standard output as a child process gets it.
func (a *App) OutFile() io.Writer { return a.sink.w }

// Trace writes a line of a conversation, or about it, to standard error.
func (a *App) Trace(mark, line string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fmt.Fprintf(a.ErrOut, "%s %s\n", mark, term.Safe(locus.MaskText(line)))
}

// FailInput answers an input that a subcommand can make nothing of: in JSON where
// the answer would be, else as a message with the number of the line.
func (a *App) FailInput(input string, err error) {
	a.RaiseStatus(StatusUsage)
	a.FlushTerminal()
	if a.Flags.JSON {
		a.WriteJSON(shape.NewFailure(input, err))
	} else {
		a.Fail(StatusUsage, a.AtLine(err))
	}
}
