// Package walk lists the files below directories, except the files that git and ripgrep ignore.
// These are hidden files, and files that match a rule in .gitignore (gitignore(5)), .ignore or
// .git/info/exclude.
//
// A file .ignore has the syntax of .gitignore, and also applies outside a repository. The ignore
// files take precedence in this order: .ignore, .gitignore, .git/info/exclude and the user's own
// ignore file. Among files of the same name, the file in the nearest directory takes precedence.
// Ignore files in parent directories also apply, up to the repository root. A file that matches a
// rule with "!" is listed even if it is hidden, but not if its directory is ignored. A directory
// named node_modules is ignored even if no rule matches, unless the directory is a root.
//
// The package lists only regular files and does not follow symbolic links.
package walk

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Options selects the files to list. A nil pointer and the zero value select the same files as
// ripgrep.
type Options struct {
	// NoIgnore makes [Files] list files that the rules ignore. Files then reads no ignore
	// files, and does not skip node_modules.
	NoIgnore bool
	// Hidden makes [Files] also list files and directories whose names begin with ".".
	Hidden bool
	// Global is the name of the user's own ignore file for repositories, which [GlobalIgnore]
	// returns. If Global is empty, there is no such file.
	Global string
}

// File is a file that [Files] lists.
type File struct {
	// Path is the path of the file. It begins with the path of the root, unless the root is
	// ".".
	Path string
	// Named reports whether the file is itself a root, so that no ignore rule applies.
	Named bool
}

// Files lists the files below the directories in roots, and the files in roots. It lists
// one root after another. In each directory, it sorts the files by name.
//
// A file or directory that can't be read yields an [*fs.PathError], and the iteration continues.
// If ctx is cancelled, Files yields its error and stops.
func Files(ctx context.Context, roots []string, o *Options) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		w := &walker{ctx: ctx, yield: yield}
		if o != nil {
			w.o = *o
		}
		for _, root := range roots {
			if !w.root(root) {
				return
			}
		}
	}
}

// Ignored reports whether a rule ignores a path, which need not exist. It skips ignore files that
// it can't read.
func Ignored(path string, o *Options) bool {
	abs, err := filepath.Abs(path)
	if err != nil || o.NoIgnore {
		return false
	}
	abs = filepath.ToSlash(abs)
	w := &walker{o: *o}
	for l, end := range w.levels(abs, new([]error)) {
		name, _, isDir := strings.Cut(abs[end+1:], "/")
		if l.verdict(abs[:end], name, true) == ignored || !isDir && l.verdict(abs[:end], name, false) == ignored {
			return true
		}
	}
	return false
}

type walker struct {
	ctx    context.Context
	o      Options
	yield  func(File, error) bool
	global struct {
		read  bool
		rules rules
	}
}

func (w *walker) root(root string) bool {
	info, err := os.Stat(root)
	switch {
	case err != nil:
		return w.yield(File{}, err)
	case !info.IsDir():
		return w.yield(File{Path: root, Named: true}, nil)
	}
	abs, err := filepath.Abs(root)
	if err != nil {
		return w.yield(File{}, &fs.PathError{Op: "abs", Path: root, Err: err})
	}
	abs = strings.TrimSuffix(filepath.ToSlash(abs), "/")
	var above *level
	var errs []error
	if !w.o.NoIgnore {
		above = w.levelsAbove(abs, &errs)
	}
	return w.fail(errs) && w.list(root, abs, above)
}

func (w *walker) fail(errs []error) (ok bool) {
	for _, err := range errs {
		if !w.yield(File{}, err) {
			return false
		}
	}
	return true
}

// list lists a directory, and reports whether to continue. The parameter above holds the rules of
// the parent directories. The parameter abs is the absolute path of the directory, with "/" as the
// separator.
func (w *walker) list(path, abs string, above *level) bool {
	if err := w.ctx.Err(); err != nil {
		w.yield(File{}, err)
		return false
	}
	var errs []error
	list, err := os.ReadDir(path) // sorted by name
	if err != nil {
		errs = append(errs, err)
	}
	here := above
	if !w.o.NoIgnore {
		here = w.level(above, path, abs, func(name string) bool {
			_, found := slices.BinarySearchFunc(list, name, func(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) })
			return found
		}, &errs)
	}
	if !w.fail(errs) {
		return false
	}
	for _, e := range list {
		name, isDir := e.Name(), e.IsDir()
		if !isDir && !e.Type().IsRegular() {
			continue
		}
		verdict := here.verdict(abs, name, isDir)
		if verdict == ignored || verdict == undecided && (!w.o.Hidden && name[0] == '.' || !w.o.NoIgnore && isDir && name == packages) {
			continue
		}
		ok := false
		if isDir {
			ok = w.list(filepath.Join(path, name), abs+"/"+name, here)
		} else {
			ok = w.yield(File{Path: filepath.Join(path, name)}, nil)
		}
		if !ok {
			return false
		}
	}
	return true
}

// packages is the name of the directories that JavaScript package managers create.
const packages = "node_modules"

// readRules reads an ignore file.
func readRules(name string) (rules, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, nil
	case info.Size() > maxRules:
		return nil, &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("%d bytes of rules, the limit is %d", info.Size(), int64(maxRules))}
	}
	text, err := io.ReadAll(io.LimitReader(f, maxRules))
	if err != nil {
		return nil, err
	}
	return parseRules(string(text)), nil
}

// maxRules is the maximum size of an ignore file, in bytes.
const maxRules = 1 << 20
