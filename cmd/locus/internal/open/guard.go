package open

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/locus-url/locus/cmd/locus/internal/show"
	"github.com/locus-url/locus/internal/command/base"
	safe "github.com/locus-url/locus/internal/term"
)

const guardCommand = "restore-terminal"

// guard is a child process that resets the terminal if this process is killed. A nil
// guard does nothing.
type guard struct {
	command *exec.Cmd
	in      io.WriteCloser
}

// newGuard starts a guard, and waits until it has saved the state of the terminal. The guard needs
// its own open file for the terminal, because Close does not end a blocked Read on a file that a
// child process uses.
func newGuard(open func() (*os.File, error)) (*guard, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	tty, err := open()
	if err != nil {
		return nil, err
	}
	defer tty.Close()
	command := exec.Command(program, guardCommand)
	command.Args[0] = os.Args[0]
	command.ExtraFiles = []*os.File{tty}
	command.SysProcAttr = apart()
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	g := &guard{command, in}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		g.dismiss()
		return nil, fmt.Errorf("the terminal guard did not start: %q, %v", line, err)
	}
	return g, nil
}

const (
	guardDone   = "done"   // the terminal is already reset
	guardSecond = "second" // the terminal shows its alternate screen
	guardFirst  = "first"  // the terminal shows its main screen
)

// tell sends a message to the guard. It ignores errors, because the guard process may have ended.
func (g *guard) tell(word string) {
	if g != nil {
		io.WriteString(g.in, word+"\n")
	}
}

func (g *guard) dismiss() {
	if g == nil {
		return
	}
	g.tell(guardDone)
	g.in.Close()
	g.command.Wait()
}

// NewGuard returns the hidden subcommand that runs in the guard process.
func NewGuard(a *base.App) *cobra.Command {
	return &cobra.Command{
		Use:    guardCommand,
		Short:  "Restore the terminal if the parent process is killed",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			unmoved()
			tty := os.NewFile(3, "the terminal")
			state, err := term.GetState(int(tty.Fd()))
			if err != nil {
				return fmt.Errorf("this subcommand is only for internal use: %w", err)
			}
			fmt.Fprintln(a.Out, "ready")
			a.Out.Flush()
			return watchTerminal(a.In, tty, state)
		},
	}
}

// watchTerminal reads messages from the parent process. If they end without a final message, it
// resets the terminal.
func watchTerminal(in io.Reader, tty *os.File, state *term.State) error {
	order := show.ResetTerminal
	words := bufio.NewScanner(in)
	for words.Scan() {
		switch words.Text() {
		case guardDone:
			return nil
		case guardSecond:
			order = show.ResetTerminal + safe.LeaveAlternate
		case guardFirst:
			order = show.ResetTerminal
		}
	}
	io.WriteString(tty, order+"\r\n")
	return term.Restore(int(tty.Fd()), state)
}
