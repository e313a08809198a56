package syntax

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/shape"
)

// NewCanonical returns the subcommand.
func NewCanonical(a *base.App) *cobra.Command {
	unique := false
	wrap := false
	cmd := &cobra.Command{
		Use:   "canonical URL...",
		Short: "Write URLs in canonical form, one a line",
		Long: `URLs that mean the same by the rules of their scheme have the same canonical form. URLs
that differ in an escaped reserved character do not: "%2F" is not "/".

An input that is not a URL, or not in the form of its scheme, gives a message on
standard error, nothing on standard output, and status 2 at the end.

With --wrap a URL is written as <URL:...>, the wrapper of the appendix of RFC 1738. A
long one is broken over lines, after "/" or another reserved character and never after
a hyphen. "locus extract" reads it back.

Without --unique the memory in use does not grow with the input. With it about 30 octets
are kept for each URL: 128 bits of a hash, with a new key in each run. The odds that one
of a thousand million URLs is lost are below 1 to 10^20.`,
		Example: `  locus canonical HTTP://Info.Example.NET:80/%7efred
  printf 'ftp://h\nFTP://H:21/\n' | locus canonical --unique -`,
		Args: base.RequireURLs,
		RunE: func(_ *cobra.Command, args []string) error {
			c := canonicalizer{app: a, wrap: wrap}
			if unique {
				c.seen = base.NewTextSet()
			}
			for input, err := range a.URLs(args) {
				c.write(input, err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&unique, "unique", false, "write each canonical form once")
	cmd.Flags().BoolVar(&wrap, "wrap", false, wrapHelp)
	return cmd
}

type canonicalizer struct {
	app  *base.App
	seen *base.TextSet // nil: write all
	wrap bool          // write <URL:...>
}

func (c *canonicalizer) write(input string, readErr error) {
	var change locus.Change
	u, err := c.app.ReadURL(input, readErr)
	if err == nil {
		u, change, err = c.app.Registry.Canonical(u)
	}
	written := u.String()
	if err == nil && c.wrap {
		written, err = wrap(u)
	}
	switch {
	case err != nil:
		c.app.FailInput(input, err)
	case c.seen != nil && !c.seen.Add(u.String()):
	case c.app.Flags.JSON:
		j := shape.NewCanonical(input, u, change)
		if c.wrap {
			j.Wrapped = shape.Text(written)
		}
		c.app.WriteJSON(j)
	default:
		c.app.Out.WriteString(written)
		c.app.Out.WriteByte('\n')
	}
}

// wrapWidth is the length of a line of --wrap in octets: 80 columns hold it and quote marks.
const wrapWidth = 72

const wrapHelp = "write URLs as <URL:...> in lines of 72 octets"

func wrap(u locus.URL) (string, error) {
	wrapped, err := locus.Wrap(u, wrapWidth)
	if err != nil {
		return "", fmt.Errorf("--wrap: %w", err)
	}
	return wrapped, nil
}

func indented(text string, column int) string {
	return strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", column))
}
