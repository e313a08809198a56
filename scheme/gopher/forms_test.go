package gopher

import (
	"errors"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

func TestWordsForms(t *testing.T) {
	search := func(g URL) *scheme.Form { return wordsForm(g, "Search it", "Words to search for") }
	phoneForm := func(g URL) *scheme.Form { return wordsForm(g, "Phone book", "Name to look up") }
	for _, c := range []struct {
		url   string
		form  func(URL) *scheme.Form
		title string
		words string
		want  string // empty if the form must reject the words
	}{
		{"gopher://h/7sel", search, "Search it", "one", "gopher://h/7sel%09one"},
		{"gopher://h:7070/7/a%20b%25", search, "Search it", "two words", "gopher://h:7070/7/a%20b%25%09two%20words"},
		{"gophers://h/7sel", search, "Search it", "a+b?c/d#e%", "gophers://h/7sel%09a+b%3Fc%2Fd%23e%25"},
		{"gopher://[::1]/7sel", search, "Search it", "caf\u00e9", "gopher://[::1]/7sel%09caf%C3%A9"},
		{"gopher://h/7sel%09%09+", search, "Search it", "one", "gopher://h/7sel%09one%09+"},
		{"gopher://h/7sel%09%09+application/gopher-menu%20En_US", search, "Search it", "one", "gopher://h/7sel%09one%09+application/gopher-menu%20En_US"},
		{"gopher://h/7", search, "Search it", "one", "gopher://h/7%09one"},
		{"gopher://h:105/2", phoneForm, "Phone book", "smith", "gopher://h:105/2%09smith"},
		{"gopher://h:105/2", phoneForm, "Phone book", "name=smith return email", "gopher://h:105/2%09name=smith%20return%20email"},
		{"gopher://h/7sel", search, "Search it", "", ""},
		{"gopher://h/7sel", search, "Search it", " ", ""},
		{"gopher://h/7sel", search, "Search it", "a\tb", ""},
		{"gopher://h/7sel", search, "Search it", "a\rb", ""},
		{"gopher://h/7sel", search, "Search it", "a\nb", ""},
		{"gopher://h/7sel", search, "Search it", "a\x00b", ""},
		{"gopher://h:105/2", phoneForm, "Phone book", "smith\r\nquit", ""},
		{"gopher://h:105/2", phoneForm, "Phone book", "", ""},
	} {
		g := parse(t, c.url)
		f := c.form(g)
		if f.URL != g.URL() || f.Title != c.title || len(f.Fields) != 1 || f.Fields[0].Kind != scheme.FieldText || f.Fields[0].Prompt == "" {
			t.Errorf("%s: form %+v", c.url, f)
		}
		u, err := f.Submit([]string{c.words})
		if c.want == "" {
			answer := (*scheme.AnswerError)(nil)
			if !errors.As(err, &answer) || answer.Field != 0 || answer.Prompt != f.Fields[0].Prompt || !u.IsZero() {
				t.Errorf("%s: %q: %v, %v, want an AnswerError", c.url, c.words, u, err)
			}
			continue
		}
		if err != nil || u.String() != c.want {
			t.Errorf("%s: %q submits %v, %v, want %s", c.url, c.words, u, err, c.want)
			continue
		}
		submitted := parse(t, u.String())
		if got, _ := submitted.Search(); got != c.words || submitted.Type() != g.Type() || submitted.Selector() != g.Selector() {
			t.Errorf("%s: %q comes out as %q", c.url, c.words, got)
		}
	}
	f := wordsForm(parse(t, "gopher://h/7sel"), "", "Words to search for")
	for _, answers := range [][]string{nil, {"a", "b"}} {
		if _, err := f.Submit(answers); !errors.As(err, new(*scheme.AnswerError)) {
			t.Errorf("%q: %v, want an AnswerError", answers, err)
		}
	}
	if _, err := f.Submit([]string{strings.Repeat("x", 1<<16)}); !errors.As(err, new(*locus.SyntaxError)) {
		t.Errorf("words that fit in no URL: %v", err)
	}
}
