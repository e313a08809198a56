package syntax

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/cli/base"
)

// invalidInputs says what becomes of inputs that are not URLs. Nil and the zero value give
// each a message.
type invalidInputs struct {
	how   string // "keep", "drop" or the name of a file; "": a message each
	file  *os.File
	out   *bufio.Writer
	count int64
}

const invalidHelp = "`keep`, drop, or write to FILE the inputs that are not URLs"

// check returns an error if the file is one of the inputs, which it would empty: the named
// files, or standard input.
func (i *invalidInputs) check(in io.Reader, names []string) error {
	if i == nil || !i.hasFile() {
		return nil
	}
	if i.how == "-" {
		return errors.New(`--invalid "-": write keep to have them on standard output`)
	}
	file, err := os.Stat(i.how)
	if err != nil || !file.Mode().IsRegular() {
		return nil
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if f, ok := in.(*os.File); name == "-" && ok {
			info, err = f.Stat()
		}
		if err == nil && os.SameFile(info, file) {
			return fmt.Errorf("--invalid: %s is an input, too", locus.Quote(i.how))
		}
	}
	return nil
}

func (i *invalidInputs) hasFile() bool { return i.how != "" && i.how != "keep" && i.how != "drop" }

func (i *invalidInputs) open() (err error) {
	if i == nil || !i.hasFile() {
		return nil
	}
	// Mistyped URLs may have passwords: others do not need to read them.
	if i.file, err = os.OpenFile(i.how, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600); err != nil {
		return fmt.Errorf("--invalid: %w", err)
	}
	i.out = bufio.NewWriterSize(i.file, 64<<10)
	return nil
}

// add takes lines for the file, and how many inputs were not URLs.
func (i *invalidInputs) add(lines []byte, count int64) error {
	if i == nil {
		return nil
	}
	i.count += count
	if i.out == nil {
		return nil
	}
	if _, err := i.out.Write(lines); err != nil {
		return fmt.Errorf("--invalid: %w", err)
	}
	return nil
}

// note tells how many there were.
func (i *invalidInputs) note(a *base.App) {
	switch {
	case i == nil || i.how == "" || i.count == 0:
	case i.how == "keep":
		a.Note("inputs that are not URLs: %d, written as they are", i.count)
	case i.how == "drop":
		a.Note("inputs that are not URLs: %d, left out", i.count)
	default:
		a.Note("inputs that are not URLs: %d, in %s", i.count, locus.Quote(i.how))
	}
}

func (i *invalidInputs) close() error {
	if i == nil || i.file == nil {
		return nil
	}
	err := i.out.Flush()
	if closeErr := i.file.Close(); err == nil {
		err = closeErr
	}
	i.file = nil
	if err != nil {
		return fmt.Errorf("--invalid: %w", err)
	}
	return nil
}

// fail reports an input that is not a URL, as --invalid has it.
func (w *worker) fail(input string, err error) {
	how := ""
	if w.run.invalid != nil {
		how = w.run.invalid.how
	}
	// Of a line that was cut there is no whole one to write.
	if how == "" || w.cut && how != "drop" {
		w.FailInput(input, err)
		w.lone()
		return
	}
	w.RaiseStatus(base.StatusUsage)
	w.wrong++
	switch how {
	case "keep":
		w.Out.Write(w.line)
		w.Out.WriteByte('\n')
		w.slowPiece(string(w.line))
	case "drop":
	default:
		w.invalid = append(append(w.invalid, w.line...), '\n')
	}
}
