package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
)

func newCompare(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "compare A B",
		Short: "Say whether two URLs are the same name, and why",
		Long: `Say whether two URLs name the same resource by the rules of their scheme, and
why: what was spelled differently, or which part differs. Nothing is looked up.

With "-" in place of both, standard input has a URL on each line, and every two
are compared. The status is 0 if they are the same, 1 if not, 2 if one is no
URL.`,
		Example: `  locus compare http://h.example/%7Efred HTTP://H.example:80/%7efred
  locus compare http://h.example/a%2Db http://h.example/a-b`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 && !isStandardInput(args) {
				return fmt.Errorf("two URLs are compared, and there are %d", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			var pair []shape.Side
			for input, err := range a.inputs(args) {
				if pair = append(pair, side(a, input, err)); len(pair) == 2 {
					compare(a, pair[0], pair[1])
					pair = nil
				}
			}
			if len(pair) > 0 && a.ctx.Err() == nil {
				return fmt.Errorf("line %d has nothing to be compared with", a.line)
			}
			return nil
		},
	}
}

func side(a *app, input string, err error) shape.Side {
	s := shape.NewSide(a.registry, input, err)
	if s.Err == nil {
		a.noteWrapper(input)
	}
	if s.Err != nil {
		s.Err = a.atLine(s.Err)
	}
	return s
}

func compare(a *app, x, y shape.Side) {
	verdict := shape.NewCompare(a.registry, x, y)
	wrong := false
	for _, s := range []shape.Side{x, y} {
		if s.Err != nil {
			wrong = true
			a.raise(statusUsage)
			if !a.flags.json {
				a.problem(statusUsage, s.Err)
			}
		}
	}
	if !verdict.Same {
		a.raise(statusNo)
	}
	switch {
	case a.flags.json:
		a.writeJSON(verdict)
	case !wrong:
		writeComparison(a, verdict)
	}
}

func writeComparison(a *app, verdict shape.Compare) {
	said := "same"
	if !verdict.Same {
		said = "not the same"
	}
	fmt.Fprintln(a.out, said)
	for _, sentence := range verdict.Why {
		if !a.flags.quiet {
			fmt.Fprintf(a.out, "  %s\n", term.Safe(term.Characters(string(sentence))))
		}
	}
}
