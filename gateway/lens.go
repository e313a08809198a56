package gateway

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/gateway/internal/page"
	"github.com/locus-url/locus/lens"
)

// compareParsers compares how the parsers in this process read a text. It returns the lens (the set
// of parsers) and the report.
func (g *Gateway) compareParsers(r *http.Request, text string) (*lens.Lens, lens.Report, error) {
	registry := g.client.Registry()
	l := lens.New(registry, append(lens.Standards(registry), lens.InProcess(registry)...)...)
	reports, err := l.Compare(r.Context(), []string{text})
	if err != nil {
		return nil, lens.Report{}, err
	}
	return l, reports[0], nil
}

// serveLens serves the page that compares how parsers read a URL.
func (g *Gateway) serveLens(w *recorder, r *http.Request, values url.Values) error {
	var d page.Lens
	if text := values.Get("url"); text != "" {
		l, report, err := g.compareParsers(r, text)
		if err != nil {
			return err
		}
		d = g.lensPage(l, report)
	}
	v := g.newView(w, r, locus.URL{}, "")
	v.write(http.StatusOK, func(w io.Writer) error { return v.printer.Lens(w, v.head, d) })
	return nil
}

func (g *Gateway) lensPage(l *lens.Lens, r lens.Report) page.Lens {
	masked := r.Masked()
	d := page.Lens{Input: masked.Input, Verdict: masked.Why, Danger: r.Danger}
	accepted, refused := l.Groups(r)
	for _, group := range accepted {
		d.Columns = append(d.Columns, group.Names)
	}
	for _, name := range lens.PartNames() {
		part := page.LensPart{Name: name, Differs: slices.Contains(r.Differences, name)}
		for _, group := range accepted {
			part.Texts = append(part.Texts, group.Result.Part(name))
		}
		d.Parts = append(d.Parts, part)
	}
	for _, group := range refused {
		d.Refused = append(d.Refused, page.LensRefusal{Names: strings.Join(group.Names, ", "), Why: group.Result.Error})
	}
	for _, a := range r.Advisories() {
		d.Advisories = append(d.Advisories, a.String())
	}
	if !r.HasPassword() {
		d.Share = g.options.Prefix + lensPath + "?" + url.Values{"url": {r.Input}}.Encode()
	}
	return d
}

// lens returns the report on an input.
func (c *call) lens(input string) (any, bool) {
	_, report, err := c.gateway.compareParsers(c.r, input)
	if err != nil {
		return nil, false // the client has disconnected
	}
	return report, true
}
