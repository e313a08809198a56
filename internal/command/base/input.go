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

	"golang.org/x/term"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/profile"
	"github.com/locus-url/locus/scheme"
)

// longestLine is the maximum length, in bytes, of a line and its line end. A longer line can't be
// a URL and is truncated.
const longestLine = 2 * locus.MaxLen

// Inputs yields the arguments, or the lines of standard input if "-" is the only argument. A
// line ends with LF, CR LF or the end of input. Inputs skips blank lines and a byte order mark.
// It truncates a line that is too long for a URL, and yields it with an error.
//
// Inputs stops when the user interrupts the run, or when a write to standard output fails.
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

// URLs is like [App.Inputs], but removes whitespace around each input and writes a note about the
// whitespace.
func (a *App) URLs(args []string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for input, err := range a.Inputs(args) {
			a.NoteBlanks(input)
			if !yield(strings.Trim(input, Blanks), err) {
				return
			}
		}
	}
}

// Groups yields the inputs of [App.Inputs] in groups of at most n. If the next read of standard
// input may block, Groups first yields the current group, even if the group contains fewer than n
// inputs. If an input has an error, Groups prints the error and skips the input.
func (a *App) Groups(args []string, n int) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		var group []string
		proceed := true
		deliver := func() bool {
			if proceed && len(group) > 0 {
				proceed, group = yield(group), nil
			}
			return proceed
		}
		a.beforeRead = deliver
		defer func() { a.beforeRead = nil }()
		for input, err := range a.Inputs(args) {
			if err == nil {
				group = append(group, input)
			}
			if (err != nil || len(group) == n) && !deliver() {
				return
			}
			if err != nil {
				a.FailInput(input, err)
			}
		}
		deliver()
	}
}

// Blanks are the characters that may surround a URL.
const Blanks = " \t\r\n\v\f"

// NoteBlanks writes a note if whitespace surrounds a URL. For the lines of standard input, it
// writes only one note.
func (a *App) NoteBlanks(input string) {
	if strings.Trim(input, Blanks) != input {
		a.noteAround("leading and trailing spaces are not part of a URL")
	}
}

// NoteKeyboard writes a note if the command reads input from a terminal. The parameter what
// describes the expected input.
func (a *App) NoteKeyboard(what string) {
	if f, ok := a.In.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		a.Note("reading %s from the terminal; Ctrl-D ends it", what)
	}
}

// IsStdin reports whether args select standard input.
func IsStdin(args []string) bool { return len(args) == 1 && args[0] == "-" }

// lines yields the lines of standard input, and counts them in LineNumber.
func (a *App) lines() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		a.NoteKeyboard("URLs, one per line,")
		err := splitLines(a.readInput, func(line string, err error) bool {
			if a.LineNumber++; a.LineNumber == 1 {
				line = strings.TrimPrefix(line, "\ufeff")
			}
			if err == nil && strings.Trim(line, Blanks) == "" {
				return true
			}
			return !a.OutputFailed() && yield(line, err)
		})
		if err != nil && a.Context.Err() == nil {
			a.Fail(StatusAccess, fmt.Errorf("standard input: %w", err))
		}
	}
}

// splitLines reads text with the function read and yields its lines. The lines from one read share
// a string, which saves an allocation for each line. splitLines never returns io.EOF.
func splitLines(read func([]byte) (int, error), yield func(string, error) bool) error {
	buf := make([]byte, longestLine+1)
	held := 0       // number of bytes in buf, which all belong to one line
	start := ""     // start of a line that is too long
	dropped := 0    // length so far of a line that is too long; 0 if there is none
	last := byte(0) // last dropped byte
	deliver := func(line string, ended bool) bool {
		if dropped == 0 {
			return yield(line, nil)
		}
		length := dropped + len(line)
		if ended && line == "" && last == '\r' {
			length--
		}
		dropped = 0
		return yield(start, locus.NewSyntaxError(start, locus.MaxLen, "genericurl",
			fmt.Errorf("%w: %d bytes exceed the limit of %d", locus.ErrTooLong, length, locus.MaxLen)))
	}
	for {
		n, err := read(buf[held:])
		fresh := buf[held : held+n]
		held += n
		if end := bytes.LastIndexByte(fresh, '\n'); end >= 0 || err == io.EOF {
			if end += held - n + 1; err == io.EOF {
				end = held
			}
			for line := range strings.Lines(string(buf[:end])) {
				if dropped == 0 && len(line) > longestLine {
					start, dropped = line[:locus.MaxLen], locus.MaxLen
					line = line[locus.MaxLen:]
				}
				text, ended := strings.CutSuffix(line, "\n")
				if ended {
					line = strings.TrimSuffix(text, "\r")
				}
				if !deliver(line, ended) {
					return nil
				}
			}
			held = copy(buf, buf[end:held])
		}
		if held == len(buf) || dropped > 0 {
			if dropped == 0 {
				start = string(buf[:locus.MaxLen])
			}
			if held > 0 {
				last = buf[held-1]
			}
			dropped += held
			held = 0
		}
		switch {
		case err == io.EOF:
			if dropped > 0 {
				deliver("", false)
			}
			return nil
		case err != nil:
			return err
		}
	}
}

// readInput flushes the output, and then reads from standard input. An interrupt ends the read.
func (a *App) readInput(p []byte) (int, error) {
	if a.beforeRead != nil && !a.beforeRead() {
		return 0, io.EOF
	}
	a.Out.Flush()
	if a.OutputFailed() {
		return 0, io.EOF
	}
	return ReadContext(a.Context, a.In, p)
}

// Stdin returns standard input. Each read first flushes standard output. A read returns an error
// if the context of the App is cancelled.
func (a *App) Stdin() io.Reader { return readFunc(a.readInput) }

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// ReadFile reads a regular file of at most limit bytes. ReadFile rejects other kinds of files,
// because reading them could block.
func ReadFile(name string, limit int) ([]byte, error) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", locus.Quote(name))
	}
	if err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadLimited(f, locus.Quote(name), limit)
}

// ReadLimited reads r to its end. If r contains more bytes than limit, the error contains the
// given name.
func ReadLimited(r io.Reader, name string, limit int) ([]byte, error) {
	octets, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err == nil && len(octets) > limit {
		err = fmt.Errorf("%w: %s exceeds the limit of %d bytes", scheme.ErrTooLarge, name, limit)
	}
	return octets, err
}

// await returns the result of f, or the error of ctx if ctx is cancelled first. The function f may
// continue after await returns, because a read and the opening of a pipe cannot be cancelled.
func await[T any](ctx context.Context, f func() (T, error)) (value T, err error) {
	done := make(chan struct{})
	var late T
	var lateErr error
	go func() {
		late, lateErr = f()
		close(done)
	}()
	select {
	case <-done:
		return late, lateErr
	case <-ctx.Done():
		return value, ctx.Err()
	}
}

// ReadContext reads from the reader in until ctx is cancelled. The caller must not reuse the
// buffer p after an error, because the read may still write to it.
func ReadContext(ctx context.Context, in io.Reader, p []byte) (int, error) {
	return await(ctx, func() (int, error) { return in.Read(p) })
}

// OpenContext opens a file. For a named pipe it waits for a writer, until ctx is cancelled.
func OpenContext(ctx context.Context, name string) (*os.File, error) {
	if info, err := os.Stat(name); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return os.Open(name)
	}
	return await(ctx, func() (*os.File, error) { return os.Open(name) })
}

// ReadURL parses an input as a URL, with or without the wrapper of RFC 1738 (appendix). If there
// is a wrapper, ReadURL writes a note. The parameter readErr is the error that [App.Inputs]
// yielded with the input.
func (a *App) ReadURL(input string, readErr error) (locus.URL, error) {
	if readErr != nil {
		return locus.URL{}, readErr
	}
	u, err := shape.Read(input)
	if err == nil {
		a.NoteWrapper(input)
	}
	return u, err
}

// NoteWrapper writes a note about text around a URL. For the lines of standard input, it writes
// only one note.
func (a *App) NoteWrapper(input string) {
	if note, ok := locus.RemoveWrapper(input).Note(); ok {
		a.noteAround(fmt.Sprintf("%s (%s)", charset.Text(note.Help), note.Section))
	}
}

// NoteForm writes a note about an input that violates the given rules but can still be converted
// to a canonical form. For the lines of standard input, it writes only one note.
func (a *App) NoteForm(rules profile.Rules, input string) {
	for _, note := range shape.CanonicalNotes(rules, input) {
		a.noteAround(note)
	}
}

func (a *App) noteAround(note string) {
	switch {
	case a.LineNumber == 0:
		a.FlushTerminal()
		a.Note("%s", note)
	case !a.wrapperNoted:
		a.wrapperNoted, a.noting = true, true
		a.FlushTerminal()
		a.Note("%s: %s; later lines are not reported", a.line(), note)
		a.noting = false
	}
}
