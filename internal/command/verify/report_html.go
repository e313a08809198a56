package verify

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/wholefile"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/verify"
)

//go:embed web/report.css
var reportStyle string

//go:embed web/report.js
var reportScript string

//go:embed web/report.tmpl
var reportPage string

// parsePage inserts the style sheet and the script into the page, and parses the page as a
// template. The style sheet and the script are not template values.
var parsePage = sync.OnceValue(func() *template.Template {
	text := strings.NewReplacer("{{.Style}}", reportStyle, "{{.Script}}", reportScript).Replace(reportPage)
	return template.Must(template.New("").Option("missingkey=error").Parse(text))
})

// htmlReport writes a self-contained page. htmlReport stores the table rows in a temporary file,
// because the charts precede the table.
type htmlReport struct {
	v     *verifier
	out   *bufio.Writer
	all   bool
	rows  spool
	count int
	hosts map[string]int // broken links by host
	files map[string]int // broken links by document
}

func newHTMLReport(v *verifier, o *output) reporter {
	return &htmlReport{v: v, out: o.w, all: o.all, hosts: map[string]int{}, files: map[string]int{}}
}

// htmlRow is the data for the template "row".
type htmlRow struct{ Verdict, Class, Link, Href, Document, Place, Why string }

func (h *htmlReport) result(r *verify.Result) {
	w := rowOf(r)
	row := htmlRow{Verdict: w.verdict, Class: h.class(r), Link: w.link, Document: w.document, Why: w.why}
	if w.place != "-" {
		row.Place = w.place
	}
	if h.isWeb(r) {
		row.Href = r.URL.WithoutPassword().Shown()
	}
	if row.Class == "bad" {
		h.hosts[h.hostOf(r)]++
		h.files[w.document]++
	}
	h.count++
	h.rows.write(func(out io.Writer) error { return parsePage().ExecuteTemplate(out, "row", row) })
}

// class returns the CSS class for the verdict of a result.
func (h *htmlReport) class(r *verify.Result) string {
	switch {
	case r.Err != nil, r.Verdict.IsBad() && !r.Accepted && !r.Known, h.v.status(r) == base.StatusNo && r.Verdict != verify.Warning:
		return "bad"
	case r.Verdict == verify.Warning, r.Verdict == verify.Denied:
		return "warn"
	case r.Verdict == verify.Moved:
		return "note"
	case r.Verdict == verify.Alive:
		return "good"
	}
	return "other"
}

// isWeb reports whether a browser can open the link in the result.
func (h *htmlReport) isWeb(r *verify.Result) bool {
	return r.Err == nil && !r.URL.IsZero() && h.v.a.Registry.Scheme(r.URL).Traits.Has(scheme.Web)
}

// hostOf returns the host in a link, or a substitute name for a link without a host.
func (h *htmlReport) hostOf(r *verify.Result) string {
	switch {
	case r.Err != nil:
		return "(unread documents)"
	case r.URL.IsZero():
		return "(malformed links)"
	case h.v.a.Registry.Scheme(r.URL).Traits.Has(scheme.Files):
		return "(files)"
	}
	return safeText(cmp.Or(r.URL.Host(), r.URL.Scheme()+":"))
}

// chart is a bar chart that shows only the longest bars.
type chart struct {
	Title string
	Bars  []bar
	More  string // number of omitted bars, as text
}

type bar struct {
	Name  string
	Count int
	Width string // percentage of the longest bar
}

const maxBars = 12

func newChart(title, thing string, counts map[string]int) chart {
	c := chart{Title: title}
	for name, n := range counts {
		c.Bars = append(c.Bars, bar{Name: name, Count: n})
	}
	slices.SortFunc(c.Bars, func(a, b bar) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name)) })
	if rest := len(c.Bars) - maxBars; rest > 0 {
		c.Bars = c.Bars[:maxBars]
		c.More = "and " + countOf(rest, "more "+thing)
	}
	for i := range c.Bars {
		c.Bars[i].Width = fmt.Sprintf("%.1f", 100*float64(c.Bars[i].Count)/float64(c.Bars[0].Count))
	}
	return c
}

// htmlPage is the data for the templates "head" and "foot".
type htmlPage struct {
	Policy, Summary, Slowest, When string
	Interrupted, All               bool
	Rows                           int
	Charts                         []chart
}

func (h *htmlReport) end() {
	page := htmlPage{
		Policy:  fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", sourceHash(reportStyle), sourceHash(reportScript)),
		Summary: h.v.summary(), Slowest: h.v.slowHostsLine(), When: time.Now().UTC().Format("2006-01-02 15:04 MST"),
		Interrupted: h.v.a.Context.Err() != nil, All: h.all, Rows: h.count,
	}
	if len(h.hosts) > 0 {
		page.Charts = []chart{newChart("Broken links by host", "host", h.hosts), newChart("Broken links by document", "document", h.files)}
	}
	// The output stores write errors.
	err := parsePage().ExecuteTemplate(h.out, "head", page)
	spoolErr := h.rows.copyTo(h.out)
	if err == nil {
		err = parsePage().ExecuteTemplate(h.out, "foot", page)
	}
	if err = errors.Join(h.rows.remove(), spoolErr, err); err != nil && !h.v.a.OutputFailed() {
		h.v.a.Fail(base.StatusAccess, fmt.Errorf("the HTML report: %w", err))
	}
}

// sourceHash returns the Content-Security-Policy source for a style or a script.
func sourceHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// spool is a temporary file that is written once and then read once. The zero spool is empty.
type spool struct {
	file *wholefile.Temporary
	w    *bufio.Writer
	err  error // first error
}

func (s *spool) write(add func(io.Writer) error) {
	if s.err == nil && s.file == nil {
		if s.file, s.err = wholefile.CreateTemporary("", "locus-verify-*"); s.err == nil {
			s.w = bufio.NewWriter(s.file)
		}
	}
	if s.err == nil {
		s.err = add(s.w)
	}
}

func (s *spool) copyTo(w io.Writer) error {
	if s.err != nil || s.file == nil {
		return s.err
	}
	if err := s.w.Flush(); err != nil {
		return err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(w, s.file)
	return err
}

// remove deletes the temporary file.
func (s *spool) remove() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
