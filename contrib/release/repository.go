package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// repository is a Git repository whose current commit is released.
type repository struct {
	dir  string
	tag  string    // such as "v0.2.0"; empty for a snapshot
	time time.Time // commit time, used for every file in the release
}

// newRepository returns the repository in the directory o.source. It returns an error if there are
// uncommitted changes, unless o.snapshot is true.
func newRepository(ctx context.Context, o options) (*repository, error) {
	r := &repository{dir: o.source}
	seconds, err := r.git(ctx, "log", "-1", "--format=%ct")
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("git log: time %q is not a number", seconds)
	}
	r.time = time.Unix(n, 0).UTC()
	if o.snapshot {
		return r, nil
	}
	changes, err := r.git(ctx, "status", "--porcelain")
	if err != nil {
		return nil, err
	}
	if changes != "" {
		return nil, fmt.Errorf("the repository has changes; commit them, or build them with --snapshot:\n%s", changes)
	}
	return r, nil
}

// findTag sets the tag of the current commit. It returns an error if the commit has no tag, which
// only a snapshot permits.
func (r *repository) findTag(ctx context.Context) (err error) {
	if r.tag, err = r.git(ctx, "describe", "--tags", "--exact-match", "--match", "v[0-9]*.[0-9]*.[0-9]*"); err != nil {
		return errors.New("the commit has no tag such as v0.2.0; set one, or build it with --snapshot")
	}
	return nil
}

// git runs the command git, and returns its output without final newlines.
func (r *repository) git(ctx context.Context, args ...string) (string, error) {
	out, err := command(ctx, r.dir, nil, "git", args...)
	return strings.TrimRight(string(out), "\n"), err
}

func (r *repository) read(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(name)))
}

// command runs a program in a directory and returns its output. Its errors contain the text that
// the program wrote to standard error. If env is nil, the program inherits the environment.
func command(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, env
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	if err != nil {
		text := strings.TrimSpace(errOut.String())
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, text)
	}
	return out, nil
}
