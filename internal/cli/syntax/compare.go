package syntax

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
)

// NewCompare returns the subcommand.
func NewCompare(a *base.App) *cobra.Command {
	return &cobra.Command{
		Use:   "compare A B",
		Short: "Compare two URLs: the same name or not, and why",
		Long: `Two URLs are the same if they name the same resource by the rules of their scheme. The
reasons tell what was spelled differently, or which part differs. Nothing is looked up.

With "-" in place of both, standard input has one URL a line, and each two are compared.
The status is 0 if they are the same, 1 if not, 2 if one is not a URL.`,
		Example: `  locus compare http://h.example/%7Efred HTTP://H.example:80/%7efred
  locus compare http://h.example/a%2Db http://h.example/a-b`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 && !base.IsStdin(args) {
				return fmt.Errorf("compare needs two URLs; got %d", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			var pair []shape.Side
			for input, err := range a.URLs(args) {
				if pair = append(pair, side(a, input, err)); len(pair) == 2 {
					compare(a, pair[0], pair[1])
					pair = nil
				}
			}
			if len(pair) > 0 && a.Context.Err() == nil {
				return fmt.Errorf("line %d has no second URL to compare with", a.LineNumber)
			}
			return nil
		},
	}
}

func side(a *base.App, input string, err error) shape.Side {
	s := shape.NewSide(a.Registry, input, err)
	if s.Err != nil && !a.Flags.JSON {
		s.Err = a.Explain(input, s.Err)
	}
	if s.Err != nil {
		s.Err = a.AtLine(s.Err)
	} else {
		a.NoteWrapper(input)
	}
	return s
}

func compare(a *base.App, x, y shape.Side) {
	verdict := shape.NewCompare(a.Registry, x, y)
	wrong := false
	for _, s := range []shape.Side{x, y} {
		if s.Err != nil {
			wrong = true
			a.RaiseStatus(base.StatusUsage)
			if !a.Flags.JSON {
				a.Fail(base.StatusUsage, s.Err)
			}
		}
	}
	if !verdict.Same {
		a.RaiseStatus(base.StatusNo)
	}
	switch {
	case a.Flags.JSON:
		a.WriteJSON(verdict)
	case !wrong:
		writeComparison(a, verdict)
	}
}

func writeComparison(a *base.App, verdict shape.Compare) {
	said := "same"
	if !verdict.Same {
		said = "not the same"
	}
	fmt.Fprintln(a.Out, said)
	for _, sentence := range verdict.Why {
		if !a.Flags.Quiet {
			fmt.Fprintf(a.Out, "  %s\n", term.Safe(charset.Text(string(sentence))))
		}
	}
}
