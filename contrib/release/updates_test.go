package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// writeFiles writes the files to dir. The keys are the file names.
func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// The report covers each go.mod file in the repository, not only the first.
func TestUpdates(t *testing.T) {
	proxy, source := t.TempDir(), t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		files := map[string]string{"list": "v1.0.0\nv1.1.0\n"}
		for _, version := range []string{"v1.0.0", "v1.1.0"} {
			files[version+".info"] = `{"Version":"` + version + `","Time":"2026-01-02T03:04:05Z"}`
			files[version+".mod"] = "module example.test/" + name + "\n"
		}
		writeFiles(t, filepath.Join(proxy, "example.test", name, "@v"), files)
	}
	const local = "\nrequire example.test/root v0.0.0\n\nreplace example.test/root => ../\n"
	writeFiles(t, source, map[string]string{
		"go.mod":              "module example.test/root\n\ngo 1.26.0\n\nrequire example.test/a v1.0.0\n",
		"sub/go.mod":          "module example.test/root/sub\n\ngo 1.26.0\n\nrequire example.test/b v1.0.0\n" + local,
		"whole/go.mod":        "module example.test/root/whole\n\ngo 1.26.0\n\nrequire example.test/c v1.1.0\n",
		"broken/go.mod":       "modul example.test/root/broken\n",
		"testdata/x/go.mod":   "module example.test/root/testdata\n\nrequire example.test/c v1.0.0\n",
		".hidden/x/go.mod":    "module example.test/root/hidden\n\nrequire example.test/c v1.0.0\n",
		"sub/vendor/x/go.mod": "module example.test/vendored\n\nrequire example.test/c v1.0.0\n",
	})
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(proxy))
	t.Setenv("GOSUMDB", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	for _, module := range []string{".", "sub", "whole"} {
		if _, err := command(t.Context(), filepath.Join(source, module), append(buildEnv(host), "GOFLAGS=-mod=mod"), "go", "list", "-m", "all"); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := reportUpdates(t.Context(), &out, options{source: source}); err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfterN(out.Bytes(), []byte("\n"), 2)
	const want = `broken/go.mod: newer versions are not known: `
	if !bytes.HasPrefix(lines[0], []byte(want)) {
		t.Errorf("got  %swant %s", lines[0], want)
	}
	const rest = `go.mod: example.test/a v1.0.0: there is v1.1.0
go.mod: modules that need a look: 1
sub/go.mod: example.test/a v1.0.0: there is v1.1.0
sub/go.mod: example.test/b v1.0.0: there is v1.1.0
sub/go.mod: modules that need a look: 2
whole/go.mod: modules that need a look: 0
`
	if !bytes.HasSuffix(out.Bytes(), []byte("\n"+rest)) {
		t.Errorf("got\n%s\nwant\n%s", out.Bytes(), rest)
	}
}
