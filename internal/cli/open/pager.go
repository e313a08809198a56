package open

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/locus-url/locus/internal/cli/base"
)

// pager shows text page by page in a process of its own, which begins with the
// first octet.
type pager struct {
	a       *base.App
	command *exec.Cmd      // nil: not begun, or there is none
	in      io.WriteCloser // of the process
	quit    func()         // tells whoever makes the text that nobody reads on
	gone    chan struct{}  // closed when the process has ended
	err     error          // of the process
	refused bool           // it took no more
}

// newPager returns the pager of the configuration or the environment; quit is
// called when it ends, be it before all text has come.
func newPager(a *base.App, quit func()) *pager {
	return &pager{a: a, quit: quit, gone: make(chan struct{})}
}

// defaultPagers are tried in order where the person has named none.
var defaultPagers = [...]string{"less", "more"}

// choose returns the command of the pager. nil: there is none.
func (p *pager) choose() *exec.Cmd {
	if text := cmp.Or(p.a.Config.Pager, p.a.Getenv("PAGER")); text != "" {
		// A command with arguments, by custom. It is the person's own text; nothing
		// of a URL or a server is put into it.
		return exec.CommandContext(p.a.Context, "sh", "-c", text)
	}
	for _, name := range defaultPagers {
		if path, err := exec.LookPath(name); err == nil {
			return exec.CommandContext(p.a.Context, path)
		}
	}
	return nil
}

// begin starts the pager.
func (p *pager) begin() error {
	p.a.Out.Flush()
	command := p.choose()
	if command == nil {
		p.in = plainOutput{p.a.UnbufferedOut()}
		return nil
	}
	command.Stdout, command.Stderr = p.a.OutFile(), p.a.ErrOut
	if p.a.Getenv("LESS") == "" {
		// Quit if it fits the screen, show colours, leave the text on the screen.
		command.Env = append(os.Environ(), "LESS=FRX")
	}
	// It puts the terminal in order before it goes.
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	in, err := command.StdinPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("the pager can't be run: %w", err)
	}
	p.a.PagerRuns.Store(true)
	p.command, p.in = command, in
	go func() {
		p.err = command.Wait()
		time.AfterFunc(lastMoment, func() { p.a.PagerRuns.Store(false) })
		close(p.gone)
		p.quit()
	}()
	return nil
}

// lastMoment is how long after a pager's end a Ctrl-C may be heard of that was for
// it still.
const lastMoment = 500 * time.Millisecond

// plainOutput is standard output where no pager is.
type plainOutput struct{ io.Writer }

func (plainOutput) Close() error { return nil }

// Write passes text on.
func (p *pager) Write(text []byte) (int, error) {
	if p.in == nil {
		if err := p.begin(); err != nil {
			return 0, err
		}
	}
	n, err := p.in.Write(text)
	p.refused = p.refused || err != nil
	return n, err
}

// leftEarly reports whether the pager ended, or wanted no more, before all text
// had come.
func (p *pager) leftEarly() bool {
	if p.command == nil {
		return false
	}
	select {
	case <-p.gone:
		return true
	default:
		return p.refused
	}
}

// Close tells the pager that the text ends, and waits until the person has seen
// enough. The error is that it could not be run.
func (p *pager) Close() error {
	if p.command == nil {
		return nil
	}
	p.in.Close()
	<-p.gone
	var exit *exec.ExitError
	if !errors.As(p.err, &exit) {
		return nil
	}
	switch exit.ExitCode() {
	case notFound, notRunnable:
		return fmt.Errorf("the pager can't be run: %s", p.command.Args[len(p.command.Args)-1])
	case killed, base.StatusInterrupted:
		p.a.RaiseStatus(base.StatusInterrupted)
	}
	return nil
}

// What the exit code of a pager can say: the shell's words for a command that it
// can't run, and that a signal ended it.
const (
	notRunnable = 126
	notFound    = 127
	killed      = -1
)
