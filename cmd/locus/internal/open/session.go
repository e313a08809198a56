package open

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"
	terminal "golang.org/x/term"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/cmd/locus/internal/show"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/telnet"
)

type sessionFlags struct {
	safe   bool   // value of the flag --safe
	chosen bool   // the user set --safe
	unsafe bool   // value of the flag --unsafe-terminal
	escape string // value of the flag --escape
	key    byte   // code of the escape key; 0 if there is no escape key
}

func (s *sessionFlags) addFlags(f *pflag.FlagSet) {
	f.BoolVar(&s.safe, "safe", false, "also block the alternate screen and mouse reports")
	f.BoolVar(&s.unsafe, "unsafe-terminal", false, "do not filter the host's terminal commands (dangerous)")
	f.StringVar(&s.escape, "escape", "^]", "use `KEY` to enter locus commands, or \"none\"")
}

// neededKeys contains the keys that users need in sessions, so that they can't be the escape key:
// Ctrl-C, Backspace, Tab, Enter, and Escape. An arrow key also begins with the code of Escape.
const neededKeys = "\x03\b\t\n\r\x1b"

func (s *sessionFlags) settle(f *pflag.FlagSet) error {
	s.chosen = f.Changed("safe") || s.unsafe
	if s.safe && s.unsafe {
		return errors.New("--safe and --unsafe-terminal can't be used together")
	}
	if s.escape == "none" {
		return nil
	}
	name := strings.ToUpper(s.escape)
	if len(name) != 2 || name[0] != '^' || (name[1] < 'A' || name[1] > 'Z') && !strings.Contains(`[\]^_`, name[1:]) {
		return fmt.Errorf("--escape %s: write \"^\" and a letter or one of \\]^_, or \"none\"", locus.Quote(s.escape))
	}
	s.key = name[1] & 0x1F
	if strings.IndexByte(neededKeys, s.key) >= 0 {
		return fmt.Errorf("--escape: key %s is used by sessions", locus.Quote(s.escape))
	}
	return nil
}

// level returns the level of the filter. If toTerminal is false, the output goes to a file or
// a pipe, and only --safe filters it.
func (s *sessionFlags) level(toTerminal bool) term.Level {
	switch {
	case s.safe:
		return term.OneScreen
	case s.unsafe, !toTerminal:
		return term.Unfiltered
	}
	return term.WithMouse
}

var errSessionJSON = scheme.Hint(fmt.Errorf("%w: \"locus open\" does not support --json for sessions", scheme.ErrUnsupported),
	"use \"locus get --json\" to record a session")

// converse connects the terminal, or standard input and standard output, to a remote host.
func (o *opener) converse(ctx context.Context, s *scheme.Session) error {
	if !o.session.chosen {
		// Another person may have chosen a URL from standard input, so its session needs
		// the filter. All other session URLs come from the user, because the policy does
		// not permit documents to redirect to a session.
		o.session.safe = o.fromInput
	}
	if !o.App.OutTTY || !o.fromInput && !isTerminal(o.App.In) {
		return o.pipe(ctx, s)
	}
	tty, err := o.App.OpenTerminal()
	if err != nil {
		return o.pipe(ctx, s)
	}
	defer tty.Close()
	o.App.Out.Flush()
	return newTerminalSession(o, tty, s).run(ctx)
}

func isTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && terminal.IsTerminal(int(f.Fd()))
}

// afterInput is the maximum time to wait for output from the host after the end of input.
const afterInput = 2 * time.Second

// pipe sends standard input to the host, and writes the output of the host to standard output.
func (o *opener) pipe(ctx context.Context, s *scheme.Session) error {
	if _, ok := s.Conn.(telnet.Terminal3270); ok {
		return scheme.Hint(fmt.Errorf("%w: a 3270 session needs a terminal", scheme.ErrUnsupported),
			"use \"locus get\" with --send, --press and --expect")
	}
	output := &show.Display{Writer: o.Stdout().Unbuffered(), Level: o.session.level(o.App.OutTTY)}
	if o.App.OutTTY {
		defer output.Restore()
	}
	came := make(chan struct{}, 1)  // receives a value when the host sends output
	ended := make(chan error, 1)    // receives a value when the host ends the session
	inputEnd := make(chan error, 1) // receives a value at the end of standard input
	go func() {
		_, err := io.Copy(noticedWriter{output, came}, s.Conn)
		ended <- err
	}()
	go func() {
		_, err := io.Copy(s.Conn, o.App.In)
		inputEnd <- err
	}()
	var failure error
	var silent <-chan time.Time // ends the session after the end of input; nil before
	for {
		select {
		case err := <-ended:
			return err
		case failure = <-inputEnd:
			// If the host has ended the session, the channel named ended receives the
			// result.
			silent = time.After(afterInput)
			continue
		case <-came:
			if silent != nil && failure == nil {
				silent = time.After(afterInput)
			}
			continue
		case <-silent:
		case <-ctx.Done():
			failure = context.Cause(ctx)
		}
		// The copying goroutine must not write after this function returns.
		s.Close()
		<-ended
		return failure
	}
}

// noticedWriter sends a value to a channel after each write.
type noticedWriter struct {
	io.Writer
	came chan struct{}
}

func (w noticedWriter) Write(octets []byte) (int, error) {
	select {
	case w.came <- struct{}{}:
	default:
	}
	return w.Writer.Write(octets)
}
