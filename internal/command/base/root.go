package base

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus/internal/agent"
)

// NewRoot returns the command "locus" with its subcommands, help topics and help command.
func NewRoot(a *App, subcommands, topics []*cobra.Command, help *cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use:   "locus",
		Short: "Show, check, compare and dereference URLs of every scheme",
		Long: `Locus knows every scheme of RFC 1738 and of the URI draft that became RFC 1630.

"locus URL" does what "locus open URL" does.

A subcommand that takes URLs reads them from standard input, one a line, if its
only argument is "-". Standard output carries only the result.`,
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
	LoadsConfig(cmd) // a broken configuration changes nothing
	return cmd
}

// RequireURLs returns an error without arguments.
func RequireURLs(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New(`no URL given (use - to read URLs from standard input, one per line)`)
	}
	return nil
}
