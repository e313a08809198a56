package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

// interview asks a person the questions of a form.
type interview struct {
	a        *app
	tty      *terminal
	form     *scheme.Form
	attempts map[int]int // wrong answers, by the index of the field
	legible  legible

	answers []string
	hidden  bool      // one of them was not shown
	file    string    // where the reply goes; empty: it is shown
	url     locus.URL // submits the answers,
	urlErr  error     // or why none does
}

func newInterview(a *app, tty *terminal, f *scheme.Form) *interview {
	return &interview{a: a, tty: tty, form: f, attempts: map[int]int{}, answers: standing(f)}
}

// mostAttempts is how many wrong answers to one question there may be.
const mostAttempts = 5

// ask asks every question, and those again whose answers the form does not take.
func (v *interview) ask(ctx context.Context) error {
	v.sayLine(v.form.Title)
	for _, q := range formFields(v.form) {
		if err := v.field(ctx, q); err != nil {
			return err
		}
	}
	for {
		u, at, err := submission(v.form, v.answers)
		if at < 0 {
			v.url, v.urlErr = u, err
			return nil
		}
		if err := v.wrong(at, err); err != nil {
			return err
		}
		if err := v.field(ctx, formFields(v.form)[at]); err != nil {
			return err
		}
	}
}

// field asks for the answer to q until it is one.
func (v *interview) field(ctx context.Context, q question) error {
	if q.number == 0 {
		v.sayLine(q.Prompt)
		return nil
	}
	for {
		text, err := v.read(ctx, q)
		switch {
		case errors.Is(err, errNoAnswer):
			return fmt.Errorf("%w: the input ended at field %s, and nothing was submitted", errNoAnswer, q.label())
		case err != nil:
			return err
		}
		answer, err := v.understand(q, text)
		if err == nil {
			v.answers[q.index] = answer
			v.hidden = v.hidden || q.Secret() && answer != ""
			return nil
		}
		if err := v.wrong(q.index, err); err != nil {
			return err
		}
	}
}

// wrong explains why the answer to a field is none. The error is that there were
// too many of them.
func (v *interview) wrong(field int, why error) error {
	fmt.Fprintf(v.tty, "  %s\n", term.Safe(why.Error()))
	v.attempts[field]++
	if v.attempts[field] < mostAttempts {
		return nil
	}
	return fmt.Errorf("%w: %d were wrong for field %s, and nothing was submitted", errNoAnswer, mostAttempts, formFields(v.form)[field].label())
}

// sayLine shows a line of the server's, unless it is empty.
func (v *interview) sayLine(octets string) {
	if octets != "" {
		fmt.Fprintln(v.tty, v.legible.line(octets))
	}
}

// read asks for what is typed in answer to q.
func (v *interview) read(ctx context.Context, q question) (string, error) {
	prompt := v.legible.line(strings.TrimSuffix(strings.TrimSpace(q.Prompt), ":"))
	switch q.Kind {
	case scheme.FieldHidden:
		if !v.a.registry.Scheme(v.form.URL).Traits.Has(scheme.Secure) {
			fmt.Fprintf(v.tty, "  Nothing is encrypted on the way: whoever listens there can read the answer to this.\n")
		}
		return v.tty.secret(ctx, prompt+" (not shown): ")
	case scheme.FieldLines:
		fmt.Fprintf(v.tty, "%s%s\n  Lines up to one that is only \".\", or to Ctrl-D.\n", prompt, v.bracket(q))
		return v.readLines(ctx)
	case scheme.FieldChoice:
		fmt.Fprintf(v.tty, "%s:\n", prompt)
		for i, choice := range q.Choices {
			fmt.Fprintf(v.tty, "%5d  %s\n", i+1, v.legible.choice(q, choice))
		}
		prompt = "Number or text"
	case scheme.FieldCheck:
		prompt += " (y/n)"
	case scheme.FieldSaveAs:
		prompt += " (file for the reply; \"-\": none)"
	case scheme.FieldFile:
		prompt += " (path of a file to send; nothing: none)"
	}
	return v.tty.line(ctx, prompt+v.bracket(q)+": ")
}

// bracket shows the answer that Enter takes.
func (v *interview) bracket(q question) string {
	if q.standing == "" {
		return ""
	}
	return " [" + v.legible.standing(q) + "]"
}

// readLines reads lines. The end of the input ends them as well as a dot does: on
// a terminal it is no end for good. There is no way to write a line that is a dot:
// no form can send one.
func (v *interview) readLines(ctx context.Context) (string, error) {
	var lines []string
	for {
		line, err := v.tty.line(ctx, "> ")
		switch {
		case errors.Is(err, errNoAnswer) || err == nil && line == ".":
			return strings.Join(lines, "\n"), nil
		case err != nil:
			return "", err
		}
		lines = append(lines, line)
	}
}

// understand makes the answer of what was typed.
func (v *interview) understand(q question, text string) (string, error) {
	switch {
	case q.Kind == scheme.FieldSaveAs:
		return v.saveAs(q, text)
	case text == "":
		return q.standing, q.Check(q.standing)
	case q.Kind == scheme.FieldFile:
		text = v.a.inHome(text)
	case q.Kind == scheme.FieldChoice:
		return chooseByStart(q.Choices, text)
	}
	return q.answer(text)
}

// chooseByStart is choose for people: the beginning of a choice will do if it is
// that of no other.
func chooseByStart(choices []string, text string) (string, error) {
	choice, err := choose(choices, text)
	if err == nil {
		return choice, nil
	}
	var like []string
	for _, c := range choices {
		if shown := term.Characters(c); len(shown) >= len(text) && strings.EqualFold(shown[:len(text)], text) {
			like = append(like, c)
		}
	}
	switch len(like) {
	case 0:
		return "", err
	case 1:
		return like[0], nil
	}
	return "", fmt.Errorf("%d of the choices begin so", len(like))
}

// saveAs settles where the reply goes. What is sent is the name of the file alone.
func (v *interview) saveAs(q question, text string) (string, error) {
	switch {
	case text == "":
		text = q.standing
	case text == "-":
		text = ""
	default:
		text = v.a.inHome(text)
	}
	v.file = ""
	if text == "" {
		return "", nil
	}
	name := filepath.Base(text)
	switch _, err := os.Lstat(text); {
	case os.IsPathSeparator(text[len(text)-1]) || !filepath.IsLocal(name) || name == ".":
		return "", fmt.Errorf("%s names no file", locus.Quote(text))
	case err == nil:
		return "", fmt.Errorf("%s is there already, and is not replaced", locus.Quote(text))
	}
	if _, err := os.Stat(filepath.Dir(text)); err != nil {
		return "", err
	}
	v.file = text
	return name, q.Check(name)
}
