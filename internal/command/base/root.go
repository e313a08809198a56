package base

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// NewRoot returns the command "locus" for a.
func NewRoot(a *App, subcommands, topics []*cobra.Command, help *cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use:   "locus",
		Short: "Show, check, compare and dereference URLs of every scheme",
		Long: `Locus knows every scheme of RFC 1738 and of the URI draft that became RFC 1630.

"locus URL" does what "locus open URL" does.

A subcommand that takes URLs reads them from standard input, one a line, if its
only argument is "-". Standard output carries only the result.`,
		Version:       version(),
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
		// Help and completions need no configuration, and work with a broken one.
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

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	return versionText(info)
}

// versionText describes the program: its version, commit, Go and platform.
func versionText(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	text := cmp.Or(info.Main.Version, "(devel)")
	if revision := settings["vcs.revision"]; revision != "" {
		text += fmt.Sprintf(", commit %.12s of %s", revision, settings["vcs.time"])
		if settings["vcs.modified"] == "true" {
			text += " with changes"
		}
	}
	return fmt.Sprintf("%s, %s, %s/%s", text, info.GoVersion, runtime.GOOS, runtime.GOARCH)
}

// RequireURLs refuses to run without arguments.
func RequireURLs(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New(`no URL given; "-" reads them from standard input, one a line`)
	}
	return nil
}
