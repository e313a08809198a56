package gopher

import (
	"errors"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// searchForm asks for the words of a search: g is of type 7 and has none (section
// 3.4.2). Submit keeps a Gopher+ string that g has.
func searchForm(g URL, title string) *scheme.Form {
	return wordsForm(g, title, "Words to search for")
}

// phoneForm asks whom to look for in a phone book: g is of type 2 and has no words.
func phoneForm(g URL) *scheme.Form {
	return wordsForm(g, "Phone book", "Whom to look for")
}

// wordsForm is a form of one field, whose answer is the search of g.
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
		submitted, err := g.withSearch(answers[0])
		return submitted.url, err
	}
	return f
}

// checkWords says why words can't be looked for, if they can't.
func checkWords(words string) error {
	switch {
	case strings.Trim(words, " ") == "":
		return errors.New("no words to look for")
	case strings.ContainsAny(words, "\t\r\n\x00"):
		return errors.New("words can't hold TAB, CR, LF or NUL")
	}
	return nil
}

// withSearch returns g with other words for its search.
func (g URL) withSearch(words string) (URL, error) {
	p := g.parts()
	p.Search = &words
	return p.URL()
}
