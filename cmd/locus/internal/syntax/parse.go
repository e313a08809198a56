// Package syntax implements the subcommands that read only the text of URLs: parse, check,
// canonical, compare and resolve. These subcommands share the code that reads inputs and reports
// failures.
package syntax

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/advice"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/profile"
	"github.com/locus-url/locus/scheme"
)

// NewParse returns the subcommand "parse".
func NewParse(a *base.App) *cobra.Command {
	var p printer
	var flags *ruleFlags
	bulk := bulkRun{app: a, invalid: &invalidInputs{}}
	cmd := &cobra.Command{
		Use:   "parse URL...",
		Short: "Show the parts of URLs and violations of the rules",
		Long: `On a terminal, parse draws the URL with the names of its parts below it, and a "^" under
each problem. Elsewhere it writes a line for each part: the name, spaces and the text. It
shows parts as written, still encoded, and the fields of the scheme decoded. Bytes that
are not printable characters are shown as \x1b or \u202e.

--rules selects the rules for the parts and violations: rfc1738 (the default), rfc1630,
rfc3986, whatwg, or several. For whatwg, the parts are those of a browser's URL class.

With --wrap, parse also writes the URL as <URL:...>, the wrapper in the appendix of
RFC 1738. An input may have the wrapper, too.`,
		Example: `  locus parse 'gopher://gopher.example.net/7search%09word'
  locus parse --json ftp://ftp.example.net/pub/README`,
		Args: base.RequireURLs,
		RunE: func(_ *cobra.Command, args []string) (err error) {
			if p.rules, err = flags.rules(); err != nil {
				return err
			}
			bulk.separated = !a.Flags.JSON
			bulk.answerer = func(w *worker) answerer {
				p := p
				p.worker = w
				return &p
			}
			return bulk.run(args)
		},
	}
	flags = addRules(a, cmd, locus.RFC1738, locus.RFC1630, locus.RFC3986, locus.WHATWG).addBase(cmd)
	cmd.Flags().BoolVar(&p.wrap, "wrap", false, wrapHelp)
	bulk.addFlags(cmd)
	cmd.Flags().StringVar(&bulk.invalid.how, "invalid", "", invalidHelp)
	return cmd
}

type printer struct {
	*worker
	rules []profile.Rules
	wrap  bool // also write the URL in the wrapper <URL:...>
}

// quick implements answerer. It always returns false, so that the method answer handles each
// input.
func (p *printer) quick(*worker, []byte) bool { return false }

// pass implements answerer.
func (p *printer) pass(*worker) {}

func (p *printer) answer(input string, readErr error) {
	first := p.rules[0]
	if p.Flags.JSON && (len(p.rules) > 1 || first.Profile > locus.RFC1630) {
		p.writeParse(input, readErr)
		return
	}
	for _, r := range p.rules {
		if r.Profile > locus.RFC1630 {
			p.answerBy(r, input, readErr)
		} else {
			p.answerURL(r, input, readErr)
		}
	}
}

// writeParse writes a JSON result for several standards, or for a standard later than RFC 1738.
func (p *printer) writeParse(input string, readErr error) {
	j, err := shape.ParseInput(p.rules, input, readErr)
	if err != nil {
		p.RaiseStatus(base.StatusUsage)
	}
	if parsed, ok := j.(shape.Parse); ok && p.wrap {
		wrapped, err := wrapText(string(parsed.URL))
		if err != nil {
			p.fail(input, err)
			return
		}
		parsed.Wrapped = shape.Text(wrapped)
		j = parsed
	}
	p.WriteJSON(j)
}

// answerURL shows the parts of input by the rules of RFC 1738 or RFC 1630.
func (p *printer) answerURL(r profile.Rules, input string, err error) {
	var u locus.URL
	if err == nil {
		u, err = shape.Read(input)
	}
	var wrapped string
	if err == nil && p.wrap {
		wrapped, err = wrap(u)
	}
	if err != nil {
		p.explain(r, input, err)
		return
	}
	if p.Flags.JSON {
		j := shape.NewParse(p.Registry, r.Profile, input, u)
		j.Wrapped = shape.Text(wrapped)
		p.WriteJSON(j)
		return
	}
	p.NoteWrapper(input)
	p.begin(r)
	canonical, _, err := p.Registry.Canonical(u)
	if err != nil {
		canonical = locus.URL{} // the URL does not match the grammar of its scheme
	}
	findings := advice.Findings(p.Registry, u, r.Profile)
	if p.OutTTY {
		p.draw(u.String(), shape.Parts(u), canonical.String(), findings)
		p.writeRows(p.locatorRows(u))
	} else {
		p.writeRows(slices.Concat(partRows(u, canonical), p.locatorRows(u), findingRows(findings)))
	}
	if p.wrap {
		p.writeRow(row{"wrapped", wrapped})
	}
}

// answerBy shows the parts of input by the rules of RFC 3986 or the URL Standard.
func (p *printer) answerBy(r profile.Rules, input string, err error) {
	var reading shape.Reading
	if err == nil {
		reading, err = shape.NewReading(r, input)
	}
	var wrapped string
	if err == nil && p.wrap {
		wrapped, err = wrapText(reading.Text)
	}
	if err != nil {
		p.explain(r, input, err)
		return
	}
	if reading.Text != input {
		p.NoteWrapper(input)
	}
	p.begin(r)
	if p.OutTTY {
		p.draw(reading.Text, reading.Parts, reading.Canonical, reading.Findings)
		p.writeRows(slices.Concat(fieldRows(reading.Fields), attributeRows(reading.Attributes)))
	} else {
		rows := []row{{"url", charset.Text(reading.Text)}}
		if reading.Canonical != "" {
			rows = append(rows, row{"canonical", charset.Text(reading.Canonical)})
		}
		for _, part := range reading.Parts {
			rows = append(rows, row{part.Name, charset.Text(part.Text)})
		}
		p.writeRows(slices.Concat(rows, fieldRows(reading.Fields), attributeRows(reading.Attributes), findingRows(reading.Findings)))
	}
	if p.wrap {
		p.writeRow(row{"wrapped", wrapped})
	}
}

// attributeRows returns the lines for the attributes that the URL Standard defines.
func attributeRows(list []scheme.Field) (rows []row) {
	for _, a := range list {
		rows = append(rows, row{a.Name, a.Text()})
	}
	return rows
}

// begin writes a separator between results, and the name of the standard if there are several
// standards.
func (p *printer) begin(r profile.Rules) {
	p.Out.WriteByte('\n') // bulkRun removes the newline before the first result
	if len(p.rules) > 1 {
		p.writeRow(row{"rules", r.Profile.String()})
	}
}

// explain reports why an input is not a URL. On a terminal it marks the error.
func (p *printer) explain(r profile.Rules, input string, err error) {
	var e *locus.SyntaxError
	if p.Flags.JSON || !p.OutTTY || p.run.invalid.how != "" || !errors.As(err, &e) {
		if len(p.rules) > 1 {
			err = base.Prefix(r.Profile.String(), err)
		}
		p.fail(input, err)
		return
	}
	p.RaiseStatus(base.StatusUsage)
	p.begin(r)
	p.drawError(e)
}

type row struct{ name, value string }

func (p *printer) writeRows(rows []row) {
	for _, r := range rows {
		r.value = term.Safe(r.value)
		p.writeRow(r)
	}
}

// writeRow writes a row of the output. The value in the row must be safe for a terminal.
func (p *printer) writeRow(r row) {
	const longest = len("  articleNumber") + 1
	fmt.Fprintln(p.Out, strings.TrimRight(fmt.Sprintf("%-*s %s", longest, r.name, indented(r.value, longest+1)), " "))
}

// partRows returns the lines that show a URL and its canonical form as text.
func partRows(u, canonical locus.URL) []row {
	rows := []row{{"url", charset.Text(u.String())}}
	if !canonical.IsZero() {
		rows = append(rows, row{"canonical", charset.Text(canonical.String())})
	}
	rows = append(rows, row{"scheme", u.Scheme()})
	for _, p := range shape.Parts(u) {
		if p.Name != "scheme" {
			rows = append(rows, row{p.Name, charset.Text(p.Text)})
		}
	}
	return rows
}

// locatorRows returns lines with the decoded fields that the scheme defines. If the URL has no
// such fields, the line gives the reason.
func (p *printer) locatorRows(u locus.URL) (rows []row) {
	fields, err := p.Registry.Fields(u)
	if err != nil {
		return []row{{"locator", "none: " + errorText(err)}}
	}
	rows = fieldRows(fields)
	if words, _ := shape.Words(p.Registry, u); strings.Contains(words, " ") {
		rows = append(rows, row{"words", scheme.Field{Value: words}.Text()})
	}
	return rows
}

// fieldRows returns the lines for the fields that are present.
func fieldRows(fields []scheme.Field) (rows []row) {
	for _, field := range fields {
		if field.Value != nil {
			rows = append(rows, row{"  " + field.Name, field.Text()})
		}
	}
	return rows
}

func findingRows(findings []locus.Violation) (rows []row) {
	for _, v := range findings {
		rows = append(rows, row{v.Kind.String(), findingText(v)})
	}
	return rows
}

// findingText describes a finding in one line, which contains the offset, the rule, the section of
// the standard, and the fix.
func findingText(v locus.Violation) string {
	return fmt.Sprintf("offset %d: %s (%s): %s", v.Offset, v.Rule, v.Section, v.Help)
}

// errorText returns the text of a syntax error without the URL, because the subcommand shows the
// URL next to the error.
func errorText(err error) string {
	var e *locus.SyntaxError
	if errors.As(err, &e) {
		return fmt.Sprintf("offset %d: %v", e.Offset, e.Err)
	}
	return err.Error()
}
