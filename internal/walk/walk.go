// Package walk lists the files below directories, except those that git and ripgrep
// ignore: hidden files, and files ignored by .gitignore (gitignore(5)), .ignore or
// .git/info/exclude.
//
// .ignore has the syntax of .gitignore and needs no repository. In order of precedence
// the rules are those of .ignore, .gitignore, .git/info/exclude and the user's own file.
// Of one kind, the rules of the nearest directory take precedence. Directories above the
// listed ones count too, up to the top of the repository. A file that matches a rule
// with "!" is listed even if it is hidden, but not if its directory is ignored.
//
// Only regular files are listed, and symbolic links are not followed.
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
	"sync"
	"sync/atomic"
)

// Options say what to list. The zero Options, and nil, list what ripgrep does.
type Options struct {
	// NoIgnore: don't read files with rules.
	NoIgnore bool
	// Hidden: also list files and directories whose names begin with ".".
	Hidden bool
	// Global is the name of the user's own file with rules for repositories, as
	// [GlobalIgnore] returns it. Empty: none.
	Global string
}

// File is a file that was found.
type File struct {
	// Path begins with the root, unless that is ".".
	Path string
	// Named: the file is itself a root, so no rule applies.
	Named bool
}

// Files lists the files below roots, which are directories or files: root by root, and
// sorted by name in each directory. Several goroutines read directories in advance; they
// end with the iteration.
//
// A file or directory that can't be read yields an [*fs.PathError], and the iteration
// continues. When ctx ends, its error is the last.
func Files(ctx context.Context, roots []string, o *Options) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		w := &walker{yield: yield, queue: make(chan *folder, queued)}
		if o != nil {
			w.o = *o
		}
		ctx, cancel := context.WithCancel(ctx)
		var readers sync.WaitGroup
		for range readAhead {
			readers.Go(func() { w.ahead(ctx) })
		}
		defer readers.Wait()
		defer cancel()
		for _, root := range roots {
			if !w.root(ctx, root) {
				return
			}
		}
	}
}

const (
	// readAhead is the number of goroutines that read directories in advance.
	readAhead = 4
	// queued is the most directories that wait to be read in advance.
	queued = 256
	// maxHeld is the most entries that are held in advance.
	maxHeld = 1 << 16
)

type walker struct {
	o      Options
	yield  func(File, error) bool
	queue  chan *folder
	held   atomic.Int64 // entries that were read in advance
	global struct {
		once  sync.Once
		rules *rules
	}
}

// folder is a directory and, after read, its entries.
type folder struct {
	path  string // begins with the root
	abs   string // the absolute path with "/", for the rules
	above *level // the rules of the directories above

	once    sync.Once
	entries []entry
	errs    []error
}

// entry is a file or directory to list.
type entry struct {
	name string
	dir  *folder // nil for a file
}

// root lists a root, and reports whether to continue.
func (w *walker) root(ctx context.Context, root string) bool {
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
	d := &folder{path: root, abs: strings.TrimSuffix(filepath.ToSlash(abs), "/")}
	if !w.o.NoIgnore {
		d.above = w.levelsAbove(d.abs, &d.errs)
	}
	return w.list(ctx, d)
}

// list lists a directory, and reports whether to continue.
func (w *walker) list(ctx context.Context, d *folder) bool {
	if err := ctx.Err(); err != nil {
		w.yield(File{}, err)
		return false
	}
	w.read(d)
	w.held.Add(-int64(len(d.entries)))
	for _, err := range d.errs {
		if !w.yield(File{}, err) {
			return false
		}
	}
	for i := range d.entries {
		e := &d.entries[i]
		if e.dir == nil {
			if !w.yield(File{Path: join(d.path, e.name)}, nil) {
				return false
			}
			continue
		}
		if !w.list(ctx, e.dir) {
			return false
		}
		e.dir = nil
	}
	return true
}

// join returns the path of name in a directory, without a leading "./".
func join(folder, name string) string {
	if folder == "." {
		return name
	}
	return filepath.Join(folder, name)
}

// ahead reads queued directories in advance.
func (w *walker) ahead(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case d := <-w.queue:
			if w.held.Load() < maxHeld {
				w.read(d)
			}
		}
	}
}

// read reads a directory, once, and queues the directories in it.
func (w *walker) read(d *folder) {
	d.once.Do(func() {
		w.readFolder(d)
		w.held.Add(int64(len(d.entries)))
		for _, e := range d.entries {
			if e.dir == nil {
				continue
			}
			select {
			case w.queue <- e.dir:
			default:
				// list reads it.
			}
		}
	})
}

func (w *walker) readFolder(d *folder) {
	list, err := os.ReadDir(d.path) // sorted by name
	if err != nil {
		d.errs = append(d.errs, err)
	}
	here := d.above
	if !w.o.NoIgnore {
		here = w.level(d.above, d.path, d.abs, func(name string) bool {
			_, found := slices.BinarySearchFunc(list, name, func(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) })
			return found
		}, &d.errs)
	}
	d.entries = make([]entry, 0, len(list))
	for _, e := range list {
		name, isDir := e.Name(), e.IsDir()
		if !isDir && !e.Type().IsRegular() {
			continue
		}
		switch here.verdict(d.abs, name, isDir) {
		case ignored:
			continue
		case undecided:
			if !w.o.Hidden && name[0] == '.' {
				continue
			}
		}
		var sub *folder
		if isDir {
			sub = &folder{path: join(d.path, name), abs: d.abs + "/" + name, above: here}
		}
		d.entries = append(d.entries, entry{name, sub})
	}
}

// readRules reads a file with rules.
func readRules(name string) (*rules, error) {
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

// maxRules is the most bytes of a file with rules.
const maxRules = 1 << 20
