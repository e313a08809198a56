// Package help implements the subcommand "locus help", the help topics, and the manual pages.
package help

import (
	"github.com/spf13/cobra"

	"github.com/locus-url/locus/internal/command/base"
)

// New returns the help subcommand. Unlike the default help command of cobra, it returns an error
// for an unknown name.
func New() *cobra.Command {
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
				return base.UnknownSubcommand(cmd.Root(), args)
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}
