package syntax

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/profile"
)

// NewCompare returns the subcommand "compare".
func NewCompare(a *base.App) *cobra.Command {
	var flags *ruleFlags
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Compare two URLs and explain the differences",
		Long: `Two URLs are the same if they name the same resource by the rules of their scheme.
compare lists differences in spelling, or the parts that differ. It uses no network.

--rules selects the rules: rfc1738 (the default, also for rfc1630); rfc3986, for its
section 6 and the scheme's current standard; whatwg, for which two URLs are the same if
browsers write them alike. With several rules, compare writes the name of the rules before
each verdict.

With "-" instead of both URLs, compare reads URLs from standard input, one per line, and
compares each pair.

Exit status:
0 if the URLs are the same; 1 if not; 2 if one is not a URL.`,
		Example: `  locus compare http://h.example/%7Efred HTTP://H.example:80/%7efred
  locus compare http://h.example/a%2Db http://h.example/a-b`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 && !base.IsStdin(args) {
				return fmt.Errorf("compare needs two URLs; got %d", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			rules, err := flags.rules()
			if err != nil {
				return err
			}
			var pair [][]shape.Side // one or two inputs, each parsed by all selected rules
			for input, err := range a.URLs(args) {
				if pair = append(pair, sides(a, rules, input, err)); len(pair) == 2 {
					compare(a, rules, pair[0], pair[1])
					pair = nil
				}
			}
			if len(pair) > 0 && a.Context.Err() == nil {
				return fmt.Errorf("line %d has no second URL to compare with", a.LineNumber)
			}
			return nil
		},
	}
	flags = addRules(a, cmd, locus.RFC1738, locus.RFC1630, locus.RFC3986, locus.WHATWG).addBase(cmd)
	return cmd
}

// sides parses an input by the rules of each selected standard.
func sides(a *base.App, rules []profile.Rules, input string, err error) []shape.Side {
	list := make([]shape.Side, len(rules))
	for i, r := range rules {
		s := shape.NewSide(r, input, err)
		if s.Err != nil && !a.Flags.JSON {
			s.Err = a.Explain(input, s.Err)
		}
		if s.Err != nil {
			s.Err = a.AtLine(s.Err)
		} else {
			a.NoteForm(r, input)
			if i == 0 && r.Profile != locus.WHATWG {
				a.NoteWrapper(input)
			}
		}
		list[i] = s
	}
	return list
}

func compare(a *base.App, rules []profile.Rules, x, y []shape.Side) {
	var list []shape.Comparison
	for i, r := range rules {
		c := shape.NewComparison(r, x[i], y[i])
		list = append(list, c)
		if !c.Same {
			a.RaiseStatus(base.StatusNo)
		}
		wrong := false
		for _, s := range []shape.Side{x[i], y[i]} {
			if s.Err != nil {
				wrong = true
				a.RaiseStatus(base.StatusUsage)
				if !a.Flags.JSON {
					a.Fail(base.StatusUsage, s.Err)
				}
			}
		}
		if !a.Flags.JSON && !wrong {
			writeComparison(a, c, by(rules, r))
		}
	}
	if a.Flags.JSON {
		a.WriteJSON(shape.NewCompare(x[0].Input, y[0].Input, list...))
	}
}

// by returns the name of the rules r as the beginning of a line. If the slice rules contains only
// one element, it returns "".
func by(rules []profile.Rules, r profile.Rules) string {
	if len(rules) == 1 {
		return ""
	}
	return r.Profile.String() + ": "
}

func writeComparison(a *base.App, verdict shape.Comparison, by string) {
	said := "same"
	if !verdict.Same {
		said = "not the same"
	}
	fmt.Fprintln(a.Out, by+said)
	for _, sentence := range verdict.Why {
		if !a.Flags.Quiet {
			fmt.Fprintf(a.Out, "  %s\n", term.Text(string(sentence)))
		}
	}
}
