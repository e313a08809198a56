// Package browse implements the subcommand "locus browse", a browser for the terminal.
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

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/client"
	"github.com/locus-url/locus/internal/command/config"
	"github.com/locus-url/locus/scheme"
)

const browseLong = `browse shows menus, directories, articles, messages, forms, gemtext, HTML and text, and
follows their links. Without a URL it shows the bookmarks and the tour, which has demo
servers of every scheme. With --from it lists archived pages.

Keys:
Enter opens the selected link. A number and Enter opens any link. b goes back, q quits,
and ? shows all keys.

Other programs:
A telnet, rlogin or tn3270 link starts a session at the terminal, and a mailto link
starts a message. Afterwards browse shows the page again.

Bookmarks:
Bookmarks are stored in bookmarks.toml in the directory of the configuration file.

Private addresses:
A link on a public page must not lead to a private address, unless --allow-private is
given.`

const browseExamples = `  locus browse
  locus browse gopher://gopher.example.net/1/`

// Terminal holds the functions that the browser shares with "locus open" and that use the
// terminal.
type Terminal struct {
	// Converse runs and closes a session. The parameter safe selects the filter of "locus open
	// --safe".
	Converse func(ctx context.Context, a *base.App, s *scheme.Session, safe bool) error
	// Compose lets the user write a message to the address in a mailto URL.
	Compose func(ctx context.Context, a *base.App, c *access.Client, u locus.URL) error
}

// options holds the flags of one run.
type options struct {
	archives client.Archives
	noMouse  bool
	terminal Terminal
}

// New returns the subcommand "browse".
func New(a *base.App, t Terminal) *cobra.Command {
	o := options{terminal: t}
	cmd := &cobra.Command{
		Use:     "browse [URL]",
		Short:   "Browse URLs of every scheme in the terminal",
		Long:    browseLong,
		Example: browseExamples,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("browse opens one URL; got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return browse(cmd.Context(), a, args, o)
		},
	}
	base.AddFlags(cmd, "Archives", o.archives.AddFlags)
	base.AddFlags(cmd, "Output", func(f *pflag.FlagSet) {
		f.BoolVar(&o.noMouse, "no-mouse", false, "leave the mouse to the terminal, for selecting text")
	})
	base.UseNetworkFlags(cmd)
	return cmd
}

// browse runs until the user quits. It returns only usage errors.
func browse(ctx context.Context, a *base.App, args []string, o options) error {
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
		return errors.New("browse has no --json: use \"locus get --json\"")
	case !a.OutTTY || !ok || !term.IsTerminal(int(file.Fd())) || a.Getenv("TERM") == "dumb":
		return errors.New("browse needs a terminal: use \"locus get\"")
	}
	b := &browser{app: a, terminal: o.terminal}
	var store *archive.Store
	c, closeAll, err := client.New(a, client.Options{
		NoTimeLimit: true, NoProgress: true, Suspend: b.suspend,
		Archives: o.archives, Opened: func(s *archive.Store) { store = s },
	})
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
	m := newModel(a, c, store, first)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m.ctx, m.do, m.tour, m.mouse = ctx, b, b.tour, !o.noMouse
	b.program = tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(a.In), tea.WithOutput(a.OutFile()), tea.WithoutSignalHandler())
	// The browser would draw over messages, so it shows important messages in the page.
	// Prompts use the terminal even if standard error is redirected.
	restore, tty := a.RedirectErrors(io.Discard), a.ErrTTY
	a.ErrTTY = true
	_, err = b.program.Run()
	a.ErrTTY = tty
	restore()
	interrupted := ctx.Err() != nil
	cancel()
	m.saves.Wait() // waits until unfinished downloads have removed their files
	if err != nil && !interrupted {
		a.Fail(base.StatusAccess, fmt.Errorf("the terminal: %w", err))
	}
	a.RaiseStatus(m.status)
	return nil
}

// newModel returns a model that opens the URL in the parameter first. If this URL is zero, the
// model shows a list of the archived pages. Without archives, it shows the bookmarks and the tour.
func newModel(a *base.App, o opener, kept *archive.Store, first locus.URL) *model {
	m := &model{
		app: a, ctx: a.Context, opener: o, colors: a.Getenv("NO_COLOR") == "", width: 80, height: 24,
		tabs: []*tab{{}}, elsewhere: openElsewhere(a), tick: tea.Tick, marks: bookmarks{bookmarksPath(a)}, mouse: true,
	}
	if kept != nil {
		m.archived = &archivedList{kept, o}
	}
	pl := place{opener: o, url: first}
	switch {
	case first.IsZero() && m.archived == nil:
		pl = m.home()
	case first.IsZero():
		pl = m.archived.hosts("")
	}
	m.tab().push(newEntry(pl))
	return m
}

// bookmarksPath returns the path of the bookmarks file, or "" if the system defines no directory
// for it.
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

// openElsewhere returns a function that opens a URL with $BROWSER or the desktop's default
// program.
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
				return fmt.Errorf("no program to open it: set BROWSER: %w", err)
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
