package main

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// newRoot returns the command with all its subcommands, which work on a.
func newRoot(a *app) *cobra.Command {
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
	for _, cmd := range commands(a) {
		// Help and completions need no configuration, and work with a broken one.
		cmd.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return a.loadConfig(cmd.Flags()) }
		root.AddCommand(cmd)
	}
	root.AddCommand(topics()...)
	root.AddCommand(newGuardTerminal(a))
	root.SetHelpCommand(newHelp())
	return root
}

// newHelp is cobra's help command, but that it takes an unknown name for the
// error that it is.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [SUBCOMMAND]",
		Short: "Help about a subcommand or a topic",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, c := range cmd.Root().Commands() {
				if len(args) == 0 && !c.Hidden {
					names = append(names, c.Name())
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return noSubcommand(cmd.Root(), args)
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
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
