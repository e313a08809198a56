// Package base holds the state and helpers that all subcommands of locus share: streams,
// the terminal, common flags, inputs, messages and the exit status.
package base

import (
	"bufio"
	"context"
	"encoding/json"
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
	"github.com/locus-url/locus/internal/command/config"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// Exit statuses. With several inputs, the command processes each input and returns the highest
// status.
const (
	StatusDone        = 0   // success
	StatusNo          = 1   // a check failed
	StatusUsage       = 2   // wrong usage, or an argument that is not a URL
	StatusAccess      = 3   // access failed, or standard output can't be written
	StatusDenied      = 4   // denied by the policy
	StatusInterrupted = 130 // interrupted
)

// App is one run of the command: its streams, flags, configuration and exit status. The caller
// must set exported fields before Execute. Only the methods whose comments permit it may be called
// concurrently.
type App struct {
	Context        context.Context
	In             io.Reader
	Out            *bufio.Writer // standard output; flushed at the end and before waiting for input
	ErrOut         io.Writer
	OutTTY, ErrTTY bool
	Width          int // columns of the terminal at standard output
	Getenv         func(string) string
	Environ        func() []string // returns the environment as NAME=VALUE; may be nil
	Flags          Flags
	Config         config.Config
	words          []string // command-line arguments that are not flags
	status         int
	Registry       *scheme.Registry
	LineNumber     int    // line number in Source, from 1; 0 if the inputs are arguments
	Source         string // file with the inputs; empty or "-" for standard input
	wrapperNoted   bool   // the note about wrappers was written
	noting         bool   // a call is writing the note about wrappers
	invalid        invalidLines
	beforeRead     func() bool // called before each read of standard input; false prevents the read; may be nil

	NewRegistry  func(instead ...scheme.Scheme) (*scheme.Registry, error)
	OpenTerminal func() (*os.File, error) // opens the terminal for questions
	Interrupt    func()                   // has the effect of Ctrl-C
	PagerRuns    atomic.Bool              // a pager or editor uses the terminal and receives Ctrl-C
	Stopped      bool                     // a signal ended the run normally, with status 0

	sink sink
	mu   sync.Mutex // guards status, errOut, onInterrupt and hangups

	onInterrupt func()         // cancels the context of Interruptible; may be nil
	hangups     chan os.Signal // receives the signals for Hangups; may be nil
}

// sink is standard output without its buffer. The sink stores the first write error.
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

// New returns an App with the given streams and environment. The App treats no stream as a
// terminal.
func New(ctx context.Context, in io.Reader, out, errOut io.Writer, env func(string) string) *App {
	a := &App{
		Context: ctx, In: in, ErrOut: errOut, Getenv: env, Width: 80, Config: config.Default(),
		NewRegistry: all.Registry, OpenTerminal: openTTY, Interrupt: interruptSelf,
	}
	a.sink.w = out
	a.Out = bufio.NewWriterSize(&a.sink, 128<<10)
	return a
}

// Execute runs root with args and returns the exit status.
func (a *App) Execute(root *cobra.Command, args []string) int {
	var err error
	if a.Registry, err = a.NewRegistry(); err != nil {
		a.Fail(StatusUsage, err)
		return a.status
	}
	args = withOpen(root, args)
	root.SetArgs(args)
	if cmd, err := root.ExecuteContextC(a.Context); err != nil {
		a.Fail(StatusUsage, usageMessage{err, maskUsage(plainUsage(cmd, err).Error(), args)})
		help := cmd.CommandPath() + " --help"
		if errors.As(err, new(configError)) {
			help = "locus help configuration"
		}
		a.Note("see %q", help)
	}
	if a.Context.Err() != nil && !a.Stopped {
		a.RaiseStatus(StatusInterrupted)
	}
	a.Out.Flush()
	// A closed pipe is not a failure: the reader needs no more output.
	if err := a.sink.err; err != nil && !isClosedPipe(err) {
		a.Fail(StatusAccess, fmt.Errorf("standard output: %w", err))
	}
	return a.status
}

// CancelOnSignal receives from the channel signals. It calls the function end for the first
// signal. Later signals have their default effect. While a pager runs, CancelOnSignal ignores
// Ctrl-C, because the user may press it to stop a search in the pager. See also
// [App.Interruptible].
func (a *App) CancelOnSignal(signals chan os.Signal, end context.CancelCauseFunc) {
	for s := range signals {
		if s == os.Interrupt && (a.PagerRuns.Load() || a.interrupted()) {
			continue
		}
		if s == syscall.SIGHUP && a.hungUp() {
			continue
		}
		signal.Stop(signals)
		end(SignalError{s})
		return
	}
}

// Interruptible returns a context and the function end. Until the caller calls end, Ctrl-C cancels
// the context instead of the run. Calls may be nested.
func (a *App) Interruptible(parent context.Context) (ctx context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(parent)
	set := func(f func()) (was func()) {
		a.mu.Lock()
		defer a.mu.Unlock()
		was, a.onInterrupt = a.onInterrupt, f
		return was
	}
	was := set(func() { cancel(SignalError{os.Interrupt}) })
	return ctx, func() {
		set(was)
		cancel(nil)
	}
}

// interrupted cancels the innermost context that Interruptible returned. It returns false if there
// is no such context.
func (a *App) interrupted() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.onInterrupt != nil {
		a.onInterrupt()
	}
	return a.onInterrupt != nil
}

// SignalError is the cause of a context that a signal cancelled.
type SignalError struct{ os.Signal }

func (e SignalError) Error() string {
	if e.Signal == os.Interrupt {
		return "interrupted"
	}
	return e.Signal.String()
}

// OutputFailed reports whether a write to standard output failed. If so, the caller should stop.
func (a *App) OutputFailed() bool { return a.sink.err != nil }

// WithoutOutputError removes the write error of standard output from err, because Execute reports
// that error. It returns the other errors that are joined in err. For example, if the reader has
// closed the pipe, the command must still report that the server truncated the resource.
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

// ExitStatus returns the current exit status.
func (a *App) ExitStatus() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.status
}

// RaiseStatus sets the exit status to the higher of its current value and the given status. It may
// be called concurrently.
func (a *App) RaiseStatus(status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.status = max(a.status, status)
}

// Note writes a line to standard error, unless --quiet is set. It may be called
// concurrently.
func (a *App) Note(format string, args ...any) {
	if !a.Flags.Quiet {
		a.PrintError(fmt.Sprintf(format, args...))
	}
}

// Fail raises the exit status and writes err to standard error. It may be called
// concurrently.
func (a *App) Fail(status int, err error) {
	a.RaiseStatus(status)
	text := Message(err)
	if cause := context.Cause(a.Context); cause != nil {
		// The error of package context is only "canceled". The cause of a cancelled
		// context is more specific.
		const canceled = "context canceled"
		text = strings.ReplaceAll(strings.ReplaceAll(text, canceled+": "+cause.Error(), cause.Error()), canceled, cause.Error())
	}
	a.PrintError(text)
}

// PrintError writes text as a line to standard error, escaped for a terminal. It masks
// passwords, because a message from a server or the system may contain a URL.
func (a *App) PrintError(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fmt.Fprintln(a.ErrOut, term.Safe("locus: "+locus.MaskText(strings.TrimPrefix(text, "locus: "))))
}

// Prefix returns err with a prefix instead of the program name.
func Prefix(what string, err error) error { return &prefixed{what, err} }

type prefixed struct {
	what string
	err  error
}

func (p *prefixed) Error() string {
	return p.what + ": " + strings.TrimPrefix(p.err.Error(), "locus: ")
}
func (p *prefixed) Unwrap() error { return p.err }

// AtLine prefixes err with the current line number, if the inputs are lines.
func (a *App) AtLine(err error) error {
	if a.LineNumber == 0 {
		return err
	}
	return Prefix(a.line(), err)
}

// line returns the position of the current line.
func (a *App) line() string {
	if a.Source == "" || a.Source == "-" {
		return fmt.Sprintf("line %d", a.LineNumber)
	}
	return fmt.Sprintf("%s:%d", a.Source, a.LineNumber)
}

// FlushTerminal flushes standard output if it is a terminal, so that a message appears
// after the results.
func (a *App) FlushTerminal() {
	if a.OutTTY {
		a.Out.Flush()
	}
}

// RedirectErrors sends standard error to w until the caller calls the returned function
// restore.
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

// RedirectOutput sends standard output to w until the caller calls the returned function
// restore.
func (a *App) RedirectOutput(w io.Writer) (restore func()) {
	a.Out.Flush()
	was := a.sink.w
	a.sink.w = w
	return func() {
		a.Out.Flush()
		a.sink.w = was
	}
}

// UnbufferedOut returns standard output without its buffer.
func (a *App) UnbufferedOut() io.Writer { return &a.sink }

// OutFile returns standard output for a child process.
func (a *App) OutFile() io.Writer { return a.sink.w }

// ErrFile returns standard error for a child process. If standard error is a file, the child
// receives the file itself. A pipe would make locus wait for other processes that keep it open.
func (a *App) ErrFile() io.Writer {
	if pipe, ok := a.ErrOut.(*errorPipe); ok {
		return pipe.Writer
	}
	return a.ErrOut
}

// Trace writes a line of a transcript to standard error, unless a pager uses the screen.
func (a *App) Trace(mark, line string) {
	if a.PagerRuns.Load() {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	fmt.Fprintf(a.ErrOut, "%s %s\n", mark, term.Safe(locus.MaskText(line)))
}

// FailInput reports an invalid input. With --json, it writes the error to standard output.
func (a *App) FailInput(input string, err error) {
	a.RaiseStatus(StatusUsage)
	a.FlushTerminal()
	if a.Flags.JSON {
		a.WriteJSON(shape.NewFailure(input, err))
	} else {
		a.Fail(StatusUsage, a.AtLine(a.Explain(input, err)))
	}
}

// WriteJSON writes v as one line of standard output.
func (a *App) WriteJSON(v any) {
	e := json.NewEncoder(a.Out)
	e.SetEscapeHTML(false)
	// The sink stores write errors, and encoding v cannot fail.
	_ = e.Encode(v)
}
