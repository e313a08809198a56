// Package commands lists the subcommands of locus and runs them.
package commands

import (
	"github.com/spf13/cobra"

	"github.com/locus-url/locus/cmd/locus/internal/browse"
	"github.com/locus-url/locus/cmd/locus/internal/configure"
	"github.com/locus-url/locus/cmd/locus/internal/extract"
	"github.com/locus-url/locus/cmd/locus/internal/gateway"
	"github.com/locus-url/locus/cmd/locus/internal/get"
	"github.com/locus-url/locus/cmd/locus/internal/index"
	"github.com/locus-url/locus/cmd/locus/internal/lens"
	"github.com/locus-url/locus/cmd/locus/internal/mirror"
	"github.com/locus-url/locus/cmd/locus/internal/open"
	"github.com/locus-url/locus/cmd/locus/internal/schemes"
	"github.com/locus-url/locus/cmd/locus/internal/syntax"
	"github.com/locus-url/locus/cmd/locus/internal/tour"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/help"
	"github.com/locus-url/locus/internal/command/verify"
)

// subcommand describes a subcommand by its name, its group in the help text, and its constructor.
type subcommand struct {
	name  string
	group base.Group
	new   func(*base.App) *cobra.Command
}

func (s subcommand) make(a *base.App) *cobra.Command {
	cmd := s.new(a)
	cmd.GroupID = string(s.group)
	return cmd
}

func subcommands() []subcommand {
	return []subcommand{
		{"get", base.GroupFetch, get.New},
		{"parse", base.GroupParse, syntax.NewParse},
		{"check", base.GroupCheck, syntax.NewCheck},
		{"canonical", base.GroupParse, syntax.NewCanonical},
		{"compare", base.GroupParse, syntax.NewCompare},
		{"resolve", base.GroupParse, syntax.NewResolve},
		{"lens", base.GroupCheck, lens.New},
		{"extract", base.GroupParse, extract.New},
		{"verify", base.GroupCheck, verify.New},
		{"mirror", base.GroupArchive, mirror.New},
		{"open", base.GroupFetch, open.New},
		{"browse", base.GroupFetch, newBrowse},
		{"gateway", base.GroupServe, gateway.New},
		{"index", base.GroupArchive, index.New},
		{"schemes", base.GroupSetup, schemes.New},
		{"tour", base.GroupFetch, func(a *base.App) *cobra.Command { return tour.New(a, gateway.ServeDemo) }},
		{"config", base.GroupSetup, configure.New},
		{"man", base.GroupSetup, help.NewMan},
		{"version", base.GroupSetup, func(a *base.App) *cobra.Command { return base.NewVersion(a, "locus") }},
	}
}

func newBrowse(a *base.App) *cobra.Command {
	return browse.New(a, browse.Terminal{Converse: open.Converse, Compose: open.Compose})
}

// All creates all subcommands.
func All(a *base.App) (list []*cobra.Command) {
	for _, s := range subcommands() {
		list = append(list, s.make(a))
	}
	return list
}

// NewRoot returns the command "locus" with its subcommands and help topics.
func NewRoot(a *base.App) *cobra.Command {
	root := base.NewRoot(a, All(a), help.Topics(), help.New())
	// The terminal guard, a hidden subcommand, needs no configuration.
	root.AddCommand(open.NewGuard(a))
	return root
}

// rootFor returns the command for args. If the first argument is a subcommand or a URL, rootFor
// creates only that subcommand. Only help texts, completions and manual pages need all
// subcommands, and creating them takes longer than most runs.
func rootFor(a *base.App, args []string) *cobra.Command {
	if len(args) == 0 {
		return NewRoot(a)
	}
	name := args[0]
	if base.IsBareURL(name) {
		name = base.BareSubcommand
	}
	for _, s := range subcommands() {
		if s.name == name && name != "man" {
			return base.NewRoot(a, []*cobra.Command{s.make(a)}, nil, help.New())
		}
	}
	return NewRoot(a)
}

// Main runs the command line of this process and returns the exit status.
func Main() int { return base.Main(Run) }

// Run runs the command line args and returns the exit status.
func Run(a *base.App, args []string) int { return a.Execute(rootFor(a, args), args) }
