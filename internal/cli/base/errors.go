package base

import (
	"errors"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/mid"
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

// settings are the flags and settings that help against a reason.
var settings = map[scheme.Reason]string{
	scheme.ReasonEmptySegment: "--cwd none asks for the whole path at once",
	scheme.ReasonNoServer:     "NNTPSERVER in the environment, or news.server in the configuration, names one",
	scheme.ReasonClearLogin:   "news.clear_login in the configuration allows a login without TLS",
	mid.ReasonNoStore:         "mail.stores in the configuration names them",
	mid.ReasonNoMessage:       "--in FILE or --in mid:... names it",
}

// textOf returns the text of err, with the setting that would help.
func textOf(err error) string {
	if setting := settings[scheme.ReasonOf(err)]; setting != "" {
		return err.Error() + "; " + setting
	}
	return err.Error()
}

// NewReason describes err for --json.
func NewReason(err error) shape.Reason {
	return shape.Reason{Kind: KindOf(err), Message: shape.Text(locus.MaskText(textOf(err)))}
}
