package verify

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
)

// changes caches the changed lines in the files of each repository.
type changes struct {
	roots map[string]string             // repository root by directory
	lines map[string]*repositoryChanges // changed lines by repository root
}

// repositoryChanges holds the changed lines in a repository, by file path. If isAll is true, every
// line has changed.
type repositoryChanges struct {
	isAll bool
	files map[string]*lineSet
}

// lineSet is a set of line ranges. If isAll is true, the set contains every line.
type lineSet struct {
	isAll  bool
	ranges [][2]int64 // first and last line of each range
}

func (l *lineSet) contains(line int64) bool {
	if l.isAll {
		return true
	}
	for _, r := range l.ranges {
		if line >= r[0] && line <= r[1] {
			return true
		}
	}
	return false
}

// changedSince returns the lines in the named file that have changed since the revision rev. If no
// line has changed, it returns nil.
func (c *changes) changedSince(ctx context.Context, name, rev string) (*lineSet, error) {
	dir, err := filepath.Abs(filepath.Dir(name))
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, err
	}
	top, err := c.topOf(ctx, dir)
	if err != nil {
		return nil, err
	}
	if c.lines[top] == nil {
		if err := c.readChanges(ctx, top, rev); err != nil {
			return nil, err
		}
	}
	if c.lines[top].isAll {
		return &lineSet{isAll: true}, nil
	}
	below, err := filepath.Rel(top, filepath.Join(dir, filepath.Base(name)))
	if err != nil {
		return nil, err
	}
	return c.lines[top].files[filepath.ToSlash(below)], nil
}

// topOf returns the top directory of the working tree that contains the directory dir.
func (c *changes) topOf(ctx context.Context, dir string) (string, error) {
	if top, ok := c.roots[dir]; ok {
		return top, nil
	}
	top, err := gitText(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return "", fmt.Errorf("--changed-since: %s is not in a Git repository: %w", locus.Quote(dir), err)
	}
	top = filepath.FromSlash(top)
	if c.roots == nil {
		c.roots, c.lines = map[string]string{}, map[string]*repositoryChanges{}
	}
	c.roots[dir] = top
	return top, nil
}

func (c *changes) readChanges(ctx context.Context, top, rev string) error {
	if rev == "" || strings.HasPrefix(rev, "-") {
		return fmt.Errorf("--changed-since: unknown revision %s", locus.Quote(rev))
	}
	commit, isNew, err := c.commitOf(ctx, top, rev)
	if err != nil {
		return fmt.Errorf("--changed-since: %w", err)
	}
	c.lines[top] = &repositoryChanges{isAll: isNew}
	if !isNew {
		c.lines[top].files, err = changedLines(ctx, top, commit)
	}
	if err != nil {
		return fmt.Errorf("--changed-since: %w", err)
	}
	return nil
}

// commitOf returns the commit with which to compare a working tree. The commit is the merge base
// of rev and HEAD, or rev if there is no merge base. In a submodule, rev stands for the commit
// that the parent repository records at rev. If the parent repository records no such commit,
// isNew is true.
func (c *changes) commitOf(ctx context.Context, top, rev string) (commit string, isNew bool, err error) {
	if above, err := c.topOf(ctx, filepath.Dir(top)); err == nil && above != top {
		if outer, outerNew, err := c.commitOf(ctx, above, rev); err == nil {
			path, err := filepath.Rel(above, top)
			if err != nil {
				return "", false, err
			}
			old := submoduleCommit(ctx, above, outer, path)
			switch {
			case outerNew, old == "" && submoduleCommit(ctx, above, "HEAD", path) != "":
				return "", true, nil
			case old != "":
				rev = old
			}
		}
	}
	commit, err = gitText(ctx, top, "rev-parse", "--verify", "--quiet", rev+"^{commit}")
	if err != nil {
		return "", false, fmt.Errorf("unknown revision %s of %s", locus.Quote(rev), locus.Quote(top))
	}
	// If there is no merge base, as in a shallow clone, commit is rev itself.
	if common, err := gitText(ctx, top, "merge-base", "HEAD", commit); err == nil {
		commit = common
	}
	return commit, false, nil
}

// submoduleCommit returns the commit of a submodule that a commit in the parent repository records.
// If the parent's commit does not contain the submodule, the result is "".
func submoduleCommit(ctx context.Context, top, commit, path string) string {
	if commit == "" {
		return ""
	}
	// If there is an error, the commit does not exist.
	entry, _ := gitText(ctx, top, "ls-tree", "-z", "--full-tree", commit, "--", filepath.ToSlash(path))
	rest, ok := strings.CutPrefix(entry, "160000 commit ")
	id, _, _ := strings.Cut(rest, "\t")
	if !ok {
		return ""
	}
	return id
}

// changedLines returns the lines in the working tree that are new since a commit. In an untracked
// file, all lines are new.
func changedLines(ctx context.Context, top, commit string) (map[string]*lineSet, error) {
	filters, err := withoutFilters(ctx, top)
	if err != nil {
		return nil, err
	}
	var changed map[string]*lineSet
	diff := append(filters, "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative", "--ignore-submodules=all",
		"--unified=0", "--inter-hunk-context=0", "--find-renames", "--src-prefix=a/", "--dst-prefix=b/", commit, "--")
	err = runGit(ctx, top, func(r io.Reader) (err error) {
		changed, err = parseDiff(r)
		return err
	}, diff...)
	if err != nil {
		return nil, err
	}
	err = runGit(ctx, top, func(r io.Reader) error { return addUntracked(changed, r) }, "ls-files", "--others", "--exclude-standard", "-z")
	return changed, err
}

// addUntracked adds the untracked files, whose NUL-terminated names it reads from r.
func addUntracked(changed map[string]*lineSet, r io.Reader) error {
	in := bufio.NewReader(r)
	for {
		name, err := in.ReadString(0)
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		changed[strings.TrimSuffix(name, "\x00")] = &lineSet{isAll: true}
	}
}

// parseDiff returns the added lines for each file in a diff without context lines. If a file was
// moved to another directory, all its lines count as new, because its relative links now point to
// other targets.
func parseDiff(r io.Reader) (map[string]*lineSet, error) {
	changed := map[string]*lineSet{}
	in := bufio.NewReaderSize(r, maxDiff)
	var current *lineSet
	from := ""
	skip := int64(0) // lines that remain in the hunk
	for {
		line, err := readLine(in)
		switch {
		case err == io.EOF:
			return changed, nil
		case err != nil:
			return nil, err
		case strings.HasPrefix(line, `\`):
			continue // the line "No newline at end of file"
		case skip > 0:
			skip--
			continue
		}
		if name, ok := strings.CutPrefix(line, "rename from "); ok {
			from = unquote(name)
		} else if name, ok := strings.CutPrefix(line, "rename to "); ok {
			if name = unquote(name); path.Dir(name) != path.Dir(from) {
				changed[name] = &lineSet{isAll: true}
			}
		} else if name, ok := strings.CutPrefix(line, "copy to "); ok {
			changed[unquote(name)] = &lineSet{isAll: true}
		} else if name, ok := strings.CutPrefix(line, "+++ "); ok {
			current = nil
			if name, ok = strings.CutPrefix(unquote(strings.TrimSuffix(name, "\t")), "b/"); ok {
				if changed[name] == nil {
					changed[name] = new(lineSet)
				}
				current = changed[name]
			}
		} else if rest, ok := strings.CutPrefix(line, "Binary files "); ok {
			if _, name, ok := strings.Cut(strings.TrimSuffix(rest, " differ"), " and "); ok {
				changed[strings.TrimPrefix(unquote(name), "b/")] = &lineSet{isAll: true}
			}
		} else if strings.HasPrefix(line, "@@ ") {
			removed, _, err := parseHunk(line, '-')
			added, first, err2 := parseHunk(line, '+')
			if err := errors.Join(err, err2); err != nil {
				return nil, err
			}
			if skip = removed + added; current != nil && added > 0 {
				current.ranges = append(current.ranges, [2]int64{first, first + added - 1})
			}
		}
	}
}

// parseHunk parses a hunk header. It returns the number of lines on one side of the hunk, and the
// number of the first line.
func parseHunk(line string, side byte) (count, firstLine int64, err error) {
	for field := range strings.FieldsSeq(line) {
		if field[0] != side {
			continue
		}
		start, size, hasSize := strings.Cut(field[1:], ",")
		if firstLine, err = strconv.ParseInt(start, 10, 32); err == nil && hasSize {
			count, err = strconv.ParseInt(size, 10, 32)
		} else {
			count = 1
		}
		if err != nil || firstLine < 0 || count < 0 {
			break
		}
		return count, firstLine, nil
	}
	return 0, 0, fmt.Errorf("git diff wrote an unexpected line: %s", locus.Quote(line))
}

// readLine returns a line without its line break. If the line is longer than the buffer, readLine
// returns only the beginning.
func readLine(r *bufio.Reader) (string, error) {
	part, err := r.ReadSlice('\n')
	line := string(part)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = r.ReadSlice('\n')
	}
	if err == io.EOF && line != "" {
		err = nil
	}
	return strings.TrimSuffix(line, "\n"), err
}

// unquote decodes a file name that git quotes like a C string.
func unquote(name string) string {
	if strings.HasPrefix(name, `"`) {
		if plain, err := strconv.Unquote(name); err == nil {
			return plain
		}
	}
	return name
}
