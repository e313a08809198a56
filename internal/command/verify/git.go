package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/term"
)

const (
	// maxDiff is the maximum size of a git message, and of a diff line, in bytes.
	maxDiff = 64 << 10
	// gitTime is the time limit for a git command, which may read a million files.
	gitTime = 10 * time.Minute
)

// gitText runs git and returns its output without the final newline.
func gitText(ctx context.Context, dir string, args ...string) (text string, err error) {
	err = runGit(ctx, dir, func(r io.Reader) error {
		out, err := io.ReadAll(io.LimitReader(r, maxDiff))
		text = strings.TrimRight(string(out), "\r\n\x00")
		return err
	}, args...)
	return text, err
}

// gitOptions prevents the configuration of an untrusted repository from starting programs, such as
// hooks and file system monitors.
var gitOptions = []string{"--no-pager", "-c", "core.quotePath=true", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "diff.autoRefreshIndex=false"}

// withoutFilters returns options that prevent git from running the filters in a repository's
// configuration.
func withoutFilters(ctx context.Context, dir string) (options []string, err error) {
	// git exits with status 1 if there are no filters.
	list, _ := gitText(ctx, dir, "config", "--name-only", "-z", "--get-regexp", `^filter\.`)
	if len(list) >= maxDiff-1 {
		return nil, errors.New("the Git configuration has too many filters")
	}
	for key := range strings.SplitSeq(list, "\x00") {
		name := key[:max(strings.LastIndexByte(key, '.'), 0)]
		switch {
		case strings.Contains(name, "="):
			return nil, fmt.Errorf(`the Git configuration has a filter with "=" in its name: %s`, locus.Quote(name))
		case name == "" || slices.Contains(options, name+".clean="):
			continue
		}
		options = append(options, "-c", name+".clean=", "-c", name+".process=", "-c", name+".required=false")
	}
	return options, nil
}

// runGit runs git in the directory dir and passes the output to handle. The git command does not
// fetch objects that are missing from a partial clone, and does not write the index.
func runGit(ctx context.Context, dir string, handle func(io.Reader) error, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", slices.Concat([]string{"-C", dir}, gitOptions, args)...)
	cmd.Env = append(gitEnv(os.Environ()), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0",
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_LITERAL_PATHSPECS=1")
	says := &message{}
	cmd.Stderr = says
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	readErr := handle(out)
	_, _ = io.Copy(io.Discard, out) // drain the output, so that git does not block
	err = cmd.Wait()
	switch {
	case err == nil:
		return readErr
	case ctx.Err() != nil:
		return ctx.Err()
	case says.text != nil:
		return errors.New(says.reason())
	}
	return err
}

// gitEnv removes the variables that Git sets for hooks from env, so that git uses the repository
// that contains the documents.
func gitEnv(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY",
			"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_DIFF_OPTS", "GIT_EXTERNAL_DIFF":
			return true
		}
		return false
	})
}

// message stores the beginning of the text written to it.
type message struct{ text []byte }

func (m *message) Write(p []byte) (int, error) {
	m.text = append(m.text, p[:min(len(p), maxDiff-len(m.text))]...)
	return len(p), nil
}

// reason returns the line of the message that explains why git failed.
func (m *message) reason() string {
	text := string(m.text)
	if strings.Contains(text, "lazy fetching disabled") {
		return "the clone is partial and lacks old files; run git fetch --refetch --no-filter"
	}
	if _, fatal, ok := strings.Cut("\n"+text, "\nfatal: "); ok {
		text = fatal
	}
	first, _, _ := strings.Cut(text, "\n")
	return term.Safe(first)
}
