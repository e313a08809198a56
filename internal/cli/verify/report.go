package verify

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/verify"
)

type reporter interface {
	result(*verify.Result)
	end()
}

var formats = []string{"text", "json", "junit", "markdown", "github"}

func (v *verifier) newReporter() (reporter, error) {
	if v.a.Flags.JSON && v.format == "text" {
		v.format = "json"
	}
	switch v.format {
	case "text":
		return &textReport{v: v, colors: term.NewColors(v.a.OutTTY, v.a.Getenv)}, nil
	case "json":
		v.all = true
		return jsonReport{v}, nil
	case "junit":
		v.all = true
		return newJUnitReport(v), nil
	case "markdown":
		return &markdownReport{v: v}, nil
	case "github":
		return githubReport{v}, nil
	}
	return nil, fmt.Errorf("unknown format %q: choose text, json, junit, markdown or github", v.format)
}

// safeText makes text of documents and servers safe for a terminal.
func safeText(text string) string { return term.Safe(charset.Text(text)) }

// interesting reports whether a result is shown without --all.
func (v *verifier) interesting(r *verify.Result) bool {
	if r.Err != nil {
		return true
	}
	if r.Accepted || r.Known {
		return false
	}
	switch r.Verdict {
	case verify.Warning, verify.Denied:
		return true
	case verify.Ignored:
		// A URL that was typed needs a reason why nothing follows.
		return r.Document == ""
	case verify.Moved:
		return r.Permanent && !v.a.Flags.Quiet
	}
	return r.Verdict.IsBad()
}

func (v *verifier) status(r *verify.Result) int {
	switch {
	case r.Err != nil:
		return base.StatusAccess
	case r.IsBad(), v.strict && r.Verdict == verify.Warning && !r.Accepted:
		return base.StatusNo
	case r.Verdict == verify.Denied && !r.Accepted:
		return base.StatusDenied
	}
	return base.StatusDone
}

// row is a result as text, safe for a terminal.
type row struct{ document, place, link, verdict, why string }

func rowOf(r *verify.Result) row {
	w := row{document: cmp.Or(safeText(r.Document), "(arguments)"), place: "-", verdict: "unread"}
	if r.Member != "" {
		w.document += ": " + safeText(r.Member)
	}
	if r.Err != nil {
		w.why = safeText(r.Err.Error())
		return w
	}
	if r.Line > 0 {
		w.place = fmt.Sprintf("%d:%d", r.Line, r.Column)
	}
	w.link, w.verdict, w.why = safeText(r.Link()), r.Verdict.String(), whyOf(r)
	return w
}

func whyOf(r *verify.Result) string {
	var parts []string
	if r.Status != 0 && !strings.Contains(r.Detail, fmt.Sprint(r.Status)) {
		parts = append(parts, fmt.Sprint(r.Status))
	}
	if r.Detail != "" {
		parts = append(parts, safeText(r.Detail)+base.AllowedBy(r.Rule, r.Port))
	}
	if !r.To.IsZero() {
		to := "now leads to "
		if r.Permanent {
			to = "has moved for good to "
		}
		parts = append(parts, to+safeText(shownURL(r.To)))
	}
	if r.Tries > 1 && r.Verdict != verify.Alive && r.Verdict != verify.Moved {
		parts = append(parts, fmt.Sprintf("tried %d times", r.Tries))
	}
	if r.Cached && r.Verdict != verify.Alive {
		parts = append(parts, "cached")
	}
	if r.Accepted {
		parts = append(parts, "accepted: "+safeText(cmp.Or(r.Reason, "by a rule")))
	}
	if r.Known {
		parts = append(parts, "known")
	}
	if !r.Archive.IsZero() {
		parts = append(parts, "an archive has it: "+safeText(shownURL(r.Archive)))
	}
	return strings.Join(parts, "; ")
}

func shownURL(u locus.URL) string { return u.WithoutPassword().Redacted() }

// textReport writes for people: the links of a document below its name.
type textReport struct {
	v       *verifier
	colors  term.Colors
	current string // the document; empty: none so far
}

func (t *textReport) result(r *verify.Result) {
	w := rowOf(r)
	out := t.v.a.Out
	if w.document != t.current {
		if t.current != "" {
			out.WriteByte('\n')
		}
		t.current = w.document
		fmt.Fprintln(out, t.colors.In(term.Bold, w.document))
	}
	style := term.Cyan
	switch {
	case r.Err != nil:
		w.link, w.why = w.why, ""
		fallthrough
	case r.IsBad():
		style = term.Red
	case r.Verdict == verify.Warning, r.Verdict == verify.Denied:
		style = term.Yellow
	}
	fmt.Fprintf(out, "  %-8s %s %s", w.place, t.colors.In(style, fmt.Sprintf("%-11s", w.verdict)), w.link)
	if w.why != "" {
		fmt.Fprintf(out, "\n           %11s %s", "", w.why)
	}
	out.WriteByte('\n')
	if r.Context != "" {
		fmt.Fprintf(out, "           %11s | %s\n", "", safeText(strings.TrimSpace(r.Context)))
	}
	if t.v.a.OutTTY {
		out.Flush()
	}
}

const (
	// slowHosts is the number of slow hosts listed; slowFrom is what counts as slow.
	slowHosts = 3
	slowFrom  = time.Second
)

func (t *textReport) end() {
	out := t.v.a.Out
	if t.current != "" {
		out.WriteByte('\n')
	}
	if t.v.a.Flags.Quiet {
		return
	}
	fmt.Fprintln(out, t.v.summary())
	var slow []string
	for _, h := range t.v.verifier.Slowest(slowHosts) {
		if h.Mean >= slowFrom {
			slow = append(slow, fmt.Sprintf("%s %v (%s)", safeText(h.Host), h.Mean.Round(100*time.Millisecond), countOf(h.Requests, "request")))
		}
	}
	if len(slow) > 0 {
		fmt.Fprintf(out, "slowest: %s\n", strings.Join(slow, ", "))
	}
}

type sum struct {
	links, accepted, known, unread int
	verdicts                       map[verify.Verdict]int
	documents                      map[string]bool
}

func (s *sum) add(r *verify.Result) {
	if r.Document != "" {
		s.documents[r.Document] = true
	}
	if r.Err != nil {
		s.unread++
		return
	}
	s.links++
	switch {
	case r.Accepted:
		s.accepted++
	case r.Known:
		s.known++
	default:
		s.verdicts[r.Verdict]++
	}
}

// summary returns the counts in one line, the most important first.
func (v *verifier) summary() string {
	s := &v.sum
	var list []string
	for _, count := range []struct {
		n          int
		word, many string
	}{
		{s.verdicts[verify.Dead], "dead", ""},
		{s.verdicts[verify.Fragment], "without their fragment", ""},
		{s.verdicts[verify.TLS], "with a TLS problem", ""},
		{s.verdicts[verify.Malformed], "malformed", ""},
		{s.verdicts[verify.Denied], "denied", ""},
		{s.verdicts[verify.Warning], "warning", "s"},
		{s.verdicts[verify.Moved], "moved", ""},
		{s.verdicts[verify.Alive], "alive", ""},
		{s.verdicts[verify.Ignored], "ignored", ""},
		{s.verdicts[verify.Unsupported], "not supported", ""},
		{s.verdicts[verify.Unknown], "not verified", ""},
		{s.accepted, "accepted", ""},
		{s.known, "known", ""},
		{s.unread, "parts unread", ""},
	} {
		if count.n > 1 {
			count.word += count.many
		}
		if count.n > 0 {
			list = append(list, fmt.Sprint(count.n, " ", count.word))
		}
	}
	text := fmt.Sprintf("%s in %s, %s", countOf(s.links, "link"), countOf(len(s.documents), "document"), countOf(v.verifier.Progress().Found, "URL"))
	if len(list) > 0 {
		text += ": " + strings.Join(list, ", ")
	}
	return text
}

func countOf(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprint(n, " ", thing)
}

// jsonReport writes one JSON object a link.
type jsonReport struct{ v *verifier }

type verifyJSON struct {
	Document  shape.Text     `json:"document"`
	Member    shape.Text     `json:"member,omitempty"`
	Line      int64          `json:"line"`
	Column    int64          `json:"column"`
	URL       *shape.Text    `json:"url"`
	Written   shape.Text     `json:"written,omitempty"` // the partial form, or text that is not a URL
	Verdict   verify.Verdict `json:"verdict"`
	Status    *int           `json:"status"`
	Detail    shape.Text     `json:"detail,omitempty"`
	To        shape.Text     `json:"to,omitempty"`
	Permanent bool           `json:"permanent,omitempty"`
	Archive   shape.Text     `json:"archive,omitempty"`
	Tries     int            `json:"tries"`
	Cached    bool           `json:"cached"`
	Accepted  bool           `json:"accepted,omitempty"`
	Reason    shape.Text     `json:"reason,omitempty"`
	Known     bool           `json:"known,omitempty"`
	Context   shape.Text     `json:"context,omitempty"`
}

func (j jsonReport) result(r *verify.Result) {
	a := j.v.a
	if r.Err != nil {
		a.WriteJSON(struct {
			Document shape.Text   `json:"document"`
			Error    shape.Reason `json:"error"`
		}{shape.Text(r.Document), base.NewReason(r.Err)})
		return
	}
	d := verifyJSON{
		Document: shape.Text(r.Document), Member: shape.Text(r.Member), Line: r.Line, Column: r.Column,
		URL:     shape.Present(shownURL(r.URL), !r.URL.IsZero()),
		Verdict: r.Verdict, Detail: shape.Text(r.Detail + base.AllowedBy(r.Rule, r.Port)), To: shape.Text(shownURL(r.To)), Permanent: r.Permanent, Archive: shape.Text(shownURL(r.Archive)),
		Tries: r.Tries, Cached: r.Cached, Accepted: r.Accepted, Reason: shape.Text(r.Reason), Known: r.Known, Context: shape.Text(r.Context),
	}
	switch {
	case r.Written == "":
	case r.URL.IsZero(), r.URL.Redacted() != r.URL.String():
		d.Written = shape.Text(r.Link())
	default:
		d.Written = shape.Text(locus.Mask(r.Written))
	}
	if r.Status != 0 {
		d.Status = &r.Status
	}
	a.WriteJSON(d)
}

func (jsonReport) end() {}

// markdownReport writes a table, such as for a comment on a change.
type markdownReport struct {
	v    *verifier
	rows strings.Builder
}

func (m *markdownReport) result(r *verify.Result) {
	w := rowOf(r)
	link := ""
	if r.Err == nil {
		w.document += ":" + w.place
		link = codeCell(w.link) + " "
	}
	fmt.Fprintf(&m.rows, "| %s | %s| %s | %s |\n", tableCell(w.document), link, w.verdict, tableCell(w.why))
}

func (m *markdownReport) end() {
	out := m.v.a.Out
	if m.rows.Len() > 0 {
		fmt.Fprintf(out, "| where | link | verdict | why |\n|---|---|---|---|\n%s\n", m.rows.String())
	}
	fmt.Fprintf(out, "%s\n", tableCell(m.v.summary()))
}

// tableCell escapes text for a table cell, so that text of a server makes no link.
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

// githubReport writes GitHub workflow commands, which annotate the files of a change.
type githubReport struct{ v *verifier }

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
	fmt.Fprintf(g.v.a.Out, "::%s %stitle=%s::%s\n", level, properties, w.verdict, workflowText(text+w.why))
}

func (g githubReport) end() {
	if !g.v.a.Flags.Quiet {
		fmt.Fprintf(g.v.a.Out, "::notice title=locus verify::%s\n", workflowText(g.v.summary()))
	}
}

func isFile(r *verify.Result) bool {
	return r.Document != "" && !strings.Contains(r.Document, "://")
}

// workflowText escapes the text of a workflow command; workflowValue escapes a
// property.
func workflowText(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func workflowValue(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(workflowText(safeText(text)))
}

// junitReport writes JUnit XML: a suite for each document, and a case for each link.
type junitReport struct {
	v     *verifier
	suite *junitSuite
	xml   *xml.Encoder
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	File    string        `xml:"file,attr,omitempty"`
	Line    int64         `xml:"line,attr,omitempty"`
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
	Skipped *junitMessage `xml:"skipped"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
}

func newJUnitReport(v *verifier) *junitReport {
	v.a.Out.WriteString(xml.Header + "<testsuites name=\"locus verify\">\n")
	e := xml.NewEncoder(v.a.Out)
	e.Indent("", "  ")
	return &junitReport{v: v, xml: e}
}

func (j *junitReport) result(r *verify.Result) {
	w := rowOf(r)
	name := cmp.Or(safeText(r.Document), "(arguments)")
	if j.suite == nil || j.suite.Name != name {
		j.flush()
		j.suite = &junitSuite{Name: name}
	}
	s := j.suite
	c := junitCase{Class: name, Line: r.Line, Name: w.place + " " + w.link}
	if r.Err != nil {
		c.Name = "read"
	}
	if isFile(r) {
		c.File = name
	}
	s.Tests++
	switch j.v.status(r) {
	case base.StatusNo:
		s.Failures++
		c.Failure = &junitMessage{w.why, w.verdict}
	case base.StatusAccess, base.StatusDenied:
		s.Errors++
		c.Error = &junitMessage{w.why, w.verdict}
	default:
		if r.Verdict != verify.Alive && r.Verdict != verify.Moved {
			s.Skipped++
			c.Skipped = &junitMessage{strings.TrimSuffix(w.verdict+": "+w.why, ": "), ""}
		}
	}
	s.Cases = append(s.Cases, c)
}

func (j *junitReport) flush() {
	if j.suite != nil {
		// The sink keeps an error of the output.
		_ = j.xml.Encode(j.suite)
		j.v.a.Out.WriteByte('\n')
	}
	j.suite = nil
}

func (j *junitReport) end() {
	j.flush()
	j.v.a.Out.WriteString("</testsuites>\n")
}
