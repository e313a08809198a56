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

// Sendmail submits messages through a program such as msmtp, which accepts the same arguments
// as sendmail.
type Sendmail struct{ command []string }

// ErrCommand means that a command line is empty.
var ErrCommand = errors.New("no sendmail program")

// NewSendmail returns a Sendmail that runs command without a shell. command holds a program and
// its arguments. Sendmail appends "-i", "-f" with the sender, and "--" with all recipients. With
// "-i", a line with a single dot does not end the message. The arguments must contain all
// recipients, because the message does not name the Bcc recipients.
func NewSendmail(command []string) (*Sendmail, error) {
	if len(command) == 0 || command[0] == "" {
		return nil, fmt.Errorf("submit: %w", ErrCommand)
	}
	return &Sendmail{slices.Clone(command)}, nil
}

// ProgramError means that the program did not accept the message.
type ProgramError struct {
	Program string
	Status  int    // exit status, as in sysexits.h; -1 if a signal ended the program
	Text    string // start of the program's output; may contain control characters
}

// statuses contains a message for each exit status of sysexits.h that mail programs use.
var statuses = map[int]string{
	64: "invalid arguments",
	65: "invalid message",
	67: "unknown recipient",
	68: "unknown host",
	69: "service unavailable",
	70: "internal error",
	71: "system error",
	72: "a system file is missing",
	73: "can't create a file",
	74: "input/output error",
	75: "temporary failure: try again later",
	76: "protocol error",
	77: "permission denied",
	78: "invalid configuration",
}

// Temporary reports whether the program may accept the message later.
func (e *ProgramError) Temporary() bool { return e.Status == 75 }

func (e *ProgramError) Error() string {
	text := fmt.Sprintf("%s ended with status %d", locus.Quote(e.Program), e.Status)
	if e.Status < 0 {
		text = locus.Quote(e.Program) + " was killed"
	}
	if meaning := statuses[e.Status]; meaning != "" {
		text += " (" + meaning + ")"
	}
	if e.Text != "" {
		text += ": " + locus.Quote(e.Text)
	}
	return text
}

// Submit passes m to the program and waits until the program ends. The error wraps a
// [*ProgramError], or describes why the program did not start.
func (s *Sendmail) Submit(ctx context.Context, m *Message) error {
	args := append(slices.Clone(s.command[1:]), "-i", "-f", m.from, "--")
	cmd := exec.CommandContext(ctx, s.command[0], append(args, m.recipients...)...)
	output := &limitedBuffer{left: 4 << 10}
	cmd.Stdout, cmd.Stderr = output, output
	// Local programs expect local line ends.
	cmd.Stdin = bytes.NewReader(bytes.ReplaceAll(m.octets, []byte("\r\n"), []byte("\n")))
	// Don't wait for background processes that still hold the pipes open.
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("submit: %s: %w: %w", locus.Quote(s.command[0]), ErrUncertain, context.Cause(ctx))
	case errors.As(err, &exit):
		err = &ProgramError{Program: s.command[0], Status: exit.ExitCode(), Text: string(bytes.TrimSpace(output.text))}
	}
	return fmt.Errorf("submit: %w", err)
}

// limitedBuffer stores the first bytes written to it.
type limitedBuffer struct {
	text []byte
	left int
}

func (h *limitedBuffer) Write(p []byte) (int, error) {
	n := min(len(p), h.left)
	h.text = append(h.text, p[:n]...)
	h.left -= n
	return len(p), nil
}
