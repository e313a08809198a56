package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
)

func newCheck(a *app) *cobra.Command {
	rules := "rfc1738"
	cmd := &cobra.Command{
		Use:   "check URL...",
		Short: "Say whether URLs conform, with a line for each violation",
		Long: `Say whether each URL conforms to RFC 1738, or to the URI draft that became RFC
1630 with --rules rfc1630. There is a line for each violation:

  URL:OFFSET: KIND RULE (SECTION): HELP

OFFSET counts octets from 0. KIND is one of
  violation   the grammar does not allow it
  impossible  the grammar allows it, but no such value exists: port 0
  suggestion  probably mistyped: a scheme "htp"
  note        advice: a URL with notes only conforms
--quiet leaves out notes, and the line that says that a URL conforms. A password
is shown as "*".

The status is 0 if all URLs conform, 1 if not, 2 if an input is no URL.`,
		Example: `  locus check ftp://ftp.example.net/pub/README
  locus check --rules rfc1630 'http://info.example.net/albert/marie-claude?sgml+cms'`,
		Args: urls,
		RunE: func(_ *cobra.Command, args []string) error {
			profile, err := locus.ParseProfile(rules)
			if err != nil {
				return err
			}
			for input, err := range a.inputs(args) {
				check(a, input, err, profile)
			}
			return nil
		},
	}
	addRules(cmd, &rules, "rfc1738", "rfc1630")
	return cmd
}

// addRules adds the flag --rules with its two choices.
func addRules(cmd *cobra.Command, rules *string, first, second string) {
	cmd.Flags().StringVar(rules, "rules", first, fmt.Sprintf("whose rules: %s or %s", first, second))
	_ = cmd.RegisterFlagCompletionFunc("rules", cobra.FixedCompletions([]string{first, second}, cobra.ShellCompDirectiveNoFileComp))
}

// check answers one input; readErr says that it could not be read whole.
func check(a *app, input string, readErr error, profile locus.Profile) {
	list, err := shape.CheckInput(a.registry, input, readErr, profile)
	if err != nil {
		a.raise(statusUsage)
	}
	conforms := locus.Conforms(list)
	if !conforms {
		a.raise(statusNo)
	}
	if a.flags.json {
		a.writeJSON(shape.NewCheck(input, list, err, profile))
		return
	}
	writeVerdict(a, input, list, conforms)
}

func writeVerdict(a *app, input string, list []locus.Violation, conforms bool) {
	if a.flags.quiet && conforms {
		return
	}
	name := term.Safe(term.Characters(shape.Mask(input)))
	for _, v := range list {
		if v.Kind != locus.Note || !a.flags.quiet {
			fmt.Fprintf(a.out, "%s:%d: %s %s (%s): %s\n", name, v.Offset, v.Kind, v.Rule, v.Section, term.Safe(term.Characters(v.Help)))
		}
	}
	if conforms {
		fmt.Fprintf(a.out, "%s: conforms\n", name)
	}
}
