package browse

import (
	"strings"

	"github.com/locus-url/locus/cmd/locus/internal/form"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

// answers holds the current answers to a form.
type answers struct {
	form   *scheme.Form
	values []string
	fields []form.Question
	block  map[int]int // maps a field index to the index of the block that shows the field
	hidden bool        // the form contains a secret answer
}

// addForm adds the fields in a form as links that prompt for the answers.
func (p *page) addForm(f *scheme.Form) {
	a := &answers{form: f, values: form.Presets(f), fields: form.Fields(f), block: map[int]int{}}
	p.form = a
	if len(p.blocks) > 0 {
		p.addText(plain, "")
	}
	if title := term.Text(f.Title); title != "" {
		p.addText(bold, title)
	}
	for _, q := range a.fields {
		if q.Number == 0 {
			p.addText(plain, term.Text(q.Prompt))
			continue
		}
		p.addLink(a.row(q), link{label: "Enter changes the answer", act: func(m *model) { m.askField(p, q) }})
		a.block[q.Index] = len(p.blocks) - 1
	}
	p.addLink("Submit", link{label: "Enter sends the answers", act: func(m *model) { m.submit(p) }})
}

// row returns the line that shows a field and its answer.
func (a *answers) row(q form.Question) string {
	var d form.TextDecoder
	answer := d.Line(a.values[q.Index])
	switch {
	case q.Secret():
		answer = strings.Repeat("*", min(term.Width(answer), 8))
	case q.Kind == scheme.FieldCheck:
		answer = map[string]string{"1": "yes", "0": "no"}[a.values[q.Index]]
	case q.Kind == scheme.FieldFile && answer != "":
		answer = "(a file)"
	}
	return strings.TrimSpace(d.Line(form.PromptName(q.Prompt)) + ": [" + answer + "]")
}

// set stores an answer and shows it in the page.
func (p *page) set(q form.Question, value string) {
	a := p.form
	a.values[q.Index] = value
	a.hidden = a.hidden || q.Secret() && value != ""
	p.blocks[a.block[q.Index]].runs[0].text = a.row(q)
	p.width = 0
}

// askField prompts for an answer to a question. For a checkbox, it toggles the answer without a
// prompt.
func (m *model) askField(p *page, q form.Question) {
	a := p.form
	switch q.Kind {
	case scheme.FieldCheck:
		p.set(q, map[string]string{"1": "0", "0": "1"}[a.values[q.Index]])
		return
	case scheme.FieldChoice:
		m.chooseField(p, q)
		return
	}
	if q.Secret() && !m.current().opener().Registry().Scheme(p.base()).Traits.Has(scheme.Secure) {
		m.say("The connection is not encrypted: others may read this answer.")
	}
	initial := a.values[q.Index]
	if q.Kind == scheme.FieldFile || q.Secret() {
		initial = ""
	}
	m.ask(prompt{
		label: term.Text(form.PromptName(q.Prompt)) + ": ", secret: q.Secret(), lines: q.Kind == scheme.FieldLines,
		done: func(m *model, text string) {
			if q.Kind == scheme.FieldFile {
				text = m.app.ExpandHome(text)
			}
			value, err := q.ReadAnswer(text)
			if err != nil {
				m.say(messageOf(err))
				return
			}
			p.set(q, value)
			if len(a.block) == 1 {
				m.submit(p)
			}
		},
	}, initial)
}

// chooseField shows the choices of a field as a page.
func (m *model) chooseField(p *page, q form.Question) {
	m.visit(place{name: "Choices", own: func() *page {
		choices := &page{title: "Choices"}
		choices.addText(bold, term.Text(q.Prompt))
		for _, c := range q.Choices {
			choices.addLink(term.Text(c), link{label: "Enter takes this answer", act: func(m *model) {
				p.set(q, c)
				m.back()
			}})
		}
		return choices
	}})
}

// submit opens the URL that submits the answers. The URL has the same origin as the form, because
// the user filled in the form.
func (m *model) submit(p *page) {
	u, at, err := form.Submit(p.form.form, p.form.values)
	if err != nil {
		m.say(messageOf(err))
		if at >= 0 {
			m.askField(p, p.form.fields[at])
		}
		return
	}
	to := p.follow(u)
	if p.result != nil && len(p.result.Hops) <= 1 {
		to.from = p.place.from
	}
	to.hidden = p.form.hidden
	m.visit(to)
}
