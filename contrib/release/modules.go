package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// rootModule is the path of the root module. The path of a nested module is this path, "/" and
// the module's directory.
const rootModule = "github.com/locus-url/locus"

// nestedModules lists the directories of the nested modules that users install. In the repository,
// a replace line in each go.mod selects the root module from the same commit.
var nestedModules = []string{"fleet", "beam"}

// moduleRelease is a version of a module, in the form that the go command downloads.
type moduleRelease struct {
	folder         string // directory in the repository; empty for the root module
	version        module.Version
	commit         string // commit to tag
	mod            []byte // go.mod
	zip            []byte
	modSum, zipSum string // go.sum checksums for go.mod and the zip
}

// tag returns the Git tag from which the go command downloads the module m.
func (m *moduleRelease) tag() string { return path.Join(m.folder, m.version.Version) }

// releaseModules writes the modules at a version into the directory o.out, and prints the commands
// that tag the modules. Users can set GOPROXY to the URL of this directory.
//
// The tag of the root module refers to the released commit. The go command can't install a module
// with a replace line, so the tags of the nested modules refer to a second commit, which is a
// child of the released commit. In the second commit, go.mod and go.sum require the root module at
// the version. No branch contains the second commit.
func releaseModules(ctx context.Context, out io.Writer, o options, version string) error {
	// From v2 on, the path of a module would have to end in its major version.
	if semver.Canonical(version) != version || semver.Compare(version, "v2.0.0-0") >= 0 {
		return fmt.Errorf("invalid version %q: write a version such as v0.3.0", version)
	}
	r, err := newRepository(ctx, o)
	if err != nil {
		return err
	}
	list, err := r.modules(ctx, version)
	if err != nil {
		return err
	}
	if _, err := newFolder(o.out); err != nil {
		return err
	}
	for _, m := range list {
		if err := m.write(o.out, r.time); err != nil {
			return err
		}
	}
	for _, m := range list {
		fmt.Fprintf(out, "git tag -s -m %s %s %s\n", m.tag(), m.tag(), m.commit)
	}
	return nil
}

// modules returns the root module and the nested modules at a version. It adds the commit of
// the nested modules to the repository.
func (r *repository) modules(ctx context.Context, version string) ([]*moduleRelease, error) {
	head, err := r.git(ctx, "rev-parse", "HEAD")
	if err != nil {
		return nil, err
	}
	root, err := r.module(ctx, "", version, head)
	if err != nil {
		return nil, err
	}
	var changed []file
	for _, folder := range nestedModules {
		files, err := r.requireRoot(ctx, folder, root)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", folder, err)
		}
		changed = append(changed, files...)
	}
	nested, err := r.commit(ctx, head, changed, strings.Join(nestedModules, ", ")+": require "+version)
	if err != nil {
		return nil, err
	}
	list := []*moduleRelease{root}
	for _, folder := range nestedModules {
		m, err := r.module(ctx, folder, version, nested)
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// module returns the module in a directory of a commit. Its zip contains the same files as the
// zip that the go command creates for a tag.
func (r *repository) module(ctx context.Context, folder, version, commit string) (*moduleRelease, error) {
	m := &moduleRelease{folder: folder, version: module.Version{Path: path.Join(rootModule, folder), Version: version}, commit: commit}
	var b bytes.Buffer
	if err := zip.CreateFromVCS(&b, m.version, r.dir, commit, folder); err != nil {
		return nil, fmt.Errorf("%w (a worktree of git does not work: use a clone)", err)
	}
	m.zip = b.Bytes()
	var err error
	if m.mod, err = r.blob(ctx, commit, path.Join(folder, "go.mod")); err != nil {
		return nil, err
	}
	open := func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(m.mod)), nil }
	if m.modSum, err = dirhash.Hash1([]string{"go.mod"}, open); err != nil {
		return nil, err
	}
	m.zipSum, err = sumOf(m.zip)
	return m, err
}

// sumOf returns the go.sum checksum of a module zip file.
func sumOf(octets []byte) (string, error) {
	f, err := os.CreateTemp("", "locus-module-")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(octets)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return "", err
	}
	return dirhash.HashZip(f.Name(), dirhash.Hash1)
}

func (r *repository) blob(ctx context.Context, commit, name string) ([]byte, error) {
	return command(ctx, r.dir, nil, "git", "cat-file", "blob", commit+":"+name)
}

// requireRoot returns the files go.mod and go.sum of a nested module. These files require the
// released version of the root module and contain no replace line.
func (r *repository) requireRoot(ctx context.Context, folder string, root *moduleRelease) ([]file, error) {
	mod, sum := path.Join(folder, "go.mod"), path.Join(folder, "go.sum")
	octets, err := r.blob(ctx, root.commit, mod)
	if err != nil {
		return nil, err
	}
	f, err := modfile.Parse(mod, octets, nil)
	if err != nil {
		return nil, err
	}
	if err := f.DropReplace(rootModule, ""); err != nil {
		return nil, err
	}
	if err := f.AddRequire(rootModule, root.version.Version); err != nil {
		return nil, err
	}
	f.Cleanup()
	if len(f.Replace) > 0 {
		return nil, fmt.Errorf("%s replaces %s: a module that replaces another can't be installed", mod, f.Replace[0].Old.Path)
	}
	if octets, err = f.Format(); err != nil {
		return nil, err
	}
	sums, err := r.blob(ctx, root.commit, sum)
	if err != nil {
		return nil, err
	}
	sums, err = addSums(sums, map[module.Version]string{
		root.version: root.zipSum,
		{Path: rootModule, Version: root.version.Version + "/go.mod"}: root.modSum,
	})
	return []file{{name: mod, octets: octets}, {name: sum, octets: sums}}, err
}

// addSums returns a go.sum file with additional checksums, in the order that the go command uses.
func addSums(text []byte, sums map[module.Version]string) ([]byte, error) {
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) != 3 {
			return nil, fmt.Errorf("go.sum has the line %q", line)
		}
		sums[module.Version{Path: words[0], Version: words[1]}] = words[2]
	}
	var list []module.Version
	for m := range sums {
		list = append(list, m)
	}
	module.Sort(list)
	var b bytes.Buffer
	for _, m := range list {
		fmt.Fprintf(&b, "%s %s %s\n", m.Path, m.Version, sums[m])
	}
	return b.Bytes(), nil
}

// commit adds a commit with changed files to the repository, and returns its hash. The author
// and the times are constant, so the hash depends only on the parent and the files.
func (r *repository) commit(ctx context.Context, parent string, files []file, message string) (string, error) {
	work, err := os.MkdirTemp("", "locus-commit-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	env := append(os.Environ(), "GIT_INDEX_FILE="+filepath.Join(work, "index"))
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env = append(env, "GIT_"+who+"_NAME=Locus", "GIT_"+who+"_EMAIL=locus-url@users.noreply.github.com",
			fmt.Sprintf("GIT_%s_DATE=%d +0000", who, r.time.Unix()))
	}
	git := func(args ...string) (string, error) {
		out, err := command(ctx, r.dir, env, "git", args...)
		return strings.TrimSpace(string(out)), err
	}
	if _, err := git("read-tree", parent); err != nil {
		return "", err
	}
	for _, f := range files {
		name := filepath.Join(work, "file")
		if err := os.WriteFile(name, f.octets, 0o666); err != nil {
			return "", err
		}
		blob, err := git("hash-object", "-w", "--no-filters", name)
		if err != nil {
			return "", err
		}
		if _, err := git("update-index", "--cacheinfo", "100644,"+blob+","+f.name); err != nil {
			return "", err
		}
	}
	tree, err := git("write-tree")
	if err != nil {
		return "", err
	}
	return git("commit-tree", tree, "-p", parent, "-m", message)
}

// write adds the module m to a directory that serves as a GOPROXY.
func (m *moduleRelease) write(dir string, modified time.Time) error {
	escaped, err := module.EscapePath(m.version.Path)
	if err != nil {
		return err
	}
	dir = filepath.Join(dir, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, fs.ModePerm); err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{m.version.Version, modified})
	if err != nil {
		return err
	}
	for name, octets := range map[string][]byte{
		"list":                      []byte(m.version.Version + "\n"),
		m.version.Version + ".info": info,
		m.version.Version + ".mod":  m.mod,
		m.version.Version + ".zip":  m.zip,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), octets, 0o666); err != nil {
			return err
		}
	}
	return nil
}
