package roundtrip

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// templates are the pieces of a page. Each begins and ends in HTML text, outside of
// tags, so that each can be escaped by itself.
var templates = template.Must(template.New("").Parse(`
{{- define "begin" -}}
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{{.Title}}</title>
<style>li { white-space: pre-wrap }</style>
</head>
<body>
<h1>{{.Title}}</h1>
{{with .Form}}<h2>{{.Title}}</h2>
<ul>
{{range .Fields}}<li>{{.}}</li>
{{end}}</ul>
{{end}}<ul>
{{end}}

{{- define "item" -}}
<li>{{if .Link}}<a href="{{.Link}}">{{.Title}}</a>{{else}}{{.Title}}{{end}}{{with .More}} <small>({{.}})</small>{{end}}</li>
{{end}}

{{- define "end" -}}
</ul>
{{with .}}<p><strong>The menu breaks off here: {{.}}</strong></p>
{{end}}</body>
</html>
{{end}}`))

// htmlWriter writes a menu as a page.
type htmlWriter struct {
	title  string
	form   *scheme.Form
	isLink func(locus.URL) bool
}

type headHTML struct {
	Title string
	Form  *formHTML
}

type formHTML struct {
	Title  string
	Fields []string
}

type itemHTML struct {
	Link        template.URL // only of a scheme that may be linked to
	Title, More string
}

func (w *htmlWriter) begin(b *bytes.Buffer) error {
	head := headHTML{Title: shown(w.title)}
	if w.form != nil {
		head.Form = &formHTML{Title: shown(cmp.Or(w.form.Title, "A form"))}
		for _, field := range w.form.Fields {
			head.Form.Fields = append(head.Form.Fields, fieldText(field))
		}
	}
	return templates.ExecuteTemplate(b, "begin", head)
}

// fieldText describes a field of a form.
func fieldText(f scheme.FormField) string {
	if f.Kind == scheme.FieldNote {
		return shown(f.Prompt)
	}
	more := string(f.Kind)
	if len(f.Choices) > 0 {
		choices := make([]string, len(f.Choices))
		for i, choice := range f.Choices {
			choices[i] = shown(choice)
		}
		more += ": " + strings.Join(choices, ", ")
	}
	if f.Default != "" && !f.Secret() {
		more += "; " + shown(f.Default)
	}
	return fmt.Sprintf("%s (%s)", shown(f.Prompt), more)
}

func (w *htmlWriter) item(b *bytes.Buffer, i scheme.Item) error {
	d := itemHTML{Title: shown(i.Title), More: w.about(i)}
	if w.isLink(i.URL) {
		d.Link = template.URL(i.URL.WithoutPassword().String())
		d.Title = cmp.Or(d.Title, string(d.Link))
	}
	return templates.ExecuteTemplate(b, "item", d)
}

// about lists the other properties of an item.
func (w *htmlWriter) about(i scheme.Item) string {
	var list []string
	if i.Kind != scheme.KindInfo && i.Kind != scheme.KindUnknown && i.Kind != "" {
		list = append(list, string(i.Kind))
	}
	if !i.URL.IsZero() && !w.isLink(i.URL) {
		list = append(list, i.URL.WithoutPassword().String())
	}
	if i.Type != "" {
		list = append(list, shown(i.Type))
	}
	if i.Size >= 0 && i.Kind == scheme.KindObject {
		list = append(list, fmt.Sprintf("%d octets", i.Size))
	}
	if !i.ModTime.IsZero() {
		list = append(list, i.ModTime.UTC().Format("2006-01-02 15:04"))
	}
	if i.Note != "" {
		list = append(list, shown(i.Note))
	}
	return strings.Join(list, ", ")
}

func (w *htmlWriter) end(b *bytes.Buffer, err error) error {
	reason := ""
	if err != nil {
		reason = shown(err.Error())
	}
	return templates.ExecuteTemplate(b, "end", reason)
}
