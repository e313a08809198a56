package verify

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/term"
)

// changes are the changed lines of files, by repository.
type changes struct {
	folders map[string]string            // tops of repositories by folder
	lines   map[string]map[string]*lines // by top and by path below it
}

// lines are ranges of lines; all: every line.
type lines struct {
	all    bool
	ranges [][2]int64 // first and last
}

func (l *lines) has(line int64) bool {
	if l.all {
		return true
	}
	for _, r := range l.ranges {
		if line >= r[0] && line <= r[1] {
			return true
		}
	}
	return false
}

// of returns the changed lines of a file since rev; nil: it has none.
func (c *changes) of(ctx context.Context, name, rev string) (*lines, error) {
	dir, err := filepath.Abs(filepath.Dir(name))
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, err
	}
	top, err := c.top(ctx, dir)
	if err != nil {
		return nil, err
	}
	if c.lines == nil {
		c.lines = map[string]map[string]*lines{}
	}
	if c.lines[top] == nil {
		if c.lines[top], err = changedLines(ctx, top, rev); err != nil {
			return nil, err
		}
	}
	below, err := filepath.Rel(top, filepath.Join(dir, filepath.Base(name)))
	if err != nil {
		return nil, err
	}
	return c.lines[top][filepath.ToSlash(below)], nil
}

// top returns the top of the working tree that a folder is in.
func (c *changes) top(ctx context.Context, dir string) (string, error) {
	if top, ok := c.folders[dir]; ok {
		return top, nil
	}
	top, err := gitText(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return "", fmt.Errorf("--changed-since: %s is not in a repository of git: %w", locus.Quote(dir), err)
	}
	top = filepath.FromSlash(top)
	if c.folders == nil {
		c.folders = map[string]string{}
	}
	c.folders[dir] = top
	return top, nil
}

// changedLines returns the lines of the working tree that are not those of rev, or of the
// last commit that both have in common. An untracked file is new.
func changedLines(ctx context.Context, top, rev string) (map[string]*lines, error) {
	if rev == "" || strings.HasPrefix(rev, "-") {
		return nil, fmt.Errorf("--changed-since: %s is not a revision", locus.Quote(rev))
	}
	commit, err := gitText(ctx, top, "rev-parse", "--verify", "--quiet", rev+"^{commit}")
	if err != nil {
		return nil, fmt.Errorf("--changed-since: %s is not a revision of %s", locus.Quote(rev), locus.Quote(top))
	}
	// Without a common commit, as in a shallow clone, rev itself is compared.
	if common, err := gitText(ctx, top, "merge-base", "HEAD", commit); err == nil {
		commit = common
	}
	var changed map[string]*lines
	err = git(ctx, top, func(r io.Reader) (err error) {
		changed, err = parseDiff(r)
		return err
	}, "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative", "--ignore-submodules=all",
		"--unified=0", "--inter-hunk-context=0", "--find-renames", "--src-prefix=a/", "--dst-prefix=b/", commit, "--")
	if err == nil {
		err = git(ctx, top, func(r io.Reader) error { return addUntracked(changed, r) }, "ls-files", "--others", "--exclude-standard", "-z")
	}
	if err != nil {
		return nil, fmt.Errorf("--changed-since: %w", err)
	}
	return changed, nil
}

// addUntracked adds the files of a list, whose names end in NUL.
func addUntracked(changed map[string]*lines, r io.Reader) error {
	in := bufio.NewReader(r)
	for {
		name, err := in.ReadString(0)
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		changed[strings.TrimSuffix(name, "\x00")] = &lines{all: true}
	}
}

const (
	// maxDiff is the most octets of a message of git, and of a line of a diff, that are kept.
	maxDiff = 64 << 10
	// gitTime is how long git may take: a working tree may have a million files.
	gitTime = 10 * time.Minute
)

// gitText runs git and returns its output without the end of the line.
func gitText(ctx context.Context, dir string, args ...string) (text string, err error) {
	err = git(ctx, dir, func(r io.Reader) error {
		out, err := io.ReadAll(io.LimitReader(r, maxDiff))
		text = strings.TrimRight(string(out), "\r\n")
		return err
	}, args...)
	return text, err
}

// git runs git in a folder and passes its output to read. No configuration of the
// repository makes it run another program.
func git(ctx context.Context, dir string, read func(io.Reader) error, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	fixed := []string{"-C", dir, "--no-pager", "-c", "core.quotePath=false", "-c", "core.fsmonitor=false"}
	cmd := exec.CommandContext(ctx, "git", append(fixed, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0")
	says := &message{}
	cmd.Stderr = says
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	readErr := read(out)
	_, _ = io.Copy(io.Discard, out) // git would wait for it to be read
	if err := cmd.Wait(); err != nil && says.text != nil {
		first, _, _ := strings.Cut(string(says.text), "\n")
		return errors.New(term.Safe(strings.TrimPrefix(first, "fatal: ")))
	} else if err != nil {
		return err
	}
	return readErr
}

// message keeps the beginning of what is written to it.
type message struct{ text []byte }

func (m *message) Write(p []byte) (int, error) {
	m.text = append(m.text, p[:min(len(p), maxDiff-len(m.text))]...)
	return len(p), nil
}

// parseDiff returns the added lines of each file of a diff without context lines. A file
// that was moved to another folder is all new: its partial forms are resolved there.
func parseDiff(r io.Reader) (map[string]*lines, error) {
	changed := map[string]*lines{}
	in := bufio.NewReaderSize(r, maxDiff)
	var current *lines
	from := ""
	skip := int64(0) // lines of a hunk
	for {
		line, err := readLine(in)
		switch {
		case err == io.EOF:
			return changed, nil
		case err != nil:
			return nil, err
		case strings.HasPrefix(line, `\`):
			continue // "No newline at end of file"
		case skip > 0:
			skip--
			continue
		}
		if name, ok := strings.CutPrefix(line, "rename from "); ok {
			from = unquote(name)
		} else if name, ok := strings.CutPrefix(line, "rename to "); ok {
			if name = unquote(name); path.Dir(name) != path.Dir(from) {
				changed[name] = &lines{all: true}
			}
		} else if name, ok := strings.CutPrefix(line, "copy to "); ok {
			changed[unquote(name)] = &lines{all: true}
		} else if name, ok := strings.CutPrefix(line, "+++ "); ok {
			current = nil
			if name, ok = strings.CutPrefix(unquote(strings.TrimSuffix(name, "\t")), "b/"); ok {
				if changed[name] == nil {
					changed[name] = new(lines)
				}
				current = changed[name]
			}
		} else if rest, ok := strings.CutPrefix(line, "Binary files "); ok {
			if _, name, ok := strings.Cut(strings.TrimSuffix(rest, " differ"), " and "); ok {
				changed[strings.TrimPrefix(unquote(name), "b/")] = &lines{all: true}
			}
		} else if strings.HasPrefix(line, "@@ ") {
			removed, _, err := hunk(line, '-')
			added, first, err2 := hunk(line, '+')
			if err := errors.Join(err, err2); err != nil {
				return nil, err
			}
			if skip = removed + added; current != nil && added > 0 {
				current.ranges = append(current.ranges, [2]int64{first, first + added - 1})
			}
		}
	}
}

// hunk returns the number of lines that a hunk has on one side, and the first of them.
func hunk(line string, side byte) (count, first int64, err error) {
	for field := range strings.FieldsSeq(line) {
		if field[0] != side {
			continue
		}
		start, size, hasSize := strings.Cut(field[1:], ",")
		if first, err = strconv.ParseInt(start, 10, 32); err == nil && hasSize {
			count, err = strconv.ParseInt(size, 10, 32)
		} else {
			count = 1
		}
		if err != nil || first < 0 || count < 0 {
			break
		}
		return count, first, nil
	}
	return 0, 0, fmt.Errorf("the diff of git has the line %s", locus.Quote(line))
}

// readLine returns a line without its end, cut to the size of the buffer.
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

// unquote returns the name that git quotes like a string of C.
func unquote(name string) string {
	if strings.HasPrefix(name, `"`) {
		if plain, err := strconv.Unquote(name); err == nil {
			return plain
		}
	}
	return name
}
