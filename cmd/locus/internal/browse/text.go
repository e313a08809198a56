package browse

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/iri"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

// target is a link in a text, and the offsets at which the link text begins and ends.
type target struct {
	start, end int
	place      place
}

// addPlain adds a text. URLs in the text become links.
func (p *page) addPlain(r *scheme.Registry, text string) {
	text = lineEnds(text)
	var list []target
	for m := range extract.All(text, &extract.Options{Schemes: r.InText(), Clone: true}) {
		if u, err := iri.URL(m.URL); err == nil {
			list = append(list, target{int(m.Start), int(m.End), p.follow(u)})
		}
	}
	p.addTargets(text, list)
}

// addMarkdown adds the source text of a Markdown document. The links in the document become links
// of the page.
func (p *page) addMarkdown(text string) {
	text = lineEnds(text)
	var list []target
	for l := range document.Markdown(text, nil) {
		u, err := l.Resolve(p.base())
		if err == nil && (len(list) == 0 || int(l.Start) >= list[len(list)-1].end) {
			list = append(list, target{int(l.Start), int(l.End), p.follow(u)})
		}
	}
	p.addTargets(text, list)
}

// base returns the URL that resolves relative references in the page.
func (p *page) base() locus.URL {
	if p.result != nil {
		return p.result.URL
	}
	return p.place.url
}

// follow returns the place that the browser opens for a link target.
func (p *page) follow(u locus.URL) place {
	from := p.result
	if from == nil {
		from = p.place.from
	}
	return place{opener: p.place.opener, url: u, from: from}
}

func (p *page) resolve(r *scheme.Registry, base locus.URL, reference string) (locus.URL, error) {
	ref, err := relative.Parse(reference)
	if err != nil {
		return locus.URL{}, err
	}
	u, _, err := r.Resolve(base, ref, relative.Options{})
	if err != nil {
		return u, err
	}
	return iri.URL(u)
}

// addTargets adds the lines of a text to the page. The elements of list become links.
func (p *page) addTargets(text string, list []target) {
	start := 0
	for start < len(text) {
		end := len(text)
		if n := strings.IndexByte(text[start:], '\n'); n >= 0 {
			end = start + n
		}
		var here []target
		for len(list) > 0 && list[0].start < end {
			here, list = append(here, list[0]), list[1:]
		}
		p.addLine(text[start:end], start, here)
		start = end + 1
	}
}

// addLine adds a line of a text. The line begins at the given offset.
func (p *page) addLine(text string, offset int, links []target) {
	if len(links) == 0 {
		p.addText(plain, expandTabs(text))
		return
	}
	b := block{}
	at := 0
	for _, l := range links {
		start, end := max(l.start-offset, at), min(l.end-offset, len(text))
		if start > at {
			b.runs = append(b.runs, run{text: expandTabs(text[at:start]), link: noLink})
		}
		p.links = append(p.links, link{place: l.place})
		n := len(p.links)
		b.runs = append(b.runs, run{mark(n), n - 1, faint})
		if end > start {
			b.runs = append(b.runs, run{text: expandTabs(text[start:end]), link: n - 1})
			at = end
		}
	}
	if at < len(text) {
		b.runs = append(b.runs, run{text: expandTabs(text[at:]), link: noLink})
	}
	p.add(b)
}

// mark returns the number of a link in the notation for running text, such as "[3]".
func mark(n int) string { return fmt.Sprintf("[%d]", n) }

// lineEnds replaces each line end with LF.
func lineEnds(text string) string {
	if !strings.Contains(text, "\r") {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}
