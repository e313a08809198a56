// Package form converts the fields of a form to questions for users, and converts the texts that
// users enter to answers.
package form

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// Question is a field in a form. Users refer to a question by its number or its prompt. A note,
// which accepts no answer, has the number 0.
type Question struct {
	scheme.FormField
	Index  int // index among all fields of the form, from 0
	Number int
	Preset string // default answer
}

// Fields returns all fields in a form.
func Fields(f *scheme.Form) []Question {
	list := make([]Question, len(f.Fields))
	answers := f.Defaults()
	number := 0
	for i, field := range f.Fields {
		q := Question{FormField: field, Index: i, Preset: answers[i]}
		switch field.Kind {
		case scheme.FieldNote, scheme.FieldFile:
			// A note accepts no answer, and a server must not choose a local file.
			q.Preset = ""
		case scheme.FieldSaveAs:
			q.Preset = transfer.SafeName(field.Default)
		}
		if field.Kind != scheme.FieldNote {
			number++
			q.Number = number
		}
		list[i] = q
	}
	return list
}

// Questions returns the fields of a form that accept an answer.
func Questions(f *scheme.Form) []Question {
	return slices.DeleteFunc(Fields(f), func(q Question) bool { return q.Number == 0 })
}

// Presets returns the default answers to a form.
func Presets(f *scheme.Form) []string {
	answers := make([]string, len(f.Fields))
	for i, q := range Fields(f) {
		answers[i] = q.Preset
	}
	return answers
}

// ShortPrompt returns the prompt in the form that messages and flags use.
func (q Question) ShortPrompt() string { return PromptName(q.Prompt) }

// PromptName returns a prompt as text, without a final colon.
func PromptName(octets string) string {
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(charset.Text(octets)), ":"))
}

// Label returns the name of the question for a message.
func (q Question) Label() string { return fmt.Sprintf("%d %s", q.Number, Quote(q.ShortPrompt())) }

// Quote quotes and shortens text for a message.
func Quote(text string) string { return `"` + term.Truncate(term.Safe(text), MaxShown) + `"` }

// ReadAnswer converts a typed text to an answer. Errors contain no part of the text, except for
// file paths.
func (q Question) ReadAnswer(text string) (string, error) {
	var err error
	switch q.Kind {
	case scheme.FieldChoice:
		text, err = Choose(q.Choices, text)
	case scheme.FieldCheck:
		text, err = yesOrNo(text)
	case scheme.FieldFile:
		if text == "" {
			return "", nil
		}
		octets, err := base.ReadFile(text, MaxFile)
		return string(octets), err
	case scheme.FieldSaveAs:
		if strings.ContainsAny(text, `/\`) {
			err = errors.New("write a file name, not a path")
		}
	}
	if err != nil {
		return "", err
	}
	return text, q.Check(text)
}

// Choose returns the choice with the given text or number.
func Choose(choices []string, text string) (string, error) {
	for _, choice := range choices {
		if charset.Text(choice) == text {
			return choice, nil
		}
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(choices) {
		return choices[n-1], nil
	}
	return "", fmt.Errorf("invalid choice: choose %s", listChoices(choices, func(c string) string { return Quote(charset.Text(c)) }))
}

func listChoices(choices []string, text func(choice string) string) string {
	list := make([]string, len(choices))
	for i, choice := range choices {
		list[i] = fmt.Sprintf("%d %s", i+1, text(choice))
	}
	return strings.Join(list, ", ")
}

func yesOrNo(text string) (string, error) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "1", "y", "yes", "true":
		return "1", nil
	case "0", "n", "no", "false":
		return "0", nil
	}
	return "", errors.New("write y for yes or n for no")
}

// MaxFile is the maximum size, in bytes, of a file that a user submits as an answer.
const MaxFile = 16 << 20

// Submit returns the URL that submits the answers. If a question rejects its answer, the result at
// is the index of the question, and the error contains the number of the question. Otherwise, at
// is -1.
func Submit(f *scheme.Form, answers []string) (u locus.URL, at int, err error) {
	u, err = f.Submit(answers)
	var wrong *scheme.AnswerError
	if !errors.As(err, &wrong) {
		return u, -1, err
	}
	for _, q := range Questions(f) {
		if q.Index == wrong.Field {
			return u, q.Index, base.NewWrongAnswer(fmt.Errorf("field %s: %w", q.Label(), wrong.Err))
		}
	}
	return u, -1, err
}

// Indent is the column at which menu titles and form prompts begin.
const Indent = 5 + 2 + 7 + 2

// Rows returns the lines that display a form. Each line contains the number, kind and prompt of a
// question, in the columns of a narrow menu. The form f may be nil.
func Rows(f *scheme.Form, l *TextDecoder) []string {
	if f == nil {
		return nil
	}
	var rows []string
	if f.Title != "" {
		rows = append(rows, l.Line(f.Title))
	}
	for _, q := range Fields(f) {
		rows = append(rows, strings.TrimRight(l.formRow(q), " "))
	}
	return rows
}

func (l *TextDecoder) formRow(q Question) string {
	if q.Number == 0 {
		return fmt.Sprintf("%*s%s", Indent, "", l.Line(q.Prompt))
	}
	row := fmt.Sprintf("%5d  %-7s  %s", q.Number, q.Kind, l.Line(q.Prompt))
	switch {
	case q.Kind == scheme.FieldChoice:
		row += "  " + listChoices(q.Choices, func(c string) string { return l.Choice(q, c) })
	case q.Preset != "" && !q.Secret():
		row += "  [" + l.Preset(q) + "]"
	}
	return row
}

// Choice returns a choice of a question, decoded for display.
func (l *TextDecoder) Choice(q Question, choice string) string {
	text := l.Line(choice)
	if choice == q.Preset {
		text += " (default)"
	}
	return text
}

// Preset returns the default answer to a question, decoded for display.
func (l *TextDecoder) Preset(q Question) string {
	if q.Kind == scheme.FieldCheck {
		return map[string]string{"1": "y", "0": "n"}[q.Preset]
	}
	return term.Truncate(l.Line(q.Preset), MaxShown)
}

// MaxShown is the maximum width, in columns, of a text that a message quotes.
const MaxShown = 60

// Hint returns advice about the flags that answer a form.
func Hint(f *scheme.Form) string {
	how := "--answer FIELD=TEXT"
	if len(Questions(f)) == 1 {
		how = "--answer TEXT"
	}
	return fmt.Sprintf("this URL is a form: use \"locus open URL\", or \"locus get %s URL\"", how)
}

// JSON returns the JSON description of a form. If f is nil, it returns nil.
func JSON(f *scheme.Form, at locus.URL) *shape.Form {
	if f == nil {
		return nil
	}
	return shape.NewForm(f, at, Presets(f))
}

// TextDecoder decodes texts in UTF-8 or ISO Latin 1, and records whether it decoded a text in ISO
// Latin 1.
type TextDecoder struct{ Latin1 bool }

// Line decodes a text, and returns it as one line that is safe for a terminal.
func (l *TextDecoder) Line(octets string) string {
	if !utf8.ValidString(octets) {
		l.Latin1 = true
	}
	return term.Text(octets)
}
