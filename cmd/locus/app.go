package main

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
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// Exit statuses. With several inputs every one is tried, and the highest of
// their statuses is the command's.
const (
	statusDone        = 0   // done, and nothing wrong found
	statusNo          = 1   // a check says no
	statusUsage       = 2   // usage, or an argument that is no URL
	statusAccess      = 3   // access failed, or standard output can't be written
	statusDenied      = 4   // refused by the policy
	statusInterrupted = 130 // interrupted
)

// app is one run of the command: where it reads and writes, what it was asked,
// and the status it ends with.
type app struct {
	ctx            context.Context
	in             io.Reader
	out            *bufio.Writer // standard output; flushed at the end, and before waiting for input
	errOut         io.Writer
	outTTY, errTTY bool
	width          int // columns of the terminal at standard output
	env            func(string) string
	environ        func() []string // every NAME=VALUE of the environment; nil: none is listed
	flags          globalFlags
	config         config
	status         int
	registry       *scheme.Registry
	line           int  // of standard input, from 1; 0: the inputs are arguments
	wrapperNoted   bool // a line of standard input had a wrapper, and got its note

	schemes   func(*all.Options) (*scheme.Registry, error)
	tty       func() (*os.File, error) // opens the terminal where the person is asked
	interrupt func()                   // does what Ctrl-C does
	paging    atomic.Bool              // a pager has the terminal, and Ctrl-C is for it
	stopped   bool                     // the signal that ended the run is how it is meant to end

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

func newApp(ctx context.Context, in io.Reader, out, errOut io.Writer, env func(string) string) *app {
	a := &app{
		ctx: ctx, in: in, errOut: errOut, env: env, width: 80, config: defaultConfig(),
		schemes: all.Registry, tty: openTTY, interrupt: interruptSelf,
	}
	a.sink.w = out
	a.out = bufio.NewWriterSize(&a.sink, outputBuffer)
	return a
}

// execute has root do what args ask for, and returns the exit status.
func (a *app) execute(root *cobra.Command, args []string) int {
	var err error
	if a.registry, err = a.schemes(nil); err != nil {
		a.problem(statusUsage, err)
		return a.status
	}
	root.SetArgs(args)
	if cmd, err := root.ExecuteContextC(a.ctx); err != nil {
		a.problem(statusUsage, usageMessage{err, maskUsage(err.Error(), args)})
		a.note("%q tells more", helpFor(cmd, err))
	}
	if a.ctx.Err() != nil && !a.stopped {
		a.raise(statusInterrupted)
	}
	a.finish()
	return a.status
}

// heed ends the run, by end, at the first of signals; from then on they do what
// they do to every program. While a pager has the terminal, Ctrl-C is for it
// alone: it may only stop a search.
func (a *app) heed(signals chan os.Signal, end context.CancelCauseFunc) {
	for s := range signals {
		if s == os.Interrupt && a.paging.Load() {
			continue
		}
		signal.Stop(signals)
		end(signalError{s})
		return
	}
}

// signalError is the cause of a run that a signal ended.
type signalError struct{ os.Signal }

func (e signalError) Error() string {
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
func (a *app) finish() {
	a.out.Flush()
	if err := a.sink.err; err != nil && !isClosedPipe(err) {
		a.problem(statusAccess, fmt.Errorf("standard output: %w", err))
	}
}

func isClosedPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}

// broken reports whether standard output takes no more, so that there is no
// sense in going on.
func (a *app) broken() bool { return a.sink.err != nil }

// withoutOutput returns what of err is not the failure of standard output, which
// finish reports: a reader that went away has not seen that the server cut the
// resource short, so the status must tell it.
func (a *app) withoutOutput(err error) error {
	if err == nil || !a.broken() || !errors.Is(err, a.sink.err) {
		return err
	}
	switch wrapper := err.(type) {
	case interface{ Unwrap() []error }:
		var rest []error
		for _, err := range wrapper.Unwrap() {
			rest = append(rest, a.withoutOutput(err))
		}
		return errors.Join(rest...)
	case interface{ Unwrap() error }:
		if err != a.sink.err {
			return a.withoutOutput(wrapper.Unwrap())
		}
	}
	return nil
}

// exitStatus returns the exit status so far.
func (a *app) exitStatus() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.status
}

// raise makes status the exit status unless it is higher already. It may be
// called from many goroutines at once.
func (a *app) raise(status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.status = max(a.status, status)
}

// note writes a line for people to standard error, except with --quiet. It may
// be called from many goroutines at once.
func (a *app) note(format string, args ...any) {
	if !a.flags.quiet {
		a.say(fmt.Sprintf(format, args...))
	}
}

// problem raises the status and says why on standard error. It may be called
// from many goroutines at once.
func (a *app) problem(status int, err error) {
	a.raise(status)
	text := err.Error()
	if cause := context.Cause(a.ctx); cause != nil {
		// What package context calls canceled is what has ended the run.
		const canceled = "context canceled"
		text = strings.ReplaceAll(strings.ReplaceAll(text, canceled+": "+cause.Error(), cause.Error()), canceled, cause.Error())
	}
	a.say(text)
}

// say writes text, made safe for a terminal and without passwords, as a line of
// standard error. What others say, as a server or the system, may repeat a URL.
func (a *app) say(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fmt.Fprintln(a.errOut, term.Safe("locus: "+locus.MaskText(strings.TrimPrefix(text, "locus: "))))
}

// about puts before err what it is about. Messages of the root package begin with
// the name that every message here begins with; it is said once.
func about(what string, err error) error {
	return fmt.Errorf("%s: %s", what, strings.TrimPrefix(err.Error(), "locus: "))
}

// atLine puts the number of the line before err, if standard input is read.
func (a *app) atLine(err error) error {
	if a.line == 0 {
		return err
	}
	return about(fmt.Sprintf("line %d", a.line), err)
}

// aside makes a terminal show what was written so far before a message about it.
// It is for subcommands that answer one input after the other.
func (a *app) aside() {
	if a.outTTY {
		a.out.Flush()
	}
}

// redirectErrors makes w standard error until restore is called.
func (a *app) redirectErrors(w io.Writer) (restore func()) {
	set := func(w io.Writer) (was io.Writer) {
		a.mu.Lock()
		defer a.mu.Unlock()
		was, a.errOut = a.errOut, w
		return was
	}
	was := set(w)
	return func() { set(was) }
}

// redirectOutput makes w standard output until restore is called.
func (a *app) redirectOutput(w io.Writer) (restore func()) {
	a.out.Flush()
	was := a.sink.w
	a.sink.w = w
	return func() {
		a.out.Flush()
		a.sink.w = was
	}
}

// directOutput is standard output without the buffer.
func (a *app) directOutput() io.Writer { return &a.sink }

// outputFile is standard output as a child process gets it.
func (a *app) outputFile() io.Writer { return a.sink.w }

// traceLine writes a line of a conversation, or about it, to standard error.
func (a *app) traceLine(mark, line string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fmt.Fprintf(a.errOut, "%s %s\n", mark, term.Safe(locus.MaskText(line)))
}

// refuse answers an input that a subcommand can make nothing of: in JSON where
// the answer would be, else as a message with the number of the line.
func (a *app) refuse(input string, err error) {
	a.raise(statusUsage)
	a.aside()
	if a.flags.json {
		a.writeJSON(shape.NewFailure(input, err))
	} else {
		a.problem(statusUsage, a.atLine(err))
	}
}
