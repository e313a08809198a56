package page

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/advice"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

// explanation is what a text says as a URL: its parts, what its scheme makes of them,
// and how it breaks the rules of RFC 1738.
type explanation struct {
	text      string // with "***" for a password
	url       locus.URL
	err       error     // why the text is not a URL
	canonical locus.URL // zero: the scheme has no such form
	parts     []scheme.Span
	fields    []scheme.Field
	fieldsErr error
	findings  []locus.Violation
	scheme    scheme.Scheme // zero: not registered
}

// Explain writes an explanation of text as a fragment of HTML, which the home page shows
// while a URL is typed.
func (p *Printer) Explain(w io.Writer, text string) error {
	g := &page{Printer: p, h: &Head{}, w: w}
	return g.put("explanation", g.explained(p.explainText(strings.TrimSpace(text))))
}

func (p *Printer) explainText(text string) explanation {
	u, err := locus.ParseWrapped(text)
	if err != nil {
		return explanation{text: locus.Mask(text), err: err}
	}
	e := p.explain(u)
	if note, ok := locus.Unwrap(text).Note(); ok {
		e.findings = append([]locus.Violation{note}, e.findings...)
	}
	return e
}

func (p *Printer) explain(u locus.URL) explanation {
	u = withoutPassword(u)
	e := explanation{text: u.String(), url: u, parts: p.registry.Spans(u), findings: advice.Findings(p.registry, u, locus.RFC1738)}
	e.fields, e.fieldsErr = p.registry.Fields(u)
	if canonical, _, err := p.registry.Canonical(u); err == nil {
		e.canonical = canonical
	}
	e.scheme, _ = p.registry.Lookup(u.Scheme())
	return e
}

// explained is the data of the template "explanation".
type explained struct {
	Empty     bool
	Parts     []scheme.Span
	Rows      []row
	Findings  []locus.Violation
	Conforms  bool
	Canonical string
	Already   bool // the text is in canonical form
	Scheme    string
	Access    string
	Section   string
	// For a text that is not a URL.
	Before, At, After, Why string
}

// row is a field of a URL.
type row struct{ Name, Value string }

func (g *page) explained(e explanation) explained {
	if e.url.IsZero() && e.text == "" {
		return explained{Empty: true}
	}
	if e.err != nil {
		return refusal(e)
	}
	x := explained{Parts: e.parts, Findings: e.findings, Conforms: locus.Conforms(e.findings), Scheme: e.url.Scheme(), Access: e.scheme.Access, Section: e.scheme.Section}
	if !e.canonical.IsZero() {
		x.Canonical, x.Already = e.canonical.String(), e.canonical == e.url
	}
	for _, field := range e.fields {
		if field.Value != nil {
			x.Rows = append(x.Rows, row{field.Name, valueText(field.Value)})
		}
	}
	if e.fieldsErr != nil {
		x.Why = e.fieldsErr.Error()
	}
	return x
}

// refusal describes why a text is not a URL.
func refusal(e explanation) explained {
	x := explained{Before: e.text, Why: e.err.Error()}
	var s *locus.SyntaxError
	if errors.As(e.err, &s) && s.Offset <= len(s.Input) {
		x.Before, x.After = s.Input[:s.Offset], s.Input[s.Offset:]
		x.Why = fmt.Sprintf("octet %d, %s: %v", s.Offset, s.Part, s.Err)
		for i := range x.After {
			if i > 0 {
				x.At, x.After = x.After[:i], x.After[i:]
				break
			}
		}
		if x.At == "" {
			x.At, x.After = x.After, ""
		}
	}
	return x
}

// valueText returns the value of a field for people.
func valueText(value any) string {
	switch v := value.(type) {
	case string:
		return term.Characters(v)
	case []string:
		list := make([]string, len(v))
		for i, s := range v {
			list[i] = strconv.Quote(term.Characters(s))
		}
		return strings.Join(list, ", ")
	case [][]scheme.Field:
		list := make([]string, len(v))
		for i, record := range v {
			each := make([]string, len(record))
			for j, field := range record {
				each[j] = field.Name + " " + valueText(field.Value)
			}
			list[i] = strings.Join(each, ", ")
		}
		return strings.Join(list, "; ")
	case bool:
		if v {
			return "yes"
		}
		return "no"
	default:
		return fmt.Sprint(v)
	}
}
