package syntax

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/profile"
	"github.com/locus-url/locus/profile/rfc3986"
)

// NewCanonical returns the subcommand.
func NewCanonical(a *base.App) *cobra.Command {
	c := canonicalizer{app: a}
	var flags *ruleFlags
	unique := false
	cmd := &cobra.Command{
		Use:   "canonical URL...",
		Short: "Write URLs in canonical form, one a line",
		Long: `URLs that mean the same by the rules of their scheme have the same canonical form. URLs
that differ in an escaped reserved character do not: "%2F" is not "/".

An input that is not a URL, or not in the form of its scheme, gives a message on
standard error, nothing on standard output, and status 2 at the end.

--rules selects whose rules: rfc1738, the default, which rfc1630 shares; rfc3986, the
normalized form of its section 6; whatwg, as browsers write it. Of several there is a line
for each, after its name and a TAB.

With --surt URLs are written for sorting, as web archives do: http://(com,example,www,)/a.

With --wrap a URL is written as <URL:...>, the wrapper of the appendix of RFC 1738. A
long one is broken over lines, after "/" or another reserved character and never after
a hyphen. "locus extract" reads it back.

Without --unique the memory in use does not grow with the input. With it about 30 octets
are kept for each URL: 128 bits of a hash, with a new key in each run. The odds that one
of a thousand million URLs is lost are below 1 to 10^20.`,
		Example: `  locus canonical HTTP://Info.Example.NET:80/%7efred
  printf 'ftp://h\nFTP://H:21/\n' | locus canonical --unique -`,
		Args: base.RequireURLs,
		RunE: func(_ *cobra.Command, args []string) (err error) {
			if c.rules, err = flags.rules(); err != nil {
				return err
			}
			if unique {
				if len(c.rules) > 1 {
					return errors.New("--unique needs one set of rules")
				}
				c.seen = base.NewTextSet()
			}
			for input, err := range a.URLs(args) {
				c.write(input, err)
			}
			return nil
		},
	}
	flags = addRules(a, cmd, locus.RFC1738, locus.RFC1630, locus.RFC3986, locus.WHATWG).addBase(cmd)
	cmd.Flags().BoolVar(&unique, "unique", false, "write each canonical form once")
	cmd.Flags().BoolVar(&c.surt, "surt", false, "write URLs for sorting: http://(com,example,)/")
	cmd.Flags().BoolVar(&c.wrap, "wrap", false, wrapHelp)
	cmd.MarkFlagsMutuallyExclusive("surt", "wrap")
	return cmd
}

type canonicalizer struct {
	app   *base.App
	rules []profile.Rules
	seen  *base.TextSet // nil: write all
	surt  bool          // write them for sorting
	wrap  bool          // write <URL:...>
}

func (c *canonicalizer) write(input string, readErr error) {
	if readErr == nil && c.rules[0].Profile != locus.WHATWG {
		c.app.NoteWrapper(input)
	}
	var forms []shape.CanonicalForm
	var wrapped string
	for _, r := range c.rules {
		text, changes, err := "", []string(nil), readErr
		if err == nil {
			text, changes, err = shape.CanonicalInput(r, input)
		}
		if err == nil && c.surt {
			text = rfc3986.Parse(text).SURT()
		}
		written := text
		if err == nil && c.wrap {
			written, err = wrapText(text)
			wrapped = written
		}
		switch {
		case err != nil && (!c.app.Flags.JSON || len(c.rules) == 1):
			c.app.FailInput(input, err)
			if len(c.rules) == 1 {
				return
			}
		case c.app.Flags.JSON:
			if err != nil {
				c.app.RaiseStatus(base.StatusUsage)
			}
			forms = append(forms, shape.NewCanonicalForm(r.Profile, text, changes, err))
		case c.seen != nil && !c.seen.Add(text):
		default:
			if len(c.rules) > 1 {
				c.app.Out.WriteString(r.Profile.String() + "\t")
			}
			c.app.Out.WriteString(written)
			c.app.Out.WriteByte('\n')
		}
	}
	if c.app.Flags.JSON && (c.seen == nil || c.seen.Add(string(*forms[0].Canonical))) {
		j := shape.NewCanonical(input, forms...)
		j.Wrapped = shape.Text(wrapped)
		c.app.WriteJSON(j)
	}
}

// wrapWidth is the length of a line of --wrap in octets: 80 columns hold it and quote marks.
const wrapWidth = 72

const wrapHelp = "write URLs as <URL:...> in lines of 72 octets"

// wrapText is [wrap] for the text of a URL.
func wrapText(text string) (string, error) {
	u, err := locus.Parse(text)
	if err != nil {
		return "", err
	}
	return wrap(u)
}

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
