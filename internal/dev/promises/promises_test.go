package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../../.."

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Each test that the documents name exists.
func TestNamedTestsExist(t *testing.T) {
	names, err := namedTests(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(names) < 250 {
		t.Errorf("%d tests are named", len(names))
	}
	for _, fault := range checkTests(root, names) {
		t.Error(fault)
	}
}

// Each promise has an ID, a sentence and a test.
func TestPromisesHaveTests(t *testing.T) {
	count, faults := checkPromises(read(t, "docs/dev/threat-tables.md"))
	for _, fault := range faults {
		t.Error(fault)
	}
	if count < 50 {
		t.Errorf("%d promises", count)
	}
}

// The limits in the tables match the constants.
func TestLimitsAreThoseOfTheCode(t *testing.T) {
	compared, faults := checkLimits(root, read(t, "docs/dev/limits.md"))
	for _, fault := range faults {
		t.Error(fault)
	}
	if compared < 60 {
		t.Errorf("%d constants compared", compared)
	}
}

// module writes a module with tests that pass, fail and skip.
func module(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module github.com/locus-url/locus\n\ngo 1.26\n",
		"p/p.go": "package p\n\nconst most = 4 << 10\n",
		"p/p_test.go": `package p

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) { println("noise"); os.Exit(m.Run()) }
func TestPasses(t *testing.T) { t.Log("not shown"); t.Run("one", func(*testing.T) {}); t.Run("two", func(t *testing.T) { t.Skip() }) }
func TestFails(t *testing.T) { t.Run("below", func(t *testing.T) { t.Error("the reason") }) }
func TestSkips(t *testing.T) { t.Skip("always") }
func TestSkipsBelow(t *testing.T) { t.Run("one", func(t *testing.T) { t.Skip() }) }
func TestServer(t *testing.T) { if os.Getenv("CI") == "" { t.Skip("no server") } }

type helper struct{}

func (helper) TestMethod(t *testing.T) {}
`,
		"panics/p_test.go": "package panics\n\nimport \"testing\"\n\nfunc TestPanics(*testing.T) { panic(\"a fault\") }\n",
		"broken/p_test.go": "package broken\n\nimport \"testing\"\n\nfunc TestBroken(*testing.T) { missing() }\n",
		"root_test.go":     "package locus\n\nimport \"testing\"\n\nfunc TestRoot(*testing.T) {}\n",
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

// events runs the tests of a module with -json. Some of them fail.
func events(t *testing.T, folder string, env ...string) []byte {
	t.Helper()
	cmd := exec.Command("go", "test", "-count=1", "-vet=off", "-json", "./...")
	cmd.Dir, cmd.Env = folder, append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return out
}

func TestCheckTests(t *testing.T) {
	folder := module(t)
	for _, c := range []struct{ text, fault string }{
		{"`p.TestPasses`", ""},
		{"`p.TestPasses/one`", ""},
		{"`locus.TestRoot`", ""},
		{"`p.TestMissing`", "p.TestMissing: unknown test"},
		{"`p.TestPass`", "unknown test"},
		{"`p.TestMethod`", "unknown test"},
		{"`elsewhere.TestPasses`", "unknown test"},
		{"`TestPasses`", "does not name its package"},
		{"`P.TestPasses`", "does not name its package"},
	} {
		names, err := testsIn(c.text)
		faults := checkTests(folder, names)
		if err != nil {
			faults = append(faults, err)
		}
		if got := fmt.Sprint(faults); (c.fault == "") != (len(faults) == 0) || !strings.Contains(got, c.fault) {
			t.Errorf("%s: %v; want %q", c.text, got, c.fault)
		}
	}
}

// The check detects tests that were skipped during the run. A file may contain the events of
// several runs; a test counts as passed if it passed in one of these runs. Each script checks its
// own tests.
func TestCheckRun(t *testing.T) {
	folder := module(t)
	if err := os.MkdirAll(filepath.Join(folder, "docs/dev"), 0o755); err != nil {
		t.Fatal(err)
	}
	documents := func(text string) {
		t.Helper()
		for name, text := range map[string]string{"threat-tables.md": text, "limits.md": "`p.TestPasses`"} {
			if err := os.WriteFile(filepath.Join(folder, "docs/dev", name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	file := filepath.Join(folder, "events")
	check := func(script string) string {
		t.Helper()
		var out strings.Builder
		if err := checkRun(folder, script, file, &out); err != nil {
			fmt.Fprintln(&out, err)
		}
		return out.String()
	}
	first := events(t, folder, "CI=")
	if err := os.WriteFile(file, first, 0o644); err != nil {
		t.Fatal(err)
	}
	documents("`p.TestPasses` `p.TestPasses/one` `p.TestPasses/two` `p.TestFails` `p.TestSkips` `p.TestSkipsBelow` `p.TestServer` `p.TestMissing` `locus.TestRoot` `panics.TestPanics` `broken.TestBroken`")
	want := `broken.TestBroken did not run
p.TestFails failed
p.TestMissing did not run
p.TestPasses/two was skipped
p.TestServer was skipped
p.TestSkips was skipped
p.TestSkipsBelow skipped all its subtests
panics.TestPanics failed
8 of 11 tests did not pass
`
	if got := check("run"); got != want {
		t.Errorf("check run printed\n%s; want\n%s", got, want)
	}
	if err := os.WriteFile(file, slices.Concat(first, events(t, folder, "CI=true"), first), 0o644); err != nil {
		t.Fatal(err)
	}
	documents("`p.TestServer` `locus.TestRoot` `browser.TestPages` `beam/pipeline.TestLines`")
	for script, want := range map[string]string{
		"run":  "3 tests of .ci/run hold promises and limits\n",
		"slow": "beam/pipeline.TestLines did not run\nbrowser.TestPages did not run\n2 of 2 tests did not pass\n",
	} {
		if got := check(script); got != want {
			t.Errorf("check %s printed\n%s; want\n%s", script, got, want)
		}
	}
}

// The shown output of a run contains the results of packages, and the output of failed tests.
func TestShow(t *testing.T) {
	var b strings.Builder
	if err := show(bytes.NewReader(append([]byte("a line of the go command\n"), events(t, module(t))...)), &b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"a line of the go command\n", "the reason\n", "--- FAIL: TestFails (", "panic: a fault", "undefined: missing", "noise\n",
		"ok  \tgithub.com/locus-url/locus\t", "FAIL\tgithub.com/locus-url/locus/p\t", "FAIL\tgithub.com/locus-url/locus/panics\t", "FAIL\tgithub.com/locus-url/locus/broken ",
	} {
		if strings.Count(b.String(), want) != 1 {
			t.Errorf("no %q, or more than one, in\n%s", want, b.String())
		}
	}
	for _, other := range []string{"=== RUN", "not shown", "--- PASS", `"Action"`} {
		if strings.Contains(b.String(), other) {
			t.Errorf("%q in\n%s", other, b.String())
		}
	}
}

// The output shows a test that exceeded the time limit.
func TestShowUnended(t *testing.T) {
	const text = `{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"its last words\n"}
{"Action":"output","Package":"q","Output":"ok  \tq\n"}
{"Action":"output","Package":"p","Output":"FAIL\tp\n"}
{"Action":"fail","Package":"p"}
`
	var b strings.Builder
	if err := show(strings.NewReader(text), &b); err != nil || b.String() != "its last words\nFAIL\tp\n" {
		t.Errorf("show wrote %q, error %v; want the last words and FAIL", b.String(), err)
	}
}

// A panic is printed by the test binary. The go command attributes the panic to the test that
// printed last, although this test may have passed.
func TestShowPanic(t *testing.T) {
	const text = `{"Action":"output","Package":"p","Test":"TestB","Output":"its output\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"--- PASS: TestB (0.00s)\n"}
{"Action":"output","Package":"p","Test":"TestB","Output":"panic: of TestA\n"}
{"Action":"pass","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Output":"FAIL\tp\n"}
{"Action":"fail","Package":"p"}
`
	var b strings.Builder
	if err := show(strings.NewReader(text), &b); err != nil || b.String() != "panic: of TestA\nFAIL\tp\n" {
		t.Errorf("show wrote %q, error %v; want the panic of TestA and FAIL", b.String(), err)
	}
}

func TestCheckPromises(t *testing.T) {
	const head = "| ID | Promise | Tests |\n|---|---|---|\n"
	const good = "| `no-links` | It follows no links. | `p.TestPasses` |\n"
	for _, c := range []struct {
		table, fault string
		count        int
	}{
		{good, "", 1},
		{good + "| `no-links-2` | It follows no links. | `p.TestPasses`, `p.TestServer` |\n", "", 2},
		{"", "", 0},
		{good + good, "two promises have the ID no-links", 2},
		{"| No links | It follows no links. | `p.TestPasses` |\n", "invalid ID", 1},
		{"| | It follows no links. | `p.TestPasses` |\n", "invalid ID", 1},
		{"| `no-links` | | `p.TestPasses` |\n", "no-links: the sentence is missing", 1},
		{"| `no-links` | It follows no links. | by hand |\n", "no-links: no test", 1},
		{"| `no-links` | It follows no links. | `TestPasses` |\n", "does not name its package", 1},
		{"| `no-links` | It follows no links. |\n", "2 cells", 1},
	} {
		count, faults := checkPromises(head + c.table)
		if got := fmt.Sprint(faults); count != c.count || (c.fault == "") != (len(faults) == 0) || !strings.Contains(got, c.fault) {
			t.Errorf("%q: %d, %s; want %d, %q", c.table, count, got, c.count, c.fault)
		}
	}
}

func TestCheckLimits(t *testing.T) {
	folder := module(t)
	const head = "| What | Limit | Constant | Tests |\n|---|---|---|---|\n"
	for _, c := range []struct{ row, fault string }{
		{"| a line | 4 KiB | `p.most` | `p.TestPasses` |", ""},
		{"| a line | 4096 | `p.most` | `p.TestPasses` |", ""},
		{"| a line | 4 MiB | `p.most` | |", "is 4096"},
		{"| a line | 4 KiB | `p.least` | |", "unknown constant least"},
		{"| a line | much | `p.most` | |", "invalid limit"},
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
	b = 2 * c
	c = 255 + 6
	e int64 = 64 << 10
	f = 1<<15 - 1
	g = 3 * time.Hour
	h = other.X
	k = len("x")
)

func (o *Options) orDefault() {
	o.Depth = cmp.Or(max(o.Depth, 0), 8)
	o.Size = cmp.Or(o.Size, 1<<10)
	o.Size = cmp.Or(o.Size, 1<<20)
}
`
	if err := os.WriteFile(filepath.Join(folder, "p.go"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := readConstants(folder)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int64{"a": 10e9, "b": 522, "c": 261, "e": 65536, "f": 32767, "g": 3 * 3600e9, "h": -1, "i": -1, "k": -1, "Options.Depth": 8, "Options.Size": -1, "Options.None": -1} {
		got, err := c.value(name)
		if err != nil {
			got = -1
		}
		if got != want {
			t.Errorf("%s = %d, %v; want %d", name, got, err, want)
		}
	}
}
