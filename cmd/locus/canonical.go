package main

import (
	"github.com/spf13/cobra"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/shape"
)

func newCanonical(a *app) *cobra.Command {
	unique := false
	wrap := false
	cmd := &cobra.Command{
		Use:   "canonical URL...",
		Short: "Write URLs in canonical form, and each only once if asked to",
		Long: `Write each URL in its canonical form, one a line: URLs that mean the same by the
rules of their scheme have the same. Two that differ in an escaped reserved
character do not: "%2F" is not "/".

A line that is no URL, or not in the form of its scheme, gets a message on
standard error and nothing on standard output, and the status is 2 in the end.

With --wrap a URL is written as <URL:...>, the wrapper of RFC 1738's appendix for
running text. A long one is broken over lines, after a "/" or another reserved
character and never after a hyphen. "locus extract" reads it back.

Without --unique the memory that is used does not grow with the input. With it,
about 30 octets are kept for each URL written: not its text but 128 bits that
are made of it, with a key that is new in each run. That two of a thousand
million URLs share theirs, and one is lost, has odds of less than 1 to 10^20.`,
		Example: `  locus canonical HTTP://Info.Example.NET:80/%7efred
  printf 'ftp://h\nFTP://H:21/\n' | locus canonical --unique -`,
		Args: urls,
		RunE: func(_ *cobra.Command, args []string) error {
			c := canonicalizer{app: a, wrap: wrap}
			if unique {
				c.seen = newSeen()
			}
			for input, err := range a.inputs(args) {
				c.write(input, err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&unique, "unique", false, "leave out what has been written already")
	cmd.Flags().BoolVar(&wrap, "wrap", false, wrapHelp)
	return cmd
}

// canonicalizer writes canonical forms.
type canonicalizer struct {
	app  *app
	seen *seen // nil: write all
	wrap bool  // write <URL:...>
}

// write answers one input; readErr says that it could not be read whole.
func (c *canonicalizer) write(input string, readErr error) {
	var change locus.Change
	u, err := c.app.readURL(input, readErr)
	if err == nil {
		u, change, err = c.app.registry.Canonical(u)
	}
	written := u.String()
	if err == nil && c.wrap {
		written, err = wrap(u)
	}
	switch {
	case err != nil:
		c.app.refuse(input, err)
	case c.seen != nil && !c.seen.add(u.String()):
	case c.app.flags.json:
		j := shape.NewCanonical(input, u, change)
		if c.wrap {
			j.Wrapped = shape.Text(written)
		}
		c.app.writeJSON(j)
	default:
		c.app.out.WriteString(written)
		c.app.out.WriteByte('\n')
	}
}
