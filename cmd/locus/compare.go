package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
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
				return usageError("two URLs are compared, and there are %d", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			var pair []side
			for input, err := range a.inputs(args) {
				if pair = append(pair, a.side(input, err)); len(pair) == 2 {
					a.compare(pair[0], pair[1])
					pair = nil
				}
			}
			if len(pair) > 0 && a.ctx.Err() == nil {
				return usageError("line %d has nothing to be compared with", a.line)
			}
			return nil
		},
	}
}

// side is one of the two URLs that are compared.
type side struct {
	input     string
	canonical locus.URL
	change    locus.Change
	err       error
}

func (a *app) side(input string, err error) side {
	s := side{input: input, err: err}
	var u locus.URL
	if s.err == nil {
		u, s.err = locus.Parse(input)
	}
	if s.err == nil {
		s.canonical, s.change, s.err = a.registry.Canonical(u)
	}
	if s.err != nil {
		s.err = a.atLine(s.err)
	}
	return s
}

// compareJSON is the verdict about two inputs.
type compareJSON struct {
	A          text   `json:"a"`
	B          text   `json:"b"`
	Same       bool   `json:"same"`
	CanonicalA *text  `json:"canonicalA"`
	CanonicalB *text  `json:"canonicalB"`
	Why        []text `json:"why"`
}

func (a *app) compare(x, y side) {
	var why []string
	same := false
	for _, s := range []side{x, y} {
		if s.err != nil {
			why = append(why, s.err.Error())
			if !a.flags.json {
				a.problem(statusUsage, s.err)
			}
			a.raise(statusUsage)
		}
	}
	if why == nil {
		same, why = a.sameness(x, y)
		if !same {
			a.raise(statusNo)
		}
	} else if !a.flags.json {
		return
	}
	if a.flags.json {
		a.writeJSON(compareJSON{
			A: text(x.input), B: text(y.input), Same: same, Why: texts(why),
			CanonicalA: present(x.canonical.String(), x.err == nil),
			CanonicalB: present(y.canonical.String(), y.err == nil),
		})
		return
	}
	verdict := "same"
	if !same {
		verdict = "not the same"
	}
	fmt.Fprintln(a.out, verdict)
	for _, sentence := range why {
		if !a.flags.quiet {
			fmt.Fprintf(a.out, "  %s\n", term.Safe(term.Characters(sentence)))
		}
	}
}

func texts(list []string) []text {
	t := make([]text, len(list))
	for i, s := range list {
		t[i] = text(s)
	}
	return t
}

// sameness compares two URLs, neither of which has an error, and says why they
// are the same or not.
func (a *app) sameness(x, y side) (same bool, why []string) {
	switch {
	case x.canonical != y.canonical:
		return false, a.differences(x.canonical, y.canonical)
	case x.input == y.input:
		return true, []string{"they are written alike"}
	default:
		// What both spelled in one way is no reason.
		return true, (x.change ^ y.change | x.change&y.change).Texts()
	}
}

// differences says in which parts two canonical URLs differ, or in which fields
// of the scheme if the parts as a whole say less.
func (a *app) differences(x, y locus.URL) []string {
	if x.Scheme() != y.Scheme() {
		return []string{differs("scheme", x.Scheme(), true, y.Scheme(), true)}
	}
	var why []string
	path := false
	for _, p := range pairParts(x, y) {
		if p.name == "password" {
			why = append(why, "the password differs")
			continue
		}
		path = path || p.name == "path" || p.name == "schemePart"
		why = append(why, differs(p.name, p.x, p.hasX, p.y, p.hasY))
		if sameOctets(p.x, p.y) && p.hasX && p.hasY {
			why = append(why, `a reserved character and its escape are not the same (RFC 1738 2.2)`)
		}
	}
	if path {
		why = append(why, a.fieldDifferences(x, y)...)
	}
	return why
}

// partPair is one part of two URLs.
type partPair struct {
	name       string
	x, y       string
	hasX, hasY bool
}

// pairParts returns the parts in which x and y differ, in order.
func pairParts(x, y locus.URL) []partPair {
	var list []partPair
	has := func(u locus.URL, name string) (string, bool) {
		for _, p := range urlParts(u) {
			if p.name == name {
				return p.text, true
			}
		}
		return "", false
	}
	for _, name := range []string{"user", "password", "host", "port", "path", "schemePart", "fragment"} {
		p := partPair{name: name}
		p.x, p.hasX = has(x, name)
		p.y, p.hasY = has(y, name)
		if p.x != p.y || p.hasX != p.hasY {
			list = append(list, p)
		}
	}
	return list
}

// fieldDifferences says which of the scheme's fields, decoded, differ.
func (a *app) fieldDifferences(x, y locus.URL) []string {
	fx, errX := a.registry.Fields(x)
	fy, errY := a.registry.Fields(y)
	if errX != nil || errY != nil || len(fx) != len(fy) {
		return nil
	}
	var why []string
	for i := range fx {
		textX, textY := valueText(fx[i].Value), valueText(fy[i].Value)
		// A login is among the parts already.
		if name := fx[i].Name; textX != textY && name != "password" && name != "user" && name != "path" && name != "host" {
			why = append(why, differs(name, textX, fx[i].Value != nil, textY, fy[i].Value != nil))
		}
	}
	return why
}

// differs is the sentence for a part that differs.
func differs(name, x string, hasX bool, y string, hasY bool) string {
	quote := func(text string, has bool) string {
		if !has {
			return "none"
		}
		return locus.Quote(term.Characters(text))
	}
	return fmt.Sprintf("the %s differs: %s and %s", name, quote(x, hasX), quote(y, hasY))
}

// sameOctets reports whether x and y are the same once they are decoded.
func sameOctets(x, y string) bool {
	if !strings.Contains(x+y, "%") {
		return false
	}
	dx, errX := escape.Decode(x)
	dy, errY := escape.Decode(y)
	return errX == nil && errY == nil && dx == dy
}
