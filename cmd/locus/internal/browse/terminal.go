package browse

import (
	"context"
	"errors"
	"io"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/client"
	"github.com/locus-url/locus/internal/tour"
	"github.com/locus-url/locus/scheme"
)

// screen implements the methods of [tea.ExecCommand] that a program with its own terminal does not
// need.
type screen struct{}

func (screen) SetStdin(io.Reader)  {}
func (screen) SetStdout(io.Writer) {}
func (screen) SetStderr(io.Writer) {}

// browser holds the functions of the model that use the terminal and the tour.
type browser struct {
	app      *base.App
	client   *access.Client
	program  *tea.Program
	terminal Terminal

	mu       sync.Mutex
	museum   *tour.Demo // may be nil
	page     *page
	closeAll []func()
}

func (b *browser) converse(ctx context.Context, s *scheme.Session, safe bool) error {
	return b.visible(ctx, func(ctx context.Context) error { return b.terminal.Converse(ctx, b.app, s, safe) })
}

func (b *browser) compose(ctx context.Context, u locus.URL) error {
	return b.visible(ctx, func(ctx context.Context) error { return b.terminal.Compose(ctx, b.app, b.client, u) })
}

// errInterrupted reports that the user pressed Ctrl-C to return to the page.
var errInterrupted = errors.New("interrupted")

// visible runs the function f while the terminal shows the messages of f. Afterwards it waits
// until the user presses Enter. Ctrl-C cancels f and the wait.
func (b *browser) visible(ctx context.Context, f func(context.Context) error) error {
	tty, err := b.app.Terminal()
	if err != nil {
		return err
	}
	defer tty.Close()
	defer b.app.RedirectErrors(tty)()
	ctx, end := b.app.Interruptible(ctx)
	defer end()
	err = f(ctx)
	if ctx.Err() == nil {
		if err != nil {
			b.app.PrintError(base.Message(err))
		}
		_, err = tty.ReadLine(ctx, "Enter shows the page again. ")
	}
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case errors.Is(err, base.ErrNoAnswer):
		return nil
	}
	return err
}

// suspend lets a login prompt use the terminal. It is a [client.SuspendFunc].
func (b *browser) suspend(ctx context.Context) (question context.Context, resume func()) {
	begun, ended := make(chan struct{}), make(chan struct{})
	b.program.Send(terminalMsg{run: func() error {
		close(begun)
		<-ended
		return nil
	}})
	select {
	case <-begun:
	case <-ctx.Done():
		return ctx, func() { close(ended) }
	}
	question, end := b.app.Interruptible(ctx)
	return question, func() {
		end()
		close(ended)
	}
}

// tour starts the servers of the tour, unless they are running, and returns a page that lists the
// stops of the tour.
func (b *browser) tour() (*page, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.page != nil {
		return b.page, nil
	}
	museum, err := tour.Open()
	if err != nil {
		return nil, err
	}
	b.closeAll = append(b.closeAll, func() { museum.Close() })
	registry, err := b.app.NewRegistry(museum.Schemes()...)
	if err != nil {
		return nil, err
	}
	b.closeAll = append(b.closeAll, func() { client.CloseIdle(registry) })
	c, err := museum.Client(registry, &access.Options{Timeout: b.app.Flags.Timeout})
	if err != nil {
		return nil, err
	}
	b.closeAll = append(b.closeAll, func() { c.Close() })
	b.museum, b.page = museum, tourPage(c, museum.Servers())
	return b.page, nil
}

// close stops the servers of the tour.
func (b *browser) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := len(b.closeAll) - 1; i >= 0; i-- {
		b.closeAll[i]()
	}
}
