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

// Explanation is what a text says as a URL: its parts, what its scheme makes of
// them, and what breaks the rules of RFC 1738.
type Explanation struct {
	Text      string // as it may be shown: without a password
	URL       locus.URL
	Err       error     // why the text is no URL
	Canonical locus.URL // zero: it is not in the form of its scheme
	Parts     []Part
	Fields    []scheme.Field
	FieldsErr error
	Findings  []locus.Violation
	Scheme    scheme.Scheme // zero: it is not registered
}

// Explain explains a text.
func (p *Printer) Explain(text string) Explanation {
	text = strings.TrimSpace(text)
	u, err := locus.ParseWrapped(text)
	if err != nil {
		return Explanation{Text: locus.Mask(text), Err: err}
	}
	e := p.explain(u)
	if note, ok := locus.Unwrap(text).Note(); ok {
		e.Findings = append([]locus.Violation{note}, e.Findings...)
	}
	return e
}

func (p *Printer) explain(u locus.URL) Explanation {
	u = withoutPassword(u)
	e := Explanation{Text: u.String(), URL: u, Parts: Parts(u), Findings: advice.Findings(p.registry, u, locus.RFC1738)}
	e.Fields, e.FieldsErr = p.registry.Fields(u)
	if canonical, _, err := p.registry.Canonical(u); err == nil {
		e.Canonical = canonical
	}
	e.Scheme, _ = p.registry.Lookup(u.Scheme())
	return e
}

// Explanation writes an explanation as a fragment of HTML: what the box shows while
// one types.
func (p *Printer) Explanation(w io.Writer, e Explanation) error {
	g := &page{Printer: p, h: &Head{}, w: w}
	return g.put("explanation", g.explained(e))
}

// explained is an explanation as its template has it.
type explained struct {
	Empty     bool
	Parts     []Part
	Rows      []row
	Findings  []locus.Violation
	Conforms  bool // there are no findings but notes
	Canonical string
	Already   bool // it is the canonical form
	Scheme    string
	Access    string
	Section   string
	// Of a text that is no URL.
	Before, At, After, Why string
}

// row is a name and what it means.
type row struct{ Name, Value string }

func (g *page) explained(e Explanation) explained {
	if e.URL.IsZero() && e.Text == "" {
		return explained{Empty: true}
	}
	if e.Err != nil {
		return refusal(e)
	}
	x := explained{Parts: e.Parts, Findings: e.Findings, Conforms: locus.Conforms(e.Findings), Scheme: e.URL.Scheme(), Access: e.Scheme.Access, Section: e.Scheme.Section}
	if !e.Canonical.IsZero() {
		x.Canonical, x.Already = e.Canonical.String(), e.Canonical == e.URL
	}
	for _, field := range e.Fields {
		if field.Value != nil {
			x.Rows = append(x.Rows, row{field.Name, valueText(field.Value)})
		}
	}
	if e.FieldsErr != nil {
		x.Why = e.FieldsErr.Error()
	}
	return x
}

// refusal shows where a text stops being a URL.
func refusal(e Explanation) explained {
	x := explained{Before: e.Text, Why: e.Err.Error()}
	var s *locus.SyntaxError
	if errors.As(e.Err, &s) && s.Offset <= len(s.Input) {
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

// valueText is the value of a field as people read it.
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
