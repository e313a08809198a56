package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"debug/buildinfo"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// testTag is the version of the releases that the tests build.
const testTag = "v0.98.7"

var testTarget = target{"linux", "amd64"}

// temporary is a temporary directory that all tests share.
var temporary string

func TestMain(m *testing.M) {
	var err error
	if temporary, err = os.MkdirTemp("", "locus-release-test-"); err != nil {
		panic(err)
	}
	status := m.Run()
	// Files in the module cache are read-only.
	filepath.WalkDir(temporary, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			os.Chmod(name, 0o700)
		}
		return nil
	})
	os.RemoveAll(temporary)
	os.Exit(status)
}

// clone returns a clone of this repository with a tag.
func clone(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(temporary, name)
	for _, args := range [][]string{
		{"clone", "--quiet", "--shared", "../..", dir},
		{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.test", "tag", "-a", "-m", "test", testTag},
	} {
		if _, err := command(t.Context(), ".", nil, "git", args...); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// first is the release that is built only once for all tests.
var first struct {
	once sync.Once
	dir  string
	err  error
}

// built returns a directory with a release for one system.
func built(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds the whole program")
	}
	first.once.Do(func() {
		first.dir = filepath.Join(temporary, "one")
		source := clone(t, "source")
		first.err = run(context.Background(), io.Discard, []string{"--source", source, "--out", first.dir, "--only", testTarget.String()})
	})
	if first.err != nil {
		t.Fatal(first.err)
	}
	return first.dir
}

// read returns the content of the only file in a directory that matches a pattern.
func read(t *testing.T, dir, pattern string) []byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(names) != 1 {
		t.Fatalf("%s: %q, %v", pattern, names, err)
	}
	octets, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	return octets
}

// A build with another directory, other user settings, caches, umask and time zone produces
// identical files.
func TestReproducible(t *testing.T) {
	one := built(t)
	modules, err := command(t.Context(), ".", nil, "go", "env", "GOMODCACHE")
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(temporary, "elsewhere")
	// Use the module cache of this machine, or the network for missing modules.
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(strings.TrimSpace(string(modules)))+"/cache/download,"+os.Getenv("GOPROXY"))
	t.Setenv("GOPATH", filepath.Join(other, "go"))
	t.Setenv("GOMODCACHE", "")
	t.Setenv("GOCACHE", filepath.Join(other, "cache"))
	t.Setenv("GOFLAGS", "-buildvcs=false -tags=purego")
	t.Setenv("GOAMD64", "v2")
	t.Setenv("CGO_ENABLED", "1")
	t.Setenv("HOME", other)
	t.Setenv("TZ", "Pacific/Chatham")
	t.Setenv("LANG", "de_DE.UTF-8")
	restore := setUmask(0o077)
	defer restore()
	two := filepath.Join(temporary, "two")
	if err := run(t.Context(), io.Discard, []string{"--source", clone(t, "a longer name of a folder"), "--out", two, "--only", testTarget.String()}); err != nil {
		t.Fatal(err)
	}
	if a, b := read(t, one, "SHA256SUMS"), read(t, two, "SHA256SUMS"); !bytes.Equal(a, b) {
		t.Errorf("two builds differ:\n%s\n%s", a, b)
	}
}

// SHA256SUMS lists every file, and sha256sum accepts the checksums.
func TestSums(t *testing.T) {
	dir := built(t)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	sums := string(read(t, dir, "SHA256SUMS"))
	if strings.Count(sums, "\n") != len(entries)-1 {
		t.Errorf("%d files:\n%s", len(entries), sums)
	}
	if _, err := command(t.Context(), dir, nil, "sha256sum", "--check", "--strict", "SHA256SUMS"); err != nil {
		t.Error(err)
	}
}

// The archive contains the stripped program with the version of the tag, and all of its other
// files.
func TestArchive(t *testing.T) {
	r, err := gzip.NewReader(bytes.NewReader(read(t, built(t), "*.tar.gz")))
	if err != nil {
		t.Fatal(err)
	}
	const top = "locus-" + testTag + "-linux-amd64/"
	files := map[string][]byte{}
	archive := tar.NewReader(r)
	for h, err := archive.Next(); err != io.EOF; h, err = archive.Next() {
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "root" || h.Mode&0o022 != 0 || !strings.HasPrefix(h.Name, top) {
			t.Errorf("%+v", h)
		}
		if files[h.Name[len(top):]], err = io.ReadAll(archive); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"locus", "LICENSE", "README.md", "LICENCES-OF-DEPENDENCIES", "man/man1/locus.1", "man/man1/locus-gateway.1", "completions/_locus", "completions/locus.bash", "completions/locus.fish", "completions/locus.ps1", "systemd/locus-gateway.service", "systemd/locus-gateway.socket", "systemd/gateway.toml"} {
		if len(files[name]) == 0 {
			t.Errorf("no %s", name)
		}
	}
	program := files["locus"]
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	if info.Main.Version != testTag {
		t.Errorf("version %s", info.Main.Version)
	}
	t.Logf("the program has %d bytes", len(program))
	if bytes.Contains(program, []byte(temporary)) {
		t.Error("the program has a path of the machine")
	}
}

// The bill of materials names each module in the program, with its checksum and license.
func TestBill(t *testing.T) {
	dir := built(t)
	var bom cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(bytes.NewReader(read(t, dir, "*.cdx.json")), cyclonedx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	if bom.SpecVersion != cyclonedx.SpecVersion1_6 || bom.Metadata.Component.Version != testTag || !strings.HasPrefix(bom.SerialNumber, "urn:uuid:") {
		t.Errorf("%+v", bom)
	}
	listed := map[string]cyclonedx.Component{}
	for _, c := range *bom.Components {
		listed[c.Name] = c
		if c.Licenses == nil || c.PackageURL == "" || c.Version == "" {
			t.Errorf("%+v", c)
		}
	}
	list, err := command(t.Context(), filepath.Join(temporary, "source"), buildEnv(testTarget), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "./cmd/locus")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, path := range slices.Compact(slices.Sorted(strings.FieldsSeq(string(list)))) {
		count++
		if c, ok := listed[path]; !ok || c.Hashes == nil {
			t.Errorf("%s is missing: %+v", path, c)
		}
	}
	if count < 20 || len(listed) != count+2 || listed["std"].Version != strings.TrimPrefix(runtime.Version(), "go") {
		t.Errorf("%d modules, %d components", count, len(listed))
	}
}

// The command rejects uncommitted changes, a missing tag, a nonempty directory and a wrong target
// before it builds anything.
func TestRefusals(t *testing.T) {
	source := clone(t, "refusals")
	out := filepath.Join(t.TempDir(), "out")
	refused := func(why string, args ...string) {
		t.Helper()
		if err := run(t.Context(), io.Discard, args); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v", args, err)
		}
		if _, err := os.Stat(filepath.Join(out, "SHA256SUMS")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: something was built", args)
		}
	}
	refused("no release for it", "--only", "plan9/386")
	refused("unknown command", "publish")
	if err := os.MkdirAll(filepath.Join(out, "old"), 0o777); err != nil {
		t.Fatal(err)
	}
	refused("is not empty", "--source", source, "--out", out)
	if err := os.WriteFile(filepath.Join(source, "new.go"), []byte("package locus\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	refused("has changes", "--source", source, "--out", out)
	for _, args := range [][]string{{"add", "-A"}, {"-c", "user.name=x", "-c", "user.email=x@example.test", "commit", "-qm", "x"}} {
		if _, err := command(t.Context(), source, nil, "git", args...); err != nil {
			t.Fatal(err)
		}
	}
	refused("has no tag", "--source", source, "--out", out)
}

// Archives contain the files in order. All files have the same time, and the modes of programs or
// texts.
func TestPacked(t *testing.T) {
	modified := time.Date(2026, 11, 23, 5, 6, 8, 0, time.UTC)
	files := []file{{name: "z", octets: []byte("z")}, {name: "locus.exe", octets: []byte("MZ"), program: true}, {name: "a/b", octets: []byte("b")}}
	octets, err := packed(target{"windows", "amd64"}, "top", files, modified)
	if err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(octets), int64(len(octets)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range r.File {
		names = append(names, f.Name+" "+f.Mode().String())
		if !f.Modified.Equal(modified) {
			t.Errorf("%s: %v", f.Name, f.Modified)
		}
	}
	if want := []string{"top/a/b -rw-r--r--", "top/locus.exe -rwxr-xr-x", "top/z -rw-r--r--"}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}

// kindsOf recognizes each permitted license, and rejects a license with additional conditions.
func TestKindsOfLicences(t *testing.T) {
	mit := "Permission is hereby granted, free of\ncharge, to any person obtaining a copy ... The above copyright notice and this permission notice shall be included"
	bsd2 := "Redistribution and use in source and binary forms ... Redistributions in binary form must reproduce"
	for text, want := range map[string]string{
		mit: "MIT", bsd2: "BSD-2-Clause", bsd2 + " Neither the name": "BSD-3-Clause", mit + bsd2: "BSD-2-Clause AND MIT",
		"Copyright, all rights reserved": "", "": "", mit + "\nThe Commons Clause": "", "GNU General Public License": "",
	} {
		found, err := kindsOf([]file{{name: "LICENSE", octets: []byte(text)}})
		if got := strings.Join(found, " AND "); got != want || (err == nil) != (want != "") {
			t.Errorf("%.40q: %q, %v", text, got, err)
		}
	}
	if _, err := kindsOf(nil); err == nil {
		t.Error("no licence is good")
	}
}

// The licenses of all modules on all systems are known.
func TestLicences(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), &out, []string{"licences"}); err != nil || !strings.Contains(out.String(), "github.com/microcosm-cc/bluemonday") || !strings.Contains(out.String(), "@xterm/xterm") {
		t.Errorf("%v\n%s", err, &out)
	}
}

// A reference replaces the terms of the Apache License at any position in a text, and replaces
// nothing else.
func TestApacheTerms(t *testing.T) {
	own, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	terms := apacheTerms(string(own))
	text, _, _ := strings.Cut(string(own), "END OF TERMS")
	flat := strings.Join(strings.Fields(text), " ")
	for from, want := range map[string]string{
		flat:                              "R",
		"MIT\n" + strings.TrimSpace(text): "MIT\nR",
		flat + " END OF TERMS AND CONDITIONS and more":                                            "R and more",
		strings.NewReplacer(" (a) ", " ", " (b) ", " ", " (c) ", " ", " (d) ", " ").Replace(flat): "R",
		strings.Replace(flat, "2.0", "2.1", 1):                                                    strings.Replace(flat, "2.0", "2.1", 1),
	} {
		if got := terms.ReplaceAllLiteralString(from, "R"); strings.TrimSpace(got) != want {
			t.Errorf("%.40q...: %.80q", from, got)
		}
	}
}

// A program shows exactly the version and the commit that the go command recorded.
func TestVersionOfBuilds(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the whole program")
	}
	source := clone(t, "versions")
	commit, err := command(t.Context(), source, nil, "git", "rev-parse", "--short=12", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	end := ", " + runtime.Version() + ", " + host.String() + "\n"
	for _, c := range []struct{ flag, change, begin string }{
		{"-buildvcs=true", "", testTag + ", commit " + strings.TrimSpace(string(commit)) + " of "},
		{"-buildvcs=false", "", "(devel), go"},
		{"-buildvcs=true", "package locus\n", testTag + "+dirty, commit " + strings.TrimSpace(string(commit)) + " of "},
	} {
		if c.change != "" {
			writeFiles(t, source, map[string]string{"new.go": c.change})
		}
		program := filepath.Join(t.TempDir(), host.name())
		if _, err := command(t.Context(), source, buildEnv(host), "go", "build", c.flag, "-ldflags=-s -w", "-o", program, "./cmd/locus"); err != nil {
			t.Fatal(err)
		}
		for _, arg := range []string{"version", "--version"} {
			out, err := command(t.Context(), source, nil, program, arg)
			text := strings.TrimPrefix(string(out), "locus version ")
			if err != nil || !strings.HasPrefix(text, c.begin) || !strings.HasSuffix(text, end) || strings.Contains(text, "with changes") != (c.change != "") {
				t.Errorf("%s, %s: %q, %v, want %q...%q", c.flag, arg, out, err, c.begin, end)
			}
		}
	}
}
