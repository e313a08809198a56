// Package commands has the list of the subcommands of locus, and runs them.
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

// subcommand is the name of a subcommand and the function that makes it.
type subcommand struct {
	name string
	make func(*base.App) *cobra.Command
}

// subcommands lists every subcommand.
func subcommands() []subcommand {
	return []subcommand{
		{"get", get.New},
		{"parse", syntax.NewParse},
		{"check", syntax.NewCheck},
		{"canonical", syntax.NewCanonical},
		{"compare", syntax.NewCompare},
		{"resolve", syntax.NewResolve},
		{"lens", lens.New},
		{"extract", extract.New},
		{"verify", verify.New},
		{"mirror", mirror.New},
		{"open", open.New},
		{"browse", newBrowse},
		{"gateway", gateway.New},
		{"index", index.New},
		{"schemes", schemes.New},
		{"tour", func(a *base.App) *cobra.Command { return tour.New(a, gateway.ServeDemo) }},
		{"config", configure.New},
		{"man", help.NewMan},
		{"version", func(a *base.App) *cobra.Command { return base.NewVersion(a, "locus") }},
	}
}

func newBrowse(a *base.App) *cobra.Command {
	return browse.New(a, browse.Terminal{Converse: open.Converse, Compose: open.Compose})
}

// All makes every subcommand.
func All(a *base.App) (list []*cobra.Command) {
	for _, s := range subcommands() {
		list = append(list, s.make(a))
	}
	return list
}

// NewRoot returns the command with its subcommands and topics.
func NewRoot(a *base.App) *cobra.Command {
	root := base.NewRoot(a, All(a), help.Topics(), help.New())
	// The guard of a terminal needs no configuration.
	root.AddCommand(open.NewGuard(a))
	return root
}

// rootFor returns the command for args. If the first of them is a subcommand, or a URL to
// open, the others are left out: making them would take longer than most runs. Help,
// completions and manual pages need them all.
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

// Main runs the subcommand that the arguments of this process name, and returns the exit status.
func Main() int { return base.Main(Run) }

// Run does what args ask for and returns the exit status.
func Run(a *base.App, args []string) int { return a.Execute(rootFor(a, args), args) }
