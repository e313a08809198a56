package syntax

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/profile"
	"github.com/locus-url/locus/profile/rfc3986"
)

// NewCanonical returns the subcommand "canonical".
func NewCanonical(a *base.App) *cobra.Command {
	var c canonicalizer
	var flags *ruleFlags
	var bulk *collectFlags
	cmd := &cobra.Command{
		Use:   "canonical URL...",
		Short: "Write URLs in canonical form, one per line",
		Long: `URLs that are equivalent by the rules of their scheme have the same canonical form. A URL
with an escaped reserved character ("%2F") is not equivalent to one with the character
itself ("/").

If an input is not a valid URL, canonical reports it on standard error, writes nothing for
it, and ends with status 2.

Rules:
--rules selects the rules: rfc1738 (the default, also for rfc1630); rfc3986, for the
normalized form of its section 6; whatwg, as browsers write URLs. With several rules,
canonical writes a line for each: the name of the rules, a TAB and the URL.

Forms:
--surt writes URLs for sorting, like web archives: http://(com,example,www,)/a. --wrap
writes <URL:...>, the wrapper in the appendix of RFC 1738. It breaks long URLs after "/"
or another reserved character, never after a hyphen. "locus extract" reads them back.

Counting:
--unique writes each canonical form once, in the order of first occurrence. --count
writes the number of occurrences and a TAB before each form. --by counts the URLs of each
host or scheme, the highest number first.

Large inputs:
canonical uses all processors. It writes results before it waits for more input. With
--unique, --count or --by it stores a keyed 128-bit hash, about 25 bytes, for each URL. If
they exceed --memory, it uses a temporary file and writes those results at the end. The
probability of losing one of 1,000,000,000 URLs is below 1 in 10^20. Without --unique,
--count, --by and --sort, memory use does not depend on the size of the input.`,
		Example: `  locus canonical HTTP://Info.Example.NET:80/%7efred
  locus canonical --unique --files urls.txt`,
		Args: base.RequireURLs,
		RunE: func(_ *cobra.Command, args []string) (err error) {
			if c.rules, err = flags.rules(); err != nil {
				return err
			}
			if err := bulk.prepare(len(c.rules)); err != nil {
				return err
			}
			c.by = bulk.group()
			bulk.headed = bulk.by == "" && !bulk.count && !a.Flags.JSON && len(c.rules) == 1
			bulk.answerer = func(w *worker) answerer {
				c := c
				c.worker = w
				return &c
			}
			return bulk.run(args)
		},
	}
	flags = addRules(a, cmd, locus.RFC1738, locus.RFC1630, locus.RFC3986, locus.WHATWG).addBase(cmd)
	cmd.Flags().BoolVar(&c.surt, "surt", false, "write URLs for sorting: http://(com,example,)/")
	cmd.Flags().BoolVar(&c.wrap, "wrap", false, wrapHelp)
	bulk = addCollecting(a, cmd)
	cmd.MarkFlagsMutuallyExclusive("surt", "wrap")
	for _, other := range []string{"sort", "count", "by", "field", "key", "as"} {
		cmd.MarkFlagsMutuallyExclusive("wrap", other)
	}
	cmd.MarkFlagsMutuallyExclusive("surt", "by")
	return cmd
}

type canonicalizer struct {
	*worker
	rules []profile.Rules
	surt  bool                          // write URLs in SURT form, which sorts by host
	wrap  bool                          // write URLs in the wrapper <URL:...>
	by    func(canonical string) string // returns the group of a URL for a summary; nil selects the canonical form as output
}

// quick implements answerer. It returns false if the output needs more than the canonical form
// that the scheme registry defines.
func (c *canonicalizer) quick(w *worker, line []byte) bool {
	if len(c.rules) > 1 || c.rules[0].Profile > locus.RFC1630 || w.Flags.JSON || c.surt || c.wrap {
		return false
	}
	u, err := locus.Parse(octet.View(line))
	if err != nil {
		return false
	}
	if u, _, err = c.rules[0].Registry.Canonical(u); err != nil {
		return false
	}
	text := u.String()
	if c.by != nil {
		w.group(c.by(text))
		return true
	}
	w.Text = w.appendLine(w.Text, text)
	w.piece(text)
	return true
}

// pass implements answerer. It writes the line without a change.
func (c *canonicalizer) pass(w *worker) {
	if c.by == nil && !w.Flags.JSON {
		w.Out.Write(w.line)
		w.Out.WriteByte('\n')
		w.lone()
	}
}

func (c *canonicalizer) answer(input string, readErr error) {
	if readErr == nil && c.rules[0].Profile != locus.WHATWG {
		c.NoteWrapper(input)
	}
	var forms []shape.CanonicalForm
	var wrapped string
	head := input
	for _, r := range c.rules {
		text, changes, err := "", []string(nil), readErr
		if err == nil {
			if text, changes, err = shape.CanonicalInput(r, input); err == nil {
				c.NoteForm(r, input)
			}
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
		case err != nil && (!c.Flags.JSON || len(c.rules) == 1):
			c.fail(input, err)
			if len(c.rules) == 1 {
				return
			}
		case c.Flags.JSON:
			if err != nil {
				c.RaiseStatus(base.StatusUsage)
				head = shape.Head(input, err)
			}
			forms = append(forms, shape.NewCanonicalForm(r.Profile, text, changes, err))
		default:
			if len(c.rules) > 1 {
				c.Out.WriteString(r.Profile.String() + "\t")
			}
			if c.by != nil {
				c.group(c.by(text))
				continue
			}
			c.Out.Write(c.appendLine(nil, written))
			c.slowPiece(text)
		}
	}
	if c.Flags.JSON {
		j := shape.NewCanonical(head, forms...)
		j.Wrapped = shape.Text(wrapped)
		c.WriteJSON(j)
		if len(c.rules) == 1 {
			c.slowPiece(string(*forms[0].Canonical))
		}
	}
}

// wrapWidth is the maximum length of a --wrap line in bytes. With quote marks, the line fits in
// 80 columns.
const wrapWidth = 72

const wrapHelp = "write URLs as <URL:...> in lines of 72 bytes"

// wrapText returns the text of a URL in the wrapper <URL:...>, broken into lines.
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
