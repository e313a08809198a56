package syntax

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/profile"
)

// NewCheck returns the subcommand.
func NewCheck(a *base.App) *cobra.Command {
	var flags *ruleFlags
	cmd := &cobra.Command{
		Use:   "check URL...",
		Short: "Check whether URLs conform to the rules, with a line for each violation",
		Long: `The rules are those of RFC 1738, or with --rules

  rfc1630  the URI draft that became RFC 1630
  rfc3986  RFC 3986, and what the scheme's own standard of today adds: RFC 6068 for
           mailto; "locus schemes" names them
  whatwg   the URL Standard, which browsers follow: its validation errors
  all      all of them

There is a line for each violation:

  URL:OFFSET: KIND RULE (SECTION): HELP

OFFSET counts octets from 0. KIND is one of
  violation   the grammar does not allow it
  impossible  grammatical, but no such value exists: port 0
  suggestion  probably mistyped: the scheme "htp"
  note        advice; a URL that has only notes conforms
A note tells if RFC 3986 has another verdict than RFC 1738. --quiet leaves out notes and
the line for a URL that conforms. Passwords are shown as "*".

The status is 0 if all URLs conform, 1 if not, 2 if an input is not a URL. Of several
rules it is the highest.`,
		Example: `  locus check ftp://ftp.example.net/pub/README
  locus check --rules rfc3986,whatwg 'https://example.com/~user?next=/a?b'`,
		Args: base.RequireURLs,
		RunE: func(_ *cobra.Command, args []string) error {
			rules, err := flags.rules()
			if err != nil {
				return err
			}
			for input, err := range a.URLs(args) {
				check(a, input, err, rules)
			}
			return nil
		},
	}
	flags = addRules(a, cmd, locus.RFC1738, locus.RFC1630, locus.RFC3986, locus.WHATWG).addBase(cmd)
	return cmd
}

func check(a *base.App, input string, readErr error, rules []profile.Rules) {
	var verdicts []shape.Verdict
	for _, r := range rules {
		list, err := shape.CheckInput(r, input, readErr)
		if err != nil {
			a.RaiseStatus(base.StatusUsage)
		}
		conforms := locus.Conforms(list)
		if !conforms {
			a.RaiseStatus(base.StatusNo)
		}
		if a.Flags.JSON {
			verdicts = append(verdicts, shape.NewVerdict(r, input, list, err))
			continue
		}
		by := ""
		if len(rules) > 1 {
			by = " to " + r.Profile.String()
		}
		writeVerdict(a, input, list, conforms, by)
	}
	if a.Flags.JSON {
		a.WriteJSON(shape.NewCheck(input, verdicts...))
	}
}

func writeVerdict(a *base.App, input string, list []locus.Violation, conforms bool, by string) {
	if a.Flags.Quiet && conforms {
		return
	}
	name := term.Safe(charset.Text(shape.Mask(input)))
	for _, v := range shape.MaskFindings(input, list) {
		if v.Kind != locus.Note || !a.Flags.Quiet {
			fmt.Fprintf(a.Out, "%s:%d: %s %s (%s): %s\n", name, v.Offset, v.Kind, v.Rule, v.Section, term.Safe(charset.Text(v.Help)))
		}
	}
	if conforms {
		fmt.Fprintf(a.Out, "%s: conforms%s\n", name, by)
	}
}
