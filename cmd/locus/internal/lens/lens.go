// Package lens implements the subcommand "locus lens", which compares how standards and
// parsers read a URL.
package lens

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/lens"
)

const long = `lens runs each reader on the URL and compares the parts. The readers are four standards,
the parsers of this program, and installed programs: run "locus lens --list" for their
names. Programs run without a network if the system supports it, and do not get the URL
as an argument.

Table:
Rows are parts, columns are readers. Readers that agree share a column. "!" marks a part
that differs. The number in parentheses is the byte offset of the part in the URL, unless
the reader changed the text. "-" is an absent part, and "?" a part that a reader does not
report. lens compares parts by meaning: hosts by the server that would be contacted,
ports with the scheme's default. Passwords are shown as "***".

The last line names the confusion and says whether it is dangerous. It is dangerous if
two readers would contact different hosts: a filter that uses one reader then does not
protect a program that uses the other. --quiet hides URLs on which the readers agree.

Known confusions:
--corpus runs the readers on URLs that are known to confuse parsers, and counts the
disagreements.

Search:
--guard takes the reader of a filter and the reader of the program behind it. It searches
for short URLs for which they contact different servers. The search starts with the known
URLs, unless --from-nothing is given. It stops after --max-tries URLs, after --max-time,
or at Ctrl-C, and writes the URLs that it found.

Exit status:
0 if the readers agree on each URL or the differences are harmless; 1 if a difference is
dangerous or --guard finds one; 2 if all readers reject a URL.`

// command is one run of "locus lens".
type command struct {
	*base.App
	corpusFlags
	guardFlags
	with, without []string
	list          bool
	answers       int             // number of reports written so far
	ctx           context.Context // ends on an interrupt or after --max-time
}

// limit sets ctx to a context that ends after --max-time. The caller must call stop.
func (c *command) limit() (stop func()) {
	most := c.Flags.MaxTime
	if most == 0 {
		c.ctx = c.Context
		return func() {}
	}
	c.ctx, stop = context.WithTimeoutCause(c.Context, most, fmt.Errorf("no result within %v (--max-time)", most))
	return stop
}

// ended reports an error if the run has reached its time limit. An interrupt is not an error.
func (c *command) ended() {
	if c.Context.Err() == nil {
		c.Fail(base.StatusAccess, context.Cause(c.ctx))
	}
}

// everyProgram is a name for --without. everyProgram excludes all programs except those in
// --with.
const everyProgram = "programs"

// New returns the subcommand.
func New(a *base.App) *cobra.Command {
	c := command{App: a}
	cmd := &cobra.Command{
		Use:   "lens URL...",
		Short: "Compare how standards and parsers read a URL",
		Long:  long,
		Example: `  locus lens 'http://evil.example\@example.com/'
  locus lens --corpus`,
		Args: func(cmd *cobra.Command, args []string) error {
			if c.list || c.corpus || c.guard != "" {
				if len(args) > 0 {
					return errors.New("--corpus, --guard and --list accept no URL")
				}
				return nil
			}
			return base.RequireURLs(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := c.settle(); err != nil {
				return err
			}
			defer c.limit()()
			if c.guard != "" {
				return c.runGuard()
			}
			readers, err := c.readers()
			if err != nil {
				return err
			}
			if c.corpus {
				return c.runCorpus(readers)
			}
			if c.list {
				c.writeList(readers)
				return nil
			}
			c.look(lens.New(a.Registry, readers...), args)
			return nil
		},
	}
	base.AddFlags(cmd, "Readers", func(f *pflag.FlagSet) {
		f.StringArrayVar(&c.with, "with", nil, "use the program `NAME`, found or not (repeatable)")
		f.StringSliceVar(&c.without, "without", nil, "leave out the reader `NAME`, or all \"programs\" (repeatable)")
		f.BoolVar(&c.list, "list", false, "list the readers and their versions")
	})
	base.AddFlags(cmd, "Known confusions", c.corpusFlags.add)
	base.AddFlags(cmd, "Search", c.guardFlags.add)
	base.CompleteFlag(cmd, "format", corpusFormats)
	base.CompleteFlag(cmd, "with", lens.ProgramNames)
	base.CompleteFlag(cmd, "without", func() []string { return append(c.names(), everyProgram) })
	base.UseNetworkFlags(cmd, "timeout", "max-time")
	return cmd
}

// ownReaders returns the readers that do not run an external program.
func (c *command) ownReaders() []lens.Parser {
	return append(lens.Standards(c.Registry), lens.InProcess(c.Registry)...)
}

func (c *command) names() (names []string) {
	for _, r := range c.ownReaders() {
		names = append(names, r.Name())
	}
	return append(names, lens.ProgramNames()...)
}

// readers returns the readers that the flags select. An error means that a flag is invalid.
func (c *command) readers() ([]lens.Parser, error) {
	o := lens.Options{Registry: c.Registry, With: map[string]string{}, Without: c.without, Timeout: c.Flags.Timeout}
	for _, with := range c.with {
		name, path, found := strings.Cut(with, "=")
		switch {
		case !slices.Contains(lens.ProgramNames(), name):
			return nil, fmt.Errorf("--with: unknown program %q: choose %s", name, strings.Join(lens.ProgramNames(), ", "))
		case found && path == "":
			return nil, fmt.Errorf("--with %s: missing path after \"=\"", with)
		}
		o.With[name] = c.ExpandHome(path)
	}
	for _, name := range c.without {
		if name == everyProgram {
			o.Only = true
		} else if !slices.Contains(c.names(), name) {
			return nil, fmt.Errorf("--without: unknown reader %q: choose %s", name, strings.Join(append(c.names(), everyProgram), ", "))
		}
	}
	own := slices.DeleteFunc(c.ownReaders(), func(r lens.Parser) bool { return slices.Contains(c.without, r.Name()) })
	readers := append(own, lens.Programs(c.ctx, o)...)
	if len(readers) == 0 {
		return nil, fmt.Errorf("--without excludes all readers")
	}
	return readers, nil
}

// most is the maximum number of URLs in one batch. Every program runs once for each batch.
const most = 256

// look writes a report for each URL.
func (c *command) look(l *lens.Lens, args []string) {
	for group := range c.Groups(args, most) {
		if !c.report(l, group) {
			return
		}
	}
}

// report writes a report for each URL in urls. The result is false if the run has ended.
func (c *command) report(l *lens.Lens, urls []string) bool {
	reports, err := l.Compare(c.ctx, urls)
	if err != nil {
		c.ended()
		return false
	}
	for _, r := range reports {
		if r.Danger {
			c.RaiseStatus(base.StatusNo)
		}
		accepted := slices.ContainsFunc(r.Results, func(a lens.Result) bool { return a.OK })
		if !accepted {
			c.RaiseStatus(base.StatusUsage)
		}
		switch {
		case c.Flags.Quiet && accepted && r.Differences == nil:
		case c.Flags.JSON:
			c.WriteJSON(r)
		default:
			c.writeTable(l, r)
		}
	}
	c.FlushTerminal()
	return true
}

// listed is a reader in the output of --list.
type listed struct {
	Name    string    `json:"name"`
	Kind    lens.Kind `json:"kind"`
	Version string    `json:"version"`
	Error   string    `json:"error,omitempty"`
}

func (c *command) writeList(readers []lens.Parser) {
	for _, r := range readers {
		version, err := r.Version(c.ctx)
		if c.ctx.Err() != nil {
			c.ended()
			return
		}
		j := listed{Name: r.Name(), Kind: r.Kind(), Version: version}
		if err != nil {
			j.Error = err.Error()
		}
		if c.Flags.JSON {
			c.WriteJSON(j)
			continue
		}
		text := j.Version
		if err != nil {
			text = "failed: " + j.Error
		}
		fmt.Fprintf(c.Out, "%-14s  %-8s  %s\n", j.Name, j.Kind, term.Text(text))
	}
}
