package standards

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/locus-url/locus"
)

var update = flag.Bool("update", false, "write the tables of docs/dev/standards.md again")

const page = "../../../docs/dev/standards.md"

// shown holds the cases that a rule explains.
type shown struct {
	count   int
	example *outcome
	others  int // number of other rules that the example needs
}

// explainAll explains each difference of each case.
func explainAll(t *testing.T) (cases []*outcome, byRule map[string]*shown) {
	t.Helper()
	registry := mustRegistry(t)
	byRule = map[string]*shown{}
	for _, c := range readCases(t) {
		o := outcomeOf(t, registry, c)
		cases = append(cases, o)
		var names []string
		for _, d := range o.differences() {
			i := slices.IndexFunc(rules, func(r rule) bool { return r.applies(d) })
			if i < 0 {
				t.Errorf("no rule explains %v", d)
				continue
			}
			names = append(names, rules[i].name)
		}
		slices.Sort(names)
		names = slices.Compact(names)
		for _, name := range names {
			s := byRule[name]
			if s == nil {
				s = &shown{}
				byRule[name] = s
			}
			s.count++
			if s.example == nil || better(o, len(names)-1, s) {
				s.example, s.others = o, len(names)-1
			}
		}
	}
	return cases, byRule
}

// better reports whether a case is a simpler example than the current example of the rule. The
// parameter others is the number of other rules that the case needs.
func better(o *outcome, others int, s *shown) bool {
	hidden := func(text string) int { return strings.Count(strings.Map(visible, text), "�") }
	base := func(o *outcome) int {
		if o.Base == nil {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(hidden(o.Input), hidden(s.example.Input)), cmp.Compare(others, s.others), cmp.Compare(base(o), base(s.example)),
		cmp.Compare(utf8.RuneCountInString(o.Input), utf8.RuneCountInString(s.example.Input)), cmp.Compare(o.Input, s.example.Input)) < 0
}

// A rule explains each difference of each case, and each rule explains a case.
func TestEachDifferenceHasARule(t *testing.T) {
	_, byRule := explainAll(t)
	for _, r := range rules {
		if byRule[r.name] == nil {
			t.Errorf("no case shows %q", r.name)
		}
	}
}

// A rule requires its evidence: it does not explain a difference if the other standard's result
// changes.
func TestRulesNeedEvidence(t *testing.T) {
	registry := mustRegistry(t)
	for _, c := range readCases(t) {
		for _, d := range outcomeOf(t, registry, c).differences() {
			o := *d.outcome
			switch d.kind {
			case browserAccepts, browserResolves:
				o.href = "x-other://elsewhere.example/"
			case browserMeans:
				o.href, d.theirs = "x-other://elsewhere.example/", "elsewhere"
			case browserFails:
				o.failure = "another"
			case originalMeans:
				o.canonical, d.theirs = "x-other://elsewhere.example/", "elsewhere"
			default:
				if d.fault.Rule == "" {
					continue // the rule depends only on the form of the input
				}
				d.fault.Rule, d.fault.Text = "another", "elsewhere"
				if o.isRelative() {
					continue
				}
			}
			d.outcome = &o
			if i := slices.IndexFunc(rules, func(r rule) bool { return r.applies(d) }); i >= 0 {
				t.Errorf("%s explains what is not so: %v", rules[i].name, d)
			}
		}
	}
}

// TestPage compares the tables in docs/dev/standards.md with the results, or writes the tables.
func TestPage(t *testing.T) {
	cases, byRule := explainAll(t)
	if t.Failed() {
		return
	}
	octets, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(octets)
	for name, table := range map[string]string{"normalized": normalizedTable(t), "verdicts": verdictTable(cases), "rules": ruleTable(byRule)} {
		mark := "<!-- " + name + ": go test ./internal/dev/standards -update -->\n"
		before, rest, ok := strings.Cut(text, mark)
		_, after, end := strings.Cut(rest, "<!-- end -->\n")
		if !ok || !end {
			t.Fatalf("%s has no place for the table %q", page, name)
		}
		text = before + mark + table + "<!-- end -->\n" + after
	}
	switch {
	case text == string(octets):
	case *update:
		if err := os.WriteFile(page, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not what the code does: go test ./internal/dev/standards -update, then read the difference", page)
	}
}

// verdictTable counts the cases by the verdicts of the three standards.
func verdictTable(cases []*outcome) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| URL Standard | RFC 3986 | RFC 1738 | cases of %d |\n|---|---|---|---|\n", len(cases))
	yes := func(ok bool, no string) string {
		if ok {
			return "conforms"
		}
		return no
	}
	count := map[string]int{}
	for _, o := range cases {
		browser := "fails"
		switch {
		case o.browser() && len(o.notes) > 0:
			browser = "repairs"
		case o.browser():
			browser = "valid"
		}
		count[fmt.Sprintf("| %s | %s | %s |", browser, yes(o.generic(), "refuses"), yes(o.original(), "refuses"))]++
	}
	for _, browser := range []string{"valid", "repairs", "fails"} {
		for _, generic := range []string{"conforms", "refuses"} {
			for _, original := range []string{"conforms", "refuses"} {
				if row := fmt.Sprintf("| %s | %s | %s |", browser, generic, original); count[row] > 0 {
					fmt.Fprintf(&b, "%s %d |\n", row, count[row])
				}
			}
		}
	}
	return b.String()
}

func ruleTable(byRule map[string]*shown) string {
	var b strings.Builder
	b.WriteString("| rule and example | URL Standard | RFC 3986 | RFC 1738 | cases |\n|---|---|---|---|---|\n")
	for _, r := range rules {
		s := byRule[r.name]
		example := code(s.example.Input)
		if s.example.Base != nil {
			example += " on " + code(*s.example.Base)
		}
		fmt.Fprintf(&b, "| %s<br>%s | %s<br>%s | %s<br>%s | %s<br>%s | %d |\n", cell(fmt.Sprintf("**%s** (%s)", r.name, r.sections)), example,
			cell(r.whatwg), s.example.browserText(), cell(r.rfc3986), s.example.genericText(), cell(r.rfc1738), s.example.originalText(), s.count)
	}
	return b.String()
}

// cell escapes the delimiter of table cells.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// code writes a text as code in a cell.
func code(text string) string {
	text = strings.Map(visible, text)
	if text == "" {
		return "(empty)"
	}
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if fence != "`" {
		text = " " + text + " "
	}
	return fence + cell(text) + fence
}

// visible replaces a control character with its Unicode control picture, and any other invisible
// character with U+FFFD.
func visible(r rune) rune {
	switch {
	case r <= ' ':
		return '\u2400' + r
	case r == 0x7F:
		return '\u2421'
	case r >= 0x80 && r < 0xA0, r == 0xAD, r >= 0x2000 && r < 0x2010, r == 0x2060, r == 0xFEFF, r >= 0xFDD0 && r <= 0xFDEF, r&0xFFFE == 0xFFFE, r >= 0xE000 && r < 0xF900:
		return utf8.RuneError
	}
	return r
}

func (o *outcome) browserText() string {
	if !o.browser() {
		return "fails: " + o.failure
	}
	var names []string
	for _, v := range o.notes {
		if !slices.Contains(names, v.Rule) {
			names = append(names, v.Rule)
		}
	}
	if len(names) == 0 {
		return code(o.href)
	}
	return code(o.href) + ", " + strings.Join(names, ", ")
}

func (o *outcome) genericText() string {
	switch {
	case o.inBase:
		return "refuses the base: " + findings(o.faults)
	case len(o.faults) > 0:
		return "refuses: " + findings(o.faults)
	case o.unresolved:
		return "no base"
	}
	return code(o.target.String())
}

func (o *outcome) originalText() string {
	switch {
	case o.isRelative():
		return "not a URL"
	case o.refused != nil:
		return fmt.Sprintf("refuses: octet %d, %s", o.refused.Offset, cell(o.refused.Err.Error()))
	case len(o.breaches) > 0:
		return "refuses: " + findings(o.breaches)
	}
	return code(o.canonical)
}

// findings returns the offsets and sections of the first findings as text.
func findings(list []locus.Violation) string {
	var all []string
	for _, v := range list {
		all = append(all, fmt.Sprintf("octet %d (%s)", v.Offset, v.Section))
	}
	if len(all) > 2 {
		all = append(all[:2], "...")
	}
	return strings.Join(all, ", ")
}

// normalizedTable returns the table of canonical forms.
func normalizedTable(t *testing.T) string {
	t.Helper()
	registry := mustRegistry(t)
	var b strings.Builder
	b.WriteString("| URL | URL Standard | RFC 3986 | RFC 1738 |\n|---|---|---|---|\n")
	for _, text := range []string{
		"HTTP://Example.COM:80/%7Euser/./a/../b%2f", "http://example.com", "http://example.com:/?", "http://u:@example.com/", "http://[2001:DB8:0:0::1]/",
		"http://0x7f.1/", "http://b%C3%BCcher.example/", "gopher://example.com:70", "ftp://example.com/a/../b;TYPE=I", "mailto:Joe@Example.COM", "file://localhost/etc/hosts", "http://example.com/#",
	} {
		o := outcomeOf(t, registry, urlCase{Input: text})
		canonical := code(o.canonical)
		if !o.original() {
			canonical += "; " + o.originalText()
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", code(text), o.browserText(), o.genericText(), canonical)
	}
	return b.String()
}
