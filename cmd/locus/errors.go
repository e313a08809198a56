package main

import (
	"errors"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// The kinds of failures besides those of access.
const (
	kindFile   access.Kind = "file"   // it has to do with a file here
	kindAnswer access.Kind = "answer" // a form does not take an answer that flags gave
	kindInput  access.Kind = "input"  // the person at the terminal gave no answer
)

func kindOf(err error) access.Kind {
	var wrong *wrongAnswer
	var wrongField *scheme.AnswerError
	switch {
	case errors.As(err, &wrong), errors.As(err, &wrongField):
		return kindAnswer
	case errors.Is(err, errNoAnswer):
		return kindInput
	case errors.Is(err, transfer.ErrFile), errors.Is(err, transfer.ErrExists), errors.Is(err, transfer.ErrForeign),
		errors.Is(err, transfer.ErrName), errors.Is(err, transfer.ErrTwice):
		return kindFile
	case errors.Is(err, transfer.ErrNotObject), errors.Is(err, transfer.ErrCoded):
		return access.Unsupported
	}
	return access.KindOf(err)
}

func statusOf(kind access.Kind) int {
	switch kind {
	case access.Syntax, kindAnswer:
		return statusUsage
	case access.Denied:
		return statusDenied
	case access.Interrupted:
		return statusInterrupted
	}
	return statusAccess
}

// wrongAnswer is an answer that a form does not take. Nothing was submitted. It
// never holds the answer.
type wrongAnswer struct{ error }

// newWrongAnswer returns err as a wrong answer.
func newWrongAnswer(err error) error { return &wrongAnswer{err} }

func newReasonJSON(err error) reasonJSON {
	return reasonJSON{Kind: kindOf(err), Message: text(locus.MaskText(err.Error()))}
}
