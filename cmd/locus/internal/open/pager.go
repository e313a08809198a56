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

	"github.com/locus-url/locus/internal/command/base"
)

// pager shows text in a child process that starts at the first write.
type pager struct {
	a       *base.App
	command *exec.Cmd      // process of the pager; nil before the first write, or without a pager
	in      io.WriteCloser // standard input of the process
	quit    func()         // cancels the output after the end of the pager process
	gone    chan struct{}  // closed when the process has ended
	err     error          // result of the process
	refused bool           // the pager rejected text
}

// newPager returns a pager. It calls the function quit when the pager process ends, even before
// the end of the text.
func newPager(a *base.App, quit func()) *pager {
	return &pager{a: a, quit: quit, gone: make(chan struct{})}
}

// defaultPagers lists the pagers to try, in order, if the user has not chosen a pager.
var defaultPagers = [...]string{"less", "more"}

func (p *pager) choose() *exec.Cmd {
	if text := cmp.Or(p.a.Config.Pager, p.a.Getenv("PAGER")); text != "" {
		// The user configured this command and its arguments. The command contains no text
		// from a URL or a server.
		return exec.CommandContext(p.a.Context, "sh", "-c", text)
	}
	for _, name := range defaultPagers {
		if path, err := exec.LookPath(name); err == nil {
			return exec.CommandContext(p.a.Context, path)
		}
	}
	return nil
}

func (p *pager) begin() error {
	p.a.Out.Flush()
	command := p.choose()
	if command == nil {
		p.in = plainOutput{p.a.UnbufferedOut()}
		return nil
	}
	command.Stdout, command.Stderr = p.a.OutFile(), p.a.ErrFile()
	if p.a.Getenv("LESS") == "" {
		// The options make less quit if the text fits on the screen, show colors, and
		// leave the text on the screen.
		command.Env = append(os.Environ(), "LESS=FRX")
	}
	// Send SIGTERM, so that the pager can reset the terminal before it ends.
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

// lastMoment is the time after the end of a pager in which locus ignores Ctrl-C, because the user
// may have pressed it for the pager.
const lastMoment = 500 * time.Millisecond

type plainOutput struct{ io.Writer }

func (plainOutput) Close() error { return nil }

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

// leftEarly reports whether the pager ended or rejected text before the end of the text.
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

// Close closes the standard input of the pager and waits for the process. An error means that the
// pager could not run.
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
	case 126, 127: // the shell could not run the command
		return fmt.Errorf("the pager can't be run: %s", p.command.Args[len(p.command.Args)-1])
	case -1, base.StatusInterrupted: // a signal ended the pager
		p.a.RaiseStatus(base.StatusInterrupted)
	}
	return nil
}
