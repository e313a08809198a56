package syntax

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
)

// NewCheck returns the subcommand.
func NewCheck(a *base.App) *cobra.Command {
	rules := "rfc1738"
	cmd := &cobra.Command{
		Use:   "check URL...",
		Short: "Check whether URLs conform to the rules, with a line for each violation",
		Long: `The rules are those of RFC 1738, or with --rules rfc1630 those of the URI draft that
became RFC 1630. There is a line for each violation:

  URL:OFFSET: KIND RULE (SECTION): HELP

OFFSET counts octets from 0. KIND is one of
  violation   the grammar does not allow it
  impossible  grammatical, but no such value exists: port 0
  suggestion  probably mistyped: the scheme "htp"
  note        advice; a URL that has only notes conforms
--quiet leaves out notes and the line for a URL that conforms. Passwords are shown as
"*".

The status is 0 if all URLs conform, 1 if not, 2 if an input is not a URL.`,
		Example: `  locus check ftp://ftp.example.net/pub/README
  locus check --rules rfc1630 'http://info.example.net/albert/marie-claude?sgml+cms'`,
		Args: base.RequireURLs,
		RunE: func(_ *cobra.Command, args []string) error {
			profile, err := locus.ParseProfile(rules)
			if err != nil {
				return err
			}
			for input, err := range a.URLs(args) {
				check(a, input, err, profile)
			}
			return nil
		},
	}
	addRules(cmd, &rules, "rfc1738", "rfc1630")
	return cmd
}

// addRules adds the flag --rules with its two values.
func addRules(cmd *cobra.Command, rules *string, first, second string) {
	cmd.Flags().StringVar(rules, "rules", first, fmt.Sprintf("use the rules `NAME`: %s or %s", first, second))
	base.CompleteFlag(cmd, "rules", func() []string { return []string{first, second} })
}

func check(a *base.App, input string, readErr error, profile locus.Profile) {
	list, err := shape.CheckInput(a.Registry, input, readErr, profile)
	if err != nil {
		a.RaiseStatus(base.StatusUsage)
	}
	conforms := locus.Conforms(list)
	if !conforms {
		a.RaiseStatus(base.StatusNo)
	}
	if a.Flags.JSON {
		a.WriteJSON(shape.NewCheck(input, list, err, profile))
		return
	}
	writeVerdict(a, input, list, conforms)
}

func writeVerdict(a *base.App, input string, list []locus.Violation, conforms bool) {
	if a.Flags.Quiet && conforms {
		return
	}
	name := term.Safe(charset.Text(shape.Mask(input)))
	for _, v := range list {
		if v.Kind != locus.Note || !a.Flags.Quiet {
			fmt.Fprintf(a.Out, "%s:%d: %s %s (%s): %s\n", name, v.Offset, v.Kind, v.Rule, v.Section, term.Safe(charset.Text(v.Help)))
		}
	}
	if conforms {
		fmt.Fprintf(a.Out, "%s: conforms\n", name)
	}
}
