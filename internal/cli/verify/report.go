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

// reporter writes results as they come.
type reporter interface {
	result(*verify.Result)
	end()
}

// newReporter returns the reporter of --format.
func (v *verifier) newReporter() (reporter, error) {
	if v.a.Flags.JSON && v.format == "text" {
		v.format = "json"
	}
	switch v.format {
	case "text":
		return &textReport{v: v, colors: term.NewColors(v.a.OutTTY, v.a.Getenv)}, nil
	case "json":
		return &jsonReport{v}, nil
	case "junit":
		return newJUnitReport(v), nil
	case "markdown":
		return &markdownReport{v: v}, nil
	case "github":
		return &githubReport{v}, nil
	}
	return nil, fmt.Errorf("unknown format %q: choose text, json, junit, markdown or github", v.format)
}

// safeText makes text of documents and servers safe for a terminal.
func safeText(text string) string { return term.Safe(charset.Text(text)) }

// interesting reports whether a result is shown without --all.
func (v *verifier) interesting(r *verify.Result) bool {
	if v.all || r.Err != nil {
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

// whyOf explains a result, safe for a terminal.
func whyOf(r *verify.Result) string {
	var parts []string
	if r.Status != 0 && !strings.Contains(r.Detail, fmt.Sprint(r.Status)) {
		parts = append(parts, fmt.Sprint(r.Status))
	}
	if r.Detail != "" {
		parts = append(parts, safeText(r.Detail))
	}
	if !r.To.IsZero() {
		to := "now leads to " + safeText(shownURL(r.To))
		if r.Permanent {
			to = "has moved for good to " + safeText(shownURL(r.To))
		}
		parts = append(parts, to)
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

// shownURL is u without a password.
func shownURL(u locus.URL) string { return u.WithoutPassword().Redacted() }

// documentName is the name of the document of a result.
func documentName(r *verify.Result) string {
	name := safeText(r.Document)
	if name == "" {
		name = "(arguments)"
	}
	if r.Member != "" {
		name += ": " + safeText(r.Member)
	}
	return name
}

// linePlace is the line and column of a result.
func linePlace(r *verify.Result) string {
	if r.Line == 0 {
		return "-"
	}
	return fmt.Sprintf("%d:%d", r.Line, r.Column)
}

// textReport writes for people: the links of a document below its name.
type textReport struct {
	v       *verifier
	colors  term.Colors
	current string
	any     bool
}

func (t *textReport) result(r *verify.Result) {
	v := t.v
	if !v.interesting(r) {
		return
	}
	out := v.a.Out
	if name := documentName(r); name != t.current || !t.any {
		if t.any {
			out.WriteByte('\n')
		}
		t.any, t.current = true, name
		fmt.Fprintln(out, t.colors.In(term.Bold, name))
	}
	if r.Err != nil {
		fmt.Fprintf(out, "  %-8s %s %s\n", "-", t.colors.In(term.Red, fmt.Sprintf("%-11s", "unread")), safeText(r.Err.Error()))
		return
	}
	fmt.Fprintf(out, "  %-8s %s %s", linePlace(r), t.colors.In(styleOf(r), fmt.Sprintf("%-11s", r.Verdict)), safeText(r.Link()))
	if text := whyOf(r); text != "" {
		fmt.Fprintf(out, "\n           %11s %s", "", text)
	}
	out.WriteByte('\n')
	if r.Context != "" {
		fmt.Fprintf(out, "           %11s | %s\n", "", safeText(strings.TrimSpace(r.Context)))
	}
	if v.a.OutTTY {
		out.Flush()
	}
}

func styleOf(r *verify.Result) term.Style {
	switch {
	case r.IsBad():
		return term.Red
	case r.Verdict == verify.Warning, r.Verdict == verify.Denied:
		return term.Yellow
	}
	return term.Cyan
}

func (t *textReport) end() {
	if t.any {
		t.v.a.Out.WriteByte('\n')
	}
	t.v.sum.write(t.v)
}

// verifySum counts results.
type verifySum struct {
	links     int
	verdicts  [len(verdictOrder)]int
	accepted  int
	known     int
	unread    int
	documents map[string]bool
}

// verdictOrder is the order of verdicts in the summary, most important first.
var verdictOrder = [...]verify.Verdict{
	verify.Dead, verify.Fragment, verify.Malformed, verify.Denied, verify.Warning, verify.Moved, verify.Alive,
	verify.Ignored, verify.Unsupported, verify.Unknown,
}

var verdictWords = [len(verdictOrder)]string{
	"dead", "without their fragment", "malformed", "denied", "warnings", "moved", "alive", "ignored", "not supported", "not verified",
}

func (s *verifySum) add(r *verify.Result) {
	if s.documents == nil {
		s.documents = map[string]bool{}
	}
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
		return
	case r.Known:
		s.known++
		return
	}
	for i, v := range verdictOrder {
		if v == r.Verdict {
			s.verdicts[i]++
		}
	}
}

// text is the summary in one line.
func (s *verifySum) text(found int) string {
	parts := []string{fmt.Sprintf("%s in %s, %s", countOf(s.links, "link"), countOf(len(s.documents), "document"), countOf(found, "URL"))}
	var list []string
	for i, n := range s.verdicts {
		if word := verdictWords[i]; n > 0 {
			if n == 1 {
				word = strings.TrimSuffix(word, "s")
			}
			list = append(list, fmt.Sprint(n, " ", word))
		}
	}
	for _, more := range []struct {
		n    int
		word string
	}{{s.accepted, "accepted"}, {s.known, "known"}, {s.unread, "parts unread"}} {
		if more.n > 0 {
			list = append(list, fmt.Sprint(more.n, " ", more.word))
		}
	}
	if len(list) > 0 {
		parts = append(parts, strings.Join(list, ", "))
	}
	return strings.Join(parts, ": ")
}

// countOf returns a number with its noun.
func countOf(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprint(n, " ", thing)
}

const (
	// slowHosts is the number of slow hosts listed; slowFrom is what counts as slow.
	slowHosts = 3
	slowFrom  = time.Second
)

// write writes the summary for people.
func (s *verifySum) write(v *verifier) {
	if v.a.Flags.Quiet {
		return
	}
	fmt.Fprintln(v.a.Out, s.text(v.verifier.Progress().Found))
	var slow []string
	for _, h := range v.verifier.Slowest(slowHosts) {
		if h.Mean >= slowFrom {
			slow = append(slow, fmt.Sprintf("%s %v (%s)", safeText(h.Host), h.Mean.Round(100*time.Millisecond), countOf(h.Requests, "request")))
		}
	}
	if len(slow) > 0 {
		fmt.Fprintf(v.a.Out, "slowest: %s\n", strings.Join(slow, ", "))
	}
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

func (j *jsonReport) result(r *verify.Result) {
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
		Verdict: r.Verdict, Detail: shape.Text(r.Detail), To: shape.Text(shownURL(r.To)), Permanent: r.Permanent, Archive: shape.Text(shownURL(r.Archive)),
		Tries: r.Tries, Cached: r.Cached, Accepted: r.Accepted, Reason: shape.Text(r.Reason), Known: r.Known, Context: shape.Text(r.Context),
	}
	if r.Written != "" {
		d.Written = shape.Text(maskWritten(r))
	}
	if r.Status != 0 {
		d.Status = &r.Status
	}
	a.WriteJSON(d)
}

// maskWritten returns the written form without a password.
func maskWritten(r *verify.Result) string {
	if r.URL.IsZero() {
		return r.Link()
	}
	if r.URL.Redacted() != r.URL.String() {
		return r.Link()
	}
	return locus.Mask(r.Written)
}

func (j *jsonReport) end() {}

// markdownReport writes a table, such as for a comment on a change.
type markdownReport struct {
	v    *verifier
	rows strings.Builder
	n    int
}

func (m *markdownReport) result(r *verify.Result) {
	if !m.v.interesting(r) {
		return
	}
	m.n++
	if r.Err != nil {
		fmt.Fprintf(&m.rows, "| %s | | unread | %s |\n", tableCell(documentName(r)), tableCell(safeText(r.Err.Error())))
		return
	}
	fmt.Fprintf(&m.rows, "| %s | %s | %s | %s |\n", tableCell(documentName(r)+":"+linePlace(r)), codeCell(safeText(r.Link())), r.Verdict, tableCell(whyOf(r)))
}

func (m *markdownReport) end() {
	out := m.v.a.Out
	if m.n > 0 {
		fmt.Fprintf(out, "| where | link | verdict | why |\n|---|---|---|---|\n%s\n", m.rows.String())
	}
	fmt.Fprintf(out, "%s\n", tableCell(m.v.sum.text(m.v.verifier.Progress().Found)))
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

// codeCell formats text as code in a table cell.
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

func (g *githubReport) result(r *verify.Result) {
	v := g.v
	if !v.interesting(r) {
		return
	}
	level := "notice"
	switch {
	case r.Err != nil, r.IsBad(), r.Verdict == verify.Denied && !r.Accepted:
		level = "error"
	case r.Verdict == verify.Warning && !r.Accepted:
		level = "warning"
	}
	var properties []string
	if r.Document != "" && !strings.Contains(r.Document, "://") {
		properties = append(properties, "file="+workflowValue(path.Clean(r.Document)))
		if r.Line > 0 {
			properties = append(properties, fmt.Sprintf("line=%d,col=%d", r.Line, r.Column))
		}
	}
	if r.Err != nil {
		fmt.Fprintf(v.a.Out, "::%s %s::%s\n", level, strings.Join(append(properties, "title=unread"), ","), workflowText(safeText(r.Err.Error())))
		return
	}
	properties = append(properties, "title="+r.Verdict.String())
	text := safeText(r.Link())
	if more := whyOf(r); more != "" {
		text += ": " + more
	}
	fmt.Fprintf(v.a.Out, "::%s %s::%s\n", level, strings.Join(properties, ","), workflowText(text))
}

func (g *githubReport) end() {
	if !g.v.a.Flags.Quiet {
		fmt.Fprintf(g.v.a.Out, "::notice title=locus verify::%s\n", workflowText(g.v.sum.text(g.v.verifier.Progress().Found)))
	}
}

// workflowText escapes the text of a workflow command; workflowValue escapes a
// property.
func workflowText(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func workflowValue(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(safeText(text))
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
	name := cmp.Or(safeText(r.Document), "(arguments)")
	if j.suite == nil || j.suite.Name != name {
		j.flush()
		j.suite = &junitSuite{Name: name}
	}
	s := j.suite
	c := junitCase{Class: name, Line: r.Line}
	if r.Document != "" && !strings.Contains(r.Document, "://") {
		c.File = name
	}
	s.Tests++
	switch {
	case r.Err != nil:
		s.Errors++
		c.Name = "read"
		c.Error = &junitMessage{safeText(r.Err.Error()), "unread"}
	case r.IsBad(), j.v.strict && r.Verdict == verify.Warning && !r.Accepted:
		s.Failures++
		c.Failure = &junitMessage{whyOf(r), r.Verdict.String()}
	case r.Verdict == verify.Denied && !r.Accepted:
		s.Errors++
		c.Error = &junitMessage{whyOf(r), r.Verdict.String()}
	case r.Verdict != verify.Alive && r.Verdict != verify.Moved:
		s.Skipped++
		c.Skipped = &junitMessage{strings.TrimSuffix(r.Verdict.String()+": "+whyOf(r), ": "), ""}
	}
	if r.Err == nil {
		c.Name = fmt.Sprintf("%s %s", linePlace(r), safeText(r.Link()))
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
