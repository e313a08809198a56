package get

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/locus-url/locus/cmd/locus/internal/form"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/scheme"
)

// answers holds the answers from the flags, which apply to all forms.
type answers struct {
	flags []string    // values of --answer
	file  []fileValue // answers from --answers, in order
	asked atomic.Bool // the method fill has received a form
}

// fileValue is one answer in the file for --answers.
type fileValue struct {
	named bool   // true if field selects the question; otherwise the position in the list selects it
	field string // number or prompt
	value any    // string, bool, json.Number, []any or nil
}

// newAnswers parses the answers from the flags. It returns nil if the flags contain no answers.
func newAnswers(a *base.App, flags []string, file string, stdin bool) (*answers, error) {
	if len(flags) == 0 && file == "" {
		return nil, nil
	}
	x := &answers{flags: flags}
	var err error
	switch {
	case file == "":
	case file != "-":
		var f *os.File
		if f, err = os.Open(file); err == nil {
			x.file, err = parseAnswers(f)
			f.Close()
		}
	case stdin:
		err = errors.New("standard input can't be both the list of URLs and the answers")
	default:
		x.file, err = parseAnswers(a.Stdin())
	}
	if err != nil {
		return nil, fmt.Errorf("--answers: %w", err)
	}
	return x, nil
}

// parseAnswers reads a JSON object with answers by field, or a JSON list with answers in the order
// of the questions.
func parseAnswers(r io.Reader) ([]fileValue, error) {
	d := json.NewDecoder(io.LimitReader(r, form.MaxFile))
	d.UseNumber()
	start, err := d.Token()
	if err != nil {
		return nil, asJSONError(err)
	}
	if start != json.Delim('{') && start != json.Delim('[') {
		return nil, errors.New("write a JSON object of answers by field, or a list of answers in order")
	}
	list := []fileValue{}
	for d.More() {
		v := fileValue{named: start == json.Delim('{')}
		if v.named {
			field, err := d.Token()
			if err != nil {
				return nil, asJSONError(err)
			}
			v.field, _ = field.(string)
		}
		if err := d.Decode(&v.value); err != nil {
			return nil, asJSONError(err)
		}
		list = append(list, v)
	}
	if _, err := d.Token(); err != nil {
		return nil, asJSONError(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("unexpected text after the JSON")
	}
	return list, nil
}

func asJSONError(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("not JSON: %w", err)
}

// fill answers a form. It reports invalid answers before the submission.
func (x *answers) fill(_ context.Context, f *scheme.Form) ([]string, bool, error) {
	x.asked.Store(true)
	list := form.Presets(f)
	if err := x.apply(form.Questions(f), list); err != nil {
		return nil, false, base.NewWrongAnswer(err)
	}
	if _, at, err := form.Submit(f, list); at >= 0 {
		return nil, false, err
	}
	return list, true, nil
}

// apply stores the answers in list. The parameter all contains the questions of the form.
func (x *answers) apply(all []form.Question, list []string) error {
	seen := map[int]bool{}
	for i, v := range x.file {
		q, err := v.question(i, all)
		if err != nil {
			return fmt.Errorf("--answers: value %d: %w", i+1, err)
		}
		if seen[q.Index] {
			return fmt.Errorf("--answers: field %s is answered twice", q.Label())
		}
		seen[q.Index] = true
		if v.value == nil {
			continue
		}
		if list[q.Index], err = jsonAnswer(q, v.value); err != nil {
			return fmt.Errorf("--answers: field %s: %w", q.Label(), err)
		}
	}
	clear(seen)
	for i, text := range x.flags {
		q, text, err := splitAnswer(all, text)
		if err != nil {
			// The text may be a password, so the error omits it.
			return fmt.Errorf("--answer number %d: %w", i+1, err)
		}
		if seen[q.Index] {
			return fmt.Errorf("--answer: field %s is answered twice", q.Label())
		}
		seen[q.Index] = true
		if list[q.Index], err = q.ReadAnswer(text); err != nil {
			return fmt.Errorf("--answer: field %s: %w", q.Label(), err)
		}
	}
	for _, q := range all {
		if err := q.Check(list[q.Index]); err != nil {
			return fmt.Errorf("field %s: %w", q.Label(), err)
		}
	}
	return nil
}

func (v fileValue) question(i int, all []form.Question) (form.Question, error) {
	switch {
	case v.named:
		return findQuestion(all, v.field)
	case i >= len(all):
		return form.Question{}, noSuchField(all)
	}
	return all[i], nil
}

func jsonAnswer(q form.Question, v any) (string, error) {
	switch v := v.(type) {
	case string:
		return q.ReadAnswer(v)
	case json.Number:
		return q.ReadAnswer(v.String())
	case bool:
		if q.Kind == scheme.FieldCheck {
			return q.ReadAnswer(strconv.FormatBool(v))
		}
		return "", errors.New("true and false only answer fields of kind check")
	case []any:
		if q.Kind != scheme.FieldLines {
			return "", errors.New("a list only answers fields of kind lines")
		}
		lines := make([]string, len(v))
		for i, line := range v {
			var ok bool
			if lines[i], ok = line.(string); !ok {
				return "", errors.New("lines must be strings")
			}
		}
		return q.ReadAnswer(strings.Join(lines, "\n"))
	}
	return "", errors.New("an object is not an answer")
}

// splitAnswer splits a text of the form FIELD=TEXT. FIELD may contain "=", because prompts may
// contain "=". If the form contains a single question, the whole text is the answer.
func splitAnswer(all []form.Question, text string) (q form.Question, answer string, err error) {
	if len(all) == 1 {
		return all[0], text, nil
	}
	for i := range len(text) {
		if text[i] != '=' {
			continue
		}
		if q, err = findQuestion(all, text[:i]); err == nil || errors.Is(err, errTwoFields) {
			return q, text[i+1:], err
		}
	}
	return form.Question{}, "", noSuchField(all)
}

// findQuestion returns the question with the given number or prompt.
func findQuestion(all []form.Question, field string) (form.Question, error) {
	if n, err := strconv.Atoi(strings.TrimSpace(field)); err == nil && n >= 1 && n <= len(all) {
		return all[n-1], nil
	}
	named := slices.DeleteFunc(slices.Clone(all), func(q form.Question) bool { return !strings.EqualFold(q.ShortPrompt(), form.PromptName(field)) })
	switch len(named) {
	case 0:
		return form.Question{}, noSuchField(all)
	case 1:
		return named[0], nil
	}
	return form.Question{}, errTwoFields
}

var errTwoFields = errors.New("matches more than one field: use the field's number")

// noSuchField returns an error that lists the fields of a form.
func noSuchField(all []form.Question) error {
	labels := make([]string, len(all))
	for i, q := range all {
		labels[i] = q.Label()
	}
	if len(labels) == 0 {
		return errors.New("unknown field: the form has none to answer")
	}
	return fmt.Errorf("unknown field: choose %s", strings.Join(labels, ", "))
}
