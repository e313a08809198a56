package page

import (
	"errors"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/locus-url/locus/scheme"
)

// maxRadios is the maximum number of choices for radio buttons.
const maxRadios = 5

// Form writes the page of a form with the previous answers. If answers is nil, the page shows the
// defaults. If the gateway rejected the previous answers, problem is the reason; otherwise it is
// nil.
func (p *Printer) Form(w io.Writer, h *Head, f *scheme.Form, answers []string, problem error) error {
	g := p.beginPage(w, h, nil, kindOfForm(f), "")
	g.writeForm(f, answers, problem)
	return g.endPage(nil)
}

// kindOfForm returns the kind of a form. A form with a single text field is a search.
func kindOfForm(f *scheme.Form) kind {
	if isSearch(f) {
		return kindSearch
	}
	return kindForm
}

func isSearch(f *scheme.Form) bool {
	return len(f.Fields) == 1 && f.Fields[0].Kind == scheme.FieldText
}

// FieldName returns the name of the HTML input for field i of a form. The first field has
// the index 0.
func FieldName(i int) string { return "f" + strconv.Itoa(i) }

// Answers extracts the answers for scheme.Form.Check from submitted values. The values also
// contain "url" (the URL of the form) and "token". The caller must add the contents of
// files under the names of their fields.
func Answers(f *scheme.Form, values url.Values) []string {
	answers := make([]string, len(f.Fields))
	for i, field := range f.Fields {
		text := values.Get(FieldName(i))
		switch field.Kind {
		case scheme.FieldNote:
			text = ""
		case scheme.FieldChoice:
			if n, ok := strings.CutPrefix(text, choiceValue); ok {
				if n, err := strconv.Atoi(n); err == nil && n >= 0 && n < len(field.Choices) {
					text = field.Choices[n]
				}
			}
		case scheme.FieldCheck:
			if text != "1" {
				text = "0"
			}
		case scheme.FieldLines:
			// HTML forms send CR LF line ends.
			text = strings.ReplaceAll(text, "\r\n", "\n")
		}
		answers[i] = text
	}
	return answers
}

// choiceValue is the prefix of the HTML value of a choice. The index of the choice follows the
// prefix. The HTML value can't be the text of the choice, because that text may contain invalid
// characters.
const choiceValue = "choice-"

// HasFile reports whether the form f contains a file field. A page sends such a form as
// multipart/form-data.
func HasFile(f *scheme.Form) bool {
	return slices.ContainsFunc(f.Fields, func(field scheme.FormField) bool { return field.Kind == scheme.FieldFile })
}

// question is the data for the template "form".
type question struct {
	Action, URL, Token string
	Title              string
	Search, File       bool
	Fields             []questionField
	Problem            string
}

type questionField struct {
	Name    string
	Kind    scheme.FieldKind
	Prompt  string
	Value   string
	Choices []choice
	Radios  bool
	Checked bool
	Problem string
}

type choice struct {
	Text, Value string
	Chosen      bool
}

// writeForm writes the HTML form.
func (g *page) writeForm(f *scheme.Form, answers []string, problem error) {
	u := f.URL
	if u.IsZero() {
		u = g.h.URL
	}
	q := question{
		Action: g.site.Submit, URL: withoutPassword(u).String(), Token: g.h.Token, Title: safeText(f.Title),
		Search: isSearch(f), File: HasFile(f),
	}
	if q.Title == g.title() {
		q.Title = ""
	}
	var at *scheme.AnswerError
	if !errors.As(problem, &at) && problem != nil {
		q.Problem = safeText(problem.Error())
	}
	if len(answers) != len(f.Fields) {
		answers = f.Defaults()
	}
	for i, field := range f.Fields {
		d := questionField{Name: FieldName(i), Kind: field.Kind, Prompt: safeText(field.Prompt), Value: safeLines(answers[i])}
		if at != nil && at.Field == i && at.Err != nil {
			d.Problem = safeText(at.Err.Error())
		}
		switch field.Kind {
		case scheme.FieldNote:
			d.Prompt = safeLines(field.Prompt)
		case scheme.FieldCheck:
			d.Checked = answers[i] == "1"
		case scheme.FieldHidden, scheme.FieldFile:
			d.Value = ""
		case scheme.FieldChoice:
			d.Radios = len(field.Choices) <= maxRadios
			for n, each := range field.Choices {
				d.Choices = append(d.Choices, choice{safeText(each), choiceValue + itoa(int64(n)), each == answers[i]})
			}
		}
		q.Fields = append(q.Fields, d)
	}
	g.writePiece("form", q)
}
