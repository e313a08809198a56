package main

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// rootCommand returns the command "locus" with its subcommands, which work on a, its
// topics of help and its help command.
func rootCommand(a *app, subcommands, topics []*cobra.Command, help *cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use:   "locus",
		Short: "URLs of every scheme: shown, checked, compared and dereferenced",
		Long: `Locus shows, checks, compares and dereferences URLs of every scheme that RFC 1738
and the URI draft know.

A subcommand that takes URLs reads them from standard input, one a line, if its
only argument is "-". Standard output carries the result alone.`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noSubcommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.errOut)
	a.addGlobalFlags(root)
	for _, cmd := range subcommands {
		// Help and completions need no configuration, and work with a broken one.
		cmd.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return a.loadConfig(cmd.Flags()) }
		root.AddCommand(cmd)
	}
	root.AddCommand(topics...)
	root.SetHelpCommand(help)
	return root
}

// version returns the version that the program was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

func noSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	if like := cmd.SuggestionsFor(args[0]); len(like) > 0 {
		return fmt.Errorf("no subcommand %q; there is %s", args[0], strings.Join(like, ", "))
	}
	return fmt.Errorf("no subcommand %q", args[0])
}

// errNoURL says that a subcommand has nothing to work on.
var errNoURL = errors.New(`no URL given; "-" reads them from standard input, one a line`)

// urls wants arguments for inputs.
func urls(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errNoURL
	}
	return nil
}
