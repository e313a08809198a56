package verify

import (
	"bufio"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/internal/wholefile"
	"github.com/locus-url/locus/verify"
)

// reporter writes results in one format.
type reporter interface {
	result(*verify.Result)
	end()
}

type output struct {
	w      *bufio.Writer
	tty    bool
	colors term.Colors
	all    bool // whether the report also lists good links
	report reporter
	file   *wholefile.Replacement // file to write; nil for standard output
}

func (v *verifier) openStandard(f format) {
	a := v.a
	o := &output{w: a.Out, tty: a.OutTTY, colors: term.NewColors(a.OutTTY, a.Getenv), all: f.all || v.tell.all}
	o.report = f.open(v, o)
	v.tell.outputs = append(v.tell.outputs, o)
}

func (v *verifier) openFile(f format, name string) error {
	file, err := wholefile.NewReplacement(name)
	if err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	o := &output{w: bufio.NewWriter(file), all: f.all || v.tell.all, file: file}
	v.tell.outputs = append(v.tell.outputs, o)
	for _, other := range v.tell.outputs[:len(v.tell.outputs)-1] {
		if other.file != nil && file.Target != "" && isSamePath(other.file.Target, file.Target) {
			return fmt.Errorf("--output: file %s is named twice", filepath.Clean(name))
		}
	}
	o.report = f.open(v, o)
	return nil
}

// isOutput reports whether this run writes a report to the file path. The file may still contain
// the report of an earlier run.
func (v *verifier) isOutput(path string) bool {
	return slices.ContainsFunc(v.tell.outputs, func(o *output) bool {
		return o.file != nil && o.file.Target != "" && (isSamePath(o.file.Target, path) || isSamePath(o.file.Name(), path))
	})
}

func isSamePath(a, b string) bool {
	one, errOne := filepath.Abs(a)
	two, errTwo := filepath.Abs(b)
	return errOne == nil && errTwo == nil && one == two
}

// endOutputs completes the reports and renames their files.
func (v *verifier) endOutputs() {
	for _, o := range v.tell.outputs {
		o.report.end()
		if o.file == nil {
			continue
		}
		err := o.w.Flush()
		if err == nil {
			err = o.file.Commit()
		}
		if err != nil {
			v.a.Fail(base.StatusAccess, fmt.Errorf("--output: %w", err))
		}
		o.file.Discard()
	}
	v.tell.outputs = nil
}

// discardOutputs removes the temporary files of a run that did not start.
func (v *verifier) discardOutputs() {
	for _, o := range v.tell.outputs {
		if o.file != nil {
			o.file.Discard()
		}
	}
	v.tell.outputs = nil
}
