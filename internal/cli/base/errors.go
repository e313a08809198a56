package base

import (
	"errors"
	"fmt"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// Kinds of failures besides those of package access.
const (
	KindFile   access.Kind = "file"   // a local file can't be used
	kindAnswer access.Kind = "answer" // a form refuses an answer that a flag gave
	kindInput  access.Kind = "input"  // the terminal gave no answer
)

// KindOf classifies err; nil gives "".
func KindOf(err error) access.Kind {
	var wrong *AnswerError
	var wrongField *scheme.AnswerError
	switch {
	case errors.As(err, &wrong), errors.As(err, &wrongField):
		return kindAnswer
	case errors.Is(err, ErrNoAnswer):
		return kindInput
	case errors.Is(err, transfer.ErrFile), errors.Is(err, transfer.ErrExists), errors.Is(err, transfer.ErrForeign),
		errors.Is(err, transfer.ErrName), errors.Is(err, transfer.ErrTwice):
		return KindFile
	case errors.Is(err, transfer.ErrNotObject), errors.Is(err, transfer.ErrCoded):
		return access.Unsupported
	}
	return access.KindOf(err)
}

// StatusOf returns the exit status of a kind of failure.
func StatusOf(kind access.Kind) int {
	switch kind {
	case access.Syntax, kindAnswer:
		return StatusUsage
	case access.Denied:
		return StatusDenied
	case access.Interrupted:
		return StatusInterrupted
	}
	return StatusAccess
}

// AnswerError is an answer that a form refuses. Nothing was submitted. Its text never
// contains the answer.
type AnswerError struct{ error }

// NewWrongAnswer returns err as a wrong answer.
func NewWrongAnswer(err error) error { return &AnswerError{err} }

// NewReason describes err for --json.
func NewReason(err error) shape.Reason {
	return shape.Reason{Kind: KindOf(err), Message: shape.Text(locus.MaskText(message(err)))}
}

// flags say which flag sets the Setting of a [scheme.HintError].
var flags = map[string]string{
	"CWD":    "--cwd none asks for the whole path at once",
	"Within": "--in FILE or --in mid:... names the message",
}

// message returns the text of err, with the flag that avoids it.
func message(err error) string {
	advice := ""
	if hint, ok := errors.AsType[*scheme.HintError](err); ok {
		advice = flags[hint.Setting]
	}
	if denied, ok := errors.AsType[*policy.DeniedError](err); ok {
		switch {
		case denied.Rule == "private":
			advice = "--allow-private allows it"
		case denied.Port != 0:
			advice = fmt.Sprintf("--allow-port %d allows it", denied.Port)
		}
	}
	if advice == "" {
		return err.Error()
	}
	return fmt.Sprintf("%v (%s)", err, advice)
}
