package verify

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/verify"
)

// githubReport writes GitHub workflow commands, which annotate the files in a change.
type githubReport struct {
	v   *verifier
	out *bufio.Writer
}

func newGitHubReport(v *verifier, o *output) reporter { return githubReport{v, o.w} }

func (g githubReport) result(r *verify.Result) {
	w := rowOf(r)
	level := "notice"
	switch status := g.v.status(r); {
	case r.Verdict == verify.Warning && !r.Accepted:
		level = "warning"
	case status != base.StatusDone:
		level = "error"
	}
	properties := ""
	if isFile(r) {
		properties = "file=" + workflowValue(path.Clean(r.Document)) + ","
		if r.Line > 0 {
			properties += fmt.Sprintf("line=%d,col=%d,", r.Line, r.Column)
		}
	}
	text := w.link
	if text != "" && w.why != "" {
		text += ": "
	}
	fmt.Fprintf(g.out, "::%s %stitle=%s::%s\n", level, properties, w.verdict, workflowText(text+w.why))
}

func (g githubReport) end() {
	if !g.v.a.Flags.Quiet {
		fmt.Fprintf(g.out, "::notice title=locus verify::%s\n", workflowText(g.v.summary()))
	}
}

func isFile(r *verify.Result) bool {
	return r.Document != "" && !strings.Contains(r.Document, "://")
}

// workflowText escapes the text of a workflow command, and workflowValue escapes a property.
func workflowText(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func workflowValue(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(workflowText(term.Text(text)))
}

const (
	// maxSummary is the maximum size of the table, because GitHub limits a step summary to 1 MiB.
	maxSummary = 900 << 10
	summaryEnv = "GITHUB_STEP_SUMMARY"
)

// summaryReport appends a table to the step summary of a GitHub workflow.
type summaryReport struct {
	v    *verifier
	file string
	rows strings.Builder
	more int // number of omitted rows
}

// openSummary adds the step summary to the outputs if a report has the format "github".
func (v *verifier) openSummary() {
	file := v.a.Getenv(summaryEnv)
	if file == "" {
		return
	}
	for _, o := range v.tell.outputs {
		if _, ok := o.report.(githubReport); ok {
			v.tell.outputs = append(v.tell.outputs, &output{report: &summaryReport{v: v, file: file}})
			return
		}
	}
}

func (s *summaryReport) result(r *verify.Result) {
	row := tableRow(r)
	if s.more > 0 || s.rows.Len()+len(row) > maxSummary {
		s.more++
		return
	}
	s.rows.WriteString(row)
}

func (s *summaryReport) end() {
	text := "### locus verify\n\n" + tableCell(s.v.summary()) + "\n"
	if slow := s.v.slowHostsLine(); slow != "" {
		text += "\n" + tableCell(slow) + "\n"
	}
	if s.rows.Len() > 0 {
		text += "\n" + tableHead + s.rows.String()
	}
	if s.more > 0 {
		text += fmt.Sprintf("\n%s not shown\n", countOf(s.more, "more row"))
	}
	if err := appendFile(s.file, text+"\n"); err != nil {
		s.v.a.Fail(base.StatusAccess, fmt.Errorf("%s: %w", summaryEnv, err))
	}
}

// appendFile adds text to a file.
func appendFile(name, text string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return cmp.Or(err, f.Close())
}
