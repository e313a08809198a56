package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// question is a field of a form. People know one that takes an answer by its
// number, from 1, or by its prompt; a note has the number 0.
type question struct {
	scheme.FormField
	index    int // among all fields, from 0
	number   int
	standing string // the answer if nobody gives another
}

// formFields are all fields of a form.
func formFields(f *scheme.Form) []question {
	list := make([]question, len(f.Fields))
	answers := f.Defaults()
	number := 0
	for i, field := range f.Fields {
		q := question{FormField: field, index: i, standing: answers[i]}
		switch field.Kind {
		case scheme.FieldNote, scheme.FieldFile:
			// A note has no answer, and a server names no file of this machine.
			q.standing = ""
		case scheme.FieldSaveAs:
			q.standing = transfer.SafeName(field.Default)
		}
		if field.Kind != scheme.FieldNote {
			number++
			q.number = number
		}
		list[i] = q
	}
	return list
}

// questions are the fields of a form that take an answer.
func questions(f *scheme.Form) []question {
	return slices.DeleteFunc(formFields(f), func(q question) bool { return q.number == 0 })
}

// standing are the answers to a form if nobody gives others.
func standing(f *scheme.Form) []string {
	answers := make([]string, len(f.Fields))
	for i, q := range formFields(f) {
		answers[i] = q.standing
	}
	return answers
}

// name is what people call the question.
func (q question) name() string { return promptName(q.Prompt) }

// promptName returns a prompt as text, without the colon at its end.
func promptName(octets string) string {
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(term.Characters(octets)), ":"))
}

// label names the question in a message.
func (q question) label() string { return fmt.Sprintf("%d %s", q.number, quoteText(q.name())) }

// quoteText puts text into a message, shortened.
func quoteText(text string) string { return `"` + term.Truncate(term.Safe(text), mostShown) + `"` }

// answer makes the answer of what somebody wrote. The error does not hold it,
// unless it is the path of a file.
func (q question) answer(text string) (string, error) {
	var err error
	switch q.Kind {
	case scheme.FieldChoice:
		text, err = choose(q.Choices, text)
	case scheme.FieldCheck:
		text, err = yesOrNo(text)
	case scheme.FieldFile:
		return readAnswer(text)
	case scheme.FieldSaveAs:
		if strings.ContainsAny(text, `/\`) {
			err = errors.New("a name is wanted, and no path")
		}
	}
	if err != nil {
		return "", err
	}
	return text, q.Check(text)
}

// choose returns the choice that is text, or has that number.
func choose(choices []string, text string) (string, error) {
	for _, choice := range choices {
		if term.Characters(choice) == text {
			return choice, nil
		}
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(choices) {
		return choices[n-1], nil
	}
	return "", fmt.Errorf("not one of the choices, which are %s", listChoices(choices))
}

func listChoices(choices []string) string {
	list := make([]string, len(choices))
	for i, choice := range choices {
		list[i] = fmt.Sprintf("%d %s", i+1, quoteText(term.Characters(choice)))
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
	return "", errors.New("neither y for yes nor n for no")
}

// mostAnswer is the longest file that is sent as an answer, in octets.
const mostAnswer = 16 << 20

// readAnswer reads the file that is to be sent. An empty path names none.
func readAnswer(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	// A pipe could hold up its opening.
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	octets, err := io.ReadAll(io.LimitReader(f, mostAnswer+1))
	if err == nil && len(octets) > mostAnswer {
		err = fmt.Errorf("%s: more than %d octets, which are the most", path, mostAnswer)
	}
	return string(octets), err
}

// submission returns the URL that submits the answers. If a question does not
// take its answer, the error is about that question by the number that people
// know, and at is its index; else at is -1.
func submission(f *scheme.Form, answers []string) (u locus.URL, at int, err error) {
	u, err = f.Submit(answers)
	var wrong *scheme.AnswerError
	if !errors.As(err, &wrong) {
		return u, -1, err
	}
	for _, q := range questions(f) {
		if q.index == wrong.Field {
			return u, q.index, newWrongAnswer(fmt.Errorf("field %s: %w", q.label(), wrong.Err))
		}
	}
	return u, -1, err
}

// narrowIndent is the column in which the titles of a menu, and the prompts of a form, begin.
const narrowIndent = 5 + 2 + 7 + 2

// formRows shows a form to people: number, kind and prompt of each question, in
// the columns of a narrow table. f may be nil.
func formRows(f *scheme.Form, l *legible) []string {
	if f == nil {
		return nil
	}
	var rows []string
	if f.Title != "" {
		rows = append(rows, l.line(f.Title))
	}
	for _, q := range formFields(f) {
		rows = append(rows, strings.TrimRight(l.formRow(q), " "))
	}
	return rows
}

func (l *legible) formRow(q question) string {
	if q.number == 0 {
		return fmt.Sprintf("%*s%s", narrowIndent, "", l.line(q.Prompt))
	}
	row := fmt.Sprintf("%5d  %-7s  %s", q.number, q.Kind, l.line(q.Prompt))
	switch {
	case q.Kind == scheme.FieldChoice:
		row += "  " + l.choices(q)
	case q.standing != "" && !q.Secret():
		row += "  [" + l.standing(q) + "]"
	}
	return row
}

// choices lists the choices of a question in one line.
func (l *legible) choices(q question) string {
	list := make([]string, len(q.Choices))
	for i, choice := range q.Choices {
		list[i] = fmt.Sprintf("%d %s", i+1, l.choice(q, choice))
	}
	return strings.Join(list, ", ")
}

// choice is one choice of a question.
func (l *legible) choice(q question, choice string) string {
	text := l.line(choice)
	if choice == q.standing {
		text += " (default)"
	}
	return text
}

// standing shows the answer that stands if nobody gives another.
func (l *legible) standing(q question) string {
	if q.Kind == scheme.FieldCheck {
		return map[string]string{"1": "y", "0": "n"}[q.standing]
	}
	return term.Truncate(l.line(q.standing), mostShown)
}

// mostShown is how many columns a text may take that is shown besides others.
const mostShown = 60

// howToAnswer says how to fill in a form.
func howToAnswer(f *scheme.Form) string {
	how := "--answer FIELD=TEXT"
	if len(questions(f)) == 1 {
		how = "--answer TEXT"
	}
	return fmt.Sprintf("this wants answers: \"locus open\" asks for them, %q of \"locus get\" gives them", how)
}

// describeForm returns nil for nil.
func describeForm(f *scheme.Form, at locus.URL) *shape.Form {
	if f == nil {
		return nil
	}
	return shape.NewForm(f, at, standing(f))
}

// legible makes octets that are not UTF-8 legible, and remembers that there were
// some.
type legible struct{ latin1 bool }

// line returns octets as one safe line.
func (l *legible) line(octets string) string {
	if !utf8.ValidString(octets) {
		l.latin1 = true
	}
	return term.Safe(term.Characters(octets))
}
