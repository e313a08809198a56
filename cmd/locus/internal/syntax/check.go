package syntax

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/profile"
)

// NewCheck returns the subcommand "check".
func NewCheck(a *base.App) *cobra.Command {
	var c checker
	var flags *ruleFlags
	var bulk *collectFlags
	cmd := &cobra.Command{
		Use:   "check URL...",
		Short: "Check whether URLs conform to RFC 1738 or other rules",
		Long: `check writes a line for each violation:

  URL:OFFSET: KIND RULE (SECTION): HELP

OFFSET is the byte offset from 0. check shortens a URL of more than 2,000 bytes. KIND is

  violation   the grammar does not allow it
  impossible  grammatical, but no such value exists: port 0
  suggestion  probably mistyped: the scheme "htp"
  note        advice; a URL with only notes conforms

A note says whether RFC 3986 and RFC 1738 disagree about the URL. --quiet hides notes and
URLs that conform. Passwords are shown as "*".

Rules:
The default rules are RFC 1738. --rules selects others:

  rfc1630  the URI draft that became RFC 1630
  rfc3986  RFC 3986 and the scheme's current standard, such as RFC 6068 for mailto;
           "locus schemes" lists the standards
  whatwg   the validation errors of the URL Standard, which browsers follow
  all      all of these

Counting:
--by rule writes a line for each rule, the most frequent first: the number of violations,
a TAB, KIND and RULE. --by host and --by scheme count the URLs that do not conform.

Exit status:
0 if all URLs conform; 1 if not; 2 if an input is not a URL. With several rules, the
highest status counts.`,
		Example: `  locus check ftp://ftp.example.net/pub/README
  locus check --rules rfc3986,whatwg 'https://example.com/~user?next=/a?b'`,
		Args: base.RequireURLs,
		RunE: func(_ *cobra.Command, args []string) (err error) {
			if c.rules, err = flags.rules(); err != nil {
				return err
			}
			if err := bulk.prepare(1); err != nil {
				return err
			}
			c.by, c.byRule = bulk.group(), bulk.by == byRule
			bulk.answerer = func(w *worker) answerer {
				c := c
				c.worker = w
				return &c
			}
			return bulk.run(args)
		},
	}
	flags = addRules(a, cmd, locus.RFC1738, locus.RFC1630, locus.RFC3986, locus.WHATWG).addBase(cmd)
	bulk = addSummary(a, cmd)
	return cmd
}

type checker struct {
	*worker
	rules  []profile.Rules
	byRule bool                      // count the findings of each kind and rule
	by     func(input string) string // returns the group of a URL that violates the rules; may be nil
}

// quick implements answerer. It returns true only for a URL without findings.
func (c *checker) quick(w *worker, line []byte) bool {
	input := octet.View(line)
	if len(c.rules) > 1 || w.Flags.JSON {
		return false
	}
	list, err := shape.CheckInput(c.rules[0], input, nil)
	switch {
	case err != nil:
		return false
	case c.summary():
		c.count(input, list, c.judge(list))
		return true
	case len(list) > 0, !w.Flags.Quiet && !c.isShown(input):
		return false
	case !w.Flags.Quiet:
		w.Text = append(append(w.Text, line...), ": conforms\n"...)
	}
	return true
}

// pass implements answerer.
func (c *checker) pass(*worker) {}

// judge raises the exit status if the list contains a violation.
func (c *checker) judge(list []locus.Violation) (conforms bool) {
	if conforms = locus.Conforms(list); !conforms {
		c.RaiseStatus(base.StatusNo)
	}
	return conforms
}

// isShown reports whether the output for a URL without findings is the unchanged URL. This is true
// if the URL contains no password to mask and no character to escape.
func (c *checker) isShown(input string) bool {
	if c.rules[0].Profile <= locus.RFC1630 && hasNoLogin(input) {
		return true
	}
	return shown(input) == input
}

// hasNoLogin reports whether a US-ASCII URL contains no second ":" and no "@", not even escaped.
// The check is fast, but it may fail for a URL in which [locus.Mask] would mask nothing.
func hasNoLogin(input string) bool {
	rest := input[strings.IndexByte(input, ':')+1:]
	if strings.IndexByte(rest, ':') >= 0 || strings.IndexByte(rest, '@') >= 0 || octet.All(rest)&octet.ASCII == 0 {
		return false
	}
	for at := strings.IndexByte(rest, '%'); at >= 0; at = strings.IndexByte(rest, '%') {
		if !octet.IsEscape(rest, at) {
			return false
		}
		// Return false for an escaped "%" and for non-ASCII characters, because they may
		// hide a ":" or "@".
		if c := octet.Unescape(rest, at); c == ':' || c == '@' || c == '%' || c >= 0x80 {
			return false
		}
		rest = rest[at+3:]
	}
	return true
}

// shown returns an input as it appears in a result, with masked passwords and escaped for a
// terminal.
func shown(input string) string { return term.Text(locus.Mask(input)) }

func (c *checker) summary() bool { return c.by != nil || c.byRule }

func (c *checker) answer(input string, readErr error) {
	var verdicts []shape.Verdict
	head := input
	for _, r := range c.rules {
		list, err := shape.CheckInput(r, input, readErr)
		if err != nil {
			c.RaiseStatus(base.StatusUsage)
			head = shape.Head(input, err)
		}
		conforms := c.judge(list)
		if c.summary() {
			c.count(input, list, conforms)
			continue
		}
		if c.Flags.JSON {
			verdicts = append(verdicts, shape.NewVerdict(r, input, list, err))
			continue
		}
		by := ""
		if len(c.rules) > 1 {
			by = " to " + r.Profile.String()
		}
		writeVerdict(c.App, shape.Head(input, err), c.explained(input, list, err), conforms, by)
	}
	if c.Flags.JSON {
		c.WriteJSON(shape.NewCheck(head, verdicts...))
	}
}

// explained returns the list of violations. If the input looks like a URL without a scheme,
// explained adds a working command to the help text of the first violation.
func (c *checker) explained(input string, list []locus.Violation, err error) []locus.Violation {
	if err == nil || len(list) == 0 {
		return list
	}
	reason := c.Explain(input, err)
	if reason == err {
		return list
	}
	list = slices.Clone(list)
	list[0].Help = reason.Error()
	return list
}

// count adds a URL and its findings to the groups that the flag --by selects.
func (c *checker) count(input string, list []locus.Violation, conforms bool) {
	if c.by != nil && !conforms {
		c.group(c.by(locus.RemoveWrapper(input).String()))
	}
	if !c.byRule {
		return
	}
	for i := range list {
		if v := &list[i]; v.Kind != locus.Note || !c.Flags.Quiet {
			c.group(v.Kind.String(), " ", v.Rule)
		}
	}
}

// shortened removes the middle of a long URL, because the result repeats the URL for each finding
// and each byte may cause a finding.
func shortened(name string) string {
	const most, head, tail = 2000, 1000, 500
	if len(name) <= most {
		return name
	}
	// Cut the text only between characters.
	begin := strings.ToValidUTF8(name[:head], "")
	end := strings.ToValidUTF8(name[len(name)-tail:], "")
	return fmt.Sprintf("%s...(%d bytes)...%s", begin, len(name)-len(begin)-len(end), end)
}

func writeVerdict(a *base.App, input string, list []locus.Violation, conforms bool, by string) {
	if a.Flags.Quiet && conforms {
		return
	}
	name := shown(input)
	if len(list) > 0 {
		name = shortened(name)
	}
	for _, v := range shape.MaskFindings(input, list) {
		if v.Kind != locus.Note || !a.Flags.Quiet {
			fmt.Fprintf(a.Out, "%s:%d: %s %s (%s): %s\n", name, v.Offset, v.Kind, v.Rule, v.Section, term.Text(v.Help))
		}
	}
	if conforms {
		fmt.Fprintf(a.Out, "%s: conforms%s\n", name, by)
	}
}
