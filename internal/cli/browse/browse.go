// Package browse is the subcommand "locus browse", a browser for the terminal.
package browse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/cli/client"
	"github.com/locus-url/locus/internal/cli/config"
	"github.com/locus-url/locus/internal/tour"
	"github.com/locus-url/locus/scheme"
)

const browseLong = `Browse shows menus, directories, articles, messages, forms, gemtext, HTML and text of
every scheme, and follows their links. Enter opens the chosen link; a number and Enter
opens any link; b goes back; q quits; ? shows all keys.

A telnet, rlogin or tn3270 link starts a session at the terminal, and a mailto link a
message. Afterwards the page is shown again.

Without a URL it shows the bookmarks and the tour: small servers of every scheme inside
the program. The bookmarks are in bookmarks.toml beside the configuration.

A link in a public page leads to no private address, unless --allow-private is given.`

const browseExamples = `  locus browse file:///etc/
  locus browse`

// Terminal are functions of "locus open" that use the terminal.
type Terminal struct {
	// Converse runs a session, and closes it. safe leaves out escape sequences that could
	// harm the terminal.
	Converse func(ctx context.Context, a *base.App, s *scheme.Session, safe bool) error
	// Compose starts a message to the address of a mailto URL.
	Compose func(ctx context.Context, a *base.App, c *access.Client, u locus.URL) error
}

// New returns the subcommand.
func New(a *base.App, t Terminal) *cobra.Command {
	var kept client.Archives
	cmd := &cobra.Command{
		Use:     "browse [URL]",
		Short:   "Browse every scheme in the terminal",
		Long:    browseLong,
		Example: browseExamples,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return browse(cmd.Context(), a, args, kept, t)
		},
	}
	base.AddFlags(cmd, "Archives", kept.AddFlags)
	base.UseNetworkFlags(cmd)
	return cmd
}

// browse runs until the user quits. It returns only usage errors.
func browse(ctx context.Context, a *base.App, args []string, kept client.Archives, t Terminal) error {
	var first locus.URL
	if len(args) > 0 {
		u, err := locus.ParseWrapped(args[0])
		if err != nil {
			a.FailInput(args[0], err)
			return nil
		}
		first = u
	}
	switch file, ok := a.In.(*os.File); {
	case a.Flags.JSON:
		return errors.New("browse has no --json; \"locus get --json\" writes a resource")
	case !a.OutTTY || !ok || !term.IsTerminal(int(file.Fd())) || a.Getenv("TERM") == "dumb":
		return errors.New("browse needs a terminal; \"locus get\" writes a resource")
	}
	b := &browser{app: a, terminal: t}
	c, closeAll, err := client.New(a, client.Options{NoTimeLimit: true, NoProgress: true, Suspend: b.suspend, Archives: kept})
	if broken, ok := errors.AsType[*client.ArchiveError](err); ok {
		a.Fail(base.StatusOf(base.KindOf(broken)), broken)
		return nil
	}
	if err != nil {
		return err
	}
	defer closeAll()
	defer b.close()
	b.client = c
	m := newModel(a, c, first)
	m.ctx, m.do, m.tour = ctx, b, b.tour
	b.program = tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(a.In), tea.WithOutput(a.OutFile()), tea.WithoutSignalHandler())
	// A message would be drawn over; those that matter are shown in the page.
	restore := a.RedirectErrors(io.Discard)
	_, err = b.program.Run()
	restore()
	if err != nil && ctx.Err() == nil {
		a.Fail(base.StatusAccess, fmt.Errorf("the terminal: %w", err))
	}
	a.RaiseStatus(m.status)
	return nil
}

// newModel returns a model that shows first; zero: the bookmarks and the tour.
func newModel(a *base.App, o opener, first locus.URL) *model {
	m := &model{
		app: a, ctx: a.Context, opener: o, colors: a.Getenv("NO_COLOR") == "", width: 80, height: 24,
		tabs: []*tab{{}}, elsewhere: openElsewhere(a), tick: tea.Tick, marks: bookmarks{bookmarksPath(a)},
	}
	if first.IsZero() {
		m.open(m.tab(), m.home(), nil)
		return m
	}
	pl := place{opener: o, url: first}
	e := &entry{place: pl, title: pl.shown(), page: &page{title: pl.shown()}, selected: noLink, fresh: true}
	m.tab().push(e)
	m.open(m.tab(), pl, e)
	return m
}

// bookmarksPath returns the file of the bookmarks, or "" without a folder for it.
func bookmarksPath(a *base.App) string {
	if a.Flags.Config != "" {
		return filepath.Join(filepath.Dir(a.Flags.Config), "bookmarks.toml")
	}
	folder := config.UserFolder(a.Getenv, "XDG_CONFIG_HOME", ".config")
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, "bookmarks.toml")
}

// openElsewhere returns a function that opens a URL with the program that BROWSER names,
// or that of the desktop.
func openElsewhere(a *base.App) func(locus.URL) error {
	return func(u locus.URL) error {
		names := []string{"xdg-open"}
		if runtime.GOOS == "darwin" {
			names = []string{"open"}
		}
		if name := a.Getenv("BROWSER"); name != "" {
			names = []string{name}
		}
		for _, name := range names {
			path, err := exec.LookPath(name)
			if err != nil {
				return fmt.Errorf("no program opens it: set BROWSER to one: %w", err)
			}
			c := exec.Command(path, u.String())
			if err := c.Start(); err != nil {
				return err
			}
			go c.Wait()
		}
		return nil
	}
}

// screen is the part of [tea.ExecCommand] that programs with a terminal of their own do
// not need.
type screen struct{}

func (screen) SetStdin(io.Reader)  {}
func (screen) SetStdout(io.Writer) {}
func (screen) SetStderr(io.Writer) {}

// browser is what the model needs of the terminal and of the tour.
type browser struct {
	app      *base.App
	client   *access.Client
	program  *tea.Program
	terminal Terminal

	mu       sync.Mutex
	museum   *tour.Museum // may be nil
	page     *page
	closeAll []func()
}

func (b *browser) converse(ctx context.Context, s *scheme.Session, safe bool) error {
	return b.visible(func() error { return b.terminal.Converse(ctx, b.app, s, safe) })
}

func (b *browser) compose(ctx context.Context, u locus.URL) error {
	return b.visible(func() error { return b.terminal.Compose(ctx, b.app, b.client, u) })
}

// visible runs f while messages go to the terminal, and waits for Enter.
func (b *browser) visible(f func() error) error {
	restore := b.app.RedirectErrors(os.Stderr)
	defer restore()
	if err := f(); err != nil {
		b.app.PrintError(base.Message(err))
	}
	tty, err := b.app.Terminal()
	if err != nil {
		return nil
	}
	defer tty.Close()
	_, err = tty.ReadLine(b.app.Context, "Enter shows the page again. ")
	if errors.Is(err, base.ErrNoAnswer) {
		err = nil
	}
	return err
}

// suspend gives the terminal to a question about a login until resume is called.
func (b *browser) suspend() (resume func()) {
	begun, ended := make(chan struct{}), make(chan struct{})
	b.program.Send(terminalMsg{run: func() error {
		close(begun)
		<-ended
		return nil
	}})
	select {
	case <-begun:
	case <-b.app.Context.Done():
	}
	restore := b.app.RedirectErrors(os.Stderr)
	return func() {
		restore()
		close(ended)
	}
}

// tour starts the servers of the tour, once, and returns the page of its stops.
func (b *browser) tour() (*page, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.page != nil {
		return b.page, nil
	}
	museum, err := tour.Open(b.app.Registry.All()...)
	if err != nil {
		return nil, err
	}
	b.closeAll = append(b.closeAll, func() { museum.Close() })
	registry, err := client.DemoRegistry(b.app, museum)
	if err != nil {
		return nil, err
	}
	b.closeAll = append(b.closeAll, func() { client.CloseIdle(registry) })
	c, err := museum.Client(registry, &access.Options{Timeout: b.app.Flags.Timeout})
	if err != nil {
		return nil, err
	}
	b.closeAll = append(b.closeAll, func() { c.Close() })
	b.museum, b.page = museum, tourPage(c, museum.Rooms())
	return b.page, nil
}

// close ends the tour.
func (b *browser) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := len(b.closeAll) - 1; i >= 0; i-- {
		b.closeAll[i]()
	}
}
