package lens

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	// maxOutput is the maximum size of a program's output. For each octet of input, the output
	// may contain maxGrowth more octets.
	maxOutput = 1 << 20
	maxGrowth = 16
	// maxMessage is the maximum size of a program's error messages to store.
	maxMessage = 1 << 10
	// lingering is the time for which child processes may keep the output open after the
	// program has ended.
	outputGrace = 2 * time.Second
)

type tooSlowError time.Duration

func (e tooSlowError) Error() string { return fmt.Sprintf("no output within %v", time.Duration(e)) }

var (
	errOutput   = errors.New("too much output")
	errChildren = errors.New("a child process keeps its output open")
)

// workFile is a file in a program's working directory.
type workFile struct{ name, text string }

// run runs the program without a network and returns its output, even if the program fails.
// The program's working directory is new and contains only the given files. If ctx ends or the
// program prints too much, run kills the program and its children.
func (p *program) run(ctx context.Context, args []string, input []byte, files ...workFile) ([]byte, error) {
	return p.runIn(ctx, true, args, input, files)
}

// runWithNetwork is like run, but the program can use the network. The program must connect to a
// proxy of this package on the loopback interface.
func (p *program) runWithNetwork(ctx context.Context, args []string, input []byte, files ...workFile) ([]byte, error) {
	return p.runIn(ctx, false, args, input, files)
}

// runIn implements run and runWithNetwork. If isolated is true, the program has no network.
func (p *program) runIn(ctx context.Context, isolated bool, args []string, input []byte, files []workFile) ([]byte, error) {
	dir, err := os.MkdirTemp("", "locus-lens-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.name), []byte(f.text), 0o600); err != nil {
			return nil, err
		}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var out, messages limitedBuffer
	out = limitedBuffer{most: maxOutput + maxGrowth*len(input), onFull: func() { stop(errOutput) }}
	messages = limitedBuffer{most: maxMessage}
	command := func(apart bool) *exec.Cmd {
		cmd := exec.CommandContext(ctx, p.path, args...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "LANG=C.UTF-8", "LC_ALL=C.UTF-8"}
		cmd.Stdin = bytes.NewReader(input)
		cmd.Stdout, cmd.Stderr = &out, &messages
		cmd.WaitDelay = outputGrace
		contain(cmd, apart)
		return cmd
	}
	cmd := command(isolated)
	err = cmd.Start()
	if err != nil && isolated && ctx.Err() == nil { // without namespaces, run the program in the caller's network
		cmd = command(false)
		err = cmd.Start()
	}
	if err == nil {
		err = cmd.Wait()
		endGroup(cmd)
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, exec.ErrWaitDelay):
		return nil, errChildren
	case err != nil:
		return out.buffered.Bytes(), &programError{err, strings.TrimSpace(messages.buffered.String())}
	}
	return out.buffered.Bytes(), nil
}

// programError is the error of a program that has failed.
type programError struct {
	err      error
	messages string // start of the program's standard error
}

func (e *programError) Unwrap() error { return e.err }

// Error returns the last line of the messages.
func (e *programError) Error() string {
	if e.messages == "" {
		return e.err.Error()
	}
	return e.err.Error() + ": " + e.messages[strings.LastIndexByte(e.messages, '\n')+1:]
}

// limitedBuffer is a buffer with a maximum size. When more octets arrive, the buffer drops them
// and calls onFull.
type limitedBuffer struct {
	buffered bytes.Buffer // not embedded, because its ReadFrom has no limit
	most     int
	onFull   func()
}

func (l *limitedBuffer) Write(p []byte) (int, error) {
	room := min(len(p), l.most-l.buffered.Len())
	l.buffered.Write(p[:room])
	if room < len(p) && l.onFull != nil {
		l.onFull()
	}
	return len(p), nil
}
