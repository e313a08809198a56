package extract_test

import (
	"bufio"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/extract"
)

// foreignCase is a text from another project's test suite, with the URLs that the suite expects.
type foreignCase struct {
	suite, text string
	want        []string
	markdown    bool
	options     extract.Options
	first       bool // whether to compare only the first URL
}

// name returns the name of the case in expected_differences.txt.
func (c *foreignCase) name() string { return c.suite + " " + strconv.Quote(c.text) }

// foundURLs returns the URLs that this package finds.
func (c *foreignCase) foundURLs() (list []string) {
	if c.markdown {
		for l := range document.Markdown(c.text, &document.Options{Extract: c.options}) {
			list = append(list, c.expectedForm(l.Match))
		}
	} else {
		for m := range extract.All(c.text, &c.options) {
			list = append(list, c.expectedForm(m))
		}
	}
	if c.first && len(list) > 1 {
		list = list[:1]
	}
	return list
}

// expectedForm returns a URL in the form that the suites expect, without escapes that are not in
// the text.
func (c *foreignCase) expectedForm(m extract.Match) string {
	if m.Escaped && !m.Assumed {
		return c.text[m.Start:m.End]
	}
	return m.URL.String()
}

// foreignCases reads the tables of testdata/foreign.
func foreignCases(t *testing.T) (list []foreignCase) {
	t.Helper()
	names, err := filepath.Glob("testdata/foreign/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if filepath.Base(name) == differencesFile {
			continue
		}
		suite := foreignCase{suite: strings.TrimSuffix(filepath.Base(name), ".txt")}
		for line := range strings.Lines(read(t, name)) {
			if options, ok := strings.CutPrefix(line, "# options:"); ok {
				for _, option := range strings.Fields(options) {
					switch option {
					case "markdown":
						suite.markdown = true
					case "first":
						suite.first = true
					case "schemeless":
						suite.options.Schemeless = true
					default:
						t.Fatalf("%s: no option %q", name, option)
					}
				}
			}
			if strings.HasPrefix(line, "#") {
				continue
			}
			c := suite
			texts := quoted(t, name, strings.Replace(line, " ->", "", 1))
			c.text, c.want = texts[0], texts[1:]
			list = append(list, c)
		}
	}
	return list
}

// quoted returns the texts of a line, each quoted as in Go.
func quoted(t *testing.T, name, line string) (list []string) {
	t.Helper()
	for rest := strings.TrimSpace(line); rest != ""; rest = strings.TrimSpace(rest) {
		written, err := strconv.QuotedPrefix(rest)
		if err != nil {
			t.Fatalf("%s: %s: %v", name, line, err)
		}
		text, _ := strconv.Unquote(written)
		list, rest = append(list, text), rest[len(written):]
	}
	return list
}

const differencesFile = "expected_differences.txt"

// reasons holds the cases in which this package intentionally differs. A case is listed by name,
// or matches a pattern for the texts of a suite. The value is true if the class of the case is in
// scope.
type reasons struct {
	cases    map[string]bool
	patterns []reason
}

type reason struct {
	suite   string
	text    *regexp.Regexp
	inScope bool
}

// covers reports whether there is a reason for the case c, and whether the case is in scope.
func (r *reasons) covers(c *foreignCase, used map[string]bool) (inScope, ok bool) {
	if inScope, ok = r.cases[c.name()]; ok {
		return inScope, true
	}
	for _, p := range r.patterns {
		if p.suite == c.suite && p.text.MatchString(c.text) {
			used[p.suite+" ~"+p.text.String()] = true
			return p.inScope, true
		}
	}
	return false, false
}

// differences reads the reasons. A line contains a suite and a text, or "~" and a pattern of
// texts. A pattern may also match cases without a difference.
func differences(t *testing.T) *reasons {
	t.Helper()
	file, err := os.Open("testdata/foreign/" + differencesFile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	known := &reasons{cases: map[string]bool{}}
	section := ""
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if reason, ok := strings.CutPrefix(line, "- "); ok {
			section, _, _ = strings.Cut(reason, ": ")
			if section != "in scope" && section != "out of scope" {
				t.Fatalf("%q: neither in scope nor out of it", line)
			}
			continue
		}
		suite, text, _ := strings.Cut(line, " ")
		if pattern, ok := strings.CutPrefix(text, "~"); ok {
			known.patterns = append(known.patterns, reason{suite, regexp.MustCompile(pattern), section == "in scope"})
			continue
		}
		name := suite + " " + strconv.Quote(quoted(t, differencesFile, text)[0])
		if _, ok := known.cases[name]; ok || section == "" {
			t.Fatalf("%s: twice, or without a reason", line)
		}
		known.cases[name] = section == "in scope"
	}
	return known
}

// The package must find the URLs that the test suites of other projects expect, except for
// differences with a reason. For cases in scope, the test also checks the minimum number of
// correct URLs and the maximum number of wrong URLs.
func TestForeign(t *testing.T) {
	const leastPrecision, leastRecall = .94, .93
	known := differences(t)
	right, found, wanted := 0, 0, 0
	seen, used := map[string]bool{}, map[string]bool{}
	for _, c := range foreignCases(t) {
		got := c.foundURLs()
		_, byName := known.cases[c.name()]
		seen[c.name()] = true
		same := slices.Equal(got, c.want)
		inScope, listed := false, false
		if byName || !same {
			inScope, listed = known.covers(&c, used)
		}
		switch {
		case !same && !listed:
			t.Errorf("%s\n got  %q\n want %q\n and testdata/foreign/%s has no reason", c.name(), got, c.want, differencesFile)
		case same && listed:
			t.Errorf("%s: as wanted, and testdata/foreign/%s has a reason why not", c.name(), differencesFile)
		}
		if listed && !inScope {
			continue
		}
		found += len(got)
		wanted += len(c.want)
		for _, u := range got {
			if slices.Contains(c.want, u) {
				right++
			}
		}
	}
	for name := range maps.Keys(known.cases) {
		if !seen[name] {
			t.Errorf("%s: a difference of no case", name)
		}
	}
	for _, p := range known.patterns {
		if name := p.suite + " ~" + p.text.String(); !used[name] {
			t.Errorf("%s: a pattern of no difference", name)
		}
	}
	precision, recall := float64(right)/float64(found), float64(right)/float64(wanted)
	if precision < leastPrecision || recall < leastRecall || wanted < 2_000 {
		t.Errorf("precision %.3f, at least %.2f; recall %.3f of %d, at least %.2f", precision, leastPrecision, recall, wanted, leastRecall)
	}
	t.Logf("precision %.3f, recall %.3f of %d URLs", precision, recall, wanted)
}
