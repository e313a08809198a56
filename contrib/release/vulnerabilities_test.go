package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// The check covers each go.mod. It fails only for a vulnerable function that the code can call. In
// a module that contains only tests, the tests count as code.
func TestVulnerabilities(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds govulncheck")
	}
	served, database, source := t.TempDir(), t.TempDir(), t.TempDir()
	v := module.Version{Path: "example.test/a", Version: "v1.0.0"}
	from := t.TempDir()
	const mod = "module example.test/a\n\ngo 1.26.0\n"
	writeFiles(t, from, map[string]string{"go.mod": mod, "a.go": "package a\n\nfunc Bad() {}\n\nfunc Good() {}\n"})
	var zip bytes.Buffer
	if err := modzip.CreateFromDir(&zip, v, from); err != nil {
		t.Fatal(err)
	}
	writeFiles(t, filepath.Join(served, "example.test", "a", "@v"), map[string]string{
		"list": v.Version, v.Version + ".info": `{"Version":"v1.0.0"}`, v.Version + ".mod": mod, v.Version + ".zip": zip.String(),
	})
	writeFiles(t, database, map[string]string{
		"GO-2026-0001.json": `{"schema_version":"1.3.1","id":"GO-2026-0001","modified":"2026-11-01T00:00:00Z","published":"2026-11-01T00:00:00Z","summary":"Bad is bad",
			"affected":[{"package":{"name":"example.test/a","ecosystem":"Go"},"ranges":[{"type":"SEMVER","events":[{"introduced":"0"},{"fixed":"1.1.0"}]}],
			"ecosystem_specific":{"imports":[{"path":"example.test/a","symbols":["Bad"]}]}}]}`,
	})
	const (
		require = "\n\ngo 1.26.0\n\nrequire example.test/a v1.0.0\n"
		calls   = "import (\n\t\"testing\"\n\n\t\"example.test/a\"\n)\n\nfunc TestA(t *testing.T) { a."
	)
	writeFiles(t, source, map[string]string{
		"go.mod":           "module example.test/root\n\ngo 1.26.0\n",
		"root.go":          "package root\n",
		"calls/go.mod":     "module example.test/root/calls" + require,
		"calls/c_test.go":  "package calls_test\n\n" + calls + "Bad() }\n",
		"spares/go.mod":    "module example.test/root/spares" + require,
		"spares/s_test.go": "package spares_test\n\n" + calls + "Good() }\n",
	})
	t.Setenv("GOPROXY", fileURL(served)+","+fileURL(moduleCache(t))+","+ambientProxy(t))
	t.Setenv("GONOSUMDB", "example.test")
	t.Setenv("GOMODCACHE", filepath.Join(temporary, "vulnerable"))
	for _, folder := range []string{"calls", "spares"} {
		if _, err := command(t.Context(), filepath.Join(source, folder), nil, "go", "mod", "tidy"); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	err := run(t.Context(), &out, []string{"--source", source, "vulnerabilities", fileURL(database)})
	if err == nil || err.Error() != "known vulnerabilities in dependencies: 1" {
		t.Error(err)
	}
	const want = `calls/go.mod: GO-2026-0001: example.test/a v1.0.0 (fixed in v1.1.0): Bad is bad
calls/go.mod: known vulnerabilities: 1, and 0 in code that it does not call
go.mod: known vulnerabilities: 0, and 0 in code that it does not call
spares/go.mod: known vulnerabilities: 0, and 1 in code that it does not call
Go: known vulnerabilities of the standard library: 0
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
	if err := os.RemoveAll(filepath.Join(source, "calls")); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), &out, []string{"--source", source, "vulnerabilities", fileURL(database)}); err != nil {
		t.Error(err)
	}
	err = run(t.Context(), &out, []string{"--source", source, "vulnerabilities", fileURL(filepath.Join(database, "none"))})
	if err == nil || !strings.Contains(err.Error(), "was not checked") {
		t.Error(err)
	}
	// Without a proxy, the database is unavailable.
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	if err := run(t.Context(), &out, []string{"--source", source, "vulnerabilities"}); err == nil || !strings.Contains(err.Error(), "nothing was checked") {
		t.Error(err)
	}
}

// A finding without a function counts as not reached. The report lists vulnerabilities in the
// standard library on separate lines.
func TestReadVulnerabilities(t *testing.T) {
	list, err := readVulnerabilities([]byte(`{"config":{}} {"osv":{"id":"GO-2","summary":"two"}}
		{"finding":{"osv":"GO-2","trace":[{"module":"m","version":"v1"}]}}
		{"finding":{"osv":"GO-2","fixed_version":"v2","trace":[{"module":"m","version":"v1","package":"m","function":"F"}]}}
		{"finding":{"osv":"GO-2","fixed_version":"v2","trace":[{"module":"m","version":"v1","package":"m"}]}}
		{"finding":{"osv":"GO-1","trace":[{"module":"stdlib","version":"v1.26.8"}]}}`))
	if err != nil || len(list) != 2 || list[0].reached || !list[1].reached || list[1].String() != "GO-2: m v1 (fixed in v2): two" || list[0].String() != "GO-1: stdlib v1.26.8 (no version has a fix): " {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := readVulnerabilities([]byte("{")); err == nil {
		t.Error("a truncated message is accepted")
	}
}
