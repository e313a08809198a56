package walk

import (
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
)

// level holds the rules in one directory for the files below it.
type level struct {
	above   *level
	base    string // the directory's absolute path, with "/"
	ignore  rules  // from .ignore
	git     rules  // from .gitignore
	exclude rules  // from .git/info/exclude
	global  rules  // from the rules file of the user
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
	var inRepository string // the path below the repository root
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

// level returns the rules in a directory, and adds failures to errs. The function has must report
// whether the directory contains an entry with a given name.
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

// globalRules reads the user's own file, once.
func (w *walker) globalRules(errs *[]error) rules {
	if !w.global.read && w.o.Global != "" {
		w.global.rules = readOr(w.o.Global, errs)
	}
	w.global.read = true
	return w.global.rules
}

// readOr reads rules, and adds a failure to errs. A missing file is not a failure.
func readOr(name string, errs *[]error) rules {
	r, err := readRules(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !notFolder(name) {
		*errs = append(*errs, err)
	}
	return r
}

// notFolder reports whether name is .git/info/exclude and .git is a file, as in a
// submodule or an added work tree.
func notFolder(name string) bool {
	git, ok := strings.CutSuffix(filepath.ToSlash(name), "/info/exclude")
	if !ok {
		return false
	}
	info, err := os.Lstat(filepath.FromSlash(git))
	return err == nil && !info.IsDir()
}

// levelsAbove returns the rules of the directories above abs.
func (w *walker) levelsAbove(abs string, errs *[]error) (l *level) {
	for here := range w.levels(abs, errs) {
		l = here
	}
	return l
}

// levels yields the rules of each directory above abs, and the offset at which the directory's
// path ends in abs.
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
