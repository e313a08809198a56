package show

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/cli/config"
)

type screenFlags struct{ model, codePage, device string }

// AddFlags adds the flags about the terminal of tn3270.
func (s *screenFlags) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&s.model, "model", "", "tn3270: terminal model `N`: 2 (24x80, default), 3, 4 or 5 (27x132)")
	f.StringVar(&s.codePage, "code-page", "", "tn3270: character set of the host, by `NUMBER` (default 037)")
	f.StringVar(&s.device, "device", "", "tn3270: ask for the device or group `NAME`")
}

// Apply changes the configuration to what the flags say.
func (s *screenFlags) Apply(f *pflag.FlagSet, c *config.TN3270) error {
	if f.Changed("model") {
		if err := c.Model.UnmarshalText([]byte(s.model)); err != nil {
			return fmt.Errorf("--model: %w", err)
		}
	}
	if f.Changed("code-page") {
		if err := c.CodePage.UnmarshalText([]byte(s.codePage)); err != nil {
			return fmt.Errorf("--code-page: %w", err)
		}
	}
	if f.Changed("device") {
		c.Device = s.device
	}
	return nil
}

// HasScreen reports whether one of args is, or may be, the URL of a session with a 3270
// screen, which alone has keys to press.
func HasScreen(args []string) bool {
	return base.IsStdin(args) || slices.ContainsFunc(args, func(arg string) bool {
		u, err := locus.ParseWrapped(arg)
		return err == nil && u.Scheme() == "tn3270"
	})
}
