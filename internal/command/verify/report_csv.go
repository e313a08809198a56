package verify

import (
	"encoding/csv"
	"strconv"
	"strings"
	"time"

	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/verify"
)

// csvReport writes CSV (RFC 4180) with a header line.
type csvReport struct{ *csv.Writer }

func newCSVReport(_ *verifier, o *output) reporter {
	c := csvReport{csv.NewWriter(o.w)}
	// The output stores the first error, so the result can be ignored.
	_ = c.Write([]string{"document", "member", "line", "column", "link", "url", "verdict", "status", "reason", "to", "last alive"})
	return c
}

func (c csvReport) result(r *verify.Result) {
	w := rowOf(r)
	record := []string{term.Text(r.Document), term.Text(r.Member), number(r.Line), number(r.Column), w.link, "", w.verdict, number(int64(r.Status)), w.why, "", ""}
	if !r.URL.IsZero() {
		record[5] = safeText(r.URL.WithoutPassword().Shown())
	}
	if !r.To.IsZero() {
		record[9] = safeText(r.To.Shown())
	}
	if !r.LastAlive.IsZero() {
		record[10] = r.LastAlive.Format(time.RFC3339)
	}
	for i, cell := range record {
		record[i] = spreadsheetSafe(cell)
	}
	_ = c.Write(record)
}

func (c csvReport) end() { c.Flush() }

// spreadsheetSafe prefixes a cell with "'" if a spreadsheet would read it as a formula.
func spreadsheetSafe(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}

// number returns n as text, or "" if n is 0.
func number(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}
