package verify

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/locus-url/locus/verify"
)

// markdownReport writes a Markdown table, for example for a comment on a pull request.
type markdownReport struct {
	v    *verifier
	out  *bufio.Writer
	rows int
}

func newMarkdownReport(v *verifier, o *output) reporter { return &markdownReport{v: v, out: o.w} }

const tableHead = "| where | link | verdict | why |\n|---|---|---|---|\n"

func (m *markdownReport) result(r *verify.Result) {
	if m.rows == 0 {
		m.out.WriteString(tableHead)
	}
	m.rows++
	m.out.WriteString(tableRow(r))
}

func tableRow(r *verify.Result) string {
	w := rowOf(r)
	link := ""
	if r.Err == nil {
		w.document += ":" + w.place
		link = codeCell(w.link) + " "
	}
	return fmt.Sprintf("| %s | %s| %s | %s |\n", tableCell(w.document), link, w.verdict, tableCell(w.why))
}

func (m *markdownReport) end() {
	if m.rows > 0 {
		m.out.WriteByte('\n')
	}
	fmt.Fprintf(m.out, "%s\n", tableCell(m.v.summary()))
}

// tableCell escapes text for a table cell, so that text from a server can't create a link.
func tableCell(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\`*_{}[]<>()#|~@&:!", r) {
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func codeCell(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	text = strings.ReplaceAll(text, "|", "\\|")
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}
