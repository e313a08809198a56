package browse

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/htmltext"
	"github.com/locus-url/locus/internal/markup"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

// htmlPage converts HTML text and links to blocks.
type htmlPage struct {
	htmltext.Renderer
	page     *page
	registry *scheme.Registry
	base     locus.URL
	link     int
	style    style
}

// addHTML adds the text of an HTML page with its links.
func (p *page) addHTML(r *scheme.Registry, source string) {
	h := &htmlPage{page: p, registry: r, base: p.base(), link: noLink}
	h.Output, h.Cell = h, "|"
	p.anchor = map[string]int{}
	tokens := markup.HTML{Source: lineEnds(source), XML: markup.IsXML(source)}
	for tokens.Next() {
		h.Token(&tokens)
	}
	if title := strings.Join(strings.Fields(h.Title), " "); title != "" {
		p.title = term.Safe(title)
	}
}

// Begin implements [htmltext.Output]. It replaces consecutive empty lines with a single empty
// line.
func (h *htmlPage) Begin(l htmltext.Line) {
	if l.Empty > 0 && len(h.page.blocks) > 0 {
		h.page.addText(plain, "")
	}
	h.page.add(block{quote: strings.Repeat("> ", l.Quotes), margin: l.Margin})
}

// Text implements [htmltext.Output].
func (h *htmlPage) Text(text string) {
	b := &h.page.blocks[len(h.page.blocks)-1]
	r := run{text: expandTabs(text), link: h.link, style: h.style}
	if n := len(b.runs); n > 0 && b.runs[n-1].link != h.link && strings.Trim(text, " ") == "" {
		r.link = noLink // separates the link from the adjacent text
	}
	b.runs = append(b.runs, r)
}

// Tag implements [htmltext.Output].
func (h *htmlPage) Tag(name string, t *markup.HTML) {
	begins := t.Kind == markup.StartTag
	if begins {
		h.anchors(name, t)
	}
	switch name {
	case "a":
		h.anchorTag(begins, t)
	case "h1", "h2", "h3", "h4", "h5", "h6":
		h.style = plain
		if begins {
			h.style = bold
		}
	case "base":
		if u, err := h.page.resolve(h.registry, h.page.base(), strings.TrimSpace(t.Value("href"))); err == nil && begins {
			h.base = u
		}
	case "frame", "embed":
		if u, err := h.page.resolve(h.registry, h.base, strings.TrimSpace(t.Value("src"))); err == nil && begins {
			h.EndLine()
			h.page.addLink(name+": "+term.Safe(u.Shown()), link{place: h.page.follow(u)})
		}
	}
}

// anchors records the current block as the target of each fragment that a tag defines.
func (h *htmlPage) anchors(name string, t *markup.HTML) {
	at := len(h.page.blocks)
	if h.InLine() {
		at--
	}
	for _, attribute := range [...]string{"id", "name"} {
		if value := t.Value(attribute); value != "" && (attribute == "id" || name == "a") {
			if _, ok := h.page.anchor[value]; !ok {
				h.page.anchor[value] = at
			}
		}
	}
}

// anchorTag handles the start or end tag of a link.
func (h *htmlPage) anchorTag(begins bool, t *markup.HTML) {
	h.link = noLink
	href := strings.TrimSpace(t.Value("href"))
	if !begins || href == "" || len(href) > locus.MaxLen {
		return
	}
	u, err := h.page.resolve(h.registry, h.base, href)
	if err != nil {
		return
	}
	h.page.links = append(h.page.links, link{place: h.page.follow(u)})
	h.link = len(h.page.links) - 1
	before := h.style
	h.style = faint
	h.Put(mark(len(h.page.links)))
	h.style = before
}
