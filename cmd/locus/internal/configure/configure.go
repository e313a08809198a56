// Package configure implements the subcommand "locus config", which shows the configuration
// and creates its file.
package configure

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/config"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
)

// New returns the subcommand "config".
func New(a *base.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show the configuration, or create its file",
		Long: `"show" writes the effective value of each setting, from the file and the environment, as
TOML. A setting without a value is a comment. "path" writes the path of the file, which
may not exist. "init" creates a file with each setting commented out; it never replaces
a file.

"locus help configuration" describes the settings.`,
		Example: `  locus config show
  locus config path`,
		Args: base.UnknownSubcommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return errors.New("choose config show, config path or config init")
		},
	}
	show := &cobra.Command{
		Use:   "show",
		Short: "Write the effective value of each setting",
		Example: `  locus config show
  LOCUS_TIMEOUT=5 locus config show --json`,
		Args: base.NoArgs,
		RunE: func(*cobra.Command, []string) error { return show(a) },
	}
	path := &cobra.Command{
		Use:   "path",
		Short: "Write the path of the configuration file",
		Example: `  locus config path
  locus config path --config other.toml`,
		Args: base.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			name, err := filePath(a)
			if err != nil {
				return err
			}
			if a.Flags.JSON {
				a.WriteJSON(struct {
					Path shape.Text `json:"path"`
				}{shape.Text(name)})
				return nil
			}
			fmt.Fprintln(a.Out, term.Safe(name))
			return nil
		},
	}
	begin := &cobra.Command{
		Use:   "init",
		Short: "Create a configuration file with each setting commented out",
		Example: `  locus config init
  locus config init --config locus.toml`,
		Args: base.NoArgs,
		RunE: func(*cobra.Command, []string) error { return begin(a) },
	}
	// These subcommands must work even if the configuration file is invalid.
	for _, c := range []*cobra.Command{path, begin} {
		c.PersistentPreRunE = func(*cobra.Command, []string) error { return nil }
	}
	cmd.AddCommand(show, path, begin)
	return cmd
}

func filePath(a *base.App) (string, error) {
	name, _ := config.Source{File: a.Flags.Config, Getenv: a.Getenv}.Path()
	if name == "" {
		return "", errors.New("neither XDG_CONFIG_HOME nor HOME is set: choose a file with --config")
	}
	return name, nil
}

type settingJSON struct {
	Key      string     `json:"key"`
	Value    any        `json:"value"` // null if there is no value
	Variable string     `json:"variable"`
	Help     shape.Text `json:"help"`
}

func show(a *base.App) error {
	for _, s := range a.Config.Settings() {
		switch {
		case a.Flags.JSON:
			a.WriteJSON(settingJSON{s.Key, s.Value, s.Variable, shape.Text(s.Help)})
		case s.Value == nil:
			fmt.Fprintf(a.Out, "# %s = %s\n", s.Key, s.TOML())
		default:
			fmt.Fprintf(a.Out, "%s = %s\n", s.Key, locus.MaskText(s.TOML()))
		}
	}
	return nil
}

func begin(a *base.App) error {
	name, err := filePath(a)
	if err != nil {
		return err
	}
	text := "# The configuration of locus: remove \"# \" before a setting to change it.\n"
	standard := config.Default()
	for _, s := range standard.Settings() {
		text += fmt.Sprintf("\n# %s.\n# %s = %s\n", s.Help, s.Key, s.TOML())
	}
	err = os.MkdirAll(filepath.Dir(name), 0o700)
	if err == nil {
		// Other users must not be able to read the file, because the user may later add
		// the password of a proxy.
		var f *os.File
		if f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			_, err = f.WriteString(text)
			err = errors.Join(err, f.Close())
		}
	}
	if err != nil {
		a.Fail(base.StatusAccess, err)
		return nil
	}
	a.Note("wrote %s", name)
	return nil
}
