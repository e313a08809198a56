package base

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"strings"

	"github.com/locus-url/locus"
)

// inputBuffer is the size of the buffer for standard input. The longest URL and its line
// end fit, so a longer line is not a URL.
const inputBuffer = 2 * locus.MaxLen

// Inputs yields the arguments, or the lines of standard input if "-" is the only
// argument. A line ends with LF, CR LF or the end of the input. A line that is too long
// to be a URL is cut and comes with an error.
//
// It stops when the run is interrupted or standard output fails.
func (a *App) Inputs(args []string) iter.Seq2[string, error] {
	if IsStdin(args) {
		return a.lines()
	}
	return func(yield func(string, error) bool) {
		for _, arg := range args {
			if a.Context.Err() != nil || a.OutputFailed() || !yield(arg, nil) {
				return
			}
		}
	}
}

// IsStdin reports whether args ask for standard input.
func IsStdin(args []string) bool { return len(args) == 1 && args[0] == "-" }

// lines yields the lines of standard input, and counts them in LineNumber.
func (a *App) lines() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		r := lineReader{read: a.readInput, yield: func(line string, err error) bool {
			a.LineNumber++
			return !a.OutputFailed() && yield(line, err)
		}}
		if err := r.run(); err != nil && a.Context.Err() == nil {
			a.Fail(StatusAccess, fmt.Errorf("standard input: %w", err))
		}
	}
}

// lineReader splits its input into lines. All lines of one read are substrings of one
// string, which makes a million of them cheap.
type lineReader struct {
	read  func([]byte) (int, error)
	yield func(string, error) bool

	buf     []byte
	held    int    // octets in buf
	start   string // of a line that is too long
	dropped int    // octets of that line so far; 0: no such line
}

// run reads to the end of the input. The error is never io.EOF.
func (r *lineReader) run() error {
	r.buf = make([]byte, inputBuffer)
	for {
		n, err := r.read(r.buf[r.held:])
		fresh := r.buf[r.held : r.held+n]
		r.held += n
		if end := bytes.LastIndexByte(fresh, '\n'); end >= 0 {
			end += r.held - n + 1
			if !r.deliver(string(r.buf[:end])) {
				return nil
			}
			r.held = copy(r.buf, r.buf[end:r.held])
		}
		if r.held == len(r.buf) || r.dropped > 0 {
			r.drop()
		}
		switch {
		case err == io.EOF:
			r.last()
			return nil
		case err != nil:
			return err
		}
	}
}

// deliver yields whole lines.
func (r *lineReader) deliver(lines string) bool {
	if r.dropped > 0 {
		line, rest, _ := strings.Cut(lines, "\n")
		if !r.tooLong(strings.TrimSuffix(line, "\r")) {
			return false
		}
		lines = rest
	}
	for lines != "" {
		end := strings.IndexByte(lines, '\n')
		line := lines[:end]
		if end > 0 && line[end-1] == '\r' {
			line = line[:end-1]
		}
		if !r.yield(line, nil) {
			return false
		}
		lines = lines[end+1:]
	}
	return true
}

// drop empties the buffer, which is within one line, and keeps the start of the line.
func (r *lineReader) drop() {
	if r.dropped == 0 {
		r.start = string(r.buf[:locus.MaxLen])
	}
	r.dropped += r.held
	r.held = 0
}

// last yields a final line without a line end.
func (r *lineReader) last() {
	switch {
	case r.dropped > 0:
		r.tooLong("")
	case r.held > 0:
		r.yield(string(r.buf[:r.held]), nil)
	}
}

// tooLong yields the start of the dropped line, which ends with end.
func (r *lineReader) tooLong(end string) bool {
	length := r.dropped + len(end)
	r.dropped = 0
	return r.yield(r.start, locus.NewSyntaxError(r.start, locus.MaxLen, "genericurl",
		fmt.Errorf("%w: %d octets, the limit is %d", locus.ErrTooLong, length, locus.MaxLen)))
}

// readInput reads standard input. It flushes the results so far before it waits, and an
// interrupt ends the wait.
func (a *App) readInput(p []byte) (int, error) {
	a.Out.Flush()
	if a.OutputFailed() {
		return 0, io.EOF
	}
	return ReadContext(a.Context, a.In, p)
}

// Stdin returns standard input. A read flushes standard output first, and ends with the
// context of a.
func (a *App) Stdin() io.Reader { return readFunc(a.readInput) }

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// ReadContext reads from in until ctx ends. p stays in use after that, because a read
// can't be cancelled.
func ReadContext(ctx context.Context, in io.Reader, p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func() {
		n, err := in.Read(p)
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		return r.n, r.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// OpenContext opens a file. Opening a named pipe waits for a writer, at most until ctx
// ends.
func OpenContext(ctx context.Context, name string) (*os.File, error) {
	if info, err := os.Stat(name); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return os.Open(name)
	}
	type result struct {
		f   *os.File
		err error
	}
	done := make(chan result)
	go func() {
		f, err := os.Open(name)
		select {
		case done <- result{f, err}:
		case <-ctx.Done():
			f.Close()
		}
	}()
	select {
	case r := <-done:
		return r.f, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
