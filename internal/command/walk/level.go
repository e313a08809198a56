package walk

import (
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
)

// level holds the ignore rules in one directory, which apply to the files below that directory.
type level struct {
	above   *level
	base    string // the directory's absolute path, with "/"
	ignore  rules  // rules from .ignore
	git     rules  // rules from .gitignore
	exclude rules  // rules from .git/info/exclude
	global  rules  // rules from the user's own ignore file
	top     bool   // the directory is a repository root
}

// verdict applies the rules to an entry in a directory. The rules of the nearest directory take
// precedence. The rules of Git apply only inside the repository.
func (l *level) verdict(folder, name string, isDir bool) verdict {
	if l == nil {
		return undecided
	}
	path := folder + "/" + name
	var byIgnore, byGit, byExclude verdict
	repository := false
	var global rules
	var inRepository string // path relative to the repository root
	for ; l != nil; l = l.above {
		below := path[len(l.base)+1:]
		if byIgnore == undecided {
			byIgnore = l.ignore.verdict(below, isDir)
		}
		if !repository {
			if byGit == undecided {
				byGit = l.git.verdict(below, isDir)
			}
			if byExclude == undecided {
				byExclude = l.exclude.verdict(below, isDir)
			}
		}
		if l.top && !repository {
			repository, global, inRepository = true, l.global, below
		}
	}
	switch {
	case byIgnore != undecided:
		return byIgnore
	case !repository:
		return undecided
	case byGit != undecided:
		return byGit
	case byExclude != undecided:
		return byExclude
	}
	return global.verdict(inRepository, isDir)
}

// level returns the ignore rules in a directory, and adds failures to errs. The parameter has is a
// function that reports whether the directory contains an entry with a given name.
func (w *walker) level(above *level, path, abs string, has func(name string) bool, errs *[]error) *level {
	l := &level{above: above, base: abs}
	if has(".git") {
		l.top = true
		l.exclude = readOr(filepath.Join(path, ".git", "info", "exclude"), errs)
		l.global = w.globalRules(errs)
	}
	if has(".gitignore") {
		l.git = readOr(filepath.Join(path, ".gitignore"), errs)
	}
	if has(".ignore") {
		l.ignore = readOr(filepath.Join(path, ".ignore"), errs)
	}
	if l.ignore == nil && l.git == nil && !l.top {
		return above
	}
	return l
}

// globalRules returns the rules in the user's own ignore file, which it reads only once.
func (w *walker) globalRules(errs *[]error) rules {
	if !w.global.read && w.o.Global != "" {
		w.global.rules = readOr(w.o.Global, errs)
	}
	w.global.read = true
	return w.global.rules
}

// readOr reads an ignore file, and adds a failure to errs. A missing file is not a failure.
func readOr(name string, errs *[]error) rules {
	r, err := readRules(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !notFolder(name) {
		*errs = append(*errs, err)
	}
	return r
}

// notFolder reports whether the name is .git/info/exclude and .git is a file instead of a
// directory, as in a submodule or an additional work tree.
func notFolder(name string) bool {
	git, ok := strings.CutSuffix(filepath.ToSlash(name), "/info/exclude")
	if !ok {
		return false
	}
	info, err := os.Lstat(filepath.FromSlash(git))
	return err == nil && !info.IsDir()
}

// levelsAbove returns the ignore rules in the parent directories of the path abs.
func (w *walker) levelsAbove(abs string, errs *[]error) (l *level) {
	for here := range w.levels(abs, errs) {
		l = here
	}
	return l
}

// levels yields the ignore rules in each parent directory of the path abs. With the rules, it
// yields the offset in abs at which the path of the parent directory ends.
func (w *walker) levels(abs string, errs *[]error) iter.Seq2[*level, int] {
	return func(yield func(*level, int) bool) {
		var l *level
		for i := range len(abs) {
			if abs[i] != '/' {
				continue
			}
			path := filepath.FromSlash(abs[:i])
			if path == "" || strings.HasSuffix(path, ":") {
				path += string(filepath.Separator)
			}
			l = w.level(l, path, abs[:i], func(name string) bool {
				_, err := os.Lstat(filepath.Join(path, name))
				return err == nil
			}, errs)
			if !yield(l, i) {
				return
			}
		}
	}
}
