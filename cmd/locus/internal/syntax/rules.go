package syntax

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/profile"
	"github.com/locus-url/locus/profile/whatwg"
)

// ruleFlags holds the flags --rules and --base.
type ruleFlags struct {
	app   *base.App
	names string
	base  string
	known []locus.Profile // standards that the user can select; the first is the default
}

// addRules adds the flag --rules. The parameter known lists the standards that the user can
// select. The first standard is the default.
func addRules(a *base.App, cmd *cobra.Command, known ...locus.Profile) *ruleFlags {
	f := &ruleFlags{app: a, known: known}
	cmd.Flags().StringVar(&f.names, "rules", "", fmt.Sprintf("apply the rules `NAMES`, with commas, or all (default %s)", known[0]))
	base.CompleteFlag(cmd, "rules", func() []string { return append(strings.Split(profile.Names(known), ", "), "all") })
	return f
}

// addBase adds the flag --base. Its value is the base URL for relative URLs under the URL
// Standard.
func (f *ruleFlags) addBase(cmd *cobra.Command) *ruleFlags {
	cmd.Flags().StringVar(&f.base, "base", "", "with the rules whatwg, resolve relative URLs against `URL`")
	return f
}

// profiles returns the standards that the flag --rules selects. If the flag is not set, the
// configuration or the default applies.
func (f *ruleFlags) profiles() ([]locus.Profile, error) {
	if f.names != "" {
		list, err := profile.Parse(f.names, f.known)
		if err != nil {
			err = base.Prefix("--rules", err)
		}
		return list, err
	}
	if list, err := profile.Parse(string(f.app.Config.Rules), f.known); err == nil {
		return list, nil
	}
	return f.known[:1], nil
}

// rules returns the rules of the selected standards. The result contains at least one element.
func (f *ruleFlags) rules() ([]profile.Rules, error) {
	profiles, err := f.profiles()
	if err != nil {
		return nil, err
	}
	list := make([]profile.Rules, len(profiles))
	for i, p := range profiles {
		list[i] = profile.Rules{Profile: p, Registry: f.app.Registry}
	}
	if f.base == "" {
		return list, nil
	}
	i := slices.Index(profiles, locus.WHATWG)
	if i < 0 {
		return nil, errors.New("--base needs --rules whatwg; use \"locus resolve\" for the other rules")
	}
	base, err := whatwg.Parse(f.base, nil)
	if err != nil {
		return nil, fmt.Errorf("--base: %w", err)
	}
	list[i].Base = &base
	return list, nil
}
