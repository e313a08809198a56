package base

import (
	"errors"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// The kinds of failures besides those of access.
const (
	KindFile   access.Kind = "file"   // it has to do with a file here
	kindAnswer access.Kind = "answer" // a form does not take an answer that flags gave
	kindInput  access.Kind = "input"  // the person at the terminal gave no answer
)

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

// wrongAnswer is an answer that a form does not take. Nothing was submitted. It
// never holds the answer.
type AnswerError struct{ error }

// NewWrongAnswer returns err as a wrong answer.
func NewWrongAnswer(err error) error { return &AnswerError{err} }

func NewReason(err error) shape.Reason {
	return shape.Reason{Kind: KindOf(err), Message: shape.Text(locus.MaskText(err.Error()))}
}
