package syntax

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/profile"
)

// invalidInputs handles inputs that are not URLs. If the pointer is nil or the value is zero, the
// command writes a message for each such input.
type invalidInputs struct {
	how   string // "keep", "drop" or a file name; if empty, each input gets a message
	file  *os.File
	out   *bufio.Writer
	count int64
}

const invalidHelp = "`keep`, drop, or write to FILE the inputs that are not URLs"

// check returns an error if the file for invalid inputs is also an input file, because the command
// would truncate this file.
func (i *invalidInputs) check(in io.Reader, names []string) error {
	if i == nil || !i.hasFile() {
		return nil
	}
	if i.how == "-" {
		return errors.New(`--invalid "-": use --invalid keep for standard output`)
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
	// Mistyped URLs may contain passwords, which other users must not read.
	if i.file, err = os.OpenFile(i.how, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600); err != nil {
		return fmt.Errorf("--invalid: %w", err)
	}
	i.out = bufio.NewWriterSize(i.file, 64<<10)
	return nil
}

// add adds records to the file. The parameter count is the number of inputs that are not URLs.
func (i *invalidInputs) add(records []byte, count int64) error {
	if i == nil {
		return nil
	}
	i.count += count
	if i.out == nil {
		return nil
	}
	if _, err := i.out.Write(records); err != nil {
		return fmt.Errorf("--invalid: %w", err)
	}
	return nil
}

// note reports the number of inputs that are not URLs.
func (i *invalidInputs) note(a *base.App) {
	advice := ""
	if i != nil && i.how == "" {
		advice = "--invalid FILE writes each invalid line and its reason to FILE"
	}
	a.SummarizeInvalid(advice)
	switch {
	case i == nil || i.count == 0:
	case i.how == "keep":
		a.Note("inputs that are not URLs: %d, written as they are", i.count)
	case i.how == "drop":
		a.Note("inputs that are not URLs: %d, dropped", i.count)
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

// fail handles an input that is not a URL in the way that the flag --invalid selects.
func (w *worker) fail(input string, err error) { w.failBy(profile.Finding(err).Rule, input, err) }

// failBy is like fail, but the caller names the rule that the input violates.
func (w *worker) failBy(rule, input string, err error) {
	how := ""
	if w.run.invalid != nil {
		how = w.run.invalid.how
	}
	// A truncated line can't be written in full.
	if how == "" || w.cut && how != "drop" {
		w.FailLine(rule, input, err)
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
		w.invalid = appendInvalid(w.invalid, w.newInvalid(input, err))
	}
}

// invalidInput is a JSON record in the file for invalid inputs. A member without a value is null.
type invalidInput struct {
	File   *shape.Text `json:"file"`   // null if the input is an argument or from standard input
	Line   *int        `json:"line"`   // line number, from 1; null if the input is an argument
	Offset *int        `json:"offset"` // byte offset of the fault in Text, from 0
	Reason shape.Text  `json:"reason"` // reason without passwords
	Text   shape.Text  `json:"text"`   // unchanged input
}

// newInvalid returns a record for an input that is part of w.line.
func (w *worker) newInvalid(input string, err error) invalidInput {
	r := invalidInput{Text: shape.Text(w.line)}
	if w.Source != "" && w.Source != "-" {
		r.File = shape.Present(w.Source, true)
	}
	if w.LineNumber > 0 {
		line := w.LineNumber
		r.Line = &line
	}
	reason := base.Message(err)
	if e := (*locus.SyntaxError)(nil); errors.As(err, &e) {
		reason = e.Err.Error()
		// If the line contains an escaped form of the URL, the offset is unknown.
		if at := strings.Index(string(w.line[w.start:w.end]), input); at >= 0 {
			at += w.start + e.Offset
			r.Offset = &at
		}
	}
	r.Reason = shape.Text(locus.MaskText(reason))
	return r
}

func appendInvalid(b []byte, r invalidInput) []byte {
	out := bytes.NewBuffer(b)
	_ = shape.Write(out, r) // a write of texts to a buffer can't fail
	out.WriteByte('\n')
	return out.Bytes()
}
