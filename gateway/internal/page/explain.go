package page

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/advice"
	"github.com/locus-url/locus/scheme"
)

// explanation is the data for the template "explanation". The data includes the parts and
// fields of a URL, and its violations of RFC 1738.
type explanation struct {
	Empty     bool
	Parts     []scheme.Span
	Rows      []row
	Findings  []locus.Violation
	Conforms  bool
	Canonical string // empty if there is no canonical form
	Already   bool   // the URL is already in canonical form
	Scheme    string
	Access    string
	Section   string
	// These fields contain the parts of a text that is not a URL, and the reason.
	Before, At, After, Why string
}

// row is a field of a URL with its value.
type row struct{ Name, Value string }

// Explain writes an HTML fragment that explains the URL in text. The home page shows this
// fragment while the user types a URL.
func (p *Printer) Explain(w io.Writer, text string) error {
	g := &page{Printer: p, w: w}
	g.writePiece("explanation", p.explainText(strings.TrimSpace(text)))
	return g.err
}

func (p *Printer) explainText(text string) explanation {
	if text == "" {
		return explanation{Empty: true}
	}
	u, err := locus.ParseWrapped(text)
	if err != nil {
		return explainRefusal(locus.Mask(text), err)
	}
	x := p.explain(u)
	if note, ok := locus.RemoveWrapper(text).Note(); ok {
		x.Findings = append([]locus.Violation{note}, x.Findings...)
	}
	return x
}

func (p *Printer) explain(u locus.URL) explanation {
	u = withoutPassword(u)
	scheme, _ := p.registry.Lookup(u.Scheme())
	x := explanation{
		Parts: p.registry.Spans(u), Findings: advice.Findings(p.registry, u, locus.RFC1738),
		Scheme: u.Scheme(), Access: scheme.Access.Protocol, Section: scheme.Section,
	}
	x.Conforms = locus.Conforms(x.Findings)
	if canonical, _, err := p.registry.Canonical(u); err == nil {
		x.Canonical, x.Already = canonical.String(), canonical == u
	}
	fields, err := p.registry.Fields(u)
	if err != nil {
		x.Why = err.Error()
	}
	for _, field := range fields {
		if field.Value != nil {
			x.Rows = append(x.Rows, row{field.Name, field.Text()})
		}
	}
	return x
}

// explainRefusal explains why a text is not a URL.
func explainRefusal(text string, err error) explanation {
	x := explanation{Before: text, Why: err.Error()}
	var s *locus.SyntaxError
	if errors.As(err, &s) && s.Offset <= len(s.Input) {
		x.Before, x.After = s.Input[:s.Offset], s.Input[s.Offset:]
		x.Why = fmt.Sprintf("offset %d: %v", s.Offset, s.Err)
		_, size := utf8.DecodeRuneInString(x.After)
		x.At, x.After = x.After[:size], x.After[size:]
	}
	return x
}
