package verify

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/verify"
)

// newTestReports returns a report of each format that writes to w.
func newTestReports(t testing.TB, w func(format string) io.Writer) map[string]*output {
	t.Helper()
	v := &verifier{a: base.New(t.Context(), strings.NewReader(""), io.Discard, io.Discard, func(string) string { return "" })}
	var err error
	if v.a.Registry, err = all.Registry(); err != nil {
		t.Fatal(err)
	}
	v.verifier = verify.New(nil, nil)
	list := map[string]*output{}
	for _, f := range formats() {
		o := &output{w: bufio.NewWriter(w(f.name)), all: true}
		o.report = f.open(v, o)
		list[f.name] = o
	}
	return list
}

// A report retains no memory for a good link, even if it shows the link.
func TestReportMemory(t *testing.T) {
	u := locus.MustParse("http://h.example/a")
	for format, o := range newTestReports(t, func(string) io.Writer { return io.Discard }) {
		heap := func() uint64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.GC()
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		add := func(n int) {
			for i := range n {
				r := verify.Result{Document: fmt.Sprintf("docs/%d.md", i/10), Line: int64(i), Column: 1, URL: u}
				r.Verdict = verify.Alive
				o.report.result(&r)
			}
		}
		add(100)
		before := heap()
		const links = 20_000
		add(links)
		after := heap()
		if after > before && (after-before)/links > 16 {
			t.Errorf("%s: %d octets a link", format, (after-before)/links)
		}
		o.report.end()
	}
}

// For all texts in results, parsers can read each report, and the report contains no control
// characters.
func FuzzReports(f *testing.F) {
	f.Add("docs/a.md", "", "b.md#none", "the document has no such fragment", uint8(7))
	f.Add("=a]]>", "-m\x00", "</script>\u202e", "\"`|\r\n\x1b[2J ::error::", uint8(8))
	f.Add("", "\xff", "@x,'\u2028", "]]><![CDATA[", uint8(3))
	f.Add("-", "${{x}}", "+1", "%0A", uint8(20))
	f.Fuzz(func(t *testing.T, document, member, written, detail string, verdict uint8) {
		t.Setenv("TMPDIR", t.TempDir())
		texts := map[string]*bytes.Buffer{}
		reports := newTestReports(t, func(format string) io.Writer {
			texts[format] = new(bytes.Buffer)
			return texts[format]
		})
		r := verify.Result{Document: document, Member: member, Line: 1, Column: 2, Written: written}
		r.Verdict, r.Detail = verify.Verdict(verdict%10), detail
		if verdict >= 200 {
			r.Err = errors.New(detail)
		}
		r.URL, _ = locus.Parse(written)
		for format, o := range reports {
			o.report.result(&r)
			o.report.end()
			if err := o.w.Flush(); err != nil {
				t.Fatal(err)
			}
			text := texts[format].String()
			if format != "html" && strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r == 0x202e || r == 0x2028 }) >= 0 || !utf8.ValidString(text) {
				t.Errorf("%s: %q, want valid UTF-8 without control characters", format, text)
			}
		}
		for line := range strings.Lines(texts["json"].String()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("json: %q", line)
			}
		}
		if !json.Valid(texts["sarif"].Bytes()) {
			t.Errorf("sarif: %s", texts["sarif"])
		}
		if err := xml.Unmarshal(texts["junit"].Bytes(), new(struct{ XMLName xml.Name })); err != nil {
			t.Errorf("junit: %v: %s", err, texts["junit"])
		}
		rows, err := csv.NewReader(texts["csv"]).ReadAll()
		if err != nil || len(rows) != 2 {
			t.Errorf("csv: %d rows, %v", len(rows), err)
		}
		for _, row := range rows {
			for _, cell := range row {
				if cell != "" && strings.ContainsRune("=+-@", rune(cell[0])) {
					t.Errorf("csv: a formula %q", cell)
				}
			}
		}
		if n := strings.Count(texts["github"].String(), "\n"); n != 2 {
			t.Errorf("github: %d lines: %s", n, texts["github"])
		}
		root, err := html.Parse(texts["html"])
		if err != nil {
			t.Fatal(err)
		}
		cells, scripts := 0, 0
		for n := range root.Descendants() {
			if n.Type == html.ElementNode && n.Data == "td" {
				cells++
			}
			if n.Type == html.ElementNode && n.Data == "script" {
				scripts++
			}
		}
		if cells != 4 || scripts != 1 {
			t.Errorf("html: %d cells, %d scripts", cells, scripts)
		}
	})
}

// The report format is determined by the text before "=", the file name, or --format.
func TestParseOutput(t *testing.T) {
	for _, c := range []struct{ value, usual, format, file, err string }{
		{"html=a", "text", "html", "a", ""},
		{"html=a=b", "text", "html", "a=b", ""},
		{"a.html", "text", "html", "a.html", ""},
		{"A.HTM", "text", "html", "A.HTM", ""},
		{"out/a=b.csv", "text", "csv", "out/a=b.csv", ""},
		{"a.json", "text", "json", "a.json", ""},
		{"a.json", "sarif", "sarif", "a.json", ""},
		{"a.txt", "github", "github", "a.txt", ""},
		{"a.xml", "sarif", "junit", "a.xml", ""},
		{"report", "markdown", "markdown", "report", ""},
		{"a=b", "text", "", "", `unknown format "a"`},
		{"=b", "text", "", "", `unknown format ""`},
		{"csv=", "text", "", "", "missing file"},
		{"", "text", "", "", "missing file"},
		{"csv=-", "text", "", "", "use --format csv"},
	} {
		f, file, err := parseOutput(c.value, c.usual)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: %v, want an error and %q in err.Error()", c.value, err, c.err)
			}
			continue
		}
		if err != nil || f.name != c.format || file != c.file {
			t.Errorf("%q, %s: %s, %s, %v, want no error, f.name %q and file %q", c.value, c.usual, f.name, file, err, c.format, c.file)
		}
	}
}
