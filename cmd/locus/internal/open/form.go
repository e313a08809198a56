package open

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/cmd/locus/internal/form"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

type formDialog struct {
	a        *base.App
	tty      *base.Terminal
	form     *scheme.Form
	attempts map[int]int // number of rejected answers for each field index
	legible  form.TextDecoder

	answers []string
	hidden  bool      // the user gave a secret answer, so the command must not show the URL
	file    string    // file for the response; if empty, the command shows the response
	url     locus.URL // URL that submits the answers
	urlErr  error     // reason why no URL can submit the answers
}

func newFormDialog(a *base.App, tty *base.Terminal, f *scheme.Form) *formDialog {
	return &formDialog{a: a, tty: tty, form: f, attempts: map[int]int{}, answers: form.Presets(f)}
}

const maxAttempts = 5

// ask prompts for all answers. If the form rejects an answer, the method ask repeats the question.
func (v *formDialog) ask(ctx context.Context) error {
	v.sayLine(v.form.Title)
	for _, q := range form.Fields(v.form) {
		if err := v.field(ctx, q); err != nil {
			return err
		}
	}
	for {
		u, at, err := form.Submit(v.form, v.answers)
		if at < 0 {
			v.url, v.urlErr = u, err
			return nil
		}
		if err := v.wrong(at, err); err != nil {
			return err
		}
		if err := v.field(ctx, form.Fields(v.form)[at]); err != nil {
			return err
		}
	}
}

func (v *formDialog) field(ctx context.Context, q form.Question) error {
	if q.Number == 0 {
		v.sayLine(q.Prompt)
		return nil
	}
	for {
		text, err := v.read(ctx, q)
		switch {
		case errors.Is(err, base.ErrNoAnswer):
			return fmt.Errorf("%w: the input ended at field %s; nothing was submitted", base.ErrNoAnswer, q.Label())
		case err != nil:
			return err
		}
		answer, err := v.understand(q, text)
		if err == nil {
			v.answers[q.Index] = answer
			v.hidden = v.hidden || q.Secret() && answer != ""
			return nil
		}
		if err := v.wrong(q.Index, err); err != nil {
			return err
		}
	}
}

// wrong prints the reason why the form rejects an answer. After too many rejected answers, it
// returns an error.
func (v *formDialog) wrong(field int, why error) error {
	fmt.Fprintf(v.tty, "  %s\n", term.Safe(why.Error()))
	v.attempts[field]++
	if v.attempts[field] < maxAttempts {
		return nil
	}
	return fmt.Errorf("%w: %d invalid answers for field %s; nothing was submitted", base.ErrNoAnswer, maxAttempts, form.Fields(v.form)[field].Label())
}

func (v *formDialog) sayLine(octets string) {
	if octets != "" {
		fmt.Fprintln(v.tty, v.legible.Line(octets))
	}
}

func (v *formDialog) read(ctx context.Context, q form.Question) (string, error) {
	prompt := v.legible.Line(strings.TrimSuffix(strings.TrimSpace(q.Prompt), ":"))
	switch q.Kind {
	case scheme.FieldHidden:
		if !v.a.Registry.Scheme(v.form.URL).Traits.Has(scheme.Secure) {
			fmt.Fprintf(v.tty, "  The connection is not encrypted: others may read this answer.\n")
		}
		return v.tty.ReadSecret(ctx, prompt+" (not shown): ")
	case scheme.FieldLines:
		fmt.Fprintf(v.tty, "%s%s\n  End with a line that contains only \".\", or with Ctrl-D.\n", prompt, v.bracket(q))
		return v.readLines(ctx)
	case scheme.FieldChoice:
		fmt.Fprintf(v.tty, "%s:\n", prompt)
		for i, choice := range q.Choices {
			fmt.Fprintf(v.tty, "%5d  %s\n", i+1, v.legible.Choice(q, choice))
		}
		prompt = "Number or text"
	case scheme.FieldCheck:
		prompt += " (y/n)"
	case scheme.FieldSaveAs:
		prompt += " (file for the reply; \"-\" for none)"
	case scheme.FieldFile:
		prompt += " (path of a file to send; empty for none)"
	}
	return v.tty.ReadLine(ctx, prompt+v.bracket(q)+": ")
}

func (v *formDialog) bracket(q form.Question) string {
	if q.Preset == "" {
		return ""
	}
	return " [" + v.legible.Preset(q) + "]"
}

// readLines reads lines until the user enters a line with only a dot, or ends the input. The text
// itself can't contain a line with only a dot. A later call can read from the terminal again.
func (v *formDialog) readLines(ctx context.Context) (string, error) {
	var lines []string
	for {
		line, err := v.tty.ReadLine(ctx, "> ")
		switch {
		case errors.Is(err, base.ErrNoAnswer) || err == nil && line == ".":
			return strings.Join(lines, "\n"), nil
		case err != nil:
			return "", err
		}
		lines = append(lines, line)
	}
}

func (v *formDialog) understand(q form.Question, text string) (string, error) {
	switch {
	case q.Kind == scheme.FieldSaveAs:
		return v.saveAs(q, text)
	case text == "":
		return q.Preset, q.Check(q.Preset)
	case q.Kind == scheme.FieldFile:
		text = v.a.ExpandHome(text)
	case q.Kind == scheme.FieldChoice:
		return chooseByStart(q.Choices, text)
	}
	return q.ReadAnswer(text)
}

// chooseByStart is like [form.Choose], but also accepts an unambiguous prefix of a choice.
func chooseByStart(choices []string, text string) (string, error) {
	choice, err := form.Choose(choices, text)
	if err == nil {
		return choice, nil
	}
	var like []string
	for _, c := range choices {
		if shown := charset.Text(c); len(shown) >= len(text) && strings.EqualFold(shown[:len(text)], text) {
			like = append(like, c)
		}
	}
	switch len(like) {
	case 0:
		return "", err
	case 1:
		return like[0], nil
	}
	return "", fmt.Errorf("ambiguous: %d choices begin with this text", len(like))
}

// saveAs sets the file for the response. The command submits only the file name, not the
// directory.
func (v *formDialog) saveAs(q form.Question, text string) (string, error) {
	switch {
	case text == "":
		text = q.Preset
	case text == "-":
		text = ""
	default:
		text = v.a.ExpandHome(text)
	}
	v.file = ""
	if text == "" {
		return "", nil
	}
	name := filepath.Base(text)
	switch _, err := os.Lstat(text); {
	case os.IsPathSeparator(text[len(text)-1]) || !filepath.IsLocal(name) || name == ".":
		return "", fmt.Errorf("%s is not a file name", locus.Quote(text))
	case err == nil:
		return "", fmt.Errorf("%s already exists: choose another name", locus.Quote(text))
	}
	if _, err := os.Stat(filepath.Dir(text)); err != nil {
		return "", err
	}
	v.file = text
	return name, q.Check(name)
}
