package roundtrip

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

// pageHead is the beginning of a page with a title.
const pageHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>%[1]s</title>
<style>li { white-space: pre-wrap }</style>
</head>
<body>
<h1>%[1]s</h1>
`

// htmlWriter writes a menu as a page.
type htmlWriter struct {
	title  string
	form   *scheme.Form
	isLink func(locus.URL) bool
}

func shownHTML(octets string) string { return html.EscapeString(term.Text(octets)) }

func (w *htmlWriter) begin(b *bytes.Buffer) error {
	fmt.Fprintf(b, pageHead, shownHTML(w.title))
	if w.form != nil {
		fmt.Fprintf(b, "<h2>%s</h2>\n<ul>\n", shownHTML(cmp.Or(w.form.Title, "A form")))
		for _, field := range w.form.Fields {
			fmt.Fprintf(b, "<li>%s</li>\n", html.EscapeString(fieldText(field)))
		}
		b.WriteString("</ul>\n")
	}
	b.WriteString("<ul>\n")
	return nil
}

func fieldText(f scheme.FormField) string {
	if f.Kind == scheme.FieldNote {
		return term.Text(f.Prompt)
	}
	more := string(f.Kind)
	separator := ": "
	for _, choice := range f.Choices {
		more += separator + term.Text(choice)
		separator = ", "
	}
	if f.Default != "" && !f.Secret() {
		more += "; " + term.Text(f.Default)
	}
	return fmt.Sprintf("%s (%s)", term.Text(f.Prompt), more)
}

func (w *htmlWriter) item(b *bytes.Buffer, i scheme.Item) error {
	title := shownHTML(i.Title)
	if w.isLink(i.URL) {
		link := escape.AppendSafer(nil, i.URL.WithoutPassword().String(), escape.Unsafe().Without("#[]~").With("'()"), escape.Set{})
		href := html.EscapeString(string(link))
		title = fmt.Sprintf(`<a href="%s">%s</a>`, href, cmp.Or(title, href))
	}
	more := w.about(i)
	if more != "" {
		more = " <small>(" + html.EscapeString(more) + ")</small>"
	}
	fmt.Fprintf(b, "<li>%s%s</li>\n", title, more)
	return nil
}

func (w *htmlWriter) about(i scheme.Item) string {
	var list []string
	if i.Kind != scheme.KindInfo && i.Kind != scheme.KindUnknown && i.Kind != "" {
		list = append(list, string(i.Kind))
	}
	if !i.URL.IsZero() && !w.isLink(i.URL) {
		list = append(list, i.URL.WithoutPassword().String())
	}
	if i.Type != "" {
		list = append(list, term.Text(i.Type))
	}
	if i.Size >= 0 && i.Kind == scheme.KindObject {
		list = append(list, fmt.Sprintf("%d octets", i.Size))
	}
	if !i.ModTime.IsZero() {
		list = append(list, i.ModTime.UTC().Format("2006-01-02 15:04"))
	}
	if i.Note != "" {
		list = append(list, term.Text(i.Note))
	}
	return strings.Join(list, ", ")
}

func (w *htmlWriter) end(b *bytes.Buffer, err error) error {
	b.WriteString("</ul>\n")
	if err != nil {
		fmt.Fprintf(b, "<p><strong>The menu breaks off here: %s</strong></p>\n", shownHTML(err.Error()))
	}
	b.WriteString("</body>\n</html>\n")
	return nil
}
