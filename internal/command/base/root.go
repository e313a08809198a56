package base

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus/internal/agent"
)

// NewRoot returns the command "locus" with the given subcommands, help topics and help command.
func NewRoot(a *App, subcommands, topics []*cobra.Command, help *cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use:   "locus",
		Short: "Fetch, check, parse and compare URLs of every scheme",
		Long: `Locus supports every scheme of RFC 1738 and of the URI draft that became RFC 1630.
"locus URL" is short for "locus open URL".

If "-" is the only argument of a subcommand that takes URLs, it reads them from standard
input, one per line. Standard output carries only the result. For the flags of a
subcommand, run "locus SUBCOMMAND --help".`,
		Example: `  locus verify docs/
  locus get -O ftp://ftp.example.net/pub/README`,
		Version:       agent.Build(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          UnknownSubcommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.ErrOut)
	a.addGlobalFlags(root)
	addGroups(root)
	for _, cmd := range subcommands {
		// Help and completions work without a valid configuration.
		cmd.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
			a.words = append(strings.Fields(cmd.CommandPath()), args...)
			if cmd.Annotations[ownConfigKey] != "" {
				return nil
			}
			return a.LoadConfig(cmd.Flags())
		}
		cmd.Flags().SortFlags = false
		root.AddCommand(cmd)
		hideUnused(cmd, root.PersistentFlags())
	}
	root.AddCommand(topics...)
	root.SetHelpCommand(help)
	root.SetHelpFunc(writeHelp)
	return root
}

// NewVersion returns the subcommand "version" of a program, which prints the same line as
// "--version".
func NewVersion(a *App, program string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Show the version, commit and Go version of the program",
		Example: "  " + program + " version\n  " + program + " --version",
		Args:    NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.Out, "%s version %s\n", program, agent.Build())
			return err
		},
	}
	LoadsConfig(cmd) // the version is printed even if the configuration is invalid
	return cmd
}

// RequireURLs returns an error if the command line contains no arguments.
func RequireURLs(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New(`no URL given (use - to read URLs from standard input, one per line)`)
	}
	return nil
}
