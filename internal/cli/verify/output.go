package verify

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/verify"
)

// reporter writes results in one format.
type reporter interface {
	result(*verify.Result)
	end()
}

// output is where a report goes.
type output struct {
	w      *bufio.Writer
	tty    bool
	colors term.Colors
	all    bool // it shows good links, too
	report reporter
	file   *replacement // nil: standard output
}

func (v *verifier) openStandard(f format) {
	a := v.a
	o := &output{w: a.Out, tty: a.OutTTY, colors: term.NewColors(a.OutTTY, a.Getenv), all: f.all || v.tell.all}
	o.report = f.open(v, o)
	v.tell.outputs = append(v.tell.outputs, o)
}

func (v *verifier) openFile(f format, name string) error {
	file, err := newReplacement(name)
	if err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	o := &output{w: bufio.NewWriter(file), all: f.all || v.tell.all, file: file}
	v.tell.outputs = append(v.tell.outputs, o)
	for _, other := range v.tell.outputs[:len(v.tell.outputs)-1] {
		if other.file != nil && file.target != "" && isSamePath(other.file.target, file.target) {
			return fmt.Errorf("--output: two reports for the file %s", filepath.Clean(name))
		}
	}
	o.report = f.open(v, o)
	return nil
}

// isOutput reports whether a file is that of a report, which lists the links of an earlier run.
func (v *verifier) isOutput(path string) bool {
	return slices.ContainsFunc(v.tell.outputs, func(o *output) bool {
		return o.file != nil && o.file.target != "" && (isSamePath(o.file.target, path) || isSamePath(o.file.Name(), path))
	})
}

func isSamePath(a, b string) bool {
	one, errOne := filepath.Abs(a)
	two, errTwo := filepath.Abs(b)
	return errOne == nil && errTwo == nil && one == two
}

// endOutputs completes the reports, and puts their files in place.
func (v *verifier) endOutputs() {
	for _, o := range v.tell.outputs {
		o.report.end()
		if o.file == nil {
			continue
		}
		err := o.w.Flush()
		if err == nil {
			err = o.file.commit()
		}
		if err != nil {
			v.a.Fail(base.StatusAccess, fmt.Errorf("--output: %w", err))
		}
		o.file.discard()
	}
	v.tell.outputs = nil
}

// discardOutputs removes the temporary files of a run that did not begin.
func (v *verifier) discardOutputs() {
	for _, o := range v.tell.outputs {
		if o.file != nil {
			o.file.discard()
		}
	}
	v.tell.outputs = nil
}

// replacement is a temporary file that takes the place of another in one step. Something
// else than a regular file, such as a pipe, is written to directly.
type replacement struct {
	*os.File
	target string // empty: File is the target
}

// newReplacement creates a replacement of a file, which need not exist. A symbolic link is
// followed.
func newReplacement(name string) (*replacement, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s is a folder", name)
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		return &replacement{File: f}, nil
	case err == nil:
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return nil, err
		}
	}
	// The system's mask applies to a new file. One that exists keeps its mode, and may be
	// private.
	mode := fs.FileMode(0o666)
	if info != nil {
		mode = 0o600
	}
	temporary := filepath.Join(filepath.Dir(name), "."+rand.Text()+".tmp")
	f, err := os.OpenFile(temporary, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: name, Err: errors.Unwrap(err)}
	}
	r := &replacement{f, name}
	if info != nil {
		if err := f.Chmod(info.Mode().Perm()); err != nil {
			r.discard()
			return nil, err
		}
	}
	return r, nil
}

// commit puts the file in place.
func (r *replacement) commit() error {
	if err := r.Close(); err != nil || r.target == "" {
		return err
	}
	return os.Rename(r.Name(), r.target)
}

// discard removes the temporary file, unless it is in place.
func (r *replacement) discard() {
	// After commit both fail, which is right.
	_ = r.Close()
	if r.target != "" {
		_ = os.Remove(r.Name())
	}
}
