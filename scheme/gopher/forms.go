package gopher

import (
	"errors"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// wordsForm returns a form with one field, whose answer becomes the search of g
// (section 3.4.2). Submit keeps the Gopher+ string of g.
func wordsForm(g URL, title, prompt string) *scheme.Form {
	f := &scheme.Form{
		URL:    g.url,
		Title:  title,
		Fields: []scheme.FormField{{Kind: scheme.FieldText, Prompt: prompt}},
	}
	f.Submit = func(answers []string) (locus.URL, error) {
		if err := f.Check(answers); err != nil {
			return locus.URL{}, err
		}
		if err := checkWords(answers[0]); err != nil {
			return locus.URL{}, &scheme.AnswerError{Prompt: prompt, Err: err}
		}
		p := g.parts()
		p.Search = &answers[0]
		submitted, err := p.URL()
		return submitted.url, err
	}
	return f
}

// checkWords returns an error if words can't be searched for.
func checkWords(words string) error {
	switch {
	case strings.Trim(words, " ") == "":
		return errors.New("enter at least one word")
	case strings.ContainsAny(words, "\t\r\n\x00"):
		return errors.New("words can't contain TAB, CR, LF or NUL")
	}
	return nil
}
