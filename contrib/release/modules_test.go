package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// proxied is the GOPROXY that all tests share.
var proxied struct {
	once   sync.Once
	source string // the clone from which the modules are created
	dir    string
	tags   string // the commands that releaseModules prints
	err    error
}

// proxy returns a directory with the modules at testTag, and the clone from which they were
// created.
func proxy(t *testing.T) (dir, source string) {
	t.Helper()
	proxied.once.Do(func() {
		proxied.source, proxied.dir = clone(t, "modules"), filepath.Join(temporary, "proxy")
		var out bytes.Buffer
		proxied.err = run(context.Background(), &out, []string{"--source", proxied.source, "--out", proxied.dir, "modules", testTag})
		proxied.tags = out.String()
	})
	if proxied.err != nil {
		t.Fatal(proxied.err)
	}
	return proxied.dir, proxied.source
}

// fileURL returns the file URL of a directory, as a value for GOPROXY.
func fileURL(dir string) string { return "file://" + filepath.ToSlash(dir) }

// moduleCache returns the module cache of this machine as a GOPROXY value.
func moduleCache(t *testing.T) string {
	t.Helper()
	dir, err := command(t.Context(), ".", nil, "go", "env", "GOMODCACHE")
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(dir)), "cache", "download")
}

// ambientProxy returns the GOPROXY value of this machine.
func ambientProxy(t *testing.T) string {
	t.Helper()
	list, err := command(t.Context(), ".", nil, "go", "env", "GOPROXY")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(list))
}

// Each nested module requires the root module at the same version and contains no replace line.
// The zip file of the root module contains no files of a nested module.
func TestModuleZips(t *testing.T) {
	dir, _ := proxy(t)
	for _, folder := range append([]string{""}, nestedModules...) {
		v := module.Version{Path: rootModule, Version: testTag}
		if folder != "" {
			v.Path += "/" + folder
		}
		base := filepath.Join(dir, filepath.FromSlash(v.Path), "@v", testTag)
		if _, err := modzip.CheckZip(v, base+".zip"); err != nil {
			t.Error(err)
		}
		r, err := zip.OpenReader(base + ".zip")
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		files := map[string]*zip.File{}
		for _, f := range r.File {
			name := strings.TrimPrefix(f.Name, v.String()+"/")
			files[name] = f
			if name != "go.mod" && strings.HasSuffix(name, "/go.mod") && !strings.Contains(name, "testdata/") {
				t.Errorf("%s has %s", v, name)
			}
		}
		for _, name := range []string{"go.mod", "go.sum", "LICENSE"} {
			if files[name] == nil {
				t.Errorf("%s has no %s", v, name)
			}
		}
		mod, err := os.ReadFile(base + ".mod")
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(mod, []byte("replace")) || folder != "" && !bytes.Contains(mod, []byte(rootModule+" "+testTag+"\n")) {
			t.Errorf("%s:\n%s", v, mod)
		}
	}
}

// From the tags that the command prints, the go command creates the same modules.
func TestModuleTags(t *testing.T) {
	dir, source := proxy(t)
	lines := strings.Split(strings.TrimSpace(proxied.tags), "\n")
	if len(lines) != 3 {
		t.Fatalf("%q", proxied.tags)
	}
	// The tags of the root module and of this repository are the same.
	published := filepath.Join(temporary, "published")
	if _, err := command(t.Context(), ".", nil, "git", "clone", "--quiet", "--bare", source, published); err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		words := strings.Fields(line)
		tag, commit := words[len(words)-2], words[len(words)-1]
		if strings.Join(words, " ") != "git tag -s -m "+tag+" "+tag+" "+commit {
			t.Errorf("%q", line)
		}
		if _, err := command(t.Context(), source, nil, "git", "push", "--quiet", "--force", published, commit+":refs/tags/"+tag); err != nil {
			t.Fatal(err)
		}
	}
	env := append(buildEnv(host), "GOPROXY=direct", "GOSUMDB=off", "GOVCS=*:git", "GOMODCACHE="+filepath.Join(temporary, "direct"),
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url."+fileURL(published)+".insteadOf", "GIT_CONFIG_VALUE_0=https://"+rootModule)
	for _, folder := range append([]string{""}, nestedModules...) {
		path := strings.TrimSuffix(rootModule+"/"+folder, "/")
		out, err := command(t.Context(), temporary, env, "go", "mod", "download", "-json", path+"@"+testTag)
		if err != nil {
			t.Fatal(err)
		}
		var m struct{ Sum, Zip string }
		if err := json.Unmarshal(out, &m); err != nil {
			t.Fatal(err)
		}
		octets, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path), "@v", testTag+".zip"))
		if err != nil {
			t.Fatal(err)
		}
		if sum, err := sumOf(octets); err != nil || sum != m.Sum {
			t.Errorf("%s: the sum of the zip is %s, %v; the go command has %s", path, sum, err, m.Sum)
		}
	}
}

// The files go.mod and go.sum of a nested module are the same as "go mod tidy" writes. The test
// configures only the location of the modules for the go command.
func TestModulesTidy(t *testing.T) {
	if testing.Short() {
		t.Skip("it may need the network")
	}
	dir, _ := proxy(t)
	env := append(buildEnv(host), "GOFLAGS=", "GOPROXY="+fileURL(dir)+","+fileURL(moduleCache(t))+","+ambientProxy(t),
		"GONOSUMDB="+rootModule, "GOMODCACHE="+filepath.Join(temporary, "tidy"))
	for _, folder := range nestedModules {
		v := module.Version{Path: rootModule + "/" + folder, Version: testTag}
		to := filepath.Join(temporary, "unpacked", folder)
		if err := modzip.Unzip(to, v, filepath.Join(dir, filepath.FromSlash(v.Path), "@v", testTag+".zip")); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"list", "./..."}, {"mod", "tidy", "-diff"}} {
			if _, err := command(t.Context(), to, env, "go", args...); err != nil {
				t.Errorf("%s: %v", folder, err)
			}
		}
	}
}

// From the same commit, the command always creates the same modules and the same commit for the
// nested modules.
func TestModulesReproducible(t *testing.T) {
	one, _ := proxy(t)
	two := filepath.Join(temporary, "proxy of another clone")
	t.Setenv("TZ", "Pacific/Chatham")
	t.Setenv("GIT_AUTHOR_NAME", "another")
	var out bytes.Buffer
	if err := run(t.Context(), &out, []string{"--source", clone(t, "another clone"), "--out", two, "modules", testTag}); err != nil {
		t.Fatal(err)
	}
	if out.String() != proxied.tags {
		t.Errorf("%s\nwant\n%s", &out, proxied.tags)
	}
	a, err := readFolder(os.DirFS(one))
	if err != nil {
		t.Fatal(err)
	}
	b, err := readFolder(os.DirFS(two))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(a, b, func(x, y file) bool { return x.name == y.name && bytes.Equal(x.octets, y.octets) }) || len(a) != 12 {
		t.Errorf("%d and %d files differ", len(a), len(b))
	}
}

// The command rejects invalid versions, uncommitted changes, and a replace line for any module
// except the root module.
func TestModulesRefusals(t *testing.T) {
	source := clone(t, "modules refused")
	out := filepath.Join(t.TempDir(), "out")
	refused := func(why string, args ...string) {
		t.Helper()
		err := run(t.Context(), io.Discard, append([]string{"--source", source, "--out", out}, args...))
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v", args, err)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%q: something was written", args)
		}
	}
	for _, version := range []string{"0.3.0", "v0.3", "v2.0.0", "v0.3.0+x", "latest"} {
		refused("invalid version", "modules", version)
	}
	refused("unknown command", "modules")
	name := filepath.Join(source, "fleet", "go.mod")
	mod, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, append(mod, "\nreplace example.test/x => ../x\n"...), 0o666); err != nil {
		t.Fatal(err)
	}
	refused("has changes", "modules", "v0.3.0")
	if _, err := command(t.Context(), source, nil, "git", "-c", "user.name=x", "-c", "user.email=x@example.test", "commit", "-qam", "x"); err != nil {
		t.Fatal(err)
	}
	refused("fleet/go.mod replaces example.test/x", "modules", "v0.3.0")
}

// The lines of go.sum are ordered by path and version.
func TestAddSums(t *testing.T) {
	const have = "example.test/a v1.10.0 h1:c=\nexample.test/a v1.10.0/go.mod h1:d=\nexample.test/c v1.0.0/go.mod h1:e=\n"
	got, err := addSums([]byte(have), map[module.Version]string{{Path: "example.test/a", Version: "v1.9.0"}: "h1:a=", {Path: "example.test/a", Version: "v1.9.0/go.mod"}: "h1:b="})
	if want := "example.test/a v1.9.0 h1:a=\nexample.test/a v1.9.0/go.mod h1:b=\n" + have; err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	if _, err := addSums([]byte("one two\n"), map[module.Version]string{}); err == nil {
		t.Error("a damaged go.sum is accepted")
	}
}

// versionLine matches the line that a program at testTag prints, without a commit.
func versionLine(program string) *regexp.Regexp {
	return regexp.MustCompile(`^` + program + ` version ` + regexp.QuoteMeta(testTag) + `, go\d[^,]*, [a-z0-9]+/[a-z0-9]+\n$`)
}
