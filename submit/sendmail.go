package submit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"time"

	"github.com/locus-url/locus"
)

// Sendmail submits messages by a program that has the command line of sendmail:
// the one of the system, or another such as msmtp.
type Sendmail struct{ command []string }

// ErrCommand is that a command line names no program.
var ErrCommand = errors.New("no program to run")

// NewSendmail returns what runs command, a program and its arguments. No shell
// reads them. Behind them come "-i", so that a line with one dot is text, "-f" and
// who the message is from, "--" and the recipients: all of them, for the message
// does not name those of Bcc.
func NewSendmail(command []string) (*Sendmail, error) {
	if len(command) == 0 || command[0] == "" {
		return nil, fmt.Errorf("submit: %w", ErrCommand)
	}
	return &Sendmail{slices.Clone(command)}, nil
}

// ProgramError is that the program did not take the message.
type ProgramError struct {
	Program string
	Status  int    // its exit status, as sysexits.h has them; -1: it did not exit by itself
	Text    string // what it said on standard error, or its beginning; not safe for a terminal
}

// statuses are the statuses of sysexits.h that mail programs use.
var statuses = map[int]string{
	64: "it was called in a wrong way",
	65: "the message is wrong",
	67: "there is no such recipient",
	68: "there is no such host",
	69: "something it needs is not there",
	70: "it has a fault of its own",
	71: "the system failed it",
	72: "a file of the system is missing",
	73: "it can't write a file",
	74: "it can't read or write",
	75: "not now: it may work later",
	76: "the other side said what it should not",
	77: "it is not permitted",
	78: "its configuration is wrong",
}

// Temporary reports whether the same may work later.
func (e *ProgramError) Temporary() bool { return e.Status == 75 }

func (e *ProgramError) Error() string {
	text := fmt.Sprintf("%s ended with status %d", locus.Quote(e.Program), e.Status)
	if e.Status < 0 {
		text = locus.Quote(e.Program) + " was ended"
	}
	if meaning := statuses[e.Status]; meaning != "" {
		text += ", " + meaning
	}
	if e.Text != "" {
		text += ": " + locus.Quote(e.Text)
	}
	return text
}

// Submit gives m to the program, and returns when that has ended. The error wraps
// a [*ProgramError], or is that there was no program to run.
func (s *Sendmail) Submit(ctx context.Context, m *Message) error {
	args := append(slices.Clone(s.command[1:]), "-i", "-f", m.from, "--")
	cmd := exec.CommandContext(ctx, s.command[0], append(args, m.recipients...)...)
	said := &head{left: 4 << 10}
	cmd.Stdout, cmd.Stderr = said, said
	// A program of the system reads lines of the system.
	cmd.Stdin = bytes.NewReader(bytes.ReplaceAll(m.octets, []byte("\r\n"), []byte("\n")))
	// What it left behind with our pipes may go on without us.
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("submit: %s: %w: %w", locus.Quote(s.command[0]), ErrUncertain, context.Cause(ctx))
	case errors.As(err, &exit):
		err = &ProgramError{Program: s.command[0], Status: exit.ExitCode(), Text: string(bytes.TrimSpace(said.text))}
	}
	return fmt.Errorf("submit: %w", err)
}

// head keeps the first octets of what is written to it.
type head struct {
	text []byte
	left int
}

func (h *head) Write(p []byte) (int, error) {
	n := min(len(p), h.left)
	h.text = append(h.text, p[:n]...)
	h.left -= n
	return len(p), nil
}
