package scheme

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/locus-url/locus"
)

// Form describes the input that a server requires before it returns a resource. The input is
// the words of a search (RFC 1738 sections 3.4.2 and 3.9.2) or the answers to a Gopher+ form
// (section 3.4.9).
type Form struct {
	URL    locus.URL // the form's URL
	Title  string    // title from the server; not safe for a terminal
	Fields []FormField

	// Submit returns a URL that contains the answers. Opening the URL submits them. The
	// parameter answers has the same format as in [Form.Check]. Submit fails if an answer is
	// invalid, or if the URL would be too long.
	Submit func(answers []string) (locus.URL, error)
}

// NewForm returns a form with one field. Its Submit checks the answer and calls submit.
func NewForm(u locus.URL, title string, field FormField, submit func(answer string) (locus.URL, error)) *Form {
	f := &Form{URL: u, Title: title, Fields: []FormField{field}}
	f.Submit = func(answers []string) (locus.URL, error) {
		if err := f.Check(answers); err != nil {
			return locus.URL{}, err
		}
		return submit(answers[0])
	}
	return f
}

// Menu returns a menu that contains only the form.
func (f *Form) Menu() *Menu {
	return &Menu{URL: f.URL, Title: f.Title, Form: f, Items: func(func(Item, error) bool) {}}
}

// FormField is one field of a form. The texts of a FormField come from the server and are not
// safe for a terminal.
type FormField struct {
	Kind    FieldKind
	Prompt  string   // the label, or the whole text of a FieldNote
	Default string   // the answer if the user enters nothing
	Choices []string // the permitted answers to a FieldChoice
}

// FieldKind is the kind of answer that a field requires.
type FieldKind string

const (
	FieldNote   FieldKind = "note"    // a text without an input; the answer is empty
	FieldText   FieldKind = "text"    // one line
	FieldHidden FieldKind = "hidden"  // one line, which the program must not show
	FieldLines  FieldKind = "lines"   // lines separated by "\n"; may be empty
	FieldChoice FieldKind = "choice"  // one of Choices
	FieldCheck  FieldKind = "check"   // "1" for yes, "0" for no
	FieldSaveAs FieldKind = "save-as" // a file name for the reply; it must not be used as a path
	FieldFile   FieldKind = "file"    // the contents of a file to send
)

// Secret reports whether the answer must not be shown or logged.
func (f FormField) Secret() bool { return f.Kind == FieldHidden }

// Defaults returns the default answers.
func (f *Form) Defaults() []string {
	answers := make([]string, len(f.Fields))
	for i, field := range f.Fields {
		answers[i] = field.Default
		switch {
		case field.Kind == FieldChoice && field.Default == "" && len(field.Choices) > 0:
			answers[i] = field.Choices[0]
		case field.Kind == FieldCheck && field.Default == "":
			answers[i] = "0"
		}
	}
	return answers
}

// Check validates the answers to a form. The slice must contain one answer for each field, in
// the order of Fields. The error is an [*AnswerError].
func (f *Form) Check(answers []string) error {
	if len(answers) != len(f.Fields) {
		return &AnswerError{Field: min(len(answers), len(f.Fields)), Err: fmt.Errorf("%d answers for %d fields", len(answers), len(f.Fields))}
	}
	for i, field := range f.Fields {
		if err := field.Check(answers[i]); err != nil {
			return &AnswerError{Field: i, Prompt: field.Prompt, Err: err}
		}
	}
	return nil
}

// Check validates the answer to one field.
func (f FormField) Check(answer string) error {
	switch {
	case f.Kind == FieldFile:
	case f.Kind == FieldNote && answer != "":
		return errors.New("a note takes no answer")
	case f.Kind == FieldChoice && !slices.Contains(f.Choices, answer):
		return errors.New("not one of the choices")
	case f.Kind == FieldCheck && answer != "0" && answer != "1":
		return errors.New("write 1 for yes or 0 for no")
	case strings.ContainsAny(answer, "\r\x00"):
		return errors.New("an answer must not contain CR or NUL")
	case f.Kind != FieldLines && strings.Contains(answer, "\n"):
		return errors.New("a single-line answer must not contain LF")
	}
	return nil
}

// AnswerError reports an invalid answer. It never contains the answer.
type AnswerError struct {
	Field  int    // index of the field, from 0
	Prompt string // prompt of the field; not safe for a terminal
	Err    error
}

func (e *AnswerError) Error() string {
	if e.Prompt == "" {
		return fmt.Sprintf("field %d: %v", e.Field+1, e.Err)
	}
	return fmt.Sprintf("field %d, %s: %v", e.Field+1, locus.Quote(e.Prompt), e.Err)
}

func (e *AnswerError) Unwrap() error { return e.Err }

// FillFunc fills in a form. The result answers must have the format that [Form.Check]
// requires. If ok is false, the opener does not submit the form, and returns it to the caller.
type FillFunc func(ctx context.Context, f *Form) (answers []string, ok bool, err error)
