package verify_test

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/net/html"

	"github.com/locus-url/locus/internal/command/base"
	verifycommand "github.com/locus-url/locus/internal/command/verify"
)

//go:embed testdata/sarif-schema-2.1.0.json
var sarifSchema []byte

// sarif holds the parts of a SARIF log that the tests examine.
type sarif struct {
	Runs []struct {
		Tool struct {
			Driver struct{ Rules []struct{ ID string } }
		}
		Results []struct {
			RuleID    string
			RuleIndex int
			Kind      string
			Level     string
			Message   struct{ Text string }
			Locations []struct {
				PhysicalLocation struct {
					ArtifactLocation struct{ URI, URIBaseID string }
					Region           struct{ StartLine, StartColumn int }
				}
			}
			PartialFingerprints map[string]string
		}
		Invocations []struct{ ExecutionSuccessful bool }
	}
}

// readSARIF parses a SARIF log, which must conform to the OASIS schema.
func readSARIF(t *testing.T, text string) (log sarif) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(sarifSchema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v: %s, want no error", err, text)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%v: %s, want no error", err, text)
	}
	if err := json.Unmarshal([]byte(text), &log); err != nil || len(log.Runs) != 1 {
		t.Fatalf("%v: %s, want no error and 1 of log.Runs", err, text)
	}
	return log
}

// reportServer starts a server that returns a status or a redirect, depending on the path.
func reportServer(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		code, to, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		switch code {
		case "301", "302", "307", "308":
			rw.Header().Set("Location", "/"+to)
			fallthrough
		case "403", "404":
			var status int
			fmt.Sscan(code, &status)
			rw.WriteHeader(status)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func writeDoc(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A SARIF log contains rules, levels, regions, relative URIs and fingerprints that do not depend
// on the line. The log conforms to the schema.
func TestVerifySARIF(t *testing.T) {
	site := reportServer(t)
	t.Chdir(t.TempDir())
	text := fmt.Sprintf("é [a](%[1]s/404) [b](%[1]s/403) [c](%[1]s/301/ok) [d](%[1]s/404) [e](http:x)\n", site)
	writeDoc(t, "docs/a b.md", text)
	run := func(args ...string) sarif {
		t.Helper()
		out, errOut, status := runVerify(t, t.Context(), nil, append([]string{"--allow-private", "--rate", "0", "--format", "sarif"}, args...)...)
		if status != base.StatusNo || errOut != "" {
			t.Errorf("runVerify(...) = %d, %s, want status %d and no errOut", status, errOut, base.StatusNo)
		}
		return readSARIF(t, out)
	}
	first := run("--moved", "docs").Runs[0]
	want := []string{"dead error", "warning warning", "moved note", "dead error", "malformed error"}
	for i, r := range first.Results {
		where := r.Locations[0].PhysicalLocation
		// Columns count characters and begin at 1.
		column := utf8.RuneCountInString(strings.Join(strings.SplitAfter(text, "](")[:i+1], "")) + 1
		got := fmt.Sprintf("%s %s %d:%d", r.RuleID, r.Level, where.Region.StartLine, where.Region.StartColumn)
		if i >= len(want) || got != fmt.Sprintf("%s 1:%d", want[i], column) {
			t.Errorf("result %d: %s, column %d", i, got, column)
		}
		if where.ArtifactLocation.URI != "docs/a%20b.md" || where.ArtifactLocation.URIBaseID != "%SRCROOT%" || r.Kind != "fail" {
			t.Errorf("result %d: %+v", i, r)
		}
		if first.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("result %d: rule %d is not %s", i, r.RuleIndex, r.RuleID)
		}
	}
	if len(first.Results) != len(want) || !first.Invocations[0].ExecutionSuccessful {
		t.Fatalf("%+v, want %d of first.Results", first, len(want))
	}
	fingerprints := func(run sarif) (list []string) {
		for _, r := range run.Runs[0].Results {
			list = append(list, r.PartialFingerprints["locusLink/v1"])
		}
		return list
	}
	before := fingerprints(run("docs"))
	writeDoc(t, "docs/a b.md", "# More lines\n\n"+text)
	after := fingerprints(run("docs"))
	if fmt.Sprint(before) != fmt.Sprint(after) || before[0] == before[2] || strings.TrimSuffix(before[0], ":1") != strings.TrimSuffix(before[2], ":2") {
		t.Errorf("%q, then %q", before, after)
	}
	// An absolute path as the argument gives the same URI. A file outside the working directory
	// has a URL, and a typed URL has no location.
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "c:d.md")
	writeDoc(t, outside, text)
	writeDoc(t, "e:f.md", text)
	r := run(filepath.Join(dir, "docs"), outside, "e:f.md", site+"/404").Runs[0].Results
	uri := func(i int) string { return r[i].Locations[0].PhysicalLocation.ArtifactLocation.URI }
	if uri(0) != "docs/a%20b.md" || uri(4) != "file://"+filepath.ToSlash(outside) || uri(8) != "./e:f.md" || len(r[12].Locations) != 0 {
		t.Errorf("%s, %s, %s, %v, want uri(0) %q, uri(4) %q, uri(8) %q and no r[12].Locations", uri(0), uri(4), uri(8), r[12].Locations, "docs/a%20b.md", "file://"+filepath.ToSlash(outside), "./e:f.md")
	}
}

// The report shows the redirects of a link and the date on which the link was last alive.
func TestVerifyHistory(t *testing.T) {
	site, env := reportServer(t), map[string]string{"XDG_CACHE_HOME": t.TempDir()}
	gone := false
	dying := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if gone {
			rw.WriteHeader(http.StatusNotFound)
		}
	}))
	defer dying.Close()
	doc := filepath.Join(t.TempDir(), "a.txt")
	writeDoc(t, doc, site+"/301/308/301/ok "+dying.URL+"/page\n")
	run := func(args ...string) string {
		t.Helper()
		out, _, _ := runVerify(t, t.Context(), env, append([]string{"--allow-private", "--rate", "0", "--max-age", "0"}, append(args, doc)...)...)
		return out
	}
	if out := run("--moved"); !strings.Contains(out, "has permanently moved to "+site+"/ok through "+site+"/308/301/ok, "+site+"/301/ok") || strings.Contains(out, "last alive") {
		t.Errorf("run(--moved) = %s, want %q in out and no %q in out", out, "has permanently moved to "+site+"/ok through "+site+"/308/301/ok, "+site+"/301/ok", "last alive")
	}
	writeDoc(t, doc, site+"/302/308/404 "+dying.URL+"/page\n")
	if out := run(); !strings.Contains(out, "redirects to "+site+"/404") {
		t.Errorf("run() = %s, want %q in out", out, "redirects to "+site+"/404")
	}
	writeDoc(t, doc, site+"/301/308/301/ok "+dying.URL+"/page\n")
	gone = true
	if out := run(); !regexp.MustCompile(`last alive \d{4}-\d\d-\d\d\n`).MatchString(out) {
		t.Errorf("%s, want the day when the link was last alive", out)
	}
	out := run("--json")
	if !strings.Contains(out, `"hops":["`+site+`/308/301/ok","`+site+`/301/ok","`+site+`/ok"]`) || !regexp.MustCompile(`"lastAlive":"\d{4}-\d\d-\d\dT[0-9:]+Z"`).MatchString(out) {
		t.Errorf("run(--json) = %s, want %q in out", out, `"hops":["`+site+`/308/301/ok","`+site+`/301/ok","`+site+`/ok"]`)
	}
}

// An interrupted run writes complete reports with the results that are known.
func TestVerifyOutputInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	site := verifyServer(t, func(rw http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	dir := t.TempDir()
	doc := filepath.Join(dir, "doc.txt")
	writeDoc(t, doc, site+"/gone\n"+site+"/slow\n")
	args := []string{"--allow-private", "--per-host", "1", "--rate", "0", "--output", "github=" + filepath.Join(dir, "out.gh")}
	for _, name := range []string{"a.html", "a.sarif", "a.xml", "a.csv", "a.json", "a.md", "a.txt"} {
		args = append(args, "--output", filepath.Join(dir, name))
	}
	if _, errOut, status := runVerify(t, ctx, nil, append(args, doc)...); status != base.StatusInterrupted {
		t.Fatalf("runVerify(...) = %d, %s, want status %d", status, errOut, base.StatusInterrupted)
	}
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(text), "/gone") {
			t.Errorf("%s: %v: %s, want no error and %q in text", name, err, text, "/gone")
		}
		return string(text)
	}
	if log := readSARIF(t, read("a.sarif")); log.Runs[0].Invocations[0].ExecutionSuccessful {
		t.Error("the SARIF log does not say that the run was interrupted")
	}
	if text := read("a.html"); !strings.Contains(text, "the run was interrupted") || !strings.HasSuffix(text, "</html>\n") {
		t.Errorf("read(a.html) = %s, want %q in text and %q at the end of text", text, "the run was interrupted", "</html>\n")
	}
	if text := read("a.xml"); !strings.HasSuffix(text, "</testsuites>\n") {
		t.Errorf("read(a.xml) = %s, want %q at the end of text", text, "</testsuites>\n")
	}
	for _, name := range []string{"a.csv", "a.json", "a.md", "a.txt", "out.gh"} {
		read(name)
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 9 {
		t.Errorf("%d files are left, %v", len(names), err)
	}
}

// hostile contains link texts that try to corrupt the report formats.
var hostile = []string{
	`"><script>alert(1)</script>`, `</script><script>alert(2)</script>`, `]]>`, `=HYPERLINK("http://evil.example/")`, `+1+1`, `-2+3`, `@SUM(1)`,
	"a\u202eb", "a\x1b[2Jb", "a\x01b", "a\r\nb", "a|b`c", "::error::x", `%0A`, `a"b,c`, "<!--", "\u2028", "\xff\xfe", "${{ secrets.TOKEN }}",
	"http://user:hunter2@h.example:25/", "//user:hunter2@h.example/", "javascript:alert(3)", "]](http://evil.example/)",
}

// No text from a document or a server corrupts a report, and no report contains a password.
func TestVerifyHostileText(t *testing.T) {
	evil := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		c, _, err := rw.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		io.WriteString(c, "HTTP/1.1 418 =cmd|</script><b>]]>\x1b[2J\u202e http://u:hunter2@h.example/ \"q\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		c.Close()
	}))
	defer evil.Close()
	dir := t.TempDir()
	t.Chdir(dir)
	page := `<a href="` + evil.URL + `/">x</a>` + "\n"
	for _, text := range hostile {
		page += `<a href="` + html.EscapeString(text) + `">x</a>` + "\n"
	}
	name := "=a,`b`%0A-\"c'.html"
	writeDoc(t, name, page)
	args := []string{"--allow-private", "--rate", "0", "--retry", "0", "--all", "--context"}
	for _, format := range verifycommand.FormatNames() {
		args = append(args, "--output", format+"="+format+".out")
	}
	env := map[string]string{"GITHUB_STEP_SUMMARY": filepath.Join(dir, "summary.out")}
	out, errOut, _ := runVerify(t, t.Context(), env, append(args, "--format", "github", name)...)
	texts := map[string]string{"stdout": out, "stderr": errOut}
	for _, format := range append(verifycommand.FormatNames(), "summary") {
		text, err := os.ReadFile(format + ".out")
		if err != nil {
			t.Fatal(err)
		}
		texts[format] = string(text)
	}
	for format, text := range texts {
		for _, bad := range []string{"\x1b", "\x01", "\r", "\u202e", "\u2028", "hunter2", "\xff"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s has %q", format, bad)
			}
		}
		if format != "stderr" && !strings.Contains(text, evil.URL) {
			t.Errorf("%s is empty: %s", format, text)
		}
	}
	checkJSONLines(t, texts["json"])
	readSARIF(t, texts["sarif"])
	checkXML(t, texts["junit"])
	checkCSV(t, texts["csv"])
	checkPage(t, texts["html"])
	for line := range strings.Lines(texts["github"]) {
		if !strings.HasPrefix(line, "::error ") && !strings.HasPrefix(line, "::warning ") && !strings.HasPrefix(line, "::notice ") {
			t.Errorf("github: a line that is not one command: %q", line)
		}
	}
	for _, format := range []string{"markdown", "summary"} {
		outside := regexp.MustCompile("``.*?``|`[^`\n]*`").ReplaceAllString(texts[format], "")
		if strings.Contains(outside, "](http") || strings.Contains(outside, "<") {
			t.Errorf("%s: a link or a tag: %s", format, texts[format])
		}
	}
}

func checkJSONLines(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if !json.Valid([]byte(line)) {
			t.Errorf("json: %q", line)
		}
	}
}

func checkXML(t *testing.T, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Errorf("junit: %v", err)
			return
		}
		if start, ok := token.(xml.StartElement); ok && !strings.Contains(" testsuites testsuite testcase failure error skipped ", " "+start.Name.Local+" ") {
			t.Errorf("junit: an element %s", start.Name.Local)
		}
	}
}

func checkCSV(t *testing.T, text string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) < 10 {
		t.Fatalf("csv: %d rows, %v", len(rows), err)
	}
	formulas := 0
	for _, row := range rows {
		for _, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				t.Errorf("csv: a formula %q", cell)
			}
			if strings.HasPrefix(cell, "'=") || strings.HasPrefix(cell, "'+") || strings.HasPrefix(cell, "'-") || strings.HasPrefix(cell, "'@") {
				formulas++
			}
		}
	}
	if formulas < 5 {
		t.Errorf("csv: only %d cells were protected", formulas)
	}
}

// checkPage fails the test if a page contains elements or attributes that are not in the template,
// or refers to another resource.
func checkPage(t *testing.T, text string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	scripts, links := 0, 0
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "script":
			scripts++
		case "b", "img", "link", "iframe", "object", "form", "base":
			if n.Data != "b" || n.Parent.Data != "li" {
				t.Errorf("html: an element %s in %s", n.Data, n.Parent.Data)
			}
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "href":
				links++
				if !strings.HasPrefix(a.Val, "http://") && !strings.HasPrefix(a.Val, "https://") {
					t.Errorf("html: a link to %q", a.Val)
				}
			case a.Key == "src", a.Key == "style", strings.HasPrefix(a.Key, "on"):
				t.Errorf("html: an attribute %s of %s", a.Key, n.Data)
			}
		}
	}
	if scripts != 1 || links == 0 {
		t.Errorf("html: %d scripts, %d links", scripts, links)
	}
}

// The HTML report stores its rows in a temporary file, which is removed at the end.
func TestVerifyHTMLRows(t *testing.T) {
	doc := filepath.Join(t.TempDir(), "a.html")
	writeDoc(t, doc, `<p id=a>`+strings.Repeat(`<a href="#a">x</a>`, 1000)+strings.Repeat(`<a href="#b">x</a>`, 1000))
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	_, errOut, status := runVerify(t, t.Context(), nil, "--all", "--output", "html="+doc+".out.html", doc)
	if status != base.StatusNo || errOut != "" {
		t.Errorf("runVerify(--all, --output, %q) = %d, %s, want status %d and no errOut", doc, status, errOut, base.StatusNo)
	}
	text, err := os.ReadFile(doc + ".out.html")
	if err != nil || strings.Count(string(text), "<tr ") != 2000 {
		t.Errorf("%d rows, %v", strings.Count(string(text), "<tr "), err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
}

// If the reader of standard output closes the pipe, a report in a file is still complete.
func TestVerifyOutputClosedPipe(t *testing.T) {
	dir := t.TempDir()
	doc, report := filepath.Join(dir, "doc.txt"), filepath.Join(dir, "report.csv")
	const links = 20_000
	writeDoc(t, doc, strings.Repeat("<URL:file:///none/at/all>\n", links))
	var errOut bytes.Buffer
	a := base.New(t.Context(), strings.NewReader(""), &brokenPipe{}, &errOut, func(string) string { return "" })
	if status := runCommand(a, []string{"verify", "--no-cache", "--json", "--output", report, doc}); status != base.StatusNo || errOut.Len() > 0 {
		t.Errorf("%d, %q, want status %d and no errOut", status, errOut.String(), base.StatusNo)
	}
	if n := strings.Count(readDoc(t, report), "\n"); n != links+1 {
		t.Errorf("%d lines", n)
	}
}

// If a report can't be written, the command reports an error, and the other report is complete.
func TestVerifyOutputFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no /dev/full")
	}
	dir := t.TempDir()
	doc, report := filepath.Join(dir, "doc.txt"), filepath.Join(dir, "report.csv")
	writeDoc(t, doc, "<URL:file:///none/at/all>\n")
	out, errOut, status := runVerify(t, t.Context(), nil, "--output", "html=/dev/full", "--output", report, doc)
	if status != base.StatusAccess || !strings.Contains(errOut, "--output: write /dev/full: no space left") || !strings.Contains(out, "1 dead") || strings.Count(readDoc(t, report), "\n") != 2 {
		t.Errorf("%d: %s%s, want status %d, %q in errOut and %q in out", status, out, errOut, base.StatusAccess, "--output: write /dev/full: no space left", "1 dead")
	}
}
