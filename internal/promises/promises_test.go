package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Each test that the documents name exists, and is run by CI.
func TestNamedTestsExist(t *testing.T) {
	ci := read(t, ".ci/run")
	for _, name := range documents {
		names, err := testsIn(read(t, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(names) < 20 {
			t.Errorf("%s names %d tests", name, len(names))
		}
		for _, fault := range checkTests(root, names, ci) {
			t.Errorf("%s: %v", name, fault)
		}
	}
}

// Each sentence with a strong word has a row with a test, and each row is quoted.
func TestPromisesHaveTests(t *testing.T) {
	sources, err := readSources(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range checkPromises(read(t, "docs/threat-model.md"), sources) {
		t.Error(fault)
	}
}

// The limits in the tables are those of the constants.
func TestLimitsAreThoseOfTheCode(t *testing.T) {
	compared, faults := checkLimits(root, read(t, "docs/limits.md"))
	for _, fault := range faults {
		t.Error(fault)
	}
	if compared < 60 {
		t.Errorf("%d constants compared", compared)
	}
}

// module writes a module whose tests pass, fail and skip.
func module(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.test/m\n\ngo 1.26\n",
		"p/p.go": "package p\n\nconst most = 4 << 10\n",
		"p/p_test.go": `package p

import (
	"os"
	"testing"
)

func TestPasses(t *testing.T) { t.Run("one", func(*testing.T) {}); t.Run("two", func(t *testing.T) { t.Skip() }) }
func TestFails(t *testing.T) { t.Error("the reason") }
func TestSkips(t *testing.T) { t.Skip("always") }
func TestSkipsSometimes(t *testing.T) { if most > 0 { t.Skip("in fact always") } }
func TestSkipsBelow(t *testing.T) { t.Run("one", func(t *testing.T) { t.Skip() }) }
func TestServer(t *testing.T) { server(t) }
func server(t *testing.T) { if os.Getenv("CI") == "" { t.Skip("no server") } }

type helper struct{}

func (helper) TestMethod(t *testing.T) {}
`,
	} {
		name = filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestCheckTests(t *testing.T) {
	folder := module(t)
	for _, c := range []struct{ text, ci, fault string }{
		{"`p.TestPasses`", "", ""},
		{"`p.TestPasses/one`", "", ""},
		{"`p.TestMissing`", "", "unknown test"},
		{"`p.TestMethod`", "", "unknown test"},
		{"`elsewhere.TestPasses`", "", "unknown test"},
		{"`p.TestSkips`", "", "always skips"},
		{"`p.TestServer`", "go test ./...", "skips without CI=true"},
		{"`p.TestServer`", "# CI=true go test ./p", "skips without CI=true"},
		{"`p.TestServer`", "CI=true go test -count=1 ./p", ""},
		{"`p.TestServer`", "(cd p && CI=true go test ./...)", ""},
		{"`TestPasses`", "", "does not name its package"},
		{"`P.TestPasses`", "", "does not name its package"},
	} {
		names, err := testsIn(c.text)
		faults := checkTests(folder, names, c.ci)
		if err != nil {
			faults = append(faults, err)
		}
		got := fmt.Sprint(faults)
		if (c.fault == "") != (len(faults) == 0) || !strings.Contains(got, c.fault) {
			t.Errorf("%s, %q: %v; want %q", c.text, c.ci, got, c.fault)
		}
	}
}

// The run finds tests that skip for reasons that only a run shows.
func TestRun(t *testing.T) {
	names, err := testsIn("`p.TestPasses` `p.TestPasses/one` `p.TestPasses/two` `p.TestFails` `p.TestSkips` `p.TestSkipsSometimes` `p.TestSkipsBelow` `p.TestServer` `p.TestMissing`")
	if err != nil {
		t.Fatal(err)
	}
	faults, passed := run(module(t), names)
	var got []string
	for _, fault := range faults {
		first, _, _ := strings.Cut(fault, "\n")
		got = append(got, first)
	}
	want := []string{
		"p.TestFails failed", "p.TestSkips was skipped", "p.TestSkipsSometimes was skipped",
		"p.TestSkipsBelow skipped all its subtests", "p.TestMissing did not run", "p.TestPasses/two was skipped",
	}
	if !slices.Equal(got, want) {
		t.Errorf("faults %q, want %q", got, want)
	}
	if text := strings.Join(faults, "\n"); !strings.Contains(text, "the reason") {
		t.Errorf("what the test printed is not shown: %s", text)
	}
	if text := fmt.Sprint(passed); text != "[p.TestPasses p.TestServer p.TestPasses/one]" {
		t.Errorf("passed: %s", text)
	}
}

func TestCheckPromises(t *testing.T) {
	const head = "| Where | Promise | Tests |\n|---|---|---|\n"
	sources := map[string][]string{"README.md": {"It never fails.", "It is fast."}}
	for _, c := range []struct{ table, fault string }{
		{"| `README.md` | It never fails. | `p.TestPasses` |\n", ""},
		{"| `README.md` | It never fails. | `p.TestPasses` |\n| `README.md` | It is fast. | `p.TestPasses` |\n", ""},
		{"", `no row for "It never fails."`},
		{"| `README.md` | It never fails. | by hand |\n", "no test holds"},
		{"| `README.md` | It never fails. | `p.TestPasses` |\n| `README.md` | It never slept. | `p.TestPasses` |\n", "has no sentence"},
		{"| `NEWS.md` | It never fails. | `p.TestPasses` |\n", "not a source"},
		{"| `README.md` | It never fails. |\n", "2 cells"},
	} {
		faults := checkPromises(head+c.table, sources)
		if got := fmt.Sprint(faults); (c.fault == "") != (len(faults) == 0) || !strings.Contains(got, c.fault) {
			t.Errorf("%q: %s; want %q", c.table, got, c.fault)
		}
	}
}

func TestSentences(t *testing.T) {
	got := markdownSentences("# Never a heading\n\nOne [link](a.md) is\nnever cut. Two cannot. Version 0.5 is (\"refused.\") Three\n\n" +
		"- a list: always\n- never again\n  and again\n\n1. one cannot\n\n```go\nnever := code\n```\n\n    never indented\n\n| a | never here. |\n")
	want := []string{"One link is never cut.", "Two cannot.", "Version 0.5 is (\"refused.\")", "a list: always", "never again and again", "one cannot", "never here."}
	if promised := promises(got); !slices.Equal(promised, want) {
		t.Errorf("%q, want %q", promised, want)
	}
	got = promises(commentSentences("// Package p [P.F] never\n// fails. It works.\n//\n//\tnever code\n//\n// # Never a heading\n//\n//   - An item always\n//     continues.\npackage p\n\n// Never here.\n"))
	if want := []string{"Package p P.F never fails.", "An item always continues."}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCheckLimits(t *testing.T) {
	folder := module(t)
	const head = "| What | Limit | Constant | Tests |\n|---|---|---|---|\n"
	for _, c := range []struct{ row, fault string }{
		{"| a line | 4 KiB | `p.most` | `p.TestPasses` |", ""},
		{"| a line | 4096 | `p.most` | `p.TestPasses` |", ""},
		{"| a line | 4 MiB | `p.most` | |", "is 4096"},
		{"| a line | 4 KiB | `p.least` | |", "no constant least"},
		{"| a line | much | `p.most` | |", "not a limit"},
		{"| a line | 4 ells | `p.most` | |", "unknown unit"},
		{"| a line | 4 KiB | `p.most` | |", "a line: no test"},
		{"| a line | some | | |", "a line: no test"},
		{"| a line | some | | `p.TestPasses` |", ""},
		{"| a line | some |", "2 cells"},
	} {
		_, faults := checkLimits(folder, head+c.row+"\n")
		if got := fmt.Sprint(faults); (c.fault == "") != (len(faults) == 0) || !strings.Contains(got, c.fault) {
			t.Errorf("%q: %s; want %q", c.row, got, c.fault)
		}
	}
}

func TestConstants(t *testing.T) {
	folder := t.TempDir()
	text := `package p

const (
	a = 10 * time.Second
	b = 2 * locus.MaxLen
	c = 255 + len(":65535")
	d = b/2 - 1
	e int64 = 64 << 10
	f = 1<<15 - 1
	g = time.Duration(3) * time.Hour
	h = other.X
)

func (o *Options) orDefault() {
	o.Depth = cmp.Or(max(o.Depth, 0), 8)
	o.Size = cmp.Or(o.Size, 1<<10)
	o.Size = cmp.Or(o.Size, 1<<20)
}
`
	for name, text := range map[string]string{"p/p.go": text, "url.go": "package locus\n\nconst MaxLen = 1 << 16\n"} {
		name = filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c, err := readConstants(folder, "p")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int64{"a": 10e9, "b": 1 << 17, "c": 261, "d": 65535, "e": 65536, "f": 32767, "g": 3 * 3600e9, "h": -1, "i": -1, "Options.Depth": 8, "Options.Size": -1, "Options.None": -1} {
		got, err := c.value(name)
		if err != nil {
			got = -1
		}
		if got != want {
			t.Errorf("%s = %d, %v; want %d", name, got, err, want)
		}
	}
}
