package main

import (
	"github.com/spf13/cobra"

	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/cli/configure"
	"github.com/locus-url/locus/internal/cli/extract"
	"github.com/locus-url/locus/internal/cli/gateway"
	"github.com/locus-url/locus/internal/cli/get"
	"github.com/locus-url/locus/internal/cli/help"
	"github.com/locus-url/locus/internal/cli/index"
	"github.com/locus-url/locus/internal/cli/lens"
	"github.com/locus-url/locus/internal/cli/mirror"
	"github.com/locus-url/locus/internal/cli/open"
	"github.com/locus-url/locus/internal/cli/schemes"
	"github.com/locus-url/locus/internal/cli/syntax"
	"github.com/locus-url/locus/internal/cli/tour"
	"github.com/locus-url/locus/internal/cli/verify"
)

// commands lists every subcommand.
func commands(a *base.App) []*cobra.Command {
	return []*cobra.Command{
		get.New(a),
		syntax.NewParse(a),
		syntax.NewCheck(a),
		syntax.NewCanonical(a),
		syntax.NewCompare(a),
		syntax.NewResolve(a),
		lens.New(a),
		extract.New(a),
		verify.New(a),
		mirror.New(a),
		open.New(a),
		gateway.New(a),
		index.New(a),
		schemes.New(a),
		tour.New(a, gateway.ServeDemo),
		configure.New(a),
		help.NewMan(a),
	}
}

// newRoot returns the command with its subcommands and topics.
func newRoot(a *base.App) *cobra.Command {
	root := base.NewRoot(a, commands(a), help.Topics(), help.New())
	// The guard of a terminal needs no configuration.
	root.AddCommand(open.NewGuard(a))
	return root
}

// runArgs does what args ask for and returns the exit status.
func runArgs(a *base.App, args []string) int { return a.Execute(newRoot(a), args) }
