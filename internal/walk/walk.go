// Package walk lists the files of folders, and leaves out those that git and ripgrep
// leave out: hidden ones, and what the rules of .gitignore (gitignore(5)), .ignore and
// .git/info/exclude say.
//
// The rules of .ignore, which has the same form and needs no repository, come before
// those of .gitignore, these before .git/info/exclude, and that before the person's
// own file. Of one kind the nearest folder's come first, and folders above those that
// are listed have a say too, up to that of the repository. What a rule with "!" wants
// is listed though it is hidden; in a folder that is left out nothing is.
//
// Links are not followed, and only regular files are listed.
package walk

import (
	"context"
	"fmt"
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
	// NoIgnore: files of rules are not read.
	NoIgnore bool
	// Hidden: files and folders whose names begin with "." are not left out for that.
	Hidden bool
	// Global is the person's own file of rules, which counts in a repository; empty:
	// none. [GlobalIgnore] finds it.
	Global string
}

// File is a file that was found.
type File struct {
	// Path leads to it: the root that it is below, and the way from there.
	Path string
	// Named: it is one of the roots itself, and so no rule was asked.
	Named bool
}

// Files lists the files below roots, each of which is a folder or a file: root by root
// and sorted by name in each folder. Folders are read in advance by several
// goroutines, which end with the iteration. The root "." is left out of paths.
//
// What can't be read is an error, an [*fs.PathError] with its path, and the rest goes
// on. When ctx ends, that is the last error.
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
	// readAhead is how many goroutines read folders in advance.
	readAhead = 4
	// queued is how many folders wait to be read, and waiting how many entries of
	// folders may be read before somebody asks for them.
	queued  = 256
	waiting = 1 << 16
)

type walker struct {
	o      Options
	yield  func(File, error) bool
	queue  chan *folder
	held   atomic.Int64 // entries that were read in advance
	global struct {
		once  sync.Once
		rules *rules
		err   error
	}
}

// folder is a folder, and what is in it once it was read.
type folder struct {
	path  string // for who opens it
	abs   string // its absolute path with "/", for the rules
	above *level // the rules of the folders above

	once    sync.Once
	entries []entry
	errs    []error
}

// entry is a file or folder that is listed.
type entry struct {
	name string
	dir  *folder // nil: a file
}

// root lists one root, and reports whether to go on.
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
		var errs []error
		d.above, errs = w.levelsAbove(d.abs)
		for _, err := range errs {
			if !w.yield(File{}, err) {
				return false
			}
		}
	}
	return w.list(ctx, d)
}

// list lists a folder, and reports whether to go on.
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

// join is the path of name in a folder. A person who names no folder sees none.
func join(folder, name string) string {
	if folder == "." {
		return name
	}
	return filepath.Join(folder, name)
}

// ahead reads folders before it is their turn.
func (w *walker) ahead(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case d := <-w.queue:
			if w.held.Load() < waiting {
				w.read(d)
			}
		}
	}
}

// read reads a folder, once.
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
				// It is read when it is its turn.
			}
		}
	})
}

func (w *walker) readFolder(d *folder) {
	list, err := os.ReadDir(d.path)
	if err != nil {
		d.errs = append(d.errs, err)
	}
	here := d.above
	if !w.o.NoIgnore {
		var errs []error
		here, errs = w.level(d.above, d.path, d.abs, list)
		d.errs = append(d.errs, errs...)
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
	// As os.ReadDir sorts; a system may say otherwise.
	slices.SortFunc(d.entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
}

// readRules reads a file of rules.
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
		return nil, &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("%d octets of rules, the limit is %d", info.Size(), int64(maxRules))}
	}
	text := make([]byte, info.Size())
	n, err := f.ReadAt(text, 0)
	if n < len(text) && err != nil {
		return nil, err
	}
	return parseRules(string(text[:n])), nil
}

// maxRules is the most octets of a file of rules.
const maxRules = 1 << 20
